#pragma once

#include "castor/tb_swap/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"
#include "castor/twin/lanes.h"

/// Ports of the swap engine (docs/blocks/tb_swap.md, "Ports"). In the lists, `p` is a Params. A line has 128 bytes; an
/// address in lines is a device address divided by 128, or for on-chip storage 4096 * place + line.
// clang-format off
#define TB_SWAP_INPUTS(X)                                                                                           \
  X(sm_id,         U8,      1, 8,             kLevel,   kEdge, "number of the SM; constant")                        \
  X(cfg_valid,     U8,      1, 1,             kEvent,   kEdge,                                                      \
    "a kernel starts: loads the constants below and resets the state; all other inputs of the cycle are ignored")   \
  X(cfg_warps,     U8,      1, 6,             kPayload, kEdge, "warps of a TB, 1..32")                              \
  X(cfg_regs,      U16,     1, 9,             kPayload, kEdge, "registers of a thread, 1..NumRegs")                 \
  X(cfg_simt,      U8,      1, 6,             kPayload, kEdge, "SIMT lines of a TB, 1 or more")                     \
  X(cfg_smem,      U16,     1, 11,            kPayload, kEdge, "lines of shared memory of a TB; 0: none")           \
  X(cfg_slots,     U8,      1, 7,             kPayload, kEdge,                                                      \
    "TB contexts in use; homes 0 .. cfg_slots - 1 belong to them")                                                  \
  X(cfg_rhomes,    U8,      1, 7,             kPayload, kEdge, "register homes, cfg_slots..NumHomes")               \
  X(cfg_shomes,    U8,      1, 7,             kPayload, kEdge, "shared homes, cfg_slots..NumHomes")                 \
  X(cfg_in_place,  U8,      1, 7,             kPayload, kEdge, "places for TBs that keep their homes")              \
  X(cfg_copies,    U8,      1, 7,             kPayload, kEdge, "places for copies, behind those")                   \
  X(cfg_direction, U8,      1, 2,             kPayload, kEdge,                                                      \
    "copies: 0 none, 1 registers go to a place, 2 shared memory goes to a place")                                   \
  X(cfg_live,      U8,      1, 1,             kPayload, kEdge, "only live registers move")                          \
  X(cfg_read_only, U8,      1, 1,             kPayload, kEdge, "TBs may have read-only segments")                   \
  X(cfg_threshold, U16,     1, 10,            kPayload, kEdge,                                                      \
    "requests of the SM at which accesses to memory pause, 8 or more")                                              \
  X(site_valid,    U8,      1, 1,             kEvent,   kEdge, "writes the live registers of a site")               \
  X(site_index,    U8,      1, 7,             kPayload, kEdge, "site; NumSites or more: ignored")                   \
  X(site_mask,     RegBits, 1, p.NumRegs,     kPayload, kEdge, "live registers at the site")                        \
  X(ro_valid,      U8,      1, 1,             kEvent,   kEdge, "writes a read-only segment of a TB")                \
  X(ro_slot,       U8,      1, p.slot_bits(), kPayload, kEdge, "TB context")                                        \
  X(ro_index,      U8,      1, 2,             kPayload, kEdge, "segment; RoSegs or more: ignored")                  \
  X(ro_lines,      U16,     1, 11,            kPayload, kEdge, "lines; 0: no segment any more")                     \
  X(ro_first,      U16,     1, 11,            kPayload, kEdge, "first line of shared memory")                       \
  X(ro_address,    U64,     1, 33,            kPayload, kEdge,                                                      \
    "address in lines of the global memory that equals the first line")                                             \
  X(job_valid,     U8,      1, 1,             kEvent,   kEdge, "a job is offered")                                  \
  X(job_slot,      U8,      1, p.slot_bits(), kPayload, kEdge, "TB context")                                        \
  X(job_out,       U8,      1, 1,             kPayload, kEdge, "the TB of the context is moved out")                \
  X(job_gid,       U32,     1, 24,            kPayload, kEdge, "number of the TB that is moved out")                \
  X(job_site,      U8,      1, 7,             kPayload, kEdge, "site at which it waits; 127: all registers")        \
  X(job_new,       U8,      1, 1,             kPayload, kEdge,                                                      \
    "nothing is moved in: a TB starts in the context, or none")                                                     \
  X(job_in_gid,    U32,     1, 24,            kPayload, kEdge, "number of the TB that starts or is moved in")       \
  X(job_entry,     Entry,   1, 160,           kPayload, kEdge, "entry of the TB that is moved in")                  \
  X(local_room,    U8,      1, 1,             kLevel,   kEdge,                                                      \
    "one more entry of a TB that stays in the SM can be kept")                                                      \
  X(parked_ready,  U8,      1, 1,             kEvent,   kEdge, "parked_valid is taken")                             \
  X(enter_ready,   U8,      1, 1,             kEvent,   kEdge, "enter_valid is taken")                              \
  X(page_valid,    U8,      1, 1,             kEvent,   kEdge, "an image is granted; ignored unless page_request")  \
  X(page_address,  U64,     1, 33,            kPayload, kEdge, "address of the image in lines")                     \
  X(access_ready,  U8,      1, 1,             kEvent,   kEdge, "the access is taken")                               \
  X(load_done,     U8,      1, 1,             kEvent,   kEdge, "a load has been performed")                         \
  X(outstanding,   U16,     1, 10,            kLevel,   kEdge, "requests of the SM without a reply")

#define TB_SWAP_OUTPUTS(X)                                                                                          \
  X(job_ready,      U8,         1, 1,             kEvent,   kRegistered, "a job is taken")                          \
  X(parked_valid,   U8,         1, 1,             kEvent,   kRegistered, "a TB has been moved out of its context")  \
  X(parked_slot,    U8,         1, p.slot_bits(), kPayload, kRegistered, "TB context")                              \
  X(parked_local,   U8,         1, 1,             kPayload, kRegistered, "a part of the TB stays in this SM")       \
  X(parked_entry,   Entry,      1, 160,           kPayload, kRegistered, "where the TB is")                         \
  X(enter_valid,    U8,         1, 1,             kEvent,   kRegistered,                                            \
    "a context holds its next TB, or is free for it")                                                               \
  X(enter_slot,     U8,         1, p.slot_bits(), kPayload, kRegistered, "TB context")                              \
  X(enter_new,      U8,         1, 1,             kPayload, kRegistered, "job_new of the job")                      \
  X(enter_gid,      U32,        1, 24,            kPayload, kRegistered, "job_in_gid of the job")                   \
  X(enter_rhome,    U8,         1, 6,             kPayload, kRegistered, "register home of the context")            \
  X(enter_shome,    U8,         1, 6,             kPayload, kRegistered, "shared home of the context")              \
  X(enter_free,     U8,         1, 1,             kPayload, kRegistered,                                            \
    "the image at enter_address is not needed any more")                                                            \
  X(enter_address,  U64,        1, 33,            kPayload, kRegistered, "address of that image in lines; else 0")  \
  X(page_request,   U8,         1, 1,             kEvent,   kRegistered, "an image is needed")                      \
  X(access_valid,   U8,         1, 1,             kEvent,   kRegistered, "an access to a line")                     \
  X(access_store,   U8,         1, 1,             kPayload, kRegistered,                                            \
    "1: from the SM's storage to the address; 0: the other way")                                                    \
  X(access_type,    AccessType, 1, 2,             kPayload, kRegistered, "what moves")                              \
  X(access_local,   U8,         1, 1,             kPayload, kRegistered, "the address is that of a place")          \
  X(access_slot,    U8,         1, p.slot_bits(), kPayload, kRegistered, "TB context")                              \
  X(access_warp,    U8,         1, 5,             kPayload, kRegistered, "register: number of the warp in its TB")  \
  X(access_reg,     U8,         1, 8,             kPayload, kRegistered, "register: its number")                    \
  X(access_line,    U16,        1, 11,            kPayload, kRegistered, "SIMT line, or line of shared memory")     \
  X(access_home,    U8,         1, 6,             kPayload, kRegistered, "register home, or shared home")           \
  X(access_address, U64,        1, 33,            kPayload, kRegistered, "address in lines")                        \
  X(block_memory,   U8,         1, 1,             kEvent,   kRegistered,                                            \
    "an access to memory is offered: no memory instruction issues")

/// Registers that a test bench can observe. Registers of a job are 0 while their machine is idle.
#define TB_SWAP_PROBES(X)                                                                                             \
  X(warps,          U8,               1,            6,             "cfg_warps of the kernel")                         \
  X(regs,           U16,              1,            9,             "cfg_regs")                                        \
  X(simt,           U8,               1,            6,             "cfg_simt")                                        \
  X(smem,           U16,              1,            11,            "cfg_smem")                                        \
  X(in_place,       U8,               1,            7,             "cfg_in_place")                                    \
  X(copies,         U8,               1,            7,             "cfg_copies")                                      \
  X(direction,      U8,               1,            2,             "cfg_direction")                                   \
  X(live,           U8,               1,            1,             "cfg_live")                                        \
  X(read_only,      U8,               1,            1,             "cfg_read_only")                                   \
  X(threshold,      U16,              1,            10,            "cfg_threshold")                                   \
  X(sites,          U64,              1,            p.NumSites,    "sites with a mask")                               \
  X(ro_lines,       SegmentLines,     p.segments(), 11,            "lines of each read-only segment")                 \
  X(ro_first,       SegmentLines,     p.segments(), 11,            "its first line; 0 if it has no lines")            \
  X(ro_address,     SegmentAddresses, p.segments(), 33,            "its address; 0 if it has no lines")               \
  X(jobs,           U8,               1,            p.jobs_bits(), "jobs that wait")                                  \
  X(free_rhomes,    U64,              1,            p.NumHomes,    "spare register homes")                            \
  X(free_shomes,    U64,              1,            p.NumHomes,    "spare shared homes")                              \
  X(free_places,    U64,              1,            p.NumPlaces,   "free places")                                     \
  X(rhome,          PerTb,            p.MaxTb,      6,             "register home of each context")                   \
  X(shome,          PerTb,            p.MaxTb,      6,             "shared home of each context")                     \
  X(out_state,      OutState,         1,            4,             "state of the machine that moves TBs out")         \
  X(out_slot,       U8,               1,            p.slot_bits(), "its job: TB context")                             \
  X(out_class,      U8,               1,            3,                                                                \
    "where the TB goes: 1 in place, 2 registers to a place, 3 shared memory to a place, 4 memory; 0 nothing is "      \
    "moved out, or not decided")                                                                                      \
  X(out_next_rhome, U8,               1,            6,                                                                \
    "register home that the context will have; 0 before it is decided")                                               \
  X(out_next_shome, U8,               1,            6,                                                                \
    "shared home that it will have; 0 before it is decided")                                                          \
  X(out_address,    U64,              1,            33,            "address of the next line; 0 before it is known")  \
  X(out_line,       U16,              1,            12,                                                               \
    "lines done of the SIMT lines, or of shared memory; 0 before the first access")                                   \
  X(out_warp,       U8,               1,            5,                                                                \
    "warp whose registers move; 0 unless registers move")                                                             \
  X(out_mask,       RegBits,          1,            p.NumRegs,                                                        \
    "registers of that warp that are still to be moved; 0 unless registers move")                                     \
  X(hand_valid,     U8,               1,            1,             "a job waits for the machine that moves TBs in")   \
  X(hand_slot,      U8,               1,            p.slot_bits(), "its TB context; 0 without one")                   \
  X(hand_rhome,     U8,               1,            6,             "register home for it; 0 without one")             \
  X(hand_shome,     U8,               1,            6,             "shared home for it; 0 without one")               \
  X(in_state,       InState,          1,            3,             "state of the machine that moves TBs in")          \
  X(in_slot,        U8,               1,            p.slot_bits(), "its job: TB context")                             \
  X(in_address,     U64,              1,            33,            "address of the next line; 0 before it is known")  \
  X(in_line,        U16,              1,            12,                                                               \
    "lines done of the SIMT lines, or of shared memory; 0 before the first access")                                   \
  X(in_warp,        U8,               1,            5,                                                                \
    "warp whose registers move; 0 unless registers move")                                                             \
  X(in_mask,        RegBits,          1,            p.NumRegs,                                                        \
    "registers of that warp that are still to be moved; 0 unless registers move")                                     \
  X(loads,          U16,              1,            14,            "loads that have not been performed")              \
  X(stopped,        U8,               1,            1,             "accesses to memory pause")
// clang-format on

namespace castor::tb_swap {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using RegBits = twin::Bits<256>;                 ///< bit per register of a thread
using Entry = twin::Bits<160>;                   ///< entry of a parked TB (docs/blocks/tb_swap.md, "Entries")
using PerTb = twin::Lanes<U8, 64>;               ///< element per TB context
using SegmentLines = twin::Lanes<U16, 256>;      ///< element per context and read-only segment
using SegmentAddresses = twin::Lanes<U64, 256>;  ///< element per context and read-only segment

/// States of the machine that moves TBs out: idle; decides where the TB goes; waits for an image; moves SIMT lines;
/// fetches the live registers of the next warp; moves registers; moves shared memory; offers the entry; hands the job
/// over to the other machine.
enum class OutState : std::uint8_t { kIdle, kPlace, kPage, kSimt, kMask, kRegisters, kShared, kPush, kHand };
inline constexpr const char* kOutStateNames[] = {"Idle",      "Place",  "Page", "Simt", "Mask",
                                                 "Registers", "Shared", "Push", "Hand"};
[[nodiscard]] constexpr auto& enum_names(OutState) { return kOutStateNames; }

/// States of the machine that moves TBs in: idle; moves SIMT lines; waits until the read-only segments are known;
/// fetches the live registers; moves registers; moves shared memory; waits for loads; the context holds its TB.
enum class InState : std::uint8_t { kIdle, kSimt, kSegments, kMask, kRegisters, kShared, kWait, kDone };
inline constexpr const char* kInStateNames[] = {"Idle",      "Simt",   "Segments", "Mask",
                                                "Registers", "Shared", "Wait",     "Done"};
[[nodiscard]] constexpr auto& enum_names(InState) { return kInStateNames; }

/// What an access moves: a SIMT line, a register of a warp, a line of shared memory, a line of shared memory that is
/// loaded from the global memory that it equals.
enum class AccessType : std::uint8_t { kSimt, kRegister, kShared, kReadOnly };
inline constexpr const char* kAccessTypeNames[] = {"Simt", "Register", "Shared", "ReadOnly"};
[[nodiscard]] constexpr auto& enum_names(AccessType) { return kAccessTypeNames; }

CASTOR_PORT_LISTS(TB_SWAP, tb_swap)

class Engine;

/// The swap engine as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "tb_swap";
  static constexpr const char* kTop = "castor_tb_swap";
  static constexpr const char* kMeaning = "which line of a thread block's context moves next, and where it goes";
  using Engine = tb_swap::Engine;

  /// Returns the bound of Engine::quiet, computed from probes (for RTL). Without a job no access is offered, unless
  /// load_done came without a load; then idle edges leave the access and all registers as they are.
  static base::Cycle quiet(const Probes& probes, const Inputs& /*last*/, const Params& /*params*/) {
    const bool busy = probes.out_state != OutState::kIdle || probes.in_state != InState::kIdle || probes.jobs != 0 ||
                      probes.hand_valid != 0;
    return busy || probes.stopped != 0 ? 0 : base::kForever;
  }
};

}  // namespace castor::tb_swap

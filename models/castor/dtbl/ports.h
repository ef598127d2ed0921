#pragma once

#include "castor/dtbl/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"

/// Ports of the dynamic thread block launch DTBL (docs/blocks/dtbl.md, "Ports"). In the lists, `p` is a Params. Launch
/// half: agg_*, key_*, att_*, fb_*, done_*, rel_*, agt_used, launch_*. Dispatch half: push_*, fits, pl_*, cur_*, mem_*,
/// rsp_*, dispatch_*. An attachment passes from the launch half to the dispatch half inside the block; it has priority
/// over a pushed kernel.
// clang-format off
#define DTBL_INPUTS(X)                                                                                           \
  /*name        type     elements  bits            class     timing   meaning */                                 \
  X(agg_valid,  U8,      1,        1,              kEvent,   kSettle,                                            \
    "a thread launches a group: the beat is valid")                                                              \
  X(agg_first,  U8,      1,        1,              kPayload, kEdge,   "first beat of the launch command")        \
  X(agg_last,   U8,      1,        1,              kPayload, kEdge,   "last beat of the launch command")         \
  X(agg_sm,     U8,      1,        5,              kPayload, kSettle, "SM of the launching thread")              \
  X(agg_warp,   U8,      1,        6,              kPayload, kSettle, "warp slot of the launching thread")       \
  X(agg_lane,   U8,      1,        5,              kPayload, kSettle, "lane of the launching thread")            \
  X(agg_key,    Key,     1,        77,             kPayload, kSettle,                                            \
    "key of the group: {shared 16, z 7, y 11, x 11, pc 32}")                                                     \
  X(agg_dim,    U64,     1,        64,             kPayload, kEdge,                                              \
    "thread blocks of the group per dimension: {z 16, y 16, x 32}")                                              \
  X(agg_cnt,    U32,     1,        32,             kPayload, kEdge,   "number of thread blocks of the group")    \
  X(agg_param,  U32,     1,        32,             kPayload, kEdge,   "address of the group's parameters / 16")  \
  X(agg_level,  U8,      1,        4,              kPayload, kEdge,   "nesting level of the launch, passed on")  \
  X(key_valid,  U8,      1,        1,              kLevel,   kSettle,                                            \
    "groups may attach to the kernel entry key_idx")                                                             \
  X(key_rd,     Key,     1,        77,             kLevel,   kSettle, "key of the kernel entry key_idx")         \
  X(fb_ready,   U8,      1,        1,              kLevel,   kSettle, "the fallback is accepted")                \
  X(done_valid, U8,      1,        1,              kEvent,   kEdge,   "a thread block has completed")            \
  X(done_agei,  U32,     1,        32,             kPayload, kEdge,                                              \
    "reference of the completed thread block's group")                                                           \
  X(push_valid, U8,      1,        1,              kEvent,   kEdge,                                              \
    "a kernel becomes resident: its entry is being written")                                                     \
  X(push_kd,    U8,      1,        p.kde_bits(),   kPayload, kEdge,   "kernel entry that is being written")      \
  X(push_dim,   U64,     1,        64,             kPayload, kEdge,   "grid of the kernel: {z 16, y 16, x 32}")  \
  X(fits,       KdeBits, 1,        p.NumKde,       kLevel,   kSettle,                                            \
    "the next TB of the kernel entry fits some SM")                                                              \
  X(pl_taken,   U8,      1,        1,              kEvent,   kEdge,   "the offered thread block is placed")      \
  X(mem_ready,  U8,      1,        1,              kLevel,   kEdge,   "the memory request is accepted")          \
  X(rsp_valid,  U8,      1,        1,              kEvent,   kEdge,   "reply to the read")                       \
  X(rsp_dim,    U64,     1,        64,             kPayload, kEdge,                                              \
    "record: thread blocks of the group per dimension")                                                          \
  X(rsp_next,   U32,     1,        32,             kPayload, kEdge,                                                   \
    "record: reference of the next group in the pool")

#define DTBL_OUTPUTS(X)                                                                                           \
  /*name           type     elements  bits              class     timing          meaning */                      \
  X(agg_ready,     U8,      1,        1,                kEvent,   kCombinational, "the beat is accepted")         \
  X(key_idx,       U8,      1,        p.kde_bits(),     kLevel,   kRegistered,                                    \
    "entry of the kernel table that is compared")                                                                 \
  X(launch_hold,   KdeBits, 1,        p.NumKde,         kLevel,   kCombinational,                                 \
    "kernel entries that must not be released: a group attaches")                                                 \
  X(att_valid,     U8,      1,        1,                kEvent,   kRegistered,    "a group attaches to a kernel") \
  X(att_ready,     U8,      1,        1,                kEvent,   kRegistered,                                    \
    "the attachment is accepted: no link write waits")                                                            \
  X(att_kd,        U8,      1,        p.kde_bits(),     kPayload, kRegistered,                                    \
    "kernel entry that the group attaches to")                                                                    \
  X(att_agei,      U32,     1,        32,               kPayload, kRegistered,                                    \
    "reference of the group: table entry or record")                                                              \
  X(att_dim,       U64,     1,        64,               kPayload, kRegistered,                                    \
    "thread blocks of the group per dimension")                                                                   \
  X(att_cnt,       U32,     1,        32,               kPayload, kRegistered,                                    \
    "number of thread blocks of the group")                                                                       \
  X(att_param,     U32,     1,        32,               kPayload, kRegistered,                                    \
    "address of the group's parameters / 16")                                                                     \
  X(att_level,     U8,      1,        4,                kPayload, kRegistered,    "nesting level of the group")   \
  X(att_sm,        U8,      1,        5,                kPayload, kRegistered,    "SM of the launching thread")   \
  X(fb_valid,      U8,      1,        1,                kEvent,   kRegistered,                                    \
    "a group becomes a device kernel (fallback)")                                                                 \
  X(fb_rec,        U32,     1,        31,               kPayload, kRegistered,                                    \
    "address of the group's record / 16")                                                                         \
  X(fb_ord,        U8,      1,        6,                kPayload, kRegistered,                                    \
    "number of fallbacks in the command, this one included")                                                      \
  X(fb_level,      U8,      1,        4,                kPayload, kRegistered,    "nesting level of the group")   \
  X(fb_sm,         U8,      1,        5,                kPayload, kRegistered,    "SM of the launching thread")   \
  X(rel_valid,     U8,      1,        1,                kEvent,   kRegistered,                                    \
    "a group table entry has been freed")                                                                         \
  X(rel_idx,       U16,     1,        p.age_bits(),     kPayload, kRegistered,                                    \
    "group table entry that has been freed")                                                                      \
  X(agt_used,      U16,     1,        p.age_bits() + 1, kLevel,   kRegistered,                                    \
    "number of group table entries in use")                                                                       \
  X(launch_err,    U8,      1,        2,                kEvent,   kRegistered,                                    \
    "protocol errors: bit 0 framing, bit 1 completion")                                                           \
  X(push_ready,    U8,      1,        1,                kEvent,   kRegistered,    "a kernel may be pushed")       \
  X(pl_valid,      U8,      1,        1,                kEvent,   kCombinational, "a thread block is offered")    \
  X(pl_kd,         U8,      1,        p.kde_bits(),     kPayload, kCombinational,                                 \
    "kernel entry of the offered thread block")                                                                   \
  X(pl_agei,       U32,     1,        32,               kPayload, kCombinational,                                 \
    "group of the offered thread block; all ones: native")                                                        \
  X(pl_pos,        U32,     1,        32,               kPayload, kCombinational,                                 \
    "position of the thread block in its kernel or group")                                                        \
  X(pl_dim,        U64,     1,        64,               kPayload, kCombinational,                                 \
    "TBs of the kernel or group: {z 16, y 16, x 32}")                                                             \
  X(pl_param,      U32,     1,        32,               kPayload, kCombinational,                                 \
    "parameter address / 16 of the group; native: 0")                                                             \
  X(pl_last,       U8,      1,        1,                kPayload, kCombinational,                                 \
    "last thread block of its kernel or group")                                                                   \
  X(cur_valid,     U8,      1,        1,                kEvent,   kRegistered,                                    \
    "thread blocks of a kernel or group are distributed")                                                         \
  X(cur_kd,        U8,      1,        p.kde_bits(),     kPayload, kRegistered,                                    \
    "kernel entry that is being distributed")                                                                     \
  X(dispatch_hold, KdeBits, 1,        p.NumKde,         kLevel,   kRegistered,                                    \
    "kernel entries with thread blocks not yet placed")                                                           \
  X(mem_valid,     U8,      1,        1,                kEvent,   kRegistered,    "memory request")               \
  X(mem_write,     U8,      1,        1,                kPayload, kRegistered,                                    \
    "1: write 4 bytes (a link), 0: read a record")                                                                \
  X(mem_addr,      U64,     1,        40,               kPayload, kRegistered,    "byte address of the request")  \
  X(mem_wdata,     U32,     1,        32,               kPayload, kRegistered,    "data of a write")              \
  X(dispatch_err,  U8,      1,        3,                kEvent,   kRegistered,                                    \
    "protocol errors: bit 0 push, bit 1 reply, bit 2 taken")

/// Registers that a test bench can observe.
#define DTBL_PROBES(X)                                                                                                \
  /*name            type           el. bits              meaning */                                                   \
  X(launch_state,   LaunchState,   1,  2,                "state of the launch half")                                  \
  X(run_key,        Key,           1,  77,               "key of the current run of beats")                           \
  X(in_command,     U8,            1,  1,                "inside a command: its last beat has not arrived")           \
  X(fallbacks,      U8,            1,  6,                "number of fallbacks so far in the command")                 \
  X(busy,           AgeBits,       1,  p.AgtSize,        "group table entries in use")                                \
  X(done_valid,     U8,            1,  1,                "a completion was accepted in the previous cycle")           \
  X(done_age,       U16,           1,  p.age_bits(),                                                                  \
    "group table entry of that completion; 0 while done_valid is 0")                                                  \
  X(done_left,      U32,           1,  32,                                                                            \
    "thread blocks left in the entry; 0 unless done_valid and in use")                                                \
  X(out_valid,      U8,            1,  1,                "an attachment or fallback is offered")                      \
  X(out_fallback,   U8,            1,  1,                "the offer is a fallback; 0 while out_valid is 0")           \
  X(released,       U8,            1,  1,                "register of the output rel_valid")                          \
  X(launch_error,   U8,            1,  2,                "register of the output launch_err")                         \
  X(dispatch_state, DispatchState, 1,  2,                "state of the dispatch half")                                \
  X(first,          KdeBits,       1,  p.NumKde,                                                                      \
    "kernel entries whose native thread blocks are not distributed yet")                                              \
  X(queue_head,     U8,            1,  p.kde_bits(),     "slot of the oldest marked kernel in the ring")              \
  X(queue_count,    U16,           1,  p.queue_bits(),   "number of marked kernels in the ring")                      \
  X(queue_oldest,   U8,            1,  p.kde_bits(),     "oldest marked kernel; 0 if there is none")                  \
  X(cur_kd,         U8,            1,  p.kde_bits(),     "kernel entry that is being distributed, or was last")       \
  X(cur_agei,       U32,           1,  32,                                                                            \
    "group that is being distributed; all ones: native thread blocks")                                                \
  X(cur_od,         U64,           1,  64,               "index of the next thread block: {z 16, y 16, x 32}")        \
  X(cur_pos,        U32,           1,  32,               "position of the next thread block")                         \
  X(row_nagei,      U32,           1,  32,               "cur_kd: group to be distributed next; 0 unless marked")     \
  X(row_lagei,      U32,           1,  32,               "cur_kd: group attached last; 0 if its pool is empty")       \
  X(row_kdim,       U64,           1,  64,               "cur_kd: grid of the kernel; 0 unless first")                \
  X(row_next,       U32,           1,  32,                                                                            \
    "link of cur_agei, if it runs on chip and is not row_lagei; else 0")                                              \
  X(record_dim,     U64,           1,  64,               "group in memory: its thread blocks per dimension")          \
  X(record_next,    U32,           1,  32,               "group in memory: the next group of the pool")               \
  X(record_linked,  U8,            1,  1,                "record_next was set by an attachment")                      \
  X(link_valid,     U8,            1,  1,                "a link write waits for the memory port")                    \
  X(link_rec,       U32,           1,  31,                                                                            \
    "link write: address of the record / 16; 0 while link_valid is 0")                                                \
  X(link_data,      U32,           1,  32,                                                                            \
    "link write: reference of the group; 0 while link_valid is 0")                                                    \
  X(read_stays,     U8,            1,  1,                "the read is on the memory port and must stay")              \
  X(dispatch_error, U8,            1,  3,                "register of the output dispatch_err")
// clang-format on

namespace castor::dtbl {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using Key = twin::Bits<77>;        ///< pc in the low bits
using KdeBits = twin::Bits<256>;   ///< bit per kernel entry
using AgeBits = twin::Bits<2048>;  ///< bit per entry of the aggregated group table

/// No group: native thread blocks, or an empty pool.
inline constexpr U32 kNone = 0xffff'ffff;
/// Flag in the reference to a group in memory; the other bits are the address of the group's record / 16.
inline constexpr U32 kOffChip = 0x8000'0000;

/// State of the launch half: searches a kernel entry with the key of the run; attaches the beats of the run to the
/// entry (kGrant); or turns them into fallbacks, because no entry has the key (kFall).
enum class LaunchState : std::uint8_t { kSearch, kGrant, kFall };
inline constexpr const char* kLaunchStateNames[] = {"Search", "Grant", "Fall"};
[[nodiscard]] constexpr auto& enum_names(LaunchState) { return kLaunchStateNames; }

/// State of the dispatch half: no item; offers thread blocks of the item; must read the record of a group in memory;
/// waits for the reply.
enum class DispatchState : std::uint8_t { kFree, kRun, kReq, kWait };
inline constexpr const char* kDispatchStateNames[] = {"Free", "Run", "Req", "Wait"};
[[nodiscard]] constexpr auto& enum_names(DispatchState) { return kDispatchStateNames; }

CASTOR_PORT_LISTS(DTBL, dtbl)

class Engine;

/// The dynamic thread block launch as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "dtbl";
  static constexpr const char* kTop = "castor_dtbl";
  static constexpr const char* kMeaning = "groups of thread blocks launched by threads, run with a resident kernel";
  using Engine = dtbl::Engine;

  /// Returns the bound of Engine::quiet, computed from probes (for RTL).
  static base::Cycle quiet(const Probes& probes, const Inputs& last, const Params& /*params*/) {
    if ((probes.done_valid | probes.released | probes.launch_error | probes.dispatch_error) != 0) return 0;
    if (probes.out_valid != 0 && (probes.out_fallback == 0 || last.fb_ready != 0)) return 0;
    return probes.dispatch_state == DispatchState::kReq || probes.link_valid != 0 ? 0 : base::kForever;
  }
};

}  // namespace castor::dtbl

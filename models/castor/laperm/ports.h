#pragma once

#include "castor/laperm/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"

/// Ports of the locality-aware thread block scheduler LaPerm (docs/blocks/laperm.md, "Ports"). In the lists, `p` is a
/// Params.
// clang-format off
#define LAPERM_INPUTS(X)                                                                                           \
  /*name       type     elements  bits            class     timing   meaning */                                    \
  X(policy,     U8,     1,        2,              kLevel,   kSettle, "1 TB-Pri, 2 SMX-, 3 Adaptive-Bind; 0: as 3") \
  X(ovf_log2,   U8,     1,        5,              kLevel,   kEdge,   "log2 of a memory list's entries; 0 none")    \
  X(push_valid, U8,     1,        1,              kEvent,   kEdge,   "a kernel or group")                          \
  X(push_kd,    U8,     1,        p.kd_bits(),    kPayload, kEdge,   "its kernel table entry")                     \
  X(push_agei,  U64,    1,        p.AgeiW,        kPayload, kEdge,   "its group; all ones: a kernel")              \
  X(push_cnt,   U64,    1,        p.CntW,         kPayload, kEdge,   "its thread blocks")                          \
  X(push_dim,   U64,    1,        p.DimW,         kPayload, kEdge,   "its dimensions: {z 16, y 16, x 32}")         \
  X(push_param, U64,    1,        p.ParamW,       kPayload, kEdge,   "address of its parameters")                  \
  X(push_level, U8,     1,        4,              kPayload, kEdge,   "0: of the host; above LvlMax: LvlMax")       \
  X(push_sm,    U8,     1,        p.sm_bits(),    kPayload, kEdge,   "SM of the direct parent")                    \
  X(push_warps, U8,     1,        7,              kPayload, kEdge,   "a thread block of the kernel needs: warps")  \
  X(push_regs,  U16,    1,        10,             kPayload, kEdge,   "units of registers")                         \
  X(push_smem,  U16,    1,        10,             kPayload, kEdge,   "units of shared memory")                     \
  X(room_open,  U8,     1,        1,              kLevel,   kSettle, "scan_sm may take thread blocks")             \
  X(room_slots, U8,     1,        6,              kLevel,   kSettle, "its free slots")                             \
  X(room_warps, U8,     1,        7,              kLevel,   kSettle, "its free warps")                             \
  X(room_regs,  U16,    1,        10,             kLevel,   kSettle, "its free units of registers")                \
  X(room_smem,  U16,    1,        10,             kLevel,   kSettle, "its free units of shared memory")            \
  X(kd_ok,      KdBits, 1,        p.NumKd,        kLevel,   kSettle, "may have one more thread block on scan_sm")  \
  X(pl_taken,   U8,     1,        1,              kEvent,   kEdge,   "the thread block offered is placed")         \
  X(mem_ready,  U8,     1,        1,              kLevel,   kEdge,   "the memory request is taken")                \
  X(mem_rvalid, U8,     1,        1,              kEvent,   kEdge,   "reply of the oldest read")                   \
  X(mem_rdata,  Entry,  1,        p.entry_bits(), kPayload, kEdge,   "its entry")

#define LAPERM_OUTPUTS(X)                                                                                            \
  /*name        type     elements  bits            class     timing          meaning */                              \
  X(push_ready, U8,      1,        1,              kEvent,   kRegistered,    "a kernel or group is taken")           \
  X(scan_sm,    U8,      1,        p.sm_bits(),    kLevel,   kRegistered,    "SM that is examined")                  \
  X(pl_valid,   U8,      1,        1,              kEvent,   kCombinational, "a thread block is offered")            \
  X(pl_sm,      U8,      1,        p.sm_bits(),    kPayload, kCombinational, "its SM")                               \
  X(pl_kd,      U8,      1,        p.kd_bits(),    kPayload, kCombinational, "its kernel table entry")               \
  X(pl_agei,    U64,     1,        p.AgeiW,        kPayload, kCombinational, "its group; all ones: a kernel")        \
  X(pl_level,   U8,      1,        4,              kPayload, kCombinational, "its level")                            \
  X(pl_pos,     U64,     1,        p.CntW,         kPayload, kCombinational, "its number in kernel or group")        \
  X(pl_last,    U8,      1,        1,              kPayload, kCombinational, "last of kernel or group")              \
  X(pl_dim,     U64,     1,        p.DimW,         kPayload, kCombinational, "dimensions of kernel or group")        \
  X(pl_param,   U64,     1,        p.ParamW,       kPayload, kCombinational, "address of its parameters")            \
  X(ev_stage,   U8,      1,        2,              kEvent,   kCombinational, "stage of the candidate; 0 none")       \
  X(ev_backup,  U8,      1,        1,              kEvent,   kCombinational, "stage 3 chose another backup set")     \
  X(ev_starve,  U8,      1,        1,              kEvent,   kCombinational, "the SM's own items are all in memory") \
  X(mem_valid,  U8,      1,        1,              kEvent,   kRegistered,    "a request to memory")                  \
  X(mem_we,     U8,      1,        1,              kPayload, kRegistered,    "1: write, 0: read")                    \
  X(mem_list,   U16,     1,        p.list_bits(),  kPayload, kRegistered,    "list in memory")                       \
  X(mem_idx,    U32,     1,        p.OvfW,         kPayload, kRegistered,    "entry of the list")                    \
  X(mem_wdata,  Entry,   1,        p.entry_bits(), kPayload, kRegistered,    "{kd, agei, cnt, dim, param}, or 0")    \
  X(hold,       KdBits,  1,        p.NumKd,        kLevel,   kRegistered,    "the entry has items that wait")        \
  X(waiting,    U8,      1,        1,              kLevel,   kRegistered,    "some item waits")                      \
  X(ready,      U8,      1,        1,              kLevel,   kRegistered,    "some item waits on chip")              \
  X(fits_head,  U32,     1,        p.NumSm,        kLevel,   kRegistered,    "last look at it: nothing, or it fit")  \
  X(bound_wait, U32,     1,        p.NumSm,        kLevel,   kCombinational, "its set has items; TB-Pri: 0")         \
  X(err,        U8,      1,        2,              kEvent,   kRegistered,    "0 push, 1 reply")

/// Registers that a test bench can observe.
#define LAPERM_PROBES(X)                                                                                   \
  /*name        type      elements   bits              meaning */                                          \
  X(listed,     ListBits, 1,         p.lists(),        "list has entries on chip")                         \
  X(begun,      ListBits, 1,         p.lists(),        "nx is not 0: some of the head's blocks are placed") \
  X(in_memory,  List32,   p.lists(), p.OvfW + 1,       "oc: entries of each list in memory")               \
  X(oldest,     List32,   p.lists(), p.OvfW,           "oh: index of the oldest of them")                  \
  X(fetches,    List8,    p.lists(), p.fetches_bits(), "fl: reads of the list, from request to insertion") \
  X(entries,    PerSet,   p.sets(),  p.entries_bits(), "n: entries of each set on chip")                   \
  X(promised,   Set8,     p.sets(),  p.fetches_bits(), "rs: slots promised to reads")                      \
  X(host_count, U16,      1,         p.host_bits(),    "entries of queue 0")                               \
  X(host_pos,   U64,      1,         p.CntW,           "nx0: next thread block of its head")               \
  X(items,      PerKd,    p.NumKd,   p.QcntW,          "qd: items of each kernel that wait")               \
  X(backup,     PerSm,    p.NumSm,   p.set_bits(),     "bk: backup set of each SM")                        \
  X(fit,        U32,      1,         p.NumSm,          "what fits_head shows")                             \
  X(pk_valid,   U8,       1,         1,                "an item waits to be inserted")                     \
  X(pk_entry,   Entry,    1,         p.entry_bits(),   "its entry; 0 while pk_valid is 0")                 \
  X(pk_level,   U8,       1,         4,                "its level as pushed; 0 while pk_valid is 0")       \
  X(pk_sm,      U8,       1,         p.sm_bits(),      "its SM as pushed; 0 while pk_valid is 0")          \
  X(tags,       U8,       1,         p.tags_bits(),    "reads whose reply is awaited")                     \
  X(rf_valid,   U8,       1,         1,                "a reply is inserted next")                         \
  X(rf_list,    U16,      1,         p.list_bits(),    "into this list; 0 while rf_valid is 0")            \
  X(rf_entry,   Entry,    1,         p.entry_bits(),   "its entry; 0 while rf_valid is 0")                 \
  X(refill_set, U8,       1,         p.set_bits(),     "rc: set that refill looks at first")               \
  X(wrote,      U8,       1,         1,                "tn: the last request was a write")                  \
  X(requested,  U8,       1,         1,                "what mem_valid shows")                               \
  X(error,      U8,       1,         2,                "what err shows")
// clang-format on

namespace castor::laperm {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using KdBits = twin::Bits<256>;    ///< bit per kernel table entry
using ListBits = twin::Bits<480>;  ///< bit per list
using Entry = twin::Bits<264>;     ///< {kd, agei, cnt, dim, param}, param in the low bits
using List32 = twin::Lanes<U32, 480>;
using List8 = twin::Lanes<U8, 480>;
using PerSet = twin::Lanes<U16, 32>;
using Set8 = twin::Lanes<U8, 32>;
using PerKd = twin::Lanes<U32, 256>;
using PerSm = twin::Lanes<U8, 32>;

/// Values of the port `policy`; 0 acts as kAdaptiveBind.
enum Policy : std::uint8_t { kTbPri = 1, kSmxBind = 2, kAdaptiveBind = 3 };

CASTOR_PORT_LISTS(LAPERM, laperm)

class Engine;

/// The locality-aware thread block scheduler as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "laperm";
  static constexpr const char* kTop = "castor_laperm";
  static constexpr const char* kMeaning = "child thread blocks before others, on the SM of their parent";
  using Engine = laperm::Engine;

  /// Returns the bound of Engine::quiet, computed from probes (for RTL).
  static base::Cycle quiet(const Probes& probes, const Inputs& /*last*/, const Params& params) {
    if ((probes.error | probes.requested | probes.pk_valid | probes.rf_valid) != 0) return 0;
    if (probes.fit != static_cast<U32>(twin::mask(params.NumSm))) return 0;
    for (unsigned kd = 0; kd < params.NumKd; ++kd) {
      if (probes.items[kd] != 0) return 0;
    }
    for (unsigned list = 0; list < params.lists(); ++list) {
      if (probes.in_memory[list] != 0) return 0;
    }
    return base::kForever;
  }
};

}  // namespace castor::laperm

#pragma once

#include "castor/laperm/params.h"
#include "castor/twin/bits.h"
#include "castor/twin/block.h"

/// Ports of the locality-aware thread block scheduler LaPerm (docs/blocks/laperm.md, "Ports"). In the lists, `p` is a
/// Params.
// clang-format off
#define LAPERM_INPUTS(X)                                                                                           \
  /*name       type     elements  bits            class     timing   meaning */                                    \
  X(policy,     U8,     1,        2,              kLevel,   kSettle,                                               \
    "1 TB-Pri, 2 SMX-Bind, 3 Adaptive-Bind; 0 acts as 3")                                                          \
  X(ovf_log2,   U8,     1,        5,              kLevel,   kEdge,                                                 \
    "log2 of the entries of a list in memory; 0: no lists in memory")                                              \
  X(push_valid, U8,     1,        1,              kEvent,   kEdge,   "an item (kernel or group) is pushed")        \
  X(push_kd,    U8,     1,        p.kd_bits(),    kPayload, kEdge,   "kernel table entry of the item")             \
  X(push_agei,  U64,    1,        p.AgeiW,        kPayload, kEdge,                                                 \
    "group reference; all ones: the item is a kernel")                                                             \
  X(push_cnt,   U64,    1,        p.CntW,         kPayload, kEdge,   "number of thread blocks of the item")        \
  X(push_dim,   U64,    1,        p.DimW,         kPayload, kEdge,   "dimensions of the item: {z 16, y 16, x 32}") \
  X(push_param, U64,    1,        p.ParamW,       kPayload, kEdge,   "address of the item's parameters")           \
  X(push_level, U8,     1,        4,              kPayload, kEdge,                                                 \
    "level of the item, 0: from the host; above LvlMax: LvlMax")                                                   \
  X(push_sm,    U8,     1,        p.sm_bits(),    kPayload, kEdge,   "SM of the direct parent")                    \
  X(push_warps, U8,     1,        7,              kPayload, kEdge,                                                 \
    "warps that a thread block of the kernel needs")                                                               \
  X(push_regs,  U16,    1,        10,             kPayload, kEdge,                                                 \
    "units of registers that a thread block of the kernel needs")                                                  \
  X(push_smem,  U16,    1,        10,             kPayload, kEdge,                                                 \
    "units of shared memory that a thread block of the kernel needs")                                              \
  X(room_open,  U8,     1,        1,              kLevel,   kSettle, "scan_sm may accept thread blocks")           \
  X(room_slots, U8,     1,        6,              kLevel,   kSettle, "free thread block slots of scan_sm")         \
  X(room_warps, U8,     1,        7,              kLevel,   kSettle, "free warps of scan_sm")                      \
  X(room_regs,  U16,    1,        10,             kLevel,   kSettle, "free units of registers of scan_sm")         \
  X(room_smem,  U16,    1,        10,             kLevel,   kSettle, "free units of shared memory of scan_sm")     \
  X(kd_ok,      KdBits, 1,        p.NumKd,        kLevel,   kSettle,                                               \
    "the kernel may have one more thread block on scan_sm")                                                        \
  X(pl_taken,   U8,     1,        1,              kEvent,   kEdge,   "the offered thread block is placed")         \
  X(mem_ready,  U8,     1,        1,              kLevel,   kEdge,   "the memory request is accepted")             \
  X(mem_rvalid, U8,     1,        1,              kEvent,   kEdge,   "reply to the oldest outstanding read")       \
  X(mem_rdata,  Entry,  1,        p.entry_bits(), kPayload, kEdge,   "entry that was read")

#define LAPERM_OUTPUTS(X)                                                                                            \
  /*name        type     elements  bits            class     timing          meaning */                              \
  X(push_ready, U8,      1,        1,              kEvent,   kRegistered,    "the item is accepted")                 \
  X(scan_sm,    U8,      1,        p.sm_bits(),    kLevel,   kRegistered,    "SM that is examined in this cycle")    \
  X(pl_valid,   U8,      1,        1,              kEvent,   kCombinational, "a thread block is offered")            \
  X(pl_sm,      U8,      1,        p.sm_bits(),    kPayload, kCombinational, "SM of the offered thread block")       \
  X(pl_kd,      U8,      1,        p.kd_bits(),    kPayload, kCombinational,                                         \
    "kernel table entry of the offered thread block")                                                                \
  X(pl_agei,    U64,     1,        p.AgeiW,        kPayload, kCombinational,                                         \
    "group of the offered thread block; all ones: of a kernel")                                                      \
  X(pl_level,   U8,      1,        4,              kPayload, kCombinational, "level of the offered thread block")    \
  X(pl_pos,     U64,     1,        p.CntW,         kPayload, kCombinational,                                         \
    "position of the thread block in its kernel or group")                                                           \
  X(pl_last,    U8,      1,        1,              kPayload, kCombinational,                                         \
    "last thread block of its kernel or group")                                                                      \
  X(pl_dim,     U64,     1,        p.DimW,         kPayload, kCombinational, "dimensions of the kernel or group")    \
  X(pl_param,   U64,     1,        p.ParamW,       kPayload, kCombinational,                                         \
    "address of the parameters of the kernel or group")                                                              \
  X(ev_stage,   U8,      1,        2,              kEvent,   kCombinational,                                         \
    "stage of the candidate; 0: no candidate")                                                                       \
  X(ev_backup,  U8,      1,        1,              kEvent,   kCombinational,                                         \
    "stage 3 has chosen another backup set")                                                                         \
  X(ev_starve,  U8,      1,        1,              kEvent,   kCombinational,                                         \
    "all items of the SM's own queue set are in memory")                                                             \
  X(mem_valid,  U8,      1,        1,              kEvent,   kRegistered,    "memory request")                       \
  X(mem_we,     U8,      1,        1,              kPayload, kRegistered,    "1: write, 0: read")                    \
  X(mem_list,   U16,     1,        p.list_bits(),  kPayload, kRegistered,    "list in memory that is accessed")      \
  X(mem_idx,    U32,     1,        p.OvfW,         kPayload, kRegistered,    "entry of the list that is accessed")   \
  X(mem_wdata,  Entry,   1,        p.entry_bits(), kPayload, kRegistered,                                            \
    "data of a write: {kd, agei, cnt, dim, param}; read: 0")                                                         \
  X(hold,       KdBits,  1,        p.NumKd,        kLevel,   kRegistered,                                            \
    "the kernel has waiting items; it must not be released")                                                         \
  X(waiting,    U8,      1,        1,              kLevel,   kRegistered,    "an item waits")                        \
  X(ready,      U8,      1,        1,              kLevel,   kRegistered,    "an item waits on chip")                \
  X(fits_head,  U32,     1,        p.NumSm,        kLevel,   kRegistered,                                            \
    "last examination of the SM: no candidate, or a candidate that fits")                                            \
  X(bound_wait, U32,     1,        p.NumSm,        kLevel,   kCombinational,                                         \
    "the SM's queue set has items; 0 under TB-Pri")                                                                  \
  X(err,        U8,      1,        2,              kEvent,   kRegistered,                                             \
    "bit 0 illegal push, bit 1 reply without a read")

/// Registers that a test bench can observe.
#define LAPERM_PROBES(X)                                                                                   \
  /*name        type      elements   bits              meaning */                                          \
  X(listed,     ListBits, 1,         p.lists(),        "lists with entries on chip")                       \
  X(begun,      ListBits, 1,         p.lists(),                                                             \
    "nx is not 0: some thread blocks of the head are placed")                                               \
  X(in_memory,  List32,   p.lists(), p.OvfW + 1,       "oc: number of entries of each list in memory")     \
  X(oldest,     List32,   p.lists(), p.OvfW,           "oh: index of the list's oldest entry in memory")   \
  X(fetches,    List8,    p.lists(), p.fetches_bits(), "fl: reads of the list, from request to insertion") \
  X(entries,    PerSet,   p.sets(),  p.entries_bits(), "n: entries of each set on chip")                   \
  X(promised,   Set8,     p.sets(),  p.fetches_bits(), "rs: slots of each set reserved for reads")         \
  X(host_count, U16,      1,         p.host_bits(),    "entries of queue 0")                               \
  X(host_pos,   U64,      1,         p.CntW,           "nx0: next thread block of the head of queue 0")    \
  X(items,      PerKd,    p.NumKd,   p.QcntW,          "qd: number of waiting items of each kernel")       \
  X(backup,     PerSm,    p.NumSm,   p.set_bits(),     "bk: backup set of each SM")                        \
  X(fit,        U32,      1,         p.NumSm,          "register of the output fits_head")                 \
  X(pk_valid,   U8,       1,         1,                "an item waits to be inserted")                     \
  X(pk_entry,   Entry,    1,         p.entry_bits(),   "entry of the waiting item; 0 while pk_valid is 0") \
  X(pk_level,   U8,       1,         4,                                                                    \
    "level of the waiting item, as pushed; 0 while pk_valid is 0")                                         \
  X(pk_sm,      U8,       1,         p.sm_bits(),                                                          \
    "SM of the waiting item, as pushed; 0 while pk_valid is 0")                                            \
  X(tags,       U8,       1,         p.tags_bits(),    "reads whose reply has not arrived")                \
  X(rf_valid,   U8,       1,         1,                "a reply is inserted next")                         \
  X(rf_list,    U16,      1,         p.list_bits(),    "list of the reply; 0 while rf_valid is 0")         \
  X(rf_entry,   Entry,    1,         p.entry_bits(),   "entry of the reply; 0 while rf_valid is 0")        \
  X(refill_set, U8,       1,         p.set_bits(),     "rc: set that the refill examines first")           \
  X(wrote,      U8,       1,         1,                "tn: the last request was a write")                  \
  X(requested,  U8,       1,         1,                "register of the output mem_valid")                   \
  X(error,      U8,       1,         2,                "register of the output err")
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

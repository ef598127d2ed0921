#pragma once

#include "castor/darsie/params.h"
#include "castor/twin/block.h"
#include "castor/twin/lanes.h"

/// Ports of the skip table and renamer DARSIE (docs/blocks/darsie.md, "Ports"). In the lists, `p` is a Params. Vectors
/// over warps are indexed by warp slot, vectors over thread blocks (TBs) by TB slot. Source a of issue port q is
/// element q*NumSrc + a, its destination or tag a is element q*2 + a.
// clang-format off
#define DARSIE_INPUTS(X)                                                                                              \
  /*name          type      elements              bits               class     timing   meaning */                    \
  X(lnch_valid,   U8,       1,                    1,                 kEvent,   kEdge,   "a TB starts")                \
  X(lnch_tb,      U8,       1,                    p.tb_bits(),       kPayload, kEdge,   "TB slot of the launched TB") \
  X(lnch_warps,   WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,                                 \
    "warp slots of the launched TB")                                                                                  \
  X(lnch_full,    WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,                                 \
    "warps of the launched TB that have 32 threads")                                                                  \
  X(lnch_en,      U8,       1,                    1,                 kPayload, kEdge,                                 \
    "1: redundant instructions of the TB may be skipped")                                                             \
  X(lnch_promote, U8,       1,                    1,                 kPayload, kEdge,                                 \
    "shape of the TB makes mark 1 (CR) redundant")                                                                    \
  X(lnch_base,    U16,      1,                    p.RowW,            kPayload, kEdge,                                 \
    "physical register of the TB's first row")                                                                        \
  X(lnch_rows,    U8,       1,                    p.row_bits() + 1,  kPayload, kEdge,   "rows of the TB, 0..NumRows") \
  X(lnch_slots,   U8,       1,                    p.slot_bits() + 1, kPayload, kEdge,                                 \
    "registers 0..lnch_slots-1 can be renamed")                                                                       \
  X(retire_valid, U8,       1,                    1,                 kEvent,   kEdge,   "a TB slot becomes free")     \
  X(retire_tb,    U8,       1,                    p.tb_bits(),       kPayload, kEdge,   "TB slot that becomes free")  \
  X(f_elig,       WarpMask, 1,                    p.NumWarps,        kLevel,   kSettle,                               \
    "the warp may probe the skip table or skip now")                                                                  \
  X(f_pc,         WarpPcs,  p.NumWarps,           p.PcW,             kLevel,   kSettle, "next PC of each warp")       \
  X(d_valid,      U8,       1,                    p.DecW,            kEvent,   kSettle,                               \
    "slot s: the instruction at d_pc + 8s is decoded")                                                                \
  X(d_warp,       U8,       1,                    p.warp_bits(),     kPayload, kSettle,                               \
    "warp of all decoded instructions")                                                                               \
  X(d_pc,         U64,      1,                    p.PcW,             kPayload, kSettle, "PC of slot 0")               \
  X(d_mark,       PerSlot,  p.DecW,               2,                 kPayload, kSettle,                               \
    "mark by slot: 0 V, 1 CR, 2 DR; 3 acts as 0")                                                                     \
  X(d_ndst,       PerSlot,  p.DecW,               2,                 kPayload, kSettle,                               \
    "number of destinations by slot; 3 acts as 0")                                                                    \
  X(d_dst,        SlotDsts, p.DecW * 2,           p.slot_bits(),     kPayload, kSettle,                               \
    "register numbers of the destinations")                                                                           \
  X(d_ldkind,     PerSlot,  p.DecW,               2,                 kPayload, kSettle,                               \
    "by slot: 0 no load, 1 load within the TB, 2 global load")                                                        \
  X(i_valid,      U16,      1,                    p.NumIss,          kEvent,   kSettle,                               \
    "port p: an instruction issues")                                                                                  \
  X(i_warp,       PerPort,  p.NumIss,             p.warp_bits(),     kPayload, kSettle,                               \
    "warp of the issued instruction")                                                                                 \
  X(i_lead,       U16,      1,                    p.NumIss,          kPayload, kEdge,                                 \
    "the instruction was decoded as LEAD")                                                                            \
  X(i_tag,        PortDsts, p.NumIss * 2,         p.row_bits(),      kPayload, kEdge,                                 \
    "LEAD: rows assigned at decode")                                                                                  \
  X(i_dv,         PerPort,  p.NumIss,             2,                 kPayload, kEdge,                                 \
    "the instruction has destination a")                                                                              \
  X(i_dst,        PortDsts, p.NumIss * 2,         p.slot_bits(),     kPayload, kEdge,                                 \
    "register numbers of the destinations")                                                                           \
  X(i_sv,         PerPort,  p.NumIss,             p.NumSrc,          kPayload, kSettle,                               \
    "the instruction has source a")                                                                                   \
  X(i_src,        PortSrcs, p.NumIss * p.NumSrc,  p.slot_bits(),     kPayload, kSettle,                               \
    "register numbers of the sources")                                                                                \
  X(wb_valid,     U16,      1,                    p.NumWb,           kEvent,   kEdge,                                 \
    "port p: a LEAD instruction's result is written to a row")                                                        \
  X(wb_tb,        PerPort,  p.NumWb,              p.tb_bits(),       kPayload, kEdge,   "TB slot of the written row") \
  X(wb_tag,       PerPort,  p.NumWb,              p.row_bits(),      kPayload, kEdge,   "row that is written")        \
  X(oc_idle,      WarpMask, 1,                    p.NumWarps,        kLevel,   kEdge,                                 \
    "the warp has no operands left to collect")                                                                       \
  X(ev_store,     TbMask,   1,                    p.NumTbs,          kEvent,   kEdge,                                 \
    "a warp of the TB issues a store")                                                                                \
  X(ev_global,    U8,       1,                    1,                 kEvent,   kEdge,                                 \
    "an operation that threads of other SMs can observe")                                                             \
  X(br,           WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,                                 \
    "the warp has resolved a uniform branch")                                                                         \
  X(br_taken,     WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,                                 \
    "outcome of the resolved branch, 1 taken")                                                                        \
  X(leave,        WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,                                 \
    "the warp leaves the majority")                                                                                   \
  X(bar,          TbMask,   1,                    p.NumTbs,          kEvent,   kEdge,                                 \
    "a barrier of the TB completes")                                                                                  \
  X(bar_join,     WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,                                 \
    "the warp may join the majority when the barrier completes")                                                      \
  X(exit,         WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,   "the warp exits")             \
  X(cp_ack,       U8,       1,                    1,                 kEvent,   kEdge,   "the requested copy is done")

#define DARSIE_OUTPUTS(X)                                                                                              \
  /*name     type      elements             bits           class     timing          meaning */                        \
  X(f_hold,  WarpMask, 1,                   p.NumWarps,    kLevel,   kRegistered,    "fetch must not pick the warp")   \
  X(f_skip,  WarpMask, 1,                   p.NumWarps,    kEvent,   kCombinational,                                   \
    "the warp skips: its PC grows by 8 at this edge")                                                                  \
  X(d_act,   PerSlot,  p.DecW,              2,             kEvent,   kCombinational,                                   \
    "verdict by slot: 0 PASS, 1 LEAD, 2 PRIV, 3 SQUASH")                                                               \
  X(d_tag,   RowPair,  2,                   p.row_bits(),  kPayload, kCombinational, "rows of the LEAD instruction")   \
  X(i_sren,  PerPort,  p.NumIss,            p.NumSrc,      kEvent,   kCombinational,                                   \
    "source a is read from the row i_srow")                                                                            \
  X(i_srow,  PortRows, p.NumIss * p.NumSrc, p.RowW,        kPayload, kCombinational,                                   \
    "physical register of the row of source a")                                                                        \
  X(cp_valid, U8,      1,                   1,             kEvent,   kRegistered,                                      \
    "request to copy a row into a warp's own register")                                                                \
  X(cp_warp, U8,       1,                   p.warp_bits(), kPayload, kRegistered,    "warp whose register is written") \
  X(cp_row,  U16,      1,                   p.RowW,        kPayload, kRegistered,                                      \
    "physical register of the row that is copied")                                                                     \
  X(cp_slot, U8,       1,                   p.slot_bits(), kPayload, kRegistered,                                      \
    "number of the register that is written")                                                                          \
  X(maj,     WarpMask, 1,                   p.NumWarps,    kLevel,   kRegistered,    "majority of each TB")            \
  X(err,     U8,       1,                   8,             kEvent,   kRegistered,                                      \
    "errors of the last edge, one bit each")

/// Registers that a test bench can observe. A probe is 0 while its register is undefined: registers of a wait while
/// `lat` is 0, `tk` while `stop` is 0, and registers of a warp slot that is not live, a TB slot that is not in use, or
/// an entry that is not valid.
#define DARSIE_PROBES(X)                                                                                        \
  /*name       type       elements    bits               meaning */                                             \
  X(live,      WarpMask,  1,          p.NumWarps,        "warps that have been launched and have not exited")   \
  X(warp_tb,   PerWarp,   p.NumWarps, p.tb_bits(),       "TB slot of each live warp")                           \
  X(majority,  WarpMask,  1,          p.NumWarps,        "warps in the majority of their TB")                   \
  X(miss,      WarpMask,  1,          p.NumWarps,                                                               \
    "warps that have probed without a hit since they became eligible")                                          \
  X(lat,       WarpMask,  1,          p.NumWarps,        "warps that wait for a version")                       \
  X(two,       WarpMask,  1,          p.NumWarps,        "while lat: the version has two rows")                 \
  X(lt0,       PerWarp,   p.NumWarps, p.row_bits(),      "while lat: first row of the version")                 \
  X(lt1,       PerWarp,   p.NumWarps, p.row_bits(),      "while lat: second row of the version; 0 if none")     \
  X(lr0,       WarpMask,  1,          p.NumWarps,        "while lat: the first row has been written back")      \
  X(lr1,       WarpMask,  1,          p.NumWarps,        "while lat: the second row has been written back")     \
  X(lld,       WarpMask,  1,          p.NumWarps,        "while lat: the version comes from a load")            \
  X(lgl,       WarpMask,  1,          p.NumWarps,        "while lat: the version comes from a global load")     \
  X(stop,      WarpMask,  1,          p.NumWarps,                                                               \
    "warps that have stopped and wait for the rest of the majority")                                            \
  X(tk,        WarpMask,  1,          p.NumWarps,        "while stop: outcome of the latest branch, 1 taken")   \
  X(cpy,       WarpMask,  1,          p.NumWarps,                                                               \
    "warps that have left and whose registers are being copied back")                                           \
  X(pend,      WarpRows,  p.NumWarps, p.NumRows,         "rows of instances that each warp has not passed")     \
  X(ref,       WarpRows,  p.NumWarps, p.NumRows,         "rows that hold registers of each warp")               \
  X(ling,      WarpRows,  p.NumWarps, p.NumRows,         "rows that each warp has dropped and may still read")  \
  X(tl,        TbMask,    1,          p.NumTbs,          "TB slots in use")                                     \
  X(en,        TbMask,    1,          p.NumTbs,          "the block acts on the TB")                            \
  X(prom,      TbMask,    1,          p.NumTbs,          "mark 1 counts as redundant in the TB")                \
  X(base,      TbRegs,    p.NumTbs,   p.RowW,            "physical register of the TB's first row")             \
  X(rows,      PerTb,     p.NumTbs,   p.row_bits() + 1,  "number of rows of the TB")                            \
  X(slots,     PerTb,     p.NumTbs,   p.slot_bits() + 1, "number of registers of the TB that can be renamed")   \
  X(ctr,       PerTb,     p.NumTbs,   p.seq_bits(),      "sequence number of the TB's next election")           \
  X(sync,      TbMask,    1,          p.NumTbs,          "a synchronisation point of the TB is open")           \
  X(synced,    TbMask,    1,          p.NumTbs,                                                                 \
    "the TB has passed a synchronisation point since its last election")                                        \
  X(noel,      TbMask,    1,          p.NumTbs,          "no elections in the TB until the region ends")        \
  X(ptr,       PerTb,     p.NumTbs,   p.entry_bits(),    "skip table entry that is written next")               \
  X(pv,        TbEntries, p.NumTbs,   p.NumPst,          "valid entries of the skip table")                     \
  X(pld,       TbEntries, p.NumTbs,   p.NumPst,          "skip table entries of loads")                         \
  X(pgl,       TbEntries, p.NumTbs,   p.NumPst,          "skip table entries of global loads")                  \
  X(wb,        TbRows,    p.NumTbs,   p.NumRows,         "rows that have been written back")                    \
  X(ld,        TbRows,    p.NumTbs,   p.NumRows,         "rows that hold the result of a load")                 \
  X(gl,        TbRows,    p.NumTbs,   p.NumRows,         "rows that hold the result of a global load")          \
  X(inv,       TbRows,    p.NumTbs,   p.NumRows,         "rows that are stale for warps that have not passed")  \
  X(nosk,      TbRows,    p.NumTbs,   p.NumRows,                                                                \
    "rows whose instance the remaining warps execute privately")                                                \
  X(rrf,       U8,        1,          p.warp_bits(),     "warp at which the search for groups begins")          \
  X(rrt,       U8,        1,          p.tb_bits(),       "TB at which the search for completions begins")       \
  X(cpv,       U8,        1,          1,                 "a copy is requested")                                 \
  X(cpw,       U8,        1,          p.warp_bits(),     "cpv: warp whose register is copied")                  \
  X(cpk,       U8,        1,          p.row_bits(),      "cpv: row that is copied")                             \
  X(error,     U8,        1,          8,                 "register of the output err")
// clang-format on

namespace castor::darsie {

using twin::U16;
using twin::U32;
using twin::U64;
using twin::U8;
using WarpMask = U64;                    ///< bit per warp slot
using TbMask = U32;                      ///< bit per TB slot
using WarpPcs = twin::Lanes<U64, 64>;    ///< element per warp slot
using PerWarp = twin::Lanes<U8, 64>;     ///< element per warp slot
using WarpRows = twin::Lanes<U32, 64>;   ///< element per warp slot, bit per row of its TB
using PerTb = twin::Lanes<U8, 32>;       ///< element per TB slot
using TbRegs = twin::Lanes<U16, 32>;     ///< element per TB slot
using TbEntries = twin::Lanes<U16, 32>;  ///< element per TB slot, bit per entry of its skip table
using TbRows = twin::Lanes<U32, 32>;     ///< element per TB slot, bit per row
using PerSlot = twin::Lanes<U8, 4>;      ///< element per decode slot
using SlotDsts = twin::Lanes<U8, 8>;     ///< element 2 s + a = destination a of decode slot s
using RowPair = twin::Lanes<U8, 2>;      ///< element per destination
using PerPort = twin::Lanes<U8, 16>;     ///< element per port
using PortDsts = twin::Lanes<U8, 32>;    ///< element 2 p + a = destination a of issue port p
using PortSrcs = twin::Lanes<U8, 128>;   ///< element NumSrc p + a = source a of issue port p
using PortRows = twin::Lanes<U16, 128>;  ///< element NumSrc p + a = source a of issue port p

CASTOR_PORT_LISTS(DARSIE, darsie)

class Engine;

/// The skip table and renamer of an SM as a block for the twin interface (castor/twin/block.h).
struct Block : PortLists {
  static constexpr const char* kBlock = "darsie";
  static constexpr const char* kTop = "castor_darsie";
  static constexpr const char* kMeaning = "warps skip what another warp of their thread block has computed (DARSIE)";
  using Engine = darsie::Engine;

  /// Returns the bound of Engine::quiet, computed from probes (for RTL).
  static base::Cycle quiet(const Probes& s, const Inputs& last, const Params& p) {
    const WarpMask ready = s.lat & s.lr0 & (s.lr1 | ~s.two);
    if ((s.miss | s.cpy | ready | s.error) != 0) return 0;
    TbMask meeting = 0, running = 0;
    for (unsigned w = 0; w < p.NumWarps; ++w) {
      const WarpMask warp = WarpMask{1} << w;
      if (s.ling[w] != 0) return 0;
      if ((s.majority & warp) == 0) continue;
      const unsigned t = s.warp_tb[w];
      ((s.stop & warp) != 0 ? meeting : running) |= TbMask{1} << t;
      if ((last.f_elig & ~s.stop & ~s.lat & warp) != 0 && s.pv[t] != 0) return 0;
    }
    return (meeting & ~running) != 0 ? 0 : base::kForever;
  }
};

}  // namespace castor::darsie

#pragma once

#include "castor/darsie/params.h"
#include "castor/twin/block.h"
#include "castor/twin/lanes.h"

/// Ports of the skip table and renamer DARSIE (docs/blocks/darsie.md, "Ports"). In the lists, `p` is a Params. Vectors
/// over warps are indexed by warp slot, vectors over thread blocks (TBs) by TB slot. Source a of issue port q is
/// element q*NumSrc + a, its destination or tag a is element q*2 + a.
// clang-format off
#define DARSIE_INPUTS(X)                                                                                                 \
  /*name          type      elements              bits               class     timing   meaning */                       \
  X(lnch_valid,   U8,       1,                    1,                 kEvent,   kEdge,   "a TB starts")                   \
  X(lnch_tb,      U8,       1,                    p.tb_bits(),       kPayload, kEdge,   "its TB slot")                   \
  X(lnch_warps,   WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,   "its warp slots")                \
  X(lnch_full,    WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,   "those with 32 threads")         \
  X(lnch_en,      U8,       1,                    1,                 kPayload, kEdge,   "1: the block acts on it")       \
  X(lnch_promote, U8,       1,                    1,                 kPayload, kEdge,   "its shape promotes mark 1")     \
  X(lnch_base,    U16,      1,                    p.RowW,            kPayload, kEdge,   "register of its first row")     \
  X(lnch_rows,    U8,       1,                    p.row_bits() + 1,  kPayload, kEdge,   "rows, 0..NumRows")              \
  X(lnch_slots,   U8,       1,                    p.slot_bits() + 1, kPayload, kEdge,   "registers 0..this-1 renamed")   \
  X(retire_valid, U8,       1,                    1,                 kEvent,   kEdge,   "a TB slot is free again")       \
  X(retire_tb,    U8,       1,                    p.tb_bits(),       kPayload, kEdge,   "which")                         \
  X(f_elig,       WarpMask, 1,                    p.NumWarps,        kLevel,   kSettle, "may be skipped now")            \
  X(f_pc,         WarpPcs,  p.NumWarps,           p.PcW,             kLevel,   kSettle, "their next PC")                 \
  X(d_valid,      U8,       1,                    p.DecW,            kEvent,   kSettle, "slot s: PC d_pc + 8s decoded")  \
  X(d_warp,       U8,       1,                    p.warp_bits(),     kPayload, kSettle, "warp of all of them")           \
  X(d_pc,         U64,      1,                    p.PcW,             kPayload, kSettle, "PC of slot 0")                  \
  X(d_mark,       PerSlot,  p.DecW,               2,                 kPayload, kSettle, "0 V, 1 CR, 2 DR; 3 acts as 0")  \
  X(d_ndst,       PerSlot,  p.DecW,               2,                 kPayload, kSettle, "destinations; 3 acts as 0")     \
  X(d_dst,        SlotDsts, p.DecW * 2,           p.slot_bits(),     kPayload, kSettle, "their numbers")                 \
  X(d_ldkind,     PerSlot,  p.DecW,               2,                 kPayload, kSettle, "0 none, 1 TB load, 2 global")   \
  X(i_valid,      U16,      1,                    p.NumIss,          kEvent,   kSettle, "an instruction issues")         \
  X(i_warp,       PerPort,  p.NumIss,             p.warp_bits(),     kPayload, kSettle, "its warp")                      \
  X(i_lead,       U16,      1,                    p.NumIss,          kPayload, kEdge,   "it was decoded as LEAD")        \
  X(i_tag,        PortDsts, p.NumIss * 2,         p.row_bits(),      kPayload, kEdge,   "LEAD: rows given at decode")    \
  X(i_dv,         PerPort,  p.NumIss,             2,                 kPayload, kEdge,   "destination a is there")        \
  X(i_dst,        PortDsts, p.NumIss * 2,         p.slot_bits(),     kPayload, kEdge,   "destination registers")         \
  X(i_sv,         PerPort,  p.NumIss,             p.NumSrc,          kPayload, kSettle, "source a is there")             \
  X(i_src,        PortSrcs, p.NumIss * p.NumSrc,  p.slot_bits(),     kPayload, kSettle, "source registers")              \
  X(wb_valid,     U16,      1,                    p.NumWb,           kEvent,   kEdge,   "a LEAD's row is written")       \
  X(wb_tb,        PerPort,  p.NumWb,              p.tb_bits(),       kPayload, kEdge,   "its TB")                        \
  X(wb_tag,       PerPort,  p.NumWb,              p.row_bits(),      kPayload, kEdge,   "the row")                       \
  X(oc_idle,      WarpMask, 1,                    p.NumWarps,        kLevel,   kEdge,   "no operand left to read")       \
  X(ev_store,     TbMask,   1,                    p.NumTbs,          kEvent,   kEdge,   "store of a warp of the TB")     \
  X(ev_global,    U8,       1,                    1,                 kEvent,   kEdge,   "global communication")          \
  X(br,           WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,   "uniform branch resolved")       \
  X(br_taken,     WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,   "it is taken")                   \
  X(leave,        WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,   "leaves the majority")           \
  X(bar,          TbMask,   1,                    p.NumTbs,          kEvent,   kEdge,   "barrier of the TB completes")   \
  X(bar_join,     WarpMask, 1,                    p.NumWarps,        kPayload, kEdge,   "may be in the majority then")   \
  X(exit,         WarpMask, 1,                    p.NumWarps,        kEvent,   kEdge,   "the warp ends")                 \
  X(cp_ack,       U8,       1,                    1,                 kEvent,   kEdge,   "the copy is done")

#define DARSIE_OUTPUTS(X)                                                                                                    \
  /*name     type      elements             bits           class     timing          meaning */                              \
  X(f_hold,  WarpMask, 1,                   p.NumWarps,    kLevel,   kRegistered,    "fetch must not pick the warp")          \
  X(f_skip,  WarpMask, 1,                   p.NumWarps,    kEvent,   kCombinational, "pc += 8 at this edge")                  \
  X(d_act,   PerSlot,  p.DecW,              2,             kEvent,   kCombinational, "0 PASS, 1 LEAD, 2 PRIV, 3 SQUASH")      \
  X(d_tag,   RowPair,  2,                   p.row_bits(),  kPayload, kCombinational, "rows of the LEAD")                      \
  X(i_sren,  PerPort,  p.NumIss,            p.NumSrc,      kEvent,   kCombinational, "source a is read from i_srow")          \
  X(i_srow,  PortRows, p.NumIss * p.NumSrc, p.RowW,        kPayload, kCombinational, "physical register to read")             \
  X(cp_valid, U8,      1,                   1,             kEvent,   kRegistered,    "copy a row into a warp's own register") \
  X(cp_warp, U8,       1,                   p.warp_bits(), kPayload, kRegistered,    "the warp")                              \
  X(cp_row,  U16,      1,                   p.RowW,        kPayload, kRegistered,    "physical register of the row")          \
  X(cp_slot, U8,       1,                   p.slot_bits(), kPayload, kRegistered,    "register number")                       \
  X(maj,     WarpMask, 1,                   p.NumWarps,    kLevel,   kRegistered,    "majority of each TB")                   \
  X(err,     U8,       1,                   8,             kEvent,   kRegistered,    "errors of the last edge")

/// Registers that a test bench can observe. A probe is 0 while its register is undefined: registers of a wait while
/// `lat` is 0, `tk` while `stop` is 0, and registers of a warp slot that is not live, a TB slot that is not in use, or
/// an entry that is not valid.
#define DARSIE_PROBES(X)                                                                                        \
  /*name       type       elements    bits               meaning */                                             \
  X(live,      WarpMask,  1,          p.NumWarps,        "warps that exist")                                    \
  X(warp_tb,   PerWarp,   p.NumWarps, p.tb_bits(),       "their TB slot")                                       \
  X(majority,  WarpMask,  1,          p.NumWarps,        "in the majority of their TB")                         \
  X(miss,      WarpMask,  1,          p.NumWarps,        "probed without a hit since eligible")                 \
  X(lat,       WarpMask,  1,          p.NumWarps,        "wait for a version")                                  \
  X(two,       WarpMask,  1,          p.NumWarps,        "lat: of two rows")                                    \
  X(lt0,       PerWarp,   p.NumWarps, p.row_bits(),      "lat: the first row")                                  \
  X(lt1,       PerWarp,   p.NumWarps, p.row_bits(),      "lat: the second, 0 if there is none")                 \
  X(lr0,       WarpMask,  1,          p.NumWarps,        "lat: the first is written back")                      \
  X(lr1,       WarpMask,  1,          p.NumWarps,        "lat: the second is")                                  \
  X(lld,       WarpMask,  1,          p.NumWarps,        "lat: for the result of a load")                       \
  X(lgl,       WarpMask,  1,          p.NumWarps,        "lat: of a global load")                               \
  X(stop,      WarpMask,  1,          p.NumWarps,        "wait for the rest of the majority")                   \
  X(tk,        WarpMask,  1,          p.NumWarps,        "stop: outcome of the latest branch")                  \
  X(cpy,       WarpMask,  1,          p.NumWarps,        "left; renamed registers are being copied")            \
  X(pend,      WarpRows,  p.NumWarps, p.NumRows,         "rows of instances not yet passed")                    \
  X(ref,       WarpRows,  p.NumWarps, p.NumRows,         "rows in which registers of the warp live")            \
  X(ling,      WarpRows,  p.NumWarps, p.NumRows,         "rows dropped, reads may be outstanding")              \
  X(tl,        TbMask,    1,          p.NumTbs,          "TB slots in use")                                     \
  X(en,        TbMask,    1,          p.NumTbs,          "the block acts on the TB")                            \
  X(prom,      TbMask,    1,          p.NumTbs,          "mark 1 is redundant in it")                           \
  X(base,      TbRegs,    p.NumTbs,   p.RowW,            "physical register of its first row")                  \
  X(rows,      PerTb,     p.NumTbs,   p.row_bits() + 1,  "its rows")                                            \
  X(slots,     PerTb,     p.NumTbs,   p.slot_bits() + 1, "its renamed registers")                               \
  X(ctr,       PerTb,     p.NumTbs,   p.seq_bits(),      "sequence number of its next election")                \
  X(sync,      TbMask,    1,          p.NumTbs,          "synchronisation point open")                          \
  X(synced,    TbMask,    1,          p.NumTbs,          "passed one without an election since")                \
  X(noel,      TbMask,    1,          p.NumTbs,          "no elections until the region ends")                  \
  X(ptr,       PerTb,     p.NumTbs,   p.entry_bits(),    "entry written next")                                  \
  X(pv,        TbEntries, p.NumTbs,   p.NumPst,          "valid entries")                                       \
  X(pld,       TbEntries, p.NumTbs,   p.NumPst,          "entries of loads")                                    \
  X(pgl,       TbEntries, p.NumTbs,   p.NumPst,          "entries of global loads")                             \
  X(wb,        TbRows,    p.NumTbs,   p.NumRows,         "rows written back")                                   \
  X(ld,        TbRows,    p.NumTbs,   p.NumRows,         "rows that hold the result of a load")                 \
  X(gl,        TbRows,    p.NumTbs,   p.NumRows,         "rows of global loads")                                \
  X(inv,       TbRows,    p.NumTbs,   p.NumRows,         "rows stale for warps that have not passed")           \
  X(nosk,      TbRows,    p.NumTbs,   p.NumRows,         "rows whose instance the rest executes privately")     \
  X(rrf,       U8,        1,          p.warp_bits(),     "warp with which the search for groups begins")        \
  X(rrt,       U8,        1,          p.tb_bits(),       "TB with which the search for completions begins")     \
  X(cpv,       U8,        1,          1,                 "a copy is requested")                                 \
  X(cpw,       U8,        1,          p.warp_bits(),     "cpv: for this warp")                                  \
  X(cpk,       U8,        1,          p.row_bits(),      "cpv: of this row")                                    \
  X(error,     U8,        1,          8,                 "what err shows")
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

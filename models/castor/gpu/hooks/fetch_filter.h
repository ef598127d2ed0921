#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// FetchFilter: may a warp be fetched, is an instruction skipped, which rows of the register file does it read.
/// docs/gpu/fetch-filter.md, "FetchFilter" has what applies to all of it.
namespace castor::gpu {

/// What a filter acts on, its limits, and what it wants to be told. The defaults are those of hardware that skips what
/// is marked; `attach` may change what `HookSite::terms` points to.
struct FilterTerms {
  bool marked = true;      ///< acts on TBs of two warps or more whose kernel has marks; false: on all TBs
  bool fetch = true;       ///< acts on fetch, decode and issue; false: on issue alone
  bool real_rows = true;   ///< acts on TBs only that get spare rows of the register file; false: `kVirtualRows`
  bool ideal = false;      ///< decides in S5 who is fetched (`FetchOut::wait`), and skips warps that it does not hold
  bool values = false;     ///< wants `FetchIn::values`
  bool kernel = false;     ///< wants `TbStartEvent::kernel`
  std::uint8_t rows = 32;  ///< of a pool at most, and
  std::uint8_t least_rows = 4;  ///< at least: with fewer the TB gets none
  std::uint16_t slots = 32;     ///< registers of a warp that can be renamed at most, to 256
};

/// Rows of a TB that has none in the register file: numbers behind those that it has. They cost nothing, and one may be
/// given away while it is read.
inline constexpr unsigned kVirtualRows = 256;

/// One instruction of a decode group. All 0 for one that is not marked (if the filter acts on marked ones) or whose
/// results cannot be renamed.
struct DecodeSlot {
  std::uint8_t mark = 0;       ///< of the compiler: 1 redundant if the block's shape allows, 2 redundant
  std::uint8_t ndst = 0;       ///< registers written, 0 to 2
  std::uint8_t dst[2] = {};    ///< their numbers, the first `ndst` are valid
  std::uint8_t load_kind = 0;  ///< 0 no load, or of constants; 1 a store of the TB can disturb it; 2 other SMs' can
};

/// Instructions of one warp whose fetch has arrived and that are decoded in this tick.
struct DecodeGroup {
  bool valid = false;           ///< there is one
  std::uint8_t warp = 0;        ///< warp slot
  std::uint8_t count = 0;       ///< instructions, slots 0 to count - 1
  std::uint64_t pc = 0;         ///< slot s is at pc + 8 s, a device address
  DecodeSlot slot[kMaxDecode];  ///< in program order
};

/// An instruction that may issue in this tick, or has issued. Registers that cannot be renamed are left out.
struct IssueSlot {
  std::uint8_t warp = 0;                ///< warp slot
  bool lead = false;                    ///< it was decoded as a leader
  std::uint8_t tag[2] = {};             ///< leaders: rows of the pool for its results, as decoded
  std::uint8_t ndst = 0;                ///< registers written, 0 to 2
  std::uint8_t dst[2] = {};             ///< their numbers
  std::uint8_t nsrc = 0;                ///< registers read, 0 to kMaxOperands
  std::uint8_t src[kMaxOperands] = {};  ///< their numbers, in the order of the operands
};

/// What else is known of an instruction that may issue or has issued; for filters that ask for it.
struct IssueValues {
  std::uint64_t pc = 0;                    ///< device address
  std::uint8_t mark = 0;                   ///< as DecodeSlot::mark, whether the result can be renamed or not
  bool full = false;                       ///< all lanes execute it
  bool arithmetic = false;                 ///< without guard, predicates and clocks
  std::uint8_t results = 0;                ///< registers written
  std::uint8_t sources = 0;                ///< registers read; the first kMaxOperands have values
  std::uint8_t uniform = 0;                ///< bit per source: all lanes hold the same
  std::uint32_t value[kMaxOperands] = {};  ///< of lane 0
  Cycle written = 0;                       ///< at the edge, arithmetic: cycle of its write-back without bank conflicts
};

/// A leader's result has been written to its row.
struct RowEvent {
  std::uint8_t tb = 0;   ///< TB context
  std::uint8_t tag = 0;  ///< row of the TB's pool
};

/// What becomes of an instruction that is decoded.
enum class DecodeAct : std::uint8_t {
  kPass,     ///< nothing special
  kLead,     ///< its results also go to rows of the pool: `FetchOut::tag`
  kPrivate,  ///< the same as kPass for the SM
  kSquash,   ///< dropped, with the younger ones of the group; they are fetched again
};

/// What an instruction that issues reads.
struct IssueRename {
  /// Per source of the IssueSlot: row of the register file, base + tag; -1 = own register.
  std::int16_t src_row[kMaxOperands] = {-1, -1, -1, -1, -1, -1};
  bool reuse = false;  ///< it takes no collector and unit and writes in the next tick; arithmetic only
};

/// Where a warp finds the result of a load that it does not execute.
struct GhostLoad {
  std::uint8_t warp = 0;      ///< warp slot
  std::uint16_t row[2] = {};  ///< row of the register file for each result, base + tag; written
};

/// A row is to be copied to a warp's own register.
struct CopyRequest {
  std::uint8_t warp = 0;  ///< warp slot
  std::uint16_t row = 0;  ///< row of the register file, base + tag
  std::uint8_t slot = 0;  ///< register number
};

struct FetchIn {
  Cycle now = 0;  ///< core cycle of the tick
  /// S5: warps of TBs it acts on that may be fetched or are held, as of S0, and do not wait for a fence.
  WarpMask eligible = 0;
  const std::uint64_t* pc =
      nullptr;         ///< S5: [warp], device address; of eligible warps that are held, if `ideal` of all
  DecodeGroup decode;  ///< S5
  /// S5: what was picked, and behind all picks what may issue as the second of a pair; at the edge: what has issued.
  View<IssueSlot> issued;
  View<IssueValues> values;  ///< if the filter asks for it: of each of `issued`
  View<RowEvent> written;    ///< S5, more at the edge: rows written in this tick
  /// When asked again, and at the edge: ghosts of loads that load from elsewhere; the warp has to execute them.
  WarpMask refused = 0;
  WarpMask oc_idle = 0;  ///< at the edge: no issued instruction of the warp has operands to read
  TbMask stores = 0;     ///< at the edge: a warp issued a store or atomic that others of its TB can see
  /// At the edge: something was issued that threads of other SMs can follow, or a fence or acquire is complete.
  bool global_op = false;
  WarpMask branch = 0;         ///< at the edge: issued a branch, call or exit under a guard that no lane took, or all
  WarpMask taken = 0;          ///< at the edge: of `branch` those that took it
  WarpMask leave = 0;          ///< at the edge: issued what the filter cannot follow; the warp is on its own
  WarpMask exit = 0;           ///< at the edge: exited, and nothing of it is in flight any more
  TbMask barrier = 0;          ///< at the edge: a barrier of the whole TB completed
  WarpMask barrier_join = 0;   ///< at the edge: with `barrier`, full warps that stand together behind it
  Maybe<std::uint8_t> retire;  ///< S5: TB context that retired in the tick before
  Maybe<TbStartEvent> start;   ///< S5
  bool copy_ack = false;       ///< at the edge: `copy` was served
};

struct FetchOut {
  WarpMask hold = 0;  ///< early: not to be fetched
  WarpMask skip = 0;  ///< eligible and held: the PC moves on by one instruction
  /// The same, and the instruction is executed for its values: arithmetic, or a load in `ghost_loads`. Refused, and
  /// asked again, while what it reads or writes is pending: the PC then stays.
  WarpMask ghost = 0;
  View<GhostLoad> ghost_loads;     ///< those of `ghost` at a load
  WarpMask wait = 0;               ///< ideal filters: not to be fetched in this tick
  DecodeAct act[kMaxDecode] = {};  ///< [slot of `decode`]
  std::uint8_t tag[2] = {};        ///< rows of the pool for the results of the group's leader
  IssueRename rename[kMaxIssue];   ///< [index in `issued`]
  Maybe<CopyRequest> copy;         ///< early; held until it is served
  bool again = false;              ///< `skip` and `ghost` are done now; if any was, settle once more in this tick
};

/// One per SM; settle in S0 (early outputs) and S5, clock in S9 of the SM's tick.
using FetchFilter = ClockedHook<FetchIn, FetchOut>;

}  // namespace castor::gpu

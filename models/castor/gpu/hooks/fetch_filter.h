#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// FetchFilter: may a warp be fetched, is an instruction skipped, which rows of the register file does it read.
/// docs/gpu.md, "FetchFilter" has what applies to all of it.
namespace castor::gpu {

/// One instruction of a decode group. All 0 for one that is not marked or whose results cannot be renamed.
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

/// A row is to be copied to a warp's own register.
struct CopyRequest {
  std::uint8_t warp = 0;  ///< warp slot
  std::uint16_t row = 0;  ///< row of the register file, base + tag
  std::uint8_t slot = 0;  ///< register number
};

struct FetchIn {
  Cycle now = 0;                      ///< core cycle of the tick
  WarpMask eligible = 0;              ///< S5: warps of TBs it acts on that may be fetched or are held, as of S0
  const std::uint64_t* pc = nullptr;  ///< S5: [warp], device address; valid for eligible warps
  DecodeGroup decode;                 ///< S5
  /// S5: what was picked, and behind all picks what may issue as the second of a pair; at the edge: what has issued.
  View<IssueSlot> issued;
  View<RowEvent> written;      ///< S5, more at the edge: rows written in this tick
  WarpMask oc_idle = 0;        ///< at the edge: no issued instruction of the warp has operands to read
  TbMask stores = 0;           ///< at the edge: a warp issued a store or atomic that others of its TB can see
  bool global_op = false;      ///< at the edge: something was issued that threads of other SMs can follow
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
  WarpMask hold = 0;               ///< early: not to be fetched
  WarpMask skip = 0;               ///< eligible and held: the PC moves on by one instruction
  WarpMask ghost = 0;              ///< the same, and the instruction is executed for its values; arithmetic only
  DecodeAct act[kMaxDecode] = {};  ///< [slot of `decode`]
  std::uint8_t tag[2] = {};        ///< rows of the pool for the results of the group's leader
  IssueRename rename[kMaxIssue];   ///< [index in `issued`]
  Maybe<CopyRequest> copy;         ///< early; held until it is served
  bool again = false;              ///< `skip` and `ghost` are done now; settle once more in this tick
};

/// One per SM; settle in S0 (early outputs) and S5, clock in S9 of the SM's tick.
using FetchFilter = ClockedHook<FetchIn, FetchOut>;

}  // namespace castor::gpu

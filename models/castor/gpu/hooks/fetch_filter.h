#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// FetchFilter hook: decides which warps are fetched, which instructions a warp skips, and which register-file rows an
/// instruction reads. docs/gpu/fetch-filter.md, "FetchFilter" has the rules for all fields.
namespace castor::gpu {

class Study;

/// Terms of a fetch filter: the TBs it acts on and its limits. The defaults describe hardware that skips instructions
/// marked by the compiler. A filter may change its terms in `attach` through `HookSite::terms`.
struct FilterTerms {
  bool marked = true;           ///< true: acts on TBs with two or more warps whose kernel has marks; false: on all TBs
  std::uint8_t rows = 32;       ///< most rows of a TB's pool
  std::uint8_t least_rows = 4;  ///< fewest rows of a TB's pool: with fewer free rows the TB gets no pool
  std::uint16_t slots = 32;     ///< most registers of a warp that can be renamed, up to 256
  Study* study = nullptr;       ///< systems that hardware is compared with, only: the filter's study; null for hardware
};

/// One instruction of a decode group. All fields are 0 if its results cannot be renamed, or if it has no mark and the
/// filter acts on marked instructions.
struct DecodeSlot {
  std::uint8_t mark = 0;     ///< compiler mark: 1 redundant if the block's shape allows, 2 redundant
  std::uint8_t ndst = 0;     ///< number of registers written, 0 to 2
  std::uint8_t dst[2] = {};  ///< numbers of the registers written; the first `ndst` are valid
  /// 0: no load, or a load of constants; 1: only stores of the same TB can change the loaded data; 2: stores of other
  /// SMs can too
  std::uint8_t load_kind = 0;
};

/// Decode group: the instructions of one warp whose fetch has arrived and that are decoded in this tick.
struct DecodeGroup {
  bool valid = false;           ///< a group is decoded in this tick
  std::uint8_t warp = 0;        ///< warp slot
  std::uint8_t count = 0;       ///< number of instructions, in slots 0 to count - 1
  std::uint64_t pc = 0;         ///< device address of slot 0; slot s is at pc + 8 s
  DecodeSlot slot[kMaxDecode];  ///< instructions in program order
};

/// An instruction that may issue in this tick, or has issued. Only registers that can be renamed are listed.
struct IssueSlot {
  std::uint8_t warp = 0;                ///< warp slot
  bool lead = false;                    ///< the instruction was decoded as a leader (DecodeAct::kLead)
  std::uint8_t tag[2] = {};             ///< leaders: pool rows for the results, as assigned at decode
  std::uint8_t ndst = 0;                ///< number of registers written, 0 to 2
  std::uint8_t dst[2] = {};             ///< numbers of the registers written
  std::uint8_t nsrc = 0;                ///< number of registers read, 0 to kMaxOperands
  std::uint8_t src[kMaxOperands] = {};  ///< numbers of the registers read, in operand order
};

/// Event: a leader's result was written to its pool row.
struct RowEvent {
  std::uint8_t tb = 0;   ///< TB context
  std::uint8_t tag = 0;  ///< row of the TB's pool
};

/// Decision of the filter about a decoded instruction.
enum class DecodeAct : std::uint8_t {
  kPass,     ///< decoded normally
  kLead,     ///< leader: its results are also written to the pool rows in `FetchOut::tag`
  kPrivate,  ///< decoded normally; the SM makes no difference to kPass
  kSquash,   ///< dropped, with the younger instructions of the group; all of them are fetched again
};

/// Sources of an issuing instruction, as the filter renames them.
struct IssueRename {
  /// Per source of the IssueSlot: register-file row to read, base + tag; -1 = the warp's own register.
  std::int16_t src_row[kMaxOperands] = {-1, -1, -1, -1, -1, -1};
};

/// Request to copy a pool row to a warp's own register.
struct CopyRequest {
  std::uint8_t warp = 0;  ///< warp slot
  std::uint16_t row = 0;  ///< row of the register file, base + tag
  std::uint8_t slot = 0;  ///< register number
};

/// Inputs of a fetch filter. "S5": valid in `settle` of that step. "At the edge": valid in `clock`.
struct FetchIn {
  Cycle now = 0;  ///< core cycle of the tick
  /// S5: warps of TBs the filter acts on that could be fetched or are held. As of S0. Warps that wait for a fence, an
  /// acquire or the runtime are left out.
  WarpMask eligible = 0;
  /// S5: device address of each warp's PC, valid for eligible warps that are held
  const std::uint64_t* pc = nullptr;
  DecodeGroup decode;  ///< S5: decode group of this tick
  /// S5: the issue policy's picks, then the candidates for second instructions of pairs. At the edge: the instructions
  /// that have issued.
  View<IssueSlot> issued;
  View<RowEvent> written;  ///< pool rows written in this tick: in S5 those so far, at the edge all of them
  WarpMask oc_idle = 0;    ///< at the edge: warps without operand reads still to be done by issued instructions
  TbMask stores = 0;       ///< at the edge: TBs with a warp that issued a store or atomic visible to its TB
  /// At the edge: an instruction issued that threads of other SMs can observe, or a fence or acquire completed.
  bool global_op = false;
  /// at the edge: warps that issued a conditional branch, call or exit that no lane took, or a branch that all lanes
  /// took
  WarpMask branch = 0;
  WarpMask taken = 0;  ///< at the edge: warps of `branch` that took the branch
  /// at the edge: warps that issued control flow the filter cannot follow (divergence, indirect targets, returns); such
  /// warps execute for themselves
  WarpMask leave = 0;
  WarpMask exit = 0;   ///< at the edge: warps that have exited and have no register write in flight
  TbMask barrier = 0;  ///< at the edge: TBs with a completed barrier of the whole TB
  /// At the edge: full warps of the TBs in `barrier` that are not divergent and share the PC of the lowest such warp.
  WarpMask barrier_join = 0;
  Maybe<std::uint8_t> retire;  ///< S5: TB context that retired in the last tick
  Maybe<TbStartEvent> start;   ///< S5: TB that starts
  bool copy_ack = false;       ///< at the edge: `FetchOut::copy` was executed
};

/// Outputs of a fetch filter. "Early": depends on the filter's state only.
struct FetchOut {
  WarpMask hold = 0;               ///< early: warps that must not be fetched
  WarpMask skip = 0;               ///< eligible, held warps that skip one instruction: the PC moves on by 8
  DecodeAct act[kMaxDecode] = {};  ///< decision about each slot of `FetchIn::decode`
  std::uint8_t tag[2] = {};        ///< pool rows for the results of the leader in the decode group
  IssueRename rename[kMaxIssue];   ///< sources of each element of `FetchIn::issued`
  Maybe<CopyRequest> copy;         ///< early: copy request, held until `copy_ack`
};

/// One per SM. Settles in S0, start (early outputs) and S5, issue; clocks in S9, hook edges.
using FetchFilter = ClockedHook<FetchIn, FetchOut>;

}  // namespace castor::gpu

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/filter_counters.h"
#include "castor/gpu/sm/filter_decoder.h"
#include "castor/gpu/sm/filter_events.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/filter_slots.h"
#include "castor/gpu/sm/ghost_unit.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/skip_check.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// An SM's side of its FetchFilter (docs/gpu/fetch-filter.md, "FetchFilter"): asks it, and has its parts do what it
/// says. Only there with a filter.
///
/// The filter acts on warps of TBs that its terms name; of all others it hears start, exit and retire only. S0 `start`,
/// `stop`, then `settle_early`; S1 `take`; S3 `expect_load`; S5 `settle`, then `issue` for each instruction; S6
/// `decode`; S8 `barrier_met`, `fence_over`, `retired`; S9 `clock`.
class FilterUnit {
 public:
  FilterUnit(const Machine& machine, unsigned sm, FetchFilter& filter, const SmClock& clock, WarpTable& warps,
             const ThreadBlocks& tbs, InstructionBuffer& buffer, FetchStage& fetch, const BlockedWarps& blocked,
             Scoreboard& scoreboard, Pipelines& pipelines, EventWheel& wheel, SmMemory& memory, ControlUnit& control,
             Executor& executor, FaultPort& faults, SpinWatch& watch, base::StatisticGroup& statistics,
             const FilterTerms& terms = {});

  /// A TB starts: gives it a pool, if it has marks and there is room, and completes what hooks are told of it.
  void start(const TbState& tb, unsigned context, TbStartEvent& event);
  /// Its kernel is stopped.
  void stop(const TbState& tb);
  void retired(unsigned context);

  /// Outputs that depend on state only. `eligible`: warps that may be fetched.
  void settle_early(WarpMask eligible);
  /// Warps that must not be fetched in this tick.
  [[nodiscard]] WarpMask hold() const { return hold_; }
  /// Asks the filter, does what it says to be done now, and remembers the rest. `started`: TB start that hooks are told
  /// of.
  void settle(const Picks& picks, const Maybe<TbStartEvent>& started);
  /// Issues an instruction if the filter acts on its warp; else false, and somebody else does.
  [[nodiscard]] bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                           LaneMask mask);
  /// Events kRowWritten and kRowReady.
  void take(const SmEvent& event);
  /// The registers of a load or atomic of a warp, which issued at `pc`, are written; those that go to rows are not
  /// told.
  void loaded(unsigned w, std::uint32_t pc) {
    if (check_ != nullptr) check_->loaded(w, pc);
  }
  /// All data of a load are there. False if they do not go to rows.
  [[nodiscard]] bool expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation);
  /// Decodes the group that the filter was shown, and returns the warps of `due` that it does not act on.
  [[nodiscard]] WarpMask decode(WarpMask due);
  /// A fence beyond the block, or an acquire, is complete.
  void fence_over() { events_.fence_over(); }
  /// A barrier of a TB is complete.
  void barrier_met(unsigned context, unsigned barrier) { events_.barrier_met(context, barrier); }
  /// The edge. `exits` are those of the tick, `in_flight` warps that have exited with registers pending; `started` and
  /// `late` TB starts that hooks were told of, and will be.
  void clock(View<WarpExit> exits, WarpMask in_flight, const Maybe<TbStartEvent>& started,
             const Maybe<TbStartEvent>& late);
  [[nodiscard]] FilterCounters& counters() { return counters_; }
  /// The next tick may build on what happened in this one.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  // Warps whose PC the filter may look at: it skips held ones, if it is not an ideal one.
  [[nodiscard]] WarpMask shown_pcs() const { return terms_.ideal ? eligible_ : eligible_ & hold_; }
  void show_pc(unsigned w) { pc_of_[w] = warps_[w].code_base + std::uint64_t{8} * warps_[w].pc; }
  bool skip(const FetchOut& out);
  void take_over(unsigned w);
  [[nodiscard]] bool compute_ghost(unsigned w, View<GhostLoad> loads);
  void copy(const CopyRequest& request);
  void issue_renamed(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void count_marked(unsigned w, const Decoded& decoded);

  const unsigned sm_;
  FetchFilter& filter_;
  const FilterTerms terms_;
  const SmClock& clock_;
  WarpTable& warps_;
  InstructionBuffer& buffer_;
  const BlockedWarps& blocked_;
  Scoreboard& scoreboard_;
  Pipelines& pipelines_;
  ControlUnit& control_;
  Executor& executor_;
  SpinWatch& watch_;
  RowPool rows_;
  GhostUnit ghosts_;
  FilterCounters counters_;
  FilterPools pools_;
  FilterDecoder decoder_;
  FilterSlots slots_;
  FilterEvents events_;
  std::unique_ptr<SkipCheck> check_;  // null unless check.skips is set

  // What the filter is told and says in this tick.
  FetchIn in_;
  FetchOut out_;
  WarpMask hold_ = 0, eligible_ = 0;
  std::array<std::uint64_t, kMaxWarps> pc_of_{};
  bool busy_ = false;
};

}  // namespace castor::gpu

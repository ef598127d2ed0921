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
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/skip_check.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// An SM's side of its FetchFilter (docs/gpu/fetch-filter.md, "FetchFilter"): asks it, and has its parts do what it
/// says. Only there with a filter.
///
/// The filter acts on warps of TBs that its terms name; of all others it hears start, exit and retire only. S0 `begin`,
/// `stop`, then `settle_early`; S1 `take`; S3 `expect_load`; S5 `settle`, then `issue` for each instruction; S6
/// `decode`; S8 `barrier_met`, `fence_over`, `retired`; S9 `clock`.
class FilterUnit : public SmMechanism {
 public:
  static constexpr bool kOptional = true;
  static constexpr bool kSeesIssue = true;
  static bool present(const SmParts& parts) { return parts.hooks.fetch_filter != nullptr; }

  explicit FilterUnit(const SmParts& parts);
  ~FilterUnit() { filter_.detach(); }
  FilterUnit(const FilterUnit&) = delete;
  FilterUnit& operator=(const FilterUnit&) = delete;

  void start(TbStart& start) {
    begin(start.tb, start.context, start.event);
    starts_.add(start.event, start.first);
  }
  /// A TB starts: gives it a pool, if it has marks and there is room, and completes what hooks are told of it.
  void begin(const TbState& tb, unsigned context, TbStartEvent& event);
  void stop(unsigned context);
  void retire(unsigned context, TbRetireMessage& message);

  void begin_tick() { starts_.begin_tick(); }
  void settle_early(WarpMask eligible);
  [[nodiscard]] WarpMask held() const { return hold_; }
  /// Asks the filter, does what it says to be done now, and remembers the rest.
  void settle(const Picks& picks);
  /// Issues an instruction if the filter acts on its warp.
  [[nodiscard]] bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                           LaneMask mask);
  /// Events kRowWritten and kRowReady.
  bool take(const SmEvent& event);
  /// Registers that go to rows are not told.
  void loaded(unsigned w, std::uint32_t pc) {
    if (check_ != nullptr) check_->loaded(w, pc);
  }
  /// False if the data do not go to rows.
  [[nodiscard]] bool expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation);
  /// Decodes the group that the filter was shown, and returns the warps of `due` that it does not act on.
  [[nodiscard]] WarpMask decode(WarpMask due);
  /// A fence beyond the block, or an acquire, is complete.
  void fence_over() { events_.fence_over(); }
  /// A barrier of a TB is complete.
  void barrier_met(unsigned context, unsigned barrier) { events_.barrier_met(context, barrier); }
  void clock();

  void idle(Tick ticks) { filter_.idle(ticks); }
  [[nodiscard]] Cycle wake() const { return wake_of(filter_, parts_.clock); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void add_statistics() { counters_.add_statistics(parts_.statistics); }
  [[nodiscard]] const FilterCounters& counters() const { return counters_; }
  void clear_entry(unsigned entry) { counters_.clear_entry(entry); }
  void add_waves(Waves& waves, const std::string& scope) const { filter_.add_waves(waves, scope); }

 private:
  [[nodiscard]] FilterTerms attach();
  // Warps whose PC the filter may look at: it skips held ones, if it is not an ideal one.
  [[nodiscard]] WarpMask shown_pcs() const { return terms_.ideal ? eligible_ : eligible_ & hold_; }
  void show_pc(unsigned w);
  bool skip(const FetchOut& out);
  void take_over(unsigned w);
  [[nodiscard]] bool compute_ghost(unsigned w, View<GhostLoad> loads);
  void copy(const CopyRequest& request);
  void issue_renamed(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void count_marked(unsigned w, const Decoded& decoded);

  const SmParts parts_;
  base::StatisticGroup group_;
  FetchFilter& filter_;
  const FilterTerms terms_;
  TbStarts starts_;
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
};

}  // namespace castor::gpu

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

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
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/own_registers.h"
#include "castor/gpu/sm/pick_policy.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/skip_check.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/study_port.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// Mechanism that connects an SM to its FetchFilter hook (docs/gpu/fetch-filter.md, "FetchFilter"): it passes events to
/// the filter and applies the filter's outputs. Present only if a filter is plugged in.
///
/// The filter acts on the warps of TBs that its terms select; of other TBs it receives start, exit and retirement only.
/// A TB that is swapped out exits and retires, as the filter sees it. One that comes back starts with its live warps,
/// and the filter does not act on it. A filter with a study pins all TBs.
///
/// Steps: `begin`, `come_back`, `stop`, then `settle_early` in S0, start; `take` in S1, events; `expect_load` in S3,
/// memory; `settle`, then `issue` for each instruction in S5, issue; `decode` in S6, decode; `barrier_met`,
/// `fence_over`, `freeze`, `may_leave`, `leave`, `retire` in S8, bookkeeping; `clock` in S9, hook edges.
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
    begin(start.tb, start.context, start.event, start.message.saved != nullptr);
    starts_.add(start.event, start.first);
  }
  /// Starts a TB: gives it a pool of rows if it qualifies, and completes the start event for the hooks. `restored`: the
  /// TB was swapped out before, and gets no pool.
  void begin(const TbState& tb, unsigned context, TbStartEvent& event, bool restored = false);
  void come_back(TbStart& start, const SavedTb& /*saved*/) { starts_.keep(start.tb.live, start.first); }
  void stop(unsigned context);
  void freeze(unsigned context);
  [[nodiscard]] bool may_leave(unsigned context) const { return (events_.leaving() & parts_.tbs[context].warps) == 0; }
  void leave(unsigned context, SavedTb& /*saved*/) { retired(context); }
  void retire(unsigned context, TbRetireMessage& /*message*/) { retired(context); }

  void begin_tick() { starts_.begin_tick(); }
  void settle_early(WarpMask eligible);
  [[nodiscard]] WarpMask held() const { return hold_; }
  /// Settles the filter, applies its skips and copies, and keeps its decode and rename outputs for later steps.
  void settle(const Picks& picks);
  /// Issues an instruction with renamed sources. Returns false if the filter does not act on the warp; the SM then
  /// executes the instruction.
  [[nodiscard]] bool issue(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                           LaneMask mask);
  /// Handles the events kRowWritten and kRowReady; returns false for other events.
  bool take(const SmEvent& event);
  /// Reports a load's write-back to the skip check. Not called for loads whose data go to pool rows.
  void loaded(unsigned w, std::uint32_t pc) {
    if (check_ != nullptr) check_->loaded(w, pc);
  }
  /// Schedules the write of a load's data into pool rows. Returns false if the warp does not lead the load.
  [[nodiscard]] bool expect_load(unsigned w, const Decoded& decoded, Tick earliest, MemoryOperation& operation);
  /// Decodes the group that the filter has seen in S5. Returns the warps of `due` on which the filter does not act.
  [[nodiscard]] WarpMask decode(WarpMask due);
  /// Records that a fence beyond the block, or an acquire, has completed.
  void fence_over() { events_.fence_over(); }
  /// Records that a barrier of a TB has completed.
  void barrier_met(unsigned context, unsigned barrier) { events_.barrier_met(context, barrier); }
  void clock();

  void idle(Tick ticks) { filter_.idle(ticks); }
  [[nodiscard]] Cycle wake() const { return wake_of(filter_, parts_.clock); }
  [[nodiscard]] bool still() const { return wake() == kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void add_statistics() { counters_.add_statistics(parts_.statistics); }
  [[nodiscard]] const FilterCounters& counters() const { return counters_; }
  void clear_entry(unsigned entry) { counters_.clear_entry(entry); }
  void waits(WaitGraph& graph) const { add_waits(filter_, "fetch_filter", parts_.sm, graph); }
  void add_waves(Waves& waves, const std::string& scope) const { filter_.add_waves(waves, scope); }

 private:
  void retired(unsigned context);
  void skip(WarpMask skipped);
  void take_over(unsigned w);
  void take_results(unsigned w, const Decoded& decoded, const std::array<std::int16_t, 2>* rows);
  [[nodiscard]] bool known(unsigned w, std::uint32_t pc, const IssueSlot& slot, bool lead, LaneMask mask);
  void copy(const CopyRequest& request);
  void issue_renamed(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void count_marked(unsigned w, const Decoded& decoded);

  const SmParts parts_;
  base::StatisticGroup group_;
  FetchFilter& filter_;
  const FilterTerms terms_;
  TbStarts starts_;
  RowPool rows_;
  FilterCounters counters_;
  FilterPools pools_;
  FilterDecoder decoder_;
  FilterSlots slots_;
  FilterEvents events_;
  OwnRegisters own_;
  std::unique_ptr<SkipCheck> check_;  // checker of skipped instructions; null unless check.skips is set
  std::optional<StudyPort> study_;    // what the filter's study uses; empty without a study

  // inputs and outputs of the filter in this tick
  FetchIn in_;
  FetchOut out_;
  TbMask frozen_ = 0;  // contexts that are being moved out; their warps have exited for the filter
  // warps not to be fetched in this tick; and eligible warps of the filter's TBs, as of S0
  WarpMask hold_ = 0, eligible_ = 0;
  std::array<std::uint64_t, kMaxWarps> pc_of_{};  // [warp] device address of the PC, for FetchIn::pc
};

}  // namespace castor::gpu

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Counters of front end, kernel table and dispatcher. Those that grow with time grow by levels that hold from one tick
/// to the next, so skipped cycles cost nothing.
class FrontEndStatistics {
 public:
  explicit FrontEndStatistics(base::StatisticGroup& group)
      : kernels_parsed(group, {"kernels_parsed", "", "kernel table entries written"}),
        kernels_completed(group, {"kernels_completed", "", "kernels all of whose TBs are complete"}),
        kernels_stopped(group, {"kernels_stopped", "", "kernels stopped by a fault"}),
        tb_placed(group, {"tb_placed", "", "TBs sent to an SM"}),
        tb_retired(group, {"tb_retired", "", "TBs that left their SM"}),
        tb_dropped(group, {"tb_dropped", "", "TBs of stopped kernels that were never placed"}),
        tb_saved(group, {"tb_saved", "", "TBs of preempted queues that were saved before they were complete"}),
        tb_restored(group, {"tb_restored", "", "saved TBs that were sent to an SM again"}),
        offers_refused(group, {"offers_refused", "", "offers of a dispatch policy that could not be taken"}),
        jobs_ended(group, {"jobs_ended", "", "jobs whose end a job scheduler told"}),
        jobs_met(group, {"jobs_met", "", "of them those that met their deadline"}),
        jobs_accepted(group, {"jobs_accepted", "", "JOB packets whose verdict was to accept"}),
        jobs_rejected(group, {"jobs_rejected", "", "JOB packets that were refused, and jobs dropped later"}),
        inspections(group, {"inspections", "", "slots of parse lanes in which a job was announced"}),
        kernels_discarded(group, {"kernels_discarded", "", "kernels that were dropped with their job"}),
        queue_errors(group, {"queue_errors", "", "queues that an invalid JOB packet has stopped"}),
        register_accesses(group, {"register_accesses", "", "accesses to registers of blocks"}),
        register_errors(group, {"register_errors", "", "of them those that were refused"}),
        entries_valid_max(group, {"entries_valid_max", "", "most kernel table entries in use at once"}),
        parse_busy_(group, {"parse_busy", "cycles", "sum over parse lanes of the cycles in which they work"}),
        queue_blocked_(group,
                       {"queue_blocked", "cycles", "sum over queues of the cycles with a kernel or copy under way"}),
        entries_valid_sum_(group,
                           {"entries_valid_sum", "cycles", "sum over kernel table entries of the cycles in use"}),
        tb_busy_(group, {"tb_busy", "cycles", "cycles with at least one TB on an SM or on its way"}),
        no_fit_(group, {"no_fit_cycles", "cycles", "built-in policy: no waiting kernel fits on any SM"}),
        head_blocked_(group,
                      {"head_blocked_cycles", "cycles", "built-in policy: the oldest does not fit, a younger would"}),
        closed_(group, {"closed_cycles", "cycles", "built-in policy: SMs with room are closed or above quota"}),
        waits_(group, "placement_wait") {
    for (unsigned i = 0; i < kBins; ++i) {
      wait_bins_[i] = std::make_unique<base::Counter>(
          waits_, base::StatisticInfo{kBinNames[i], "",
                                      "kernels whose first TB was placed so many cycles after the entry "
                                      "was written: 2^k to 2^(k+1) - 1, bin 0 also 0, the last all above"});
    }
  }

  base::Counter kernels_parsed, kernels_completed, kernels_stopped;
  base::Counter tb_placed, tb_retired, tb_dropped, tb_saved, tb_restored, offers_refused;
  base::Counter jobs_ended, jobs_met, jobs_accepted, jobs_rejected;
  base::Counter inspections, kernels_discarded, queue_errors;
  base::Counter register_accesses, register_errors;
  base::Counter entries_valid_max;

  struct Levels {
    std::uint64_t lanes = 0, blocked = 0, entries = 0;
    bool busy = false;
    DispatchWait wait = DispatchWait::kNothing;
  };
  /// What holds from cycle `now` on.
  void set(const Levels& levels, Cycle now) {
    count_until(now);
    levels_ = levels;
    if (levels.entries > entries_valid_max.value()) entries_valid_max += levels.entries - entries_valid_max.value();
  }
  void count_until(Cycle now) {
    if (counted_ >= now) return;
    const std::uint64_t cycles = now - counted_;
    counted_ = now;
    parse_busy_ += cycles * levels_.lanes;
    queue_blocked_ += cycles * levels_.blocked;
    entries_valid_sum_ += cycles * levels_.entries;
    if (levels_.busy) tb_busy_ += cycles;
    if (levels_.wait == DispatchWait::kNoFit) no_fit_ += cycles;
    if (levels_.wait == DispatchWait::kHeadBlocked) head_blocked_ += cycles;
    if (levels_.wait == DispatchWait::kClosed) closed_ += cycles;
  }
  void placed_after(Cycle cycles) {
    unsigned bin = 0;
    while (bin + 1 < kBins && cycles >> (bin + 1) != 0) ++bin;
    ++*wait_bins_[bin];
  }

 private:
  static constexpr unsigned kBins = 16;
  static constexpr const char* kBinNames[kBins] = {"bin0",  "bin1",  "bin2",  "bin3", "bin4",  "bin5",
                                                   "bin6",  "bin7",  "bin8",  "bin9", "bin10", "bin11",
                                                   "bin12", "bin13", "bin14", "bin15"};
  base::Counter parse_busy_, queue_blocked_, entries_valid_sum_, tb_busy_, no_fit_, head_blocked_, closed_;
  base::StatisticGroup waits_;
  std::array<std::unique_ptr<base::Counter>, kBins> wait_bins_;
  Levels levels_;
  Cycle counted_ = 0;
};

}  // namespace castor::gpu

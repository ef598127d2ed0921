#pragma once

#include <cstdint>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/built_in_dispatch.h"
#include "castor/gpu/note_largest.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Counters of the front end that grow with time. They integrate levels (busy lanes, valid entries) that are constant
/// from one tick to the next, so skipped cycles cost nothing. The front end calls `count_until` at the start of a tick
/// and `set` at its end.
class FrontEndLevels {
 public:
  explicit FrontEndLevels(base::StatisticGroup& group)
      : entries_valid_max_(group, {"entries_valid_max", "", "largest number of kernel table entries in use at once"}),
        parse_busy_(group, {"parse_busy", "cycles", "cycles in which a parse lane was busy, summed over parse lanes"}),
        queue_blocked_(group,
                       {"queue_blocked", "cycles", "cycles with a kernel or copy in flight, summed over queues"}),
        entries_valid_sum_(group, {"entries_valid_sum", "cycles",
                                   "cycles in which a kernel table entry was in use, summed over entries"}),
        tb_busy_(group, {"tb_busy", "cycles", "cycles with at least one TB on an SM or in flight to an SM"}),
        no_fit_(group, {"no_fit_cycles", "cycles",
                        "built-in dispatch policy: cycles in which no TB of a waiting kernel fits on any SM"}),
        head_blocked_(group, {"head_blocked_cycles", "cycles",
                              "built-in dispatch policy: cycles in which the oldest kernel's TB does not fit, but a "
                              "younger kernel's would"}),
        closed_(group, {"closed_cycles", "cycles",
                        "built-in dispatch policy: cycles in which all SMs with room are closed or at their quota"}) {}

  struct Levels {
    std::uint64_t lanes = 0, blocked = 0, entries = 0;
    bool busy = false;
    DispatchWait wait = DispatchWait::kNothing;
  };
  /// Sets the levels that hold from cycle `now` on.
  void set(const Levels& levels, Cycle now) {
    count_until(now);
    levels_ = levels;
    note_largest(entries_valid_max_, levels.entries);
  }
  /// Adds the levels for all cycles before `now` that are not counted yet.
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

 private:
  base::Counter entries_valid_max_;
  base::Counter parse_busy_, queue_blocked_, entries_valid_sum_, tb_busy_, no_fit_, head_blocked_, closed_;
  Levels levels_;
  Cycle counted_ = 0;
};

}  // namespace castor::gpu

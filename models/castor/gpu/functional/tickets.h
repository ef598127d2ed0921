#pragma once

#include <unordered_map>

#include "castor/gpu/device.h"

namespace castor::gpu::functional {

/// Completion state and completion time of submitted work.
class Tickets {
 public:
  [[nodiscard]] Ticket next() { return ++last_; }
  [[nodiscard]] Ticket last() const { return last_; }
  void complete(Ticket ticket, Picoseconds now) {
    completed_[ticket] = now;
    while (completed_.count(completed_below_) != 0) ++completed_below_;
    // Completion times of old tickets are discarded, except those of event records.
    constexpr Ticket kRemembered = 1 << 20;
    if (completed_below_ > kRemembered) completed_.erase(completed_below_ - kRemembered);
  }
  /// Completes an event record. Its time is never discarded, because elapsed times may be queried later.
  void complete_event(Ticket ticket, Picoseconds now) {
    record_times_[ticket] = now;
    complete(ticket, now);
  }
  [[nodiscard]] bool is_complete(Ticket ticket) const {
    return ticket < completed_below_ || completed_.count(ticket) != 0;
  }
  /// Returns the completion time; 0 while the ticket is not complete.
  [[nodiscard]] Picoseconds time(Ticket ticket) const {
    const auto recorded = record_times_.find(ticket);
    if (recorded != record_times_.end()) return recorded->second;
    const auto found = completed_.find(ticket);
    return found == completed_.end() ? 0 : found->second;
  }
  /// Marks all submitted work as complete.
  void reset() {
    completed_.clear();
    record_times_.clear();
    completed_below_ = last_ + 1;
  }

 private:
  std::unordered_map<Ticket, Picoseconds> completed_;
  std::unordered_map<Ticket, Picoseconds> record_times_;
  Ticket completed_below_ = 1;  // all tickets below this one are complete
  Ticket last_ = 0;
};

}  // namespace castor::gpu::functional

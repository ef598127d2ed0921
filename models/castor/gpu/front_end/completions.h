#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "castor/gpu/device.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Table of tickets: which tickets are complete, and since which cycle. A packet completes on the device in one cycle.
/// The host sees the completion when the store of the queue's completion word is performed. The completion port owns
/// the table.
class Completions {
 public:
  [[nodiscard]] Ticket issue() {
    records_.emplace_back();
    return first_ + records_.size() - 1;
  }
  [[nodiscard]] Ticket last() const { return first_ + records_.size() - 1; }

  /// Marks a ticket as complete on the device. `keep`: its completion cycle is never discarded (event records).
  void complete(Ticket ticket, Cycle cycle, bool keep) {
    records_[ticket - first_].cycle = cycle;
    if (keep) kept_[ticket] = cycle;
  }
  /// Marks a ticket as complete for the host.
  void show(Ticket ticket) {
    records_[ticket - first_].shown = true;
    ++shown_;
    // Completion cycles of old tickets are not queried any more, so they are discarded.
    while (records_.size() > kRemembered && records_.front().shown) {
      records_.pop_front();
      ++first_;
    }
  }

  /// Returns whether the host can see that the ticket is complete.
  [[nodiscard]] bool shown(Ticket ticket) const { return ticket < first_ || records_[ticket - first_].shown; }
  /// Returns the cycle in which the ticket completed on the device; 0 if it has not, or if its cycle was forgotten.
  [[nodiscard]] Cycle cycle(Ticket ticket) const {
    if (const auto found = kept_.find(ticket); found != kept_.end()) return found->second;
    return ticket < first_ ? 0 : records_[ticket - first_].cycle;
  }
  /// Returns the number of issued tickets whose completion the host cannot see yet.
  [[nodiscard]] std::uint64_t open() const { return last() - shown_; }
  /// Forgets the cycles kept for event records.
  void forget_times() { kept_.clear(); }

 private:
  static constexpr std::size_t kRemembered = std::size_t{1} << 20;
  struct Record {
    Cycle cycle = 0;
    bool shown = false;
  };
  Ticket first_ = 1;
  std::deque<Record> records_;
  std::unordered_map<Ticket, Cycle> kept_;
  std::uint64_t shown_ = 0;
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "castor/gpu/device.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Which tickets are complete, and since when. A packet completes on the device in one cycle; the host knows it when
/// the store of the queue's completion word is performed.
class Completions {
 public:
  [[nodiscard]] Ticket issue() {
    records_.emplace_back();
    return first_ + records_.size() - 1;
  }
  [[nodiscard]] Ticket last() const { return first_ + records_.size() - 1; }

  /// `keep`: the time stays known for ever (records of events).
  void complete(Ticket ticket, Cycle cycle, bool keep) {
    records_[ticket - first_].cycle = cycle;
    if (keep) kept_[ticket] = cycle;
    ++completed_;
  }
  void show(Ticket ticket) {
    records_[ticket - first_].shown = true;
    ++shown_;
    // Times of long gone tickets are not asked for any more.
    while (records_.size() > kRemembered && records_.front().shown) {
      records_.pop_front();
      ++first_;
    }
  }

  /// The host knows that the ticket is complete.
  [[nodiscard]] bool shown(Ticket ticket) const { return ticket < first_ || records_[ticket - first_].shown; }
  /// Cycle in which it completed on the device; 0 if it has not, or too long ago.
  [[nodiscard]] Cycle cycle(Ticket ticket) const {
    if (const auto found = kept_.find(ticket); found != kept_.end()) return found->second;
    return ticket < first_ ? 0 : records_[ticket - first_].cycle;
  }
  /// Tickets that were issued and are not known to be complete.
  [[nodiscard]] std::uint64_t open() const { return last() - shown_; }
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
  std::uint64_t completed_ = 0, shown_ = 0;
};

}  // namespace castor::gpu

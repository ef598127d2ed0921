#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>

#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// The parse lanes: kernels between their grant and the writing of their entry (docs/gpu.md, "Parsing"). All take the
/// same time and descriptors are read in the order of the grants, so the oldest always finishes first.
class ParseLanes {
 public:
  struct Lane {
    unsigned entry = 0;  ///< of an announcement: the queue
    Cycle finish = 0;    ///< earliest cycle in which the entry is written
    bool read = false;   ///< the descriptor is there
    PacketImage image{};
    bool inspects = false;  ///< reads an announcement, not a kernel
  };

  explicit ParseLanes(const Machine& machine)
      : lanes_(machine.parse.lanes), latency_(std::max(machine.parse.latency, 1U)), interval_(machine.parse.interval) {}

  [[nodiscard]] bool can_start(Cycle now) const { return !lanes_.full() && now >= next_start_; }
  [[nodiscard]] bool full() const { return lanes_.full(); }
  [[nodiscard]] std::size_t busy() const { return lanes_.size(); }
  [[nodiscard]] Cycle next_start() const { return next_start_; }
  Lane& start(unsigned entry, Cycle now) {
    next_start_ = now + interval_;
    lanes_.push_back({entry, now + latency_, false, {}, false});
    return lanes_.back();
  }
  /// The oldest lane whose descriptor is not there.
  [[nodiscard]] Lane& reading() {
    std::size_t i = 0;
    while (lanes_[i].read) ++i;
    return lanes_[i];
  }
  /// The oldest lane, if it is done.
  [[nodiscard]] const Lane* finished(Cycle now) const {
    return !lanes_.empty() && lanes_.front().read && lanes_.front().finish <= now ? &lanes_.front() : nullptr;
  }
  void pop() { lanes_.pop_front(); }
  /// First cycle in which the oldest is done; kForever if that depends on its descriptor.
  [[nodiscard]] Cycle next() const { return lanes_.empty() || !lanes_.front().read ? kForever : lanes_.front().finish; }

 private:
  boost::circular_buffer<Lane> lanes_;
  Cycle latency_, interval_;
  Cycle next_start_ = 0;
};

}  // namespace castor::gpu

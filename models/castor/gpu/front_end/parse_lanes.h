#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstring>

#include "castor/gpu/front_end/launch_descriptor.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/store.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// The parse lanes: kernels between their grant and the writing of their entry, and announcements that are inspected
/// (docs/gpu/front-end.md, "Parsing"; docs/gpu/jobs.md, "Jobs"). All take the same time, and what they read comes in
/// the order in which it was asked for, so the oldest always finishes first. With `parse.latency` 0 no read is charged.
///
/// In a cycle: `receive` in F1 until there is nothing; in F8 first what starts, then `finished` and `pop`.
class ParseLanes {
 public:
  struct Lane {
    unsigned entry = 0;     ///< of an announcement: the queue
    Cycle finish = 0;       ///< earliest cycle in which the lane is done
    bool read = false;      ///< the image is there
    bool inspects = false;  ///< reads an announcement, not a kernel
    bool resumes = false;   ///< a suspended TB of the entry's kernel comes back
    PacketImage image{};
  };

  /// `reads` is used by nobody else.
  ParseLanes(const Machine& machine, const Store& store, MemoryClient& reads)
      : lanes_(machine.parse.lanes),
        charged_(machine.parse.latency != 0),
        latency_(std::max(machine.parse.latency, 1U)),
        interval_(machine.parse.interval),
        store_(store),
        reads_(reads) {}

  [[nodiscard]] bool can_start(Cycle now) const { return !lanes_.full() && now >= next_start_; }
  [[nodiscard]] bool full() const { return lanes_.full(); }
  [[nodiscard]] std::size_t busy() const { return lanes_.size(); }
  [[nodiscard]] Cycle next_start() const { return next_start_; }

  /// A kernel that takes an entry; its descriptor lies at device address `image`.
  void start(unsigned entry, std::uint64_t image, Cycle now) { read(begin(entry, now), image); }
  /// A suspended TB of the entry's kernel.
  void resume(unsigned entry, std::uint64_t image, Cycle now) {
    Lane& lane = begin(entry, now);
    lane.resumes = true;
    read(lane, image);
  }
  /// The announcement at `image` of a queue.
  const Lane& inspect(unsigned queue, std::uint64_t image, Cycle now) {
    Lane& lane = begin(queue, now);
    lane.inspects = true;
    read(lane, image);
    return lane;
  }
  /// An announcement that is not in memory.
  void inspect(unsigned queue, Cycle now) {
    Lane& lane = begin(queue, now);
    lane.inspects = lane.read = true;
  }

  /// The oldest lane whose image has come now; null if there is none.
  [[nodiscard]] const Lane* receive(Cycle now) {
    if (!reads_.has_reply(now)) return nullptr;
    std::size_t i = 0;
    while (lanes_[i].read) ++i;
    Lane& lane = lanes_[i];
    const MemoryReply reply = reads_.reply();
    reads_.pop();
    std::memcpy(lane.image.data(), reply.data.data(), lane.image.size());
    lane.read = true;
    return &lane;
  }
  /// The oldest lane, if it is done.
  [[nodiscard]] const Lane* finished(Cycle now) const {
    return !lanes_.empty() && lanes_.front().read && lanes_.front().finish <= now ? &lanes_.front() : nullptr;
  }
  void pop() { lanes_.pop_front(); }
  /// First cycle in which the oldest is done; kForever if that depends on its image.
  [[nodiscard]] Cycle next() const { return lanes_.empty() || !lanes_.front().read ? kForever : lanes_.front().finish; }

 private:
  Lane& begin(unsigned entry, Cycle now) {
    next_start_ = now + interval_;
    lanes_.push_back({entry, now + latency_, false, false, false, {}});
    return lanes_.back();
  }
  void read(Lane& lane, std::uint64_t image) {
    if (charged_) {
      reads_.read(image, sizeof(PacketImage));
      return;
    }
    std::memcpy(lane.image.data(), store_.host(image), lane.image.size());
    lane.read = true;
  }

  boost::circular_buffer<Lane> lanes_;
  bool charged_;
  Cycle latency_, interval_;
  const Store& store_;
  MemoryClient& reads_;
  Cycle next_start_ = 0;
};

}  // namespace castor::gpu

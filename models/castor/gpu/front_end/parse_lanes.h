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

/// Parse lanes (docs/gpu/front-end.md, "Parsing"; docs/gpu/jobs.md, "Jobs"). A lane holds a kernel between its grant
/// and the write of its entry, an inspected announcement of a job, or a suspended TB that is to be placed again. All
/// lanes take the same time and their reads are answered in order, so the oldest lane always finishes first. With
/// `parse.latency` 0 the read of the descriptor takes no time.
///
/// In a cycle: `receive` in F1 until it returns null; in F8 (parse) first the calls that start lanes, then `finished`
/// and `pop`.
class ParseLanes {
 public:
  struct Lane {
    unsigned entry = 0;     ///< entry of the kernel; for an announcement: its queue
    Cycle finish = 0;       ///< earliest cycle in which the lane is done
    bool read = false;      ///< the descriptor or packet image has been read
    bool inspects = false;  ///< the lane reads an announcement, not a kernel
    bool resumes = false;   ///< the lane serves a suspended TB of the entry's kernel
    PacketImage image{};
  };

  /// `reads`: memory client used only by the parse lanes.
  ParseLanes(const Machine& machine, const Store& store, MemoryClient& reads)
      : lanes_(machine.parse.lanes),
        charged_(machine.parse.latency != 0),
        latency_(std::max(machine.parse.latency, 1U)),
        interval_(machine.parse.interval),
        store_(store),
        reads_(reads) {}

  /// Returns whether a lane is free and the interval since the last start has passed.
  [[nodiscard]] bool can_start(Cycle now) const { return !lanes_.full() && now >= next_start_; }
  [[nodiscard]] bool full() const { return lanes_.full(); }
  [[nodiscard]] std::size_t busy() const { return lanes_.size(); }
  [[nodiscard]] Cycle next_start() const { return next_start_; }

  /// Starts a lane for a kernel that takes an entry. `image`: device address of its launch descriptor.
  void start(unsigned entry, std::uint64_t image, Cycle now) { read(begin(entry, now), image); }
  /// Starts a lane for a suspended TB of the entry's kernel.
  void resume(unsigned entry, std::uint64_t image, Cycle now) {
    Lane& lane = begin(entry, now);
    lane.resumes = true;
    read(lane, image);
  }
  /// Starts a lane for an announcement of a queue, whose packet lies at device address `image`.
  const Lane& inspect(unsigned queue, std::uint64_t image, Cycle now) {
    Lane& lane = begin(queue, now);
    lane.inspects = true;
    read(lane, image);
    return lane;
  }
  /// Starts a lane for an announcement whose packet is not in memory.
  void inspect(unsigned queue, Cycle now) {
    Lane& lane = begin(queue, now);
    lane.inspects = lane.read = true;
  }

  /// Returns the oldest lane whose image arrives in this cycle; null if none.
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
  /// Returns the oldest lane if it is done; otherwise null.
  [[nodiscard]] const Lane* finished(Cycle now) const {
    return !lanes_.empty() && lanes_.front().read && lanes_.front().finish <= now ? &lanes_.front() : nullptr;
  }
  void pop() { lanes_.pop_front(); }
  /// Returns the first cycle in which the oldest lane is done; kForever while its image has not arrived.
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
  Cycle next_start_ = 0;  // first cycle in which the next lane may start
};

}  // namespace castor::gpu

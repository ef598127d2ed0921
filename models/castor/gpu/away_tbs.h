#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "castor/gpu/saved_tb.h"

namespace castor::gpu {

/// Thread blocks that synchronisation agents have swapped out (docs/gpu/swapping.md, "Jobs of an agent"): of each, what
/// no line of its context holds. The Gpu owns the store; the SwapPort of each SM reads it in its tick and writes it
/// between ticks. It is cleared when the kernel that owns the machine is complete.
class AwayTbs {
 public:
  using Saved = std::shared_ptr<const SavedTb>;
  struct Place {
    std::uint64_t image = 0;  ///< device address of the thread block's image; 0 = none
    Saved tb;                 ///< null until the thread block has left its SM
  };

  /// Announces a thread block whose context has been moved out, and which leaves its SM in a later tick.
  void announce(Ticket kernel, std::uint64_t gid, std::uint64_t image) { tbs_[{kernel, gid}] = {image, nullptr}; }
  /// Stores a thread block that has left its SM.
  void put(Saved tb) {
    Saved& place = tbs_[{tb->kernel->ticket, tb->gid}].tb;
    place = std::move(tb);
  }
  /// Returns the place of a thread block; null if it is not swapped out.
  [[nodiscard]] const Place* find(Ticket kernel, std::uint64_t gid) const {
    const auto found = tbs_.find({kernel, gid});
    return found == tbs_.end() ? nullptr : &found->second;
  }
  /// Removes a thread block that is back on an SM.
  void remove(Ticket kernel, std::uint64_t gid) { tbs_.erase({kernel, gid}); }
  void clear() { tbs_.clear(); }
  [[nodiscard]] std::size_t size() const { return tbs_.size(); }

 private:
  std::map<std::pair<Ticket, std::uint64_t>, Place> tbs_;
};

}  // namespace castor::gpu

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/dispatch_policy.h"

namespace castor::hookup {

/// The kernels with TBs to place, in order of arrival, and the next TB of each: state that every dispatch policy needs.
/// The policy must forward every clock edge to this object.
class WaitingKernels {
 public:
  WaitingKernels() { order_.reserve(gpu::kMaxEntries); }

  void reset() { order_.clear(); }

  /// Returns the kernel table entries, oldest first.
  [[nodiscard]] const std::vector<std::uint16_t>& order() const { return order_; }
  [[nodiscard]] bool empty() const { return order_.empty(); }
  /// Returns the oldest entry that is in `set`; -1 = none.
  [[nodiscard]] int oldest(const gpu::KdMask& set) const {
    const auto found = std::find_if(order_.begin(), order_.end(), [&](std::uint16_t entry) { return set[entry]; });
    return found == order_.end() ? -1 : *found;
  }

  /// Returns the SMs that can take the next TB of an entry: the TB fits, the SM is open and below quota, and the entry
  /// is not withheld. For a
  /// stopped kernel, whose TBs need no resources, returns all open SMs.
  [[nodiscard]] static gpu::SmMask takers(const gpu::DispatchIn& in, unsigned entry) {
    if (in.withheld != nullptr && (*in.withheld)[entry]) return {};
    const gpu::SmMask takers = gpu::within_quota(in.room->fits(entry) & in.open, in.quota, *in.room, entry);
    return takers.none() && (*in.fits)[entry] ? in.open : takers;
  }

  /// Returns the offer to place the next TB of an entry, on one SM or on any SM.
  [[nodiscard]] gpu::Placement next(unsigned entry, unsigned sm = gpu::Placement::kAnySm) const {
    gpu::Placement placement;
    placement.kd = static_cast<std::uint16_t>(entry);
    placement.sm = static_cast<std::uint16_t>(sm);
    placement.position = position_[entry];
    return placement;
  }

  /// Applies the clock edge of a cycle.
  void clock(const gpu::DispatchIn& in) {
    if (in.taken) {
      ++position_[in.ev.placed->kd];
      if (in.ev.placed->last) leave(in.ev.placed->kd);
    }
    // Removes a kernel that was stopped before all its TBs were placed.
    if (in.ev.completed) leave(in.ev.completed->kd);
    if (!in.push) return;
    position_[in.push->kd] = 0;
    order_.push_back(in.push->kd);
  }

 private:
  void leave(std::uint16_t entry) { order_.erase(std::remove(order_.begin(), order_.end(), entry), order_.end()); }

  std::vector<std::uint16_t> order_;
  std::array<std::uint32_t, gpu::kMaxEntries> position_{};
};

}  // namespace castor::hookup

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/store.h"

namespace castor::gpu {

/// Workspaces of grid barriers in device memory, one per launch (docs/gpu/launches.md, "Grid barriers"). Both machines
/// own one. Pages of 16 workspaces are allocated on demand at the end of device memory; they are never freed.
class GridWorkspaces {
 public:
  static constexpr std::uint64_t kBytes = 16;  ///< size of a workspace

  explicit GridWorkspaces(Store& store) : store_(store) {}

  /// Takes a workspace and sets its bytes to zero. Returns its device address, or nullopt if device memory is
  /// exhausted.
  [[nodiscard]] std::optional<std::uint64_t> take();
  /// Returns a workspace that `take` gave.
  void give_back(std::uint64_t address) { spare_.push_back(address); }

 private:
  Store& store_;
  std::vector<std::uint64_t> spare_;  // workspaces that no launch has
};

/// State of a grid barrier, as its workspace holds it.
struct GridBarrierState {
  std::uint64_t arrived = 0;  ///< thread blocks that have arrived in the current phase
  bool first = false;         ///< block 0 is one of them
};

/// Reads the state of the barrier of a grid of `tbs` thread blocks.
///
/// The first word is a counter, which the leading thread of each block adds to: block 0 adds 2^31 - (tbs - 1), every
/// other block adds 1. So the sum of a phase is 2^31. Bit 31 changes with the last arrival, which ends the phase.
[[nodiscard]] GridBarrierState grid_barrier_state(const Store& store, std::uint64_t address, std::uint64_t tbs);

}  // namespace castor::gpu

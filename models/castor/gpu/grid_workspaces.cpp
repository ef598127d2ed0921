#include "castor/gpu/grid_workspaces.h"

#include <cstring>

namespace castor::gpu {

std::optional<std::uint64_t> GridWorkspaces::take() {
  if (spare_.empty()) {
    const auto page = store_.allocate(Store::kAlignment, AllocationKind::kGridBarriers, "barriers of grids");
    if (!page) return std::nullopt;
    for (std::uint64_t at = Store::kAlignment; at != 0; at -= kBytes) spare_.push_back(*page + at - kBytes);
  }
  const std::uint64_t address = spare_.back();
  spare_.pop_back();
  std::memset(store_.host(address), 0, kBytes);
  return address;
}

GridBarrierState grid_barrier_state(const Store& store, std::uint64_t address, std::uint64_t tbs) {
  constexpr std::uint64_t kPhase = std::uint64_t{1} << 31;
  std::uint32_t word = 0;
  std::memcpy(&word, store.bytes(address), sizeof word);
  const std::uint64_t sum = word % kPhase;
  if (sum < tbs) return {sum, false};
  return {sum - (kPhase - (tbs - 1)) + 1, true};
}

}  // namespace castor::gpu

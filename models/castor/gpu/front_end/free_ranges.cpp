#include "castor/gpu/front_end/free_ranges.h"

#include <iterator>

namespace castor::gpu {

void FreeRanges::start(std::uint64_t base, std::uint64_t bytes) {
  free_.clear();
  if (bytes != 0) free_.emplace(base, bytes);
}

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [first, size] = *range;
    const std::uint64_t address = (first + alignment - 1) / alignment * alignment;
    const std::uint64_t end = address + bytes;
    if (end > first + size) continue;
    free_.erase(range);
    if (address != first) free_.emplace(first, address - first);
    if (end != first + size) free_.emplace(end, first + size - end);
    return address;
  }
  return std::nullopt;
}

void FreeRanges::give_back(std::uint64_t address, std::uint64_t bytes) {
  auto range = free_.emplace(address, bytes).first;
  if (const auto next = std::next(range); next != free_.end() && address + bytes == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  const auto before = std::prev(range);
  if (before->first + before->second != address) return;
  before->second += range->second;
  free_.erase(range);
}

}  // namespace castor::gpu

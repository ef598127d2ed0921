#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace castor::gpu {

/// Free ranges of a region of device memory, from which PageAllocator takes pages and images by first fit.
class FreeRanges {
 public:
  /// Makes the whole region free: [base, base + bytes).
  void start(std::uint64_t base, std::uint64_t bytes);
  /// Takes `bytes` bytes at the lowest possible multiple of `alignment`. Returns the address; nothing if no free range
  /// is large enough.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment);
  /// Returns a range that was taken. It joins free ranges that touch it.
  void give_back(std::uint64_t address, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // size by first address; no two ranges touch
};

}  // namespace castor::gpu

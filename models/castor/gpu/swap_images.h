#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace castor::gpu {

/// Device memory for the contexts of thread blocks that swap engines move (docs/gpu/swapping.md, "Images"): one region
/// for all SMs, from which images are given out by first fit. It is written between ticks alone, by the SMs in turn.
class SwapImages {
 public:
  /// Part of the region that holds one context; given back when its last owner drops it.
  class Image;

  /// The region is [base, base + bytes).
  SwapImages(std::uint64_t base, std::uint64_t bytes);

  /// Returns an image of at least `bytes` bytes at the lowest possible address, or null if there is none.
  [[nodiscard]] std::shared_ptr<const Image> take(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  /// Free ranges of the region.
  struct Ranges {
    std::map<std::uint64_t, std::uint64_t> free;  ///< size by first address; no two ranges touch
    std::uint64_t size = 0;
    std::uint64_t left = 0;
  };
  static void give_back(Ranges& ranges, std::uint64_t address, std::uint64_t bytes);

  std::shared_ptr<Ranges> ranges_;
};

class SwapImages::Image {
 public:
  Image(std::shared_ptr<Ranges> ranges, std::uint64_t first, std::uint64_t size)
      : address(first), ranges_(std::move(ranges)), bytes_(size) {}
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() { give_back(*ranges_, address, bytes_); }

  const std::uint64_t address;  ///< device address, a multiple of 256

 private:
  const std::shared_ptr<Ranges> ranges_;
  const std::uint64_t bytes_;
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Page allocator: gives out images, the memory for swapped-out thread blocks of one kernel, from a region of device
/// memory (docs/gpu/sync-network.md, "Images"). All images of a kernel have the same size. PageSide owns the allocator.
///
/// With `context.pages: dynamic`, images are cut from pages, in ascending order of addresses. A page has 4 KB, or 2 MB
/// if an image is larger than 4 KB. A new page is allocated when no image is free and the last page is full; this takes
/// `context.page_latency` cycles. Returned images are reused first, the last returned one first. With `static`, the
/// images lie side by side from the beginning of the region, and no pages are allocated.
class PageAllocator {
 public:
  static constexpr std::uint64_t kSmallPage = 4096;
  static constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20;

  struct Image {
    std::uint64_t address = 0;
    Cycle ready = 0;  ///< first cycle in which the image may be used, after its page has been allocated
  };

  /// `region`: device address of the region, a multiple of kLargePage.
  PageAllocator(const Machine& machine, std::uint64_t region)
      : policy_(machine.context.pages),
        latency_(machine.context.page_latency),
        region_(region),
        region_bytes_(machine.context.region) {}

  /// Returns the number of images that fit into the region.
  [[nodiscard]] static std::uint64_t capacity(ContextPages policy, std::uint64_t region_bytes,
                                              std::uint64_t image_bytes);

  /// Starts a kernel. `image_bytes`: size of its images, a multiple of 128. No image is in use.
  void start(std::uint64_t image_bytes);
  /// Allocates an image that was requested in cycle `requested`. At least one image must be left (`left`).
  [[nodiscard]] Image take(Cycle requested);
  /// Returns whether an image of the kernel is in use.
  [[nodiscard]] bool in_use(std::uint64_t address) const;
  /// Returns an image in use to the allocator.
  void give_back(std::uint64_t address);
  /// Returns all images and pages to the allocator.
  void clear();

  /// Returns the number of images that can still be allocated.
  [[nodiscard]] std::uint64_t left() const { return capacity_ - used_; }
  /// Returns the number of images in use.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// Returns the number of pages allocated.
  [[nodiscard]] std::uint64_t pages() const { return page_ready_.size(); }

 private:
  [[nodiscard]] static std::uint64_t page_of(std::uint64_t image_bytes) {
    return image_bytes > kSmallPage ? kLargePage : kSmallPage;
  }
  [[nodiscard]] std::uint64_t address_of(std::uint64_t image) const;
  // Returns the number of the image at an address; a number beyond all images if no image begins there.
  [[nodiscard]] std::uint64_t image_at(std::uint64_t address) const;

  ContextPages policy_;
  Cycle latency_;
  std::uint64_t region_, region_bytes_;
  std::uint64_t image_bytes_ = 0;    // size of the kernel's images; 0 = no kernel
  std::uint64_t per_page_ = 0;       // images of a page; with `static`, all images
  std::uint64_t capacity_ = 0;       // images that fit into the region
  std::uint64_t used_ = 0;           // images in use
  std::vector<bool> given_;          // [image]: in use. Images beyond the end of the vector were never used by this
                                     // kernel
  std::vector<std::uint64_t> free_;  // numbers of returned images; the last one is reused next
  std::vector<Cycle> page_ready_;    // [page]: cycle from which on the page may be used
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/front_end/free_ranges.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Page allocator: gives out images, the memory for swapped-out thread blocks, from a region of device memory
/// (docs/gpu/sync-network.md, "Images"). It serves several kernels at once, by their tickets. All images of a kernel
/// have the same size. PageSide owns the allocator.
///
/// With `context.pages: dynamic`, pages belong to a kernel, and images are cut from them in ascending order of
/// addresses. A page has 4 KB, or 2 MB if an image is larger than 4 KB. A new page is taken from the region by first
/// fit when no image of the kernel is free and its last page is full; this takes `context.page_latency` cycles. Pages
/// return to the region when the kernel ends. With `static`, images are cut from the region directly, by first fit and
/// at once.
///
/// A kernel reuses its returned images first, the last returned one first.
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
        region_bytes_(machine.context.region) {
    clear();
  }

  /// Returns the number of images of one kernel that fit into the region.
  [[nodiscard]] static std::uint64_t capacity(ContextPages policy, std::uint64_t region_bytes,
                                              std::uint64_t image_bytes);

  /// Starts a kernel. `image_bytes`: size of its images, a multiple of 128.
  void start(Ticket kernel, std::uint64_t image_bytes);
  /// Returns whether a kernel has been started and has not ended.
  [[nodiscard]] bool has(Ticket kernel) const { return kernels_.count(kernel) != 0; }
  /// Allocates an image that was requested in cycle `requested`. Returns nothing if the region has no room for it.
  [[nodiscard]] std::optional<Image> take(Ticket kernel, Cycle requested);
  /// Returns whether an image of the kernel is in use.
  [[nodiscard]] bool in_use(Ticket kernel, std::uint64_t address) const;
  /// Returns an image in use to the allocator.
  void give_back(Ticket kernel, std::uint64_t address);
  /// Ends a kernel: returns all its images and pages to the region.
  void end(Ticket kernel);
  /// Ends all kernels.
  void clear();

  /// Returns the number of images in use.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  /// Returns the number of pages that kernels have.
  [[nodiscard]] std::uint64_t pages() const { return pages_; }

 private:
  struct Kernel {
    std::uint64_t image_bytes = 0;
    std::set<std::uint64_t> used;             // addresses of the images in use
    std::vector<std::uint64_t> free;          // addresses of returned images; the last one is reused next
    std::map<std::uint64_t, Cycle> pages;     // by address: cycle from which on the page may be used
    std::uint64_t next = 0, next_images = 0;  // never used images of the last page: address of the first, number
  };

  [[nodiscard]] static std::uint64_t page_of(std::uint64_t image_bytes) {
    return image_bytes > kSmallPage ? kLargePage : kSmallPage;
  }
  [[nodiscard]] bool cut(Kernel& kernel, Cycle requested);
  [[nodiscard]] bool cut_from_region(Kernel& kernel);
  void collect();

  ContextPages policy_;
  Cycle latency_;
  std::uint64_t region_, region_bytes_;
  FreeRanges ranges_;                 // parts of the region that belong to no kernel
  std::map<Ticket, Kernel> kernels_;  // kernels that have started and not ended
  std::uint64_t used_ = 0;            // images in use
  std::uint64_t pages_ = 0;           // pages of all kernels
};

}  // namespace castor::gpu

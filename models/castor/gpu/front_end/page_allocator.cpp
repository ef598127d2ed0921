#include "castor/gpu/front_end/page_allocator.h"

#include <iterator>

#include "castor/base/error.h"

namespace castor::gpu {

std::uint64_t PageAllocator::capacity(ContextPages policy, std::uint64_t region_bytes, std::uint64_t image_bytes) {
  if (image_bytes == 0) return 0;
  if (policy == ContextPages::kStatic) return region_bytes / image_bytes;
  const std::uint64_t page = page_of(image_bytes);
  return region_bytes / page * (page / image_bytes);
}

void PageAllocator::start(Ticket kernel, std::uint64_t image_bytes) {
  CASTOR_ASSERT(!has(kernel) && image_bytes != 0, "kernel of ticket %llu has images already, or needs none",
                static_cast<unsigned long long>(kernel));
  kernels_[kernel].image_bytes = image_bytes;
}

std::optional<PageAllocator::Image> PageAllocator::take(Ticket kernel, Cycle requested) {
  Kernel& owner = kernels_.at(kernel);
  if (owner.free.empty() && !cut(owner, requested)) return std::nullopt;
  const std::uint64_t address = owner.free.back();
  owner.free.pop_back();
  owner.used.insert(address);
  ++used_;
  const bool paged = policy_ == ContextPages::kDynamic;
  return Image{address, paged ? std::prev(owner.pages.upper_bound(address))->second : requested};
}

// Adds an image that the kernel has never used to its free images. Returns false if the region has no room for it.
bool PageAllocator::cut(Kernel& kernel, Cycle requested) {
  if (policy_ == ContextPages::kStatic) return cut_from_region(kernel);
  if (kernel.next_images == 0) {
    const std::uint64_t bytes = page_of(kernel.image_bytes), images = bytes / kernel.image_bytes;
    const std::optional<std::uint64_t> page = images != 0 ? ranges_.take(bytes, bytes) : std::nullopt;
    if (!page) return false;
    kernel.pages[*page] = requested + latency_;
    kernel.next = *page;
    kernel.next_images = images;
    ++pages_;
  }
  kernel.free.push_back(kernel.next);
  kernel.next += kernel.image_bytes;
  --kernel.next_images;
  return true;
}

bool PageAllocator::cut_from_region(Kernel& kernel) {
  std::optional<std::uint64_t> image = ranges_.take(kernel.image_bytes, 1);
  if (!image) {
    collect();
    image = ranges_.take(kernel.image_bytes, 1);
  }
  if (image) kernel.free.push_back(*image);
  return image.has_value();
}

// Returns the images that kernels have returned to the region, for kernels with images of another size.
void PageAllocator::collect() {
  for (auto& [ticket, kernel] : kernels_) {
    for (const std::uint64_t image : kernel.free) ranges_.give_back(image, kernel.image_bytes);
    kernel.free.clear();
  }
}

bool PageAllocator::in_use(Ticket kernel, std::uint64_t address) const {
  const auto found = kernels_.find(kernel);
  return found != kernels_.end() && found->second.used.count(address) != 0;
}

void PageAllocator::give_back(Ticket kernel, std::uint64_t address) {
  CASTOR_ASSERT(in_use(kernel, address), "image at 0x%llx is given back, but is not in use",
                static_cast<unsigned long long>(address));
  Kernel& owner = kernels_.at(kernel);
  owner.used.erase(address);
  owner.free.push_back(address);
  --used_;
}

void PageAllocator::end(Ticket kernel) {
  Kernel& owner = kernels_.at(kernel);
  used_ -= owner.used.size();
  pages_ -= owner.pages.size();
  for (const auto& [page, ready] : owner.pages) ranges_.give_back(page, page_of(owner.image_bytes));
  if (policy_ == ContextPages::kStatic) {
    owner.free.insert(owner.free.end(), owner.used.begin(), owner.used.end());
    for (const std::uint64_t image : owner.free) ranges_.give_back(image, owner.image_bytes);
  }
  kernels_.erase(kernel);
}

void PageAllocator::clear() {
  kernels_.clear();
  used_ = pages_ = 0;
  ranges_.start(region_, region_bytes_);
}

}  // namespace castor::gpu

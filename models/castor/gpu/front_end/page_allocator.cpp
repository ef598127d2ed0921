#include "castor/gpu/front_end/page_allocator.h"

#include "castor/base/error.h"

namespace castor::gpu {

std::uint64_t PageAllocator::capacity(ContextPages policy, std::uint64_t region_bytes, std::uint64_t image_bytes) {
  if (image_bytes == 0) return 0;
  if (policy == ContextPages::kStatic) return region_bytes / image_bytes;
  const std::uint64_t page = page_of(image_bytes);
  return region_bytes / page * (page / image_bytes);
}

void PageAllocator::start(std::uint64_t image_bytes) {
  clear();
  image_bytes_ = image_bytes;
  capacity_ = capacity(policy_, region_bytes_, image_bytes);
  per_page_ = policy_ == ContextPages::kStatic ? capacity_ : page_of(image_bytes) / image_bytes;
}

void PageAllocator::clear() {
  image_bytes_ = per_page_ = capacity_ = used_ = 0;
  given_.clear();
  free_.clear();
  page_ready_.clear();
}

PageAllocator::Image PageAllocator::take(Cycle requested) {
  CASTOR_ASSERT(left() != 0, "the region for contexts has no image left: %llu of %llu bytes are in use",
                static_cast<unsigned long long>(used_), static_cast<unsigned long long>(image_bytes_));
  ++used_;
  std::uint64_t image = given_.size();
  if (!free_.empty()) {
    image = free_.back();
    free_.pop_back();
    given_[image] = true;
  } else {
    given_.push_back(true);
    if (policy_ == ContextPages::kDynamic && image % per_page_ == 0) page_ready_.push_back(requested + latency_);
  }
  return {address_of(image), policy_ == ContextPages::kDynamic ? page_ready_[image / per_page_] : requested};
}

bool PageAllocator::in_use(std::uint64_t address) const {
  const std::uint64_t image = image_at(address);
  return image < given_.size() && given_[image];
}

void PageAllocator::give_back(std::uint64_t address) {
  CASTOR_ASSERT(in_use(address), "image at 0x%llx is given back, but is not in use",
                static_cast<unsigned long long>(address));
  const std::uint64_t image = image_at(address);
  given_[image] = false;
  free_.push_back(image);
  --used_;
}

std::uint64_t PageAllocator::address_of(std::uint64_t image) const {
  if (policy_ == ContextPages::kStatic) return region_ + image * image_bytes_;
  return region_ + image / per_page_ * page_of(image_bytes_) + image % per_page_ * image_bytes_;
}

std::uint64_t PageAllocator::image_at(std::uint64_t address) const {
  if (image_bytes_ == 0 || address < region_) return ~std::uint64_t{0};
  const std::uint64_t offset = address - region_;
  const std::uint64_t page = policy_ == ContextPages::kStatic ? region_bytes_ : page_of(image_bytes_);
  const std::uint64_t slot = offset % page / image_bytes_;
  const std::uint64_t image = offset / page * per_page_ + slot;
  return slot < per_page_ && address_of(image) == address ? image : ~std::uint64_t{0};
}

}  // namespace castor::gpu

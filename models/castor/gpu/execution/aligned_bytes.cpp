#include "castor/gpu/execution/aligned_bytes.h"

#include <cstring>
#include <new>

namespace castor::gpu {

void AlignedBytes::Release::operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }

void AlignedBytes::reserve(std::size_t size) {
  if (size <= capacity_) return;
  data_.reset(static_cast<std::byte*>(::operator new (size, std::align_val_t{64})));
  capacity_ = size;
}

void AlignedBytes::assign_zero(std::size_t size) {
  reserve(size);
  if (size != 0) std::memset(data_.get(), 0, size);
}

}  // namespace castor::gpu

#include "castor/gpu/launch/parameter_buffers.h"

#include <algorithm>

namespace castor::gpu {

std::uint64_t ParameterBuffers::allocate(std::uint64_t alignment, std::uint64_t bytes,
                                         const std::optional<LaunchDescription>& launch) {
  if (alignment > kMostAlignment || (alignment & (alignment - 1)) != 0) return 0;
  const std::uint64_t address = room(bytes);
  if (address != 0)
    buffers_[address] = {bytes, false, launch};
  else
    ++refused_;
  return address;
}

std::uint64_t ParameterBuffers::room(std::uint64_t bytes) {
  constexpr std::uint64_t kShare = 8;
  const std::uint64_t most = std::min(kMostBytes, store_.capacity() / kShare);
  const std::uint64_t used = store_.used(AllocationKind::kPool);
  if (bytes > most || used + record_bytes_ > most - bytes) return 0;
  const auto begin = store_.allocate(record_bytes_ + bytes, AllocationKind::kPool,
                                     "parameters of a launch by device code", Store::kAlignment, record_bytes_);
  if (!begin) return 0;
  const std::uint64_t address = *begin + record_bytes_;
  if (address + bytes <= kEnd) return address;
  store_.free(*begin);
  return 0;
}

const ParameterBuffers::Buffer* ParameterBuffers::find(std::uint64_t address) const {
  const auto found = buffers_.find(address);
  return found == buffers_.end() ? nullptr : &found->second;
}

void ParameterBuffers::launch(std::uint64_t address) {
  buffers_.at(address).launched = true;
  store_.set_read_only(record(address), true);
}

void ParameterBuffers::free(std::uint64_t address) {
  buffers_.erase(address);
  store_.free(record(address));
}

void ParameterBuffers::clear() {
  for (const auto& [address, buffer] : buffers_) store_.free(record(address));
  buffers_.clear();
}

}  // namespace castor::gpu

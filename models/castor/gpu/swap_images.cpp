#include "castor/gpu/swap_images.h"

#include <iterator>
#include <utility>

namespace castor::gpu {
namespace {

constexpr std::uint64_t kGrain = 256;

}  // namespace

SwapImages::SwapImages(std::uint64_t base, std::uint64_t bytes) : ranges_(std::make_shared<Ranges>()) {
  ranges_->size = ranges_->left = bytes;
  if (bytes != 0) ranges_->free.emplace(base, bytes);
}

std::shared_ptr<const SwapImages::Image> SwapImages::take(std::uint64_t bytes) {
  bytes = (bytes + kGrain - 1) / kGrain * kGrain;
  for (auto range = ranges_->free.begin(); range != ranges_->free.end(); ++range) {
    if (range->second < bytes) continue;
    const auto [address, size] = *range;
    ranges_->free.erase(range);
    if (size > bytes) ranges_->free.emplace(address + bytes, size - bytes);
    ranges_->left -= bytes;
    return std::make_shared<const Image>(ranges_, address, bytes);
  }
  return nullptr;
}

std::uint64_t SwapImages::size() const { return ranges_->size; }

std::uint64_t SwapImages::free_bytes() const { return ranges_->left; }

void SwapImages::give_back(Ranges& ranges, std::uint64_t address, std::uint64_t bytes) {
  ranges.left += bytes;
  auto range = ranges.free.emplace(address, bytes).first;
  if (const auto next = std::next(range); next != ranges.free.end() && address + bytes == next->first) {
    range->second += next->second;
    ranges.free.erase(next);
  }
  if (range == ranges.free.begin()) return;
  const auto before = std::prev(range);
  if (before->first + before->second != address) return;
  before->second += range->second;
  ranges.free.erase(range);
}

}  // namespace castor::gpu

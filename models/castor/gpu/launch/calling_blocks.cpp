#include "castor/gpu/launch/calling_blocks.h"

namespace castor::gpu {

namespace {

// Flags of CUDA's streams and events.
constexpr std::uint32_t kStreamNonBlocking = 1;
constexpr std::uint32_t kEventDisableTiming = 2;
constexpr std::uint32_t kEventFlags = 3;  // kEventDisableTiming, and cudaEventBlockingSync, which has no effect here

// Handles are not small numbers, because small numbers name streams of the host.
constexpr std::uint64_t kFirstHandle = 0x1000;
constexpr std::uint64_t kHandleStep = 16;

}  // namespace

CallingBlocks::Stream* CallingBlocks::stream(BlockId block, std::uint64_t stream) {
  auto& streams = blocks_[block].streams;
  if (stream == 0) return &streams[0];
  const auto found = streams.find(stream);
  return found == streams.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> CallingBlocks::create_stream(BlockId block, std::uint32_t flags) {
  if (flags != kStreamNonBlocking) return std::nullopt;
  const std::uint64_t handle = kFirstHandle + kHandleStep * last_handle_++;
  blocks_[block].streams[handle];
  return handle;
}

LaunchCode CallingBlocks::destroy_stream(BlockId block, std::uint64_t stream) {
  const bool known = stream != 0 && blocks_[block].streams.erase(stream) != 0;
  return known ? LaunchCode::kSuccess : LaunchCode::kInvalidHandle;
}

LaunchCode CallingBlocks::wait_in_stream(BlockId block, std::uint64_t stream, std::uint64_t event) {
  Stream* const queue = this->stream(block, stream);
  const auto& events = blocks_[block].events;
  const auto found = events.find(event);
  if (queue == nullptr || found == events.end()) return LaunchCode::kInvalidHandle;
  queue->events.insert(queue->events.end(), found->second.begin(), found->second.end());
  return LaunchCode::kSuccess;
}

std::optional<std::uint64_t> CallingBlocks::create_event(BlockId block, std::uint32_t flags) {
  if ((flags & kEventDisableTiming) == 0 || (flags & ~kEventFlags) != 0) return std::nullopt;
  const std::uint64_t handle = kFirstHandle + kHandleStep * last_handle_++;
  blocks_[block].events[handle];
  return handle;
}

LaunchCode CallingBlocks::destroy_event(BlockId block, std::uint64_t event) {
  return blocks_[block].events.erase(event) != 0 ? LaunchCode::kSuccess : LaunchCode::kInvalidHandle;
}

LaunchCode CallingBlocks::record_event(BlockId block, std::uint64_t event, std::uint64_t stream) {
  const Stream* const queue = this->stream(block, stream);
  auto& events = blocks_[block].events;
  const auto found = events.find(event);
  if (queue == nullptr || found == events.end()) return LaunchCode::kInvalidHandle;
  found->second = queue->events;
  found->second.push_back(queue->last);
  return LaunchCode::kSuccess;
}

std::uint64_t CallingBlocks::open_children(BlockId block) const {
  const auto found = blocks_.find(block);
  return found == blocks_.end() ? 0 : found->second.open_children;
}

bool CallingBlocks::close_child(BlockId block) {
  const auto found = blocks_.find(block);
  return found != blocks_.end() && --found->second.open_children == 0;
}

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "castor/gpu/launch/launch_code.h"

namespace castor::gpu {

/// Thread blocks that have called the device runtime: their streams, their events, and how many of the launches they
/// wait for are open. Handles belong to the block that made them.
class CallingBlocks {
 public:
  struct Stream {
    LaunchId last = 0;
    std::vector<LaunchId> events;  ///< the next launch waits for these
  };

  [[nodiscard]] std::optional<std::uint64_t> create_stream(BlockId block, std::uint32_t flags);
  [[nodiscard]] LaunchCode destroy_stream(BlockId block, std::uint64_t stream);
  [[nodiscard]] LaunchCode wait_in_stream(BlockId block, std::uint64_t stream, std::uint64_t event);
  [[nodiscard]] std::optional<std::uint64_t> create_event(BlockId block, std::uint32_t flags);
  [[nodiscard]] LaunchCode destroy_event(BlockId block, std::uint64_t event);
  [[nodiscard]] LaunchCode record_event(BlockId block, std::uint64_t event, std::uint64_t stream);
  /// A stream of the block, or null; 0 is its null stream.
  [[nodiscard]] Stream* stream(BlockId block, std::uint64_t stream);

  [[nodiscard]] std::uint64_t open_children(BlockId block) const;
  void open_child(BlockId block) { ++blocks_[block].open_children; }
  /// True if it was the last open one of a block that has not ended.
  [[nodiscard]] bool close_child(BlockId block);
  /// The block has ended. Its children go on.
  void end(BlockId block) { blocks_.erase(block); }
  void clear() { blocks_.clear(); }

 private:
  struct Block {
    std::uint64_t open_children = 0;
    std::map<std::uint64_t, Stream> streams;                ///< [0] is the null stream
    std::map<std::uint64_t, std::vector<LaunchId>> events;  ///< what they stand for
  };
  std::unordered_map<BlockId, Block> blocks_;
  std::uint64_t last_handle_ = 0;
};

}  // namespace castor::gpu

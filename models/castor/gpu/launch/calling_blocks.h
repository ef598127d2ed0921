#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "castor/gpu/launch/launch_code.h"

namespace castor::gpu {

/// Thread blocks that have called the device runtime: their streams, their events, and the number of their open
/// launches. The launcher owns the table. A handle is valid only in the block that created it.
class CallingBlocks {
 public:
  struct Stream {
    LaunchId last = 0;             ///< youngest launch in the stream; 0 = none
    std::vector<LaunchId> events;  ///< launches for which the next launch in the stream waits
  };

  /// Calls of CUDA's functions for streams and events of device code. Creation returns a handle; empty if the flags
  /// are invalid.
  [[nodiscard]] std::optional<std::uint64_t> create_stream(BlockId block, std::uint32_t flags);
  [[nodiscard]] LaunchCode destroy_stream(BlockId block, std::uint64_t stream);
  [[nodiscard]] LaunchCode wait_in_stream(BlockId block, std::uint64_t stream, std::uint64_t event);
  [[nodiscard]] std::optional<std::uint64_t> create_event(BlockId block, std::uint32_t flags);
  [[nodiscard]] LaunchCode destroy_event(BlockId block, std::uint64_t event);
  [[nodiscard]] LaunchCode record_event(BlockId block, std::uint64_t event, std::uint64_t stream);
  /// Returns a stream of the block, or null if the handle is invalid; 0 is the block's null stream.
  [[nodiscard]] Stream* stream(BlockId block, std::uint64_t stream);

  /// Returns the number of open launches made by a block.
  [[nodiscard]] std::uint64_t open_children(BlockId block) const;
  void open_child(BlockId block) { ++blocks_[block].open_children; }
  /// Counts down the block's open launches. Returns true if none is left and the block has not ended.
  [[nodiscard]] bool close_child(BlockId block);
  /// Removes a block that has ended. Its launches continue.
  void end(BlockId block) { blocks_.erase(block); }
  void clear() { blocks_.clear(); }

 private:
  struct Block {
    std::uint64_t open_children = 0;
    std::map<std::uint64_t, Stream> streams;                ///< by handle; [0] is the null stream
    std::map<std::uint64_t, std::vector<LaunchId>> events;  ///< launches that the event covers
  };
  std::unordered_map<BlockId, Block> blocks_;
  std::uint64_t last_handle_ = 0;
};

}  // namespace castor::gpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

/// Reads of a slice that are under way (MSHRs) and the requests that wait for each, linked by MemoryRequest::next.
///
/// A line may have several entries in flight; they are served in the order in which they were opened, and the waiters
/// of one in the order in which they came. What a line says of its entries (`first`, `last`, `pending`) and what a fill
/// makes valid is changed here only. Sends nothing and counts nothing.
///
/// In a cycle: `set_aside` for replies that come too early, then either `next`, `begin` and `serve`, or `join` and
/// `open`.
class L2Fills {
 public:
  /// `merges`: requests that one entry holds.
  L2Fills(unsigned entries, unsigned merges, TagArray& tags);

  /// No entry is free.
  [[nodiscard]] bool full() const { return free_ == kNone; }
  [[nodiscard]] unsigned in_use() const { return in_use_; }
  /// Requests that wait.
  [[nodiscard]] std::size_t waiting() const;

  /// Opens an entry for sectors of a way that `request` lacks; there is a free one. Returns its number, which the read
  /// has to bring back.
  [[nodiscard]] std::uint32_t open(Transaction& transaction, std::size_t way, std::uint8_t sectors);
  /// The youngest entry of the way has room for another request.
  [[nodiscard]] bool can_join(std::size_t way) const { return entries_[last(way)].count < merges_; }
  /// The request waits for the youngest entry of the way.
  void join(Transaction& transaction, std::size_t way);

  /// The read of an entry is back, but an older one of the line is not: the entry's turn comes behind it. False if its
  /// turn is now.
  [[nodiscard]] bool set_aside(std::uint32_t entry);
  /// The waiters of an entry are being served.
  [[nodiscard]] bool serving() const { return serving_ != kNone; }
  /// That entry.
  [[nodiscard]] std::uint32_t served() const { return static_cast<std::uint32_t>(serving_); }
  /// Begins to serve an entry whose read is back.
  void begin(std::uint32_t entry) { serving_ = static_cast<std::int32_t>(entry); }
  [[nodiscard]] Transaction& oldest_waiter(std::uint32_t entry) const { return *entries_[entry].first; }
  [[nodiscard]] std::size_t way(std::uint32_t entry) const { return entries_[entry].way; }
  /// Takes the oldest waiter of the entry being served, whose sectors are valid now. With the last one the entry is
  /// free; the line's next entry is served if its read was set aside.
  [[nodiscard]] Transaction& serve();

 private:
  static constexpr std::int32_t kNone = -1;

  struct Entry {
    Transaction* first = nullptr;
    Transaction* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t way = 0;
    std::int32_t next = kNone;  ///< next entry of the line, or of the free list
    std::uint8_t sectors = 0;
    bool filled = false;
  };

  [[nodiscard]] std::size_t last(std::size_t way) const { return static_cast<std::size_t>(tags_.line(way).last); }
  void finish(std::int32_t index);

  unsigned merges_;
  TagArray& tags_;
  std::vector<Entry> entries_;
  std::int32_t free_ = 0;
  std::int32_t serving_ = kNone;
  unsigned in_use_ = 0;
};

}  // namespace castor::gpu

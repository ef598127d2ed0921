#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

/// MSHRs of an L2 slice: outstanding reads and, for each, the list of requests that wait for it (linked by
/// MemoryRequest::next).
///
/// A line may have several entries in flight. They are served in the order in which they were opened; the waiting
/// requests of an entry are served in the order of arrival. Only this class changes the tag array's MSHR fields of a
/// line (`first`, `last`, `pending`) and the sectors that a fill makes valid. It sends no messages and has no counters.
///
/// Order of calls in a cycle: `set_aside` for read replies out of turn, then either `next`, `begin` and `serve`, or
/// `join` and `open`.
class L2Fills {
 public:
  /// `merges`: most requests per entry.
  L2Fills(unsigned entries, unsigned merges, TagArray& tags);

  /// Returns whether no entry is free.
  [[nodiscard]] bool full() const { return free_ == kNone; }
  [[nodiscard]] unsigned in_use() const { return in_use_; }
  /// Returns the number of waiting requests.
  [[nodiscard]] std::size_t waiting() const;

  /// Opens an entry for the missing sectors of a way, with `request` as its first waiter. An entry must be free.
  /// Returns the entry's number, which the read reply must carry.
  [[nodiscard]] std::uint32_t open(Transaction& transaction, std::size_t way, std::uint8_t sectors);
  /// Returns whether the youngest entry of the way has room for another request.
  [[nodiscard]] bool can_join(std::size_t way) const { return entries_[last(way)].count < merges_; }
  /// Appends a request to the waiters of the way's youngest entry.
  void join(Transaction& transaction, std::size_t way);

  /// Returns true if an older entry of the line is not complete; this entry is then marked as filled and is served
  /// after the older one. Returns false if the entry can be served now.
  [[nodiscard]] bool set_aside(std::uint32_t entry);
  /// Returns whether the waiters of an entry are being served.
  [[nodiscard]] bool serving() const { return serving_ != kNone; }
  /// Returns the number of the entry being served.
  [[nodiscard]] std::uint32_t served() const { return static_cast<std::uint32_t>(serving_); }
  /// Starts serving an entry whose read has returned.
  void begin(std::uint32_t entry) { serving_ = static_cast<std::int32_t>(entry); }
  [[nodiscard]] Transaction& oldest_waiter(std::uint32_t entry) const { return *entries_[entry].first; }
  [[nodiscard]] std::size_t way(std::uint32_t entry) const { return entries_[entry].way; }
  /// Removes and returns the oldest waiter of the entry being served, whose sectors are now valid. After the last
  /// waiter the entry is freed. The line's next entry is served next if its read was set aside.
  [[nodiscard]] Transaction& serve();

 private:
  static constexpr std::int32_t kNone = -1;

  /// One MSHR, with the list of its waiting transactions.
  struct Entry {
    Transaction* first = nullptr;
    Transaction* last = nullptr;
    std::uint32_t count = 0;  ///< number of waiters
    std::uint32_t way = 0;
    std::int32_t next = kNone;  ///< next younger entry of the line, or next entry of the free list
    std::uint8_t sectors = 0;   ///< sectors that the read fetches
    bool filled = false;        ///< the read has returned and waits for older entries of the line
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

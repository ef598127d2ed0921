#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

/// Counters of the requests at one L2 slice. Each request is counted once, when it is decided: for the slice, for its
/// client, and for its kernel table entry.
class L2Traffic {
 public:
  /// Counters of one kernel table entry.
  struct OfEntry {
    std::uint64_t hits = 0, misses = 0, merged = 0, evictions = 0;
    std::uint64_t bytes = 0;                          ///< bytes of the sectors that the requests read or wrote
    std::uint64_t bytes_read = 0, bytes_written = 0;  ///< from and to memory, whole sectors
  };

  /// Creates the slice's counters in `slice`, and the counters of each client in a group below.
  L2Traffic(base::StatisticGroup& slice, std::size_t entries);
  ~L2Traffic();

  /// Counts a hit.
  void hit(const MemoryRequest& request);
  /// Counts a miss: the request opened an MSHR and reads `bytes` from memory.
  void missed(const MemoryRequest& request, unsigned bytes);
  /// Counts a request that joined an existing MSHR.
  void merged(const MemoryRequest& request);
  /// Counts `bytes` of a line that were written back because of request `cause`.
  void evicted(const MemoryRequest& cause, unsigned bytes);

  [[nodiscard]] const OfEntry& of(unsigned entry) const { return by_entry_[entry]; }
  void clear(unsigned entry) { by_entry_[entry] = {}; }
  /// Returns the counters of requests of no kernel: copies, front end, host.
  [[nodiscard]] const OfEntry& of_nobody() const { return nobody_; }

 private:
  struct OfClient;
  [[nodiscard]] OfClient& client(const MemoryRequest& request) {
    return *by_client_[static_cast<std::size_t>(request.client)];
  }
  [[nodiscard]] OfEntry& entry(const MemoryRequest& request) {
    const bool kernel = request.client < Client::kFrontEnd && request.entry < by_entry_.size();
    return kernel ? by_entry_[request.entry] : nobody_;
  }
  void count(std::uint64_t OfEntry::*what, const MemoryRequest& request) {
    OfEntry& of = entry(request);
    ++(of.*what);
    of.bytes += request.sector_bytes();
  }

  base::Counter read_hit_, read_miss_, write_hit_, write_miss_, atomic_hit_, atomic_miss_, merged_, evict_dirty_;
  std::vector<std::unique_ptr<OfClient>> by_client_;
  std::vector<OfEntry> by_entry_;
  OfEntry nobody_;  ///< requests of no kernel
};

}  // namespace castor::gpu

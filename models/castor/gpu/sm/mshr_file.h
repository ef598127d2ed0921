#pragma once

#include <cstdint>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/l1_cache.h"
#include "castor/gpu/sm/line_hash.h"
#include "castor/gpu/sm/memory_operation.h"

namespace castor::gpu {

/// MSHR file of an L1: reads in flight, and the accesses that wait for each (docs/gpu/sm-memory.md, "L1"). An entry is
/// open while later loads may merge into it and its data will be installed in L1.
class MshrFile {
 public:
  static constexpr std::uint32_t kNone = LineHash::kNone;

  /// Target of an MSHR: a line of an operation that waits for the reply.
  struct Target {
    MemoryOperation* operation = nullptr;
    std::uint32_t line = 0;
    /// the reply supplies only the bytes in `missing`; the operation already has all other bytes
    bool partial = false;
    ByteMask missing;
    std::uint32_t next = kNone;
  };
  /// An MSHR.
  struct Entry {
    std::uint64_t line = 0;                     ///< line address of the read
    Cycle sent = 0;                             ///< cycle in which the request was sent
    std::uint32_t slot = L1Cache::kNone;        ///< slot of L1 that the reply will fill, while the entry is open
    std::uint32_t first = kNone, last = kNone;  ///< list of targets
    std::uint32_t targets = 0;                  ///< number of targets
    std::uint8_t sectors = 0;                   ///< sectors that the read fetches
    bool open = false;                          ///< later loads may merge, and the data will be installed
    bool used = false;                          ///< allocated, until the reply was served
  };

  explicit MshrFile(const Machine& machine);

  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] unsigned in_use() const { return static_cast<unsigned>(entries_.size() - free_.size()); }
  [[nodiscard]] Entry& at(std::uint32_t entry) { return entries_[entry]; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] Target& target(std::uint32_t index) { return targets_[index]; }
  [[nodiscard]] const Target& target(std::uint32_t index) const { return targets_[index]; }

  /// Returns the youngest open entry of a line; and the next older open entry of the same line. kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const { return hash_.find(line); }
  [[nodiscard]] std::uint32_t older(std::uint32_t entry) const { return hash_.older(entry); }

  /// Allocates an open entry. The file must not be full.
  std::uint32_t open(std::uint64_t line, std::uint8_t sectors, Cycle sent, std::uint32_t slot);
  /// Allocates an entry for a read that bypasses L1; no load merges with it. The file must not be full.
  std::uint32_t take(std::uint64_t line, std::uint8_t sectors, Cycle sent);
  [[nodiscard]] bool can_merge(std::uint32_t entry) const { return entries_[entry].targets < merges_; }
  void add_target(std::uint32_t entry, const Target& target);
  /// Closes an entry: no later load merges, and its data will not be installed.
  void close(std::uint32_t entry);
  /// Frees an entry and its targets after its reply was served.
  void free(std::uint32_t entry);

 private:
  std::uint32_t merges_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<Target> targets_;
  std::uint32_t free_target_ = kNone;
  LineHash hash_;
};

}  // namespace castor::gpu

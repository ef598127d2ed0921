#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/gpu/hooks/swap_engine.h"

namespace castor::gpu {

/// Promise of tb.readonly: `bytes` bytes of shared memory from `shared` on hold the same as global memory from
/// `address` on, and neither is written.
struct ReadOnlyPromise {
  std::uint32_t shared = 0;
  std::uint32_t bytes = 0;  ///< 0 in a free entry of a table
  std::uint64_t address = 0;

  /// Returns the first whole line of shared memory, and the line behind the last one.
  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>((std::uint64_t{shared} + kSwapLineBytes - 1) / kSwapLineBytes);
  }
  [[nodiscard]] std::uint32_t end() const {
    return static_cast<std::uint32_t>((std::uint64_t{shared} + bytes) / kSwapLineBytes);
  }
  [[nodiscard]] bool holds(std::uint32_t at) const { return at >= shared && at - shared < bytes; }
  /// Returns the global address of a whole line of shared memory.
  [[nodiscard]] std::uint64_t address_of(std::uint32_t line) const {
    return address + std::uint64_t{line} * kSwapLineBytes - shared;
  }
};

/// Read-only segments of a thread block (docs/gpu/swapping.md, "Read-only segments"): the promises of its tb.readonly
/// instructions that cover whole lines of shared memory. EngineMoves has one per TB context.
class SegmentTable {
 public:
  /// Most entries of a table: it is one line of the context.
  static constexpr unsigned kMost = kSwapLineBytes / sizeof(ReadOnlyPromise);

  /// Enters a promise, and returns the number of its entry. Returns nothing if it has no effect: it covers no whole
  /// line of the `shared_bytes` bytes of shared memory, shared and global lines are not aligned to each other, it
  /// overlaps another one or is the same, or `entries` entries are in use.
  Maybe<unsigned> enter(const ReadOnlyPromise& promise, unsigned shared_bytes, unsigned entries);
  /// Removes the promise that holds a byte of shared memory, and returns the number of its entry.
  Maybe<unsigned> drop(std::uint32_t shared);
  void clear() { entries_ = {}; }

  [[nodiscard]] bool empty() const;
  /// Returns the promise that covers a line of shared memory; null if none does.
  [[nodiscard]] const ReadOnlyPromise* covering(std::uint32_t line) const;
  /// Returns the promise that covers one of the lines of `bytes` bytes of shared memory; null if none does.
  [[nodiscard]] const ReadOnlyPromise* covering(std::uint64_t shared, std::uint32_t bytes) const;
  /// Returns an entry as the swap engine sees it.
  [[nodiscard]] ReadOnlySegment segment(unsigned context, unsigned number) const;
  [[nodiscard]] bool used(unsigned number) const { return entries_[number].bytes != 0; }

  /// Writes the table to a line of a context, and reads it from there.
  void write(std::byte* line) const;
  void read(const std::byte* line);

 private:
  std::array<ReadOnlyPromise, kMost> entries_{};
};

}  // namespace castor::gpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace castor::gpu {

/// Tag array of a sectored set-associative cache with least-recently-used replacement (docs/gpu/memory.md, "L2 slice").
/// It models neither time nor data. The user defines the meaning of a line's fields, except that a line with `first` >=
/// 0 is never a victim.
class TagArray {
 public:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

  /// State of one line.
  struct Line {
    std::uint64_t used = 0;    ///< order of the last use
    std::int32_t first = -1;   ///< oldest MSHR entry in flight, -1 = none
    std::int32_t last = -1;    ///< youngest MSHR entry in flight, -1 = none
    std::uint8_t valid = 0;    ///< mask of valid sectors
    std::uint8_t dirty = 0;    ///< mask of sectors modified and not written back
    std::uint8_t pending = 0;  ///< mask of sectors that become valid when all MSHR entries of the line have completed
  };

  TagArray(unsigned sets, unsigned ways)
      : ways_(ways), tags_(std::size_t{sets} * ways, kNoLine), lines_(std::size_t{sets} * ways) {}

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] Line& line(std::size_t index) { return lines_[index]; }
  [[nodiscard]] const Line& line(std::size_t index) const { return lines_[index]; }
  /// Returns the line address, or kNoLine.
  [[nodiscard]] std::uint64_t tag(std::size_t index) const { return tags_[index]; }

  /// Prefetches the tags of a set into the host's cache.
  void prefetch(unsigned set) const {
    const std::uint64_t* const first = tags_.data() + std::size_t{set} * ways_;
    for (unsigned way = 0; way < ways_; way += 8) __builtin_prefetch(first + way);
  }
  /// Returns the index of a line; -1 if absent.
  [[nodiscard]] std::int32_t find(unsigned set, std::uint64_t tag) const {
    const std::size_t base = std::size_t{set} * ways_;
    for (std::size_t i = base; i < base + ways_; ++i) {
      if (tags_[i] == tag) return static_cast<std::int32_t>(i);
    }
    return -1;
  }
  /// Returns the way for a new line: an invalid way, else the least recently used way without an MSHR entry in flight,
  /// with the lowest index on a tie. Returns -1 if all ways have an entry in flight.
  [[nodiscard]] std::int32_t victim(unsigned set) const {
    std::int32_t best = -1;
    const std::size_t base = std::size_t{set} * ways_;
    for (std::size_t i = base; i < base + ways_; ++i) {
      if (tags_[i] == kNoLine) return static_cast<std::int32_t>(i);
      if (lines_[i].first < 0 && (best < 0 || lines_[i].used < lines_[static_cast<std::size_t>(best)].used)) {
        best = static_cast<std::int32_t>(i);
      }
    }
    return best;
  }
  /// Assigns a way to a line, with no valid sector.
  void place(std::size_t index, std::uint64_t tag) {
    tags_[index] = tag;
    lines_[index] = {};
    touch(index);
  }
  /// Invalidates a line.
  void remove(std::size_t index) {
    tags_[index] = kNoLine;
    lines_[index] = {};
  }
  /// Marks a line as most recently used.
  void touch(std::size_t index) { lines_[index].used = ++uses_; }

 private:
  unsigned ways_;
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> tags_;
  std::vector<Line> lines_;
};

}  // namespace castor::gpu

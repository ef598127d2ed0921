#pragma once

#include <cstdint>
#include <vector>

namespace castor::gpu {

/// Hash table that finds numbered items (slots, MSHRs) by line address. Each bucket is a linked list, last inserted
/// item first. Several items may have the same address.
class LineHash {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Makes a table for items 0..count - 1.
  LineHash(std::size_t count, unsigned line_bytes) : next_(count, kNone), line_(count, 0) {
    while ((1U << shift_) < line_bytes) ++shift_;
    std::size_t buckets = 16;
    while (buckets < 2 * count) buckets *= 2;
    head_.assign(buckets, kNone);
  }

  /// Returns the last inserted item of a line, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    std::uint32_t at = head_[bucket(line)];
    while (at != kNone && line_[at] != line) at = next_[at];
    return at;
  }
  /// Returns the item of the same line that was inserted before `at`, or kNone.
  [[nodiscard]] std::uint32_t older(std::uint32_t at) const {
    const std::uint64_t line = line_[at];
    do at = next_[at];
    while (at != kNone && line_[at] != line);
    return at;
  }
  void insert(std::uint32_t at, std::uint64_t line) {
    std::uint32_t& head = head_[bucket(line)];
    line_[at] = line;
    next_[at] = head;
    head = at;
  }
  void erase(std::uint32_t at) {
    std::uint32_t* link = &head_[bucket(line_[at])];
    while (*link != at) link = &next_[*link];
    *link = next_[at];
  }

 private:
  [[nodiscard]] std::size_t bucket(std::uint64_t line) const {
    const std::uint64_t number = line >> shift_;
    return (number ^ number >> 9 ^ number >> 18) & (head_.size() - 1);
  }

  unsigned shift_ = 0;
  std::vector<std::uint32_t> head_, next_;
  std::vector<std::uint64_t> line_;
};

}  // namespace castor::gpu

#include "castor/gpu/sm/segment_table.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu {
namespace {

static_assert(sizeof(ReadOnlyPromise) * SegmentTable::kMost == kSwapLineBytes);

[[nodiscard]] bool overlap(const ReadOnlyPromise& a, const ReadOnlyPromise& b) {
  return a.bytes != 0 && b.bytes != 0 && std::uint64_t{a.shared} < std::uint64_t{b.shared} + b.bytes &&
         std::uint64_t{b.shared} < std::uint64_t{a.shared} + a.bytes;
}

}  // namespace

Maybe<unsigned> SegmentTable::enter(const ReadOnlyPromise& promise, unsigned shared_bytes, unsigned entries) {
  if (std::uint64_t{promise.shared} + promise.bytes > shared_bytes || promise.first() >= promise.end()) return {};
  if ((promise.address - promise.shared) % kSwapLineBytes != 0) return {};
  if (std::any_of(entries_.begin(), entries_.end(),
                  [&](const ReadOnlyPromise& one) { return overlap(one, promise); })) {
    return {};
  }
  for (unsigned i = 0; i < entries; ++i) {
    if (used(i)) continue;
    entries_[i] = promise;
    return i;
  }
  return {};
}

Maybe<unsigned> SegmentTable::drop(std::uint32_t shared) {
  for (unsigned i = 0; i < kMost; ++i) {
    if (!entries_[i].holds(shared)) continue;
    entries_[i] = {};
    return i;
  }
  return {};
}

bool SegmentTable::empty() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const ReadOnlyPromise& one) { return one.bytes == 0; });
}

const ReadOnlyPromise* SegmentTable::covering(std::uint32_t line) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [line](const ReadOnlyPromise& one) {
    return one.bytes != 0 && line >= one.first() && line < one.end();
  });
  return found == entries_.end() ? nullptr : &*found;
}

const ReadOnlyPromise* SegmentTable::covering(std::uint64_t shared, std::uint32_t bytes) const {
  const auto last = static_cast<std::uint32_t>((shared + bytes - 1) / kSwapLineBytes);
  for (auto line = static_cast<std::uint32_t>(shared / kSwapLineBytes); line <= last; ++line) {
    if (const ReadOnlyPromise* const found = covering(line)) return found;
  }
  return nullptr;
}

ReadOnlySegment SegmentTable::segment(unsigned context, unsigned number) const {
  const ReadOnlyPromise& one = entries_[number];
  ReadOnlySegment segment;
  segment.slot = static_cast<std::uint8_t>(context);
  segment.index = static_cast<std::uint8_t>(number);
  if (one.bytes == 0) return segment;
  segment.first = static_cast<std::uint16_t>(one.first());
  segment.lines = static_cast<std::uint16_t>(one.end() - one.first());
  segment.address = one.address_of(one.first());
  return segment;
}

void SegmentTable::write(std::byte* line) const { std::memcpy(line, entries_.data(), kSwapLineBytes); }
void SegmentTable::read(const std::byte* line) { std::memcpy(entries_.data(), line, kSwapLineBytes); }

}  // namespace castor::gpu

#include "castor/gpu/sm/event_wheel.h"

namespace castor::gpu {

void EventWheel::add_late(Tick tick, const SmEvent& event) {
  const auto place = std::lower_bound(late_.begin(), late_.end(), tick,
                                      [](const Late& late, Tick value) { return late.tick > value; });
  late_.insert(place, {tick, event});
}

// Moves the events of `tick` from the sorted list to the head of their bucket.
void EventWheel::move_late(Tick tick) {
  auto first = late_.end();
  while (first != late_.begin() && std::prev(first)->tick == tick) --first;
  for (auto at = first; at != late_.end(); ++at) push(tick % kHorizon, at->event);
  late_.erase(first, late_.end());
}

Tick EventWheel::next(Tick now) const {
  const Tick late = late_.empty() ? base::kForever : late_.back().tick;
  if (words_ == 0) return late;
  const std::size_t start = (now + 1) % kHorizon;
  std::size_t word = start / 64;
  std::uint64_t bits = marks_[word] & ~std::uint64_t{0} << (start % 64);
  if (bits == 0) {
    // Finds the next word with a mark in cyclic order. The search wraps around; the lower part of the first word is
    // searched last.
    const std::uint32_t above = word == 31 ? 0 : words_ & ~std::uint32_t{0} << (word + 1);
    word = static_cast<std::size_t>(__builtin_ctz(above != 0 ? above : words_));
    bits = marks_[word];
  }
  const std::size_t bucket = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
  return std::min<Tick>(late, now + 1 + (bucket + kHorizon - start) % kHorizon);
}

}  // namespace castor::gpu

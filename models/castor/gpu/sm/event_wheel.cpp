#include "castor/gpu/sm/event_wheel.h"

namespace castor::gpu {

void EventWheel::add_late(Tick tick, const SmEvent& event) {
  const auto place = std::lower_bound(late_.begin(), late_.end(), tick,
                                      [](const Late& late, Tick value) { return late.tick > value; });
  late_.insert(place, {tick, event});
}

Tick EventWheel::next(Tick now) const {
  const Tick late = late_.empty() ? base::kForever : late_.back().tick;
  const std::size_t start = (now + 1) % kHorizon;
  // The word in which the search starts is looked at twice: its upper part first, its lower part after a whole turn.
  for (std::size_t step = 0; step <= marks_.size(); ++step) {
    const std::size_t word = (start / 64 + step) % marks_.size();
    std::uint64_t bits = marks_[word];
    const std::uint64_t upper = ~std::uint64_t{0} << (start % 64);
    if (step == 0) bits &= upper;
    if (step == marks_.size()) bits &= ~upper;
    if (bits == 0) continue;
    const std::size_t bucket = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
    return std::min<Tick>(late, now + 1 + (bucket + kHorizon - start) % kHorizon);
  }
  return late;
}

}  // namespace castor::gpu

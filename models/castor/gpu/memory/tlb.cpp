#include "castor/gpu/memory/tlb.h"

#include <algorithm>

namespace castor::gpu {

bool TlbEntries::find(std::uint64_t page) {
  std::uint64_t* const first = set(page);
  std::uint64_t* const found = std::find(first, first + ways_, page);
  if (found == first + ways_) return false;
  std::rotate(first, found, found + 1);
  return true;
}

void TlbEntries::insert(std::uint64_t page) {
  std::uint64_t* const first = set(page);
  std::rotate(first, first + ways_ - 1, first + ways_);
  *first = page;
}

SharedTlb::SharedTlb(const Machine& machine, base::StatisticGroup& parent)
    : latency_(machine.tlb.l2_latency),
      walk_latency_(machine.tlb.walk_latency),
      entries_(machine.tlb.l2_entries, machine.tlb.l2_ways),
      walkers_(machine.tlb.walkers, 0),
      group_(parent, "tlb"),
      hit_(group_, {"tlb_hit", "", "requests of SMs for pages that the shared TLB held"}),
      miss_(group_, {"tlb_miss", "", "requests that began a walk"}),
      merged_(group_, {"tlb_merged", "", "requests for pages that were being walked for"}),
      waited_(group_, {"tlb_walk_wait", "cycles", "walks waited for a walker"}) {}

Cycle SharedTlb::translate(std::uint64_t page, Cycle now) {
  const Cycle taken = std::max(now, free_from_);
  free_from_ = taken + 1;
  const Cycle known = taken + latency_;
  walks_.erase(std::remove_if(walks_.begin(), walks_.end(), [known](const Walk& w) { return w.over <= known; }),
               walks_.end());
  for (const Walk& walk : walks_) {
    if (walk.page != page) continue;
    ++merged_;
    return walk.over;
  }
  if (entries_.find(page)) {
    ++hit_;
    return known;
  }
  ++miss_;
  entries_.insert(page);
  return walk(page, known);
}

Cycle SharedTlb::walk(std::uint64_t page, Cycle from) {
  Cycle& free = *std::min_element(walkers_.begin(), walkers_.end());
  const Cycle start = std::max(from, free);
  waited_ += start - from;
  free = start + walk_latency_;
  walks_.push_back({page, free});
  return free;
}

}  // namespace castor::gpu

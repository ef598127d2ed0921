#include "castor/gpu/sm/sm_tlb.h"

namespace castor::gpu {

SmTlb::SmTlb(const Machine& machine, SharedTlb& shared, base::StatisticGroup& sm)
    : page_shift_(static_cast<unsigned>(__builtin_ctzll(machine.tlb.page_bytes))),  // page_bytes is a power of two
      shared_(shared),
      entries_(machine.tlb.l1_entries, machine.tlb.l1_ways),
      group_(sm, "tlb"),
      hit_(group_, {"tlb_hit", "", "packets for the network that hit the TLB of the SM"}),
      miss_(group_, {"tlb_miss", "", "packets that missed the TLB of the SM and sent a request to the shared TLB"}),
      merged_(group_, {"tlb_merged", "",
                       "packets that missed the TLB of the SM while a request for their page was outstanding"}) {}

void SmTlb::look_up(std::uint64_t address) {
  const std::uint64_t page = address >> page_shift_;
  if (waits(address)) {
    ++merged_;
  } else if (entries_.find(page)) {
    ++hit_;
  } else {
    ++miss_;
    misses_.push_back({page, kForever});
    ++unasked_;
  }
}

void SmTlb::ask(Cycle now) {
  for (std::size_t i = misses_.size() - unasked_; i < misses_.size(); ++i) {
    misses_[i].here = shared_.translate(misses_[i].page, now);
  }
  unasked_ = 0;
  find_next();
}

void SmTlb::take(Cycle now) {
  for (const Miss& miss : misses_) {
    if (miss.here <= now) entries_.insert(miss.page);
  }
  misses_.erase(std::remove_if(misses_.begin(), misses_.end(), [now](const Miss& miss) { return miss.here <= now; }),
                misses_.end());
  find_next();
}

void SmTlb::find_next() {
  next_ = kForever;
  for (const Miss& miss : misses_) next_ = std::min(next_, miss.here);
}

}  // namespace castor::gpu

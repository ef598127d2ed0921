#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/tlb.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// L1 TLB of an SM, between its L1 and the network: packets need the translation of their page. Misses are sent to the
/// shared TLB after the tick. An entry is valid from the cycle in which its translation arrives.
class SmTlb {
 public:
  /// Statistics go into a group `tlb` of `sm`.
  SmTlb(const Machine& machine, SharedTlb& shared, base::StatisticGroup& sm);

  /// Looks up the page of a packet that enters the injection FIFO, and records a miss.
  void look_up(std::uint64_t address);
  /// Returns whether the translation of the address's page is missing, so that its packet has to wait.
  [[nodiscard]] bool waits(std::uint64_t address) const {
    const std::uint64_t page = address >> page_shift_;
    return std::any_of(misses_.begin(), misses_.end(), [page](const Miss& miss) { return miss.page == page; });
  }
  /// Inserts the translations that have arrived by cycle `now`, tick `tick`.
  void advance(Cycle now, Tick tick) {
    now_ = now;
    tick_ = tick;
    if (next_ <= now) take(now);
  }
  /// Returns whether a miss has not been sent to the shared TLB yet.
  [[nodiscard]] bool asks() const { return unasked_ != 0; }
  /// Sends all such misses to the shared TLB. To be called at the end of cycle `now`, when all units have ticked.
  void ask(Cycle now);
  /// Returns the cycle in which the next translation arrives, or kForever.
  [[nodiscard]] Cycle next() const { return next_; }
  /// Returns the tick in which the next translation arrives, if the SM's clock stays enabled, or kForever.
  [[nodiscard]] Tick next_tick() const { return next_ == kForever ? kForever : tick_ + (next_ - now_); }

 private:
  /// Page whose translation is missing.
  struct Miss {
    std::uint64_t page;
    Cycle here;  ///< cycle in which the translation arrives; kForever until the miss is sent
  };
  void take(Cycle now);
  void find_next();

  unsigned page_shift_;
  SharedTlb& shared_;
  TlbEntries entries_;
  std::vector<Miss> misses_;  ///< outstanding misses, oldest first
  unsigned unasked_ = 0;      ///< number of misses not yet sent, at the end of misses_
  Cycle next_ = kForever;
  Cycle now_ = 0;  ///< cycle of the last `advance`
  Tick tick_ = 0;  ///< tick of the last `advance`
  base::StatisticGroup group_;
  base::Counter hit_, miss_, merged_;
};

}  // namespace castor::gpu

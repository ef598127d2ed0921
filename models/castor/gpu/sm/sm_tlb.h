#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/tlb.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// The TLB of an SM, behind its L1: what leaves for the network needs the translation of its page. A miss is asked of
/// the shared TLB when the tick is over, and the page is held from the cycle on in which the answer is here.
class SmTlb {
 public:
  /// Statistics go into a group `tlb` of `sm`.
  SmTlb(const Machine& machine, SharedTlb& shared, base::StatisticGroup& sm);

  /// Something to this address will leave.
  void look_up(std::uint64_t address);
  /// It has to stay: the translation of its page is not here.
  [[nodiscard]] bool waits(std::uint64_t address) const {
    const std::uint64_t page = address >> page_shift_;
    return std::any_of(misses_.begin(), misses_.end(), [page](const Miss& miss) { return miss.page == page; });
  }
  /// Takes the answers that are here in cycle `now`, tick `tick`.
  void advance(Cycle now, Tick tick) {
    now_ = now;
    tick_ = tick;
    if (next_ <= now) take(now);
  }
  /// There is a miss that the shared TLB does not know yet.
  [[nodiscard]] bool asks() const { return unasked_ != 0; }
  /// Asks for all of them; for the end of cycle `now`, when all units have ticked.
  void ask(Cycle now);
  /// Cycle in which the next answer is here; kForever if none is under way.
  [[nodiscard]] Cycle next() const { return next_; }
  /// The same as a tick, if the SM's clock runs since the last `advance`.
  [[nodiscard]] Tick next_tick() const { return next_ == kForever ? kForever : tick_ + (next_ - now_); }

 private:
  struct Miss {
    std::uint64_t page;
    Cycle here;  ///< kForever until it is asked for
  };
  void take(Cycle now);
  void find_next();

  unsigned page_shift_;
  SharedTlb& shared_;
  TlbEntries entries_;
  std::vector<Miss> misses_;  ///< in their order
  unsigned unasked_ = 0;      ///< the last ones
  Cycle next_ = kForever;
  Cycle now_ = 0;  ///< of the last advance
  Tick tick_ = 0;  ///< the same
  base::StatisticGroup group_;
  base::Counter hit_, miss_, merged_;
};

}  // namespace castor::gpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Pages that a TLB holds translations of: sets of ways, the least recently used goes. What a page is translated to is
/// not modelled, addresses are what they are (docs/gpu/memory.md, "Address translation").
class TlbEntries {
 public:
  /// `entries` is a multiple of `ways`.
  TlbEntries(unsigned entries, unsigned ways)
      : ways_(ways), sets_(entries / ways), pages_(std::size_t{sets_} * ways, kNoPage) {}

  /// Whether the page is held; it has been used then.
  [[nodiscard]] bool find(std::uint64_t page);
  /// Holds a page that it does not.
  void insert(std::uint64_t page);

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

  /// First place of the page's set; its pages stand in the order of their use, the last used one first.
  [[nodiscard]] std::uint64_t* set(std::uint64_t page) { return &pages_[page % sets_ * ways_]; }

  unsigned ways_, sets_;
  std::vector<std::uint64_t> pages_;
};

/// The TLB that all SMs share, and the walks through the page table behind it. It takes one request per cycle, in the
/// order in which SMs ask. A page that is being walked for is not walked for again.
///
/// An answer is known at once, as the cycle in which the SM has it, so this is no unit with a tick: SMs ask when all
/// units of a cycle have ticked, in ascending order.
/// Limits: walks take a fixed time and no bandwidth of the memory; a page has its entry from the start of its walk on.
class SharedTlb {
 public:
  /// Statistics go into a group `tlb` of `parent`.
  SharedTlb(const Machine& machine, base::StatisticGroup& parent);

  /// Cycle, after `now`, in which an SM that asks in `now` has the translation of the page.
  [[nodiscard]] Cycle translate(std::uint64_t page, Cycle now);

 private:
  struct Walk {
    std::uint64_t page;
    Cycle over;
  };
  [[nodiscard]] Cycle walk(std::uint64_t page, Cycle from);

  Cycle latency_, walk_latency_;
  TlbEntries entries_;
  Cycle free_from_ = 0;         ///< first cycle that takes a request
  std::vector<Cycle> walkers_;  ///< first cycle in which each is free
  std::vector<Walk> walks_;     ///< not over when a request was taken last
  base::StatisticGroup group_;
  base::Counter hit_, miss_, merged_, waited_;
};

}  // namespace castor::gpu

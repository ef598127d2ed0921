#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Tag array of a TLB: set-associative with least-recently-used replacement. Only the presence of a page is modelled;
/// virtual and physical addresses are equal (docs/gpu/memory.md, "Address translation").
class TlbEntries {
 public:
  /// `entries` is a multiple of `ways`.
  TlbEntries(unsigned entries, unsigned ways)
      : ways_(ways), sets_(entries / ways), pages_(std::size_t{sets_} * ways, kNoPage) {}

  /// Returns whether the page is present, and marks it as most recently used.
  [[nodiscard]] bool find(std::uint64_t page);
  /// Inserts a page that is not present, replacing the least recently used page of its set.
  void insert(std::uint64_t page);

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

  /// Returns the first way of the page's set. The pages of a set are ordered by use, most recently used first.
  [[nodiscard]] std::uint64_t* set(std::uint64_t page) { return &pages_[page % sets_ * ways_]; }

  unsigned ways_, sets_;
  std::vector<std::uint64_t> pages_;
};

/// Second-level TLB shared by all SMs, with its page-table walkers. It accepts one request per cycle, in the order of
/// the SMs' calls. Requests for a page that is being walked share that walk.
/// The answer to a request is computed at once as the cycle in which the SM receives it, so this class has no tick. The
/// SMs call it after all units of a cycle have ticked, in ascending order of SMs.
/// Limits: a walk takes a fixed time and no memory bandwidth; a page has its TLB entry from the start of its walk on.
class SharedTlb {
 public:
  /// The statistics group `tlb` is created in `parent`.
  SharedTlb(const Machine& machine, base::StatisticGroup& parent);

  /// Returns the cycle, after `now`, in which an SM that requests the page in `now` has its translation.
  [[nodiscard]] Cycle translate(std::uint64_t page, Cycle now);

 private:
  struct Walk {
    std::uint64_t page;
    Cycle over;  ///< cycle in which the walk ends
  };
  [[nodiscard]] Cycle walk(std::uint64_t page, Cycle from);

  Cycle latency_, walk_latency_;
  TlbEntries entries_;
  Cycle free_from_ = 0;         ///< first cycle in which the TLB accepts a request
  std::vector<Cycle> walkers_;  ///< per walker: first cycle in which it is free
  std::vector<Walk> walks_;     ///< walks that were not finished when the last request was accepted
  base::StatisticGroup group_;
  base::Counter hit_, miss_, merged_, waited_;
};

}  // namespace castor::gpu

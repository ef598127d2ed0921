#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/page_allocator.h"
#include "gpu_front_end_support.h"

// Machines with memory for swapped-out thread blocks, and a slow model of its allocator for one kernel.
namespace castor::gpu::test::pages {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

/// Reference of the page allocator: images in use by address, without image numbers. It searches for the next free
/// address that fits.
class SlowPages {
 public:
  SlowPages(bool on_demand, Cycle latency, std::uint64_t region, std::uint64_t bytes)
      : on_demand_(on_demand), latency_(latency), region_(region), end_(region + bytes) {}

  /// Returns the address of an image and the cycle from which it may be used; nullopt if the region is full.
  std::optional<std::pair<std::uint64_t, Cycle>> take(std::uint64_t image, Cycle requested) {
    if (!back_.empty()) {
      const std::uint64_t address = back_.back();
      back_.pop_back();
      used_.insert(address);
      return std::make_pair(address, ready(address, image, requested));
    }
    std::uint64_t address = ever_.empty() ? region_ : *ever_.rbegin() + image;
    const std::uint64_t page = image > 4096 ? 2 * kMega : 4096;
    if (on_demand_ && image > page) return std::nullopt;
    // An image must not cross a page boundary.
    while (on_demand_ && (address - region_) / page != (address + image - 1 - region_) / page) address += 128;
    if (address + image > end_) return std::nullopt;
    ever_.insert(address);
    used_.insert(address);
    if (on_demand_ && pages_.count((address - region_) / page) == 0) {
      pages_[(address - region_) / page] = requested + latency_;
    }
    return std::make_pair(address, ready(address, image, requested));
  }
  void give_back(std::uint64_t address) {
    used_.erase(address);
    back_.push_back(address);
  }
  [[nodiscard]] const std::set<std::uint64_t>& used() const { return used_; }
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  [[nodiscard]] Cycle ready(std::uint64_t address, std::uint64_t image, Cycle requested) const {
    if (!on_demand_) return requested;
    return pages_.at((address - region_) / (image > 4096 ? 2 * kMega : 4096));
  }
  bool on_demand_;
  Cycle latency_;
  std::uint64_t region_, end_;
  std::set<std::uint64_t> ever_, used_;
  std::vector<std::uint64_t> back_;
  std::map<std::uint64_t, Cycle> pages_;
};

inline Machine machine_with(const std::string& pages, const std::string& region, unsigned latency = 100) {
  Machine machine =
      load({"context.pages=" + pages, "context.region=" + region, "context.page_latency=" + std::to_string(latency)});
  machine.chip.sync.swaps = true;
  machine.chip.sync.limits.images = true;
  machine.chip.sync.limits.warp_bytes = 80;
  machine.chip.sync.limits.predicate_bytes = 32;
  return machine;
}

}  // namespace castor::gpu::test::pages

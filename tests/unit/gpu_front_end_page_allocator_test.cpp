// Tests of the allocator of memory for swapped-out thread blocks against slow models (docs/gpu/sync-network.md,
// "Images").
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "castor/gpu/front_end/free_ranges.h"
#include "gpu_front_end_pages_support.h"

namespace castor::gpu::gpu_front_end_page_allocator_test {
namespace {

using test::pages::kMega;
using test::pages::machine_with;
using test::pages::SlowPages;

TEST(PageAllocators, GiveOutImagesAsASlowModelDoes) {
  constexpr std::uint64_t kRegion = std::uint64_t{1} << 33;
  for (const char* const pages : {"dynamic", "static"}) {
    for (const std::uint64_t image : {128ULL, 640ULL, 1408ULL, 2048ULL, 4096ULL, 4224ULL, 69888ULL, 1048576ULL,
                                      1048704ULL, 2097152ULL, 2097280ULL}) {
      const Machine machine = machine_with(pages, "8MiB", 37);
      const bool on_demand = std::string(pages) == "dynamic";
      PageAllocator allocator(machine, kRegion);
      base::Xoshiro256 random(image);
      for (Ticket kernel = 1; kernel <= 2; ++kernel) {
        allocator.start(kernel, image);
        bool full = false;
        SlowPages slow(on_demand, 37, kRegion, 8 * kMega);
        // Takes and returns images at random first, and then takes images until the region is full.
        for (Cycle now = 1; now < 800 || !full; ++now) {
          if (now < 800 && !slow.used().empty() && random.below(5) < 2) {
            const auto which = std::next(slow.used().begin(), static_cast<long>(random.below(slow.used().size())));
            const std::uint64_t address = *which;
            EXPECT_TRUE(allocator.in_use(kernel, address));
            EXPECT_FALSE(allocator.in_use(kernel, address + 64));
            allocator.give_back(kernel, address);
            slow.give_back(address);
            EXPECT_FALSE(allocator.in_use(kernel, address));
            full = false;
            continue;
          }
          const auto expected = slow.take(image, now);
          const auto got = allocator.take(kernel, now);
          ASSERT_EQ(got.has_value(), expected.has_value()) << pages << ", image " << image << ", " << now;
          full = !got;
          if (full) continue;
          ASSERT_EQ(std::make_pair(got->address, got->ready), *expected) << pages << ", image " << image << ", " << now;
          EXPECT_EQ(allocator.used(), slow.used().size());
          EXPECT_EQ(allocator.pages(), slow.pages());
        }
        EXPECT_EQ(PageAllocator::capacity(machine.context.pages, 8 * kMega, image), slow.used().size());
        allocator.end(kernel);
        EXPECT_EQ(allocator.used() + allocator.pages(), 0U);
        EXPECT_FALSE(allocator.in_use(kernel, kRegion) || allocator.has(kernel));
      }
    }
  }
}

TEST(PageAllocatorsDeathTest, AnImageThatIsNotInUseCannotBeGivenBack) {
  const Machine machine = machine_with("dynamic", "2MiB");
  PageAllocator allocator(machine, kMega * 4);
  allocator.start(1, 8192);
  allocator.start(2, 8192);
  const std::uint64_t first = allocator.take(1, 1)->address;
  EXPECT_DEATH(allocator.give_back(1, first + 8192), "is given back, but is not in use");
  EXPECT_DEATH(allocator.give_back(2, first), "is given back, but is not in use");
  allocator.give_back(1, first);
  EXPECT_DEATH(allocator.give_back(1, first), "is given back, but is not in use");
}

/// Reference of the page allocator for several kernels: a table of the owner of each line of 128 bytes, which it
/// searches line by line.
class SlowRegion {
 public:
  SlowRegion(bool on_demand, std::uint64_t bytes) : on_demand_(on_demand), owners_(bytes / 128) {}

  void start(Ticket kernel, std::uint64_t image) { kernels_[kernel].image = image; }
  /// Returns the offset of an image in the region; nullopt if there is no room.
  std::optional<std::uint64_t> take(Ticket kernel) {
    Kernel& one = kernels_[kernel];
    if (one.back.empty()) {
      if (on_demand_) {
        add_page(kernel, one);
      } else if (!add_image(kernel, one)) {
        for (auto& [ticket, other] : kernels_) {
          for (const std::uint64_t image : other.back) own(image, other.image, 0);
          other.back.clear();
        }
        static_cast<void>(add_image(kernel, one));
      }
    }
    if (one.back.empty()) return std::nullopt;
    const std::uint64_t image = one.back.back();
    one.back.pop_back();
    return image;
  }
  void give_back(Ticket kernel, std::uint64_t offset) { kernels_[kernel].back.push_back(offset); }
  void end(Ticket kernel) {
    for (Ticket& owner : owners_) owner = owner == kernel ? 0 : owner;
    kernels_.erase(kernel);
  }

 private:
  struct Kernel {
    std::uint64_t image = 0;
    std::vector<std::uint64_t> back, rest;  // images given back; never used images of the last page, highest first
  };
  void own(std::uint64_t offset, std::uint64_t bytes, Ticket kernel) {
    std::fill_n(owners_.begin() + static_cast<long>(offset / 128), bytes / 128, kernel);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t bytes, std::uint64_t step) const {
    for (std::uint64_t offset = 0; offset + bytes <= owners_.size() * 128;) {
      const auto first = owners_.begin() + static_cast<long>(offset / 128);
      const auto end = first + static_cast<long>(bytes / 128);
      const auto owned = std::find_if(first, end, [](Ticket owner) { return owner != 0; });
      if (owned == end) return offset;
      const auto next = static_cast<std::uint64_t>(owned - owners_.begin() + 1) * 128;
      offset = (next + step - 1) / step * step;
    }
    return std::nullopt;
  }
  bool add_image(Ticket kernel, Kernel& one) {
    const auto offset = find(one.image, 128);
    if (!offset) return false;
    own(*offset, one.image, kernel);
    one.back.push_back(*offset);
    return true;
  }
  void add_page(Ticket kernel, Kernel& one) {
    const std::uint64_t page = one.image > 4096 ? 2 * kMega : 4096;
    if (one.rest.empty()) {
      const auto offset = find(page, page);
      if (!offset) return;
      own(*offset, page, kernel);
      for (std::uint64_t image = page / one.image; image-- > 0;) one.rest.push_back(*offset + image * one.image);
    }
    one.back.push_back(one.rest.back());
    one.rest.pop_back();
  }
  bool on_demand_;
  std::vector<Ticket> owners_;  // [line] kernel to which it belongs, 0 = none
  std::map<Ticket, Kernel> kernels_;
};

// Kernels with small and large images begin and end while others have images, in a region that is often full.
TEST(PageAllocators, ServeSeveralKernelsAsASlowModelDoes) {
  constexpr std::uint64_t kRegion = std::uint64_t{1} << 33;
  constexpr std::uint64_t kImages[] = {128, 640, 4096, 4224, 69888, 399'872, 1'048'704};
  for (const char* const pages : {"dynamic", "static"}) {
    SCOPED_TRACE(pages);
    PageAllocator allocator(machine_with(pages, "8MiB"), kRegion);
    SlowRegion slow(std::string(pages) == "dynamic", 8 * kMega);
    base::Xoshiro256 random(5);
    std::map<Ticket, std::set<std::uint64_t>> used;
    Ticket next = 1;
    unsigned full = 0, most = 0;
    for (Cycle now = 1; now < 6000; ++now) {
      const std::uint64_t draw = random.below(100);
      if (used.size() < 2 || (draw < 2 && used.size() < 5)) {
        const std::uint64_t image = kImages[random.below(std::size(kImages))];
        allocator.start(next, image);
        slow.start(next, image);
        used[next++];
        most = std::max<unsigned>(most, static_cast<unsigned>(used.size()));
        continue;
      }
      const auto kernel = std::next(used.begin(), static_cast<long>(random.below(used.size())));
      if (draw < 4) {
        allocator.end(kernel->first);
        slow.end(kernel->first);
        used.erase(kernel);
      } else if (draw < 30 && !kernel->second.empty()) {
        const auto which = std::next(kernel->second.begin(), static_cast<long>(random.below(kernel->second.size())));
        allocator.give_back(kernel->first, *which);
        slow.give_back(kernel->first, *which - kRegion);
        kernel->second.erase(which);
      } else {
        const auto expected = slow.take(kernel->first);
        const auto got = allocator.take(kernel->first, now);
        ASSERT_EQ(got.has_value(), expected.has_value()) << now;
        full += got ? 0 : 1;
        if (!got) continue;
        ASSERT_EQ(got->address - kRegion, *expected) << now;
        kernel->second.insert(got->address);
      }
    }
    EXPECT_GT(full, 200U);
    EXPECT_EQ(most, 5U);
    for (const auto& [ticket, images] : used) allocator.end(ticket);
    EXPECT_EQ(allocator.used() + allocator.pages(), 0U);
    allocator.start(next, 2 * kMega);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(allocator.take(next, 1)->address, kRegion + i * 2 * kMega);
    EXPECT_FALSE(allocator.take(next, 1));
  }
}

TEST(FreeRangesOfARegion, FirstFitAlignmentAndNeighboursThatJoin) {
  FreeRanges ranges;
  ranges.start(0x1000, 1024);
  EXPECT_EQ(ranges.take(128, 1), 0x1000U);
  EXPECT_EQ(ranges.take(256, 256), 0x1100U) << "the range before it stays free";
  EXPECT_EQ(ranges.take(512, 512), 0x1200U);
  EXPECT_EQ(ranges.take(256, 1), std::nullopt) << "the free range has 128 bytes";
  EXPECT_EQ(ranges.take(128, 128), 0x1080U);
  EXPECT_EQ(ranges.take(1, 1), std::nullopt);
  ranges.give_back(0x1000, 128);
  ranges.give_back(0x1200, 512);
  EXPECT_EQ(ranges.take(513, 1), std::nullopt) << "the free ranges do not touch";
  ranges.give_back(0x1080, 128);
  ranges.give_back(0x1100, 256);
  EXPECT_EQ(ranges.take(1024, 4096), 0x1000U);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_page_allocator_test

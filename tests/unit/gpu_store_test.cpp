// The store: allocations, gaps, quarantine of freed memory, texts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/store.h"

namespace castor::gpu::gpu_store_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMegabyte = 1 << 20;

Store::Options small(bool poison = false) { return {kMegabyte, poison}; }

unsigned byte_at(const Store& store, std::uint64_t address) { return std::to_integer<unsigned>(*store.host(address)); }

TEST(Store, StartsAtFourGigabytesAlignedTo256) {
  Store store(small());
  const auto first = store.allocate(1, AllocationKind::kHeap);
  const auto second = store.allocate(300, AllocationKind::kHeap);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, std::uint64_t{1} << 32);
  EXPECT_EQ(*second % 256, 0U);
}

TEST(Store, LeavesAGapBehindEveryAllocation) {
  Store store(small());
  for (const std::uint64_t size : {1U, 255U, 256U, 257U, 4096U}) {
    const auto address = store.allocate(size, AllocationKind::kHeap);
    const auto next = store.allocate(1, AllocationKind::kHeap);
    ASSERT_TRUE(address && next);
    EXPECT_GE(*next, *address + size + 256);
    EXPECT_TRUE(store.contains(*address, size));
    EXPECT_FALSE(store.contains(*address, size + 1));
    EXPECT_EQ(store.find(*address + size), nullptr);
    EXPECT_EQ(store.find(*address - 1), nullptr);
    ASSERT_NE(store.find(*address + size - 1), nullptr);
    EXPECT_EQ(store.find(*address + size - 1)->address, *address);
  }
}

TEST(Store, HonoursLargerAlignments) {
  Store store(small());
  (void)store.allocate(1, AllocationKind::kHeap);
  for (const std::uint64_t alignment : {512U, 4096U, 65536U}) {
    const auto address = store.allocate(10, AllocationKind::kModule, "x", alignment);
    ASSERT_TRUE(address);
    EXPECT_EQ(*address % alignment, 0U);
  }
}

TEST(Store, RoundsSizeZeroToOne) {
  Store store(small());
  const auto address = store.allocate(0, AllocationKind::kHeap);
  ASSERT_TRUE(address);
  EXPECT_TRUE(store.contains(*address, 1));
  EXPECT_FALSE(store.contains(*address, 2));
}

TEST(Store, ContainsDoesNotWrapAround) {
  Store store(small());
  const auto address = store.allocate(100, AllocationKind::kHeap);
  EXPECT_FALSE(store.contains(*address + 1, ~std::uint64_t{0}));
  EXPECT_FALSE(store.contains(*address + 99, 2));
  EXPECT_TRUE(store.contains(*address + 99, 1));
}

TEST(Store, FreshMemoryReadsZeroAndKeepsWhatIsWritten) {
  Store store(small());
  const auto address = store.allocate(1000, AllocationKind::kHeap);
  for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(byte_at(store, *address + i), 0U);
  std::memset(store.host(*address), 0x5a, 1000);
  EXPECT_EQ(byte_at(store, *address + 999), 0x5aU);
}

TEST(Store, PoisonFillsFreshMemory) {
  Store store(small(true));
  const auto address = store.allocate(1000, AllocationKind::kHeap);
  EXPECT_EQ(byte_at(store, *address), 0xcdU);
  EXPECT_EQ(byte_at(store, *address + 999), 0xcdU);
}

TEST(Store, FreesOnlyStartsOfLiveAllocations) {
  Store store(small());
  const auto address = store.allocate(1000, AllocationKind::kHeap);
  EXPECT_FALSE(store.free(*address + 256));
  EXPECT_FALSE(store.free(*address - 256));
  EXPECT_TRUE(store.free(*address));
  EXPECT_FALSE(store.free(*address));
  EXPECT_EQ(store.find(*address), nullptr);
}

TEST(Store, TakesFreedMemoryAgainOnlyWhenFreshHasRunOut) {
  Store store(small());
  const auto first = store.allocate(1000, AllocationKind::kHeap);
  ASSERT_TRUE(store.free(*first));
  // As long as fresh memory is left no allocation touches the freed range.
  std::vector<std::uint64_t> taken;
  while (true) {
    const auto next = store.allocate(60'000, AllocationKind::kHeap);
    if (!next) break;
    EXPECT_NE(*next, *first);
    EXPECT_GE(*next, *first + 1000);
    taken.push_back(*next);
    ASSERT_LT(taken.size(), 100U);
  }
  // 2^20 bytes less the first 1024 + 256 hold 17 spans of 60160 + 256 bytes.
  EXPECT_EQ(taken.size(), 17U);
  // Now the small freed range is reused.
  while (const auto next = store.allocate(1000, AllocationKind::kHeap)) {
    taken.push_back(*next);
    ASSERT_LT(taken.size(), 1000U);
  }
  EXPECT_NE(std::find(taken.begin(), taken.end(), *first), taken.end());
}

TEST(Store, FreedMemoryReadsZeroWhenItIsTakenAgain) {
  Store store({8192, false});
  const auto first = store.allocate(6000, AllocationKind::kHeap);
  ASSERT_TRUE(first);
  std::memset(store.host(*first), 0xff, 6000);
  store.free(*first);
  const auto again = store.allocate(6000, AllocationKind::kHeap);
  ASSERT_EQ(again, first);
  for (unsigned i = 0; i < 6000; ++i) ASSERT_EQ(byte_at(store, *again + i), 0U) << i;
}

TEST(Store, NeighboursInOnePageSurviveAFree) {
  Store store(small());
  const auto before = store.allocate(100, AllocationKind::kHeap);
  const auto middle = store.allocate(9000, AllocationKind::kHeap);
  const auto after = store.allocate(100, AllocationKind::kHeap);
  std::memset(store.host(*before), 1, 100);
  std::memset(store.host(*middle), 2, 9000);
  std::memset(store.host(*after), 3, 100);
  store.free(*middle);
  EXPECT_EQ(byte_at(store, *before + 99), 1U);
  EXPECT_EQ(byte_at(store, *after), 3U);
  EXPECT_EQ(byte_at(store, *after + 99), 3U);
}

TEST(Store, ReusesParameterMemoryAtOnce) {
  Store store(small());
  const auto first = store.allocate(64, AllocationKind::kParameters);
  store.free(*first);
  EXPECT_EQ(store.allocate(64, AllocationKind::kParameters), first);
}

TEST(Store, ExhaustionGivesNothingAndChangesNothing) {
  Store store(small());
  const auto address = store.allocate(kMegabyte / 2, AllocationKind::kHeap);
  ASSERT_TRUE(address);
  const std::uint64_t used = store.used();
  const std::uint64_t generation = store.generation();
  EXPECT_EQ(store.allocate(kMegabyte, AllocationKind::kHeap), std::nullopt);
  EXPECT_EQ(store.allocate(kMegabyte / 2, AllocationKind::kHeap), std::nullopt);
  EXPECT_EQ(store.allocate(~std::uint64_t{0}, AllocationKind::kHeap), std::nullopt);
  EXPECT_EQ(store.allocate(~std::uint64_t{0} - 200, AllocationKind::kHeap), std::nullopt);
  EXPECT_EQ(store.used(), used);
  EXPECT_EQ(store.generation(), generation);
  EXPECT_TRUE(store.allocate(kMegabyte / 4, AllocationKind::kHeap));
}

TEST(Store, MergesFreedNeighbours) {
  Store store({64 * 1024, false});
  std::vector<std::uint64_t> all;
  while (const auto next = store.allocate(3840, AllocationKind::kHeap)) all.push_back(*next);  // 4096 with the gap
  ASSERT_EQ(all.size(), 16U);
  for (const std::uint64_t address : all) store.free(address);
  EXPECT_EQ(store.used(), 0U);
  const auto whole = store.allocate(64 * 1024 - 256, AllocationKind::kHeap);
  ASSERT_TRUE(whole);
  EXPECT_EQ(*whole, all[0]);
}

TEST(Store, UsedCountsWhatIsAllocated) {
  Store store(small());
  EXPECT_EQ(store.used(), 0U);
  EXPECT_EQ(store.capacity(), kMegabyte);
  const auto address = store.allocate(1000, AllocationKind::kHeap);
  EXPECT_GE(store.used(), 1000U);
  EXPECT_LE(store.used(), 2048U);
  const auto other = store.allocate(77, AllocationKind::kDeviceHeap);
  EXPECT_EQ(store.used(AllocationKind::kHeap), 1000U);
  EXPECT_EQ(store.used(AllocationKind::kDeviceHeap), 77U);
  store.free(*address);
  EXPECT_EQ(store.used(AllocationKind::kHeap), 0U);
  store.free(*other);
  EXPECT_EQ(store.used(), 0U);
  (void)store.allocate(5, AllocationKind::kDeviceHeap);
  store.clear();
  EXPECT_EQ(store.used(AllocationKind::kDeviceHeap), 0U);
}

TEST(Store, GenerationChangesWithEveryAllocationAndFree) {
  Store store(small());
  const std::uint64_t start = store.generation();
  const auto address = store.allocate(10, AllocationKind::kHeap);
  const std::uint64_t allocated = store.generation();
  EXPECT_NE(allocated, start);
  store.set_read_only(*address, true);
  const std::uint64_t marked = store.generation();
  EXPECT_NE(marked, allocated);
  store.free(*address);
  const std::uint64_t freed = store.generation();
  EXPECT_NE(freed, marked);
  store.clear();
  EXPECT_NE(store.generation(), freed);
}

TEST(Store, RemembersReadOnly) {
  Store store(small());
  const auto address = store.allocate(10, AllocationKind::kConstant, "table");
  EXPECT_FALSE(store.find(*address)->read_only);
  store.set_read_only(*address, true);
  EXPECT_TRUE(store.find(*address)->read_only);
  store.set_read_only(*address, false);
  EXPECT_FALSE(store.find(*address)->read_only);
}

TEST(Store, ClearDropsEverythingAndZeroesTheBytes) {
  Store store(small());
  const auto address = store.allocate(5000, AllocationKind::kHeap);
  std::memset(store.host(*address), 0xff, 5000);
  const auto freed = store.allocate(100, AllocationKind::kHeap);
  store.free(*freed);
  store.clear();
  EXPECT_EQ(store.used(), 0U);
  EXPECT_EQ(store.find(*address), nullptr);
  EXPECT_THAT(store.describe(*freed), testing::Not(HasSubstr("freed")));
  EXPECT_EQ(store.allocate(5000, AllocationKind::kHeap), address);
  EXPECT_EQ(byte_at(store, *address), 0U);
  EXPECT_EQ(byte_at(store, *address + 4999), 0U);
}

TEST(Store, DescribesAddresses) {
  Store store(small());
  EXPECT_EQ(store.describe(Store::kBase + 5), "outside any allocation");
  const auto address = store.allocate(400, AllocationKind::kHeap);
  ASSERT_EQ(*address, 0x100000000U);
  EXPECT_EQ(store.describe(*address + 8), "8 bytes into a 400-byte heap allocation at 0x100000000");
  EXPECT_EQ(store.describe(*address + 412), "12 bytes behind the end of a 400-byte heap allocation at 0x100000000");
  EXPECT_EQ(store.describe(0), "a null pointer");
  EXPECT_EQ(store.describe(4095), "a null pointer");
  EXPECT_THAT(store.describe(0x12345678), HasSubstr("below device memory"));
  const auto named = store.allocate(64, AllocationKind::kModule, "table");
  // Messages do not name the machine's own allocations, nor those that are far away.
  const auto own = store.allocate(64, AllocationKind::kParameters);
  EXPECT_THAT(store.describe(*own + 100), HasSubstr("behind the end of a 64-byte module allocation"));
  EXPECT_EQ(store.describe(*address + (1 << 25)), "outside any allocation");
  EXPECT_EQ(store.describe(*named - 4), "4 bytes before a 64-byte module allocation 'table' at 0x100000300");
  store.free(*address);
  EXPECT_EQ(store.describe(*address + 8), "inside a freed 400-byte heap allocation at 0x100000000");
  EXPECT_EQ(store.describe(*address + 399), "inside a freed 400-byte heap allocation at 0x100000000");
}

TEST(Store, NamesEveryKind) {
  Store store(small());
  const std::pair<AllocationKind, const char*> kinds[] = {{AllocationKind::kHeap, "heap"},
                                                          {AllocationKind::kManaged, "managed"},
                                                          {AllocationKind::kPinned, "pinned host"},
                                                          {AllocationKind::kCode, "code"},
                                                          {AllocationKind::kConstant, "constant"},
                                                          {AllocationKind::kParameters, "parameter"},
                                                          {AllocationKind::kLocal, "local"},
                                                          {AllocationKind::kPool, "pool"},
                                                          {AllocationKind::kModule, "module"},
                                                          {AllocationKind::kQueues, "queue"},
                                                          {AllocationKind::kBlock, "hardware block's"},
                                                          {AllocationKind::kGridBarriers, "grid barrier"},
                                                          {AllocationKind::kDeviceHeap, "device malloc"}};
  for (const auto& [kind, name] : kinds) {
    const auto address = store.allocate(16, kind);
    EXPECT_THAT(store.describe(*address), HasSubstr(std::string("16-byte ") + name + " allocation"));
  }
}

// The machine's own allocations do not change the addresses and holes of the program's allocations.
TEST(Store, KeepsTheMachinesOwnAllocationsApart) {
  const auto addresses = [](bool machine) {
    Store store({kMegabyte, false, true});
    std::vector<std::uint64_t> found;
    std::vector<std::uint64_t> own;
    for (int i = 0; i < 4; ++i) {
      if (machine) {
        for (const AllocationKind kind :
             {AllocationKind::kCode, AllocationKind::kParameters, AllocationKind::kLocal, AllocationKind::kQueues}) {
          own.push_back(store.allocate(1000, kind).value());
          EXPECT_GT(own.back(), Store::kBase + kMegabyte / 2);
        }
      }
      found.push_back(store.allocate(100, AllocationKind::kHeap).value());
      found.push_back(store.allocate(100, AllocationKind::kModule, "m", 4096).value());
      if (!machine) continue;
      EXPECT_TRUE(store.free(own[own.size() - 3])) << "parameters, used again at once";
    }
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(own[i] % Store::kAlignment, 0U);
    return found;
  };
  EXPECT_EQ(addresses(true), addresses(false));
}

// Hardware blocks keep their memory as long as the machine exists. A program's addresses do not depend on it.
TEST(Store, MemoryOfBlocksOutlivesAClearAndMovesNothing) {
  const auto addresses = [](bool block) {
    Store store({kMegabyte});
    std::vector<std::uint64_t> found;
    std::uint64_t own = 0;
    if (block) {
      own = store.allocate(5000, AllocationKind::kBlock, "lists").value();
      std::memset(store.host(own), 0x5a, 5000);
    }
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 3; ++i) found.push_back(store.allocate(10000, AllocationKind::kHeap).value());
      store.clear();
      EXPECT_EQ(store.contains(own, 5000), block);
      EXPECT_EQ(store.used(AllocationKind::kBlock), block ? 5000U : 0U);
      EXPECT_EQ(store.used(AllocationKind::kHeap), 0U);
    }
    // The memory is given to no one else.
    while (const auto more = store.allocate(4096, AllocationKind::kHeap)) {
      if (block) {
        EXPECT_LT(*more + 4096, own);
      }
      std::memset(store.host(*more), 0, 4096);
    }
    if (block) {
      EXPECT_EQ(std::to_integer<int>(*store.host(own + 4999)), 0x5a);
    }
    return found;
  };
  EXPECT_EQ(addresses(true), addresses(false));
}

TEST(Store, UsesAllMemoryFromBothEnds) {
  Store store({kMegabyte, false, true});
  std::uint64_t bytes = 0;
  for (bool own = false;; own = !own) {
    if (!store.allocate(65280, own ? AllocationKind::kCode : AllocationKind::kHeap)) break;
    bytes += 65536;
  }
  EXPECT_EQ(bytes, kMegabyte);
  store.clear();
  EXPECT_EQ(store.allocate(64, AllocationKind::kHeap), Store::kBase);
  EXPECT_EQ(store.allocate(256, AllocationKind::kCode), Store::kBase + kMegabyte - 512);
}

TEST(Store, MapsPiecesThatHoldAnAllocationOfTheProgram) {
  constexpr std::uint64_t kPiece = Store::kMappedPiece;
  Store store({8 * kPiece, false});
  const auto code = store.allocate(kPiece - 256, AllocationKind::kCode);
  const auto heap = store.allocate(kPiece, AllocationKind::kHeap);
  const auto managed = store.allocate(100, AllocationKind::kManaged, {}, 4 * kPiece);
  ASSERT_TRUE(code && heap && managed);
  const auto mapped = [&](std::uint64_t address) { return store.is_mapped(Store::kBase + address, false); };
  EXPECT_FALSE(mapped(kPiece - 1)) << "code only";
  EXPECT_TRUE(mapped(kPiece));
  EXPECT_TRUE(mapped(2 * kPiece - 1));
  EXPECT_FALSE(mapped(2 * kPiece)) << "the heap ends there";
  EXPECT_TRUE(mapped(4 * kPiece + kPiece / 2));
  EXPECT_FALSE(mapped(5 * kPiece));
  EXPECT_FALSE(store.is_mapped(*heap, true));
  EXPECT_TRUE(store.is_mapped(*managed, true));
  store.free(*heap);
  EXPECT_FALSE(mapped(kPiece));
  EXPECT_TRUE(store.is_memory(Store::kBase + 8 * kPiece - 16, 16));
  EXPECT_FALSE(store.is_memory(Store::kBase + 8 * kPiece - 8, 16));
  EXPECT_FALSE(store.is_memory(Store::kBase - 4, 4));
}

TEST(Store, RefusesASecondStoreAndTooMuchMemory) {
  const Store store(small());
  EXPECT_THROW(Store{small()}, base::InputError);
  EXPECT_THROW(Store({std::uint64_t{1} << 41, false}), base::InputError);
}

TEST(Store, CanBeMadeAgainAfterItsEnd) {
  for (int i = 0; i < 3; ++i) {
    Store store(small());
    const auto address = store.allocate(100, AllocationKind::kHeap);
    ASSERT_TRUE(address);
    EXPECT_EQ(byte_at(store, *address), 0U);
    *store.host(*address) = std::byte{1};
  }
}

// Random allocations and frees against a simple list of intervals.
TEST(Store, AgreesWithAListOfIntervals) {
  std::mt19937 random(7);
  Store store({256 * 1024, false});
  struct Interval {
    std::uint64_t address, size;
    unsigned char mark;
  };
  std::vector<Interval> live;
  for (unsigned step = 0; step < 4000; ++step) {
    if (random() % 5 < 3 || live.empty()) {
      const std::uint64_t size = 1 + random() % 9000;
      const auto kind = random() % 4 == 0 ? AllocationKind::kParameters : AllocationKind::kHeap;
      const auto address = store.allocate(size, kind);
      if (!address) continue;
      for (const Interval& other : live) {
        ASSERT_TRUE(*address >= other.address + other.size + 256 || *address + size + 256 <= other.address);
      }
      ASSERT_GE(*address, Store::kBase);
      ASSERT_LE(*address + size, Store::kBase + store.capacity());
      ASSERT_EQ(byte_at(store, *address), 0U);
      ASSERT_EQ(byte_at(store, *address + size - 1), 0U);
      const auto mark = static_cast<unsigned char>(1 + random() % 255);
      std::memset(store.host(*address), mark, size);
      live.push_back({*address, size, mark});
    } else {
      const std::size_t which = random() % live.size();
      const Interval gone = live[which];
      ASSERT_EQ(byte_at(store, gone.address), gone.mark);
      ASSERT_EQ(byte_at(store, gone.address + gone.size - 1), gone.mark);
      ASSERT_TRUE(store.free(gone.address));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  for (const Interval& interval : live) {
    EXPECT_EQ(byte_at(store, interval.address), interval.mark);
    EXPECT_TRUE(store.contains(interval.address, interval.size));
    store.free(interval.address);
  }
  EXPECT_EQ(store.used(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_store_test

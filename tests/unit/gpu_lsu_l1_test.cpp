// Tests of the L1 of an SM: hits, misses and merges, bypassing accesses, acquire stamps, stores, local memory, missing
// resources.

#include "gpu_lsu_support.h"

namespace castor::gpu::test::gpu_lsu_l1_test {
namespace {

using isa::CacheOp;
using isa::LaneMask;
using isa::MemoryKind;
using isa::Ordering;
using isa::Space;
using isa::Type;

constexpr Instruction kLoad{};
constexpr Instruction kStore{MemoryKind::kStore};
constexpr Instruction kLocalLoad{MemoryKind::kLoad, Space::kLocal};
constexpr Instruction kLocalStore{MemoryKind::kStore, Space::kLocal};

class L1 : public testing::Test {
 protected:
  void make(const std::vector<std::string>& overrides = {}, const std::string& machine = "kepler_k20c_study") {
    rig.reset();  // one store per process
    rig = std::make_unique<LsuRig>(lsu_machine(overrides, machine));
  }
  /// Runs one instruction to its end.
  void run(const Instruction& instruction, unsigned warp = 0, unsigned context = 0, LaneMask mask = 0) {
    rig->begin();
    ASSERT_FALSE(rig->issue(instruction, warp, context, mask));
    rig->drain();
  }
  /// Loads one word by lane 0.
  std::uint32_t load(std::uint64_t address, unsigned context = 0, const Instruction& instruction = kLoad) {
    rig->set_address(0, 0, address);
    run(instruction, 0, context, 1);
    return static_cast<std::uint32_t>(rig->loaded(0, 0));
  }
  void store(std::uint64_t address, std::uint32_t value, unsigned context = 0,
             const Instruction& instruction = kStore) {
    rig->set_address(1, 0, address);
    rig->set_data(1, value);
    run(instruction, 1, context, 1);
  }
  std::size_t requests() const { return rig->memory.seen.size(); }
  std::uint64_t count(const char* name) { return rig->count(name); }

  std::unique_ptr<LsuRig> rig;
};

TEST_F(L1, UnsectoredMachinesFillLinesAndSectoredOnesSectors) {
  make();
  load(rig->heap + 4);
  EXPECT_EQ(rig->memory.seen[0].second->request.sectors, 0xf);
  load(rig->heap + 100);
  EXPECT_EQ(count("l1_read_hit"), 1U);
  make({"l1.sectored=1"});
  load(rig->heap + 36);
  EXPECT_EQ(rig->memory.seen[0].second->request.sectors, 0x2);
  load(rig->heap + 60);
  EXPECT_EQ(count("l1_read_hit"), 1U);
  load(rig->heap + 4);
  EXPECT_EQ(count("l1_read_miss"), 2U);
}

TEST_F(L1, LoadOfSectorsPartlyPresentFetchesTheOthersOnly) {
  make({"l1.sectored=1"});
  for (unsigned i = 0; i < 32; ++i) rig->set<std::uint32_t>(rig->heap + 4 * i, 50 + i);
  load(rig->heap + 32);
  rig->set_addresses(0, rig->heap, 4);
  run(kLoad);
  ASSERT_EQ(requests(), 2U);
  EXPECT_EQ(rig->memory.seen[1].second->request.sectors, 0xd);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane), 50 + lane);
}

TEST_F(L1, BypassingAccessesMoveTouchedSectorsAndLeaveNoLine) {
  struct {
    const char* name;
    Instruction instruction;
  } cases[] = {{"volatile", {}}, {"relaxed", {}}, {"acquire", {}}, {"cg", {}}, {"cv", {}}};
  cases[0].instruction.ordering = Ordering::kVolatile;
  cases[1].instruction.ordering = Ordering::kRelaxed;
  cases[2].instruction.ordering = Ordering::kAcquire;
  cases[3].instruction.cache = CacheOp::kCg;
  cases[4].instruction.cache = CacheOp::kCv;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    make();
    rig->set<std::uint32_t>(rig->heap, 11);
    EXPECT_EQ(load(rig->heap), 11U);
    rig->set<std::uint32_t>(rig->heap, 12);
    EXPECT_EQ(load(rig->heap), 11U) << "L1 has its own copy";
    EXPECT_EQ(load(rig->heap, 0, c.instruction), 12U);
    ASSERT_EQ(requests(), 2U);
    EXPECT_EQ(rig->memory.seen[1].second->request.sectors, 0x1);
    EXPECT_EQ(rig->memory.seen[1].second->request.client, Client::kBypass);
    EXPECT_EQ(load(rig->heap), 12U) << "the own line was invalidated";
    EXPECT_EQ(requests(), 3U);
    EXPECT_EQ(count("stale_hit"), 1U);
  }
}

TEST_F(L1, OrdinaryCacheOperatorsUseL1) {
  for (const CacheOp op : {CacheOp::kCa, CacheOp::kCs, CacheOp::kLu, CacheOp::kNc}) {
    make();
    Instruction instruction;
    instruction.cache = op;
    load(rig->heap, 0, instruction);
    load(rig->heap, 0, instruction);
    EXPECT_EQ(requests(), 1U);
  }
}

TEST_F(L1, GlobalLoadsPassByIfTheMachineOrTheKernelSaysSoButReadOnlyOnesDoNot) {
  Instruction nc;
  nc.cache = CacheOp::kNc;
  for (const bool by_kernel : {false, true}) {
    make({by_kernel ? "l1.caches_global=1" : "l1.caches_global=0"});
    rig->kernel.bypass_l1 = by_kernel;
    load(rig->heap);
    load(rig->heap);
    EXPECT_EQ(requests(), 2U);
    EXPECT_EQ(count("l1_bypassed"), 2U);
    load(rig->heap, 0, nc);
    load(rig->heap, 0, nc);
    EXPECT_EQ(requests(), 3U);
    load(8, 0, kLocalLoad);
    load(8, 0, kLocalLoad);
    EXPECT_EQ(requests(), 4U) << "local loads are cached";
  }
}

TEST_F(L1, MachinesThatDoNotCacheGlobalLoadsMayObeyThoseMarkedCa) {
  const struct {
    CacheOp op;
    bool hits;  ///< the second load hits
  } cases[] = {{CacheOp::kDefault, false}, {CacheOp::kCa, true},  {CacheOp::kCs, false},
               {CacheOp::kLu, false},      {CacheOp::kCg, false}, {CacheOp::kCv, false}};
  for (const auto& one : cases) {
    for (const bool obeys : {false, true}) {
      make({"l1.caches_global=0", obeys ? "l1.obeys_ca=1" : "l1.obeys_ca=0"});
      Instruction instruction;
      instruction.cache = one.op;
      load(rig->heap, 0, instruction);
      load(rig->heap, 0, instruction);
      EXPECT_EQ(requests(), one.hits && obeys ? 1U : 2U) << static_cast<int>(one.op);
      EXPECT_EQ(rig->memory.seen[0].second->request.sectors, one.hits && obeys ? 0xf : 0x1);
    }
  }
}

// Lines whose distance is the size of all sets together: without the hash they share one set, with it each has a set of
// its own.
TEST_F(L1, HashOfSetsSpreadsPowersOfTwo) {
  for (const bool hash : {false, true}) {
    make({hash ? "l1.set_hash=xor" : "l1.set_hash=off"});  // 32 sets of 4 ways
    for (int round = 0; round < 2; ++round)
      for (unsigned i = 0; i < 8; ++i) load(rig->heap + i * 4096);
    EXPECT_EQ(count("l1_read_hit"), hash ? 8U : 0U);
  }
}

TEST_F(L1, StoreUpdatesAPresentLineAllocatesNoneAndIsWrittenThrough) {
  make();
  store(rig->heap, 5);
  EXPECT_EQ(rig->value<std::uint32_t>(rig->heap), 5U);
  EXPECT_EQ(count("l1_write_miss"), 1U);
  EXPECT_EQ(load(rig->heap), 5U);
  EXPECT_EQ(count("l1_read_miss"), 1U);
  store(rig->heap + 4, 6);
  EXPECT_EQ(count("l1_write_hit"), 1U);
  EXPECT_EQ(load(rig->heap + 4), 6U);
  EXPECT_EQ(count("l1_read_hit"), 1U);
  EXPECT_EQ(rig->value<std::uint32_t>(rig->heap + 4), 6U);
  EXPECT_EQ(rig->memory.seen[0].second->request.byte_mask[0], 0xfU);
}

TEST_F(L1, VolatileStoreInvalidatesTheOwnLine) {
  make();
  load(rig->heap);
  Instruction instruction = kStore;
  instruction.ordering = Ordering::kVolatile;
  store(rig->heap, 9, 0, instruction);
  EXPECT_EQ(load(rig->heap), 9U);
  EXPECT_EQ(count("l1_read_miss"), 2U);
}

TEST_F(L1, HighestLaneWinsWhereLanesStoreToOneByte) {
  make();
  rig->set_addresses(0, rig->heap + 8, 0);
  for (unsigned lane = 0; lane < 32; ++lane) rig->warp(0).put(kDataReg, 32, 0, lane, 100 + lane);
  run(kStore, 0, 0, 0x00ffff0f);
  EXPECT_EQ(rig->value<std::uint32_t>(rig->heap + 8), 123U);
}

TEST_F(L1, AtomicGoesToMemoryInOnePacketPerLineAndReturnsOldValuesInLaneOrder) {
  make();
  rig->set_addresses(0, rig->heap, 0);
  rig->set_data(0, 1);
  rig->begin();
  rig->issue({MemoryKind::kAtomic, Space::kGlobal});
  EXPECT_EQ(rig->accepted.acknowledges, 1U);
  rig->drain();
  EXPECT_EQ(rig->acknowledged_lines[0], 1U);
  EXPECT_EQ(requests(), 1U);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane), lane);
  EXPECT_EQ(rig->value<std::uint32_t>(rig->heap), 32U);
}

TEST_F(L1, CompareAndSwapCarriesBothOperands) {
  make();
  Instruction cas{MemoryKind::kAtomic, Space::kGlobal, Type::kU64};
  cas.atomic = isa::AtomicOp::kCas;
  rig->set<std::uint64_t>(rig->heap + 8, 1000);
  rig->set_address(0, 3, rig->heap + 8);
  rig->warp(0).put(kDataReg, 64, 0, 3, 1000);
  rig->warp(0).put(kSwapReg, 64, 0, 3, 0x123456789abcdef0);
  run(cas, 0, 0, 8);
  EXPECT_EQ(rig->value<std::uint64_t>(rig->heap + 8), 0x123456789abcdef0U);
  EXPECT_EQ(rig->loaded(0, 3, 64), 1000U);
}

TEST_F(L1, ReductionIsAcknowledgedAndTakesNoMshr) {
  make();
  rig->set_addresses(0, rig->heap, 128);
  rig->set_data(0, 2);
  rig->begin();
  rig->issue({MemoryKind::kReduction, Space::kGlobal});
  EXPECT_EQ(rig->accepted.acknowledges, 32U);
  for (unsigned i = 0; i < 50; ++i) {
    rig->begin();
    EXPECT_EQ(rig->lsu.outstanding(), 0U);
  }
  rig->drain();
  EXPECT_EQ(rig->value<std::uint32_t>(rig->heap + 128 * 31), 2U);
}

TEST_F(L1, LoadsOfALineUnderWayMergeUpToTheLimit) {
  make({"l1.merges=3"});
  rig->memory.delay = 200;
  rig->begin();
  for (unsigned w = 0; w < 4; ++w) {
    rig->set_addresses(w, rig->heap, 4);
    rig->issue(kLoad, w);
  }
  rig->run(100);
  EXPECT_EQ(count("merged"), 2U);
  EXPECT_EQ(rig->lsu.outstanding(), 1U);
  EXPECT_TRUE(rig->lsu.blocked()) << "the fourth finds the entry full";
  rig->drain();
  EXPECT_EQ(requests(), 1U);
  EXPECT_EQ(count("l1_read_hit"), 1U);
  EXPECT_EQ(count("primary_misses"), 1U);
  // Issued 0, passes 5 to 8, lookups 40 to 43; the reply is taken in 41 + 200 + 1.
  EXPECT_EQ(count("reservation_fail"), 242U - 43);
}

TEST_F(L1, SectoredLoadMergesIntoAnEntryThatCoversItsSectorsElseTakesItsOwn) {
  make({"l1.sectored=1"});
  rig->begin();
  rig->set_addresses(0, rig->heap, 4);       // all sectors
  rig->set_addresses(1, rig->heap + 32, 0);  // one of the words
  rig->set_addresses(2, rig->heap + 128, 0);
  rig->set_addresses(3, rig->heap + 160, 0);  // not covered
  for (unsigned w = 0; w < 4; ++w) rig->issue(kLoad, w);
  rig->drain();
  EXPECT_EQ(count("merged"), 1U);
  EXPECT_EQ(requests(), 3U);
}

TEST_F(L1, BypassingLoadsNeverMerge) {
  make();
  Instruction instruction;
  instruction.ordering = Ordering::kVolatile;
  rig->begin();
  for (unsigned w = 0; w < 3; ++w) {
    rig->set_addresses(w, rig->heap, 4);
    rig->issue(instruction, w);
  }
  rig->run(50);
  EXPECT_EQ(rig->lsu.outstanding(), 3U);
  rig->drain();
  EXPECT_EQ(requests(), 3U);
}

TEST_F(L1, FullMshrsHoldTheHeadOfThePipe) {
  make({"l1.mshrs=2"});
  rig->memory.delay = 100;
  rig->set_addresses(0, rig->heap, 128);
  rig->begin();
  rig->issue(kLoad);
  rig->run(60);
  EXPECT_EQ(rig->lsu.outstanding(), 2U);
  EXPECT_TRUE(rig->lsu.blocked());
  rig->drain();
  EXPECT_EQ(requests(), 32U);
}

TEST_F(L1, WayIsReservedAtTheMissAndNotTakenWhileItsFillIsAwaited) {
  make({"l1.sets=1", "l1.ways=2"});
  rig->memory.delay = 100;
  rig->set_addresses(0, rig->heap, 128);
  rig->begin();
  rig->issue(kLoad, 0, 0, 0x7);
  rig->run(60);
  EXPECT_EQ(requests(), 2U) << "both ways wait for fills";
  EXPECT_TRUE(rig->lsu.blocked());
  rig->drain();
  EXPECT_EQ(requests(), 3U);
}

TEST_F(L1, LeastRecentlyUsedLineGoes) {
  make({"l1.sets=1", "l1.ways=3"});
  load(rig->heap);
  load(rig->heap + 128);
  load(rig->heap + 256);
  load(rig->heap);        // hit: 128 is now the oldest
  load(rig->heap + 384);  // replaces it
  EXPECT_EQ(requests(), 4U);
  load(rig->heap);
  load(rig->heap + 256);
  EXPECT_EQ(requests(), 4U);
  load(rig->heap + 128);
  EXPECT_EQ(requests(), 5U);
}

TEST_F(L1, FullInjectionFifoHoldsTheHead) {
  make({"l1.miss_queue=2", "xbar.fifo_flits=5"});
  rig->memory.hold_requests = true;
  rig->set_addresses(0, rig->heap, 128);
  rig->begin();
  rig->issue(kStore);
  rig->run(80);
  EXPECT_FALSE(rig->lsu.can_fetch());
  EXPECT_TRUE(rig->lsu.blocked());
  rig->memory.hold_requests = false;
  rig->drain();
  EXPECT_EQ(rig->acknowledged_lines[0], 32U);
}

TEST_F(L1, StoreClosesTheEntryOfItsLine) {
  make();
  rig->memory.delay = 100;
  rig->set<std::uint32_t>(rig->heap, 1);
  for (unsigned w = 0; w < 3; ++w) rig->set_addresses(w, rig->heap, 0);
  rig->set_data(1, 2);
  rig->begin();
  rig->issue(kLoad, 0, 0, 1);
  rig->issue(kStore, 1, 0, 1);
  rig->issue(kLoad, 2, 0, 1);
  rig->drain();
  EXPECT_EQ(rig->loaded(0, 0), 1U) << "older than the store";
  EXPECT_EQ(rig->loaded(2, 0), 2U) << "younger, so it took an entry of its own";
  EXPECT_EQ(count("merged"), 0U);
  EXPECT_EQ(load(rig->heap), 2U);
  EXPECT_EQ(count("l1_read_hit"), 1U) << "the second fill was installed";
}

TEST_F(L1, ClosedEntryDoesNotInstallItsFill) {
  make();
  rig->memory.delay = 100;
  for (unsigned w = 0; w < 2; ++w) rig->set_addresses(w, rig->heap, 0);
  rig->set_data(1, 2);
  rig->begin();
  rig->issue(kLoad, 0, 0, 1);
  rig->issue(kStore, 1, 0, 1);
  rig->drain();
  EXPECT_EQ(load(rig->heap), 2U);
  EXPECT_EQ(count("l1_read_hit"), 0U);
}

TEST_F(L1, LineOlderThanTheAcquireCycleIsRefetchedInPlace) {
  make();
  rig->set<std::uint32_t>(rig->heap, 1);
  load(rig->heap);
  rig->set<std::uint32_t>(rig->heap, 2);
  rig->contexts[1].acquire = rig->now;
  EXPECT_EQ(load(rig->heap, 0), 1U) << "a neighbour keeps its line";
  EXPECT_EQ(load(rig->heap, 1), 2U);
  EXPECT_EQ(count("stale_refetch"), 1U);
  EXPECT_EQ(load(rig->heap, 0), 2U);
  EXPECT_EQ(load(rig->heap, 1), 2U);
  EXPECT_EQ(requests(), 2U);
  EXPECT_EQ(count("stale_hit"), 1U);
}

TEST_F(L1, FlushModeEmptiesAllLinesAtAnAcquire) {
  make({"acquire.mode=flush"});
  load(rig->heap);
  load(rig->heap + 128);
  rig->contexts[1].acquire = rig->now;
  load(rig->heap, 1);
  load(rig->heap + 128, 0);
  EXPECT_EQ(requests(), 4U);
}

TEST_F(L1, LoadDoesNotMergeIntoAnEntrySentBeforeItsAcquireCycle) {
  make();
  rig->memory.delay = 100;
  rig->set_addresses(0, rig->heap, 4);
  rig->set_addresses(1, rig->heap, 4);
  rig->begin();
  rig->issue(kLoad, 0, 0);
  rig->run(45);
  rig->contexts[1].acquire = rig->now;  // the entry was sent in 40
  rig->begin();
  rig->issue(kLoad, 1, 1);
  rig->run(60);
  EXPECT_TRUE(rig->lsu.blocked());
  EXPECT_EQ(requests(), 1U);
  rig->drain();
  EXPECT_EQ(count("merged"), 0U);
  // Performed in 141, after the acquire cycle: the fill serves it as a hit.
  EXPECT_EQ(count("l1_read_hit"), 1U);
}

TEST_F(L1, OwnStoresUnderWayAreNotStaleHits) {
  make();
  load(rig->heap);
  rig->memory.delay = 300;
  rig->set_addresses(0, rig->heap, 0);
  rig->set_addresses(1, rig->heap, 0);
  rig->set_data(1, 7);
  rig->begin();
  rig->issue(kStore, 1, 0, 1);
  rig->issue(kLoad, 0, 0, 1);
  rig->drain();
  EXPECT_EQ(rig->loaded(0, 0), 7U);
  EXPECT_EQ(count("stale_hit"), 0U);
}

TEST_F(L1, LocalStoreStaysInL1UntilItsLineLeaves) {
  make({"l1.sets=1", "l1.ways=2"});
  rig->set_addresses(0, 0, 0);
  rig->set_data(0, 41);
  rig->begin();
  rig->issue(kLocalStore, 0, 0);
  EXPECT_EQ(rig->accepted.acknowledges, 1U);
  rig->run(41);
  EXPECT_EQ(rig->acknowledged_lines[0], 1U) << "in the tick of its lookup";
  rig->drain();
  EXPECT_EQ(requests(), 0U);
  const std::uint64_t line = rig->contexts[0].local_base;
  EXPECT_EQ(rig->value<std::uint32_t>(line), 0U);
  std::uint32_t seen = 0;
  EXPECT_TRUE(rig->lsu.read(isa::kLocalWindow, &seen, 4, 5, 0, 0));
  EXPECT_EQ(seen, 41U);
  // Two misses: the first takes the free way, the second the dirty one, whose write-back is sent before the request.
  load(rig->heap);
  rig->begin();
  rig->set_address(0, 0, rig->heap + 128);
  rig->issue(kLoad, 0, 0, 1);
  rig->run(60);
  EXPECT_TRUE(rig->lsu.read(isa::kLocalWindow, &seen, 4, 5, 0, 0));
  EXPECT_EQ(seen, 41U) << "on its way";
  rig->drain();
  ASSERT_EQ(requests(), 3U);
  EXPECT_EQ(rig->memory.seen[1].second->request.kind, RequestKind::kStore);
  EXPECT_EQ(rig->memory.seen[1].second->line(), line);
  EXPECT_EQ(rig->memory.seen[2].second->line(), rig->heap + 128);
  EXPECT_EQ(rig->value<std::uint32_t>(line + 4 * 31), 41U);
  EXPECT_EQ(rig->acknowledged_lines[0], 1U);
  EXPECT_EQ(count("l1_write_backs"), 1U);
  rig->set_addresses(0, 0, 0);
  run(kLocalLoad, 0);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane), 41U);
}

TEST_F(L1, LocalLoadOfAMissingByteFetchesAndMerges) {
  make();
  const std::uint64_t line = rig->contexts[0].local_base;
  for (unsigned lane = 0; lane < 32; ++lane) rig->set<std::uint32_t>(line + 4 * lane, 0x44332211);
  rig->set_addresses(0, 1, 0);
  rig->set_data(0, 0xaa);
  Instruction byte_store = kLocalStore;
  byte_store.type = Type::kU8;
  run(byte_store);
  EXPECT_EQ(requests(), 0U) << "allocated without fetch";
  Instruction byte_load = kLocalLoad;
  byte_load.type = Type::kU8;
  run(byte_load);
  EXPECT_EQ(requests(), 0U);
  rig->set_addresses(0, 0, 0);
  run(kLocalLoad);
  EXPECT_EQ(requests(), 1U);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane), 0x4433aa11U);
  run(kLocalLoad);
  EXPECT_EQ(requests(), 1U);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane), 0x4433aa11U);
}

TEST_F(L1, WideLocalAccessesTakeALinePerWord) {
  make();
  Instruction store_wide{MemoryKind::kStore, Space::kLocal, Type::kU32, 4};
  Instruction load_wide{MemoryKind::kLoad, Space::kLocal, Type::kU32, 4};
  rig->set_addresses(0, 16, 0);
  for (unsigned element = 0; element < 4; ++element)
    for (unsigned lane = 0; lane < 32; ++lane) rig->warp(0).put(kDataReg, 32, element, lane, 100 * element + lane);
  rig->begin();
  rig->issue(store_wide);
  EXPECT_EQ(rig->accepted.acknowledges, 16U) << "4 words in 4 groups of lanes";
  rig->drain();
  run(load_wide);
  for (unsigned element = 0; element < 4; ++element)
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig->loaded(0, lane, 32, element), 100 * element + lane);
  EXPECT_EQ(requests(), 0U);
}

TEST_F(L1, KernelsThatMaySwapWriteLocalLinesThrough) {
  make();
  rig->kernel.may_swap = true;
  rig->set_addresses(0, 0, 0);
  rig->set_data(0, 3);
  run(kLocalStore);
  EXPECT_EQ(requests(), 1U);
  EXPECT_EQ(rig->value<std::uint32_t>(rig->contexts[0].local_base), 3U);
}

TEST_F(L1, DirtyLocalLinesOfARetiredBlockAreDropped) {
  make();
  rig->set_addresses(0, 0, 0);
  rig->set_data(0, 3);
  run(kLocalStore, 0, 0);
  run(kLocalStore, 0, 1);
  rig->lsu.tb_retired(0);
  std::uint32_t seen = 0;
  EXPECT_TRUE(rig->lsu.read(isa::kLocalWindow, &seen, 4, 0, 0, 0));
  EXPECT_EQ(seen, 0U);
  EXPECT_TRUE(rig->lsu.read(isa::kLocalWindow, &seen, 4, 0, 0, 1));
  EXPECT_EQ(seen, 3U) << "its neighbour's stay";
  EXPECT_EQ(requests(), 0U);
}

TEST_F(L1, AcquireDoesNotLoseDirtyLocalLines) {
  make();
  rig->set_addresses(0, 0, 0);
  rig->set_data(0, 3);
  run(kLocalStore, 0, 0);
  rig->contexts[0].acquire = rig->now;
  run(kLocalLoad, 0, 0);
  EXPECT_EQ(rig->loaded(0, 7), 3U);
  EXPECT_EQ(requests(), 0U);
}

TEST_F(L1, VolatileLocalLoadSeesTheDirtyLine) {
  make();
  rig->set_addresses(0, 0, 0);
  rig->set_data(0, 8);
  run(kLocalStore);
  Instruction instruction = kLocalLoad;
  instruction.ordering = Ordering::kVolatile;
  run(instruction);
  EXPECT_EQ(rig->loaded(0, 31), 8U);
  EXPECT_EQ(requests(), 2U) << "the dirty bytes first";
}

TEST_F(L1, RequestsNameTheirOrigin) {
  make();
  rig->set_addresses(3, rig->heap, 4);
  rig->run(10);
  rig->begin();
  const Cycle issued = rig->now;
  rig->issue(kLoad, 3, 5);
  rig->drain();
  const MemoryRequest& request = rig->memory.seen[0].second->request;
  EXPECT_EQ(request.kind, RequestKind::kLoad);
  EXPECT_EQ(request.client, Client::kLsu);
  EXPECT_EQ(request.initiator, 0U);
  EXPECT_EQ(request.entry, 3U);
  EXPECT_EQ(request.warp, 3U);
  EXPECT_EQ(request.context, 5U);
  EXPECT_EQ(request.issued, issued);
}

TEST_F(L1, KernelsAreCountedByTheirEntry) {
  make();
  KernelContext other = rig->kernel;
  other.entry = 7;
  rig->contexts[1].kernel = &other;
  load(rig->heap, 0);
  load(rig->heap, 1);
  store(rig->heap, 1, 1);
  EXPECT_EQ(rig->lsu.traffic(3).primary_misses, 1U);
  EXPECT_EQ(rig->lsu.traffic(3).l1_read_hit, 0U);
  EXPECT_EQ(rig->lsu.traffic(7).l1_read_hit, 1U);
  EXPECT_EQ(rig->lsu.traffic(7).l1_write_hit, 1U);
  EXPECT_EQ(rig->lsu.traffic(7).coalesced_lines, 2U);
  EXPECT_EQ(rig->lsu.traffic(7).sectors, 2U);
  rig->lsu.clear_traffic(7);
  EXPECT_EQ(rig->lsu.traffic(7).sectors, 0U);
}

TEST_F(L1, PrimaryMissesAreThoseOfTheTickWhetherOrNotTheyBypassL1) {
  Instruction bypassing;
  bypassing.ordering = Ordering::kVolatile;
  for (const Instruction& instruction : {kLoad, bypassing}) {
    make({"l1.banks=4", "l1.miss_queue=64", "l1.mshrs=64"});
    rig->set_addresses(0, rig->heap, 128);
    rig->begin();
    rig->issue(instruction);
    rig->run(39);
    EXPECT_EQ(rig->lsu.primary_misses(), 0U);
    for (unsigned i = 0; i < 8; ++i) {
      rig->begin();
      EXPECT_EQ(rig->lsu.primary_misses(), 4U);
    }
    rig->begin();
    EXPECT_EQ(rig->lsu.primary_misses(), 0U);
    rig->drain();
  }
  // A store that bypasses L1 has no result and misses nothing.
  make({"l1.banks=4", "l1.miss_queue=64"});
  bypassing.kind = MemoryKind::kStore;
  rig->set_addresses(0, rig->heap, 128);
  rig->begin();
  rig->issue(bypassing);
  for (unsigned i = 0; i < 60; ++i) {
    rig->begin();
    EXPECT_EQ(rig->lsu.primary_misses(), 0U);
  }
  rig->drain();
}

TEST_F(L1, IdleAndWaitingTellWhatIsUnderWay) {
  make();
  EXPECT_TRUE(rig->lsu.idle());
  EXPECT_EQ(rig->lsu.waiting(), "");
  rig->memory.delay = 200;
  rig->set_addresses(0, rig->heap, 4);
  rig->begin();
  rig->issue(kLoad);
  EXPECT_FALSE(rig->lsu.idle());
  EXPECT_EQ(rig->lsu.waiting(), "load/store queue: warp 0, record 0");
  rig->run(100);
  EXPECT_THAT(rig->lsu.waiting(), testing::HasSubstr("sent in cycle 40"));
  rig->drain();
  EXPECT_TRUE(rig->lsu.idle());
}

}  // namespace
}  // namespace castor::gpu::test::gpu_lsu_l1_test

// Ticks of the memory side of an SM: the steps of docs/gpu/closed-forms.md, "Closed forms", with issue as tick 0.

#include "gpu_lsu_support.h"

namespace castor::gpu::test::gpu_lsu_timing_test {
namespace {

using isa::MemoryKind;
using isa::Space;

constexpr Instruction kLoad{};
constexpr Instruction kStore{MemoryKind::kStore};
constexpr Instruction kSharedLoad{MemoryKind::kLoad, Space::kShared};

/// Returns the ticks from issue to data of one load on an otherwise idle LSU.
Tick latency(LsuRig& rig, const Instruction& instruction) {
  rig.begin();
  const Cycle start = rig.now;
  const std::size_t before = rig.done.size();
  EXPECT_FALSE(rig.issue(instruction));
  rig.drain();
  EXPECT_EQ(rig.done.size(), before + 1);
  return rig.done.back().ready - start;
}

TEST(LsuTiming, LoadThatHitsHasItsDataAfterPassAndPipe) {
  struct {
    const char* machine;
    Tick expected;  // oc_cycles + 1 + l1.access_latency + l1.return_latency; gcn has oc_cycles 2
  } const cases[] = {
      {"kepler_k20c_study", 40}, {"fermi_gtx480_study", 40}, {"maxwell_liu13", 85}, {"turing_rtx2060_study", 23}};
  for (const auto& c : cases) {
    LsuRig rig(lsu_machine({}, c.machine));
    rig.set_addresses(0, rig.heap, 4);
    latency(rig, kLoad);
    EXPECT_EQ(latency(rig, kLoad), c.expected) << c.machine;
    EXPECT_EQ(rig.count("l1_read_hit"), 1U);
  }
}

TEST(LsuTiming, LoadThatMissesLeavesInTheTickOfItsLookupAndIsReadyATickAfterItsReply) {
  LsuRig rig(lsu_machine());
  rig.set_addresses(0, rig.heap, 4);
  rig.begin();
  rig.issue(kLoad);
  rig.drain();
  // The request is sent in tick 40, visible in 41 and performed in 41 + delay. The reply is visible and taken one cycle
  // later, and the data are ready another cycle later.
  ASSERT_EQ(rig.memory.seen.size(), 1U);
  EXPECT_EQ(rig.memory.seen[0].first, 41U);
  EXPECT_EQ(rig.done[0].ready, 41U + rig.memory.delay + 1 + 1);
}

TEST(LsuTiming, StoreLeavesInTheTickOfItsLookup) {
  LsuRig rig(lsu_machine());
  rig.set_addresses(0, rig.heap, 4);
  rig.set_data(0, 7);
  rig.begin();
  rig.issue(kStore);
  EXPECT_EQ(rig.accepted.acknowledges, 1U);
  rig.run(41 + rig.memory.delay);
  EXPECT_EQ(rig.memory.seen[0].first, 41U);
  EXPECT_EQ(rig.acknowledged_lines[0], 0U);
  rig.run(1);
  EXPECT_EQ(rig.acknowledged_lines[0], 1U);
  EXPECT_EQ(rig.value<std::uint32_t>(rig.heap + 124), 7U);
}

TEST(LsuTiming, ReturnLatencyIsPaidByHitsAndByRepliesAlike) {
  LsuRig rig(lsu_machine({"l1.return_latency=5"}));
  rig.set_addresses(0, rig.heap, 4);
  EXPECT_EQ(latency(rig, kLoad), 41U + rig.memory.delay + 2 + 5);
  EXPECT_EQ(latency(rig, kLoad), 45U);
}

TEST(LsuTiming, SharedLoadOfKRoundsTakesKPasses) {
  for (const unsigned k : {1U, 2U, 4U, 32U}) {
    LsuRig rig(lsu_machine());
    rig.set_addresses(0, 0, 4 * k);
    EXPECT_EQ(latency(rig, kSharedLoad), 4 + k + 24) << k;  // oc_cycles + k + smem.latency
    EXPECT_EQ(rig.count("smem_rounds"), k);
    EXPECT_EQ(rig.count("replays"), k - 1);
  }
}

TEST(LsuTiming, LoadOfKLinesTakesAPassPerBankOfLines) {
  for (const unsigned k : {1U, 2U, 5U, 32U}) {
    for (const unsigned banks : {1U, 2U, 4U}) {
      LsuRig rig(lsu_machine({"l1.banks=" + std::to_string(banks)}));
      for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(0, lane, rig.heap + 128 * (lane % k));
      latency(rig, kLoad);
      EXPECT_EQ(latency(rig, kLoad), 39 + (k + banks - 1) / banks) << k << " lines, " << banks << " banks";
      EXPECT_EQ(rig.count("lsu_passes"), 2 * ((k + banks - 1) / banks));
    }
  }
}

TEST(LsuTiming, ConstantLoadOfKAddressesTakesKPasses) {
  for (const unsigned k : {1U, 3U, 32U}) {
    LsuRig rig(lsu_machine());
    for (unsigned i = 0; i < 32; ++i) rig.set<std::uint32_t>(rig.kernel.parameters + 4 * i, 100 + i);
    for (unsigned lane = 0; lane < 32; ++lane) rig.set_address(0, lane, 4 * (lane % k));
    EXPECT_EQ(latency(rig, {MemoryKind::kLoad, Space::kParam}), 4 + k + 8) << k;  // constant.latency 8
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig.loaded(0, lane), 100 + lane % k);
  }
}

TEST(LsuTiming, NextInstructionPassesAfterTheLastPassOfTheOneBefore) {
  LsuRig rig(lsu_machine());
  rig.set_addresses(0, 0, 32);  // 8 rounds
  rig.set_addresses(1, 0, 4);
  rig.begin();
  rig.issue(kSharedLoad, 0);
  rig.issue(kSharedLoad, 1);
  rig.drain();
  ASSERT_EQ(rig.done.size(), 2U);
  EXPECT_EQ(rig.done[0].ready, 4 + 8 + 24U);
  EXPECT_EQ(rig.done[1].ready, 4 + 9 + 24U);
}

TEST(LsuTiming, QueueEntryIsHeldFromIssueToTheLastPass) {
  LsuRig rig(lsu_machine({"lsu.queue=2"}));
  rig.set_addresses(0, 0, 8);  // 2 rounds
  const isa::Record record = kSharedLoad.record();
  rig.begin();
  rig.issue(kSharedLoad);
  EXPECT_TRUE(rig.lsu.can_accept(record));
  rig.issue(kSharedLoad);
  EXPECT_FALSE(rig.lsu.can_accept(record));
  for (Cycle tick = 1; tick <= 8; ++tick) {
    rig.begin();
    // Passes in 5 and 6, then 7 and 8.
    EXPECT_EQ(rig.lsu.can_accept(record), tick >= 6) << tick;
  }
  rig.drain();
}

TEST(LsuTiming, MixedSpacesPassSharedThenLocalThenGlobal) {
  LsuRig rig(lsu_machine());
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint64_t address = lane < 8    ? rig.heap + 128 * lane           // 8 lines
                                  : lane < 16 ? isa::kLocalWindow               // one line: offset 0 of all lanes
                                              : isa::kSharedWindow + 4 * lane;  // one round
    rig.set_address(0, lane, address);
    rig.set<std::uint32_t>(rig.heap + 128 * lane, lane);
    std::memcpy(rig.shared[0].data() + 4 * lane, &lane, 4);
    rig.set<std::uint32_t>(rig.contexts[0].local_base + 4 * lane, 1000 + lane);
  }
  rig.begin();
  rig.issue({MemoryKind::kLoad, Space::kGeneric});
  rig.drain();
  ASSERT_EQ(rig.memory.seen.size(), 9U);
  EXPECT_EQ(rig.memory.seen[0].second->line(), rig.contexts[0].local_base);
  EXPECT_EQ(rig.memory.seen[0].first, 42U) << "shared in 5, local in 6";
  EXPECT_EQ(rig.memory.seen[1].first, 43U);
  EXPECT_EQ(rig.count("lsu_passes"), 10U);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(rig.loaded(0, lane), lane >= 8 && lane < 16 ? 1000 + lane : lane) << lane;
}

TEST(LsuTiming, SharedAtomicsSerialiseByBank) {
  struct {
    unsigned step;
    unsigned rounds;
  } const cases[] = {{0, 32}, {4, 1}, {8, 2}, {128, 32}};
  for (const auto& c : cases) {
    LsuRig rig(lsu_machine());
    rig.set_addresses(0, 0, c.step);
    rig.set_data(0, 1);
    EXPECT_EQ(latency(rig, {MemoryKind::kAtomic, Space::kShared}), 4 + c.rounds + 24) << c.step;
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(rig.loaded(0, lane), c.step == 0 ? lane : 0U);
  }
}

TEST(LsuTiming, RoundsOfSharedMemoryTakeTheMachinesTicks) {
  const std::vector<std::string> keys = {"smem.round_ticks=2", "smem.conflict_ticks=3", "smem.atomic_ticks=5",
                                         "smem.atomic_latency=7"};
  const auto ready = [&](const Instruction& instruction, unsigned step) {
    LsuRig rig(lsu_machine(keys));
    rig.set_addresses(0, 0, step);
    return latency(rig, instruction);
  };
  EXPECT_EQ(ready(kSharedLoad, 4), 4 + 2 + 24U);
  EXPECT_EQ(ready(kSharedLoad, 8), 4 + 2 + 3 + 24U);
  EXPECT_EQ(ready(kSharedLoad, 128), 4 + 2 + 31 * 3 + 24U);
  Instruction wide = kSharedLoad;
  wide.elements = 4;
  EXPECT_EQ(ready(wide, 16), 4 + 4 * 2 + 24U) << "groups of lanes are no conflicts";
  EXPECT_EQ(ready({MemoryKind::kAtomic, Space::kShared}, 0), 4 + 2 + 31 * 5 + 24 + 7U);
}

TEST(LsuTiming, ReplaysLeaveTheUnitToOthers) {
  LsuRig rig(lsu_machine({"smem.replay_ticks=10"}));
  rig.set_addresses(0, 0, 32);  // 8 rounds: ticks 5, 15, ... 75
  rig.set_addresses(1, 0, 4);
  rig.set_addresses(2, 0, 8);  // 2 rounds: 7, and 17
  rig.begin();
  rig.issue(kSharedLoad, 0);
  EXPECT_TRUE(rig.accepted.holds);
  rig.issue(kSharedLoad, 1);
  EXPECT_FALSE(rig.accepted.holds);
  rig.issue(kSharedLoad, 2);
  EXPECT_TRUE(rig.accepted.holds);
  for (Cycle tick = 1; tick <= 75; ++tick) {
    rig.begin();
    const WarpMask again = tick % 10 == 5 && tick > 5 ? 1U : tick == 17 ? 4U : 0U;
    EXPECT_EQ(rig.lsu.reissued(), again) << tick;
    EXPECT_EQ(rig.held, (tick < 75 ? 1U : 0U) | (tick < 17 ? 4U : 0U)) << tick;
  }
  rig.drain();
  ASSERT_EQ(rig.done.size(), 3U);
  EXPECT_EQ(rig.done[0].ready, 6 + 24U);
  EXPECT_EQ(rig.done[1].ready, 17 + 24U);
  EXPECT_EQ(rig.done[2].ready, 75 + 24U);
  EXPECT_EQ(rig.count("lsu_passes"), 11U);
  EXPECT_EQ(rig.count("replays"), 8U);
}

TEST(LsuTiming, ReplayServesSeveralRounds) {
  LsuRig rig(lsu_machine({"smem.replay_ticks=10", "smem.replay_rounds=3"}));
  rig.set_addresses(0, 0, 32);  // 5, then 15 to 17, 27 to 29, 39
  EXPECT_EQ(latency(rig, kSharedLoad), 39 + 24U);
}

TEST(LsuTiming, AtomicLoopTakesATurnPerLaneOfAWord) {
  LsuRig rig(lsu_machine({"smem.atomics=loop", "smem.lock_ticks=20", "smem.retry_ticks=7"}));
  rig.set_addresses(0, 0, 0);
  rig.set_data(0, 1);
  rig.begin();
  rig.issue({MemoryKind::kAtomic, Space::kShared}, 0, 0, 0xf);
  EXPECT_TRUE(rig.accepted.holds);
  rig.drain();
  // Locked in 5, unlocked in 25; 32, 52; 59, 79; 86, 106.
  EXPECT_EQ(rig.done.at(0).ready, 106U);
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(rig.loaded(0, lane), lane);
}

TEST(LsuTiming, AtomicLoopsOfTwoWarpsExcludeEachOtherByWord) {
  LsuRig rig(lsu_machine({"smem.atomics=loop", "smem.lock_ticks=20", "smem.retry_ticks=7"}));
  for (unsigned w = 0; w < 4; ++w) {
    rig.set_addresses(w, w == 2 ? 64 : 0, 4);
    rig.set_data(w, 1);
  }
  rig.begin();
  rig.issue({MemoryKind::kAtomic, Space::kShared}, 0, 0, 1);
  rig.issue({MemoryKind::kAtomic, Space::kShared}, 1, 0, 1);
  rig.issue({MemoryKind::kAtomic, Space::kShared}, 2, 0, 1);  // another word
  rig.issue({MemoryKind::kAtomic, Space::kShared}, 3, 1, 1);  // another block
  rig.drain();
  std::uint64_t ready[4] = {};
  for (const Done& one : rig.done) ready[one.warp] = one.ready;
  EXPECT_EQ(ready[0], 25U);
  EXPECT_EQ(ready[1], 53U) << "tried in 6, nothing to unlock in 26, again in 33";
  EXPECT_EQ(ready[2], 27U);
  EXPECT_EQ(ready[3], 28U);
  EXPECT_EQ(rig.loaded(1, 0), 1U);
  EXPECT_EQ(rig.loaded(3, 0), 0U);
}

TEST(LsuTiming, SharedValuesMoveInTheLastRound) {
  LsuRig rig(lsu_machine());
  rig.set_addresses(0, 0, 32);  // 8 rounds: ticks 5 to 12
  rig.set_data(0, 5);
  rig.begin();
  rig.issue({MemoryKind::kStore, Space::kShared});
  EXPECT_EQ(rig.accepted.acknowledges, 1U);
  const auto word = [&] {
    std::uint32_t value;
    std::memcpy(&value, rig.shared[0].data(), 4);
    return value;
  };
  rig.run(11);
  EXPECT_EQ(word(), 0U);
  EXPECT_EQ(rig.acknowledged_lines[0], 0U);
  rig.run(1);
  EXPECT_EQ(word(), 5U);
  EXPECT_EQ(rig.acknowledged_lines[0], 1U);
}

TEST(LsuTiming, SharedMemoryHasAUnitOfItsOwnOnGcn) {
  LsuRig rig(lsu_machine({}, "gcn_apu"));
  const unsigned oc = rig.machine.oc_cycles;
  rig.set_addresses(0, rig.heap, 64);  // 64 lines: 64 passes
  rig.set_addresses(1, 0, 4);          // 64 lanes: a round per half
  rig.begin();
  rig.issue(kLoad, 0);
  rig.issue(kSharedLoad, 1);
  rig.drain();
  EXPECT_EQ(rig.done[0].warp, 1U);
  EXPECT_EQ(rig.done[0].ready, oc + 2 + rig.machine.smem.latency);
}

TEST(LsuTiming, GenericSharedAccessesKeepTheirPlaceInTheSharedUnit) {
  LsuRig rig(lsu_machine({}, "gcn_apu"));
  rig.set_addresses(0, rig.heap, 64);           // keeps the global unit busy
  rig.set_addresses(1, isa::kSharedWindow, 4);  // generic store to shared memory
  rig.set_addresses(2, 0, 4);                   // then a shared load of the same words
  rig.set_data(1, 77);
  rig.begin();
  rig.issue(kLoad, 0);
  rig.issue({MemoryKind::kStore, Space::kGeneric}, 1);
  rig.issue(kSharedLoad, 2);
  rig.drain();
  for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(rig.loaded(2, lane), 77U);
}

TEST(LsuTiming, PassWaitsWhileThePipeIsFull) {
  // The pipe holds (2 + 1) x 1 accesses. A second miss finds no free resource, so the pipe fills behind it.
  LsuRig rig(lsu_machine({"l1.access_latency=2", "l1.mshrs=1", "l1.banks=1"}));
  rig.memory.delay = 100;
  rig.set_addresses(0, rig.heap, 128);
  rig.begin();
  rig.issue(kLoad);
  rig.run(50);
  // First in flight, three in the pipe.
  EXPECT_EQ(rig.count("lsu_passes"), 4U);
  EXPECT_TRUE(rig.lsu.blocked());
  rig.drain();
  EXPECT_EQ(rig.count("lsu_passes"), 32U);
  EXPECT_GT(rig.count("reservation_fail"), 0U);
}

TEST(LsuTiming, OnePacketLeavesPerTick) {
  LsuRig rig(lsu_machine({"l1.banks=4"}));
  rig.set_addresses(0, rig.heap, 128);
  rig.begin();
  rig.issue(kLoad);
  rig.drain();
  ASSERT_EQ(rig.memory.seen.size(), 32U);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(rig.memory.seen[i].first, 41U + i);
}

TEST(LsuTiming, PacketWaitsForCreditsInFlits) {
  // The FIFO holds one whole-line store (136 bytes: 5 flits of 32) at a time.
  LsuRig rig(lsu_machine({"xbar.fifo_flits=5", "xbar.flit_bytes=32"}));
  rig.set_addresses(0, rig.heap, 4);
  rig.set_addresses(1, rig.heap + 128, 4);
  rig.memory.hold_requests = true;
  rig.begin();
  rig.issue(kStore, 0);
  rig.issue(kStore, 1);
  rig.run(60);
  EXPECT_EQ(rig.port.sent(), 1U);
  EXPECT_EQ(rig.lsu.next(rig.now), kForever) << "credits are the port's to tell";
  rig.memory.hold_requests = false;
  const Cycle released = rig.now;
  rig.drain();
  ASSERT_EQ(rig.memory.seen.size(), 2U);
  EXPECT_EQ(rig.memory.seen[0].first, released);
  EXPECT_EQ(rig.memory.seen[1].first, released + 2) << "credit counted in the next cycle, visible in the one after";
}

TEST(LsuTiming, PacketWaitsForItsPageAndOthersPass) {
  LsuRig rig(lsu_machine({"tlb.l1_entries=16", "tlb.page_bytes=4096", "tlb.l2_latency=20", "tlb.walk_latency=300"}));
  rig.set_addresses(0, rig.heap, 4);
  rig.begin();
  rig.issue(kStore, 0);
  rig.drain();
  // Without translation visible at 41; the shared TLB answers after 20 cycles, the walk takes 300.
  EXPECT_EQ(rig.memory.seen[0].first, 41U + 20 + 300);
  // A load of another page follows, then two lines of the first page. These overtake it, in their order.
  rig.set_addresses(1, rig.heap + 4096, 4);
  rig.set_addresses(2, rig.heap + 128, 4);
  const Cycle start = rig.now;
  rig.begin();
  rig.issue(kStore, 1);
  rig.issue(kStore, 2);
  rig.issue(kStore, 0);
  rig.run(60);
  EXPECT_EQ(rig.lsu.waiting(), "injection FIFO: address translation");
  rig.drain();
  ASSERT_EQ(rig.memory.seen.size(), 4U);
  EXPECT_EQ(rig.memory.seen[1].second->line(), rig.heap + 128);
  EXPECT_EQ(rig.memory.seen[1].first, start + 42);
  EXPECT_EQ(rig.memory.seen[2].second->line(), rig.heap);
  EXPECT_EQ(rig.memory.seen[2].first, start + 43);
  EXPECT_EQ(rig.memory.seen[3].second->line(), rig.heap + 4096);
  EXPECT_EQ(rig.memory.seen[3].first, start + 41 + 320);
  EXPECT_EQ(rig.count("tlb.tlb_miss"), 2U);
  EXPECT_EQ(rig.count("tlb.tlb_hit"), 2U);
}

// Hits in L1 need no translation; only requests that leave the SM do.
TEST(LsuTiming, LoadThatHitsL1AsksNoTlb) {
  LsuRig rig(lsu_machine({"tlb.l1_entries=1", "tlb.l1_ways=1", "tlb.page_bytes=4096"}));
  rig.set_addresses(0, rig.heap, 4);
  rig.set_addresses(1, rig.heap + 4096, 4);
  for (const unsigned warp : {0U, 1U, 0U, 1U}) {
    rig.begin();
    rig.issue(kLoad, warp);
    rig.drain();
  }
  EXPECT_EQ(rig.count("l1_read_hit"), 2U);
  EXPECT_EQ(rig.count("tlb.tlb_miss"), 2U);
  EXPECT_EQ(rig.count("tlb.tlb_hit"), 0U);
}

TEST(LsuTiming, InstructionLineGoesThroughTheInjectionFifo) {
  LsuRig rig(lsu_machine());
  rig.begin();
  ASSERT_TRUE(rig.lsu.can_fetch());
  rig.lsu.fetch(rig.heap + 256, 2);
  rig.run(40);
  ASSERT_EQ(rig.memory.seen.size(), 1U);
  EXPECT_EQ(rig.memory.seen[0].first, 2U);
  const MemoryRequest& request = rig.memory.seen[0].second->request;
  EXPECT_EQ(request.kind, RequestKind::kFetch);
  EXPECT_EQ(request.client, Client::kFetch);
  EXPECT_EQ(request.sectors, 0xf);
  EXPECT_EQ(request.entry, 3U);
  ASSERT_EQ(rig.fetched_lines.size(), 1U);
  EXPECT_EQ(rig.fetched_lines[0], (std::pair<Cycle, std::uint64_t>{2 + rig.memory.delay + 1, rig.heap + 256}));
  EXPECT_EQ(rig.lsu.outstanding(), 0U);
}

// With the machine's crossbars, slices and channels. Kepler: issue 0, dispatch 4, pass 5, request 40, granted 41, in
// the slice's FIFO 49, performed 186, granted 187, in the SM's FIFO 198, written 199.

/// Returns the ticks from issue to data of a load that misses in L1 and hits in L2.
Tick l2_latency(LsuRig& rig, const Instruction& instruction) {
  latency(rig, instruction);
  rig.acquire(0);
  return latency(rig, instruction);
}

TEST(LsuWithMemory, LoadThatHitsL2) {
  // Dependent issue of docs/gpu/closed-forms.md, "Closed forms", is one later than the data, on gcn rounded up to its
  // period.
  struct {
    const char* machine;
    Tick expected;
  } const cases[] = {{"kepler_k20c_study", 199},
                     {"fermi_gtx480_study", 182},
                     {"maxwell_liu13", 206},
                     {"turing_rtx2060_study", 202},
                     {"gcn_apu", 202}};
  for (const auto& c : cases) {
    LsuRig rig(lsu_machine({}, c.machine), 8, true);
    rig.set_addresses(0, rig.heap, 0);
    EXPECT_EQ(l2_latency(rig, kLoad), c.expected) << c.machine;
  }
}

TEST(LsuWithMemory, BypassingLoadOfOneSectorHasAShorterReply) {
  LsuRig rig(lsu_machine(), 8, true);
  rig.set_addresses(0, rig.heap, 0);
  Instruction instruction;
  instruction.ordering = isa::Ordering::kVolatile;
  EXPECT_EQ(l2_latency(rig, instruction), 196U);
}

TEST(LsuWithMemory, LoadThatMissesL2) {
  LsuRig rig(lsu_machine(), 8, true);
  rig.set_addresses(0, rig.heap, 0);
  EXPECT_NEAR(static_cast<double>(latency(rig, kLoad)), 319, 2);
}

TEST(LsuWithMemory, StoreIsAcknowledged) {
  LsuRig rig(lsu_machine(), 8, true);
  rig.set_addresses(0, rig.heap, 4);
  rig.set_data(0, 1);
  latency(rig, kLoad);
  rig.begin();
  const Cycle issued = rig.now;
  rig.issue(kStore);
  while (rig.acknowledged_lines[0] == 0 && rig.now < issued + 1000) rig.begin();
  // A store of a whole line moves 4 sectors: m = ceil(136 / 40) = 4 flits; the fence ends in the tick of the reply.
  EXPECT_EQ(rig.now - issued, 198U);
  rig.drain();
}

TEST(LsuWithMemory, AtomicsTakeTheSliceForTheirConflicts) {
  for (const auto& [step, expected] : {std::pair{0U, 237U}, std::pair{4U, 212U}}) {
    LsuRig rig(lsu_machine(), 8, true);
    rig.set_addresses(0, rig.heap, step);
    rig.set_data(0, 1);
    latency(rig, kLoad);
    EXPECT_EQ(latency(rig, {MemoryKind::kAtomic, Space::kGlobal}), expected) << step;
  }
}

}  // namespace
}  // namespace castor::gpu::test::gpu_lsu_timing_test

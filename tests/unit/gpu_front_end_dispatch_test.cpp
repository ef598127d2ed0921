// Queues, parsing and placement of kernels: cycles of every step, golden placements, bypass.
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_dispatch_test {
namespace {

using test::load;
using test::Logged;
using test::Rig;

constexpr Cycle kSubmit = 10;

// --- Cycles of the steps (docs/gpu/front-end.md, "Front-end cycle")
// --------------------------------------------------------------

TEST(FrontEndTiming, DoorbellToTbStartTakesParseLatencyPlusThree) {
  // Packet visible in cycle c. On kepler_k20c_study: granted in c + 1, entry written in c + 284, TB placed in c + 285,
  // started in c + 286.
  Rig rig(load(), {});
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 3, 64), kSubmit);
  rig.run();
  EXPECT_EQ(rig.log.cycle("granted", ticket), kSubmit + 1);
  EXPECT_EQ(rig.log.cycle("written", ticket), kSubmit + 284);
  const std::vector<Logged> placed = {{"placed", kSubmit + 285, ticket, 0, 0},
                                      {"placed", kSubmit + 286, ticket, 1, 1},
                                      {"placed", kSubmit + 287, ticket, 2, 2}};
  EXPECT_EQ(rig.log.of("placed"), placed);
  EXPECT_EQ(rig.log.of("started")[0].cycle, kSubmit + 286);
  EXPECT_TRUE(rig.front_end->host().shown(ticket));
}

TEST(FrontEndTiming, NextKernelOfAQueueStartsParseLatencyPlusThreeAfterTheRetireWire) {
  // TB exits in cycle e. Exit wire, drain and completion in e + 1, grant in e + 2, entry written in e + 285, TB placed
  // in e + 286, started in e + 287.
  Rig rig(load(), {});
  const ProgramHandle program = rig.program("k");
  const Ticket first = rig.submit(0, Rig::kernel(program, 1, 32), kSubmit);
  const Ticket second = rig.submit(0, Rig::kernel(program, 1, 32), kSubmit);
  rig.run();
  const Cycle exit = rig.log.cycle("retired", first);
  EXPECT_EQ(exit, rig.log.cycle("started", first) + rig.service - 1);
  EXPECT_EQ(rig.log.cycle("completed", first), exit + 1);
  EXPECT_EQ(rig.front_end->host().cycle(first), exit + 1);
  EXPECT_EQ(rig.log.cycle("granted", second), exit + 2);
  EXPECT_EQ(rig.log.cycle("written", second), exit + 285);
  EXPECT_EQ(rig.log.cycle("started", second), exit + 287);
}

TEST(FrontEndTiming, KthTbIsPlacedKMinusOneCyclesAfterTheFirst) {
  Rig rig(load(), {});
  rig.service = 10'000;
  rig.submit(0, Rig::kernel(rig.program("k"), 208, 32), kSubmit);  // 16 TBs on each of 13 SMs
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 208U);
  for (std::size_t k = 0; k < placed.size(); ++k) EXPECT_EQ(placed[k].cycle, placed[0].cycle + k);
}

TEST(FrontEndTiming, SlowDescriptorReadDelaysTheEntry) {
  // The read is sent in the cycle of the grant and visible to the memory one cycle later. The reply comes 400 cycles
  // later, is taken by the port in the next cycle, and is seen by the lane in the one after.
  Rig::Options options;
  options.latency = 400;
  Rig rig(load(), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 1, 32), kSubmit);
  rig.run();
  const Cycle granted = rig.log.cycle("granted", ticket);
  EXPECT_EQ(rig.log.cycle("written", ticket), granted + 1 + 400 + 1 + 1);
}

TEST(FrontEndTiming, WithoutParseLatencyNoReadIsChargedAndTheEntryIsWrittenInTheNextCycle) {
  Rig::Options options;
  options.latency = 400;
  Rig rig(load({"parse.latency=0"}), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 1, 32), kSubmit);
  rig.run();
  EXPECT_EQ(rig.log.cycle("written", ticket), rig.log.cycle("granted", ticket) + 1);
  for (const auto& access : rig.memory.accesses) EXPECT_EQ(access.kind, RequestKind::kStore);
}

TEST(FrontEndTiming, HostSeesCompletionWhenTheCompletionWordIsStored) {
  Rig rig(load(), {});
  const Ticket ticket = rig.submit(3, Rig::kernel(rig.program("k"), 1, 32), kSubmit);
  Cycle seen = 0;
  rig.before = [&](Cycle now) {
    if (seen == 0 && rig.front_end->host().shown(ticket)) seen = now;
  };
  rig.run();
  const Cycle completed = rig.log.cycle("completed", ticket);
  ASSERT_FALSE(rig.memory.accesses.empty());
  const auto& store = rig.memory.accesses.back();
  EXPECT_EQ(store.kind, RequestKind::kStore);
  EXPECT_EQ(store.visible, completed + 1);
  std::uint64_t word = 0;
  std::memcpy(&word, rig.store.host(rig.front_end->queues().completion_word(3)), sizeof word);
  EXPECT_EQ(word, ticket);
}

// --- Lanes and intervals
// ----------------------------------------------------------------------------------------------

TEST(FrontEndParse, IntervalSeparatesGrants) {
  Rig rig(load({"parse.interval=283"}), {});
  const ProgramHandle program = rig.program("k");
  for (unsigned queue = 0; queue < 4; ++queue) rig.submit(queue, Rig::kernel(program, 1, 32), kSubmit);
  rig.run();
  const auto granted = rig.log.of("granted");
  ASSERT_EQ(granted.size(), 4U);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(granted[i].cycle, kSubmit + 1 + 283 * i);
    EXPECT_EQ(granted[i].b, i);
  }
}

TEST(FrontEndParse, LanesLimitKernelsBeingParsed) {
  // Two lanes: a lane that finishes in c takes its next kernel in c + 1.
  Rig rig(load({"parse.lanes=2", "parse.latency=50"}), {});
  const ProgramHandle program = rig.program("k");
  for (unsigned queue = 0; queue < 5; ++queue) rig.submit(queue, Rig::kernel(program, 1, 32), kSubmit);
  rig.run();
  std::vector<Cycle> cycles;
  for (const Logged& event : rig.log.of("granted")) cycles.push_back(event.cycle - kSubmit);
  EXPECT_THAT(cycles, testing::ElementsAre(1, 2, 52, 53, 103));
}

TEST(FrontEndParse, RoundRobinContinuesBehindTheLastGrantedQueue) {
  Rig rig(load({"parse.latency=5"}), {});
  rig.service = 1;
  const ProgramHandle program = rig.program("k");
  for (const unsigned queue : {5U, 2U, 9U}) {
    rig.submit(queue, Rig::kernel(program, 1, 32), kSubmit);
    rig.submit(queue, Rig::kernel(program, 1, 32), kSubmit);
  }
  rig.run();
  std::vector<std::uint64_t> queues;
  for (const Logged& event : rig.log.of("granted")) queues.push_back(event.b);
  EXPECT_THAT(queues, testing::ElementsAre(2, 5, 9, 2, 5, 9));
}

TEST(FrontEndParse, FullTableHoldsKernelsBackUntilAnEntryWasFreeAtTheStartOfACycle) {
  Rig rig(load({"table.entries=2"}), {});
  const ProgramHandle program = rig.program("k");
  std::vector<Ticket> tickets;
  for (unsigned queue = 0; queue < 3; ++queue)
    tickets.push_back(rig.submit(queue, Rig::kernel(program, 1, 32), kSubmit));
  rig.run();
  EXPECT_EQ(rig.log.cycle("granted", tickets[2]), rig.log.cycle("completed", tickets[0]) + 1);
  EXPECT_EQ(rig.statistic("front_end.entries_valid_max"), 2U);
}

TEST(FrontEndParse, ScanOffersAQueueAfterNgToTwoNgCycles) {
  // The scan of the laxity engine (docs/blocks/lax.md, "Cycle") with 128 queues, 16 per cycle: passes of 8 cycles. A
  // queue ready in cycle r is frozen at the next multiple of 8 (r itself included) and offered 8 cycles later.
  for (Cycle visible = 40; visible < 56; ++visible) {
    Rig rig(load({"parse.latency=20"}, "gcn_apu"), {});
    const Ticket ticket = rig.submit(77, Rig::kernel(rig.program("k"), 1, 64), visible);
    rig.run();
    const Cycle ready = visible + 1;
    EXPECT_EQ(rig.log.cycle("granted", ticket), (ready + 7) / 8 * 8 + 8) << "visible in " << visible;
  }
}

TEST(FrontEndParse, ScanWithdrawsOffersAfterAGrant) {
  // 16 queues ready at once: after each grant nothing is offered for NG to 2 NG - 1 cycles, so with a lane always free
  // grants come at the first cycle of every second pass.
  Rig rig(load({"parse.lanes=64"}, "gcn_apu"), {});
  const ProgramHandle program = rig.program("k");
  for (unsigned i = 0; i < 16; ++i) rig.submit(127 - 8 * i, Rig::kernel(program, 1, 64), 10);
  rig.run();
  const auto granted = rig.log.of("granted");
  ASSERT_EQ(granted.size(), 16U);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(granted[i].cycle, 24U + 16 * i);
    EXPECT_EQ(granted[i].b, 7U + 8 * i);
  }
}

// --- Queues
// -----------------------------------------------------------------------------------------------------------

TEST(FrontEndQueues, AKernelOfABusyQueueIsNotParsedAhead) {
  Rig rig(load(), {});
  rig.service = 2000;
  const ProgramHandle program = rig.program("k");
  const Ticket first = rig.submit(4, Rig::kernel(program, 1, 32), kSubmit);
  const Ticket second = rig.submit(4, Rig::kernel(program, 1, 32), kSubmit);
  rig.run();
  EXPECT_GT(rig.log.cycle("granted", second), rig.log.cycle("completed", first));
}

TEST(FrontEndQueues, FullFifoHoldsQueueDepthPacketsBesidesTheKernelTaken) {
  Rig rig(load({"queue.depth=4"}), {});
  const ProgramHandle program = rig.program("k");
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_FALSE(rig.front_end->queue_full(0));
    rig.submit(0, Rig::kernel(program, 1, 32), kSubmit);
  }
  EXPECT_TRUE(rig.front_end->queue_full(0));
  EXPECT_FALSE(rig.front_end->queue_full(1));
  rig.run_until([&] { return !rig.front_end->queue_full(0); });
  EXPECT_EQ(rig.log.of("granted").size(), 1U);
  const Ticket last = rig.submit(0, Rig::kernel(program, 1, 32), rig.now);
  EXPECT_TRUE(rig.front_end->queue_full(0));
  rig.run();
  EXPECT_TRUE(rig.front_end->host().shown(last));
  EXPECT_EQ(rig.log.of("completed").size(), 5U);
}

TEST(FrontEndQueues, KernelsOfOneQueueNeverOverlap) {
  Rig rig(load({"queue.count=1", "parse.latency=3"}), {});
  const ProgramHandle program = rig.program("k");
  for (unsigned stream = 0; stream < 8; ++stream) rig.submit(0, Rig::kernel(program, 20, 64), kSubmit);
  rig.run();
  const auto written = rig.log.of("written"), completed = rig.log.of("completed");
  ASSERT_EQ(completed.size(), 8U);
  for (unsigned i = 1; i < 8; ++i) EXPECT_GT(written[i].cycle, completed[i - 1].cycle);
}

TEST(FrontEndQueues, DescriptorInMemoryIsWhatTheLaneReads) {
  // The grid size in the ring changes after submission and before the packet is read: the entry holds the new size.
  Rig rig(load(), {});
  const Ticket ticket = rig.submit(2, Rig::kernel(rig.program("k"), 7, 32), kSubmit);
  const std::uint64_t image = rig.front_end->queues().head(2).image;
  std::uint32_t grid = 0;
  std::memcpy(&grid, rig.store.host(image + 0x10), sizeof grid);
  EXPECT_EQ(grid, 7U);
  grid = 5;
  std::memcpy(rig.store.host(image + 0x10), &grid, sizeof grid);
  rig.run();
  EXPECT_EQ(rig.log.of("placed").size(), 5U);
  ASSERT_EQ(rig.front_end->releases().kernels().size(), 1U);
  EXPECT_EQ(rig.front_end->releases().kernels()[0].thread_blocks, 5U);
  EXPECT_EQ(rig.front_end->releases().kernels()[0].ticket, ticket);
  EXPECT_EQ(rig.front_end->releases().kernels()[0].warp_instructions, 50U);
  EXPECT_EQ(rig.front_end->releases().kernels()[0].thread_instructions, 5U * 320);
}

// --- Golden placements
// ------------------------------------------------------------------------------------------------

TEST(FrontEndPlacement, HundredTbsGoAroundThirteenEmptySms) {  // (a)
  Rig rig(load(), {});
  rig.service = 100'000;
  rig.submit(0, Rig::kernel(rig.program("k"), 100, 32), kSubmit);
  rig.run();
  for (const Logged& event : rig.log.of("placed")) EXPECT_EQ(event.c, event.b % 13);
}

TEST(FrontEndPlacement, FreedSmTakesTheNextTbWhereverTheSearchStands) {  // (b)
  Rig::Options options;
  options.service = [](const KernelContext& /*kernel*/, std::uint64_t gid) -> Cycle { return gid == 17 ? 500 : 5000; };
  Rig rig(load(), options);
  // Three TBs per SM by shared memory: 3 x 16 KB of 48 KB.
  rig.submit(0, Rig::kernel(rig.program("k", 16, 16384), 40, 32), kSubmit);
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 40U);
  EXPECT_EQ(placed[38].c, 12U);
  EXPECT_EQ(placed[38].cycle, placed[0].cycle + 38);
  EXPECT_EQ(placed[17].c, 4U);
  EXPECT_EQ(placed[39].c, 4U);
  // A TB placed in cycle c with service time S: its wire is visible in c + S + 1, and its resources can be used in that
  // cycle.
  EXPECT_EQ(placed[39].cycle, placed[17].cycle + 500 + 1);
}

TEST(FrontEndPlacement, FreedSlotTakesATbOfTheNextKernel) {  // (c)
  Rig::Options options;
  options.service = [](const KernelContext& kernel, std::uint64_t gid) -> Cycle {
    return kernel.program->kernel == "a" && gid == 30 ? 900 : 9000;
  };
  Rig rig(load(), options);
  const Ticket a = rig.submit(0, Rig::kernel(rig.program("a", 16, 16384), 39, 32), kSubmit);
  const Ticket b = rig.submit(1, Rig::kernel(rig.program("b", 16, 16384), 1, 32), kSubmit);
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 40U);
  EXPECT_EQ(placed[38].a, a);
  EXPECT_EQ(placed[39].a, b);
  EXPECT_EQ(placed[39].c, 30U % 13);
  EXPECT_EQ(placed[39].cycle, placed[30].cycle + 901);
}

TEST(FrontEndPlacement, NextKernelStartsInTheCycleAfterTheLastTbOfItsPredecessor) {
  Rig rig(load(), {});
  const ProgramHandle program = rig.program("k");
  const Ticket a = rig.submit(0, Rig::kernel(program, 20, 32), kSubmit);
  const Ticket b = rig.submit(1, Rig::kernel(program, 4, 32), kSubmit);
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 24U);
  EXPECT_EQ(placed[19].a, a);
  EXPECT_EQ(placed[20].a, b);
  EXPECT_EQ(placed[20].cycle, placed[19].cycle + 1);
}

// Runs two kernels: a needs the whole shared memory of an SM and has more TBs than there are SMs, b needs none.
void run_blocked(Rig& rig, Ticket& a, Ticket& b) {
  a = rig.submit(0, Rig::kernel(rig.program("a", 16, 49152), 15, 32), kSubmit);
  b = rig.submit(1, Rig::kernel(rig.program("b"), 6, 32), kSubmit);
  rig.service = 3000;
  rig.run();
}

TEST(FrontEndPlacement, WithoutBypassTheHeadBlocksWhatWouldFit) {
  Rig rig(load(), {});
  Ticket a = 0, b = 0;
  run_blocked(rig, a, b);
  const auto placed = rig.log.of("placed");
  for (unsigned i = 0; i < 15; ++i) EXPECT_EQ(placed[i].a, a);
  EXPECT_EQ(placed[13].cycle, placed[0].cycle + 3001);
  EXPECT_EQ(placed[15].cycle, placed[14].cycle + 1);
  // From the cycle after TB 12 of a (placed c + 12) to the one before c + 3001.
  EXPECT_EQ(rig.statistic("front_end.head_blocked_cycles"), 3001U - 13);
  EXPECT_EQ(rig.statistic("front_end.no_fit_cycles"), 0U);
}

TEST(FrontEndPlacement, StickyBypassPlacesTheOldestThatFitsInTheSameCycleAndStaysWithIt) {
  Rig rig(load({"dispatch.bypass=sticky"}), {});
  Ticket a = 0, b = 0;
  run_blocked(rig, a, b);
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 21U);
  for (unsigned i = 0; i < 13; ++i) EXPECT_EQ(placed[i].a, a);
  for (unsigned i = 13; i < 19; ++i) {
    EXPECT_EQ(placed[i].a, b);
    EXPECT_EQ(placed[i].cycle, placed[12].cycle + (i - 12));
  }
  EXPECT_EQ(placed[19].a, a);
}

TEST(FrontEndPlacement, OneSmPerCycleIsExaminedWithRrOne) {
  Rig rig(load({"dispatch.search=rr_one"}), {});
  rig.submit(0, Rig::kernel(rig.program("k", 16, 49152), 20, 32), kSubmit);
  rig.service = 777;
  rig.run();
  for (const Logged& event : rig.log.of("placed")) EXPECT_EQ(event.c, event.cycle % 13);
}

TEST(FrontEndPlacement, DoneFifoDelaysRetiresAndNotTheRoomOfOthers) {
  // 13 SMs retire 16 TBs each, one per SM and cycle, but completions are counted one per cycle: the kernel is complete
  // when the last of 208 is counted, one per cycle from the first wire on.
  Rig::Options options;
  Cycle end = 0;
  Rig* self = nullptr;
  options.service = [&](const KernelContext& /*kernel*/, std::uint64_t /*gid*/) -> Cycle { return end - self->now; };
  Rig rig(load({"done_fifo=4"}), options);
  self = &rig;
  end = 2000;  // first cycle in which a TB may leave is end - 1
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 208, 32), kSubmit);
  rig.run();
  const auto retired = rig.log.of("retired");
  ASSERT_EQ(retired.size(), 208U);
  EXPECT_EQ(retired[0].cycle, 1999U);
  EXPECT_EQ(rig.log.cycle("completed", ticket), 2000U + 207);
  // Four TBs per SM retire at once, later ones only as fast as completions are counted.
  EXPECT_EQ(std::count_if(retired.begin(), retired.end(), [](const Logged& e) { return e.cycle < 1999 + 4; }), 4 * 13);
  EXPECT_GT(retired.back().cycle, 1999U + 16);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_dispatch_test

#include <map>

#include "castor/gpu/sm/barriers.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of thread block barriers: when waiting warps resume, what is counted, and what hooks see.

namespace castor::gpu::gpu_sm_barriers_test {
namespace {

using namespace test;

// Records of the test's kernel.
constexpr std::uint32_t kSync = 0, kArrive = 1, kPopc = 2, kExit = 3, kNumbered = 4;

struct Bench {
  explicit Bench(const std::vector<std::string>& overrides = {}, unsigned threads = 128)
      : machine(part_machine(overrides)),
        warps(machine, 0),
        watch(machine.sm.warps),
        tbs(machine, 0, tb_counters, nullptr),
        faults(0, clock, warps, tbs, blocked, watch, outbox),
        barriers(machine, clock, warps, tbs, blocked, faults, counters, waits),
        kernel(machine, code(), threads) {
    clock.begin(1);
    barriers.begin_tick();
  }
  static Code code() {
    Code code;
    code.barrier().barrier(isa::BarrierKind::kArrive, isa::kNoOperand, 5).barrier(isa::BarrierKind::kRedPopc).exit();
    code.program.code[kPopc].dst = 8;
    code.program.code[kPopc].predicate_src = 1;  // predicate 1
    code.barrier(isa::BarrierKind::kSync, 4, 5);
    return code;
  }
  void start(std::uint64_t gid = 0) {
    TbStartMessage message;
    message.kernel = &kernel.context;
    message.item = kernel.context.item();
    message.gid = gid;
    const unsigned context = tbs.start(message, warps.used(), clock.now(), clock.tick());
    const TbState& tb = tbs[context];
    for (unsigned i = 0; i < tb.warp_count; ++i)
      warps.start(tb.slots[i], {tb.kernel, tb.program, tb.item, tb.index, context, i});
    warps.admit(tb.warps, false);
  }
  [[nodiscard]] unsigned scheduler(unsigned w) const { return w % machine.schedulers; }
  void arrive(unsigned w, std::uint32_t record = kSync) {
    barriers.arrive(scheduler(w), w, warps[w].records[record], warps[w].active);
  }
  void exit(unsigned w) {
    EXPECT_FALSE(warps.transfer(w, warps[w].records[kExit], warps[w].active));
    barriers.exit(scheduler(w), w);
  }
  /// Ends the tick and begins tick `next`. Records the releases that are due in between.
  void go_to(Tick next) {
    if (barriers.any()) barriers.meet();
    while (clock.tick() < next) {
      clock.begin(clock.now() + 1);
      (void)wheel.take(clock.tick(), [this](const SmEvent& event) {
        blocked.released(event.payload);
        for (WarpMask left = event.payload; left != 0; left &= left - 1) released[lowest(left)] = clock.tick();
      });
    }
    barriers.begin_tick();
  }

  Machine machine;
  SmClock clock;
  WarpTable warps;
  EventWheel wheel;
  BlockedWarps blocked{wheel};
  SpinWatch watch;
  TbCounters tb_counters;
  ThreadBlocks tbs;
  SmOutbox outbox;
  FaultPort faults;
  BarrierCounters counters;
  base::StatisticGroup group{"sm"};
  base::Histogram waits{group, {"waits", "cycles", "waits"}, 20};
  Barriers barriers;
  PartKernel kernel;
  std::map<unsigned, Tick> released;
};

TEST(Barriers, WarpsGoOnRegisterAndReleaseTicksBehindTheLastArrival) {
  for (const unsigned registered : {1, 2, 4}) {
    for (const unsigned release : {1, 3}) {
      Bench bench({"barrier.register=" + std::to_string(registered), "barrier.release=" + std::to_string(release)});
      bench.start();
      bench.go_to(10);
      bench.arrive(0);
      bench.arrive(3);
      bench.go_to(20);
      bench.arrive(1);
      bench.go_to(47);
      EXPECT_EQ(bench.blocked.held_at_barrier(), 0xbU);
      bench.arrive(2);
      bench.go_to(100);
      ASSERT_EQ(bench.released.size(), 4U);
      for (const auto& [warp, tick] : bench.released) EXPECT_EQ(tick, 47 + registered + release) << "warp " << warp;
      EXPECT_EQ(bench.blocked.any(), 0U);
    }
  }
}

TEST(Barriers, TheUnitTakesArrivingWarpsOneAfterTheOther) {
  for (const unsigned arrive : {1, 2, 5}) {
    Bench bench({"barrier.register=4", "barrier.release=3", "barrier.arrive=" + std::to_string(arrive)});
    bench.start();
    bench.start(1);
    bench.go_to(10);
    for (const unsigned w : {0, 1, 2}) bench.arrive(w);  // warps of the first thread block
    for (const unsigned w : {4, 5}) bench.arrive(w);     // warps of the second thread block
    bench.go_to(11);
    for (const unsigned w : {3, 6, 7}) bench.arrive(w);
    bench.go_to(100);
    ASSERT_EQ(bench.released.size(), 8U);
    for (const unsigned w : {0, 1, 2, 3}) EXPECT_EQ(bench.released.at(w), 10 + 6 * arrive + 7) << "warp " << w;
    for (const unsigned w : {4, 5, 6, 7}) EXPECT_EQ(bench.released.at(w), 10 + 8 * arrive + 7) << "warp " << w;
    bench.start(2);
    bench.go_to(200);  // the unit is idle by now
    for (unsigned w = 8; w < 12; ++w) bench.arrive(w);
    bench.go_to(300);
    EXPECT_EQ(bench.released.at(8), 200 + 4 * arrive + 7);
  }
}

TEST(Barriers, WaitIsCountedFromTheFirstArrival) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  bench.arrive(0);
  bench.go_to(15);
  bench.arrive(1);
  bench.arrive(2);
  bench.go_to(18);
  bench.arrive(3);  // first and last of its scheduler
  bench.go_to(30);
  EXPECT_EQ(bench.counters.barrier_instances, 1U);
  EXPECT_EQ(bench.counters.barrier_wait, 8U);
  EXPECT_EQ(bench.counters.barrier_wait_p1, 8U);
  EXPECT_EQ(bench.counters.barrier_wait_p2, 0U);
  EXPECT_EQ(bench.waits.count(), 1U);
  EXPECT_EQ(bench.waits.sum(), 8U);
}

TEST(Barriers, ExitsLeaveBeforeArrivalsCount) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (const unsigned w : {0, 1}) bench.arrive(w);
  bench.go_to(12);
  bench.arrive(2);
  bench.exit(3);
  bench.go_to(13);
  EXPECT_EQ(bench.tbs[0].live, 7U);
  EXPECT_EQ(bench.blocked.releasing(), 7U);
  EXPECT_EQ(bench.counters.barrier_instances, 1U);
  bench.go_to(30);
  for (const unsigned w : {0, 1, 2}) bench.exit(w);
  bench.go_to(31);
  EXPECT_EQ(bench.tbs.finished(), 1U);
}

TEST(Barriers, ExitCompletesABarrierOfThoseThatAreLeft) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (const unsigned w : {0, 1, 2}) bench.arrive(w);
  bench.go_to(20);
  bench.exit(3);
  bench.barriers.meet();
  ASSERT_EQ(bench.barriers.completed().size(), 1U);
  EXPECT_EQ(bench.barriers.completed()[0].context, 0U);
  EXPECT_EQ(bench.barriers.completed()[0].barrier, 0U);
  EXPECT_EQ(bench.barriers.unblocked(), 7U);
  EXPECT_EQ(bench.barriers.exits().size, 1U);
  EXPECT_EQ(bench.barriers.exits()[0].warp, 3U);
}

TEST(Barriers, WhoArrivesLastIsNotSeenToWait) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (const unsigned w : {0, 1, 2}) bench.arrive(w);
  bench.barriers.meet();
  EXPECT_EQ(bench.barriers.arrivals().size, 3U);
  EXPECT_EQ(bench.barriers.arrivals()[1].warp, 1U);
  EXPECT_EQ(bench.barriers.arrivals()[1].barrier, 0U);
  bench.clock.begin(11);
  bench.barriers.begin_tick();
  bench.arrive(3);
  bench.barriers.meet();
  EXPECT_TRUE(bench.barriers.arrivals().empty());
  EXPECT_EQ(bench.barriers.unblocked(), 0xfU);
}

TEST(Barriers, ArriveDoesNotWait) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (const unsigned w : {0, 1, 2}) {
    set_lanes(bench.warps, w, 5, 128);
    bench.arrive(w, kArrive);
  }
  bench.go_to(11);
  EXPECT_EQ(bench.blocked.any(), 0U);
  bench.arrive(3);
  bench.go_to(12);
  EXPECT_EQ(bench.blocked.releasing(), 8U);
}

TEST(Barriers, ReductionGoesToTheRegistersOfWhoWaited) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (unsigned w = 0; w < 4; ++w) {
    bench.warps.view(w).predicates[1] = 0xf;
    bench.arrive(w, kPopc);
  }
  bench.go_to(11);
  for (unsigned w = 0; w < 4; ++w) EXPECT_EQ(lane_of(bench.warps, w, 8, 31), 16U);
}

TEST(Barriers, LeadIsThatOfTheBlockFurthestAhead) {
  Bench bench({}, 32);
  bench.start(0);
  bench.go_to(3);
  bench.start(1);
  bench.go_to(10);
  for (const Tick tick : {11, 20}) {
    bench.arrive(0);
    bench.go_to(tick + 1);
  }
  bench.arrive(1);
  bench.go_to(30);
  EXPECT_EQ(bench.counters.barriers_per_tb_spread, 2U);
  EXPECT_EQ(bench.counters.barriers_ahead_sum, 1U + 2U + 1U);
}

TEST(Barriers, PartOfAWarpFaults) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  bench.barriers.arrive(0, 0, bench.warps[0].records[kSync], 0xff);
  EXPECT_FALSE(bench.barriers.any());
  const FaultMessage* const fault = bench.outbox.faults().head(11);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->fault.kind, FaultKind::kBarrier);
  EXPECT_EQ(bench.blocked.faulted(), 1U);
}

TEST(Barriers, CountsThatDisagreeFaultInTheTickOfTheArrival) {
  Bench bench;
  bench.start();
  bench.go_to(10);
  for (const unsigned w : {0, 1}) {
    set_lanes(bench.warps, w, 4, 2);
    set_lanes(bench.warps, w, 5, w == 0 ? 64 : 96);
    bench.arrive(w, kNumbered);
  }
  bench.barriers.meet();
  EXPECT_NE(bench.outbox.faults().head(11), nullptr);
  EXPECT_EQ(bench.blocked.faulted(), 2U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_barriers_test

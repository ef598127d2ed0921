// SIMT stack and barriers: scenarios with the order of execution written by hand, and a random comparison with threads
// that run one by one.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "castor/isa/barrier.h"
#include "castor/isa/simt_stack.h"

namespace castor::isa::isa_control_test {
namespace {

using Steps = std::vector<std::pair<std::uint32_t, LaneMask>>;

TEST(SimtStack, RunsTakenPathFirstAndMeetsAtTheReconvergencePoint) {
  // 0: if (taken) goto 3;  1, 2: else part;  3, 4: then part, 5: meets
  SimtStack stack;
  stack.start(0xf, 0);
  stack.branch({3, 5}, 0x3);
  EXPECT_EQ(stack.pc(), 3u);
  EXPECT_EQ(stack.active(), 0x3u);
  stack.advance();
  stack.advance();  // 5: taken path is done
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0xcu);
  stack.jump(5);
  EXPECT_EQ(stack.pc(), 5u);
  EXPECT_EQ(stack.active(), 0xfu);
  stack.advance();
  EXPECT_EQ(stack.pc(), 6u);
  stack.exit(0xf);
  EXPECT_TRUE(stack.done());
  EXPECT_EQ(stack.live(), 0u);
}

TEST(SimtStack, UniformBranchesOnlyMoveThePc) {
  SimtStack stack;
  stack.start(0xff, 0);
  stack.branch({9, 20}, 0xff);
  EXPECT_EQ(stack.pc(), 9u);
  stack.branch({3, 20}, 0);
  EXPECT_EQ(stack.pc(), 10u);
  EXPECT_EQ(stack.entries().size(), 1u);
}

TEST(SimtStack, BranchToTheMeetingPointRunsOnlyTheOthers) {
  // An if without else: the taken lanes go straight to the reconvergence point.
  SimtStack stack;
  stack.start(0xf, 0);
  stack.branch({4, 4}, 0x8);
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0x7u);
  stack.jump(4);
  EXPECT_EQ(stack.active(), 0xfu);
}

TEST(SimtStack, NestedDivergenceUnwindsInside) {
  SimtStack stack;
  stack.start(0xff, 0);
  stack.branch({10, 20}, 0x0f);  // lanes 0-3 at 10
  stack.branch({14, 18}, 0x03);  // inside: lanes 0, 1 at 14, lanes 2, 3 at 11
  EXPECT_EQ(stack.active(), 0x03u);
  stack.jump(18);
  EXPECT_EQ(stack.pc(), 11u);
  EXPECT_EQ(stack.active(), 0x0cu);
  stack.jump(18);
  EXPECT_EQ(stack.pc(), 18u);
  EXPECT_EQ(stack.active(), 0x0fu);
  stack.jump(20);
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0xf0u);
  stack.jump(20);
  EXPECT_EQ(stack.active(), 0xffu);
}

TEST(SimtStack, LoopsKeepLanesThatLeaveUntilAllHaveLeft) {
  // 1: body; 2: branch back to 1 for lanes that continue; 3: after the loop. Lane i runs i + 1 iterations.
  SimtStack stack;
  stack.start(0xffffffffu, 1);
  unsigned turns = 0;
  std::size_t deepest = 0;
  while (stack.pc() != 3) {
    stack.advance();
    ++turns;
    LaneMask again = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (turns < lane + 1) again |= LaneMask{1} << lane;
    stack.branch({1, 3}, again & stack.active());
    deepest = std::max(deepest, stack.entries().size());
  }
  EXPECT_EQ(turns, 32u);
  EXPECT_EQ(stack.active(), 0xffffffffu);
  EXPECT_LE(deepest, 2u) << "a loop must not grow the stack with its turns";
}

TEST(SimtStack, IndirectBranchesRunTheLowestTargetFirst) {
  SimtStack stack;
  stack.start(0xff, 0);
  std::uint32_t targets[kMaxLanes] = {30, 10, 20, 10, 30, 40, 40, 40};
  stack.branch_indirect(targets, 0x7f, 40);
  // Lane 7 does not execute the branch and continues with 1; lanes 5 and 6 go to the reconvergence point.
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0x80u);
  stack.jump(40);
  EXPECT_EQ(stack.pc(), 10u);
  EXPECT_EQ(stack.active(), 0x0au);
  stack.jump(40);
  EXPECT_EQ(stack.pc(), 20u);
  EXPECT_EQ(stack.active(), 0x04u);
  stack.jump(40);
  EXPECT_EQ(stack.pc(), 30u);
  EXPECT_EQ(stack.active(), 0x11u);
  stack.jump(40);
  EXPECT_EQ(stack.pc(), 40u);
  EXPECT_EQ(stack.active(), 0xffu);
}

TEST(SimtStack, ExitedLanesLeaveAllEntries) {
  SimtStack stack;
  stack.start(0xf, 0);
  stack.branch({10, 20}, 0x3);
  stack.exit(0x3);  // the whole taken path
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0xcu);
  stack.jump(20);
  EXPECT_EQ(stack.active(), 0xcu);
  EXPECT_EQ(stack.live(), 0xcu);
  stack.exit(0x4);
  EXPECT_EQ(stack.pc(), 21u);
  EXPECT_EQ(stack.active(), 0x8u);
}

TEST(SimtStack, PathsThatMeetNowhereRunOneAfterTheOther) {
  SimtStack stack;
  stack.start(0xf, 0);
  stack.branch({10, kNoPc}, 0x3);
  EXPECT_EQ(stack.pc(), 10u);
  stack.exit(0x3);
  EXPECT_EQ(stack.pc(), 1u);
  stack.exit(0xc);
  EXPECT_TRUE(stack.done());
}

TEST(SimtStack, CallsReturnBehindTheCall) {
  SimtStack stack;
  stack.start(0xf, 5);
  stack.call(100, 0x7);  // lane 3's guard is false: it waits at the return address
  EXPECT_EQ(stack.pc(), 100u);
  EXPECT_EQ(stack.active(), 0x7u);
  EXPECT_EQ(stack.depth(), 1u);
  stack.branch({110, kNoPc}, 0x1);
  stack.ret(0x1);
  EXPECT_EQ(stack.pc(), 101u);
  EXPECT_EQ(stack.active(), 0x6u);
  stack.ret(0x2);
  EXPECT_EQ(stack.pc(), 102u);
  EXPECT_EQ(stack.active(), 0x4u);
  stack.call(200, 0x4);
  EXPECT_EQ(stack.depth(), 2u);
  stack.ret(0x4);
  EXPECT_EQ(stack.pc(), 103u);
  stack.ret(0x4);
  EXPECT_EQ(stack.pc(), 6u);
  EXPECT_EQ(stack.active(), 0xfu);
  EXPECT_EQ(stack.depth(), 0u);
}

TEST(SimtStack, ReturnsInDivergentCodeKeepTheOthersInTheFunction) {
  // In the function: if (lane < 2) return; the other lanes reconverge at 108 and return there.
  SimtStack stack;
  stack.start(0xf, 5);
  stack.call(100, 0xf);
  stack.branch({104, 108}, 0xc);
  EXPECT_EQ(stack.active(), 0xcu);
  stack.jump(108);
  EXPECT_EQ(stack.pc(), 101u);
  stack.ret(0x3);
  EXPECT_EQ(stack.pc(), 108u);
  EXPECT_EQ(stack.active(), 0xcu);
  stack.ret(0xc);
  EXPECT_EQ(stack.pc(), 6u);
  EXPECT_EQ(stack.active(), 0xfu);
}

TEST(SimtStack, CallAtTheEndOfAPathStillReturnsThere) {
  // The call is the last instruction before the reconvergence point.
  SimtStack stack;
  stack.start(0xf, 0);
  stack.branch({10, 11}, 0x3);
  stack.call(100, 0x3);
  EXPECT_EQ(stack.pc(), 100u);
  stack.ret(0x3);
  EXPECT_EQ(stack.pc(), 1u);
  EXPECT_EQ(stack.active(), 0xcu);
  stack.jump(11);
  EXPECT_EQ(stack.active(), 0xfu);
}

TEST(SimtStack, IndirectCallsRunEveryTargetBeforeTheCallerGoesOn) {
  SimtStack stack;
  stack.start(0x7, 5);
  const std::uint32_t targets[kMaxLanes] = {200, 100, 200};
  stack.call_indirect(targets, 0x7);
  EXPECT_EQ(stack.pc(), 100u);
  EXPECT_EQ(stack.active(), 0x2u);
  EXPECT_EQ(stack.depth(), 1u);
  stack.ret(0x2);
  EXPECT_EQ(stack.pc(), 200u);
  EXPECT_EQ(stack.active(), 0x5u);
  EXPECT_EQ(stack.depth(), 1u);
  stack.ret(0x5);
  EXPECT_EQ(stack.pc(), 6u);
  EXPECT_EQ(stack.active(), 0x7u);
}

TEST(SimtStack, ReturnFromAKernelIsExit) {
  SimtStack stack;
  stack.start(0x3, 0);
  stack.ret(0x1);
  EXPECT_EQ(stack.live(), 0x2u);
  EXPECT_EQ(stack.pc(), 1u);
  stack.ret(0x2);
  EXPECT_TRUE(stack.done());
}

TEST(SimtStack, ExitInsideAFunctionTakesLanesOutOfTheCaller) {
  SimtStack stack;
  stack.start(0xf, 5);
  stack.call(100, 0xf);
  stack.exit(0x3);
  EXPECT_EQ(stack.pc(), 101u);
  stack.ret(0xc);
  EXPECT_EQ(stack.pc(), 6u);
  EXPECT_EQ(stack.active(), 0xcu);
}

/// Random control-flow graphs: node i branches on a bit of the lane's state to a later or earlier node; a step budget
/// per lane ends loops at the last node. Reconvergence points are the immediate post-dominators, found by brute force.
struct Graph {
  std::vector<std::array<unsigned, 2>> next;  // last node: end
};

std::vector<std::uint32_t> simultaneous_points(const Graph& graph) {
  const auto size = static_cast<unsigned>(graph.next.size());
  // post[i]: nodes on every path from i to the end.
  std::vector<std::vector<bool>> post(size, std::vector<bool>(size, true));
  post[size - 1].assign(size, false);
  post[size - 1][size - 1] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i + 1 < size; ++i) {
      for (unsigned n = 0; n < size; ++n) {
        const bool now = n == i || (post[graph.next[i][0]][n] && post[graph.next[i][1]][n]);
        changed = changed || now != post[i][n];
        post[i][n] = now;
      }
    }
  }
  std::vector<std::uint32_t> result(size, kNoPc);
  for (unsigned i = 0; i < size; ++i) {
    unsigned most = 0;
    for (unsigned n = 0; n < size; ++n) {
      if (n == i || !post[i][n]) continue;
      unsigned count = 0;
      for (unsigned m = 0; m < size; ++m) count += post[n][m] ? 1 : 0;
      if (count > most) {
        most = count;
        result[i] = n;
      }
    }
  }
  return result;
}

TEST(SimtStack, UnstructuredGraphsTakeEveryLaneAlongItsOwnPath) {
  const unsigned seed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int trial = 0; trial < 400; ++trial) {
    const unsigned size = 3 + random() % 8;
    Graph graph;
    for (unsigned i = 0; i + 1 < size; ++i) graph.next.push_back({static_cast<unsigned>(random() % size), i + 1});
    graph.next.push_back({size - 1, size - 1});
    const std::vector<std::uint32_t> meets = simultaneous_points(graph);
    const auto wants = [&](unsigned lane, unsigned node, unsigned visit) {
      // The first alternative for the first few visits, so that every lane ends.
      const unsigned hash = (lane * 2654435761u) ^ (node * 40503u) ^ (visit * 9176u) ^ static_cast<unsigned>(trial);
      return visit < 4 && (hash >> 7 & 1) != 0 ? 0u : 1u;
    };
    // Alone.
    std::vector<std::vector<unsigned>> alone(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::map<unsigned, unsigned> visits;
      for (unsigned node = 0;; node = graph.next[node][wants(lane, node, visits[node]++)]) {
        alone[lane].push_back(node);
        if (node + 1 == size) break;
      }
    }
    // Together.
    std::vector<std::vector<unsigned>> together(32);
    std::vector<std::map<unsigned, unsigned>> visits(32);
    SimtStack stack;
    stack.start(0xffffffffu, 0);
    bool together_at_end = false;
    for (unsigned steps = 0; !stack.done(); ++steps) {
      ASSERT_LT(steps, 100000u);
      const unsigned node = stack.pc();
      LaneMask first = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((stack.active() >> lane & 1) == 0) continue;
        together[lane].push_back(node);
        if (wants(lane, node, visits[lane][node]++) == 0) first |= LaneMask{1} << lane;
      }
      if (node + 1 == size) {
        together_at_end = stack.active() == 0xffffffffu;
        stack.exit(stack.active());
      } else {
        stack.branch({graph.next[node][0], meets[node]}, first);
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) ASSERT_EQ(together[lane], alone[lane]) << "trial " << trial;
    EXPECT_TRUE(together_at_end) << "trial " << trial << ": all lanes meet at the end";
  }
}

using Arrival = BarrierUnit::Arrival;
using Error = BarrierUnit::Error;

Arrival arrival(unsigned warp, unsigned barrier = 0, std::optional<unsigned> threads = {},
                BarrierKind kind = BarrierKind::kSync, LaneMask votes = 0) {
  Arrival result;
  result.warp = warp;
  result.barrier = barrier;
  result.threads = threads;
  result.kind = kind;
  result.lanes = 0xffffffffu;
  result.votes = votes;
  return result;
}

TEST(Barrier, ReleasesAllWarpsWhenTheLastArrives) {
  BarrierUnit unit;
  unit.start({1, 1, 1});
  std::vector<BarrierUnit::Release> released;
  EXPECT_EQ(unit.arrive(arrival(2), released), Error::kNone);
  EXPECT_EQ(unit.arrive(arrival(0), released), Error::kNone);
  EXPECT_TRUE(released.empty());
  EXPECT_EQ(unit.waiting(0), 5u);
  EXPECT_EQ(unit.arrived(0), 2u);
  EXPECT_EQ(unit.expected(0), 3u);
  EXPECT_EQ(unit.arrive(arrival(1), released), Error::kNone);
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].warps, 7u);
  EXPECT_EQ(unit.waiting(0), 0u);
  EXPECT_EQ(unit.expected(0), 0u);
}

TEST(Barrier, StartsAfreshForTheNextGeneration) {
  BarrierUnit unit;
  unit.start({1, 1});
  std::vector<BarrierUnit::Release> released;
  for (int generation = 0; generation < 3; ++generation) {
    released.clear();
    (void)unit.arrive(arrival(0, 0, {}, BarrierKind::kRedPopc, 0x3), released);
    (void)unit.arrive(arrival(1, 0, {}, BarrierKind::kRedPopc, 0x1), released);
    ASSERT_EQ(released.size(), 1u);
    EXPECT_EQ(released[0].reduction, 3u);
  }
}

TEST(Barrier, WaitsForOneWarpLessWhenAWarpExits) {
  BarrierUnit unit;
  unit.start({1, 1, 1});
  std::vector<BarrierUnit::Release> released;
  (void)unit.arrive(arrival(0), released);
  (void)unit.arrive(arrival(1), released);
  unit.exit(2, released);
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].warps, 3u);
}

TEST(Barrier, CountedBarriersWaitForTheirCount) {
  BarrierUnit unit;
  unit.start({1, 1, 1, 1});
  std::vector<BarrierUnit::Release> released;
  (void)unit.arrive(arrival(0, 3, 64), released);
  unit.exit(1, released);
  EXPECT_TRUE(released.empty()) << "an exit changes nothing for a barrier with a count";
  (void)unit.arrive(arrival(3, 3, 64), released);
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].barrier, 3u);
  EXPECT_EQ(released[0].warps, 9u);
}

TEST(Barrier, ProducersArriveWithoutWaiting) {
  BarrierUnit unit;
  unit.start({1, 1});
  std::vector<BarrierUnit::Release> released;
  (void)unit.arrive(arrival(0, 1, 64, BarrierKind::kArrive), released);
  EXPECT_EQ(unit.waiting(1), 0u);
  (void)unit.arrive(arrival(1, 1, 64), released);
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].warps, 2u);
}

TEST(Barrier, ReducesVotesOfArrivingLanes) {
  const auto reduce = [](BarrierKind kind, LaneMask first, LaneMask second) {
    BarrierUnit unit;
    unit.start({1, 1});
    std::vector<BarrierUnit::Release> released;
    (void)unit.arrive(arrival(0, 0, {}, kind, first), released);
    Arrival last = arrival(1, 0, {}, kind, second);
    last.lanes = 0xff;  // a partial warp
    (void)unit.arrive(last, released);
    return released.at(0).reduction;
  };
  EXPECT_EQ(reduce(BarrierKind::kRedPopc, 0xf0f0f0f0u, 0xffff), 24u);
  EXPECT_EQ(reduce(BarrierKind::kRedAnd, 0xffffffffu, 0xff), 1u);
  EXPECT_EQ(reduce(BarrierKind::kRedAnd, 0xfffffffeu, 0xff), 0u);
  EXPECT_EQ(reduce(BarrierKind::kRedOr, 0, 0xff00), 0u);
  EXPECT_EQ(reduce(BarrierKind::kRedOr, 0, 0x80), 1u);
}

TEST(Barrier, CountsBothHalvesOfWideWarps) {
  BarrierUnit unit;
  unit.start({2, 1});  // 96 threads on 64 lanes
  std::vector<BarrierUnit::Release> released;
  Arrival wide = arrival(0, 0, 96);
  wide.lanes = ~LaneMask{0};
  EXPECT_EQ(unit.arrive(wide, released), Error::kNone);
  EXPECT_EQ(unit.arrived(0), 2u);
  EXPECT_EQ(unit.arrive(arrival(1, 0, 96), released), Error::kNone);
  ASSERT_EQ(released.size(), 1u);
  // Only one half of the warp arrives at a barrier of 32 threads.
  released.clear();
  EXPECT_EQ(unit.arrive(arrival(0, 2, 32), released), Error::kNone);
  EXPECT_EQ(released.size(), 1u);
}

TEST(Barrier, RefusesMisuse) {
  BarrierUnit unit;
  unit.start({1, 1});
  std::vector<BarrierUnit::Release> released;
  EXPECT_EQ(unit.arrive(arrival(0, 16), released), Error::kBadId);
  EXPECT_EQ(unit.arrive(arrival(0, 0, 0), released), Error::kBadCount);
  EXPECT_EQ(unit.arrive(arrival(0, 0, 48), released), Error::kBadCount);
  EXPECT_EQ(unit.arrive(arrival(0, 0, 96), released), Error::kBadCount);
  EXPECT_EQ(unit.arrive(arrival(0, 0, {}, BarrierKind::kArrive), released), Error::kBadCount);
  EXPECT_EQ(unit.arrive(arrival(0, 0, 64), released), Error::kNone);
  EXPECT_EQ(unit.arrive(arrival(1, 0, 32), released), Error::kCountDisagrees);
  EXPECT_EQ(unit.arrive(arrival(1, 0, {}), released), Error::kNone) << "the whole block agrees with its count";
  EXPECT_EQ(released.size(), 1u);
}

}  // namespace
}  // namespace castor::isa::isa_control_test

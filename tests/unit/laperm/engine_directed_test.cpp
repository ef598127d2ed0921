// Directed tests of corner cases of the queue sets and of their lists in memory.

#include <random>

#include "unit/laperm/engine_support.h"

namespace castor::laperm::test::engine_directed_test {
namespace {

TEST(LapermDirected, LevelsAboveTheHighestAreTheHighest) {
  LapermBench b(small(), kAdaptiveBind, 6);
  close(b);
  b.group(1, 2, 10);
  b.group(3, 2, 11);
  b.group(9, 2, 12);
  b.group(15, 2, 13);
  b.steps(4);
  open(b);
  b.drain();
  EXPECT_EQ(b.order(), "11.0 12.0 13.0 10.0");
  EXPECT_EQ(b.placed[1].level, 3);
}

TEST(LapermDirected, OneMoreThanASetHoldsGoesToMemoryAndComesBackInOrder) {
  Params p;
  LapermBench b(p, kSmxBind, 10);
  close(b);
  for (unsigned i = 0; i <= p.BankDepth; ++i) b.group(1, 5, i + 1);
  b.steps(p.BankDepth + 4);
  EXPECT_EQ(b.engine.probes().entries[5], p.BankDepth);
  EXPECT_EQ(b.writes, 1U);
  EXPECT_EQ(b.reads, 0U);
  open(b);
  b.drain();
  EXPECT_EQ(b.reads, 1U);
  ASSERT_EQ(b.placed.size(), p.BankDepth + 1);
  for (unsigned i = 0; i <= p.BankDepth; ++i) EXPECT_EQ(b.placed[i].id, i + 1);
  for (unsigned i = 1; i < p.BankDepth; ++i) EXPECT_EQ(b.placed[i].cycle - b.placed[i - 1].cycle, p.NumSm);
}

TEST(LapermDirected, ListsInMemoryDoNotHoldBackOtherLevels) {
  LapermBench b(small(4, 2), kSmxBind, 6);
  close(b);
  b.mem_ready = false;
  for (unsigned i = 1; i <= 3; ++i) b.group(1, 0, i);
  b.steps(4);
  EXPECT_EQ(b.engine.probes().in_memory[0], 1U);
  open_only(b, 0);
  while (b.placed.empty()) b.step();
  close(b);
  b.group(3, 0, 4);  // the list of item 3 is empty and a slot is free, but the write of item 3 still waits
  b.steps(2);
  EXPECT_TRUE(b.engine.probes().listed.test(2));
  EXPECT_EQ(b.engine.probes().in_memory[2], 0U);
  b.mem_ready = true;
  open_only(b, 0);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 4.0 2.0 3.0");
}

TEST(LapermDirected, FullSetOfTheStartOfTheCycleSendsAPushToMemory) {
  LapermBench b(small(2, 2), kSmxBind, 6);
  close(b);
  b.group(1, 0, 1);
  b.group(1, 0, 2);
  b.steps(4);
  open_only(b, 0);
  while (b.engine.settle(b.in).scan_sm != 0) b.step();
  b.group(1, 0, 3);
  b.step();
  ASSERT_EQ(b.placed.size(), 1U);  // in the cycle of the push
  EXPECT_EQ(b.engine.probes().in_memory[0], 1U);
  EXPECT_EQ(b.engine.probes().entries[0], 1);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 2.0 3.0");
}

TEST(LapermDirected, NoHostBlockSlipsBetweenTheLastEntryAndTheNext) {
  LapermBench b(small(2), kSmxBind, 6);
  close(b);
  b.group(0, 0, 9, 20);
  b.group(1, 0, 1);
  b.steps(4);
  open_only(b, 0);
  while (b.engine.settle(b.in).scan_sm != 0) b.step();
  b.group(1, 0, 2);
  b.step();
  EXPECT_EQ(b.order(), "1.0");
  EXPECT_TRUE(b.engine.probes().listed.test(0));
  b.steps(2);
  EXPECT_EQ(b.order(), "1.0 2.0");
  EXPECT_EQ(b.placed[1].stage, 1);
  EXPECT_EQ(b.placed[1].cycle, b.placed[0].cycle + 2);
  open(b);
  b.drain();
}

// A push takes the last slot of the set in the cycle in which the slot could be reserved for a read.
TEST(LapermDirected, ReadWaitsForAnItemThatTakesTheLastSlot) {
  LapermBench b(small(2, 2), kSmxBind, 6);
  close(b);
  for (unsigned i = 1; i <= 3; ++i) b.group(1, 0, i);
  b.steps(6);
  open_only(b, 0);
  while (b.placed.empty()) b.step();
  close(b);
  b.group(2, 0, 4);
  b.steps(1);
  EXPECT_EQ(b.engine.probes().entries[0], 2);
  EXPECT_EQ(b.engine.probes().promised[0], 0);
  b.steps(10);
  EXPECT_EQ(b.reads, 0U);
  open(b);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 4.0 2.0 3.0");
}

TEST(LapermDirected, ReplyIsInsertedBeforeAPush) {
  LapermBench b(small(2, 2), kSmxBind, 6);
  close(b);
  for (unsigned i = 1; i <= 3; ++i) b.group(1, 0, i);
  b.steps(6);
  open_only(b, 0);
  while (b.placed.size() < 2) b.step();
  close(b);
  while (b.engine.probes().rf_valid == 0) b.step();
  b.group(2, 1, 4);  // an item of the other set, in the cycle in which the reply is inserted
  EXPECT_EQ(b.step().push_ready, 1);
  EXPECT_EQ(b.engine.probes().pk_valid, 1);
  EXPECT_EQ(b.engine.probes().pk_level, 2);
  EXPECT_EQ(b.engine.probes().entries[0], 1);
  EXPECT_EQ(b.step().push_ready, 0);
  EXPECT_EQ(b.engine.probes().pk_valid, 0);
  EXPECT_EQ(b.engine.probes().entries[1], 1);
  open(b);
  b.drain();
}

TEST(LapermDirected, ReplyIsACandidateTwoCyclesLater) {
  LapermBench b(small(2, 2), kSmxBind, 6);
  close(b);
  for (unsigned i = 1; i <= 3; ++i) b.group(1, 0, i);
  b.steps(6);
  b.replies = false;
  open_only(b, 0);
  while (b.reads == 0 || b.placed.size() < 2) b.step();
  b.steps(8);
  while (b.engine.settle(b.in).scan_sm != 0) b.step();
  b.replies = true;
  const U64 reply = b.cycle;
  b.drain();
  EXPECT_EQ(b.placed[2].cycle, reply + 2);
}

TEST(LapermDirected, MemoryThatIsNeverReadyLosesNothing) {
  LapermBench b(small(2, 2), kSmxBind, 6);
  b.mem_ready = false;
  close(b);
  for (unsigned i = 1; i <= 5; ++i) b.group(1, 0, i);
  b.steps(20);
  EXPECT_EQ(b.accepted, 4U);  // two on chip, one in the request, one parked
  open(b);
  b.steps(50);
  EXPECT_EQ(b.placed.size(), 2U);
  EXPECT_EQ(b.engine.probes().pk_valid, 1);
  b.mem_ready = true;
  b.drain();
  EXPECT_EQ(b.order(), "1.0 2.0 3.0 4.0 5.0");
}

TEST(LapermDirected, WithoutMemoryAFullSetStopsPushes) {
  LapermBench b(small(2, 2), kSmxBind, 0);
  close(b);
  for (unsigned i = 1; i <= 4; ++i) b.group(1, 0, i);
  b.steps(20);
  EXPECT_EQ(b.accepted, 3U);
  EXPECT_EQ(b.step().push_ready, 0);
  EXPECT_EQ(b.writes, 0U);
  open(b);
  b.drain();
  EXPECT_EQ(b.writes, 0U);
  EXPECT_EQ(b.order(), "1.0 2.0 3.0 4.0");
}

TEST(LapermDirected, FullListInMemoryStopsPushes) {
  LapermBench b(small(2, 2), kSmxBind, 2);
  close(b);
  for (unsigned i = 1; i <= 9; ++i) b.group(1, 0, i);
  b.steps(40);
  EXPECT_EQ(b.accepted, 7U);
  EXPECT_EQ(b.writes, 4U);
  open(b);
  b.drain();
  ASSERT_EQ(b.placed.size(), 9U);
  for (unsigned i = 0; i < 9; ++i) EXPECT_EQ(b.placed[i].id, i + 1);
}

TEST(LapermDirected, RingsWrapAtTheSizeThatTheyHaveNow) {
  LapermBench b(small(2, 2), kSmxBind, 4);
  close(b);
  for (unsigned i = 1; i <= 15; ++i) b.group(1, 0, i);
  b.steps(60);
  open(b);
  b.drain();
  EXPECT_EQ(b.engine.probes().oldest[0], 13U);
  b.placed.clear();
  b.in.ovf_log2 = 2;
  close(b);
  for (unsigned i = 1; i <= 6; ++i) b.group(1, 0, i);
  b.steps(30);
  EXPECT_EQ(b.memory[0].size(), 4U);
  EXPECT_EQ(b.memory[0].rbegin()->first, 3U);
  open(b);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 2.0 3.0 4.0 5.0 6.0");
  EXPECT_EQ(b.engine.probes().oldest[0], (13U + 4U) % 4U);
}

TEST(LapermDirected, SizeAboveThatOfAnIndexIsTheLargest) {
  Params p = small(2, 2);
  p.OvfW = 2;
  LapermBench b(p, kSmxBind, 31);
  close(b);
  for (unsigned i = 1; i <= 9; ++i) b.group(1, 0, i);
  b.steps(40);
  EXPECT_EQ(b.writes, 4U);
  open(b);
  b.drain();
  EXPECT_EQ(b.placed.size(), 9U);
}

TEST(LapermDirected, ReadsAndWritesTakeTurns) {
  Params p = small(2, 2);
  p.RefillMax = 8;
  LapermBench b(p, kSmxBind, 6);
  close(b);
  for (unsigned i = 1; i <= 6; ++i) b.group(1, 0, i);
  b.steps(30);
  open_only(b, 0);
  for (unsigned i = 7; i <= 40; ++i) b.group(1, 0, i);
  std::string requests;
  while (b.reads < 4) {
    const Outputs o = b.step();
    if (o.mem_valid != 0) requests += o.mem_we != 0 ? 'W' : 'R';
  }
  EXPECT_NE(requests.find("RW"), std::string::npos) << requests;
  EXPECT_NE(requests.find("WR"), std::string::npos) << requests;
  EXPECT_EQ(requests.find("RR"), std::string::npos) << requests;
  b.drain();
  ASSERT_EQ(b.placed.size(), 40U);
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(b.placed[i].id, i + 1);
}

TEST(LapermDirected, SetsTakeTurnsWithReads) {
  Params p = small(3, 2);
  p.RefillMax = 1;
  LapermBench b(p, kSmxBind, 6);
  close(b);
  for (unsigned i = 0; i < 15; ++i) b.group(1 + i % 2, static_cast<U8>(i % 3), i + 1);
  b.steps(60);
  open(b);
  std::vector<unsigned> sets;
  while (b.busy()) {
    const Outputs o = b.step();
    if (o.mem_valid != 0 && o.mem_we == 0) sets.push_back(o.mem_list / p.LvlMax);
  }
  ASSERT_EQ(sets.size(), 9U);
  for (std::size_t i = 1; i < sets.size(); ++i) EXPECT_EQ(sets[i], (sets[i - 1] + 1) % 3) << "read " << i;
}

TEST(LapermDirected, OffersThatAreNotTakenMoveNothingElse) {
  LapermBench b(small(4), kSmxBind, 6);
  b.group(0, 0, 1, 3);
  b.group(1, 2, 2, 2);
  b.steps(2);
  b.take = false;
  b.step();
  const Probes before = b.engine.probes();
  for (unsigned i = 0; i < 20; ++i) {
    const Outputs o = b.step();
    EXPECT_EQ(o.pl_valid, 1);
    EXPECT_EQ(o.pl_agei, o.pl_sm == 2 ? 2U : 1U);
  }
  const Probes after = b.engine.probes();
  Block::each_probe(
      [&](const twin::Port& port, auto member, auto) { EXPECT_TRUE(before.*member == after.*member) << port.name; },
      b.params());
  b.take = true;
  b.drain();
}

TEST(LapermDirected, PushThatIsWrongIsForgotten) {
  Params p = small(5);
  p.NumKd = 3;
  p.QcntW = 2;
  Engine engine(p);
  Inputs in;
  in.policy = kSmxBind;
  in.ovf_log2 = 4;
  in.kd_ok = KdBits::ones(3);
  Inputs push = in;
  push.push_valid = 1;
  push.push_cnt = 1;
  push.push_level = 1;
  const auto edge = [&](const Inputs& i) {
    EXPECT_EQ(engine.settle(i).push_ready, 1);
    engine.clock(i);
    return engine.settle(in);
  };
  Inputs wrong = push;
  wrong.push_cnt = 0;
  EXPECT_EQ(edge(wrong).err, kErrorPush);
  EXPECT_EQ(engine.quiet(), 0U);
  EXPECT_EQ(edge(in).err, 0);
  EXPECT_EQ(engine.quiet(), base::kForever);
  wrong = push;
  wrong.push_kd = 3;
  EXPECT_EQ(edge(wrong).err, kErrorPush);
  wrong = push;
  wrong.push_sm = 5;
  EXPECT_EQ(edge(wrong).err, kErrorPush);
  EXPECT_EQ(engine.settle(in).waiting, 0);
  wrong.push_level = 0;  // level 0: push_sm is ignored
  EXPECT_EQ(edge(wrong).err, 0);
  EXPECT_EQ(edge(push).err, 0);
  EXPECT_EQ(edge(push).err, 0);
  push.push_warps = 100;
  EXPECT_EQ(edge(push).err, kErrorPush);  // three items of the entry are the most
  EXPECT_EQ(engine.probes().items[0], 3U);
  // The need of the refused push has no effect.
  in.room_open = 1;
  in.room_slots = 1;
  while (engine.settle(in).scan_sm != 0) engine.clock(in);
  EXPECT_EQ(engine.settle(in).pl_valid, 1);
}

TEST(LapermDirected, ReplyWithoutAReadIsIgnored) {
  Engine engine(small());
  Inputs in;
  in.policy = kSmxBind;
  Inputs reply = in;
  reply.mem_rvalid = 1;
  engine.settle(reply);
  engine.clock(reply);
  EXPECT_EQ(engine.settle(in).err, kErrorReply);
  engine.clock(in);
  EXPECT_EQ(engine.settle(in).err, 0);
  EXPECT_EQ(engine.probes().rf_valid, 0);
  EXPECT_EQ(engine.settle(in).waiting, 0);
}

TEST(LapermDirected, FullQueueOfTheHostHoldsBackWhatComesBehind) {
  LapermBench b(small(), kSmxBind, 6);  // four entries
  close(b);
  for (unsigned i = 1; i <= 5; ++i) b.pushes.push_back({0, 0, 1, i, static_cast<U8>(i % 4)});
  b.group(1, 0, 6);
  b.steps(10);
  EXPECT_EQ(b.accepted, 5U);
  EXPECT_EQ(b.engine.probes().host_count, 4);
  EXPECT_TRUE(b.engine.settle(b.in).hold.test(1));  // holds of the first and of the parked item
  open(b);
  b.drain();
  EXPECT_EQ(b.placed.size(), 6U);
}

TEST(LapermDirected, LargestItem) {
  for (const unsigned bits : {1U, 3U}) {
    Params p = small(2);
    p.CntW = bits;
    LapermBench b(p, kTbPri, 6);
    b.group(0, 0, 1, twin::mask(bits));
    b.group(1, 0, 2, twin::mask(bits));
    b.drain();
    EXPECT_EQ(b.placed.size(), 2 * twin::mask(bits));
  }
}

TEST(LapermDirected, WideFieldsComeBackFromMemoryAsTheyWere) {
  Params p = small(2, 2);
  p.NumKd = 256;
  p.AgeiW = p.CntW = p.DimW = p.ParamW = 64;
  LapermBench b(p, kSmxBind, 6);
  close(b);
  for (unsigned i = 1; i <= 6; ++i) {
    b.pushes.push_back({1, 0, 1, ~U64{0} - i, static_cast<U8>(256 - i)});
  }
  b.steps(20);
  EXPECT_EQ(b.writes, 4U);
  EXPECT_EQ(b.memory[0].begin()->second.word(4), 253U);
  open(b);
  b.drain();
  EXPECT_EQ(b.placed.size(), 6U);
}

// In the cycle after the last placement the outputs hold the last examinations' results. One cycle later they show that
// nothing waits.
TEST(LapermDirected, FitsHeadIsAllOnesACycleAfterTheLastItem) {
  LapermBench b(small(4), kTbPri, 6);
  b.room = [](unsigned sm) { return Room{true, static_cast<U8>(sm == 3 ? 1 : 0)}; };
  b.group(0, 0, 1);
  b.steps(5);
  ASSERT_EQ(b.placed.size(), 1U);
  EXPECT_EQ(b.engine.quiet(), 0U);
  Outputs o = b.step();
  EXPECT_EQ(o.waiting, 0);
  EXPECT_EQ(o.fits_head, 0x8U);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
  o = b.step();
  EXPECT_EQ(o.fits_head, 0xfU);
  EXPECT_EQ(o.scan_sm, 0);
}

TEST(LapermDirected, RotationStandsWhileNothingWaits) {
  LapermBench b(small(4), kTbPri, 6);
  b.group(0, 0, 1, 2);
  b.drain();
  b.steps(10);
  EXPECT_EQ(b.step().scan_sm, 2);
  b.group(0, 0, 2);
  b.drain();
  EXPECT_EQ(b.placed.back().sm, 2);
}

// A thread block fits on no SM: idle edges only advance the rotation.
TEST(LapermDirected, SettledEngineMovesOnByIdleEdges) {
  LapermBench b(small(3, 2), kAdaptiveBind, 6);
  b.room = [](unsigned) { return Room{true, 0}; };
  for (unsigned i = 1; i <= 4; ++i) b.group(1, 1, i);
  b.steps(5);
  EXPECT_FALSE(b.engine.settled());
  b.steps(10);
  EXPECT_TRUE(b.engine.settled());
  EXPECT_EQ(b.engine.quiet(), 0U);
  const U8 sm = b.engine.settle(b.in).scan_sm;
  b.engine.idle(3'000'000'000'001);
  EXPECT_EQ(b.engine.settle(b.in).scan_sm, (sm + 1) % 3);
  open(b);
  b.drain();
  EXPECT_EQ(b.placed.size(), 4U);
}

TEST(LapermDirected, ResetForgetsEverything) {
  LapermBench b(small(3, 2), kAdaptiveBind, 6);
  b.room = [](unsigned) { return Room{true, 0}; };
  for (unsigned i = 0; i < 12; ++i) b.group(i % 4, static_cast<U8>(i % 3), i + 1);
  b.steps(13);
  b.engine.reset();
  const Engine fresh(b.params());
  const Probes expected = fresh.probes(), found = b.engine.probes();
  Block::each_probe(
      [&](const twin::Port& port, auto member, auto) { EXPECT_TRUE(expected.*member == found.*member) << port.name; },
      b.params());
  Inputs in;
  Engine copy = fresh;
  const Outputs a = b.engine.settle(in), c = copy.settle(in);
  Block::each_output(
      [&](const twin::Port& port, auto member, auto) { EXPECT_TRUE(a.*member == c.*member) << port.name; }, b.params());
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

TEST(LapermDirected, ParametersOutOfRangeAreRefused) {
  Params p;
  p.NumSm = 33;
  EXPECT_THROW(Engine{p}, base::InputError);
  p = {};
  p.ClusterSize = 3;
  EXPECT_THROW(Engine{p}, base::InputError);
}

// Items of random levels, SMs and sizes, with changing free resources: all are placed, in the order of their lists.
TEST(LapermDirected, NothingIsLost) {
  const std::array<Params, 6> sets{{{2, 1, 1, 2, 2, 2, 1, 3, 8, 4, 8, 8},
                                    {5, 2, 3, 3, 3, 3, 3, 5, 9, 5, 11, 7},
                                    {4, 1, 4, 4, 4, 4, 2, 6, 32, 32, 64, 32},
                                    {3, 1, 15, 8, 5, 4, 2, 8, 16, 8, 8, 8},
                                    {13, 4, 4, 16, 32, 6, 8, 12, 32, 32, 64, 32},
                                    {32, 1, 4, 2, 64, 6, 8, 12, 32, 32, 64, 32}}};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const Params& p = sets[set];
    for (const U8 policy : {kTbPri, kSmxBind, kAdaptiveBind}) {
      for (unsigned seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("parameters " + std::to_string(set) + ", policy " + std::to_string(policy) + ", seed " +
                     std::to_string(seed));
        std::mt19937 random(seed);
        LapermBench b(p, policy, static_cast<U8>(p.OvfW));
        const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
        U64 size = 0;
        const unsigned sms = seed % 2 == 0 ? p.NumSm : 1;
        for (unsigned i = 1; i <= 150; ++i) {
          const U64 cnt = 1 + below(4);
          size += cnt;
          b.pushes.push_back({static_cast<U8>(below(p.LvlMax + 2)), static_cast<U8>(below(sms)), cnt, i,
                              static_cast<U8>(below(p.NumKd)), 0});
        }
        unsigned spread = 0;
        while (b.busy() && b.cycle < 200'000) {
          // The number of items of a kernel entry is limited; the pushes of a full entry wait outside.
          if (!b.pushes.empty() && b.engine.probes().items[b.pushes.front().kd] == twin::mask(p.QcntW)) {
            b.pushes.front().from = b.cycle + 1;
          }
          if (b.cycle % 64 == 0) {
            spread = below(3);
            b.mem_ready = below(8) != 0;
            b.delay = 1 + below(20);
          }
          b.take = below(8) != 0;
          b.room = [&](unsigned) { return Room{below(4) != 0, static_cast<U8>(spread == 0 ? 1 : below(2))}; };
          b.step();
        }
        EXPECT_EQ(b.placed.size(), size);
        b.steps(2);
        EXPECT_EQ(b.engine.settle(b.in).waiting, 0);
        EXPECT_EQ(b.reads, b.writes);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace castor::laperm::test::engine_directed_test

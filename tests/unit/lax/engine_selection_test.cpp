// Tests of selection: the offered queue, and the cycle of the offer (docs/blocks/lax.md, "Policies" and "Cycle").

#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

#include "castor/base/rng.h"
#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_selection_test {
namespace {

constexpr unsigned kGroups = 4;

/// 16 queues in groups of 4, all with a job, keys given by the host.
class LaxSelection : public testing::Test {
 protected:
  LaxSelection() : bench(params(16, 1, 4, 4)) {
    bench.policy(Policy::kExt);
    for (unsigned q = 0; q < 16; ++q) bench.judge({q, {{0, 9}}});
    for (unsigned q = 0; q < 16; ++q) key(q, 100);
  }
  void key(unsigned q, std::uint32_t value) { bench.write(reg::kQPrio + 4 * q, value); }
  void run_to_group(unsigned g) {
    while (bench.engine.probes().group != g) bench.step();
  }

  Bench bench;
};

TEST_F(LaxSelection, AQueueIsOfferedAfterTheFirstWholePass) {
  for (unsigned g = 0; g < kGroups; ++g) {
    bench.in.pe_vec = {};
    bench.in.de_vec = {};
    bench.run(20);
    run_to_group(g);
    bench.in.pe_vec.set(6);
    bench.in.de_vec.set(9);
    const std::int64_t since = bench.now;
    while (bench.look().psel_valid == 0) bench.step();
    EXPECT_EQ(bench.now - since, (kGroups - g) % kGroups + kGroups);
    EXPECT_EQ(bench.look().psel_qid, 6);
    EXPECT_EQ(bench.look().dsel_valid, 1);
    EXPECT_EQ(bench.look().dsel_qid, 9);
  }
}

TEST_F(LaxSelection, AGrantWithdrawsTheOfferUntilAPassThatBeganAfterIt) {
  for (unsigned g = 0; g < kGroups; ++g) {
    bench.in.pe_vec = QueueBits::ones(16);
    bench.run(20);
    run_to_group(g);
    const unsigned first = bench.look().psel_qid;
    bench.in.psel_grant = 1;
    bench.step();
    bench.in.pe_vec.clear(first);
    unsigned without = 0;
    for (; bench.look().psel_valid == 0; ++without) bench.step();
    EXPECT_EQ(without, 2 * kGroups - 1 - g);
    EXPECT_NE(bench.look().psel_qid, first);
  }
  EXPECT_EQ(bench.read(reg::kCounters + 0x24), kGroups);
}

TEST_F(LaxSelection, AKeyCountsFromTheCycleAfterItsWrite) {
  key(1, 5);   // group 0
  key(9, 10);  // group 2
  for (unsigned g = 0; g < kGroups; ++g) {
    key(9, 10);
    bench.in.pe_vec = QueueBits(1U << 1U | 1U << 9U);
    bench.run(20);
    EXPECT_EQ(bench.look().psel_qid, 1);
    run_to_group(g);
    bench.in.reg_req = bench.in.reg_we = 1;
    bench.in.reg_addr = reg::kQPrio + 4 * 9;
    bench.in.reg_wdata = 1;
    const std::int64_t since = bench.now;
    bench.step();
    while (bench.look().psel_qid == 1) bench.step();
    EXPECT_EQ(bench.look().psel_qid, 9);
    EXPECT_EQ(bench.now - since, kGroups - g + (g < 2 ? 0 : kGroups)) << g;
  }
}

TEST_F(LaxSelection, AnOfferIsWithdrawnAtOnceWhenItsQueueIsNotEligible) {
  bench.in.pe_vec.set(6);
  bench.in.de_vec.set(6);
  bench.run(20);
  EXPECT_EQ(bench.look().psel_valid, 1);
  bench.in.pe_vec.clear(6);
  EXPECT_EQ(bench.look().psel_valid, 0);
  EXPECT_EQ(bench.look().psel_qid, 0);
  EXPECT_EQ(bench.look().dsel_valid, 1);
  bench.in.pe_vec.set(6);
  bench.in.de_vec.clear(6);
  EXPECT_EQ(bench.look().psel_valid, 1);
  EXPECT_EQ(bench.look().dsel_valid, 0);
  EXPECT_EQ(bench.look().dsel_qid, 0);
  bench.in.de_vec.set(6);
  bench.launch(6, 0);
  bench.step();  // now the kernel runs
  EXPECT_EQ(bench.look().psel_valid, 0);
  EXPECT_EQ(bench.look().dsel_valid, 0);
  bench.ctrl(9U << 4U, 0xf1);  // disabled
  bench.kd(6, 0, false);
  bench.step();
  bench.run(20);
  EXPECT_EQ(bench.look().psel_valid, 0);
  bench.ctrl(1U | 9U << 4U, 0xf1);
  EXPECT_EQ(bench.look().psel_valid, 1);
}

TEST_F(LaxSelection, RunningQueuesAreParsedOnlyIfAsked) {
  for (const bool preparse : {false, true}) {
    bench.policy(Policy::kExt, preparse ? 1U << 24U : 0);
    bench.in.pe_vec.set(6);
    bench.in.de_vec.set(6);
    bench.launch(6, 0);
    bench.step();
    bench.run(20);
    EXPECT_EQ(bench.look().psel_valid, preparse);
    EXPECT_EQ(bench.look().dsel_valid, 0);  // its predecessor runs
    bench.kd(6, 0, false);
    bench.step();
  }
}

TEST_F(LaxSelection, QueuesThatAreNotEligibleDoNotHideOthers) {
  // Queue 6 has the better key, but runs.
  key(6, 1);
  bench.launch(6, 0);
  bench.in.pe_vec = QueueBits(1U << 6U | 1U << 9U);
  bench.in.de_vec = bench.in.pe_vec;
  bench.step();
  bench.run(20);
  EXPECT_EQ(bench.look().psel_qid, 9);
  EXPECT_EQ(bench.look().dsel_qid, 9);
}

TEST_F(LaxSelection, TheDispatchOfferStandsThroughItsGrants) {
  bench.in.de_vec = QueueBits(0x00f0);
  key(5, 1);
  bench.run(20);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(bench.look().dsel_valid, 1);
    EXPECT_EQ(bench.look().dsel_qid, 5);
    bench.in.dsel_grant = 1;
    bench.step();
  }
  EXPECT_EQ(bench.errors(), 0U);
}

TEST_F(LaxSelection, EqualKeysGoByArrival) {
  // The arrivals were 0..15; queue 3 leaves and comes again.
  bench.kernel(3, 0, 1, 1, true);
  bench.write(reg::kQState + 12, reg::kHostAck);
  bench.judge({3, {{0, 1}}});
  key(3, 100);
  bench.in.pe_vec = QueueBits(1U << 3U | 1U << 12U | 1U << 14U);
  std::vector<unsigned> order;
  while (order.size() < 3) {
    const Outputs& out = bench.look();
    if (out.psel_valid != 0) {
      const unsigned q = out.psel_qid;
      order.push_back(q);
      bench.in.psel_grant = 1;
      bench.step();
      bench.in.pe_vec.clear(q);
    } else {
      bench.step();
    }
  }
  EXPECT_THAT(order, testing::ElementsAre(12, 14, 3));
}

TEST(LaxSelectionTies, ArrivalsAreToldApartOver65536OfThem) {
  for (const unsigned arrivals : {65'536U, 65'537U}) {
    Bench bench(params(4, 1, 1, 4));
    bench.policy(Policy::kRr);  // without keys and tests admission is quick
    bench.judge({2, {{0, 1}}});
    for (unsigned n = 1; n + 1 < arrivals; ++n) {
      bench.judge({1, {{0, 1}}});
      bench.launch(1, 0);
      bench.kd(1, 0, true);
      bench.step();
      bench.write(reg::kQState + 4, reg::kHostAck);
    }
    bench.judge({1, {{0, 1}}});
    bench.policy(Policy::kSrf);
    bench.in.de_vec = QueueBits(0b0110);
    bench.run(4);
    // One arrival more, and the two count as equally old: the lower queue goes first.
    EXPECT_EQ(bench.look().dsel_qid, arrivals == 65'536 ? 2 : 1);
  }
}

TEST(LaxSelectionRoundRobin, GoesRoundFromTheQueueBehindTheLastGrant) {
  for (const Policy policy : {Policy::kRr, Policy::kMlfq}) {
    Bench bench(params(8, 1, 1, 2));
    bench.policy(policy);
    for (unsigned q = 0; q < 8; ++q) bench.judge({7 - q, {{0, 1}}});
    bench.in.pe_vec = QueueBits(0b10110101);
    std::vector<unsigned> order;
    while (order.size() < 12) {
      if (bench.look().psel_valid != 0) {
        order.push_back(bench.look().psel_qid);
        bench.in.psel_grant = 1;
      }
      bench.step();
    }
    EXPECT_THAT(order, testing::ElementsAre(0, 2, 4, 5, 7, 0, 2, 4, 5, 7, 0, 2));
  }
}

TEST(LaxSelectionRoundRobin, KeepsItsPlaceOverAnotherPolicy) {
  Bench bench(params(8, 1, 1, 8));
  bench.policy(Policy::kRr);
  for (unsigned q = 0; q < 8; ++q) bench.judge({7 - q, {{0, 1}}});
  bench.in.pe_vec = QueueBits(0xff);
  const auto grant = [&] {
    while (bench.look().psel_valid == 0) bench.step();
    const unsigned q = bench.look().psel_qid;
    bench.in.psel_grant = 1;
    bench.step();
    return q;
  };
  EXPECT_EQ(grant(), 0U);
  EXPECT_EQ(grant(), 1U);
  bench.policy(Policy::kFcfs);
  bench.run(4);
  EXPECT_EQ(grant(), 7U);  // equal keys: the oldest arrival
  bench.policy(Policy::kRr);
  bench.run(4);
  EXPECT_EQ(grant(), 0U);  // the next queue after 7
}

TEST(LaxSelectionRoundRobin, DispatchKeepsToTheOldestParseGrant) {
  Bench bench(params(8, 1, 1, 2));
  bench.policy(Policy::kRr);
  for (unsigned q = 0; q < 8; ++q) bench.judge({q, {{0, 1}}});
  // Parsed in the order 5, 2, 7.
  for (const unsigned q : {5U, 2U, 7U}) {
    bench.in.pe_vec = QueueBits(1U << q);
    while (bench.look().psel_valid == 0) bench.step();
    bench.in.psel_grant = 1;
    bench.step();
  }
  bench.in.pe_vec = {};
  bench.in.de_vec = QueueBits(1U << 5U | 1U << 2U | 1U << 7U);
  bench.run(10);
  EXPECT_EQ(bench.look().dsel_qid, 5);
  bench.in.de_vec.clear(5);  // queue 5 does not fit: the next one is offered
  bench.run(10);
  EXPECT_EQ(bench.look().dsel_qid, 2);
  bench.in.de_vec.set(5);
  bench.run(10);
  EXPECT_EQ(bench.look().dsel_qid, 5);
}

TEST(LaxSelectionRoundRobin, FourLanesParse128QueuesInOneSweep) {
  Bench bench{Params{}};
  bench.policy(Policy::kRr);
  for (unsigned q = 0; q < 128; ++q) bench.judge({q, {{0, 1}}});
  bench.in.pe_vec = QueueBits::ones(128);
  constexpr std::int64_t kParse = 3'000;
  std::array<std::int64_t, 4> free{};
  free.fill(bench.now);
  const std::int64_t begin = bench.now;
  std::vector<unsigned> order;
  while (order.size() < 128) {
    const auto lane = std::min_element(free.begin(), free.end());
    if (*lane <= bench.now && bench.look().psel_valid != 0) {
      order.push_back(bench.look().psel_qid);
      bench.in.psel_grant = 1;
      bench.step();
      bench.in.pe_vec.clear(order.back());
      *lane = bench.now - 1 + kParse;
    } else {
      bench.step();
    }
  }
  for (unsigned q = 0; q < 128; ++q) EXPECT_EQ(order[q], q);
  const std::int64_t sweep = *std::max_element(free.begin(), free.end()) - begin;
  EXPECT_GE(sweep, 96'000);
  EXPECT_LE(sweep, 96'000 + 128 * 16);  // at most 2 passes per grant
}

/// Returns the expected result of a pass, computed from all queues.
struct Expected {
  bool valid = false;
  unsigned q = 0;
};
Expected least(const std::vector<std::uint32_t>& keys, const std::vector<unsigned>& age, const QueueBits& eligible) {
  std::tuple<std::uint32_t, unsigned, unsigned> best{~0U, ~0U, ~0U};
  for (unsigned q = 0; q < keys.size(); ++q) {
    if (eligible[q]) best = std::min(best, {keys[q], age[q], q});
  }
  return {eligible.any(), std::get<2>(best)};
}

TEST(LaxSelectionRandom, APassGivesTheExactMinimumOfItsFirstCycle) {
  for (const Params& p : {params(4, 1, 1, 1), params(16, 1, 1, 4), params(128, 1, 1, 16), params(256, 1, 1, 256),
                          params(256, 1, 1, 128), params(256, 1, 1, 64), params(64, 1, 1, 1)}) {
    base::Xoshiro256 random(p.NumQueues * 1'000 + p.SelWidth);
    Bench bench(p);
    bench.policy(Policy::kExt);
    std::vector<unsigned> age(p.NumQueues);
    std::vector<std::uint32_t> keys(p.NumQueues);
    for (unsigned n = 0; n < p.NumQueues; ++n) {
      const unsigned q = (n * 5 + 3) % p.NumQueues;  // each queue once
      bench.judge({q, {{0, 1}}});
      age[q] = n;
    }
    for (unsigned q = 0; q < p.NumQueues; ++q) {
      keys[q] = static_cast<std::uint32_t>(random.below(4));  // many ties
      if (q % 7 == 0) keys[q] = 0xffff'fff0U + keys[q];
      bench.write(reg::kQPrio + 4 * q, keys[q]);
    }
    for (int pass = 0; pass < 300; ++pass) {
      while (bench.engine.probes().group != 0) bench.step();
      QueueBits pe, de;
      const std::uint64_t density = random.below(9);
      for (unsigned q = 0; q < p.NumQueues; ++q) {
        if (random.below(8) < density) pe.set(q);
        if (random.below(64) < density) de.set(q);
      }
      bench.in.pe_vec = pe;
      bench.in.de_vec = de;
      const Expected parse = least(keys, age, pe);
      const Expected dispatch = least(keys, age, de);
      for (unsigned g = 0; g < p.groups(); ++g) {
        bench.step();
        // Changes after the first cycle do not affect this pass.
        for (unsigned q = 0; q < p.NumQueues; ++q) bench.in.pe_vec.assign(q, random.below(2) != 0);
      }
      bench.in.pe_vec = pe;
      const Outputs& out = bench.look();
      ASSERT_EQ(out.psel_valid, parse.valid);
      ASSERT_EQ(out.dsel_valid, dispatch.valid);
      if (parse.valid) {
        ASSERT_EQ(out.psel_qid, parse.q);
      }
      if (dispatch.valid) {
        ASSERT_EQ(out.dsel_qid, dispatch.q);
      }
    }
  }
}

}  // namespace
}  // namespace castor::lax::test::engine_selection_test

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "castor/base/rng.h"
#include "castor/laperm_kmu/engine.h"
#include "unit/laperm_kmu/parameter_sets.h"
#include "unit/laperm_kmu/reference.h"

// Tests of the engine's cycles against cycles worked out by hand, and of the order in which launches leave against the
// untimed order.

namespace castor::laperm_kmu::test::order_test {
namespace {

/// The engine with lists from which its grants remove launches.
class Bench {
 public:
  explicit Bench(const Params& params) : engine(params), waiting(params.NumSm, std::vector<U32>(params.LvlMax)) {}

  Engine engine;
  Inputs in;
  std::vector<std::vector<U32>> waiting;  // counts by SM and level - 1
  bool table_free = true;
  std::vector<reference::Source> order;

  void launch(U32 sm, U32 level) { ++waiting[sm][level - 1]; }
  /// Runs one cycle. Returns the offer as "kind.index", or "-". The offer is accepted if `take`.
  std::string step(bool take = false) {
    for (U32 sm = 0; sm < waiting.size(); ++sm) {
      U32 levels = 0;
      for (U32 level = 0; level < waiting[sm].size(); ++level) {
        levels |= (table_free && waiting[sm][level] != 0 ? 1U : 0U) << level;
      }
      in.list_rdy[sm] = static_cast<U16>(levels);
    }
    const Outputs out = engine.settle(in);
    in.pick_grant = out.pick_valid & (take ? 1 : 0);
    if (in.pick_grant != 0 && out.pick_kind == kList) {
      const U32 sm = out.pick_idx / engine.params().LvlMax, level = out.pick_idx % engine.params().LvlMax + 1;
      --waiting[sm][level - 1];
      order.push_back({kList, sm, level, 0});
    }
    engine.clock(in);
    return out.pick_valid == 0 ? "-" : std::to_string(out.pick_kind) + "." + std::to_string(out.pick_idx);
  }
  std::string steps(unsigned n, bool take = false) {
    std::string text;
    while (n-- != 0) text += (text.empty() ? "" : " ") + step(take);
    return text;
  }
};

// L = 4: a visit, and a cycle for each level down to the one that is ready.
TEST(LapermKmuOrder, AListOfLevelLIsOfferedBehindAVisitAndOneCycleForEachLevel) {
  for (U32 level = 1; level <= 4; ++level) {
    SCOPED_TRACE(level);
    Bench b({13, 4, 32});
    b.launch(2, level);
    const unsigned wait = 1 + 4 - level + 1;
    std::string expected;
    for (unsigned i = 0; i < wait; ++i) expected += "- ";
    const std::string list = "1." + std::to_string(2 * 4 + level - 1);
    EXPECT_EQ(b.steps(wait + 2), expected + list + " " + list);
  }
}

TEST(LapermKmuOrder, SuspendedBlocksAndQueuesAreOfferedInTheNextCycle) {
  Bench b({13, 4, 32});
  b.in.host_rdy.set(5);
  EXPECT_EQ(b.steps(2, true), "- 3.5");
  b.in.susp_rdy = 1;
  b.launch(0, 4);
  EXPECT_EQ(b.steps(2, true), "- 2.0");
  b.in.susp_rdy = 0;
  EXPECT_EQ(b.steps(3, true), "- - 1.3");
  b.in.host_rdy.set(4);
  EXPECT_EQ(b.steps(4, true), "- 3.4 - 3.5") << "the turn is behind queue 5, and wraps";
}

// The visited SM has one list, which becomes empty just before the search reaches it: LvlMax cycles without result,
// then a new visit.
TEST(LapermKmuOrder, ASearchThatFindsNothingCostsACycleForEachLevel) {
  Bench b({3, 3, 1});
  b.launch(0, 1);
  EXPECT_EQ(b.step(), "-");
  b.waiting[0][0] = 0;
  b.launch(1, 3);
  EXPECT_EQ(b.steps(6), "- - - - - 1.5");
}

// A level that becomes ready after the search has passed it is missed by this search: the lower level goes first, and
// the SM's next turn takes the higher one.
TEST(LapermKmuOrder, AHigherLevelBehindTheSearchWaitsForTheNextTurn) {
  Bench b({2, 3, 1});
  b.launch(1, 1);
  EXPECT_EQ(b.steps(3), "- - -");
  b.launch(1, 3);
  EXPECT_EQ(b.steps(2, true), "- 1.3");
  EXPECT_EQ(b.steps(3, true), "- - 1.5");
}

// The table is full of level 1 as level 2 arrives: it waits outside, and goes first when an entry is free.
TEST(LapermKmuOrder, AHigherLevelThatArrivesAtAFullTableGoesFirst) {
  Bench b({2, 2, 1});
  for (unsigned i = 0; i < 3; ++i) b.launch(0, 1);
  EXPECT_EQ(b.steps(4, true), "- - - 1.0");
  b.table_free = false;
  b.launch(0, 2);
  EXPECT_EQ(b.steps(10, true), "- - - - - - - - - -");
  b.table_free = true;
  EXPECT_EQ(b.steps(3, true), "- - 1.1");
  EXPECT_EQ(b.steps(4, true), "- - - 1.0");
}

TEST(LapermKmuOrder, AnOfferWhoseSourceGoesIsWithdrawnAndTheTurnStays) {
  Bench b({4, 2, 1});
  b.launch(1, 2);
  b.launch(3, 2);
  EXPECT_EQ(b.steps(3), "- - 1.3");
  b.waiting[1][1] = 0;
  EXPECT_EQ(b.step(), "1.3");
  EXPECT_EQ(b.step(), "-");
  EXPECT_EQ(b.engine.probes().next_sm, 0);
  EXPECT_EQ(b.steps(2, true), "- 1.7");
  EXPECT_EQ(b.engine.probes().next_sm, 0) << "behind the last SM the first";
}

// Launches that are all there leave in turns of SMs, of each its highest level.
TEST(LapermKmuOrder, LaunchesThatAreAllThereLeaveInTurnsByLevel) {
  base::Xoshiro256 random(7);
  for (const ParameterSet& set : kParameterSets) {
    for (unsigned run = 0; run < 20; ++run) {
      SCOPED_TRACE(std::string(set.name) + ", run " + std::to_string(run));
      Bench b(set.params);
      const unsigned launches = 1 + static_cast<unsigned>(random.below(200));
      for (unsigned i = 0; i < launches; ++i) {
        b.launch(static_cast<U32>(random.below(set.params.NumSm)),
                 1 + static_cast<U32>(random.below(set.params.LvlMax)));
      }
      const auto expected = reference::order_of(b.waiting);
      ASSERT_EQ(expected.size(), launches);
      for (unsigned cycle = 0; cycle < launches * (set.params.LvlMax + 2); ++cycle) b.step(random.below(4) != 0);
      for (unsigned cycle = 0; cycle < 8 * launches * (set.params.LvlMax + 2) && b.order.size() < launches; ++cycle) {
        b.step(true);
      }
      ASSERT_EQ(b.order.size(), launches);
      for (unsigned i = 0; i < launches; ++i) {
        ASSERT_EQ(b.order[i].sm, expected[i].sm) << i;
        ASSERT_EQ(b.order[i].level, expected[i].level) << i;
      }
    }
  }
}

TEST(LapermKmuOrder, ParametersOutOfRangeAreRefused) {
  EXPECT_THROW(Engine({1, 4, 32}), base::InputError);
  EXPECT_THROW(Engine({13, 16, 32}), base::InputError);
  EXPECT_THROW(Engine({13, 4, 0}), base::InputError);
  EXPECT_THROW(Engine({13, 4, 129}), base::InputError);
}

}  // namespace
}  // namespace castor::laperm_kmu::test::order_test

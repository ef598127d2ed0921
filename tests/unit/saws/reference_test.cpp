#include "unit/saws/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "castor/base/rng.h"
#include "unit/saws/reference_machine.h"

// The reference by itself: worked examples of the algorithm, its invariants, and small examples of each policy.

namespace castor::saws::reference::reference_test {
namespace {

using base::Xoshiro256;

/// Returns a scheduler's list as text: "C0 C2 C1 (1)" for CTAs that are numbers, "ADBCEF 2" for CTAs that are letters.
std::string numbers(const Lists& lists, unsigned scheduler) {
  std::string text;
  for (const unsigned cta : lists.order(scheduler)) text += "C" + std::to_string(cta) + " ";
  return text + "(" + std::to_string(lists.p(scheduler)) + ")";
}
std::string letters(const Lists& lists, unsigned scheduler) {
  std::string text;
  for (const unsigned cta : lists.order(scheduler)) text += static_cast<char>('A' + cta);
  return text + " " + std::to_string(lists.p(scheduler));
}

using Greedy = std::vector<std::optional<unsigned>>;

/// Three CTAs on two schedulers, SC0 at C1 and SC1 at C0.
class TwoSchedulers {
 public:
  TwoSchedulers(bool toggling, unsigned floor) : lists(2, {floor, false, false, true}) {
    lists.launch(false, toggling);
    for (unsigned cta = 0; cta < 3; ++cta) lists.place(cta, {0, 1});
  }
  void hit(unsigned cta, unsigned on) { lists.first_hit(cta, on, {1, 0}); }
  void expect(const char* step, const char* first, const char* second) const {
    EXPECT_EQ(numbers(lists, 0), first) << step;
    EXPECT_EQ(numbers(lists, 1), second) << step;
  }
  Lists lists;
};

TEST(SawsLists, ExampleOfTwoSchedulersWithoutToggle) {
  TwoSchedulers run(false, 1);
  run.expect("by age", "C0 C1 C2 (1)", "C0 C1 C2 (1)");
  run.hit(1, 0);
  run.expect("1st hit of C1 on SC0", "C1 C0 C2 (1)", "C0 C1 C2 (2)");
  run.lists.all_blocked(1, 0);
  run.expect("C1 all blocked on SC0", "C0 C2 C1 (1)", "C0 C1 C2 (2)");
  run.hit(0, 1);
  run.expect("1st hit of C0 on SC1", "C0 C2 C1 (1)", "C0 C1 C2 (2)");
  run.lists.all_blocked(0, 1);
  run.expect("(b)", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
  run.hit(0, 0);
  run.expect("2nd barrier of C0", "C0 C2 C1 (1)", "C1 C0 C2 (2)");
  run.hit(1, 1);
  run.expect("(d)", "C0 C1 C2 (2)", "C1 C0 C2 (2)");
  run.lists.all_blocked(0, 0);
  run.expect("C0 all blocked on SC0", "C1 C2 C0 (1)", "C1 C0 C2 (2)");
  run.lists.all_blocked(1, 1);
  run.expect("C1 all blocked on SC1", "C1 C2 C0 (1)", "C0 C2 C1 (1)");
}

TEST(SawsLists, ExampleOfTwoSchedulersWithToggle) {
  TwoSchedulers run(true, 1);
  run.hit(1, 0);
  run.lists.all_blocked(1, 0);
  run.hit(0, 1);
  run.lists.all_blocked(0, 1);
  run.expect("(b)", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
  run.hit(0, 0);
  run.expect("2nd barrier of C0", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
  run.hit(1, 1);
  run.expect("(d)", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
  run.lists.all_blocked(0, 0);
  run.expect("C0 all blocked on SC0", "C2 C1 C0 (1)", "C1 C2 C0 (1)");
  run.lists.all_blocked(1, 1);
  run.expect("C1 all blocked on SC1", "C2 C1 C0 (1)", "C2 C0 C1 (1)");
}

// The same orders; P worked out by hand.
TEST(SawsLists, ExamplesWithoutFloorHaveTheSameOrdersAndLowerP) {
  {
    TwoSchedulers run(false, 0);
    run.hit(1, 0);
    run.expect("1st hit of C1 on SC0", "C1 C0 C2 (1)", "C0 C1 C2 (2)");
    run.lists.all_blocked(1, 0);
    run.expect("C1 all blocked on SC0", "C0 C2 C1 (0)", "C0 C1 C2 (2)");
    run.hit(0, 1);
    run.expect("1st hit of C0 on SC1", "C0 C2 C1 (1)", "C0 C1 C2 (2)");
    run.lists.all_blocked(0, 1);
    run.expect("(b)", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
    run.hit(0, 0);
    run.hit(1, 1);
    run.expect("(d)", "C0 C1 C2 (2)", "C1 C0 C2 (2)");
    run.lists.all_blocked(0, 0);
    run.lists.all_blocked(1, 1);
    run.expect("end", "C1 C2 C0 (1)", "C0 C2 C1 (1)");
  }
  TwoSchedulers run(true, 0);
  run.hit(1, 0);
  run.lists.all_blocked(1, 0);
  run.hit(0, 1);
  run.lists.all_blocked(0, 1);
  run.hit(0, 0);
  run.hit(1, 1);
  run.expect("(d)", "C0 C2 C1 (1)", "C1 C2 C0 (1)");
  run.lists.all_blocked(0, 0);
  run.expect("C0 all blocked on SC0", "C2 C1 C0 (0)", "C1 C2 C0 (1)");
  run.lists.all_blocked(1, 1);
  run.expect("C1 all blocked on SC1", "C2 C1 C0 (0)", "C2 C0 C1 (0)");
}

TEST(SawsLists, ExampleOfFourSchedulers) {
  enum : unsigned { A, B, C, D, E, F, G };
  Lists lists(4, {});
  for (unsigned cta = A; cta <= F; ++cta) lists.place(cta, {0, 1, 2, 3});
  const auto expect = [&](unsigned row, const std::vector<std::string>& orders) {
    for (unsigned s = 0; s < 4; ++s) EXPECT_EQ(letters(lists, s), orders[s]) << "row " << row << ", SC" << s;
  };
  lists.start_saws({A, B, C, A});
  expect(0, {"ABCDEF 1", "BACDEF 1", "CABDEF 1", "ABCDEF 1"});
  lists.first_hit(D, 1, {});
  expect(1, {"ADBCEF 2", "BACDEF 1", "CDABEF 2", "ADBCEF 2"});
  lists.first_hit(E, 3, {});
  expect(2, {"ADEBCF 3", "BEACDF 2", "CDEABF 3", "ADBCEF 2"});
  lists.all_blocked(A, 0);
  expect(3, {"DEBCFA 2", "BEACDF 2", "CDEABF 3", "ADBCEF 2"});
  lists.all_blocked(D, 1);
  expect(4, {"DEBCFA 2", "BEACFD 2", "CDEABF 3", "ADBCEF 2"});
  lists.first_hit(A, 2, {});
  expect(5, {"DEABCF 3", "BEACFD 3", "CDEABF 3", "ADBCEF 2"});
  lists.all_blocked(E, 3);
  expect(6, {"DEABCF 3", "BEACFD 3", "CDEABF 3", "ADBCFE 2"});
  lists.all_blocked(D, 0);
  expect(7, {"EABCFD 2", "BEACFD 3", "CDEABF 3", "ADBCFE 2"});
  lists.all_blocked(A, 3);
  expect(8, {"EABCFD 2", "BEACFD 3", "CDEABF 3", "DBCFEA 1"});
  lists.first_hit(D, 2, {});
  expect(9, {"EABCFD 2", "BEACFD 3", "CDEABF 3", "DBCFEA 1"});
  lists.remove(B);
  expect(10, {"EACFD 2", "EACFD 2", "CDEAF 3", "DCFEA 1"});
  lists.place(G, {0, 1, 2, 3});
  expect(11, {"EACFDG 2", "EACFDG 2", "CDEAFG 3", "DCFEAG 1"});
  lists.first_hit(G, 0, {});
  expect(12, {"EACFDG 2", "EAGCFD 3", "CDEGAF 4", "DGCFEA 2"});
  lists.all_blocked(G, 1);
  expect(13, {"EACFDG 2", "EACFDG 2", "CDEGAF 4", "DGCFEA 2"});
}

TEST(SawsLists, SwitchByAgeAndDemotionAtTheHit) {
  Lists by_age(1, {1, true, false, true});
  for (const unsigned cta : {4U, 2U, 7U}) by_age.place(cta, {0});
  by_age.start_saws({7});
  EXPECT_EQ(by_age.order(0), (std::vector<unsigned>{4, 2, 7}));

  Lists at_hit(2, {1, false, true, true});
  at_hit.launch(true, true);
  for (const unsigned cta : {0U, 1U, 2U}) at_hit.place(cta, {0, 1});
  at_hit.first_hit(0, 0, {});
  EXPECT_EQ(numbers(at_hit, 0), "C1 C2 C0 (1)");
  EXPECT_EQ(numbers(at_hit, 1), "C0 C1 C2 (1)");
  at_hit.first_hit(0, 0, {});  // not promoted, so it does not move either
  EXPECT_EQ(numbers(at_hit, 0), "C1 C2 C0 (1)");
}

TEST(SawsLists, PromotionKeepsTheOrderOfTheOthersAndEverythingAboveP) {
  Xoshiro256 random(1);
  for (unsigned trial = 0; trial < 300; ++trial) {
    Lists lists(3, {static_cast<unsigned>(random.below(2)), false, false, true});
    lists.launch(true, false);
    std::set<unsigned> present;
    for (unsigned step = 0; step < 100; ++step) {
      const unsigned cta = static_cast<unsigned>(random.below(8)), s = static_cast<unsigned>(random.below(3));
      const unsigned what = static_cast<unsigned>(random.below(8));
      if (present.count(cta) == 0) {
        lists.place(cta, random.below(4) == 0 ? std::vector<unsigned>{s} : std::vector<unsigned>{0, 1, 2});
        present.insert(cta);
      } else if (what == 0) {
        lists.remove(cta);
        present.erase(cta);
      } else if (what < 4) {
        lists.all_blocked(cta, s);
      } else {
        const Lists before = lists;
        lists.first_hit(cta, s, {});
        for (unsigned other = 0; other < 3; ++other) {
          auto was = before.order(other), is = lists.order(other);
          const unsigned p = before.p(other);
          ASSERT_TRUE(std::equal(is.begin(), is.begin() + std::min<std::size_t>(p, is.size()), was.begin()) ||
                      other == s);
          for (unsigned place = 0; place < is.size(); ++place) {
            if (is[place] == cta) continue;
            const unsigned old = before.position(is[place], other).value();
            ASSERT_TRUE(place == old || place == old + 1);
          }
          was.erase(std::remove(was.begin(), was.end(), cta), was.end());
          is.erase(std::remove(is.begin(), is.end(), cta), is.end());
          ASSERT_EQ(was, is);
        }
      }
    }
  }
}

// One CTA waits for memory while two others go from barrier to barrier (Theory of operation).
TEST(SawsLists, ToggleLetsTheThirdCtaBecomeHead) {
  for (const bool toggling : {false, true}) {
    Lists lists(2, {1, false, false, true});
    lists.launch(true, toggling);
    for (unsigned cta = 0; cta < 3; ++cta) lists.place(cta, {0, 1});
    std::set<unsigned> heads[2];
    lists.start_saws({1, 0});
    for (unsigned barrier = 0; barrier < 20; ++barrier) {
      // Each scheduler runs the first CTA that does not wait for memory.
      unsigned running[2];
      for (unsigned s = 0; s < 2; ++s) running[s] = lists.order(s)[0] == 2 ? lists.order(s)[1] : lists.order(s)[0];
      for (unsigned s = 0; s < 2; ++s) lists.first_hit(running[s], s, {});
      for (unsigned s = 0; s < 2; ++s) lists.all_blocked(running[s], s);
      for (unsigned s = 0; s < 2; ++s) heads[s].insert(lists.order(s).front());
    }
    for (const auto& seen : heads) EXPECT_EQ(seen.count(2), toggling ? 1U : 0U) << "toggling " << toggling;
  }
}

/// The example of two schedulers as it runs through the block, cycle by cycle.
class GoldenTrace {
 public:
  explicit GoldenTrace(bool toggling) : toggling_(toggling) {}

  [[nodiscard]] Inputs inputs(unsigned cycle) const {
    Inputs in;
    const auto block = [&in](unsigned w) {
      in.wev_valid = static_cast<U8>(1U << w % 2);
      in.wev_idx[w % 2] = static_cast<U8>(w / 2);
    };
    if (cycle == 0) {
      in.kernel_start = in.mode_sel = 1;
      in.toggle_en = toggling_ ? 1 : 0;
    }
    if (cycle >= 1 && cycle <= 3) {
      in.cta_valid = 1;
      in.cta_id = static_cast<U8>(cycle - 1);
      in.cta_wmask = WarpBits(0xFULL << 4 * (cycle - 1));
    }
    if (cycle == 4) {
      in.w_ready = WarpBits(1U << 4U | 1U << 1U);
      in.issue_ack = 3;
    }
    if (cycle == 19) in.unblock = WarpBits(0b1011);
    if (cycle == 22) in.unblock = WarpBits(0b1110000);
    for (const auto& [at, w] : std::vector<std::pair<unsigned, unsigned>>{
             {5, 4}, {8, 6}, {11, 1}, {14, 3}, {17, 0}, {20, 5}, {24, 0}, {27, 5}, {30, 2}, {33, 7}}) {
      if (at == cycle) block(w);
    }
    return in;
  }

 private:
  bool toggling_;
};

TEST(SawsMachine, ExampleOfTwoSchedulersCycleByCycle) {
  using Row = std::pair<std::string, std::string>;
  for (const bool toggling : {false, true}) {
    SCOPED_TRACE(toggling ? "with toggle" : "without toggle");
    std::map<unsigned, Row> expected = {{7, {"C1 C0 C2 (1)", "C0 C1 C2 (1)"}},  {8, {"C1 C0 C2 (1)", "C0 C1 C2 (2)"}},
                                        {10, {"C0 C2 C1 (1)", "C0 C1 C2 (2)"}}, {13, {"C0 C2 C1 (1)", "C0 C1 C2 (2)"}},
                                        {16, {"C0 C2 C1 (1)", "C1 C2 C0 (1)"}}, {26, {"C0 C2 C1 (1)", "C1 C0 C2 (2)"}},
                                        {29, {"C0 C1 C2 (2)", "C1 C0 C2 (2)"}}, {32, {"C1 C2 C0 (1)", "C1 C0 C2 (2)"}},
                                        {35, {"C1 C2 C0 (1)", "C0 C2 C1 (1)"}}};
    if (toggling) {
      expected[26] = expected[29] = {"C0 C2 C1 (1)", "C1 C2 C0 (1)"};
      expected[32] = {"C2 C1 C0 (1)", "C1 C2 C0 (1)"};
      expected[35] = {"C2 C1 C0 (1)", "C2 C0 C1 (1)"};
    }
    Machine machine({2, 12, 3, 4, 1, 0, 0, 1});
    const GoldenTrace trace(toggling);
    Row now{"", ""};
    for (unsigned cycle = 0; cycle < 36; ++cycle) {
      const Row is{numbers(machine.lists(), 0), numbers(machine.lists(), 1)};
      if (expected.count(cycle) != 0) {
        EXPECT_EQ(is, expected[cycle]) << "cycle " << cycle;
      } else if (cycle > 4) {
        EXPECT_EQ(is, now) << "changes in cycle " << cycle;
      }
      now = is;
      const Inputs in = trace.inputs(cycle);
      const Outputs out = machine.settle(in);
      EXPECT_EQ(out.err, 0);
      EXPECT_EQ(out.mode_saws, cycle >= 7 ? 1 : 0) << "cycle " << cycle;
      EXPECT_EQ(out.issue_valid, cycle == 4 ? 3 : 0);
      machine.clock(in);
    }
    EXPECT_TRUE(machine.problems().empty());
  }
}

std::vector<bool> bits(const std::string& text) {
  std::vector<bool> result;
  for (const char c : text) result.push_back(c == '1');
  return result;
}
Warps ready(const std::string& text) {
  return {bits(text), std::vector<bool>(text.size(), true), std::vector<bool>(text.size(), false)};
}
/// Picks a warp and issues its instruction. Returns the warp; -1 if none is picked.
int issue(Picker& picker, const Warps& warps) {
  const auto warp = picker.pick(warps, 0);
  if (!warp) return -1;
  picker.issued(*warp, 0);
  return static_cast<int>(*warp);
}

TEST(SawsPickers, LooseRoundRobinSkipsWhatIsNotReady) {
  Lrr lrr(4);
  lrr.place(0, {0, 1, 2, 3});
  EXPECT_EQ(issue(lrr, ready("1111")), 0);
  EXPECT_EQ(issue(lrr, ready("1111")), 1);
  EXPECT_EQ(issue(lrr, ready("1101")), 3);
  EXPECT_EQ(issue(lrr, ready("0000")), -1);
  EXPECT_EQ(lrr.pick(ready("1111"), 0), 0U);
  EXPECT_EQ(issue(lrr, ready("1111")), 0) << "a pick that did not issue moves nothing";
}

TEST(SawsPickers, GtoStaysThenTakesTheOldestThenTheLowest) {
  Gto gto(6);
  gto.place(7, {4, 5});
  gto.place(3, {0, 1});
  gto.place(1, {2, 3});
  EXPECT_EQ(issue(gto, ready("111111")), 4);
  EXPECT_EQ(issue(gto, ready("111101")), 5);
  EXPECT_EQ(issue(gto, ready("111111")), 5) << "greedy";
  EXPECT_EQ(issue(gto, ready("011100")), 1);
  gto.free(3);
  EXPECT_EQ(gto.greedy(), std::nullopt);
  gto.place(9, {0, 1});
  EXPECT_EQ(issue(gto, ready("111100")), 2) << "CTA 1 is older than 9";
}

TEST(SawsPickers, GtoWithTwoPicksHasTwoGreedyWarps) {
  Gto gto(4, 2);
  gto.place(0, {0, 1, 2, 3});
  gto.issued(2, 0);
  gto.issued(3, 1);
  EXPECT_EQ(gto.pick(ready("1111"), 0), 2U);
  EXPECT_EQ(gto.pick(ready("1101"), 1), 3U);
  EXPECT_EQ(gto.pick(ready("1100"), 1), 0U);
}

TEST(SawsPickers, OldestForgetsWhatIssued) {
  Oldest oldest(4);
  oldest.place(0, {2, 3});
  oldest.place(1, {0, 1});
  EXPECT_EQ(issue(oldest, ready("1101")), 3);
  EXPECT_EQ(issue(oldest, ready("1111")), 2);
}

TEST(SawsPickers, TwoLevelLeavesAGroupOnlyWhenAllItsWarpsWaitForLoads) {
  TwoLevel two(5, 2);
  two.place(0, {0, 1, 2, 3, 4});
  Warps warps = ready("11111");
  EXPECT_EQ(issue(two, warps), 0);
  EXPECT_EQ(issue(two, warps), 1);
  EXPECT_EQ(issue(two, warps), 0);
  warps.ready = bits("00111");
  EXPECT_EQ(issue(two, warps), -1) << "warps 0 and 1 do not wait for loads";
  warps.waiting = bits("11000");
  EXPECT_EQ(issue(two, warps), 2);
  warps.ready = bits("11001");
  EXPECT_EQ(issue(two, warps), -1);
  warps.live = bits("11001");
  EXPECT_EQ(issue(two, warps), 4) << "a group without live warps is left, the next in the circle comes";
  warps.ready = bits("11000");
  warps.live = bits("11000");
  EXPECT_EQ(issue(two, warps), 1) << "behind 0, which issued last there";
}

TEST(SawsPickers, CatlsJoinsGroupsAndLeavesThemWhenNothingIsReady) {
  Catls catls(8, 3);
  catls.place(0, {0, 1});  // group 0: two slots taken, so it still takes one CTA
  catls.place(1, {2, 3});  // group 0: four
  catls.place(2, {4, 5});  // group 1
  EXPECT_EQ(issue(catls, ready("11111100")), 0);
  EXPECT_EQ(issue(catls, ready("00111100")), 2) << "the same group";
  EXPECT_EQ(issue(catls, ready("00001100")), 4);
  EXPECT_EQ(issue(catls, ready("11111100")), 5) << "group 1 stays active";
  EXPECT_EQ(issue(catls, ready("11110000")), 3) << "behind 2";
  catls.free(0);
  catls.free(1);
  catls.place(3, {6, 7});  // group 0 is empty again
  EXPECT_EQ(issue(catls, ready("00001111")), 6);
}

}  // namespace
}  // namespace castor::saws::reference::reference_test

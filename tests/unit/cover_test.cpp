// Tests of the types of cover points, and of the minimum that a block must provide for a bench of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tb/common/bench.h"
#include "tb/common/cosim.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using turnstile::Block;
using Now = Cycle<Block>;

std::map<std::string, std::uint64_t> hits(const Cover& cover) {
  std::map<std::string, std::uint64_t> all;
  for (const Cover::Point& point : cover.points()) all[point.name] = point.hits;
  return all;
}

TEST(CoverPoints, APointCountsTheSubjectsForWhichItsConditionHolds) {
  Cover cover;
  Points<int> points({cover}, {{"negative", 0, [](const int& x) { return x < 0; }},
                               {"even", 0, [](const int& x) { return x % 2 == 0; }}});
  for (const int x : {-2, -1, 0, 1, 2}) points.see(x);
  EXPECT_EQ(hits(cover), (std::map<std::string, std::uint64_t>{{"negative", 2}, {"even", 3}}));
  EXPECT_TRUE(points.reached());
}

TEST(CoverPoints, APointThatNeedsWhatIsNotThereIsNotInTheList) {
  constexpr Needs kFirst = 1, kSecond = 2;
  Cover cover;
  const auto always = [](const int&) { return true; };
  Points<int> points({cover, kSecond},
                     {{"first", kFirst, always}, {"both", kFirst | kSecond, always}, {"second", kSecond, always}});
  points.see(0);
  EXPECT_EQ(hits(cover), (std::map<std::string, std::uint64_t>{{"second", 1}}));
}

TEST(CoverPoints, OneOfHitsThePointOfTheValueIfItHasOne) {
  Cover cover;
  OneOf<std::size_t> values({cover}, {"zero", "", "two"}, [](const std::size_t& x) { return x; });
  for (const std::size_t x : {0U, 1U, 2U, 2U, 3U}) values.see(x);
  EXPECT_EQ(hits(cover), (std::map<std::string, std::uint64_t>{{"zero", 1}, {"two", 2}}));
  EXPECT_THAT(crossed({"a", "b"}, {"1", "2"}), ElementsAre("a1", "a2", "b1", "b2"));
}

TEST(CoverPoints, AnArcThatIsNotListedIsImpossibleUnlessItIsSilent) {
  using turnstile::Level;
  Cover cover;
  Arcs<Level> arcs({cover}, {{Level::kEmpty, Level::kSome}}, {{Level::kSome, Level::kSome}});
  arcs.see(Level::kEmpty, Level::kSome);
  arcs.see(Level::kSome, Level::kSome);
  EXPECT_THAT(cover.impossible(), IsEmpty());
  arcs.see(Level::kFull, Level::kEmpty);
  EXPECT_THAT(cover.impossible(), ElementsAre("Full -> Empty"));
  EXPECT_EQ(hits(cover), (std::map<std::string, std::uint64_t>{{"Empty -> Some", 1}}));
}

TEST(CoverPoints, EveryTwoEventsOnOneRegisterMeet) {
  Cover cover;
  const auto bit = [](unsigned n) { return [n](const unsigned& events) { return (events >> n & 1U) != 0; }; };
  Simultaneous<unsigned> meetings({cover},
                                  {{"push", "count", 0, bit(0)},
                                   {"pop", "count", 0, bit(1)},
                                   {"clear", "count", 0, bit(2)},
                                   {"beat", "timer", 0, bit(3)}},
                                  {{"clear", "pop", "a pop waits for the answer to a write"}});
  for (const unsigned events : {0b0001U, 0b1001U, 0b0011U, 0b0011U}) meetings.see(events);
  EXPECT_EQ(hits(cover),
            (std::map<std::string, std::uint64_t>{
                {"push meets pop on count", 2}, {"push meets clear on count", 0}, {"pop meets clear on count", 0}}));
  EXPECT_THAT(cover.impossible(), IsEmpty());
  EXPECT_FALSE(cover.points()[2].waiver.empty());
  meetings.see(0b0110U);
  EXPECT_THAT(cover.impossible(), ElementsAre("pop meets clear on count"));
}

TEST(CoverPoints, ARegisterWithoutEventsNeedsAReason) {
  const auto never = [](const Now&) { return false; };
  const std::vector<EventRow<Now>> events = {{"push", "count", 0, never}, {"beat", "timer", 0, never}};
  EXPECT_THAT(
      (forgotten_registers<Block, Now>(events, {{"level", "follows count"}, {"pointer", ""}, {"served", "read only"}})),
      ElementsAre("pointer", "period", "beating"));
}

TEST(CoverPoints, ARangeHasItsEndsAndItsWrap) {
  Cover cover;
  Range<unsigned> range({cover}, "number", 0, 3, Range<unsigned>::Ends::kWraps, [](const unsigned& x) { return x; });
  for (const unsigned x : {0U, 1U, 3U, 0U, 3U, 2U, 0U}) range.see(x);
  EXPECT_EQ(hits(cover), (std::map<std::string, std::uint64_t>{
                             {"number at its least", 3}, {"number at its most", 2}, {"number wraps", 1}}));
  EXPECT_THAT(cover.impossible(), IsEmpty());
  range.see(4);
  EXPECT_THAT(cover.impossible(), ElementsAre("number out of its range"));
}

// All that a block has to bring for a bench of its own: a table of sequences, and a list of cover points.

std::vector<PointRow<Now>> turnstile_points(const turnstile::Params& /*params*/) {
  return {{"push while full", 0,
           [](const Now& n) { return n.in.pick_grant != 0 && n.probes.level == turnstile::Level::kFull; }},
          {"queue drains", 0,
           [](const Now& n) { return n.before != nullptr && n.before->probes.count > 0 && n.probes.count == 0; }}};
}
const SequenceTable<Block>& turnstile_sequences() {
  static const SequenceTable<Block> all = {
      {"wild", "random events", kKeepsContract, made_of<Block, twin::RandomSequence<Block>>}};
  return all;
}
using TurnstileBench = ProtocolBench<Block, CyclePoints<Block, turnstile_points>, turnstile_sequences>;

TEST(Bench, ATableOfSequencesAndAListOfPointsAreEnough) {
  const turnstile::Params params;
  twin::Model<Block> model(params);
  TurnstileBench bench(model);
  const auto sequence = TurnstileBench::make("wild", params, 1);
  std::uint64_t drained = 0;
  unsigned count = 0;
  run<Block>(
      model, *sequence, 20'000, false,
      [&](const auto& in, const auto& out, const auto& seen) {
        const auto probes = seen.probes();
        drained += count > 0 && probes.count == 0 ? 1 : 0;
        count = probes.count;
        bench.watch(in, out, probes);
      },
      [](base::Cycle) {});
  bench.finish();
  EXPECT_GT(drained, 0U);
  EXPECT_EQ(hits(bench.cover()).at("queue drains"), drained);
  EXPECT_GT(hits(bench.cover()).at("level Full"), 0U);
  EXPECT_THROW(static_cast<void>(TurnstileBench::make("nonsense", params, 1)), base::InputError);
}

TEST(Bench, WhatCannotBeIsAnErrorAtTheEnd) {
  twin::Model<Block> model(turnstile::Params{});
  Bench<Block> bench(model);
  bench.finish();
  bench.cover().impossible("a queue of minus one entries");
  EXPECT_THROW(bench.finish(), base::Error);
}

/// Returns a block each run of which reaches one of its two cover points.
BlockEntry half_covered(unsigned least_cover) {
  BlockEntry entry;
  entry.name = "half";
  entry.sets = {{"default", {}}};
  entry.sequences = {{"random", "all ports"}, {"other", "some ports"}};
  entry.least_cover = least_cover;
  entry.describe = [](const twin::ParamValues&) { return Description{}; };
  entry.run = [](const CosimRequest& request, const std::function<void(base::Cycle)>&) {
    CosimResult result;
    result.cycles = request.cycles;
    result.cover = {{"reached", 1, {}, false}, {"never", 0, {}, false}};
    return result;
  };
  return entry;
}

TEST(LeastCover, ARunThatReachesTooFewPointsFails) {
  CosimRequest request;
  request.params = "default";
  request.cycles = default_runs(half_covered(0)).at(0).cycles;
  EXPECT_EQ(cosim(half_covered(50), request), 0);
  EXPECT_EQ(cosim(half_covered(51), request), 1);
  request.sequence = "other";
  EXPECT_EQ(cosim(half_covered(51), request), 0) << "points are required of the first sequence only";
}

TEST(LeastCover, AShorterRunMayReachSomeLess) {
  CosimRequest request;
  request.params = "default";
  request.cycles = kCoverCycles;
  EXPECT_EQ(cosim(half_covered(50 + kCoverLess), request), 0);
  EXPECT_EQ(cosim(half_covered(51 + kCoverLess), request), 1);
  request.cycles = kCoverCycles - 1;
  EXPECT_EQ(cosim(half_covered(100), request), 0);
}

}  // namespace
}  // namespace castor::tb

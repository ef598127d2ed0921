// Tests of stimulus at the ends of ranges, of long episodes of the medley, and of cover points of highest bits.

#include "tb/common/edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tb/common/bench.h"
#include "tb/common/cosim.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::tb {
namespace {

using turnstile::Block;

TEST(Edges, EveryModeStaysInItsRange) {
  constexpr std::uint64_t kMost[] = {0, 1, 2, 5, 255, 256, 1000, 0xFFFF, 0x10000, 0xFFFFFFFF, 1ULL << 40U, ~0ULL};
  for (unsigned mode = 0; mode < kEdgeModes; ++mode) {
    Edges edges(1, static_cast<EdgeMode>(mode));
    for (const std::uint64_t most : kMost) {
      for (const std::uint64_t least : {std::uint64_t{0}, most / 2, most}) {
        for (unsigned i = 0; i < 300; ++i) {
          const std::uint64_t value = edges.between(least, most, least);
          ASSERT_GE(value, least) << "mode " << mode << ", most " << most;
          ASSERT_LE(value, most) << "mode " << mode << ", least " << least;
        }
      }
    }
  }
}

TEST(Edges, APlainEpisodeIsWhatTheSequenceDraws) {
  Edges edges(1, EdgeMode::kPlain);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(edges.bits(40, i), i);
    EXPECT_EQ(edges.size(1, ~0ULL, 1 + i), 1 + i);
    EXPECT_EQ(edges.start(48, 100, i), i);
  }
}

TEST(Edges, EndsAreReached) {
  for (const unsigned bits : {1U, 5U, 16U, 17U, 32U, 33U, 64U}) {
    Edges edges(7, EdgeMode::kEnds);
    const std::uint64_t most = twin::mask(bits);
    std::set<std::uint64_t> seen;
    for (unsigned i = 0; i < 20'000; ++i) {
      seen.insert(edges.bits(bits, 0));
    }
    std::set<std::uint64_t> wanted = {0, 1, most, most - 1};
    for (unsigned bit = 0; bit < bits; ++bit) wanted.insert(std::uint64_t{1} << bit);
    for (const std::uint64_t value : wanted) EXPECT_EQ(seen.count(value), 1U) << bits << " bits: " << value;
  }
}

// Now and then one upper bit of a size is set; without that bit the size is the plain one.
TEST(Edges, SizesHaveOneUpperBitNowAndThen) {
  for (const unsigned bits : {16U, 32U, 48U, 64U}) {
    Edges edges(5, EdgeMode::kEnds);
    std::uint64_t upper = 0;
    for (unsigned i = 0; i < 4'000'000; ++i) {
      const std::uint64_t size = edges.size(1, twin::mask(bits), 3);
      ASSERT_GE(size, 1U);
      ASSERT_LE(size, twin::mask(bits));
      if ((size & 0xff) == 3 && ((size >> 8U) & ((size >> 8U) - 1)) == 0) upper |= size;
    }
    EXPECT_EQ(upper, (twin::mask(bits) & ~std::uint64_t{0xff}) | 3U) << bits << " bits";
  }
}

// Two consecutive values that are equal in their low 16, or 31, bits.
TEST(Edges, TwinsDifferInUpperBitsAlone) {
  Edges edges(3, EdgeMode::kTwins);
  std::map<unsigned, unsigned> equal_below;
  std::uint64_t last = edges.bits(40, 0);
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::uint64_t value = edges.bits(40, 0);
    for (const unsigned from : {15U, 16U, 31U, 32U}) {
      if (value != last && ((value ^ last) & twin::mask(from)) == 0) ++equal_below[from];
    }
    last = value;
  }
  for (const unsigned from : {15U, 16U, 31U, 32U}) EXPECT_GT(equal_below[from], 100U) << from;
}

// A tall value is the plain one with one bit of the upper half, or this bit alone, also in a plain episode.
TEST(Edges, TallValuesHaveOneBitOfTheUpperHalf) {
  for (const unsigned bits : {1U, 10U, 32U, 64U}) {
    Edges edges(5, EdgeMode::kPlain);
    std::uint64_t with_plain = 0, alone = 0;
    for (unsigned i = 0; i < 5'000; ++i) {
      const std::uint64_t value = edges.tall(bits, 1);
      const std::uint64_t upper = value >> (bits / 2) << (bits / 2);
      ASSERT_EQ(upper & (upper - 1), 0U);
      ASSERT_NE(upper, 0U);
      ASSERT_TRUE(value == upper || value == (upper | 1U)) << value;
      (value == upper ? alone : with_plain) |= upper;
    }
    const std::uint64_t half = twin::mask(bits) >> (bits / 2) << (bits / 2);
    EXPECT_EQ(alone, half) << bits << " bits";
    if (bits > 1) {
      EXPECT_EQ(with_plain, half) << bits << " bits";
    }
  }
}

TEST(Edges, FewSizesAreLarge) {
  Edges edges(5, EdgeMode::kEnds);
  unsigned plain = 0, large = 0;
  for (unsigned i = 0; i < 100'000; ++i) (edges.size(1, twin::mask(32), 3) == 3 ? plain : large) += 1;
  EXPECT_GT(plain, large);
  EXPECT_GT(large, 0U);
}

TEST(Edges, CountersBeginBeforeTheirWrap) {
  Edges edges(5, EdgeMode::kEnds);
  unsigned wraps = 0, halves = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t at = edges.start(48, 1000, 0);
    EXPECT_LE(at, twin::mask(48));
    wraps += at + 1000 >= (std::uint64_t{1} << 48U) ? 1 : 0;
    halves += at < (std::uint64_t{1} << 47U) && at + 1000 >= (std::uint64_t{1} << 47U) ? 1 : 0;
  }
  EXPECT_GT(wraps, 500U);
  EXPECT_GT(halves, 500U);
}

TEST(Edges, EveryModeIsDrawnAndHalfOfTheEpisodesArePlain) {
  std::map<EdgeMode, unsigned> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) ++seen[Edges(seed).mode()];
  EXPECT_EQ(seen.size(), kEdgeModes);
  EXPECT_GT(seen[EdgeMode::kPlain], 400U);
  EXPECT_LT(seen[EdgeMode::kPlain], 600U);
}

TEST(PortEdges, WidthsAreThoseOfThePortList) {
  const turnstile::Params params;
  EXPECT_EQ(input_shape<Block>(params, &turnstile::Inputs::reg_addr).bits, 16U);
  EXPECT_EQ(input_shape<Block>(params, &turnstile::Inputs::reg_we).bits, 1U);
  EXPECT_EQ(input_shape<Block>(params, &turnstile::Inputs::req).width(), params.NumPorts);
  PortEdges<Block> edges(params, 1, EdgeMode::kWhole);
  std::uint64_t ones = 0;
  for (unsigned i = 0; i < 1000; ++i) ones |= edges.any(&turnstile::Inputs::reg_addr, 0);
  EXPECT_EQ(ones, 0xFFFFU);
  turnstile::Ports wide;
  for (unsigned i = 0; i < 100; ++i) wide |= edges.any(&turnstile::Inputs::req, turnstile::Ports{});
  EXPECT_EQ(wide, turnstile::Ports::ones(params.NumPorts));
}

// Changes of a payload while its valid is 0 do not count as toggles.
TEST(PortCover, TheHighestBitTogglesWhileItMatters) {
  const turnstile::Params params;
  const auto hits = [&](bool request) {
    Cover cover;
    PortCover<Block> ports(cover, params);
    turnstile::Inputs in;
    for (const std::uint32_t data : {0U, 0x8000'0000U, 0U}) {
      in.reg_req = request ? 1 : 0;
      in.reg_wdata = data;
      ports.watch(in, {}, {});
    }
    for (const Cover::Point& point : cover.points()) {
      if (point.name == "reg_wdata top bit") return point.hits;
    }
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(hits(true), 1U);
  EXPECT_EQ(hits(false), 0U);
}

TEST(PortCover, AHighestBitOfAnyElementCounts) {
  const turnstile::Params params;
  Cover cover;
  PortCover<Block> ports(cover, params);
  turnstile::Inputs in;
  ports.watch(in, {}, {});
  in.weight[params.NumWays - 1] = 8;
  ports.watch(in, {}, {});
  std::map<std::string, std::uint64_t> hits;
  for (const Cover::Point& point : cover.points()) hits[point.name] = point.hits;
  EXPECT_EQ(hits.at("weight top bit"), 1U);
  EXPECT_EQ(hits.at("total top bit"), 0U);
  EXPECT_EQ(hits.count("out_ready top bit"), 0U);  // one bit: its levels are points
}

TEST(PortCover, AWaivedHighestBitKeepsItsReason) {
  Cover cover;
  PortCover<Block> ports(cover, turnstile::Params{});
  ports.waive({{"timer", "the period is short"}});
  unsigned waived = 0;
  for (const Cover::Point& point : cover.points()) {
    if (point.waiver.empty()) continue;
    EXPECT_EQ(point.name, "timer top bit");
    EXPECT_EQ(point.waiver, "the period is short");
    ++waived;
  }
  EXPECT_EQ(waived, 1U);
}

// A sequence that counts its cycles and records the length of its longest episode.
twin::Cycle longest = 0;
class Counting : public twin::Sequence<Block> {
 public:
  Counting(const turnstile::Params& /*params*/, std::uint64_t /*seed*/) {}
  void drive(turnstile::Inputs& /*in*/) override { longest = std::max(longest, ++cycles_); }

 private:
  twin::Cycle cycles_ = 0;
};

TEST(Medley, ALongEpisodeComesOnceAfterTheFirstRound) {
  using Row = SequenceTable<Block>;
  const auto run = [](const Row& table) {
    longest = 0;
    Medley<Block> medley(table, turnstile::Params{}, 1);
    turnstile::Inputs in;
    medley.begin(in);
    unsigned episodes = 1, long_ones = 0;
    for (unsigned cycle = 0; cycle < 400'000; ++cycle) {
      if (medley.over()) {
        if (longest > 20'000) {
          ++long_ones;
          EXPECT_GE(episodes, 4U);
        }
        longest = 0;
        medley.begin(in);
        ++episodes;
      }
      medley.drive(in);
    }
    return long_ones;
  };
  const auto make = made_of<Block, Counting>;
  EXPECT_EQ(run({{"a", "", true, make},
                 {"b", "", true, make},
                 {"c", "", true, make, 0, [](const auto&) { return twin::Cycle{50'000}; }}}),
            1U);
  EXPECT_EQ(run({{"a", "", true, make}, {"b", "", true, make}}), 0U);
}

/// Sequence that counts the objects made.
class Counted final : public Counting {
 public:
  Counted(const turnstile::Params& params, std::uint64_t seed) : Counting(params, seed) { ++made; }
  static inline unsigned made = 0;
};

// The stimulus of the medley is the same with and without such a row.
TEST(Medley, LeavesOutASequenceOfItsOwn) {
  using Row = SequenceTable<Block>;
  const auto seeds = [](const Row& table) {
    Medley<Block> medley(table, turnstile::Params{}, 1);
    turnstile::Inputs in;
    medley.begin(in);
    std::vector<unsigned> lengths(1);
    for (unsigned cycle = 0; cycle < 200'000; ++cycle) {
      if (medley.over()) {
        lengths.push_back(0);
        medley.begin(in);
      }
      medley.drive(in);
      ++lengths.back();
    }
    return lengths;
  };
  const auto make = made_of<Block, Counting>;
  const auto alone = made_of<Block, Counted>;
  Counted::made = 0;
  const auto with = seeds({{"a", "", true, make},
                           {"b", "", true, make},
                           {"c", "", true, make},
                           {"d", "", true, alone, 30'000, [](const auto&) { return twin::Cycle{40'000}; }, kAlone}});
  EXPECT_EQ(Counted::made, 0U);
  EXPECT_EQ(with, seeds({{"a", "", true, make}, {"b", "", true, make}, {"c", "", true, make}}));
  const auto single = seeds({{"a", "", true, make}, {"d", "", true, alone, 0, nullptr, kAlone}});
  EXPECT_EQ(Counted::made, 0U);
  EXPECT_EQ(single, seeds({{"a", "", true, make}}));
}

/// Sequence that asks for a reset every ten cycles.
class Resetting final : public Counting {
 public:
  using Counting::Counting;
  void begin(turnstile::Inputs& in) override {
    Counting::begin(in);
    ++begins;
    left_ = 10;
  }
  void drive(turnstile::Inputs& in) override {
    Counting::drive(in);
    ran = std::max(ran, ++driven_);
    --left_;
  }
  [[nodiscard]] bool over() override { return left_ == 0; }

  static inline unsigned begins = 0;  // of all objects
  static inline twin::Cycle ran = 0;  // cycles of the object that was driven longest

 private:
  unsigned left_ = 0;
  twin::Cycle driven_ = 0;
};

// The resets that a sequence asks for do not end its episode, and the sequence stays the same.
TEST(Medley, ASequenceHasItsOwnResetsWithinItsEpisode) {
  const SequenceTable<Block> table = {{"a", "", true, made_of<Block, Counting>},
                                      {"b", "", true, made_of<Block, Resetting>}};
  Resetting::begins = 0;
  Resetting::ran = 0;
  Medley<Block> medley(table, turnstile::Params{}, 1);
  turnstile::Inputs in;
  medley.begin(in);
  unsigned resets = 0;
  for (unsigned cycle = 0; cycle < 50'000; ++cycle) {
    if (medley.over()) {
      ++resets;
      medley.begin(in);
    }
    medley.drive(in);
  }
  EXPECT_GT(Resetting::begins, 1'000U);
  EXPECT_LT(Resetting::begins, 4'000U);  // episodes of the other sequence lie between
  EXPECT_GE(resets, Resetting::begins);
  EXPECT_LT(resets, Resetting::begins + 60);
  EXPECT_GT(Resetting::ran, 8'000U);  // an episode of the resetting sequence has its full length
}

std::vector<std::pair<std::string, base::Cycle>> planned(ParamSets sets, unsigned bits) {
  BlockEntry entry;
  entry.sets = std::move(sets);
  entry.describe = [bits](const twin::ParamValues&) {
    Description description;
    description.probes.push_back({"all", "output", bits, "", "", "", ""});
    return description;
  };
  std::vector<std::pair<std::string, base::Cycle>> runs;
  for (const PlannedRun& run : default_runs(entry)) runs.emplace_back(run.set, run.cycles);
  return runs;
}

TEST(DefaultRuns, TakeTheFourSetsThatABlockHasAndFewerCyclesOfADearOne) {
  const auto cheap = planned({{"default", {}}, {"proof", {}}, {"odd", {}}, {"minimum", {}}}, 100);
  ASSERT_EQ(cheap.size(), 3U);
  EXPECT_EQ(cheap[0].first, "minimum");
  EXPECT_EQ(cheap[1].first, "odd");
  EXPECT_EQ(cheap[2].first, "default");
  const auto dear = planned({{"default", {}}, {"large", {}}}, 1'000'000);
  ASSERT_EQ(dear.size(), 2U);
  EXPECT_GT(cheap[2].second, dear[0].second);
  EXPECT_GT(dear[0].second, 0U);
  EXPECT_EQ(planned({}, 1).at(0), (std::pair<std::string, base::Cycle>{"default", kUsualCycles}));
}

TEST(DefaultRuns, ASequenceOfItsOwnHasARunAtTheDefaultSet) {
  BlockEntry entry;
  entry.sets = {{"odd", {}}, {"default", {}}};
  entry.sequences = {{"medley", "", false, true}, {"a", ""}, {"b", "", true, false, 0, kAlone}};
  entry.describe = [](const twin::ParamValues&) { return Description{}; };
  const std::vector<PlannedRun> runs = default_runs(entry);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].sequence + runs[1].sequence, "");
  EXPECT_EQ(runs[2].sequence, "b");
  EXPECT_EQ(runs[2].set, "default");
  EXPECT_EQ(runs[2].cycles, runs[1].cycles);
}

}  // namespace
}  // namespace castor::tb

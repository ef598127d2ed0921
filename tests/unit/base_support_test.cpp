#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/log.h"
#include "castor/base/rng.h"
#include "castor/base/statistics.h"
#include "castor/base/time.h"

namespace castor::base::base_support_test {
namespace {

using ::testing::HasSubstr;

// Published test vectors of FNV-1a, 64 bits.
TEST(Hash, MatchesPublishedFnvVectors) {
  EXPECT_EQ(Hash().value(), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_bytes("a", 1), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_bytes("foobar", 6), 0x85944171f73967e8ULL);
  EXPECT_EQ(Hash().add("foobar").text(), "85944171f73967e8");
}

TEST(Hash, TakesIntegersLeastSignificantByteFirst) {
  EXPECT_EQ(Hash().add(std::uint32_t{0x64636261}).value(), Hash().add("abcd").value());
  EXPECT_EQ(Hash().add(std::int16_t{-1}).value(), Hash().add("\xff\xff").value());
}

// First outputs for seed 1234567, as published with the reference implementation.
TEST(SplitMix64, MatchesPublishedSequence) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random(), 6457827717110365317ULL);
  EXPECT_EQ(random(), 3203168211198807973ULL);
  EXPECT_EQ(random(), 9817491932198370423ULL);
}

TEST(Xoshiro256, StaysInBoundsAndReachesThem) {
  Xoshiro256 random(7);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = random.between(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    low = low || value == -2;
    high = high || value == 3;
    const double real = random.real();
    ASSERT_GE(real, 0.0);
    ASSERT_LT(real, 1.0);
  }
  EXPECT_TRUE(low);
  EXPECT_TRUE(high);
  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
  (void)random.between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

TEST(Xoshiro256, SameSeedSameNumbersOtherSeedOthers) {
  Xoshiro256 a(1);
  Xoshiro256 b(1);
  Xoshiro256 c(2);
  const std::uint64_t first = a();
  EXPECT_EQ(first, b());
  EXPECT_NE(first, c());
}

TEST(Clock, EdgesAreRoundedFromTheirNumberAndDoNotDrift) {
  const Clock clock(1'417'000);  // 1417 MHz: 705.716 ps
  EXPECT_EQ(clock.time_of(1), 706U);
  EXPECT_EQ(clock.time_of(2), 1411U);  // 1411.43
  EXPECT_EQ(clock.time_of(1'417'000'000), kPicosecondsPerSecond);
  EXPECT_EQ(Clock(1'000'000).time_of(123), 123'000U);
  EXPECT_EQ(clock.time_of(10'000'000'000'000ULL), 7'057'163'020'465'773ULL);  // 10^22 / 1417000, by hand
}

TEST(Clock, FindsTheFirstEdgeAtOrAfterATime) {
  const Clock clock(706'000);
  for (Cycle cycle = 1; cycle < 5000; ++cycle) {
    const Picoseconds time = clock.time_of(cycle);
    ASSERT_EQ(clock.first_at_or_after(time), cycle);
    ASSERT_EQ(clock.first_at_or_after(time + 1), cycle + 1);
  }
  EXPECT_EQ(clock.first_at_or_after(0), 0U);
}

TEST(Statistics, CarryNameUnitAndMeaningIntoReports) {
  StatisticGroup root("gpu");
  StatisticGroup sm(root, "sm0");
  Counter issued(sm, {"issued", "instructions", "warp instructions issued"});
  Counter cycles(root, {"cycles", "cycles", "core cycles"});
  const Formula rate(root, {"rate", "", "instructions per cycle"},
                     [&] { return static_cast<double>(issued.value()) / static_cast<double>(cycles.value()); });
  issued += 30;
  ++issued;
  cycles += 10;

  EXPECT_THAT(root.text(), HasSubstr("sm0.issued 31 instructions  # warp instructions issued\n"));
  EXPECT_THAT(root.text(), HasSubstr("rate 3.1  # instructions per cycle\n"));
  const auto json = nlohmann::json::parse(root.json());
  EXPECT_EQ(json["sm0"]["issued"], 31);
  EXPECT_DOUBLE_EQ(json["rate"], 3.1);
  const auto legend = nlohmann::json::parse(root.json_legend());
  EXPECT_EQ(legend["sm0"]["issued"]["unit"], "instructions");
  ASSERT_NE(root.find("sm0.issued"), nullptr);
  EXPECT_EQ(root.find("sm0.issued")->integer(), 31U);
  EXPECT_EQ(root.find("sm1.issued"), nullptr);
  EXPECT_EQ(root.find("sm0.nothing"), nullptr);

  root.reset();
  EXPECT_EQ(issued.value(), 0U);
  EXPECT_TRUE(nlohmann::json::parse(root.json())["rate"].is_null()) << "0/0 is no number";
}

TEST(Statistics, HashFollowsValuesAndPaths) {
  const auto hash_of = [](const char* group, std::uint64_t value) {
    StatisticGroup root("gpu");
    StatisticGroup child(root, group);
    Counter counter(child, {"n", "", "count"});
    counter += value;
    return root.hash();
  };
  EXPECT_EQ(hash_of("a", 1), hash_of("a", 1));
  EXPECT_NE(hash_of("a", 1), hash_of("a", 2));
  EXPECT_NE(hash_of("a", 1), hash_of("b", 1));
}

TEST(StatisticsDeathTest, NameIsUniqueInItsGroup) {
  StatisticGroup root("gpu");
  const Counter first(root, {"n", "", "count"});
  EXPECT_DEATH(Counter(root, {"n", "", "count"}), "statistic n declared twice in gpu");
}

TEST(Log, LongestNameOfASpecificationCounts) {
  EXPECT_EQ(log_level_of("", "gpu"), "warn");
  EXPECT_EQ(log_level_of("debug", "gpu"), "debug");
  EXPECT_EQ(log_level_of("gpu.sm0=trace,info,gpu=error", "gpu.sm0.lsu"), "trace");
  EXPECT_EQ(log_level_of("gpu.sm0=trace,info,gpu=error", "gpu.sm1"), "error");
  EXPECT_EQ(log_level_of("gpu.sm0=trace,info,gpu=error", "gpu2"), "info");
}

TEST(Log, RejectsUnknownLevels) {
  try {
    (void)log_level_of("gpu=loud", "gpu");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("CASTOR_LOG: error unknown log level \"loud\""));
  }
}

TEST(Log, SameNameSameLoggerAtLevelWarn) {
  EXPECT_EQ(&logger("a"), &logger("a"));
  EXPECT_NE(&logger("a"), &logger("b"));
  EXPECT_EQ(logger("a").level(), spdlog::level::warn);
}

}  // namespace
}  // namespace castor::base::base_support_test

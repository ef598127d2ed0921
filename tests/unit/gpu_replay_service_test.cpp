#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/replay/service.h"

namespace castor::gpu::gpu_replay_service_test {
namespace {

constexpr unsigned kDraws = 20000;

std::vector<double> draws(const ServiceLaw& law, std::uint64_t seed) {
  std::vector<double> out;
  for (unsigned i = 0; i < kDraws; ++i) out.push_back(law.draw(seed, i / 100, i % 100));
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns the Kolmogorov distance: the largest difference between the distribution of the draws and a continuous one.
/// Draws are rounded to whole numbers, so the continuous distribution is evaluated half a cycle later.
double distance(const std::vector<double>& sorted, const std::function<double(double)>& cdf) {
  double worst = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i + 1 < sorted.size() && sorted[i + 1] == sorted[i]) continue;
    worst = std::max(worst, std::abs(static_cast<double>(i + 1) / sorted.size() - cdf(sorted[i] + 0.5)));
  }
  return worst;
}

// Exceeded by chance with probability 2 exp(-2 x 2.2^2) = 1.3e-4; seeds are fixed, so a good generator stays good.
const double kAllowed = 2.2 / std::sqrt(double{kDraws});

TEST(ReplayService, LogarithmIsThatOfTheMathematicalLibrary) {
  base::Xoshiro256 random(7);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t x = std::max<std::uint64_t>(random() >> random.below(64), 1);
    const double expected = -(std::log(static_cast<double>(x)) - 64 * std::log(2.0));
    EXPECT_NEAR(static_cast<double>(detail::minus_ln(x)) * 0x1p-32, expected, 0x1p-26) << x;
  }
  EXPECT_NEAR(static_cast<double>(detail::minus_ln(1)) * 0x1p-32, 44.3614195558365, 1e-7);  // 64 ln 2
}

TEST(ReplayService, RootIsExact) {
  for (const std::uint64_t x : {0ULL, 1ULL, 2ULL, 3ULL, 4ULL, 99ULL, 100ULL, (1ULL << 62U) - 1, 1ULL << 62U, ~0ULL}) {
    const std::uint64_t r = detail::root(x);
    EXPECT_LE(r * r, x);
    if (r < 0xffffffff) {
      EXPECT_GT((r + 1) * (r + 1), x);
    }
  }
}

TEST(ReplayService, DrawsDependOnSeedLaunchAndTbAlone) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kUniform;
  law.a = 0;
  law.b = 4'000'000'000;
  EXPECT_EQ(law.draw(1, 2, 3), law.draw(1, 2, 3));
  EXPECT_NE(law.draw(1, 2, 3), law.draw(2, 2, 3));
  EXPECT_NE(law.draw(1, 2, 3), law.draw(1, 3, 3));
  EXPECT_NE(law.draw(1, 2, 3), law.draw(1, 2, 4));
  EXPECT_NE(law.draw(1, 2, 3), law.draw(1, 3, 2));
}

TEST(ReplayService, ConstantAndTableAreWhatTheySay) {
  ServiceLaw law;
  law.a = 77;
  EXPECT_EQ(law.draw(1, 2, 3), 77U);
  law.kind = ServiceLaw::Kind::kTable;
  law.values = {5, 6, 7};
  EXPECT_EQ(law.draw(9, 9, 0), 5U);
  EXPECT_EQ(law.draw(1, 2, 2), 7U);
}

TEST(ReplayService, UniformCoversItsRangeEvenly) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kUniform;
  law.a = 100;
  law.b = 1099;
  const std::vector<double> all = draws(law, 1);
  EXPECT_GE(all.front(), 100);
  EXPECT_LE(all.back(), 1099);
  EXPECT_LT(distance(all, [](double x) { return std::clamp((x - 99.5) / 1000, 0.0, 1.0); }), kAllowed);
  law.b = law.a;
  EXPECT_EQ(law.draw(1, 2, 3), 100U);
}

TEST(ReplayService, ExponentialHasItsDistribution) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kExponential;
  law.a = 5000;
  EXPECT_LT(distance(draws(law, 2), [](double x) { return 1 - std::exp(-x / 5000); }), kAllowed);
}

TEST(ReplayService, NormalHasItsDistribution) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kNormal;
  law.a = 12000;
  law.b = 1500;
  const std::vector<double> all = draws(law, 3);
  EXPECT_LT(distance(all, [](double x) { return 0.5 * std::erfc(-(x - 12000) / 1500 / std::sqrt(2.0)); }), kAllowed);
  EXPECT_LT(all.front(), 12000 - 3 * 1500);
  EXPECT_GT(all.back(), 12000 + 3 * 1500);
}

TEST(ReplayService, NormalIsCutAtZero) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kNormal;
  law.a = 1000;
  law.b = 1000;
  const std::vector<double> all = draws(law, 4);
  const auto zeros = static_cast<double>(std::count(all.begin(), all.end(), 0.0)) / kDraws;
  EXPECT_NEAR(zeros, 0.5 * std::erfc(0.9995 / std::sqrt(2.0)), 0.01);  // P(x < 0.5)
  EXPECT_LT(distance(all, [](double x) { return 0.5 * std::erfc(-(x - 1000) / 1000 / std::sqrt(2.0)); }), kAllowed);
}

TEST(ReplayService, SamplesComeWithEqualChance) {
  ServiceLaw law;
  law.kind = ServiceLaw::Kind::kSample;
  law.values = {10, 20, 30, 40};
  const std::vector<double> all = draws(law, 5);
  for (const std::uint32_t value : law.values) {
    EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), value)), kDraws / 4.0,
                4 * std::sqrt(kDraws / 4.0));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_replay_service_test

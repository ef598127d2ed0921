#pragma once

#include <gtest/gtest.h>

#include <cstdint>

/// Returns the number S given by --gtest_random_seed=S, or `otherwise` without the option. UnitTest::random_seed() is
/// never 0: without the option it is taken from the clock, and a test that draws from it passes or fails by luck.
inline std::uint64_t random_seed_or(std::uint64_t otherwise) {
  const auto given = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed));
  return given != 0 ? given : otherwise;
}

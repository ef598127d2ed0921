// Tests of the CUDA programs' own result checks.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sw/kernels/common/program.h"

namespace kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Returns the exit code of a program that compares these numbers.
int close(const std::vector<double>& got, const std::vector<double>& want) {
  const Options options("program", "purpose");
  Verdict verdict(options);
  verdict.close("numbers", got, want, 1e-3, 1e-6);
  return verdict.finish();
}
int equal(const std::vector<int>& got, const std::vector<int>& want) {
  const Options options("program", "purpose");
  Verdict verdict(options);
  verdict.equal("numbers", got, want);
  return verdict.finish();
}

TEST(Verdict, NumbersAreCloseWithinTheTolerance) {
  EXPECT_EQ(close({1000, 0, -3}, {1000.9, 5e-7, -3}), 0);
  EXPECT_EQ(close({1000, 0, -3}, {1001.1, 5e-7, -3}), 1);
  EXPECT_EQ(close({1000, 0, -3}, {1000.9, 5e-6, -3}), 1);
  EXPECT_EQ(close({1, 2}, {1}), 1) << "a number too many";
  EXPECT_EQ(close({1}, {1, 2}), 1) << "a number too few";
}

TEST(Verdict, WhatIsNoNumberIsCloseToItselfOnly) {
  EXPECT_EQ(close({kNan, kInfinite, -kInfinite}, {kNan, kInfinite, -kInfinite}), 0);
  for (const double wrong : {kNan, kInfinite, -kInfinite}) {
    EXPECT_EQ(close({1, wrong}, {1, 1}), 1) << wrong;
    EXPECT_EQ(close({1, 1}, {1, wrong}), 1) << wrong;
  }
  EXPECT_EQ(close({kInfinite}, {-kInfinite}), 1);
}

TEST(Verdict, IntegersAreEqualOneByOne) {
  EXPECT_EQ(equal({1, 2, 3}, {1, 2, 3}), 0);
  EXPECT_EQ(equal({1, 2, 3}, {1, 2, 4}), 1);
  EXPECT_EQ(equal({1, 2}, {1, 2, 3}), 1);
}

TEST(Verdict, OneWrongResultIsEnough) {
  const Options options("program", "purpose");
  Verdict verdict(options);
  verdict.holds("first", true);
  verdict.holds("second", false);
  verdict.holds("third", true);
  EXPECT_EQ(verdict.finish(), 1);
}

}  // namespace
}  // namespace kernels

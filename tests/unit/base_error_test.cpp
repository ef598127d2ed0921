#include <gtest/gtest.h>

#include "castor/base/error.h"

namespace castor::base::base_error_test {
namespace {

TEST(InputError, SaysPlaceTextAndHint) {
  const InputError error({"a.yaml", 12, 3}, "key sm.warps: 99 is out of range", "allowed: 1 to 64");
  EXPECT_STREQ(error.what(), "a.yaml:12:3: error key sm.warps: 99 is out of range (allowed: 1 to 64)");
  EXPECT_EQ(error.where().line, 12);
  EXPECT_EQ(error.message(), "key sm.warps: 99 is out of range");
  EXPECT_EQ(error.hint(), "allowed: 1 to 64");
}

TEST(InputError, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(InputError("no machine").what(), "error no machine");
  EXPECT_STREQ(InputError({"a.ptx", 7, 0}, "x").what(), "a.ptx:7: error x");
  EXPECT_STREQ(InputError({"command line", 0, 0}, "x", "y").what(), "command line: error x (y)");
}

TEST(Printable, EscapesAndCutsHostileText) {
  EXPECT_EQ(printable("a\nb\x1b[0m\"\\"), "a\\x0ab\\x1b[0m\\\"\\\\");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable(std::string(100, 'x'), 10), "xxxxxxxxxx...");
  EXPECT_EQ(printable("0123456789", 10), "0123456789");
}

TEST(Assertion, PassesWithoutEvaluatingTheMessage) {
  int evaluated = 0;
  const auto count = [&evaluated] { return ++evaluated; };
  CASTOR_ASSERT(true);
  CASTOR_ASSERT(count() == 1, "value %d", count());
  CASTOR_ASSERT_AT(5U, count() == 2, "value %d", count());
  EXPECT_EQ(evaluated, 2);
}

TEST(AssertionDeathTest, StopsWithConditionMessageAndCycle) {
  const int got = 3;
  EXPECT_DEATH(CASTOR_ASSERT(got == 4), "base_error_test.cpp:[0-9]+: Castor assertion failed: got == 4");
  EXPECT_DEATH(CASTOR_ASSERT(got == 4, "got %d of %s", got, "warps"), "got == 4: got 3 of warps");
  EXPECT_DEATH(CASTOR_ASSERT_AT(1234U, got == 4, "SM %d", 2), "got == 4 in cycle 1234: SM 2");
}

}  // namespace
}  // namespace castor::base::base_error_test

// Cases that end in every possible way, run by isolated_test.py.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <systemc>

namespace {

struct Counting : sc_core::sc_module {
  explicit Counting(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Counting);
    SC_METHOD(step);
  }
  void step() {
    ++steps;
    next_trigger(1, sc_core::SC_NS);
  }
  int steps = 0;
};

void elaborate_and_run() {
  Counting module("counting");
  sc_core::sc_start(9, sc_core::SC_NS);
  EXPECT_EQ(module.steps, 9);
}

int value = 0;

TEST(Good, ElaboratesOnce) { elaborate_and_run(); }
TEST(Good, ElaboratesAgain) { elaborate_and_run(); }
TEST(Good, SetsAGlobal) { EXPECT_EQ(value++, 0); }
TEST(Good, SeesAGlobalAsItWas) { EXPECT_EQ(value++, 0); }
TEST(Good, Skips) { GTEST_SKIP() << "not here"; }
TEST(Good, DISABLED_IsNotRun) { FAIL(); }

class Each : public testing::TestWithParam<int> {};
TEST_P(Each, IsBelowThree) { EXPECT_LT(GetParam(), 3); }
INSTANTIATE_TEST_SUITE_P(Few, Each, testing::Values(1, 2));

TEST(Bad, FailsItsAssertion) { EXPECT_EQ(1, 2) << "as it should"; }
TEST(Bad, Aborts) { std::abort(); }
TEST(Bad, Segfaults) { std::raise(SIGSEGV); }
TEST(Bad, LeavesWithoutAReport) { std::_Exit(0); }
TEST(Bad, LeavesWithACode) { std::_Exit(3); }
TEST(Bad, FailsAfterItsEnd) {
  static const struct Late {
    ~Late() { std::_Exit(5); }
  } late;
  (void)late;
}
TEST(Slow, WaitsForEver) {
  if (fork() == 0) {
    for (;;) pause();
  }
  for (;;) pause();
}
TEST(Slow, ComputesForEver) {
  for (volatile unsigned i = 0;; i = i + 1) {
  }
}

}  // namespace

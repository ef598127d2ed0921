// Tests of calls of plugged-in code: their exceptions, and their time limit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "castor/base/error.h"
#include "castor/base/running_call.h"

namespace castor::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr CallSite kSettle{"arbiter", "settle"};
constexpr CallSite kInner{"arbiter", "probes"};

TEST(CallNamed, GivesWhatTheCallGives) {
  int value = 3;
  EXPECT_EQ(&call_named(kSettle, 1, [&]() -> int& { return value; }), &value);
  call_named(kSettle, 1, [&] { value = 4; });
  EXPECT_EQ(value, 4);
}

TEST(CallNamed, NamesBlockFunctionAndCycle) {
  const auto call = [](auto&& throws) { return [throws] { call_named(kSettle, 77, throws); }; };
  EXPECT_THAT(call([] { throw std::out_of_range("index 9"); }),
              ThrowsMessage<Error>(AllOf(HasSubstr("block arbiter: settle of cycle 77"), HasSubstr("index 9"))));
  EXPECT_THAT(call([] { throw 3; }), ThrowsMessage<Error>(HasSubstr("block arbiter: settle of cycle 77")));
  EXPECT_THAT(call([] { throw Error("as it was"); }), ThrowsMessage<Error>(testing::StrEq("as it was")));
  EXPECT_THROW(call([] { throw InputError("a value"); })(), InputError) << "of its own type";
  EXPECT_EQ(detail::call_in_progress->site, nullptr) << "nothing is left marked";
}

/// Computes until `enough` holds.
template <class Enough>
void compute(const Enough& enough) {
  std::atomic<std::uint64_t> sum{0};
  while (!enough()) ++sum;
}

TEST(CallWatch, SeesACallThatDoesNotEnd) {
  std::atomic<bool> told{false};
  std::string text;
  const CallWatch watch(
      [&](const std::string& said) {
        text = said;
        told = true;
      },
      0.1);
  call_named(kSettle, 5, [&] { compute([&] { return told.load(); }); });
  EXPECT_EQ(text, "block arbiter: settle of cycle 5 has not returned after 0.1 s of CPU time");
}

TEST(CallWatch, CallsThatGoOnAreNone) {
  std::atomic<unsigned> told{0};
  const CallWatch watch([&](const std::string&) { ++told; }, 0.05);
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 2;
  call_named(kSettle, 5, [&] {
    while (std::clock() < end) call_named(kInner, 6, [] {});
  });
  compute([until = std::clock() + CLOCKS_PER_SEC / 5] { return std::clock() > until; });  // makes no call
  EXPECT_EQ(told, 0U);
}

}  // namespace
}  // namespace castor::base

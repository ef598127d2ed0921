// Tests of hooks that prevent all progress, or throw: the run ends with base::Error, which names their block.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "castor/base/error.h"
#include "castor/gpu/wait_graph.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::hook_watch_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kMachine = "kepler_k20c_study";
const std::vector<std::string> kShortWindow = {"watchdog.cycles=2000", "chip.sms=1"};

/// A hook of block "stubborn" that is clocked in every cycle.
template <class HookT>
class Stubborn : public HookT {
 public:
  [[nodiscard]] const char* block() const override { return "stubborn"; }
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle /*n*/) override {}
};

/// Issue policy that issues the oldest slot of each scheduler as long as `lets` returns true.
class Issue final : public Stubborn<IssuePolicyHook> {
 public:
  explicit Issue(std::function<bool(const IssueIn&)> lets) : lets_(std::move(lets)) {}
  const IssueOut& settle(const IssueIn& in) override {
    std::memset(out_.pick, -1, sizeof out_.pick);
    out_.barrier_ok = barrier_ok;
    for (unsigned w = 64; w-- > 0;) {
      if ((in.ready >> w & 1) != 0 && lets_(in)) out_.pick[w % 4][0] = static_cast<std::int8_t>(w);
    }
    return out_;
  }
  void clock(const IssueIn& /*in*/) override {}

  std::uint8_t barrier_ok = 0xff;

 private:
  std::function<bool(const IssueIn&)> lets_;
  IssueOut out_;
};

class Dispatch final : public Stubborn<DispatchPolicy> {
 public:
  const DispatchOut& settle(const DispatchIn& /*in*/) override { return out_; }
  void clock(const DispatchIn& /*in*/) override {}

 private:
  DispatchOut out_;
};

/// Runs 128 threads with a barrier.
void run(const Hooks& hooks, const std::vector<std::string>& overrides = kShortWindow) {
  Rig rig(kMachine, overrides, hooks);
  const Ticket ticket = rig.submit(rig.load("mov.u32 %r1, 1; bar.sync 0; ret;"), {}, {128});
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kDone);
}

/// Returns the message with which such a run ends.
std::string failure(const Hooks& hooks) {
  try {
    run(hooks);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

Hooks with(Issue& policy) {
  Hooks hooks;
  hooks.issue = {&policy};
  return hooks;
}

TEST(HookWatch, AnIssuePolicyThatGoesOnIsNotAccused) {
  Issue always([](const IssueIn& /*in*/) { return true; });
  run(with(always));
}

TEST(HookWatch, NorOneThatIsLateBeforeTwoWindowsAreOver) {
  Issue late([](const IssueIn& in) { return in.now % 3000 == 2999; });
  run(with(late));
}

TEST(HookWatch, OneThatPicksNobodyIs) {
  Issue never([](const IssueIn& in) { return in.now == 0; });
  EXPECT_THAT(failure(with(never)),
              MatchesRegex("block stubborn: core cycle [0-9]+, issue_policy of SM 0 has let no warp issue for 2000 "
                           "cycles .watchdog.cycles., although instructions of warps [0-3 ]+ are decoded.*"));
}

TEST(HookWatch, OneThatLetsNobodyPassABarrierIs) {
  Issue bars([](const IssueIn& /*in*/) { return true; });
  bars.barrier_ok = 0xf0;
  EXPECT_THAT(failure(with(bars)), HasSubstr("issue_policy of SM 0 has let no warp issue"));
}

TEST(HookWatch, ADispatchPolicyThatWakesUpAndPlacesNothingIs) {
  Dispatch nothing;
  Hooks hooks;
  hooks.dispatch = &nothing;
  EXPECT_THAT(failure(hooks), MatchesRegex("block stubborn: core cycle [0-9]+, hooks of the front end have woken it up "
                                           "for 2000 cycles(.|\n)*kernel(.|\n)*"));
}

TEST(HookWatch, AHookThatNeverAnswersAnAccessToItsRegistersIs) {
  class Silent final : public Stubborn<SmGovernor> {
   public:
    [[nodiscard]] int window() const override { return 7; }
    [[nodiscard]] Cycle quiet() const override { return kForever; }
    const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }
    void clock(const GovernIn& /*in*/) override {}
    void waits(WaitGraph& graph) const override { graph.say("counts sheep"); }

   private:
    GovernOut out_;
  } silent;
  Hooks hooks;
  hooks.governors = {&silent};
  Rig rig(kMachine, kShortWindow, hooks);
  EXPECT_EQ(rig.device->access_register({8, false, 0, 0}).error, RegisterError::kNoBlock);
  EXPECT_EQ(rig.device->refuses_registers(7), "");
  EXPECT_EQ(rig.device->refuses_registers(8), "register window 8 belongs to no block");
  try {
    static_cast<void>(rig.device->access_register({7, false, 4, 0}));
    FAIL() << "answered";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("read of register 0x70004 is not answered by the block that serves it\n"
                                        "governor0 (block stubborn): counts sheep\n"
                                        "governor0 (block stubborn): has not answered an access to its registers"));
  }
}

TEST(HookWatch, ADeadlockReportHasWhatHooksSay) {
  class Sleeping final : public Stubborn<DispatchPolicy> {
   public:
    [[nodiscard]] Cycle quiet() const override { return kForever; }
    const DispatchOut& settle(const DispatchIn& /*in*/) override { return out_; }
    void clock(const DispatchIn& /*in*/) override {}
    void waits(WaitGraph& graph) const override {
      EXPECT_EQ(graph.kernel(31), "entry 31");
      graph.say("sleeps while " + graph.kernel(0) + " waits");
      graph.add(graph.kernel(0), "the sleeper");
      graph.add("the sleeper", graph.kernel(0));
    }

   private:
    DispatchOut out_;
  } sleeping;
  Hooks hooks;
  hooks.dispatch = &sleeping;
  Rig rig(kMachine, kShortWindow, hooks);
  EXPECT_EQ(rig.device->advance_until(rig.submit(rig.load("ret;"), {}, {32})), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("\ndispatch_policy (block stubborn): sleeps while kernel k of entry 0 waits\n"));
  EXPECT_THAT(text, HasSubstr("cycle: kernel k of entry 0 -> the sleeper -> kernel k of entry 0\n"));
}

TEST(HookWatch, WhatAHookThrowsArrives) {
  Issue throws([](const IssueIn& in) -> bool {
    if (in.now > 0) throw std::out_of_range("index 64");
    return true;
  });
  EXPECT_THAT(failure(with(throws)), HasSubstr("index 64"));
}

TEST(HookWatch, APickThatIsNotReadyIsTheBlocksFault) {
  class Wrong final : public Stubborn<IssuePolicyHook> {
   public:
    const IssueOut& settle(const IssueIn& in) override {
      std::memset(out_.pick, -1, sizeof out_.pick);
      if (in.ready != 0) out_.pick[0][0] = 60;
      return out_;
    }
    void clock(const IssueIn& /*in*/) override {}

   private:
    IssueOut out_;
  } wrong;
  Hooks hooks;
  hooks.issue = {&wrong};
  EXPECT_THAT(failure(hooks), HasSubstr("block stubborn: core cycle"));
}

}  // namespace
}  // namespace castor::gpu::timing_test::hook_watch_test

// Tests of a governor's inputs about the next thread block to be placed (GovernIn::fits_head, `waiting`), under the
// built-in dispatch policy and under the policy of each block.

#include "tests/unit/gpu_launch_group_support.h"

namespace castor::gpu::launch_test::fits_head {
namespace {

constexpr unsigned kSms = 3;

/// Compares the policy's `fits_head` output with the ledger and the placements of each cycle.
class Watcher final : public ClockedHook<GovernIn, GovernOut> {
 public:
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle /*n*/) override {}
  const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }
  void clock(const GovernIn& in) override {
    const SmMask all((1U << kSms) - 1);
    if (!in.waiting) {
      ++nothing_waits;
      EXPECT_EQ(in.fits_head & all, all) << "nothing waits in cycle " << in.now;
    }
    if (in.ev.placed) {
      ++placed;
      EXPECT_TRUE(late != 0 || in.fits_head[in.ev.placed->sm])
          << "SM " << in.ev.placed->sm << " got a TB in cycle " << in.now;
    }
    compare_full(in);
    shown_ = in.fits_head;
    chosen_ = in.ready && in.waiting;
    placed_on_ = in.ev.placed ? static_cast<int>(in.ev.placed->sm) : -1;
  }

  unsigned slots = 0;  ///< TB slots of an SM
  unsigned late = 0;   ///< most cycles by which a policy's output may lag behind the free resources of an SM
  std::uint64_t nothing_waits = 0, placed = 0, full = 0;

 private:
  /// Compares the output of the previous cycle with the load, which is also that of the previous cycle.
  void compare_full(const GovernIn& in) {
    for (unsigned sm = 0; sm < kSms; ++sm) {
      if (!chosen_ || placed_on_ == static_cast<int>(sm) || in.load[sm].in_flight || in.load[sm].tbs < slots) {
        wrong_for_[sm] = 0;
        continue;
      }
      ++full;
      wrong_for_[sm] = shown_[sm] ? wrong_for_[sm] + 1 : 0;
      EXPECT_LE(wrong_for_[sm], late) << "SM " << sm << " was full before cycle " << in.now;
    }
  }

  GovernOut out_;
  SmMask shown_;                   // fits_head of the previous cycle
  bool chosen_ = false;            // in the previous cycle a TB waited and the policy had selected one
  int placed_on_ = -1;             // SM that got a TB in the previous cycle; -1: none
  unsigned wrong_for_[kSms] = {};  // cycles
};

/// Runs a kernel with three times as many TBs as fit, twice. `threads`: threads per warp.
void check(const std::string& machine, const std::string& block, unsigned threads = 32, unsigned late = 0) {
  std::vector<std::string> overrides = {"chip.sms=" + std::to_string(kSms)};
  if (!block.empty()) overrides.push_back("blocks." + block + ".enable=1");
  const std::string work = kernel("fill", spend("900", "L") + word("%rd1", "%r2") + add("%rd1", "1"));
  const auto run = [&]() -> std::string {
    Watcher watcher;
    GroupTimed timed(machine, overrides, work, false, false, &watcher);
    watcher.slots = timed.loaded.machine.sm.tb_slots;
    watcher.late = late;
    const unsigned tbs = 3 * kSms * watcher.slots;
    const std::uint64_t out = timed.host.words(tbs);
    for (unsigned i = 0; i < 2; ++i) {
      if (timed.host.run("fill", out, 1, tbs, threads) != Outcome::kDone) return timed.host.said();
    }
    if (testing::Test::HasFailure()) return "wrong";
    if (watcher.placed != 2 * std::uint64_t{tbs}) return "placements are missing";
    return watcher.nothing_waits == 0 || watcher.full == 0 ? "nothing was seen" : "right";
  };
  EXPECT_EQ(in_process(run), "right") << machine << " " << block;
}

TEST(FitsHead, OfTheBuiltInPolicy) { check("kepler_ideal", ""); }
TEST(FitsHead, OfDtbl) { check("kepler_ideal", "dtbl"); }
// LaPerm examines one SM per cycle and outputs the last result for each SM (docs/blocks/laperm.md).
TEST(FitsHead, OfLaperm) { check("kepler_ideal", "laperm", 32, kSms + 2); }
TEST(FitsHead, OfLax) { check("gcn_apu", "lax", 64); }

}  // namespace
}  // namespace castor::gpu::launch_test::fits_head

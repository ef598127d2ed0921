// Tests of swapped thread blocks together with a governor that keeps closing SMs and gating their clocks
// (docs/gpu/moving.md, "Hooks").

#include "castor/base/hash.h"
#include "tests/unit/gpu_moved_programs.h"

namespace castor::gpu::launch_test::moved_governor {
namespace {

constexpr unsigned kSms = 4;
constexpr Cycle kPeriod = 50;

/// A governor that changes the closed SMs and the SMs without clock every kPeriod cycles. It adds up its inputs of each
/// cycle.
class Restless final : public ClockedHook<GovernIn, GovernOut> {
 public:
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override {
    const Cycle since = edges_ % kPeriod;
    return since == 0 ? 0 : kPeriod - 1 - since;
  }
  void idle(Cycle n) override {
    edges_ += n;
    add(n);
  }
  const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }
  void clock(const GovernIn& in) override {
    fits_ = (in.fits_head & SmMask((1U << kSms) - 1)).count();
    tbs_ = 0;
    for (unsigned sm = 0; sm < kSms; ++sm) tbs_ += in.load[sm].tbs;
    waits_ = in.waiting ? 1 : 0;
    placed += in.ev.placed ? 1 : 0;
    retired += in.ev.retired.size;
    add(1);
    if (++edges_ % kPeriod != 0) return;
    const std::uint64_t drawn = base::mix(edges_);
    out_.open = SmMask(drawn % ((1U << kSms) - 1) + 1);
    out_.clock_enable = SmMask((drawn >> 20U) % ((1U << kSms) - 1) + 1);
  }

  std::uint64_t placed = 0, retired = 0;
  [[nodiscard]] std::string seen() const {
    return std::to_string(sum_) + " in " + std::to_string(edges_) + ", " + std::to_string(placed) + " placed, " +
           std::to_string(retired) + " retired";
  }

 private:
  void add(Cycle n) { sum_ += n * (fits_ + 10 * tbs_ + 1000 * waits_); }

  GovernOut out_;
  Cycle edges_ = 0;
  std::uint64_t fits_ = 0, tbs_ = 0, waits_ = 0, sum_ = 0;
};

std::string run(const std::vector<std::string>& overrides) {
  std::vector<std::string> keys = {"chip.sms=" + std::to_string(kSms)};
  keys.insert(keys.end(), overrides.begin(), overrides.end());
  return in_process([&]() -> std::string {
    constexpr unsigned kBlocks = 60;
    Restless governor;
    GroupTimed timed("kepler_ideal", keys, kMeet, false, false, &governor);
    timed.blocks_leave = true;
    const std::uint64_t out = timed.host.words(kBlocks * 128);
    if (timed.host.run("meet", out, 0, kBlocks, 128) != Outcome::kDone) return timed.host.said();
    if (const std::string wrong = met(timed.host.values(out, kBlocks * 128)); !wrong.empty()) return wrong;
    if (governor.placed != kBlocks || governor.retired != kBlocks) return "seen otherwise: " + governor.seen();
    const std::uint64_t wait = timed.statistic("total.barrier_wait");
    if (wait > 20ULL * kBlocks * timed.device.gpu().now()) return "barriers waited " + std::to_string(wait);
    std::uint64_t again = 0;
    for (const auto& [ticket, of] : timed.events.all.kernels) again += of.started - of.tbs;
    // `left` lets the device run on.
    const std::string seen = "again " + std::to_string(again != 0) + ", " + governor.seen() + ", statistics " +
                             std::to_string(timed.device.gpu().statistics().hash());
    return timed.left() + seen;
  });
}

TEST(MovedBesideAGovernor, SleepingAndOrderOfUnitsChangeNothing) {
  const std::string still = run({});
  EXPECT_EQ(still.substr(0, 7), "again 0") << still;
  EXPECT_EQ(run({"run.sleep=0"}), still);
  for (const char* const random : {"context.random=1", "context.random=2"}) {
    const std::string first = run({random});
    EXPECT_EQ(first.substr(0, 7), "again 1") << first;
    EXPECT_EQ(run({random, "run.sleep=0"}), first);
    EXPECT_EQ(run({random, "run.shuffle=1"}), first);
  }
}

// Parents fill the machine and wait for their children. If the parents were not swapped out, the children would never
// run.
TEST(MovedBesideAGovernor, ParentsThatWaitMakeRoomForTheirChildren) {
  const std::string text =
      kCount + kernel("parent", "mad.lo.u32 %r3, %r2, 32, %r1;\n" + arguments("%rd4", "%rd0", "%r3") +
                                    launch("%r4", "count", "%rd4") + synchronize("%r6") + word("%rd5", "%r3") +
                                    "ld.volatile.global.u32 %r8, [%rd5];\nst.global.u32 [%rd5+4096], %r8;");
  EXPECT_EQ(in_process([&]() -> std::string {
              Restless governor;
              GroupTimed timed("kepler_ideal", {"chip.sms=4", "sm.tb_slots=1", "sm.tb_contexts=1"}, text, false, false,
                               &governor);
              timed.blocks_leave = true;
              const std::uint64_t out = timed.host.words(2048);
              if (timed.host.run("parent", out, 0, 8, 32) != Outcome::kDone) return timed.host.said();
              const bool right = timed.host.values(out + 4096, 256) == std::vector<std::uint32_t>(256, 1);
              return timed.left() + (right ? "right" : "wrong");
            }),
            "right");
}

}  // namespace
}  // namespace castor::gpu::launch_test::moved_governor

// Reset, the start of kernels, and the hardware without SAWS.

#include <sstream>

#include "castor/base/rng.h"
#include "unit/saws/engine_support.h"

namespace castor::saws::test::engine_reset_test {
namespace {

/// Makes every register differ from its reset value: CTAs, warps that exited or wait, greedy warps or promotions,
/// messages that wait, an error.
void make_busy(Bench& b) {
  b.place(0, 0x00f).step();
  b.place(1, 0x0f0).step();
  b.place(2, 0xf00).step();
  b.ready(0xff0).acknowledge(3).step();
  b.block(8).steps(4);
  b.exit(1).block(0).step();
  b.block(5).step();
  b.block(4).block(7).place(1, 1).step();
}

void expect_reset(Bench& b, unsigned mode_sel, bool toggle, unsigned schedulers) {
  const Probes p = b.engine.probes();
  const bool always = mode_sel == 2;
  EXPECT_EQ(p.mode, always ? Mode::kSaws : Mode::kGto);
  EXPECT_EQ(p.selected, mode_sel);
  EXPECT_EQ(p.toggling, toggle ? 1 : 0);
  EXPECT_EQ(p.turn, 0);
  EXPECT_EQ(p.cta_used, 0U);
  EXPECT_EQ(p.toggle, 7U);
  EXPECT_TRUE(p.allocated.none());
  EXPECT_TRUE(p.live.none());
  EXPECT_TRUE(p.blocked.none());
  EXPECT_EQ(p.warp_cta, PerWarp{});
  EXPECT_EQ(p.position, PerWarp{});
  EXPECT_EQ(p.greedy, 0);
  EXPECT_EQ(p.length, Indices{});
  EXPECT_EQ(p.waiting, Indices{});
  for (unsigned s = 0; s < kMaxSchedulers; ++s) EXPECT_EQ(p.pointer[s], s < schedulers && always ? 1 : 0);
  const Outputs& out = b.ready(0xfff).look();
  EXPECT_EQ(out.wev_ready, twin::mask(schedulers));
  EXPECT_EQ(out.issue_valid, 0);
  EXPECT_EQ(out.issue_idx, Indices{});
  EXPECT_EQ(out.mode_saws, always ? 1 : 0);
  EXPECT_EQ(out.err, 0);
}

TEST(SawsReset, ConstructionAndResetArePlainGtoWithToggling) {
  Bench b(small());
  expect_reset(b, 0, true, 2);
  b.start(kAlways, false).step();
  make_busy(b);
  b.engine.reset();
  expect_reset(b, 0, true, 2);
  EXPECT_EQ(b.engine.state(), Engine(small()).state());
}

TEST(SawsReset, KernelStartForgetsEverything) {
  for (const unsigned before : {0U, 1U, 2U}) {
    for (const unsigned mode_sel : {0U, 1U, 2U, 3U}) {
      for (const bool toggle : {false, true}) {
        SCOPED_TRACE(mode_sel);
        Bench b(small());
        b.start(before).step();
        make_busy(b);
        EXPECT_NE(b.look().err, 0);
        if (before != 0) {
          EXPECT_EQ(b.look().mode_saws, 1);
          EXPECT_GT(b.engine.probes().waiting[0] + b.engine.probes().waiting[1], 0);
        }
        b.start(mode_sel, toggle).step();
        expect_reset(b, mode_sel, toggle, 2);
      }
    }
  }
}

TEST(SawsReset, KernelStartIgnoresAllElseInItsCycle) {
  for (unsigned other = 0; other < 6; ++other) {
    SCOPED_TRACE(other);
    Bench b(small());
    b.start(kAuto).step();
    make_busy(b);
    b.ready(0xfff).start(kAuto, false);
    switch (other) {
      case 0:
        b.place(2, 0xf00);
        break;
      case 1:
        b.release(0);
        break;
      case 2:
        b.block(2).block(11);
        break;
      case 3:
        b.exit(2).exit(5);
        break;
      case 4:
        b.unblock({0, 5});
        break;
      default:
        b.acknowledge(3);
        break;
    }
    b.step();
    expect_reset(b, 1, false, 2);
  }
}

TEST(SawsReset, ModeThreeIsModeOne) {
  Bench b(small());
  b.start(3).step();
  b.place(0, 0xf).step();
  b.place(1, 0xf0).step();
  EXPECT_EQ(b.look().mode_saws, 0);
  b.block(4).steps(2);
  EXPECT_EQ(b.look().mode_saws, 1);
}

TEST(SawsReset, WithinAKernelThereIsNoWayBackToGto) {
  Bench b(small());
  b.start(kAuto).step();
  make_busy(b);
  EXPECT_EQ(b.look().mode_saws, 1);
  for (unsigned cta = 0; cta < 3; ++cta) b.release(cta).step();
  b.steps(10);
  EXPECT_EQ(b.look().mode_saws, 1);
}

TEST(SawsReset, AlwaysStartsInSawsByAge) {
  Bench b(small());
  b.start(kAlways).step();
  EXPECT_EQ(b.look().mode_saws, 1);
  b.place(2, 0xf00).step();
  b.place(0, 0x00f).step();
  EXPECT_EQ(b.order(0), "2 0 (1)");
}

/// Without SAWS hardware, and with it under mode_sel GTO: the same outputs whatever happens.
TEST(SawsReset, HardwareWithoutSawsIsTheSameGto) {
  Bench with(params(4, 64, 32, 1));
  Bench without(params(4, 64, 32, 1, 1, 0, 0, 0));
  base::Xoshiro256 random(5);
  with.start(kGtoOnly).step();
  without.start(kAlways).step();
  EXPECT_EQ(without.look().mode_saws, 0);
  unsigned picks = 0, errors = 0;
  for (unsigned cycle = 0; cycle < 50'000; ++cycle) {
    Inputs in;
    in.w_ready = WarpBits(random() & random());
    in.issue_ack = static_cast<U8>(random.below(16));
    if (random.below(8) == 0) {
      in.cta_valid = 1;
      in.cta_id = static_cast<U8>(random.below(32));
      in.cta_free = static_cast<U8>(random.below(2));
      in.cta_wmask = WarpBits(std::uint64_t{0xff} << random.below(57));
    }
    in.wev_valid = static_cast<U8>(random.below(16) & random.below(16));
    in.wev_exit = static_cast<U8>(random.below(16) & random.below(16) & random.below(16));
    for (unsigned s = 0; s < 4; ++s) in.wev_idx[s] = static_cast<U8>(random.below(16));
    if (random.below(3) == 0) in.unblock = WarpBits(random());
    const Outputs& a = with.engine.settle(in);
    const Outputs& b = without.engine.settle(in);
    ASSERT_EQ(a.issue_valid, b.issue_valid) << cycle;
    ASSERT_EQ(a.issue_idx, b.issue_idx) << cycle;
    ASSERT_EQ(a.wev_ready, b.wev_ready) << cycle;
    ASSERT_EQ(a.mode_saws, b.mode_saws) << cycle;
    ASSERT_EQ(a.err, b.err) << cycle;
    picks += a.issue_valid != 0 ? 1 : 0;
    errors |= a.err;
    with.engine.clock(in);
    without.engine.clock(in);
  }
  EXPECT_GT(picks, 10'000U);
  EXPECT_EQ(errors, unsigned(kErrorCta | kErrorTwice));
  const Probes p = without.engine.probes();  // probes of registers that this set does not have
  EXPECT_EQ(p.selected, 0);
  EXPECT_EQ(p.toggling, 1);
  EXPECT_EQ(p.turn, 0);
  EXPECT_EQ(p.toggle, 0xffff'ffffU);
  EXPECT_EQ(p.waiting, Indices{});
}

TEST(SawsReset, StateIsPrintable) {
  Bench b(small());
  b.start(kAlways).step();
  b.place(0, 0x00f).step();
  b.place(1, 0x0f0).step();
  b.block(4).step();
  std::ostringstream out;
  out << b.engine.state();
  EXPECT_NE(out.str().find("scheduler 0: C0 C1 (1); waiting C1 hit"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("scheduler 1: C0 C1 (1)"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace castor::saws::test::engine_reset_test

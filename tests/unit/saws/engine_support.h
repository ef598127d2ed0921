#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "castor/saws/engine.h"

/// A bench for the warp scheduler: inputs of the current cycle, one call per cycle, and orders as text.
namespace castor::saws::test {

enum : unsigned { kGtoOnly = 0, kAuto = 1, kAlways = 2 };

/// NumSched, NumWarps, MaxCta, EvqDepth, and the four options.
inline Params params(unsigned schedulers, unsigned warps, unsigned ctas, unsigned depth, unsigned floor = 1,
                     unsigned by_age = 0, unsigned at_first_hit = 0, unsigned enabled = 1) {
  return Params{schedulers, warps, ctas, depth, floor, by_age, at_first_hit, enabled};
}

/// Two schedulers, three CTAs of four warps: C0 = warps 0 to 3, C1 = 4 to 7, C2 = 8 to 11; even warps on scheduler 0.
inline Params small(unsigned floor = 1) { return params(2, 12, 3, 4, floor); }

inline std::uint64_t warp_mask(std::initializer_list<unsigned> warps) {
  std::uint64_t mask = 0;
  for (const unsigned w : warps) mask |= std::uint64_t{1} << w;
  return mask;
}

class Bench {
 public:
  explicit Bench(const Params& p) : engine(p) {}

  Engine engine;
  Inputs in;            // inputs of the current cycle; each step resets the events to 0
  int cycle = 0;        // number of the current cycle
  unsigned errors = 0;  // error bits since the last `take_errors`

  // Sets inputs of the current cycle.
  Bench& start(unsigned mode_sel, bool toggle = true) {
    in.kernel_start = 1;
    in.mode_sel = static_cast<U8>(mode_sel);
    in.toggle_en = toggle ? 1 : 0;
    return *this;
  }
  Bench& place(unsigned cta, std::uint64_t warps) {
    in.cta_valid = 1;
    in.cta_free = 0;
    in.cta_id = static_cast<U8>(cta);
    in.cta_wmask = WarpBits(warps);
    return *this;
  }
  Bench& release(unsigned cta) {
    in.cta_valid = in.cta_free = 1;
    in.cta_id = static_cast<U8>(cta);
    return *this;
  }
  Bench& block(unsigned warp) { return event(warp, false); }
  Bench& exit(unsigned warp) { return event(warp, true); }
  Bench& unblock(std::initializer_list<unsigned> warps) {
    in.unblock = WarpBits(warp_mask(warps));
    return *this;
  }
  Bench& ready(std::uint64_t warps) {
    in.w_ready = WarpBits(warps);
    return *this;
  }
  /// Acknowledges the picked warps of these schedulers as issued.
  Bench& acknowledge(unsigned schedulers) {
    in.issue_ack = static_cast<U8>(schedulers);
    return *this;
  }

  const Outputs& look() { return engine.settle(in); }

  /// Ends the cycle.
  Bench& step() {
    look();
    engine.clock(in);
    ++cycle;
    const WarpBits held = in.w_ready;
    in = {};
    in.w_ready = held;
    errors |= look().err;
    return *this;
  }
  Bench& steps(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
    return *this;
  }
  /// Runs cycles without events until cycle `number` begins.
  Bench& until(int number) {
    while (cycle < number) step();
    return *this;
  }
  /// Returns the bits of `err` that were set since the last call, including this cycle.
  unsigned take_errors() {
    const unsigned all = errors;
    errors = 0;
    return all;
  }

  /// Returns the CTA slots of a scheduler's list in order of priority, and its promotion register, such as "1 0 2 (1)".
  /// Both are derived from the probes, which hold the position of each warp.
  [[nodiscard]] std::string order(unsigned scheduler) const {
    const Probes probes = engine.probes();
    return ctas(scheduler) + " (" + std::to_string(probes.pointer[scheduler]) + ")";
  }
  [[nodiscard]] std::string ctas(unsigned scheduler) const {
    const Probes probes = engine.probes();
    const Params& p = engine.params();
    std::string text;
    for (unsigned position = 0; position < probes.length[scheduler]; ++position) {
      int found = -1;
      for (unsigned w = scheduler; w < p.NumWarps; w += p.NumSched) {
        if (!probes.allocated[w] || probes.position[w] != position) continue;
        if (found < 0) found = probes.warp_cta[w];
        EXPECT_EQ(found, probes.warp_cta[w]) << "two CTAs at position " << position;
      }
      EXPECT_GE(found, 0) << "nothing at position " << position;
      text += (text.empty() ? "" : " ") + std::to_string(found);
    }
    return text;
  }
  /// Returns the hardware warp that a scheduler outputs; -1 if none.
  [[nodiscard]] int shown(unsigned scheduler) {
    const Outputs& out = look();
    if ((out.issue_valid >> scheduler & 1U) == 0) {
      EXPECT_EQ(out.issue_idx[scheduler], 0) << "payload without valid";
      return -1;
    }
    return static_cast<int>(out.issue_idx[scheduler] * engine.params().NumSched + scheduler);
  }

 private:
  Bench& event(unsigned warp, bool exits) {
    const unsigned s = warp % engine.params().NumSched;
    EXPECT_EQ(in.wev_valid >> s & 1U, 0U) << "one event per scheduler and cycle";
    in.wev_valid |= static_cast<U8>(1U << s);
    if (exits) in.wev_exit |= static_cast<U8>(1U << s);
    in.wev_idx[s] = static_cast<U8>(warp / engine.params().NumSched);
    return *this;
  }
};

}  // namespace castor::saws::test

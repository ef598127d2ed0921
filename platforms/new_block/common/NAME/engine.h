#pragma once

#include "@NAME@/ports.h"

namespace blocks::@NAME@ {

/// The cycle model: picks what is offered, and remembers what was taken.
class Engine {
 public:
  explicit Engine(const Params& params) : params_(params) {
    params_.check();
    reset();
  }

  /// What the block shows in this cycle. May come several times; changes nothing that can be seen later.
  const Outputs& settle(const Inputs& in) {
    out_.pick_valid = in.offer_valid;
    for (unsigned lane = 0; lane < params_.NumLanes; ++lane) {
      out_.pick[lane] = (in.offer_valid >> lane & 1) != 0 ? in.offer[lane] : 0;
    }
    return out_;
  }

  /// The edge that ends the cycle.
  void clock(const Inputs& in) {
    const U32 taken = in.taken & in.offer_valid;
    if (taken == 0) return;
    ++count_;
    last_ = in.offer[static_cast<unsigned>(__builtin_ctz(taken))];
  }

  void reset() {
    out_ = {};
    count_ = 0;
    last_ = 0;
  }

  /// Coming edges without events that change no output: all of them, as nothing happens by itself.
  [[nodiscard]] twin::Cycle quiet() const { return castor::base::kForever; }
  void idle(twin::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const { return {count_, last_}; }

 private:
  Params params_;
  Outputs out_;
  U8 count_ = 0;
  U64 last_ = 0;
};

}  // namespace blocks::@NAME@

#pragma once

#include "castor/base/time.h"
#include "castor/dtbl/params.h"
#include "castor/dtbl/ports.h"
#include "castor/dtbl/state.h"

namespace castor::dtbl {

/// Dynamic thread block launch as a cycle model: groups of thread blocks that threads launch attach to a resident
/// kernel of the same code and shape, and are distributed with its thread blocks (docs/blocks/dtbl.md, "Theory of
/// operation"; Wang 2016, chapter 4).
///
/// One cycle is `settle`, which gives its outputs, then `clock`, its rising edge. Outputs are functions of registers
/// alone, but agg_ready (of agg_*, fb_ready), launch_hold (of agg_*, key_*) and pl_* (of fits). `clock` may
/// see events that `settle` did not.
///
/// Timing: a search looks at one kernel entry per cycle; a beat taken in c is shown as attachment or fallback in c + 1;
/// what
/// attaches, or is pushed, while nothing is distributed is offered a cycle later.
///
/// Cost: settle and clock of a cycle without events are a few compares. Deterministic; nothing is allocated after
/// construction. Limits: groups and kernel entries pushed that do not exist are the caller's error.
class Engine {
 public:
  using Params = dtbl::Params;
  using Inputs = dtbl::Inputs;
  using Outputs = dtbl::Outputs;
  using Probes = dtbl::Probes;

  /// Starts in reset. Throws InputError on parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in) {
    if (in.agg_valid != 0 || beat_shown_) settle_beat(in);
    if (dispatch_.st == DispatchState::kRun && in.fits.test(dispatch_.kd) != offer_shown_) settle_offer();
    return out_;
  }
  /// The rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// The state after reset was held: empty tables.
  void reset();

  /// Number of idle edges (events 0, levels as last clocked) that surely change no output: kForever, or 0 if the state
  /// may move by itself or a request to memory is shown.
  [[nodiscard]] base::Cycle quiet() const {
    if (launch_.cq_valid || launch_.rel_valid || (launch_.err | dispatch_.err) != 0) return 0;
    if (launch_.o.valid && (!launch_.o.fallback || fb_ready_)) return 0;
    return dispatch_.st == DispatchState::kReq || dispatch_.lw_valid ? 0 : base::kForever;
  }
  /// Leaves exactly the state of `n` idle edges, n <= quiet(): the one that it is in.
  void idle(base::Cycle /*n*/) {}

  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] const Dispatch& dispatch() const { return dispatch_; }
  [[nodiscard]] Probes probes() const;

  /// Where the distribution stands in the item in hand, set from outside: for tests of items that are too large to be
  /// gone through.
  void set_position(Dim next, U32 pos) {
    dispatch_.od = next;
    dispatch_.pos = pos;
    show_dispatch();
  }

 private:
  /// What the item in hand says of itself.
  struct Item {
    Dim dim;           // thread blocks
    U32 param = 0;     // address of its parameters / 16; 0 of native ones
    U32 next = kNone;  // group behind it in the pool
  };

  // Launch half (launch.cpp).
  [[nodiscard]] bool matches(const Inputs& in) const {
    return launch_.st == LaunchState::kSearch && in.agg_valid != 0 && in.key_valid != 0 && in.key_rd == in.agg_key;
  }
  [[nodiscard]] U16 age_of(const Inputs& in) const;
  [[nodiscard]] bool taken(const Inputs& in) const {
    return launch_.o.valid && (launch_.o.fallback ? in.fb_ready != 0 : !dispatch_.lw_valid);
  }
  [[nodiscard]] bool accepts(const Inputs& in) const;
  void settle_beat(const Inputs& in);
  void clock_launch(const Inputs& in);
  void step_count();
  void step_search(const Inputs& in, bool match);
  void step_accept(const Inputs& in, bool entry_free);
  void step_completion(const Inputs& in);
  void show_launch();

  // Dispatch half (dispatch.cpp).
  [[nodiscard]] static bool off_chip(U32 agei) { return agei != kNone && (agei & kOffChip) != 0; }
  [[nodiscard]] U16 age(U32 agei) const { return static_cast<U16>(agei & (params_.AgtSize - 1)); }
  [[nodiscard]] Item item() const;
  [[nodiscard]] bool reads() const {
    return dispatch_.st == DispatchState::kReq && (dispatch_.ro || !dispatch_.lw_valid);
  }
  void settle_offer();
  /// What comes into the pools in this cycle.
  struct Push {
    bool valid = false;
    bool group = false;  // a group attaches; else a kernel is pushed
    U8 kd = 0;           // kernel entry
    U32 agei = kNone;    // the group
    U32 param = 0;       // address of its parameters / 16
    U64 dim = 0;         // thread blocks: {z 16, y 16, x 32}
  };
  [[nodiscard]] Push pushed(const Inputs& in) const;
  void clock_dispatch(const Inputs& in, const Push& push);
  void step_memory(const Inputs& in);
  void step_reply(const Inputs& in);
  void step_place();
  void step_push(const Push& push);
  void step_next();
  void mark(U8 kd, bool first);
  void select(U8 kd, U32 agei);
  void show_dispatch();
  void show_ready();

  Params params_;
  Launch launch_;
  Dispatch dispatch_;
  Outputs out_;
  bool beat_shown_ = false;   // out_ has agg_ready, or launch_hold of a match
  bool offer_shown_ = false;  // out_ has pl_*
  bool fb_ready_ = false;     // of the last edge
};

}  // namespace castor::dtbl

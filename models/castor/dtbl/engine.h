#pragma once

#include "castor/base/time.h"
#include "castor/dtbl/params.h"
#include "castor/dtbl/ports.h"
#include "castor/dtbl/state.h"

namespace castor::dtbl {

/// Dynamic thread block launch as a cycle model. Threads launch groups of thread blocks. A group attaches to a resident
/// kernel of the same code and shape, and its thread blocks are distributed with those of the kernel
/// (docs/blocks/dtbl.md, "Theory of operation"; Wang 2016, chapter 4).
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except agg_ready (of agg_*, fb_ready), launch_hold (of agg_*, key_*) and pl_* (of
/// fits). `clock` may receive events that `settle` did not.
///
/// Timing: a search examines one kernel entry per cycle. A beat accepted in cycle c is shown as attachment or fallback
/// in c + 1. A group or kernel that arrives while nothing is distributed is offered one cycle later.
///
/// Cost: in a cycle without events, settle and clock cost a few comparisons. Deterministic; no allocation after
/// construction. Limits: the caller must not push groups or kernel entries that do not exist.
class Engine {
 public:
  using Params = dtbl::Params;
  using Inputs = dtbl::Inputs;
  using Outputs = dtbl::Outputs;
  using Probes = dtbl::Probes;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in) {
    if (in.agg_valid != 0 || beat_shown_) settle_beat(in);
    if (dispatch_.st == DispatchState::kRun && in.fits.test(dispatch_.kd) != offer_presented_) settle_offer();
    return out_;
  }
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: empty tables.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output: 0 if an idle edge may
  /// change state or a memory request is shown, else kForever.
  [[nodiscard]] base::Cycle quiet() const {
    if (launch_.cq_valid || launch_.rel_valid || (launch_.err | dispatch_.err) != 0) return 0;
    if (launch_.o.valid && (!launch_.o.fallback || fb_ready_)) return 0;
    return dispatch_.st == DispatchState::kReq || dispatch_.lw_valid ? 0 : base::kForever;
  }
  /// Applies `n` idle edges, n <= quiet(); they change no state.
  void idle(base::Cycle /*n*/) {}

  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] const Dispatch& dispatch() const { return dispatch_; }
  [[nodiscard]] Probes probes() const;

  /// Sets the position of the distribution in the current item. For tests of items that are too large to step through.
  void set_position(Dim next, U32 pos) {
    dispatch_.od = next;
    dispatch_.pos = pos;
    show_dispatch();
  }

 private:
  /// Description of the current item: native thread blocks of a kernel, or a group.
  struct Item {
    Dim dim;           // thread blocks per dimension
    U32 param = 0;     // address of the parameters / 16; 0 for native thread blocks
    U32 next = kNone;  // next group in the pool
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
  /// Kernel or group that enters the pools in this cycle.
  struct Push {
    bool valid = false;
    bool group = false;  // a group attaches; else a kernel is pushed
    U8 kd = 0;           // kernel entry
    U32 agei = kNone;    // reference to the group
    U32 param = 0;       // address of the group's parameters / 16
    U64 dim = 0;         // thread blocks per dimension: {z 16, y 16, x 32}
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
  bool beat_shown_ = false;       // out_ holds agg_ready, or launch_hold of a match
  bool offer_presented_ = false;  // out_ holds pl_*
  bool fb_ready_ = false;         // fb_ready at the last edge
};

}  // namespace castor::dtbl

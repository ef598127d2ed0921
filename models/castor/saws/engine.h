#pragma once

#include <array>

#include "castor/base/time.h"
#include "castor/saws/params.h"
#include "castor/saws/ports.h"
#include "castor/saws/state.h"

namespace castor::saws {

/// The warp schedulers of an SM as a cycle model. They pick greedy-then-oldest (GTO), and from the first barrier of a
/// kernel on SAWS. Under SAWS, a scheduler notifies the others when a thread block (CTA) is the first to reach a
/// barrier there (docs/blocks/saws.md, "Theory of operation").
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except issue_*, which also depend on w_ready of the same cycle. `clock` may receive
/// events and acknowledges that `settle` did not.
///
/// Timing (docs/blocks/saws.md, "Cycle"): a warp event enters its queue at its edge. If no other message waits in the
/// block, the message acts at the next edge, or one edge later if it is the kernel's first. A placed or freed CTA
/// changes the order at its edge.
///
/// Deterministic; no allocation after construction. Limits: the SM tracks which warps wait at which barrier and when it
/// completes; one pick per scheduler and cycle.
class Engine {
 public:
  using Params = saws::Params;
  using Inputs = saws::Inputs;
  using Outputs = saws::Outputs;
  using Probes = saws::Probes;
  using State = saws::State;

  static constexpr unsigned kNoWarp = 64;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register. Cost: a comparison if neither
  /// w_ready nor the order has changed since the last call; otherwise only the affected schedulers pick again.
  const Outputs& settle(const Inputs& in);
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: plain GTO until the first kernel_start.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output. It is 0 while a message
  /// waits or `err` is not 0, else kForever, since the block has no timers.
  [[nodiscard]] base::Cycle quiet() const { return state_.waiting != 0 || state_.err != 0 ? 0 : base::kForever; }
  /// Applies `n` idle edges, n <= quiet(); they change no state.
  void idle(base::Cycle /*n*/) {}

  /// Returns the hardware warp that a scheduler picks among the warps of `ready` (bit = hardware warp), or kNoWarp.
  /// Warps of other schedulers and slots that are not allocated are ignored. The result equals the scheduler's pick in
  /// `settle`.
  [[nodiscard]] unsigned pick(unsigned scheduler, U64 ready) const;

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;

 private:
  void start(U8 mode_sel, bool toggle_en);
  [[nodiscard]] unsigned local(unsigned warp) const { return warp >> scheduler_bits_; }

  // Steps of a cycle (docs/blocks/saws.md, "Cycle").
  [[nodiscard]] U8 step_greedy(const Inputs& in);  // returns the schedulers whose greedy pointer was written
  void step_message();
  void step_events(const Inputs& in, U8 room);  // room: schedulers whose queue had room at the start of the cycle
  void step_place(unsigned cta, U64 warps);
  void step_free(unsigned cta, U8 greedy_written);

  // Updates of the lists by messages.
  void enter_saws();
  void promote(unsigned scheduler, unsigned cta);
  void demote(unsigned scheduler, unsigned cta);
  void leave_promoted(List& list, unsigned position) const;
  [[nodiscard]] static unsigned find(const List& list, unsigned cta);

  void push(unsigned scheduler, Message message);
  [[nodiscard]] Message pop(unsigned scheduler);

  Params params_;
  unsigned scheduler_bits_;                // log2 of NumSched
  std::array<U64, kMaxSchedulers> own_{};  // hardware warps of each scheduler
  State state_;
  Outputs out_;
  U64 settled_ = 0;  // candidates for which the picks in out_ were made
  U64 stale_ = 0;    // warps of the schedulers whose order or greedy warp has changed since the last settle
};

}  // namespace castor::saws

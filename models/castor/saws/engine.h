#pragma once

#include <array>

#include "castor/base/time.h"
#include "castor/saws/params.h"
#include "castor/saws/ports.h"
#include "castor/saws/state.h"

namespace castor::saws {

/// The warp schedulers of an SM as a cycle model: greedy-then-oldest (GTO), and from the first barrier of a kernel
/// SAWS, in which a scheduler tells the others of the thread block (CTA) that reached a barrier there first
/// (docs/blocks/saws.md, "Theory of operation").
///
/// One cycle is `settle`, which gives its outputs, then `clock`, its rising edge. Outputs are functions of registers
/// alone, but issue_*, which also depend on w_ready of the same cycle. `clock` may see events and acknowledges that
/// `settle` did not.
///
/// Timing (docs/blocks/saws.md, "Cycle"): a warp event enters its queue at its edge; an oldest message alone in the
/// block acts at the next edge, one later if it is the kernel's first; a placed or freed CTA changes the order at its
/// edge.
///
/// Deterministic; nothing is allocated after construction. Limits: who waits at which barrier and when it completes is
/// the SM's matter; one pick per scheduler and cycle.
class Engine {
 public:
  using Params = saws::Params;
  using Inputs = saws::Inputs;
  using Outputs = saws::Outputs;
  using Probes = saws::Probes;
  using State = saws::State;

  static constexpr unsigned kNoWarp = 64;

  /// Starts in reset. Throws InputError on parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; valid until the next call. Changes no register. Costs next to nothing if neither w_ready
  /// nor the order has changed since the last call; else only the schedulers concerned pick again.
  const Outputs& settle(const Inputs& in);
  /// The rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// The state after reset was held: plain GTO until the first kernel_start.
  void reset();

  /// Number of idle edges (events 0, levels as last clocked) that surely change no output: 0 while a message waits or
  /// an error is shown, else kForever; there are no timers.
  [[nodiscard]] base::Cycle quiet() const { return state_.waiting != 0 || state_.err != 0 ? 0 : base::kForever; }
  /// Leaves exactly the state of `n` idle edges, n <= quiet(): the one that it is in.
  void idle(base::Cycle /*n*/) {}

  /// Hardware warp that a scheduler picks among the warps of `ready` (bit = hardware warp; those of other schedulers
  /// and slots not allocated do not count), kNoWarp if there is none: what settle shows, asked for one scheduler.
  [[nodiscard]] unsigned pick(unsigned scheduler, U64 ready) const;

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;

 private:
  void start(U8 mode_sel, bool toggle_en);
  [[nodiscard]] unsigned local(unsigned warp) const { return warp >> scheduler_bits_; }

  // The steps of a cycle (docs/blocks/saws.md, "Cycle").
  [[nodiscard]] U8 step_greedy(const Inputs& in);  // schedulers whose greedy pointer was written
  void step_message();
  void step_events(const Inputs& in, U8 room);  // room: schedulers whose queue had some at the start of the cycle
  void step_place(unsigned cta, U64 warps);
  void step_free(unsigned cta, U8 greedy_written);

  // What messages do to the lists.
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
  U64 settled_ = 0;  // candidates for which issue_* of out_ were picked
  U64 stale_ = 0;    // warps of the schedulers whose order or greedy warp has changed since
};

}  // namespace castor::saws

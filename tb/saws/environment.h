#pragma once

#include <array>
#include <optional>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/saws/knobs.h"
#include "tb/saws/sequences.h"

namespace castor::saws::tb {

/// Model of the SM around the block. CTAs of kernels are placed and freed; their warps are ready at times, execute
/// instructions, meet at barriers (of the whole CTA, or of groups of warps) and exit. The model keeps the contract of
/// the block's surroundings, unless the knobs under "Violations of the contract" are set.
///
/// The model tracks the state of the warps itself. It reads only the picks and wev_ready from the block's outputs.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
  }

 private:
  enum class Does : std::uint8_t { kNothing, kRuns, kWaits, kExited };

  struct Warp {
    Does does = Does::kNothing;
    unsigned cta = 0;
    unsigned step = 0;  ///< index of the current step in the CTA's program
    unsigned work = 0;  ///< instructions left before that step
    base::Cycle ready_at = 0;
  };
  /// Step of a CTA's program: a barrier, or an exit of warps. A warp in neither mask skips the step.
  struct Step {
    bool exit = false;
    bool whole = false;  ///< whole-CTA barrier: all live warps take part
    U64 waiters = 0;     ///< warps that wait at the barrier; for an exit step, the warps that exit
    U64 arrivers = 0;    ///< warps that arrive at the barrier without waiting
    U64 arrived = 0;     ///< warps that have arrived at the barrier so far
  };
  struct Cta {
    bool used = false;
    bool sleeper = false;  ///< the CTA's warps wait for memory nearly all the time
    bool event = false;    ///< a warp of the CTA has a barrier or exit event in this cycle
    bool issued = false;   ///< a warp of the CTA issues in this cycle
    U64 warps = 0;
    std::vector<Step> program;
  };
  enum class Next : std::uint8_t { kWork, kBarrier, kArrive, kExit };

  void begin_kernel(Inputs& in);
  /// Discards all CTAs and their warps.
  void forget();
  [[nodiscard]] bool empty() const;
  void write_program(Cta& cta);
  /// Advances the warp to the next step in which it takes part, and draws the number of instructions before it.
  void resume(unsigned w);
  [[nodiscard]] Next next(unsigned w) const;
  void issue(Inputs& in, const Outputs& out);
  void meet(unsigned w, Inputs& in);
  [[nodiscard]] std::optional<unsigned> late_reporter(unsigned scheduler);
  void exit(unsigned w, Inputs& in);
  void complete_barriers(Inputs& in);
  /// Places or frees at most one CTA.
  void operate(Inputs& in);
  [[nodiscard]] std::optional<unsigned> leaver();
  [[nodiscard]] bool place(Inputs& in);
  void free(unsigned cta, Inputs& in);
  void break_a_rule(Inputs& in, const Outputs& out);
  void break_by_event(Inputs& in);
  void break_by_operation(Inputs& in);
  void scribble(Inputs& in);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  [[nodiscard]] unsigned drawn(unsigned setting, unsigned bound) { return setting == kRandom ? below(bound) : setting; }
  [[nodiscard]] static bool in(U64 mask, unsigned w) { return (mask >> w & 1U) != 0; }
  [[nodiscard]] U64 live(const Cta& cta) const;

  /// Returns a number below `bound`; in some episodes the numbers are near the limits of this range.
  [[nodiscard]] unsigned number(unsigned bound) {
    return static_cast<unsigned>(edges_.between(0, bound - 1, below(bound)));
  }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<unsigned> arrivals_;  // warps that reach a barrier in this cycle, and wait unless the barrier completes
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;       // remaining cycles without any event
  base::Cycle next_idle_ = 0;  // length of the idle period that starts in the next cycle
  unsigned kernel_left_ = 0;   // CTAs of the kernel still to be placed
  unsigned burst_left_ = 0;
  U32 touched_ = 0;  // mask of the CTAs of which a warp arrived or exited in this cycle
  bool start_pending_ = false;
  bool starting_ = false;  // the kernel starts in this cycle
  bool resting_ = false;
};

}  // namespace castor::saws::tb

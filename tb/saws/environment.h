#pragma once

#include <array>
#include <optional>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/saws/knobs.h"
#include "tb/saws/sequences.h"

namespace castor::saws::tb {

/// A streaming multiprocessor as the block sees it: kernels whose CTAs are placed and freed, warps that are ready now
/// and then, work, meet at barriers (of the whole CTA, or of groups) and exit. Keeps the contract of the block's
/// surroundings, unless the knobs of the last group say otherwise.
///
/// Its picture of the warps is its own: it learns picks and wev_ready from the block, nothing else.
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
    unsigned step = 0;  ///< of its CTA's program
    unsigned work = 0;  ///< instructions before that step
    base::Cycle ready_at = 0;
  };
  /// A place where warps of a CTA meet, or leave. A warp that is in no mask goes past.
  struct Step {
    bool exit = false;
    bool whole = false;  ///< barrier of all live warps
    U64 waiters = 0;     ///< exit: who exits
    U64 arrivers = 0;    ///< arrive and go on
    U64 arrived = 0;
  };
  struct Cta {
    bool used = false;
    bool sleeper = false;
    bool event = false;   ///< in this cycle
    bool issued = false;  ///< in this cycle
    U64 warps = 0;
    std::vector<Step> program;
  };
  enum class Next : std::uint8_t { kWork, kBarrier, kArrive, kExit };

  void begin_kernel(Inputs& in);
  void forget();
  [[nodiscard]] bool empty() const;
  void write_program(Cta& cta);
  void go_on(unsigned w);
  [[nodiscard]] Next next(unsigned w) const;
  void issue(Inputs& in, const Outputs& out);
  void meet(unsigned w, Inputs& in);
  [[nodiscard]] std::optional<unsigned> late_reporter(unsigned scheduler);
  void exit(unsigned w, Inputs& in);
  void complete_barriers(Inputs& in);
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

  /// A number below `bound`, in some episodes at the ends of that range.
  [[nodiscard]] unsigned number(unsigned bound) {
    return static_cast<unsigned>(edges_.between(0, bound - 1, below(bound)));
  }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<unsigned> arrivals_;  // warps that came to a barrier in this cycle, and wait unless it completes
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;       // cycles in which nothing moves any more
  base::Cycle rest_next_ = 0;  // from the next cycle on
  unsigned kernel_left_ = 0;   // CTAs to be placed
  unsigned burst_left_ = 0;
  U32 touched_ = 0;  // CTAs of which a warp arrived or left in this cycle
  bool start_pending_ = false;
  bool starting_ = false;  // in this cycle
  bool resting_ = false;
};

}  // namespace castor::saws::tb

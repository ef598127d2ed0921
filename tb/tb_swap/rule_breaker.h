#pragma once

#include "castor/base/rng.h"
#include "tb/tb_swap/kernel.h"

namespace castor::tb_swap::tb {

/// Generator of inputs that violate the contract; the Environment owns it. Every port is free: jobs for contexts that
/// have one or do not exist, entries of any content, segments that overlap or lie beyond the shared memory, loads
/// performed that were not requested, jobs that change while they wait, constants of a kernel beyond what exists. The
/// effect of each is in docs/blocks/tb_swap.md, "Breaking the rules".
class RuleBreaker {
 public:
  RuleBreaker(const Params& params, const Knobs& knobs, base::Xoshiro256& random, Edges& edges)
      : params_(params), knobs_(knobs), random_(random), edges_(edges) {}

  void break_a_rule(Inputs& in, const Outputs& out);
  /// Writes any segment of any context.
  void segment(Inputs& in);
  /// Exchanges one of the constants of a kernel that starts for any other value.
  void constants(Inputs& in);
  /// Drives inputs in the cycle in which a kernel starts: the block ignores all of them.
  void drive_ignored(Inputs& in);

 private:
  void job(Inputs& in);
  [[nodiscard]] Entry entry();
  [[nodiscard]] unsigned slot();
  [[nodiscard]] unsigned site() { return static_cast<unsigned>(edges_.between(0, 127, below(128))); }
  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  const Params& params_;
  const Knobs& knobs_;
  base::Xoshiro256& random_;
  Edges& edges_;
};

}  // namespace castor::tb_swap::tb

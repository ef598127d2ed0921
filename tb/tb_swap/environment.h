#pragma once

#include <deque>
#include <optional>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/tb_swap/commander.h"
#include "tb/tb_swap/knobs.h"
#include "tb/tb_swap/rule_breaker.h"
#include "tb/tb_swap/sequences.h"

namespace castor::tb_swap::tb {

/// Model of the SM around the block: a driver that starts kernels and writes their sites, a commander with thread
/// blocks in TB contexts (Commander), the page allocator, and the port to memory with its loads. The model keeps the
/// contract of the block's surroundings, unless the knobs under "Violations of the contract" are set (RuleBreaker).
///
/// The table of read-only segments of a thread block that is moved in is written before the last of its SIMT lines
/// counts as loaded.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void begin(Inputs& in) override;
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
  }
  [[nodiscard]] bool over() override { return knobs_.over != 0 && cycle_ >= over_at_; }

 private:
  /// Load that has been accepted and not performed.
  struct Load {
    base::Cycle due = 0;
    bool last_simt = false;  ///< last SIMT line of a thread block
  };

  /// Resets the model.
  void forget();
  void start_kernel(Inputs& in);
  void write_tables(Inputs& in);
  void offer_job(Inputs& in);
  void draw_outstanding(Inputs& in);
  void grant_image(Inputs& in, const Outputs& out);
  void follow_access(Inputs& in, const Outputs& out);
  [[nodiscard]] bool accepts(const Outputs& out);
  void perform_load(Inputs& in, const Outputs& out);

  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  Edges edges_;
  Commander commander_;
  RuleBreaker rule_breaker_;
  bool started_ = false;               ///< a kernel has started since the reset
  std::deque<SiteWrite> sites_;        ///< sites of the kernel that are still to be written
  std::optional<Job> job_;             ///< job that is offered until it is accepted
  std::deque<SegmentWrite> restores_;  ///< segments of the thread block that is moved in
  std::deque<Load> loads_;
  bool early_ = false;                   ///< the load on the port counts as performed already
  base::Cycle last_load_ = 0;            ///< cycle in which a load was accepted last
  base::Cycle restored_ = 0;             ///< cycle in which a segment was written last
  std::optional<base::Cycle> page_due_;  ///< earliest cycle in which the requested image is granted
  unsigned stalled_ = 0;                 ///< cycles for which the last store has not been accepted
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;
  base::Cycle over_at_ = 0;
  bool resting_ = false;
};

}  // namespace castor::tb_swap::tb

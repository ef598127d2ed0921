#pragma once

#include <optional>
#include <vector>

#include "castor/base/rng.h"
#include "castor/lax/engine.h"
#include "tb/lax/cover/edge.h"
#include "tb/lax/knobs.h"

namespace castor::lax::tb {

/// Knows what is about to happen: an engine of its own sees the same inputs. So an access to a register can be put into
/// the very cycle of something that happens inside, which chance would not hit in a run of bearable length.
class Foresight {
 public:
  Foresight(const Params& params, Aim aim, base::Xoshiro256& rng);

  /// The access that hits something in this cycle, if it is wanted; the register port is free. `control`: the register
  /// as it is.
  [[nodiscard]] std::optional<Access> wants(const Inputs& in, const Outputs& out, U32 control);
  /// A kernel of that queue and type that ends in this cycle meets the sample of the type's window, or the ranking of a
  /// queue that was asked to make room.
  [[nodiscard]] bool wants_end(unsigned queue, unsigned type) const;
  /// The main machine works, or begins to in this cycle or the next.
  [[nodiscard]] bool busy() const {
    return probes_.main_state != MainState::kIdle || (probes_.update_waits | probes_.prema_waits) != 0 ||
           probes_.pend_count != 0 || probes_.update_timer + 2 >= probes_.update_period ||
           probes_.prema_timer + 2 >= probes_.prema_period;
  }
  /// An update visits the job of this queue, and has not yet written what it found.
  [[nodiscard]] bool visits(unsigned queue) const;
  /// The queue is asked to make room.
  [[nodiscard]] bool asked(unsigned queue) const;
  /// The queue whose job is judged in this cycle.
  [[nodiscard]] std::optional<unsigned> admitted() const;
  /// The edge at the end of the cycle, with all of its inputs.
  void clock(const Inputs& in);

 private:
  void choose();
  [[nodiscard]] Edge edge(const Inputs& in, const Outputs& out) const;
  [[nodiscard]] std::optional<Access> reset(const Edge& edge, U32 control);
  [[nodiscard]] std::optional<Access> tick(const Edge& edge) const;

  const Aim aim_;
  base::Xoshiro256& rng_;
  Engine engine_;
  Probes probes_;
  bool late_ = false;  // see Edge
  const std::vector<bool (*)(const Edge&)>& moments_;
  std::vector<unsigned> met_;                      // soft resets by moment that they were to meet
  std::size_t target_ = 0;                         // what the next one is to meet
  base::Cycle cycle_ = 0, begins_ = 0, ends_ = 0;  // now; when it is waited for
};

}  // namespace castor::lax::tb

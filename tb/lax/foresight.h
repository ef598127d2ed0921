#pragma once

#include <optional>
#include <vector>

#include "castor/base/rng.h"
#include "castor/lax/engine.h"
#include "tb/lax/cover/edge.h"
#include "tb/lax/knobs.h"

namespace castor::lax::tb {

/// Predicts events inside the engine. It owns an engine model that gets the same inputs; the Environment owns and
/// queries the Foresight. A register access can thus be placed in the exact cycle of an internal event. Random accesses
/// would not hit such a cycle in a run of acceptable length.
class Foresight {
 public:
  Foresight(const Params& params, Aim aim, base::Xoshiro256& rng);

  /// Returns the access that coincides with the targeted event in this cycle, empty if no access is wanted. May be
  /// called only while the register port is free. `control` is the current control register.
  [[nodiscard]] std::optional<Access> wants(const Inputs& in, const Outputs& out, U32 control);
  /// Returns whether a kernel end of this queue and type is wanted in this cycle. It is wanted if the type's window is
  /// sampled in this cycle. For a queue with a preemption request, it is also wanted if the queue is ranked or the
  /// ranking ends.
  [[nodiscard]] bool wants_end(unsigned queue, unsigned type) const;
  /// Returns whether the main machine is busy, or may become busy in this cycle or the next.
  [[nodiscard]] bool busy() const {
    return probes_.main_state != MainState::kIdle || (probes_.update_waits | probes_.prema_waits) != 0 ||
           probes_.pend_count != 0 || probes_.update_timer + 2 >= probes_.update_period ||
           probes_.prema_timer + 2 >= probes_.prema_period;
  }
  /// Returns whether an update visits the job of this queue and has not written its result yet.
  [[nodiscard]] bool visits(unsigned queue) const;
  /// Returns whether the queue has a preemption request.
  [[nodiscard]] bool asked(unsigned queue) const;
  /// Returns the queue whose job is judged in this cycle, if any.
  [[nodiscard]] std::optional<unsigned> admitted() const;
  /// Simulates the clock edge at the end of the cycle; `in` holds all inputs of the cycle.
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
  bool late_ = false;  // the visited job is past its deadline (Edge::late)
  const std::vector<bool (*)(const Edge&)>& moments_;
  std::vector<unsigned> met_;                      // number of soft resets aimed at each moment so far
  std::size_t target_ = 0;                         // index of the moment that the next soft reset is to hit
  base::Cycle cycle_ = 0, begins_ = 0, ends_ = 0;  // current cycle; first and last cycle of waiting for the target
};

}  // namespace castor::lax::tb

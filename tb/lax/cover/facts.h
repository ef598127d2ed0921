#pragma once

#include <array>

#include "castor/lax/ports.h"
#include "tb/common/block_points.h"
#include "tb/lax/register_driver.h"

/// Subjects of the laxity engine's cover points. Errors and interrupts are sampled when a register read returns them.
/// Classes and estimates are read by peeking at registers, if the twin supports this.
namespace castor::lax::tb {

using castor::tb::Arcs;
using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::OneOf;
using castor::tb::Points;

/// Features of a parameter set and its twin that cover points may require.
namespace has {
inline constexpr Needs kTypes = 1U << 0U,  ///< more than one kernel type
    kLists = 1U << 1U,                     ///< lists can have more than one slot
    kOverfull = 1U << 2U,                  ///< more kernel types than a list has slots
    kUnknownTypes = 1U << 3U,              ///< some kernel numbers of the port have no type
    kOverruns = 1U << 4U,   ///< the longest update clearly exceeds the shortest period, so a tick is lost
    kFewQueues = 1U << 5U,  ///< at most 128 queues; with more queues some candidate is always not demoted
    kPeek = 1U << 6U;       ///< the twin supports peeking at registers
}  // namespace has
/// Returns whether the longest update clearly exceeds the shortest period.
[[nodiscard]] inline bool overruns(const Params& params) {
  return 43 * params.NumKt + params.NumQueues * (params.MaxKt + 44) > 1200;
}
[[nodiscard]] Needs features(const Params& params, const castor::tb::Peek& peek);

template <class State>
[[nodiscard]] constexpr unsigned number(State state) {
  return static_cast<unsigned>(state);
}
[[nodiscard]] inline unsigned job_state(const Probes& probes, unsigned queue) {
  return (probes.job_state0.test(queue) ? 1U : 0U) | (probes.job_state1.test(queue) ? 2U : 0U) |
         (probes.job_state2.test(queue) ? 4U : 0U);
}
[[nodiscard]] inline bool job_is(const Probes& probes, unsigned queue, JobState state) {
  return job_state(probes, queue) == number(state);
}

/// Start and deadline of each queue's job, as submitted.
struct Submitted {
  std::array<U32, 256> deadline{};
  std::array<U64, 256> start{};
};

/// A cycle, with facts that the ports of this cycle do not show.
struct Now : castor::tb::Cycle<Block> {
  const castor::tb::Peek& peek;
  U32 control;       ///< value of the control register before this cycle
  bool after_reset;  ///< a soft reset was requested in the previous cycle

  [[nodiscard]] unsigned policy() const { return (control >> 4U) & 15U; }
  [[nodiscard]] U32 look(unsigned address) const { return peek ? peek(static_cast<U16>(address)).value_or(0) : 0; }
  [[nodiscard]] MainState main() const { return probes.main_state; }
  [[nodiscard]] SubmitState submit() const { return probes.submit_state; }
  /// Returns whether a register access is about to be performed.
  [[nodiscard]] bool asks() const { return in.reg_req != 0 && out.reg_ack == 0; }
  [[nodiscard]] bool writes(unsigned address) const { return asks() && in.reg_we != 0 && in.reg_addr == address; }
};

}  // namespace castor::lax::tb

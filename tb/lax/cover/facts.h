#pragma once

#include <array>

#include "castor/lax/ports.h"
#include "tb/common/block_points.h"
#include "tb/lax/register_driver.h"

/// What the cover points of the laxity engine are about. Errors and interrupts are seen when a register read shows
/// them; classes and estimates by looking into registers, if somebody can.
namespace castor::lax::tb {

using castor::tb::Arcs;
using castor::tb::CoverList;
using castor::tb::Needs;
using castor::tb::OneOf;
using castor::tb::Points;

/// What a parameter set may have, and whoever watches it.
namespace has {
inline constexpr Needs kTypes = 1U << 0U,  ///< more than one kernel type
    kLists = 1U << 1U,                     ///< lists of more than one slot
    kOverfull = 1U << 2U,                  ///< more kernel types than a list has slots
    kUnknownTypes = 1U << 3U,              ///< kernel numbers of the port that no type has
    kOverruns = 1U << 4U,                  ///< the longest update exceeds the shortest period clearly: a tick is lost
    kFewQueues = 1U << 5U,                 ///< not so many that there is always a job that is not demoted
    kPeek = 1U << 6U;                      ///< somebody looks into registers
}  // namespace has
/// The longest update exceeds the shortest period clearly.
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

/// What was said of each queue's job when it was submitted.
struct Submitted {
  std::array<U32, 256> deadline{};
  std::array<U64, 256> start{};
};

/// A cycle, and what is known beside the ports.
struct Now : castor::tb::Cycle<Block> {
  const castor::tb::Peek& peek;
  U32 control;       ///< the register before this cycle
  bool after_reset;  ///< a soft reset was asked for in the cycle before

  [[nodiscard]] unsigned policy() const { return (control >> 4U) & 15U; }
  [[nodiscard]] U32 look(unsigned address) const { return peek ? peek(static_cast<U16>(address)).value_or(0) : 0; }
  [[nodiscard]] MainState main() const { return probes.main_state; }
  [[nodiscard]] SubmitState submit() const { return probes.submit_state; }
  /// A register access that is about to be done.
  [[nodiscard]] bool asks() const { return in.reg_req != 0 && out.reg_ack == 0; }
  [[nodiscard]] bool writes(unsigned address) const { return asks() && in.reg_we != 0 && in.reg_addr == address; }
};

}  // namespace castor::lax::tb

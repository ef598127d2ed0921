#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of headers, verdicts and ends of jobs, and of the queues of waiting verdicts and jobs.
class VerdictPoints {
 public:
  explicit VerdictPoints(const CoverList& list);
  void see(const Now& now, Submitted& submitted);

 private:
  /// A verdict that is accepted by the host.
  struct Verdict {
    const Now& now;
    U64 estimate, deadline;
    [[nodiscard]] bool judged() const { return estimate != 0; }
    [[nodiscard]] bool accepted() const { return judged() && now.out.adm_accept != 0; }
    [[nodiscard]] bool refused() const { return judged() && now.out.adm_accept == 0; }
    [[nodiscard]] bool best_effort() const { return deadline == 0xFFFFFFFF; }
    /// Returns whether the policy tests deadlines and the admission test is on.
    [[nodiscard]] bool tested() const { return now.policy() >= 8 && (now.control & 2U) != 0; }
    [[nodiscard]] bool may_bypass() const { return (now.control >> 15U & 1U) != 0; }
  };

  OneOf<Now> reasons_;
  Points<Verdict> verdicts_;
  Points<Now> ends_, queues_, resets_;
};

}  // namespace castor::lax::tb

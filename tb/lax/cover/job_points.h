#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of the jobs' state transitions and life cycle.
class JobPoints {
 public:
  explicit JobPoints(const CoverList& list);
  /// Samples a cycle; the previous cycle must not have requested a soft reset.
  void see(const Now& now, const Submitted& submitted);

 private:
  struct Change {
    const Now& now;
    unsigned queue, from, to;
    unsigned arrivals;  ///< headers accepted so far
    [[nodiscard]] bool is(JobState a, JobState b) const { return from == number(a) && to == number(b); }
    [[nodiscard]] bool comes(JobState b) const { return to == number(b); }
  };
  struct Starts {
    U64 one, other;  ///< start times of two live jobs
  };
  void change(const Now& now, unsigned queue, const Submitted& submitted);

  castor::tb::Cover& cover_;
  Arcs<JobState> arcs_;
  Points<Change> changes_;
  Points<Starts> starts_;
  unsigned arrivals_ = 0;
};

}  // namespace castor::lax::tb

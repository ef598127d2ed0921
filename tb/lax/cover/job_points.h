#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// The arcs of the jobs, and what happens with them.
class JobPoints {
 public:
  explicit JobPoints(const CoverList& list);
  /// A cycle that no soft reset precedes.
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
    U64 one, other;  ///< times at which two live jobs were enqueued
  };
  void change(const Now& now, unsigned queue, const Submitted& submitted);

  castor::tb::Cover& cover_;
  Arcs<JobState> arcs_;
  Points<Change> changes_;
  Points<Starts> starts_;
  unsigned arrivals_ = 0;
};

}  // namespace castor::lax::tb

#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// What meets in one cycle where hardware goes wrong: events and the machines that read what they change, ticks and
/// whatever is going on; and how long the lists are that a visit reads.
class CollisionPoints {
 public:
  /// `longest_list`: slots of a full list.
  CollisionPoints(const CoverList& list, unsigned longest_list);
  void see(const Now& now);

 private:
  Points<Now> events_, at_open_, at_end_, completions_, at_key_, ticks_;
  Points<unsigned> lists_;  // by their slots, the length of a stay in VMac
  Points<Now> time_;
  unsigned slots_ = 0;
};

}  // namespace castor::lax::tb

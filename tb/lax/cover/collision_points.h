#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of simultaneous events that are error-prone in hardware: job events together with state machines that
/// read the values changed by the events, and ticks together with any activity. They also cover the length of visited
/// lists.
class CollisionPoints {
 public:
  /// `longest_list` is the number of slots of a full list.
  CollisionPoints(const CoverList& list, unsigned longest_list);
  void see(const Now& now);

 private:
  Points<Now> events_, at_open_, at_end_, completions_, at_key_, ticks_;
  Points<unsigned> lists_;  // by the number of list slots, which is the number of cycles in VMac
  Points<Now> time_;
  unsigned slots_ = 0;
};

}  // namespace castor::lax::tb

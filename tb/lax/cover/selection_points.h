#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of the two selections (parse and dispatch): eligible queues and offers.
class SelectionPoints {
 public:
  /// `groups` is the number of groups of queues, which are compared one after another.
  SelectionPoints(const CoverList& list, unsigned groups);
  void see(const Now& now);

 private:
  struct Eligible {
    unsigned policy, queues;
  };
  struct Offer {
    const Now& now;
    unsigned queue;
    unsigned rank;  ///< class of the offered queue's job
  };
  struct Selection {
    Selection(const CoverList& list, const std::string& name);
    OneOf<Eligible> eligible;
    OneOf<Offer> classes;
    Points<Offer> ends;
  };
  void offer(Selection& selection, const Now& now, unsigned queue);

  Selection parse_, dispatch_;
  OneOf<Now> grants_;
  Points<Now> cycles_;
  Points<Offer> offers_;
  bool peeks_;
};

}  // namespace castor::lax::tb

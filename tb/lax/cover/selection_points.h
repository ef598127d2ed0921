#pragma once

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// What the two selections choose from, and what they offer.
class SelectionPoints {
 public:
  /// `groups` of queues are compared one after the other.
  SelectionPoints(const CoverList& list, unsigned groups);
  void see(const Now& now);

 private:
  struct Eligible {
    unsigned policy, queues;
  };
  struct Offer {
    const Now& now;
    unsigned queue;
    unsigned rank;  ///< class of its job
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

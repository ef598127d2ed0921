#pragma once

#include <bitset>

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of the kernel types' rates: measured, held, written, cleared.
class RatePoints {
 public:
  explicit RatePoints(const CoverList& list);
  void see(const Now& now);

 private:
  /// A write of a rate that has been acknowledged.
  struct Write {
    bool good, clears;
    U32 data;
  };
  /// First event of a kernel type since its reset or clearing, if this event is a completion.
  struct First {
    U32 completed;  ///< completions in the type's window
  };
  struct Window {
    U32 completed, least;
  };
  void answer(const Now& now);

  Points<Write> writes_;
  Points<bool> rates_;  // subject: whether the kernel type had a rate before the new measurement
  Points<Window> held_;
  Points<U32> saturated_;
  Points<First> foreign_;
  bool peeks_;
  std::bitset<256> begun_;  // kernel types with an event since they were reset or cleared
};

}  // namespace castor::lax::tb

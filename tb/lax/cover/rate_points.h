#pragma once

#include <bitset>

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// The rates of kernel types: worked out, held, written, cleared.
class RatePoints {
 public:
  explicit RatePoints(const CoverList& list);
  void see(const Now& now);

 private:
  /// A write of a rate that has been answered.
  struct Write {
    bool good, clears;
    U32 data;
  };
  /// A completion of a kernel type that no event named since it was reset or cleared.
  struct First {
    U32 completed;  ///< of its window
  };
  struct Window {
    U32 completed, least;
  };
  void answer(const Now& now);

  Points<Write> writes_;
  Points<bool> rates_;  // worked out; the kernel type had one before
  Points<Window> held_;
  Points<U32> saturated_;
  Points<First> foreign_;
  bool peeks_;
  std::bitset<256> begun_;  // kernel types with an event since they were reset or cleared
};

}  // namespace castor::lax::tb

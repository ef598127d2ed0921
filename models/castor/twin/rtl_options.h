#pragma once

#include <string>

#include "castor/base/time.h"

namespace castor::twin {

/// Length of a cycle in every VCD that twins write, in ps: cycle k lasts from k * 1000 to k * 1000 + 999, its rising
/// edge is at the beginning and inputs change in its middle.
inline constexpr std::uint64_t kCyclePicoseconds = 1000;

/// More levels of modules than a block has.
inline constexpr unsigned kWholeDepth = 99;

/// What a twin of RTL may be told when it is made.
struct RtlOptions {
  std::uint64_t seed = 1;  ///< of power-up values
  std::string coverage;    ///< where the counts of a coverage build go at the end (verilator_coverage); empty = nowhere
  std::string wave;        ///< VCD of what is inside; empty = none
  bool inside = false;     ///< gives what is inside to who asks (Twin::inside); not together with `wave`
  unsigned wave_depth = kWholeDepth;  ///< levels of modules in either: 1 = the block's own signals
  base::Cycle wave_from = 0;
  base::Cycle wave_to = base::kForever;  ///< one behind the last

  /// Whether the RTL must have been built with waves.
  [[nodiscard]] bool waves() const { return inside || !wave.empty(); }
};

}  // namespace castor::twin

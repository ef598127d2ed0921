#pragma once

#include <string>

#include "castor/base/time.h"

namespace castor::twin {

/// Length of a cycle in every VCD that twins write, in ps. Cycle k lasts from k * 1000 to k * 1000 + 999. Its rising
/// edge is at the beginning; inputs change in the middle.
inline constexpr std::uint64_t kCyclePicoseconds = 1000;

/// Wave depth that includes every level of modules of any block.
inline constexpr unsigned kWholeDepth = 99;

/// Options of a twin of RTL, given when the twin is made.
struct RtlOptions {
  std::uint64_t seed = 1;  ///< seed of the power-up values
  std::string coverage;    ///< file for the counts of a coverage build, written at the end (verilator_coverage); empty
                           ///< = none
  std::string wave;        ///< VCD file of the internal signals; empty = none
  bool inside = false;     ///< offers the internal signals through Twin::inside; not together with `wave`
  unsigned wave_depth = kWholeDepth;  ///< levels of modules in `wave` or `inside`: 1 = the block's own signals
  base::Cycle wave_from = 0;
  base::Cycle wave_to = base::kForever;  ///< last cycle in `wave`, plus 1

  /// Whether the RTL must have been built with waves.
  [[nodiscard]] bool waves() const { return inside || !wave.empty(); }
};

}  // namespace castor::twin

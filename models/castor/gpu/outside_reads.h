#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "castor/base/time.h"

namespace castor::gpu {

/// Loads of a kernel outside every allocation that memory.check: page allowed.
struct OutsideReads {
  std::uint64_t lanes = 0;   ///< number of loads, counted per thread
  base::Cycle first_at = 0;  ///< cycle of the first load outside every allocation
  /// description of the first load outside every allocation and its place in the program; empty if there was none
  std::string first;

  /// Adds the counts of another unit. Of the two first loads, keeps the earlier one, or this object's if both are in
  /// the same cycle.
  void add(const OutsideReads& other);
};

/// Warns the user of loads outside allocations: one line on stderr per kernel name, at the first completion of that
/// kernel with such loads.
class OutsideReadNotice {
 public:
  void tell(const std::string& kernel, const OutsideReads& reads);

 private:
  std::set<std::string> told_;
};

}  // namespace castor::gpu

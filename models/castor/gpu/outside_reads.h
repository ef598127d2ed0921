#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "castor/base/time.h"

namespace castor::gpu {

/// Loads of a kernel outside every allocation that memory.check: page allowed.
struct OutsideReads {
  std::uint64_t lanes = 0;   ///< number of loads, counted per thread
  base::Cycle first_at = 0;  ///< cycle of the first such load
  std::string first;  ///< description of the first such load and its place in the program; empty if there was none

  /// Adds the counts of another unit. Keeps the earlier of the two first loads; on a tie this object's.
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

#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "castor/base/time.h"

namespace castor::gpu {

/// Loads outside every allocation that a kernel made and memory.check: page allowed.
struct OutsideReads {
  std::uint64_t lanes = 0;   ///< one per thread and load
  base::Cycle first_at = 0;  ///< of the first one
  std::string first;         ///< what it was and where in the program; empty if there is none

  /// `other` comes from another unit. The earlier first one counts, at the same time the one that is here.
  void add(const OutsideReads& other);
};

/// Tells the user of such loads: one line on stderr for each kernel, when it has completed for the first time with
/// some.
class OutsideReadNotice {
 public:
  void tell(const std::string& kernel, const OutsideReads& reads);

 private:
  std::set<std::string> told_;
};

}  // namespace castor::gpu

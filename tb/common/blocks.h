#pragma once

#include <string>
#include <vector>

#include "tb/common/cosim.h"

namespace castor::tb {

/// A block of this build.
struct KnownBlock {
  BlockEntry entry;
  std::string evidence;  ///< text of docs/blocks/<block>.evidence.json; empty = none recorded
};

/// All blocks with model and RTL, in alphabetical order. Generated (rtl/CMakeLists.txt).
[[nodiscard]] const std::vector<KnownBlock>& blocks();

}  // namespace castor::tb

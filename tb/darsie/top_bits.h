#pragma once

#include <vector>

#include "castor/darsie/params.h"
#include "tb/common/port_cover.h"

namespace castor::darsie::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  std::vector<castor::tb::TopBitWaiver> waived;
  if (1U << params.row_bits() > params.NumRows)
    waived.push_back({"rows", "a launch with more than NumRows is refused"});
  if (1U << params.slot_bits() > params.NumSlots) {
    waived.push_back({"slots", "a launch with more than NumSlots is refused"});
  }
  return waived;
}

}  // namespace castor::darsie::tb

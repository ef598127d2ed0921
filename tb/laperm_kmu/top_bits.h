#pragma once

#include <vector>

#include "castor/laperm_kmu/params.h"
#include "tb/common/port_cover.h"

namespace castor::laperm_kmu::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  std::vector<castor::tb::TopBitWaiver> waived;
  if (params.LvlMax < 8) waived.push_back({"level", "there are fewer levels than 8"});
  return waived;
}

}  // namespace castor::laperm_kmu::tb

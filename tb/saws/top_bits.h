#pragma once

#include <vector>

#include "castor/saws/params.h"
#include "tb/common/port_cover.h"

namespace castor::saws::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  std::vector<castor::tb::TopBitWaiver> waived;
  if (params.NumSched <= 2) waived.push_back({"turn", "there is no scheduler 2"});
  if (params.EvqDepth < 16) waived.push_back({"waiting", "a queue holds fewer than 16 messages"});
  if (params.position_bits() > 1 && 1U << (params.position_bits() - 1) >= params.warps_per_scheduler()) {
    waived.push_back({"position", "every thread block in the list has a warp: its length alone gets there"});
  }
  return waived;
}

}  // namespace castor::saws::tb

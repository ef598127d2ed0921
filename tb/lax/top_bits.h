#pragma once

#include <vector>

#include "castor/lax/params.h"
#include "tb/common/port_cover.h"

namespace castor::lax::tb {

/// Ports and registers whose highest bit no run of the usual length can toggle at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  constexpr auto kCycles = "it counts cycles: half the range takes 2^23 of them without a tick";
  std::vector<castor::tb::TopBitWaiver> waived = {{"update_timer", kCycles}, {"prema_timer", kCycles}};
  if (params.groups() <= 128) waived.push_back({"group", "there are no more than 128 groups of queues"});
  if (params.VqDepth < 256) {
    waived.push_back({"verdict_count", "no more than VqDepth verdicts wait"});
    waived.push_back({"pend_count", "no more than VqDepth jobs wait"});
  }
  if (params.NumQueues < 256) waived.push_back({"row_in_flight", "a queue has one kernel in flight"});
  return waived;
}

}  // namespace castor::lax::tb

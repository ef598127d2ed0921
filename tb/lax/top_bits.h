#pragma once

#include <vector>

#include "castor/lax/params.h"
#include "tb/common/port_cover.h"
#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  constexpr auto kCycles = "it counts cycles: half the range takes 2^23 of them without a tick";
  constexpr auto kBlocks = "it counts TBs, of which one completes per cycle: half the range takes 2^23 cycles";
  std::vector<castor::tb::TopBitWaiver> waived = {
      {"update_timer", kCycles},
      {"prema_timer", kCycles},
      {"row_count", kBlocks},
      {"row_done", kBlocks},
      {"counters", "each counts what happens once per cycle at most: half the range takes 2^31 cycles"}};
  if (params.groups() <= 128) waived.push_back({"group", "there are no more than 128 groups of queues"});
  if (params.VqDepth < 256) {
    waived.push_back({"verdict_count", "no more than VqDepth verdicts wait"});
    waived.push_back({"pend_count", "no more than VqDepth jobs wait"});
  }
  if (params.NumQueues < 256) {
    waived.push_back({"row_in_flight", "a queue has one kernel in flight"});
    waived.push_back({"done_count", "it stops at NumQueues"});
  }
  if (params.NumQueues <= 128) {
    waived.push_back({"total", "a job adds 2^32-2 at most, so NumQueues of them stay below 2^39"});
  }
  if (params.MaxKt < 16) waived.push_back({"submit_beats", "no more than MaxKt slots are staged"});
  if (!overruns(params)) {
    waived.push_back({"interrupts", "the longest update takes less than the shortest period, so no tick is lost"});
  }
  return waived;
}

}  // namespace castor::lax::tb

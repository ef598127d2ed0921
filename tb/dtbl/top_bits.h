#pragma once

#include <vector>

#include "castor/dtbl/params.h"
#include "tb/common/port_cover.h"

namespace castor::dtbl::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  constexpr auto kPlaced = "one thread block is placed per cycle: half the range takes 2^31 cycles";
  constexpr auto kAddress = "an address of 31 bits in units of 16 bytes: bits 35 and above are 0";
  std::vector<castor::tb::TopBitWaiver> waived = {{"pl_pos", kPlaced}, {"cur_pos", kPlaced}, {"mem_addr", kAddress}};
  if (params.AgtSize == 1) waived.push_back({"agt_used", "the table has one entry"});
  if (params.queue_bits() > 1 && 1U << (params.queue_bits() - 1) > params.NumKde - 1) {
    waived.push_back({"queue_count", "one of the marked kernels is in hand, not in the ring"});
  }
  return waived;
}

}  // namespace castor::dtbl::tb

#pragma once

#include <vector>

#include "castor/laperm/params.h"
#include "tb/common/port_cover.h"

namespace castor::laperm::tb {

/// Returns the ports and registers whose highest bit cannot toggle in a run of the usual length at these parameters.
[[nodiscard]] inline std::vector<castor::tb::TopBitWaiver> top_bits(const Params& params) {
  std::vector<castor::tb::TopBitWaiver> waived;
  if (params.LvlMax < 8) waived.push_back({"pl_level", "there are fewer levels than 8"});
  if (params.CntW == 1 && params.lists() > 1) waived.push_back({"begun", "every item has one thread block"});
  if (1U << (params.fetches_bits() - 1) > params.RefillMax) {
    constexpr auto kReads = "the next read is requested after the reply before has been inserted: never RefillMax + 1";
    waived.push_back({"fetches", kReads});
    waived.push_back({"promised", kReads});
  }
  if (params.CntW > 16) {
    constexpr auto kPlaced = "one thread block is placed per cycle: half the range takes as many cycles";
    waived.push_back({"pl_pos", kPlaced});
    waived.push_back({"host_pos", kPlaced});
  }
  if (params.QcntW > 16) waived.push_back({"items", "an item is pushed every other cycle at most"});
  if (params.OvfW > 16) {
    constexpr auto kWritten = "an entry is written every other cycle at most";
    waived.push_back({"mem_idx", kWritten});
    waived.push_back({"in_memory", kWritten});
    waived.push_back({"oldest", kWritten});
  }
  return waived;
}

}  // namespace castor::laperm::tb

#pragma once

#include "castor/base/statistics.h"
#include "castor/tb_swap/ports.h"

namespace castor::hookup {

/// Statistics of the swap engine of one SM, counted at the ports of the block tb_swap, so model and RTL give the same
/// values. They are in the group of the SM's swap engine, on machines with the block only.
struct TbSwapStatistics {
  explicit TbSwapStatistics(base::StatisticGroup& parent) : group(parent, "tb_swap") {}

  base::StatisticGroup group;
  base::Counter parked_local{
      group, {"parked_local", "", "TBs moved out of their context of which a part has stayed in the SM"}};
  base::Counter parked_memory{group, {"parked_memory", "", "TBs moved out of their context to device memory"}};
  base::Counter simt_lines{group, {"simt_lines", "lines", "SIMT lines moved to and from device memory and places"}};
  base::Counter register_lines{
      group, {"register_lines", "lines", "registers of warps moved to and from device memory and places"}};
  base::Counter shared_lines{
      group, {"shared_lines", "lines", "lines of shared memory moved to and from device memory and places"}};
  base::Counter read_only_lines{
      group, {"read_only_lines", "lines", "lines of read-only segments loaded from their place in global memory"}};
  base::Counter waits{group, {"waits", "ticks", "ticks in which an offered access was not taken"}};

  /// Counts the events of one tick from all inputs and outputs at its clock edge.
  void cycle(const tb_swap::Inputs& in, const tb_swap::Outputs& out);
};

}  // namespace castor::hookup

#pragma once

#include "castor/base/statistics.h"
#include "castor/dtbl/ports.h"

namespace castor::hookup {

/// Statistics of dynamic thread block launch, counted at the ports of the block, so model and RTL give the same values.
/// They are in the group of the launch unit, on machines with the block only.
struct DtblStatistics {
  /// `places`: whether the block distributes groups; if false, the statistics of the distribution stay 0.
  explicit DtblStatistics(base::StatisticGroup& parent, bool places = true) : places(places), group(parent, "dtbl") {}

  const bool places;
  base::StatisticGroup group;
  base::Counter groups{group, {"groups", "", "launched groups that the block accepted"}};
  base::Counter commands{group, {"commands", "", "launch commands of warps that the block accepted"}};
  base::Counter kde_hits{group, {"kde_hits", "", "groups that attached to a resident kernel"}};
  base::Counter kde_misses{group, {"kde_misses", "", "groups that found no resident kernel and became kernels"}};
  base::Counter agt_hits{group, {"agt_hits", "", "attached groups with an entry of the group table"}};
  base::Counter agt_misses{
      group,
      {"agt_misses", "", "attached groups that stay in memory because their entry of the group table was in use"}};
  base::Counter beat_wait{group, {"beat_wait", "cycles", "cycles in which a group was offered and not accepted"}};
  base::Counter remarks{group, {"remarks", "", "groups that attached to a kernel with nothing left to distribute"}};
  base::Counter offchip_loads{group, {"offchip_loads", "", "records that were read to distribute their groups"}};
  base::Counter offchip_wait{group, {"offchip_wait", "cycles", "cycles in which the distribution waited for a record"}};
  base::Counter link_writes{group, {"link_writes", "", "links written into records"}};
  base::Counter agt_used_sum{group,
                             {"agt_used_sum", "entries", "entries of the group table in use, summed over cycles"}};
  base::Counter agt_used_peak{group,
                              {"agt_used_peak", "entries", "largest number of entries of the group table in use"}};

  /// Counts the events of one cycle from all inputs and outputs at its clock edge.
  void cycle(const dtbl::Inputs& in, const dtbl::Outputs& out);
  /// Counts `n` idle cycles, in which the outputs do not change.
  void rest(const dtbl::Outputs& out, base::Cycle n);
};

}  // namespace castor::hookup

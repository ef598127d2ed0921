#pragma once

#include "castor/base/statistics.h"
#include "castor/laperm/ports.h"

namespace castor::hookup {

/// Statistics of locality-aware scheduling, counted at the ports of the block, so model and RTL give the same values.
/// They are in the group of the dispatch policy, on machines with the block only.
struct LapermStatistics {
  explicit LapermStatistics(base::StatisticGroup& parent) : group(parent, "laperm") {}

  base::StatisticGroup group;
  base::Counter pushes{group, {"pushes", "", "kernels and groups that the block accepted"}};
  base::Counter push_wait{group, {"push_wait", "cycles", "cycles in which a kernel or group could not be accepted"}};
  base::Counter own{group, {"own", "", "TBs placed from the SM's own set (stage 1)"}};
  base::Counter host{group, {"host", "", "TBs placed from kernels of the host (stage 2)"}};
  base::Counter stolen{group, {"stolen", "", "TBs placed from a backup set (stage 3)"}};
  base::Counter backups{group, {"backups", "", "times that an SM chose another backup set"}};
  base::Counter starved{group,
                        {"starved", "cycles", "cycles in which the examined SM had all its own items in memory"}};
  base::Counter unfit{group, {"unfit", "cycles", "cycles in which the candidate did not fit on the examined SM"}};
  base::Counter memory_writes{group, {"memory_writes", "", "items written to lists in memory"}};
  base::Counter memory_reads{group, {"memory_reads", "", "items read back from lists in memory"}};

  /// Counts the events of one cycle from all inputs and outputs at its clock edge.
  void cycle(const laperm::Inputs& in, const laperm::Outputs& out);
};

}  // namespace castor::hookup

#pragma once

#include "castor/base/statistics.h"
#include "castor/laperm_kmu/ports.h"

namespace castor::hookup {

/// Statistics of the choice of the next kernel, counted at the ports of the block, so model and RTL give the same
/// values. They are in the group of the source order, on machines with the block only.
struct LapermKmuStatistics {
  explicit LapermKmuStatistics(base::StatisticGroup& parent) : group(parent, "laperm_kmu") {}

  base::StatisticGroup group;
  base::Counter launches{group, {"launches", "", "launches by device code that were granted a parse lane"}};
  base::Counter above{group, {"above", "", "launches of a level above 1 that were granted a parse lane"}};
  base::Counter overtaking{
      group,
      {"overtaking", "",
       "launches that were granted a parse lane while a launch of a lower level waited on the same SM"}};
  base::Counter suspended{group, {"suspended", "", "suspended TBs that were granted a parse lane"}};
  base::Counter queues{group, {"queues", "", "kernels of the host that were granted a parse lane"}};
  base::Counter withdrawn{group, {"withdrawn", "", "offers withdrawn because their source was no longer available"}};
  base::Counter search{group, {"search", "cycles", "cycles in which a source was ready and none was offered"}};

  /// Counts the events of one cycle from all inputs and outputs at its clock edge.
  void cycle(const laperm_kmu::Inputs& in, const laperm_kmu::Outputs& out, const laperm_kmu::Params& params);
};

}  // namespace castor::hookup

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
  base::Counter above{group, {"above", "", "of them those of a level above one"}};
  base::Counter overtaking{
      group, {"overtaking", "", "of them those taken while their SM had a launch of a lower level waiting"}};
  base::Counter suspended{group, {"suspended", "", "suspended TBs that were granted one"}};
  base::Counter queues{group, {"queues", "", "kernels of the host that were granted one"}};
  base::Counter withdrawn{group, {"withdrawn", "", "offers that went because their source did"}};
  base::Counter search{group, {"search", "cycles", "cycles with something ready and nothing offered"}};

  /// Counts the events of one cycle from all inputs and outputs at its clock edge.
  void cycle(const laperm_kmu::Inputs& in, const laperm_kmu::Outputs& out, const laperm_kmu::Params& params);
};

}  // namespace castor::hookup

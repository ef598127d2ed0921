#pragma once

#include "castor/base/statistics.h"

namespace blocks::@NAME@ {

/// What stands in the report of a run, counted at the ports, so alike for model and RTL.
struct Statistics {
  explicit Statistics(castor::base::StatisticGroup& parent) : group(parent, "@NAME@") {}

  castor::base::StatisticGroup group;
  castor::base::Counter taken{group, {"taken", "", "@TAKEN_MEANING@"}};
};

}  // namespace blocks::@NAME@

#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/claim.h"
#include "workloads/spread.h"

namespace castor::platforms::experiments {

/// "mean ±deviation", both times `scale`; the mean alone of a single run, "" of none.
[[nodiscard]] std::string with_spread(const workloads::Spread& spread, int digits, double scale = 1);

/// One row for each claim.
[[nodiscard]] Table claims_table(const std::vector<workloads::Claim>& claims);

}  // namespace castor::platforms::experiments

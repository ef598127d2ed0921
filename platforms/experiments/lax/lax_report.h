#pragma once

#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments {

/// Tables beside the published ones, pictures, claims.
void report_lax(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments

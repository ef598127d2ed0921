#pragma once

#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::lax {

/// Tables beside the published ones, pictures, claims. False if an invariant among these or the account of a run is
/// broken.
[[nodiscard]] bool report_lax(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::lax

#pragma once

#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::lax {

/// Writes tables beside the published ones, pictures and claims. Returns false if an invariant is broken or the counts
/// of a run are inconsistent.
[[nodiscard]] bool report_lax(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::lax

#pragma once

#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::cdp {

/// Writes tables, pictures and claims of the comparison with CUDA dynamic parallelism. Returns false if launches or
/// thread blocks were lost in a run.
[[nodiscard]] bool report_cdp(const std::vector<Run>& runs, const ChildSystems& systems, Output& output);

}  // namespace castor::platforms::experiments::cdp

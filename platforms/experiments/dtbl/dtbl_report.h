#pragma once

#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::dtbl {

/// Tables, pictures and claims of dynamic thread block launch. False if launches or thread blocks got lost in a run, or
/// its results are others than those of another system.
[[nodiscard]] bool report_dtbl(const std::vector<Run>& runs, const ChildSystems& systems, Output& output);

}  // namespace castor::platforms::experiments::dtbl

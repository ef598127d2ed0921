#pragma once

#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::laperm {

/// Tables, pictures and claims of locality-aware scheduling. False if launches or thread blocks got lost in a run, are
/// where they must not be, or results are others than those of another system.
[[nodiscard]] bool report_laperm(const std::vector<Run>& runs, const ChildSystems& systems, Output& output);

}  // namespace castor::platforms::experiments::laperm

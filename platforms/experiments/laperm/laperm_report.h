#pragma once

#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::laperm {

/// Writes tables, pictures and claims of locality-aware scheduling. Returns false if launches or thread blocks were
/// lost or misplaced in a run, or if a run's results differ from another system's.
[[nodiscard]] bool report_laperm(const std::vector<Run>& runs, const ChildSystems& systems, Output& output);

}  // namespace castor::platforms::experiments::laperm

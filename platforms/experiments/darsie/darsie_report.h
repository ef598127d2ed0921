#pragma once

#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/darsie/energy.h"

namespace castor::platforms::experiments::darsie {

/// Writes tables, pictures and claims of `castor experiment darsie`, for the programs and systems that were run.
/// Returns false if an invariant is broken: a program skips more than its thread blocks can.
[[nodiscard]] bool report_darsie(const std::vector<Run>& runs, const workloads::darsie::EnergyTable& energy,
                                 Output& output);

}  // namespace castor::platforms::experiments::darsie

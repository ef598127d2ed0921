#pragma once

#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::saws {

/// Writes tables, pictures and claims of `castor experiment saws`, for the machines and policies that were run. Returns
/// false if an invariant is broken: SAWS must behave like GTO in programs without barriers.
[[nodiscard]] bool report_saws(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::saws

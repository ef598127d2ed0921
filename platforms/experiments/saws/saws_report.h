#pragma once

#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments::saws {

/// Tables, pictures and claims of `castor experiment saws`, for the machines and policies that were run. False if an
/// invariant is broken: without barriers SAWS must run as GTO.
[[nodiscard]] bool report_saws(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::saws

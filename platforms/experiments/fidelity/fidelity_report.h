#pragma once

#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/fidelity/published.h"

namespace castor::platforms::experiments::fidelity {

/// Writes tables and pictures of the machines that were run; runs of one machine are grouped. Returns false if a row
/// lacks a required reason, or a benchmark did not print a figure.
[[nodiscard]] bool report_fidelity(const workloads::fidelity::Published& published, const std::vector<Run>& runs,
                                   Output& output);

}  // namespace castor::platforms::experiments::fidelity

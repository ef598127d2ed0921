#pragma once

#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/fidelity/published.h"

namespace castor::platforms::experiments::fidelity {

/// Tables and pictures of the machines that were run; runs of one machine stand together. False if a row lacks its
/// reason, or a benchmark a figure.
[[nodiscard]] bool report_fidelity(const workloads::fidelity::Published& published, const std::vector<Run>& runs,
                                   Output& output);

}  // namespace castor::platforms::experiments::fidelity

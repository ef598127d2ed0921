#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/claim.h"
#include "workloads/spread.h"

namespace castor::platforms::experiments {

/// Returns "mean ±deviation", both multiplied by `scale`; only the mean if there is a single run, "" if there is no
/// run.
[[nodiscard]] std::string with_spread(const workloads::Spread& spread, int digits, double scale = 1);

/// Returns a summary such as "Claims: 12 reproduced, 8 by construction, 1 not reproduced." `verdicts`: verdict of each
/// claim. Verdicts without a claim are omitted.
[[nodiscard]] std::string claims_summary(const std::vector<std::string>& verdicts);

/// Adds one row for each claim that the runs measure (or for every claim if the output wants all), and the number of
/// other claims. Then lists `broken`, and the claims that are invariants and do not hold. Returns false if either list
/// is not empty.
[[nodiscard]] bool report_claims(const std::vector<workloads::Claim>& claims, const std::vector<std::string>& broken,
                                 Output& output);

}  // namespace castor::platforms::experiments

#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/output.h"
#include "workloads/claim.h"
#include "workloads/spread.h"

namespace castor::platforms::experiments {

/// "mean ±deviation", both times `scale`; the mean alone of a single run, "" of none.
[[nodiscard]] std::string with_spread(const workloads::Spread& spread, int digits, double scale = 1);

/// "Claims: 12 reproduced, 8 by construction, 1 not reproduced.", of the words for verdicts; those that no claim has
/// are left out.
[[nodiscard]] std::string claims_summary(const std::vector<std::string>& verdicts);

/// One row for each claim that the runs measure (for every one if the output wants that), and how many others there
/// are; then what is `broken`: invariants among the claims that do not hold, and what else the runs
/// must keep. False if anything is.
[[nodiscard]] bool report_claims(const std::vector<workloads::Claim>& claims, const std::vector<std::string>& broken,
                                 Output& output);

}  // namespace castor::platforms::experiments

#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments {

/// Returns how claims that were pasted into a page, before their runs are kept, differ from the rules of today: claims
/// that are missing or unknown, other words for claim, source or rule, "reproduced" where a claim holds by
/// construction, a summary that does not count the rows. `reported`: what the experiment reports without a run.
[[nodiscard]] std::vector<std::string> pasted_claims_problems(const std::string& content, const Output& reported);

}  // namespace castor::platforms::experiments

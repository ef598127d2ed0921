#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/output.h"

namespace castor::platforms::experiments {

/// Returns how claims that were pasted into a page, before their runs are stored, differ from the current rules.
/// Differences are missing or unknown claims, other texts for claim, source or rule, "reproduced" where a claim holds
/// by construction, and a summary that does not match the rows. `reported`: the experiment's report without runs.
[[nodiscard]] std::vector<std::string> pasted_claims_problems(const std::string& content, const Output& reported);

}  // namespace castor::platforms::experiments

#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Returns the runs as a table of comma-separated values, from which `read_runs` restores them. There is a row for each
/// run, and columns run, parameters/NAME and result/NAME. An object has a column for each part
/// (result/barrier_waits/from_1); a list is one cell of JSON. A cell that is valid JSON is that value, any other cell
/// is a string, and an empty cell means that the value is missing. The parameter "file", a digest of the program that
/// was run, is omitted because it depends on the host.
[[nodiscard]] std::string write_runs(const std::vector<Run>& runs);

/// Parses a table that `write_runs` has returned. `name`: file name for messages. Throws InputError.
[[nodiscard]] std::vector<Run> read_runs(const std::string& text, const std::string& name);

}  // namespace castor::platforms::experiments

#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Runs as a table of comma-separated values from which `read_runs` makes them again: a row for each run, and columns
/// run, parameters/NAME, result/NAME. An object has a column for each part (result/barrier_waits/from_1), a list is one
/// cell of JSON. A cell that is JSON is that value, any other one is a string; an empty one is not there. The parameter
/// "file", a digest of the program that was run, is left out: it depends on the host.
[[nodiscard]] std::string write_runs(const std::vector<Run>& runs);

/// The runs of such a table. `name`: of the file, for errors. Errors: InputError.
[[nodiscard]] std::vector<Run> read_runs(const std::string& text, const std::string& name);

}  // namespace castor::platforms::experiments

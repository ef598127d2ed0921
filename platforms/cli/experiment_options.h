#pragma once

#include <string>
#include <vector>

#include "platforms/cli/experiment_titles.h"

namespace castor::platforms::cli {

/// Returns the help of an experiment as castor-experiment prints it; only title and usage if its folder has no
/// options.json.
[[nodiscard]] std::string experiment_help(const ExperimentTitle& experiment);

/// Checks the words behind the name of an experiment without castor-experiment. Throws InputError for an option that
/// the experiment does not have, and for a value that is not among the option's words or outside its range. Other
/// values, such as files and machine keys, are left to castor-experiment.
void check_experiment_words(const ExperimentTitle& experiment, const std::vector<std::string>& words);

}  // namespace castor::platforms::cli

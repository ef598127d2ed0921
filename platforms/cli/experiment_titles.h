#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// An experiment as castor knows it before its program is built.
struct ExperimentTitle {
  const char* name;     ///< name of its folder below platforms/experiments
  const char* title;    ///< line of its title.txt
  const char* options;  ///< its options.json: help, and the words and numbers that each option takes
};

/// Returns all experiments, sorted by name. The source is generated when the build is configured.
[[nodiscard]] const std::vector<ExperimentTitle>& experiment_titles();

/// Returns the title of an experiment. Throws base::InputError for an unknown name.
[[nodiscard]] std::string experiment_title(const std::string& name);

}  // namespace castor::platforms::cli

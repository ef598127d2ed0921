#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// An experiment: the name of its folder below platforms/experiments and its title.
struct ExperimentTitle {
  const char* name;     ///< name of the folder
  const char* title;    ///< line of its title.txt
  const char* options;  ///< names of its options, such as "-o --out", with a blank between them
};

/// Returns all experiments, sorted by name. The source is generated when the build is configured.
[[nodiscard]] const std::vector<ExperimentTitle>& experiment_titles();

/// Returns the title of an experiment. Throws base::InputError for an unknown name.
[[nodiscard]] std::string experiment_title(const std::string& name);

}  // namespace castor::platforms::cli

#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// An experiment, as its folder below platforms/experiments has it.
struct ExperimentTitle {
  const char* name;   ///< of the folder
  const char* title;  ///< the line of its title.txt
};

/// All of them, by name. The source is written when the build is configured.
[[nodiscard]] const std::vector<ExperimentTitle>& experiment_titles();

/// The title of one. Errors: base::InputError for a name that has none.
[[nodiscard]] std::string experiment_title(const std::string& name);

}  // namespace castor::platforms::cli

#pragma once

#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// Returns the variations of --vary key=value,value,...: "key=value" for each value, or one empty text if `vary` is
/// empty. Throws InputError if there is no value.
[[nodiscard]] std::vector<std::string> read_variations(const std::string& vary);

/// Returns `settings` with the variation appended, unless the variation is empty.
[[nodiscard]] std::vector<std::string> with_variation(std::vector<std::string> settings, const std::string& variation);

/// Throws InputError if an argument does not have the form name=value, in which --argument passes it to programs.
void check_arguments(const std::vector<std::string>& arguments);

}  // namespace castor::platforms::experiments

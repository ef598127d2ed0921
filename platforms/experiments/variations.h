#pragma once

#include <string>
#include <vector>

namespace castor::platforms::experiments {

/// What --vary key=value,value,... asks for: "key=value" once for each value; one empty text if it asks for nothing.
/// Errors: InputError without a value.
[[nodiscard]] std::vector<std::string> read_variations(const std::string& vary);

/// `settings` with a variation, if it is none behind them.
[[nodiscard]] std::vector<std::string> with_variation(std::vector<std::string> settings, const std::string& variation);

/// Errors: InputError if one of `arguments` is not name=value, as --argument hands it on to programs.
void check_arguments(const std::vector<std::string>& arguments);

}  // namespace castor::platforms::experiments

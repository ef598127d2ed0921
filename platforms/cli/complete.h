#pragma once

#include <string>
#include <vector>

#include "platforms/cli/entry.h"

namespace castor::platforms::cli {

/// Names of the commands below one that are listed, in their order.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& command);
/// "--platform", "-p" and so on, in the order of the help.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);

/// Words that complete the last of `words` (those behind the program's name), sorted as they are to be shown. A word
/// that ends in '=' is to be typed on; ":files" says that a file may stand there.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                                   const ValueWords& values);

/// Prints them, one a line, if the arguments are "complete -- WORDS".
[[nodiscard]] bool serve_completion(const CLI::App& app, const std::vector<std::string>& arguments,
                                    const ValueWords& values);

}  // namespace castor::platforms::cli

#pragma once

#include <string>
#include <vector>

#include "platforms/cli/entry.h"

namespace castor::platforms::cli {

/// Returns the names of the listed subcommands of a command, in their order.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& command);
/// Returns the option names of a command, such as "--platform" and "-p", in the order of the help.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);

/// Returns the words to which an option restricts its value (CLI::IsMember), such as those of --describe of cosim.
[[nodiscard]] std::vector<std::string> checked_words(const CLI::Option& option);

/// Throws InputError, which lists the known words, if a word is not among them. `what`: description such as "workload".
void check_word(const std::string& word, const std::vector<std::string>& known, const std::string& what);

/// Returns the words that complete the last of `words` (the words after the program's name), in the order of display.
/// After a word that ends in '=' the user continues typing. The word ":files" means that a file name may follow.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                                   const ValueWords& values);

/// Prints the completions, one per line, if the arguments are "complete -- WORDS". Returns false for other arguments.
[[nodiscard]] bool serve_completion(const CLI::App& app, const std::vector<std::string>& arguments,
                                    const ValueWords& values);

}  // namespace castor::platforms::cli

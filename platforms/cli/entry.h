#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace castor::platforms::cli {

/// Exit codes of every command. kFailed: the object under test failed. kWrongRequest: the request was wrong. A process
/// that a signal ends has 128 + signal, as in a shell: 130 for Ctrl-C, 143 for SIGTERM.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;

/// A position in the command line at which a word is to be completed.
struct Place {
  std::string command;  ///< "run", "list blocks"; empty before the first command
  std::string option;   ///< long name of the option that takes the word as its value, "--platform"; empty: a positional
  std::size_t position = 0;        ///< index of the positional, from 0
  std::vector<std::string> given;  ///< positional arguments before this word
  std::string word;                ///< part of the word that has been typed
};
/// Returns the words that may occur at a position of the command line; empty where only the user knows them.
using ValueWords = std::function<std::vector<std::string>(const Place&)>;

/// Implements a program's main(), with its arguments (without the program's name). Parses the arguments, which calls
/// the callbacks of the given subcommands, and returns the `result` that they set. An exception is printed as one line
/// on stderr and determines the exit code. The message about an unknown word suggests similar known words. "help
/// COMMAND" means "COMMAND --help"; "complete -- WORDS" serves the completion of shells.
[[nodiscard]] int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& result,
                                const ValueWords& values = {});

}  // namespace castor::platforms::cli

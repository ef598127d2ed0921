#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace castor::platforms::cli {

/// Exit codes of every command: the thing under test failed; the request was wrong. A signal that ends one adds 128, as
/// a shell does: 130 for Ctrl-C, 143 for SIGTERM.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;

/// A place of the command line where a word is to be completed.
struct Place {
  std::string command;             ///< "run", "list blocks"; empty in front of any
  std::string option;              ///< long name of the option whose value it is: "--platform"; empty: a positional
  std::size_t position = 0;        ///< of a positional, from 0 on
  std::vector<std::string> given;  ///< positionals in front of it
  std::string word;                ///< as far as it is typed
};
/// Words that may stand at a place. Nothing where only the user knows.
using ValueWords = std::function<std::vector<std::string>(const Place&)>;

/// What a program's main() does with its arguments (without the program's name): parses them, which calls the callbacks
/// of the subcommands given, and returns `result` as they left it; an exception becomes one line on stderr and its exit
/// code. A word that nothing is called is named, with what it may have been meant to be. "help COMMAND" is
/// "COMMAND --help"; "complete -- WORDS" serves the completion of shells.
[[nodiscard]] int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& result,
                                const ValueWords& values = {});

}  // namespace castor::platforms::cli

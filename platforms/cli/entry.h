#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace castor::platforms::cli {

/// Exit codes of every command: the thing under test failed; the request was wrong.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;
inline constexpr int kInterrupted = 130;  ///< by SIGINT, as a shell reports it

/// What a program's main() does with its arguments (without the program's name): parses them, which calls the callbacks
/// of the subcommands given, and returns `result` as they left it; an exception becomes one line on stderr and its exit
/// code.
[[nodiscard]] int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& result);

}  // namespace castor::platforms::cli

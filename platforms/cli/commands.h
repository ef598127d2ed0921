#pragma once

#include <CLI/CLI.hpp>

namespace castor::platforms::cli {

/// Exit codes of every command: the thing under test failed; the request was wrong.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;

/// Each adds its subcommand; when it was given on the command line, its callback stores the exit code in `result`.
void add_run(CLI::App& app, int& result);
void add_list(CLI::App& app, int& result);

}  // namespace castor::platforms::cli

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace castor::platforms::cli {

/// Exit codes of every command: the thing under test failed; the request was wrong.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;
inline constexpr int kInterrupted = 130;  ///< by SIGINT, as a shell reports it

/// Each adds its subcommand; when it was given on the command line, its callback stores the exit code in `result`.
void add_run(CLI::App& app, int& result);
void add_list(CLI::App& app, int& result);
void add_elaborate(CLI::App& app, int& result);
void add_experiment(CLI::App& app, int& result);
void add_cosim(CLI::App& app, int& result);
void add_wave(CLI::App& app, int& result);

/// Prints the hardware blocks, their parameter sets and the evidence recorded for each.
void list_blocks(bool json);

/// Adds area, prove, netlist and mutate. Given one, the process becomes that flow (docs/guides/flows.md) and has its
/// exit code.
void add_flows(CLI::App& app);

/// What stands behind the program in `castor run [options] program ...` belongs to the program: a "--" is put before
/// it. Behind a PTX file options go on.
[[nodiscard]] std::vector<std::string> protect_program_arguments(std::vector<std::string> arguments);

}  // namespace castor::platforms::cli

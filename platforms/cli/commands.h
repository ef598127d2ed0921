#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "platforms/cli/entry.h"

namespace castor::platforms::cli {

/// Each adds its subcommand; when it was given on the command line, its callback stores the exit code in `result`.
void add_run(CLI::App& app, int& result);
void add_list(CLI::App& app, int& result);
void add_elaborate(CLI::App& app, int& result);
void add_cosim(CLI::App& app, int& result);
void add_wave(CLI::App& app, int& result);
void add_new_block(CLI::App& app, int& result);

/// Adds --mangled: names of kernels stay as they are in PTX.
void add_mangled(CLI::App& command);
/// Adds help, which `parse_and_run` serves.
void add_help(CLI::App& app);
/// Adds manual, which is not listed: man pages of all commands are written to a folder. For the build.
void add_manual(CLI::App& app, int& result);

/// Prints the hardware blocks, their parameter sets and the evidence recorded for each; of one alone (`only`) its keys,
/// claims and statistics too. With `markdown` nothing but these, for its document. A block that cannot be read is said
/// in a line, and the others are printed; the exit code returned is then kWrongRequest.
[[nodiscard]] int list_blocks(const std::string& only, bool json, bool markdown);

/// Adds area, prove, netlist and the like. Given one, the process becomes that flow (docs/guides/flows.md) and has its
/// exit code.
void add_flows(CLI::App& app);
/// Program and arguments of a flow; the environment tells it where it belongs. Errors: InputError if flows are not
/// installed.
[[nodiscard]] std::vector<std::string> flow_command(const std::string& flow, const std::vector<std::string>& words);

/// Serves the completion of `castor experiment ...`: what that program says. False for other commands.
[[nodiscard]] bool complete_experiment(const std::vector<std::string>& arguments);
/// Words that may stand at a place of the command line.
[[nodiscard]] std::vector<std::string> value_words(const Place& place);
/// Hooks with a template of castor new-block, in alphabetical order.
[[nodiscard]] std::vector<std::string> served_hooks();

/// Adds experiment. Given it, the process becomes the program castor-experiment (docs/guides/experiments.md).
void add_experiment(CLI::App& app);

/// What stands behind the program in `castor run [options] program ...` belongs to the program: a "--" is put before
/// it. Behind a PTX file options go on.
[[nodiscard]] std::vector<std::string> protect_program_arguments(std::vector<std::string> arguments);

}  // namespace castor::platforms::cli

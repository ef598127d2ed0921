#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "platforms/cli/entry.h"

namespace castor::platforms::cli {

/// Each function adds its subcommand to `app`. The subcommand's callback stores the exit code in `result`.
void add_run(CLI::App& app, int& result);
void add_list(CLI::App& app, int& result);
void add_elaborate(CLI::App& app, int& result);
void add_cosim(CLI::App& app, int& result);
void add_wave(CLI::App& app, int& result);
void add_new_block(CLI::App& app, int& result);

/// Adds the option --mangled: names of kernels are printed as they are in PTX.
void add_mangled(CLI::App& command);
/// Adds the subcommand help, which `parse_and_run` serves.
void add_help(CLI::App& app);
/// Adds the hidden subcommand manual, which writes man pages of all commands to a folder. The build uses it.
void add_manual(CLI::App& app, int& result);

/// Prints the hardware blocks, their parameter sets and the recorded evidence. For a single block (`only`) prints its
/// keys, claims and statistics too; with `markdown` prints only keys, claims and statistics, for the block's document.
/// Reports an unreadable block in one line, prints the others, and returns kWrongRequest.
[[nodiscard]] int list_blocks(const std::string& only, bool json, bool markdown);

/// Adds the subcommands area, prove, netlist and the other flows. Such a subcommand replaces the process by the flow
/// (docs/guides/flows.md), whose exit code it returns.
void add_flows(CLI::App& app);
/// Returns program and arguments of a flow, and sets the environment variables that tell the flow its installation.
/// Throws InputError if flows are not installed.
[[nodiscard]] std::vector<std::string> flow_command(const std::string& flow, const std::vector<std::string>& words);

/// Completes `castor experiment ...` by running castor-experiment. Returns false for other commands.
[[nodiscard]] bool complete_experiment(const std::vector<std::string>& arguments);
/// Returns the words that may occur at a position of the command line.
[[nodiscard]] std::vector<std::string> value_words(const Place& place);
/// Returns the hooks for which castor new-block has a template, in alphabetical order.
[[nodiscard]] std::vector<std::string> served_hooks();

/// Adds the subcommand experiment, which replaces the process by the program castor-experiment
/// (docs/guides/experiments.md).
void add_experiment(CLI::App& app);

/// Inserts "--" before the program in `castor run [options] program ...`, so that all words after the program are the
/// program's arguments. A PTX file may be followed by more options; then nothing is inserted.
[[nodiscard]] std::vector<std::string> protect_program_arguments(std::vector<std::string> arguments);

}  // namespace castor::platforms::cli

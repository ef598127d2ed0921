// castor manual FOLDER: writes man pages, generated from the commands and their help. The build calls it.

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/output_file.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/complete.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;

/// Escapes a text so that roff prints it unchanged: no requests, no escape sequences, hyphens that can be copied.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string head(const std::string& name, const std::string& meaning) {
  return ".TH " + upper(roff(name)) + " 1 \"\" \"Castor " CASTOR_VERSION "\" \"Castor\"\n.SH NAME\n" + roff(name) +
         " \\- " + roff(meaning) + "\n";
}

/// Returns roff for lines that must not be filled.
std::string verbatim(const std::string& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string option_text(const CLI::Option& option) {
  const bool positional = option.get_lnames().empty() && option.get_snames().empty();
  std::string names = positional ? option.get_name() : std::string();
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  std::string value = positional || option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  std::string text = ".TP\n.B " + roff(names) + (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n";
  std::string meaning = option.get_description();
  if (!option.get_default_str().empty()) meaning += " (default: " + option.get_default_str() + ")";
  for (char& c : meaning) {
    if (c == '\n') c = ' ';
  }
  return text + roff(meaning) + "\n";
}

std::string synopsis(const CLI::App& command, const std::string& words) {
  std::string text = ".B " + roff(words) + "\n";
  if (!command.get_options().empty()) text += "[\\fIoptions\\fR]\n";
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + roff(option->get_name()) + "\\fR";
    text += option->get_required() ? name + "\n" : "[" + name + "]\n";
  }
  if (!command_names(command).empty()) text += "\\fIcommand\\fR\n";
  return text;
}

std::string options_text(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* const option : command.get_options()) text += option_text(*option);
  return text;
}

/// Returns the synopsis, options, subcommands and footer of a command.
std::string body(const CLI::App& command, const std::string& words) {
  std::string text = ".SH SYNOPSIS\n" + synopsis(command, words);
  if (!command.get_options().empty()) text += ".SH OPTIONS\n" + options_text(command);
  const auto below = command.get_subcommands([](const CLI::App*) { return true; });
  bool first = true;
  for (const CLI::App* const one : below) {
    if (one->get_group().empty()) continue;
    if (first) text += ".SH COMMANDS\n";
    first = false;
    text += ".SS " + roff(words + " " + one->get_name()) + "\n" + roff(one->get_description()) + ".\n";
    if (command.get_parent() == nullptr) {
      text += "See\n.BR castor\\-" + roff(one->get_name()) + " (1).\n";
    } else {
      text += ".PP\n" + synopsis(*one, words + " " + one->get_name()) + options_text(*one);
      if (!one->get_footer().empty()) text += ".PP\n" + verbatim(one->get_footer());
    }
  }
  if (!command.get_footer().empty()) text += ".SH NOTES\n" + verbatim(command.get_footer());
  return text;
}

/// Returns the help text that a program prints, unchanged.
std::string help_of(std::vector<std::string> program) {
  program.emplace_back("--help");
  ::setenv("COLUMNS", "80", 1);
  const base::Answer answer = base::run(std::move(program));
  if (answer.status != 0) throw base::InputError("a program does not print its help", "the lines above say why");
  return ".SH DESCRIPTION\n" + verbatim(answer.text);
}

void write_page(const fs::path& folder, const std::string& name, const std::string& text) {
  base::write_file(folder / (name + ".1"), text);
}

int write_manual(const CLI::App& app, const std::string& to) {
  const fs::path folder = to;
  std::error_code error;
  fs::create_directories(folder, error);
  write_page(folder, "castor",
             head("castor", "GPU hardware blocks and a GPU platform that runs CUDA programs") + body(app, "castor"));
  for (const CLI::App* const one : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = one->get_name();
    if (one->get_group().empty() || name == "help") continue;
    std::string page = head("castor-" + name, one->get_description());
    if (!one->get_prefix_command()) {
      page += body(*one, "castor " + name);
      if (name == "experiment") {
        page += ".SH DESCRIPTION\ncastor experiment \\fIname\\fR \\-\\-help lists the options of an experiment.\n";
      }
    } else {
      page += help_of(flow_command(name, {}));
    }
    write_page(folder, "castor-" + name, page + ".SH SEE ALSO\n.BR castor (1)\n");
  }
  const fs::path compiler = fs::read_symlink("/proc/self/exe", error).parent_path() / "castor-cc";
  if (fs::exists(compiler, error)) {
    write_page(folder, "castor-cc",
               head("castor-cc", "compile CUDA C++ and OpenCL C for Castor") + help_of({compiler.string()}) +
                   ".SH SEE ALSO\n.BR castor (1)\n");
  }
  return kGood;
}

}  // namespace

void add_manual(CLI::App& app, int& result) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand("manual", "Write man pages of all commands to a folder");
  command->group("");
  command->add_option("folder", *folder, "Folder")->required();
  command->callback([folder, &app, &result] { result = write_manual(app, *folder); });
}

void add_help(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("help", "Print the help of a command: castor help run");
  command->add_option("command", "The command")->expected(0, -1);
}

void add_mangled(CLI::App& command) {
  command.add_flag_callback(
      "--mangled", [] { ::setenv("CASTOR_MANGLED", "1", 1); },
      "Print the names of kernels as in the PTX, not demangled");
}

}  // namespace castor::platforms::cli

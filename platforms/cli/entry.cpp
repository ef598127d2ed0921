#include "platforms/cli/entry.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/output_file.h"
#include "castor/base/terminal.h"
#include "castor/base/words.h"
#include "platforms/cli/complete.h"

namespace castor::platforms::cli {
namespace {

constexpr std::size_t kColumns = 100;  // columns of a help text

/// Breaks a text into lines of at most `columns` characters, at blanks where possible.
std::string wrapped(const std::string& text, std::size_t columns) {
  std::string result, line;
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    while (one.size() > columns) {
      const std::size_t blank = one.rfind(' ', columns);
      const std::size_t end = blank == std::string::npos || blank == 0 ? columns : blank;
      result += one.substr(0, end) + "\n";
      one.erase(0, one[end] == ' ' ? end + 1 : end);
    }
    result += one + "\n";
  }
  if (!result.empty()) result.pop_back();
  return result;
}

/// Formatter of CLI11's help, with lines no wider than kColumns.
class Narrow final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option), kColumns - get_column_width());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(),
                             wrapped(command->get_description(), kColumns - get_column_width()), get_column_width());
    return out.str();
  }
  std::string make_description(const CLI::App* command) const override {
    return wrapped(CLI::Formatter::make_description(command), kColumns) + "\n";
  }
};

void format(CLI::App& app, const std::shared_ptr<Narrow>& formatter) {
  app.formatter(formatter);
  for (CLI::App* const below : app.get_subcommands([](CLI::App*) { return true; })) format(*below, formatter);
}

/// A command on the command line, with the words that lead to it: "castor list platforms".
struct Given {
  const CLI::App* command;
  std::string words;
};

/// Returns the chain of commands on the command line, from the program itself to the innermost subcommand.
std::vector<Given> given_commands(const CLI::App& app) {
  std::vector<Given> given{{&app, app.get_name()}};
  while (!given.back().command->get_subcommands().empty()) {
    const CLI::App* const next = given.back().command->get_subcommands().back();
    given.push_back({next, given.back().words + " " + next->get_name()});
  }
  return given;
}

/// Returns the first word that a command does not know; empty if it knows all words.
std::string unknown_word(const CLI::App& command) {
  for (const std::string& word : command.remaining()) {
    if (word != "--") return word;
  }
  return {};
}

/// Returns the error for a word that is not the name of a command or option.
base::InputError unknown(const CLI::App& command, const std::string& words, const std::string& word) {
  const std::string see = words + " --help lists ";
  if (word.size() > 1 && word[0] == '-') {
    const std::string option = word.substr(0, word.find('='));
    return base::InputError(words + " has no option " + base::printable(option),
                            base::did_you_mean(option, option_names(command), " ") + see + "them");
  }
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) {
    return base::InputError(words + " does not expect '" + base::printable(word) + "'",
                            see + "its options and arguments");
  }
  return base::InputError(words + " has no command '" + base::printable(word) + "'",
                          base::did_you_mean(word, commands, " ") + see + "them");
}

/// Replaces "help run" by "run --help".
void turn_help(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "help") return;
  arguments.erase(arguments.begin());
  if (!arguments.empty() && arguments[0] == "help") arguments.clear();
  if (std::find(arguments.begin(), arguments.end(), "--help") == arguments.end()) arguments.emplace_back("--help");
}

void parse(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 expects the arguments in reverse order
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    const std::vector<Given> given = given_commands(app);
    for (const auto& [command, words] : given) {
      if (const std::string word = unknown_word(*command); !word.empty()) throw unknown(*command, words, word);
    }
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return;
    }
    throw base::InputError(error.what(), given.back().words + " --help lists options and arguments");
  }
}

}  // namespace

int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& result, const ValueWords& values) {
  try {
    if (!serve_completion(app, arguments, values)) {
      turn_help(arguments);
      format(app, std::make_shared<Narrow>());
      parse(app, std::move(arguments));
    }
    base::finish_output();
  } catch (const base::InputError& error) {
    base::complain(error.what());
    return kWrongRequest;
  } catch (const base::Interrupted& error) {
    base::complain(error.what());
    return 128 + error.signal();
  } catch (const std::exception& error) {
    base::complain(error.what());
    return kFailed;
  }
  return result;
}

}  // namespace castor::platforms::cli

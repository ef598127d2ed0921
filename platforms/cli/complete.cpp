// Completion of the command line for shells, from the tree of commands and options.

#include "platforms/cli/complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::platforms::cli {
namespace {

constexpr const char* kFiles = ":files";

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* const option : command.get_options()) {
    if (name.size() > 2 && name[1] == '-' ? option->check_lname(name.substr(2))
                                          : name.size() == 2 && option->check_sname(name.substr(1))) {
      return option;
    }
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// State after all words before the word to be completed: the current command, and the position in its arguments.
struct Walk {
  const CLI::App* command;
  Place place;
  const CLI::Option* option = nullptr;  ///< option that waits for its value; null if none
  bool plain = false;                   ///< true after "--": the words are not options
};

Walk walk(const CLI::App& app, const std::vector<std::string>& words) {
  Walk at{&app, {}};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (at.option != nullptr) {
      at.option = nullptr;
    } else if (word == "--") {
      at.plain = true;
    } else if (!at.plain && word.size() > 1 && word[0] == '-') {
      const bool attached = word.find('=') != std::string::npos || (word[1] != '-' && word.size() > 2);
      const CLI::Option* const option = attached ? nullptr : find_option(*at.command, word);
      if (option != nullptr && takes_value(*option)) at.option = option;
    } else {
      const auto below = at.command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
      if (!at.plain && !below.empty() && at.place.given.empty()) {
        at.command = below.front();
        at.place.command += (at.place.command.empty() ? "" : " ") + word;
      } else {
        at.place.given.push_back(word);
      }
    }
  }
  return at;
}

void add_matching(std::vector<std::string>& result, const std::vector<std::string>& words, const std::string& begin,
                  const std::string& prefix = {}) {
  for (const std::string& word : words) {
    const bool fits = word == kFiles || word.compare(0, begin.size(), begin) == 0;
    if (fits) result.push_back(word == kFiles ? word : prefix + word);
  }
}

std::vector<std::string> words_of(Place place, const CLI::Option* option, const ValueWords& values) {
  std::vector<std::string> words;
  if (option != nullptr) {
    const auto& names = option->get_lnames();
    place.option = names.empty() ? "-" + option->get_snames().front() : "--" + names.front();
    words = checked_words(*option);
  }
  place.position = place.given.size();
  if (words.empty() && values) words = values(place);
  if (words.empty() && option != nullptr && option->get_type_name().find("FILE") != std::string::npos) {
    words.emplace_back(kFiles);
  }
  return words;
}

}  // namespace

std::vector<std::string> checked_words(const CLI::Option& option) {
  const std::string text = option.get_type_name();
  const std::size_t open = text.find('{'), close = text.find('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  std::string word;
  for (std::size_t at = open + 1; at <= close; ++at) {
    if (text[at] == ',' || text[at] == '}') {
      words.push_back(std::move(word));
      word.clear();
    } else {
      word += text[at];
    }
  }
  return words;
}

void check_word(const std::string& word, const std::vector<std::string>& known, const std::string& what) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw base::InputError("no " + what + " '" + base::printable(word) + "'", "known are " + base::joined(known, ", "));
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_group().empty()) names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const ValueWords& values) {
  std::vector<std::string> result;
  if (words.empty()) return result;
  Walk at = walk(app, words);
  const std::string& word = words.back();
  at.place.word = word;
  if (at.option != nullptr) {
    add_matching(result, words_of(at.place, at.option, values), word);
    return result;
  }
  const std::size_t equals = word.find('=');
  if (!at.plain && word.rfind("--", 0) == 0 && equals != std::string::npos) {
    const CLI::Option* const option = find_option(*at.command, word.substr(0, equals));
    if (option == nullptr) return result;
    at.place.word = word.substr(equals + 1);
    add_matching(result, words_of(at.place, option, values), at.place.word, word.substr(0, equals + 1));
    return result;
  }
  if (!at.plain && !word.empty() && word[0] == '-') {
    // A command that is a program of its own has no options here; `values` asks that program for them.
    const std::vector<std::string> own = option_names(*at.command);
    add_matching(result, own.empty() ? words_of(at.place, nullptr, values) : own, word);
    return result;
  }
  if (at.place.given.empty()) add_matching(result, command_names(*at.command), word);
  add_matching(result, words_of(at.place, nullptr, values), word);
  return result;
}

bool serve_completion(const CLI::App& app, const std::vector<std::string>& arguments, const ValueWords& values) {
  if (arguments.size() < 3 || arguments[0] != "complete" || arguments[1] != "--") return false;
  for (const std::string& word : completions(app, {arguments.begin() + 2, arguments.end()}, values)) {
    std::printf("%s\n", word.c_str());
  }
  return true;
}

}  // namespace castor::platforms::cli

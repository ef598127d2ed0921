#include "platforms/cli/experiment_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "platforms/cli/complete.h"

namespace castor::platforms::cli {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// Returns the names of an option, such as "-w" and "--workload"; the long name stands last.
Words names_of(const Json& option) {
  Words names;
  std::istringstream text(option.at("names").get<std::string>());
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

/// Returns the option of that name; null if there is none.
const Json* find_option(const Json& options, const std::string& name) {
  for (const Json& option : options) {
    const Words names = names_of(option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

/// Returns whether one of the words is the option of that long name, with or without a value behind it.
bool has_option(const Words& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.compare(0, name.size() + 1, name + "=") == 0;
  });
}

[[noreturn]] void refuse_option(const ExperimentTitle& experiment, const Json& options, const std::string& name) {
  std::string all;
  for (const Json& option : options) {
    for (const std::string& one : names_of(option)) all += (all.empty() ? "" : " ") + one;
  }
  throw base::InputError("experiment " + std::string(experiment.name) + " has no option " + base::printable(name, 80),
                         "its options are " + all);
}

void check_number(const Json& option, const std::string& value) {
  const std::uint64_t least = option.at("least").get<std::uint64_t>(), most = option.at("most").get<std::uint64_t>();
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stop == end && number >= least && number <= most) return;
  throw base::InputError(names_of(option).back() + " does not take '" + base::printable(value) + "'",
                         "whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
}

/// Splits a word that begins with '-' into the option's name and the value behind it: --seeds=3, -n3. The value is
/// empty if there is none.
std::pair<std::string, std::string> split(const std::string& word) {
  if (word[1] != '-') return {word.substr(0, 2), word.substr(2)};
  const std::size_t equals = word.find('=');
  return {word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1)};
}

}  // namespace

std::string experiment_help(const ExperimentTitle& experiment) {
  const Json known = Json::parse(experiment.options);
  if (known.contains("help")) return base::joined(known["help"].get<Words>(), "\n") + "\n";
  return std::string(experiment.title) + "\nUsage: castor experiment " + experiment.name + " [OPTIONS]\n";
}

void check_experiment_words(const ExperimentTitle& experiment, const Words& words) {
  const Json known = Json::parse(experiment.options);
  if (!known.contains("options")) return;
  const Json& options = known["options"];
  const auto check = [&](const Json* option, const std::string& value) {
    if (option == nullptr || value.empty()) return;
    if (option->contains("unless") && has_option(words, (*option)["unless"].get<std::string>())) return;
    if (option->contains("words")) {
      check_word(value, (*option)["words"].get<Words>(), option->value("what", "word of " + names_of(*option).back()));
    }
    if (option->contains("least")) check_number(*option, value);
  };
  const Json* option = nullptr;  // whose values follow
  for (const std::string& word : words) {
    if (word == "--") return;
    const bool number = word.find_first_not_of("-.0123456789") == std::string::npos;
    if (word.size() < 2 || word[0] != '-' || number) {
      check(option, word);
      continue;
    }
    const auto [name, value] = split(word);
    option = find_option(options, name);
    if (option == nullptr) refuse_option(experiment, options, name);
    // Letters behind a short flag are further flags, which castor-experiment checks.
    if (!option->contains("flag")) check(option, value);
  }
}

}  // namespace castor::platforms::cli

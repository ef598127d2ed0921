// castor-experiment, which `castor experiment` executes: comparisons of many runs.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "platforms/cli/complete.h"
#include "platforms/cli/entry.h"
#include "platforms/cli/experiment_titles.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/page.h"
#include "platforms/experiments/page_command.h"

namespace castor::platforms::experiments {
namespace {

using Words = std::vector<std::string>;

/// Options that every experiment has.
struct Common {
  RunnerOptions runner;
  bool quiet = false, all_claims = false, redraw = false;
  std::string record, docs;
  bool page = false, check = false, again = false;
};

/// Throws InputError if options select runs although the command runs nothing. `why`: message that names the option
/// because of which nothing is run.
void refuse_choices(const CLI::App& app, const Words& harmless, const char* why) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = "--" + option->get_single_name();
    if (std::find(harmless.begin(), harmless.end(), name) != harmless.end()) continue;
    throw base::InputError(why, "leave out " + name);
  }
}

/// Throws InputError if an option has a word that is not in its list.
void check_words(const CLI::App& app, const Experiment& experiment) {
  for (const Choices& one : experiment.choices()) {
    if (*one.unless != '\0' && app.count(one.unless) != 0) continue;
    const CLI::Option* const option = app.get_option(one.option);
    if (option->count() != 0) check_names(option->results(), one.words, one.what);
  }
}

void check_modes(const CLI::App& app, const Common& options) {
  if (options.check && !options.page) throw base::InputError("--check is for --page", "--page --check");
  if (options.redraw) {
    refuse_choices(app, {"--out", "--quiet", "--all-claims", "--redraw", "--energy", "--data", "--programs"},
                   "--redraw runs nothing and takes the runs that lie in the folder");
  } else if (options.page) {
    refuse_choices(app, {"--page", "--check", "--docs"}, "--page runs nothing and takes the runs that are kept");
  } else if (options.again) {
    refuse_choices(app, {"--again", "--docs", "--out", "--workers"}, "--again repeats the commands of kept runs");
  }
}

/// Returns the command line words to be recorded in a page, without those that do not affect figures.
Words command_of(const Words& all) {
  static const Words kFlags = {"--fresh", "--quiet", "-q", "--all-claims"};
  static const Words kWithValue = {"--out", "-o", "--workers", "-j", "--docs", "--programs"};
  const auto is_one = [](const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  Words out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all[i].substr(0, all[i].find('='));
    const bool record = name == "--record";
    if (is_one(kFlags, name)) continue;
    if (!record && !is_one(kWithValue, name)) {
      out.push_back(all[i]);
      continue;
    }
    const bool value_follows = i + 1 < all.size() && (!record || all[i + 1][0] != '-');
    if (name == all[i] && value_follows) ++i;
  }
  return out;
}

bool report(Experiment& experiment, const std::vector<Run>& runs, const Common& options) {
  Output output(options.runner.out, !options.quiet, options.all_claims);
  const bool good = experiment.report(runs, output);
  output.data("results", runs);
  output.close("report");
  if (!options.quiet) std::printf("Results: %s/report.md, results.csv, results.json\n", options.runner.out.c_str());
  return good;
}

bool redraw(Experiment& experiment, const Common& options) {
  try {
    return report(experiment, stored_runs(options.runner.out), options);
  } catch (const Json::exception& error) {
    throw base::InputError("the runs in '" + base::printable(options.runner.out, std::string::npos) +
                               "' are not those of this experiment, or are those of another version: " + error.what(),
                           "without --redraw they are run again");
  }
}

bool run(Experiment& experiment, Common& options, const Words& words) {
  std::vector<Run> runs = experiment.runs(options.runner.workers);
  options.runner.progress = isatty(STDERR_FILENO) != 0;
  execute_all(experiment, runs, options.runner);
  const bool good = report(experiment, runs, options);
  if (!good || options.record.empty()) return good;
  return PageCommand(experiment, options.docs).record(options.record, runs, command_of(words));
}

bool command(Experiment& experiment, Common& options, const Words& words) {
  if (options.redraw) return redraw(experiment, options);
  if (!options.page && !options.again) return run(experiment, options, words);
  PageCommand page(experiment, options.docs);
  if (options.again) return page.again(options.runner.out, options.runner.workers);
  return options.check ? page.check() : page.write();
}

void add_page_options(CLI::App& app, Common& options) {
  app.add_option("--record", options.record, "Keep the runs beside the page, as this set (results), and write the page")
      ->expected(0, 1)
      ->default_str(kMainSet);
  app.add_flag("--page", options.page, "Write the page docs/results/NAME.md from the runs kept beside it");
  app.add_flag("--check", options.check, "With --page: write nothing, fail if the page is not what the kept runs give");
  app.add_flag("--again", options.again, "Run the commands of all sets beside the page, and keep what they give");
  app.add_option("--docs", options.docs, "Folder of the pages (docs/results of the sources)");
}

/// Returns the data about an option that castor needs before this program is built: its names, and either the words or
/// the range of whole numbers that it takes.
Json description_of(const CLI::Option& option, const std::vector<Choices>& choices) {
  Json row = {{"names", option.get_name(false, true)}};
  if (option.get_items_expected_max() == 0) row["flag"] = true;
  const std::string type = option.get_type_name(), kRange = " in [";
  if (const std::vector<std::string> words = cli::checked_words(option); !words.empty()) {
    row["words"] = words;
  } else if (const std::size_t at = type.find(kRange); at != std::string::npos) {
    row["least"] = std::stoull(type.substr(at + kRange.size()));
    row["most"] = std::stoull(type.substr(type.find(" - ", at) + 3));
  }
  for (const Choices& one : choices) {
    if (!option.check_lname(std::string(one.option).substr(2))) continue;
    row["what"] = one.what;
    row["words"] = one.words;
    if (*one.unless != '\0') row["unless"] = one.unless;
  }
  return row;
}

/// Prints rows of a JSON list, one per line.
void print_rows(const char* name, const Json& rows) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < rows.size(); ++i) std::printf("%s\n  %s", i == 0 ? "" : ",", rows[i].dump().c_str());
  std::printf("\n]");
}

/// Prints the contents of an experiment's options.json.
void describe(const CLI::App& app, const Experiment& experiment) {
  Json help = Json::array(), options = Json::array();
  std::istringstream text(app.help("castor experiment"));
  for (std::string line; std::getline(text, line);) help.push_back(line);
  const std::vector<Choices> choices = experiment.choices();
  for (const CLI::Option* const option : app.get_options()) options.push_back(description_of(*option, choices));
  std::printf("{");
  print_rows("help", help);
  std::printf(",\n");
  print_rows("options", options);
  std::printf("}\n");
}

void add_experiments(CLI::App& app, int& result, const Words& words) {
  CLI::App* const descriptions =
      app.add_subcommand("describe", "Help and options of an experiment, as JSON")->group("");
  descriptions->require_subcommand(1);
  for (std::unique_ptr<Experiment>& made : all_experiments()) {
    const std::shared_ptr<Experiment> experiment = std::move(made);
    auto options = std::make_shared<Common>();
    CLI::App* const one = app.add_subcommand(experiment->name(), cli::experiment_title(experiment->name()));
    one->footer(std::string("Example: ") + experiment->example());
    experiment->add_options(*one);
    options->runner.out = std::string("castor-") + experiment->name();
    one->add_option("-o,--out", options->runner.out, "Folder for results; runs that are in it are not repeated")
        ->capture_default_str();
    one->add_option("-j,--workers", options->runner.workers, "Processes at once")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    one->add_flag("--fresh", options->runner.fresh, "Repeat all runs");
    one->add_flag("--redraw", options->redraw, "Tables and pictures of the runs in the folder; nothing is run");
    one->add_flag("--all-claims", options->all_claims, "Show also claims that these runs do not measure");
    one->add_flag("-q,--quiet", options->quiet, "Print no tables");
    add_page_options(*one, *options);
    one->callback([experiment, options, one, &result, words] {
      check_modes(*one, *options);
      check_words(*one, *experiment);
      result = command(*experiment, *options, words) ? cli::kGood : cli::kFailed;
    });
    descriptions->add_subcommand(experiment->name())->callback([experiment, one] { describe(*one, *experiment); });
  }
}

}  // namespace
}  // namespace castor::platforms::experiments

int main(int argc, char** argv) {
  CLI::App app{"Many runs, compared with what a source published", "castor experiment"};
  app.require_subcommand(1);
  int result = castor::platforms::cli::kGood;
  const std::vector<std::string> words(argv + 1, argv + argc);
  castor::platforms::experiments::add_experiments(app, result, words);
  return castor::platforms::cli::parse_and_run(app, words, result);
}

// castor-experiment, which `castor experiment` becomes: comparisons of many runs.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "platforms/cli/entry.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments {
namespace {

/// Options that every experiment has.
struct Common {
  RunnerOptions runner;
  bool quiet = false, all_claims = false, redraw = false;
};

/// Options that say what to run mean nothing where nothing is run.
void refuse_choices(const CLI::App& app) {
  static const std::vector<std::string> kHarmless = {"--out",    "--quiet", "--all-claims", "--redraw",
                                                     "--energy", "--data",  "--programs"};
  for (const CLI::Option* const option : app.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = "--" + option->get_single_name();
    if (std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end()) continue;
    throw base::InputError("--redraw runs nothing and takes the runs that lie in the folder", "leave out " + name);
  }
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

bool run(Experiment& experiment, Common& options) {
  std::vector<Run> runs = experiment.runs(options.runner.workers);
  options.runner.progress = isatty(STDERR_FILENO) != 0;
  execute_all(experiment, runs, options.runner);
  return report(experiment, runs, options);
}

void add_experiments(CLI::App& app, int& result) {
  for (std::unique_ptr<Experiment>& made : all_experiments()) {
    const std::shared_ptr<Experiment> experiment = std::move(made);
    auto options = std::make_shared<Common>();
    CLI::App* const one = app.add_subcommand(experiment->name(), experiment->title());
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
    one->callback([experiment, options, one, &result] {
      if (options->redraw) refuse_choices(*one);
      const bool good = options->redraw ? redraw(*experiment, *options) : run(*experiment, *options);
      result = good ? cli::kGood : cli::kFailed;
    });
  }
}

}  // namespace
}  // namespace castor::platforms::experiments

int main(int argc, char** argv) {
  CLI::App app{"Many runs, compared with what a source published", "castor experiment"};
  app.require_subcommand(1);
  int result = castor::platforms::cli::kGood;
  castor::platforms::experiments::add_experiments(app, result);
  return castor::platforms::cli::parse_and_run(app, {argv + 1, argv + argc}, result);
}

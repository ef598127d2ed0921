// castor-experiment, which `castor experiment` becomes: comparisons of many runs.

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "platforms/cli/entry.h"
#include "platforms/experiments/experiment.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::experiments {
namespace {

void add_experiments(CLI::App& app, int& result) {
  for (std::unique_ptr<Experiment>& made : all_experiments()) {
    const std::shared_ptr<Experiment> experiment = std::move(made);
    auto options = std::make_shared<RunnerOptions>();
    auto quiet = std::make_shared<bool>(false);
    CLI::App* const one = app.add_subcommand(experiment->name(), experiment->title());
    one->footer(std::string("Example: ") + experiment->example());
    experiment->add_options(*one);
    options->out = std::string("castor-") + experiment->name();
    one->add_option("-o,--out", options->out, "Folder for results; runs that are in it are not repeated")
        ->capture_default_str();
    one->add_option("-j,--workers", options->workers, "Processes at once")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    one->add_flag("--fresh", options->fresh, "Repeat all runs");
    one->add_flag("-q,--quiet", *quiet, "Print no tables");
    one->callback([experiment, options, quiet, &result] {
      std::vector<Run> runs = experiment->runs();
      options->progress = isatty(STDERR_FILENO) != 0;
      execute_all(*experiment, runs, *options);
      Output output(options->out, !*quiet);
      const bool good = experiment->report(runs, output);
      output.data("results", runs);
      output.close("report");
      if (!*quiet) std::printf("Results: %s/report.md, results.csv, results.json\n", options->out.c_str());
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

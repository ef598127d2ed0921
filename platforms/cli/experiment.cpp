// castor experiment: comparisons of many runs.

#include "platforms/experiments/experiment.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "platforms/cli/commands.h"
#include "platforms/experiments/output.h"

namespace castor::platforms::cli {

void add_experiment(CLI::App& app, int& result) {
  CLI::App* const command = app.add_subcommand("experiment", "Many runs, compared with what a source published");
  command->require_subcommand(1);
  for (std::unique_ptr<experiments::Experiment>& made : experiments::all_experiments()) {
    const std::shared_ptr<experiments::Experiment> experiment = std::move(made);
    auto options = std::make_shared<experiments::RunnerOptions>();
    auto quiet = std::make_shared<bool>(false);
    CLI::App* const one = command->add_subcommand(experiment->name(), experiment->title());
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
      std::vector<experiments::Run> runs = experiment->runs();
      options->progress = isatty(STDERR_FILENO) != 0;
      experiments::execute_all(*experiment, runs, *options);
      experiments::Output output(options->out, !*quiet);
      const bool good = experiment->report(runs, output);
      output.data("results", runs);
      output.close("report");
      if (!*quiet) std::printf("Results: %s/report.md, results.csv, results.json\n", options->out.c_str());
      result = good ? kGood : kFailed;
    });
  }
}

}  // namespace castor::platforms::cli

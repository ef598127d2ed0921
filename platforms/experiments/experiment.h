#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Experiments: many runs in processes of their own, then tables and pictures (docs/guides/experiments.md). An
/// experiment is a folder beside this file; nothing else names it. The folder is called as the experiment, and its file
/// title.txt has one line that says what the experiment is: castor lists experiments before their program is built.
namespace castor::platforms::experiments {

using Json = nlohmann::ordered_json;

/// One simulation: what is varied, and afterwards what came out.
struct Run {
  std::string name;  ///< unique; letters, digits, '-', '_', '.' and '+'; the name of its file
  Json parameters;   ///< all that `execute` depends on
  Json result;       ///< empty until it ran
};

class Output;

/// What a subcommand of `castor experiment` does.
class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual const char* example() const = 0;
  virtual void add_options(CLI::App& app) = 0;
  /// The runs that the options ask for, in the order in which they are started. What they run is compiled if need be,
  /// by at most so many `workers` at once, when all else is known to be good. Errors: InputError.
  [[nodiscard]] virtual std::vector<Run> runs(unsigned workers) = 0;
  /// Runs in a process of its own; depends on `parameters` only and touches no file.
  [[nodiscard]] virtual Json execute(const Json& parameters) const = 0;
  /// What else results depend on: files of runs with another word are not used. By default it changes with every build
  /// of this program.
  [[nodiscard]] virtual std::string build() const;
  /// Files and folders of the tree, from its root, on which results depend beside the simulator and the compiler: CUDA
  /// programs, what makes the load, the experiment's own folder.
  [[nodiscard]] virtual std::vector<std::string> sources() const = 0;
  /// Tables and pictures from all runs, which need not be those of `runs`. False if what the experiment checks does not
  /// hold.
  virtual bool report(const std::vector<Run>& runs, Output& output) = 0;
};

/// Makes an experiment known: a namespace-scope object in the experiment's own source file.
struct Registration {
  using Make = std::unique_ptr<Experiment> (*)();
  explicit Registration(Make make);
};
/// All that are known, by name.
[[nodiscard]] std::vector<std::unique_ptr<Experiment>> all_experiments();

/// Errors: InputError if a word is not among the known ones, which it lists. `what`: "workload".
void check_names(const std::vector<std::string>& words, const std::vector<std::string>& known, const char* what);

/// A setting as part of a run's name, at most 60 letters: what is no letter, digit or '.' becomes '_'.
[[nodiscard]] std::string file_word(std::string text);

/// What a file holds; "" if it cannot be read.
[[nodiscard]] std::string contents(const std::string& path);

struct RunnerOptions {
  std::string out;        ///< folder for results, made if it is not there
  unsigned workers = 2;   ///< processes at once
  bool fresh = false;     ///< run again what is there
  bool progress = false;  ///< a line on stderr, with the time left
};

/// Fills in the results. Every finished run is a file <out>/runs/<name>.json, so an interrupted experiment goes on
/// where it was; files of other parameters or of another `build` are not used. Errors:
/// castor::base::Error if a run failed, with what it said; the others are finished first. On SIGINT the files that are
/// complete stay.
void execute_all(const Experiment& experiment, std::vector<Run>& runs, const RunnerOptions& options);

/// What a folder of results has without running anything: the runs in results.json, in its order, or all that are
/// finished if there is no such file. Programs and builds that they came from do not count. Errors: InputError if there
/// are none, or results.json has another one.
[[nodiscard]] std::vector<Run> stored_runs(const std::string& out);

}  // namespace castor::platforms::experiments

#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Experiments: many runs in separate processes, then tables and pictures (docs/guides/experiments.md). An experiment
/// is a folder beside this file; no other file names it. The folder has the experiment's name; its title.txt holds a
/// one-line description and its options.json what `castor-experiment describe NAME` prints, because castor knows
/// experiments, their help and wrong words on their command line before their program is built.
namespace castor::platforms::experiments {

using Json = nlohmann::ordered_json;

/// One simulation: its parameters, and afterwards its result.
struct Run {
  std::string name;  ///< unique; letters, digits, '-', '_', '.' and '+'; the name of its file
  Json parameters;   ///< everything that `execute` depends on
  Json result;       ///< empty until the run is done
};

/// The words that an option may have.
struct Choices {
  const char* option;              ///< long name, such as "--workload"
  const char* what;                ///< description of a word for messages, such as "workload"
  std::vector<std::string> words;  ///< all known words
  const char* unless = "";         ///< long name of an option whose file may define other words; "" if there is none
};

class Output;

/// A subcommand of `castor experiment`.
class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Returns an example command line for the help.
  [[nodiscard]] virtual const char* example() const = 0;
  virtual void add_options(CLI::App& app) = 0;
  /// Returns the options whose words are names from a list. Other words are refused before `runs` is called.
  [[nodiscard]] virtual std::vector<Choices> choices() const { return {}; }
  /// Returns the runs that the options request, in the order in which they are started. Once all options are checked,
  /// compiles the programs of the runs if necessary, by at most `workers` processes. Throws InputError.
  [[nodiscard]] virtual std::vector<Run> runs(unsigned workers) = 0;
  /// Executes one run, in a process of its own. Depends only on `parameters` and must not write files.
  [[nodiscard]] virtual Json execute(const Json& parameters) const = 0;
  /// Returns a text that represents everything besides the parameters that results depend on. Stored runs with another
  /// text are not reused. By default the text changes with every build of this program.
  [[nodiscard]] virtual std::string build() const;
  /// Returns the files and folders of the source tree, relative to its root, on which results depend beside the
  /// simulator and the compiler: CUDA programs, workload generators, the experiment's own folder.
  [[nodiscard]] virtual std::vector<std::string> sources() const = 0;
  /// Writes tables and pictures of all runs, which may be other runs than those of `runs`. Returns false if a check of
  /// the experiment fails.
  virtual bool report(const std::vector<Run>& runs, Output& output) = 0;
};

/// Registers an experiment: a namespace-scope object in the experiment's own source file.
struct Registration {
  using Make = std::unique_ptr<Experiment> (*)();
  explicit Registration(Make make);
};
/// Creates all registered experiments, sorted by name.
[[nodiscard]] std::vector<std::unique_ptr<Experiment>> all_experiments();

/// Throws InputError if a word is not in the list of known words; the message contains this list. `what`: description
/// such as "workload".
void check_names(const std::vector<std::string>& words, const std::vector<std::string>& known, const char* what);

/// Returns a setting as part of a run's name, at most 60 characters; characters other than letters, digits and '.'
/// become '_'.
[[nodiscard]] std::string file_word(std::string text);

/// Returns the contents of a file; "" if it cannot be read.
[[nodiscard]] std::string contents(const std::string& path);

/// Options of execute_all().
struct RunnerOptions {
  std::string out;        ///< folder for results, created if missing
  unsigned workers = 2;   ///< number of concurrent processes
  bool fresh = false;     ///< also repeats runs that have stored results
  bool progress = false;  ///< prints a progress line with the remaining time on stderr
};

/// Executes the runs and stores their results in `runs`. Every finished run is a file <out>/runs/<name>.json, so an
/// interrupted experiment can resume. Stored files with other parameters or another `build` text are not used. Throws
/// castor::base::Error with the output of a failed run, after the other runs have finished. On SIGINT the files of
/// complete runs remain.
void execute_all(const Experiment& experiment, std::vector<Run>& runs, const RunnerOptions& options);

/// Returns the results stored in a folder, without executing anything: the runs in results.json, in its order, or all
/// finished runs if there is no such file. Programs and builds that produced them are ignored. Throws InputError if
/// there are none, or if results.json names a run that is missing.
[[nodiscard]] std::vector<Run> stored_runs(const std::string& out);

}  // namespace castor::platforms::experiments

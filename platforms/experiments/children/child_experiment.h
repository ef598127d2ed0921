#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Base of the experiments with device launches: options, and the runs of programs on several systems and of the launch
/// path.
class ChildExperiment : public Experiment {
 public:
  void add_options(CLI::App& app) override;
  [[nodiscard]] std::vector<Choices> choices() const override;
  [[nodiscard]] std::vector<Run> runs(unsigned workers) override;
  // A run is a process of its own program. Results therefore depend on this program only by the choice of figures that
  // it takes from the report.
  [[nodiscard]] std::string build() const override { return child_figures(); }
  [[nodiscard]] Json execute(const Json& parameters) const override { return runner_->run(parameters); }
  [[nodiscard]] std::vector<std::string> sources() const override {
    return {"sw/kernels/dynamic", "sw/workloads/children", "platforms/experiments/children",
            std::string("platforms/experiments/") + name()};
  }

 protected:
  using Names = std::vector<std::string>;

  /// `systems`: all known systems, in the order of the tables.
  explicit ChildExperiment(ChildSystems systems) : known_(std::move(systems)) {}
  /// Returns whether the experiment also runs the launch path program.
  [[nodiscard]] virtual bool has_path() const { return true; }
  [[nodiscard]] const ChildSystems& systems() const { return known_; }
  /// Returns the runs of the launch path; only a few if `quick`.
  [[nodiscard]] virtual std::vector<ChildPathRun> path_runs(bool /*quick*/) const { return {}; }
  /// Machine of the runs, unless the user names another one.
  static constexpr const char* kMachine = "kepler_k20c";
  /// Returns the workloads for which variants of systems are run if the user names no systems.
  [[nodiscard]] virtual Names of_variants() const { return workloads::children::program_names(); }

 private:
  void choose();
  void check_keys(const Names& variations, const std::vector<ChildPathRun>& path) const;
  void finish(Run& run, const std::string& of, const Names& keys, const Names& words, const Names& user) const;
  void add_path(std::vector<Run>& runs, const ChildPathRun& one) const;
  void add(std::vector<Run>& runs, const std::string& name, unsigned seed, const ChildSystem& system,
           const std::string& variation) const;

  const ChildSystems known_;
  Names programs_, systems_, overrides_, arguments_;
  std::string folder_, vary_, size_ = "small", machine_ = kMachine;
  bool variants_ = false, named_ = false, path_ = false, quick_ = false;
  unsigned seeds_ = 3;
  std::unique_ptr<ChildPrograms> runner_;
};

}  // namespace castor::platforms::experiments

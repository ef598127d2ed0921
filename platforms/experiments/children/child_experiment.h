#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// Programs that launch by device code on several systems, and the way of a launch: options and runs.
class ChildExperiment : public Experiment {
 public:
  void add_options(CLI::App& app) override;
  [[nodiscard]] std::vector<Run> runs(unsigned workers) override;
  // A run is a process of its program: it does not change with this one, only with the figures taken from its report.
  [[nodiscard]] std::string build() const override { return child_figures(); }
  [[nodiscard]] Json execute(const Json& parameters) const override { return runner_->run(parameters); }
  [[nodiscard]] std::vector<std::string> sources() const override {
    return {"sw/kernels/dynamic", "sw/workloads/children", "platforms/experiments/children",
            std::string("platforms/experiments/") + name()};
  }

 protected:
  using Names = std::vector<std::string>;

  /// In the order of the tables.
  explicit ChildExperiment(ChildSystems systems) : known_(std::move(systems)) {}
  /// It also runs the way of a launch.
  [[nodiscard]] virtual bool has_path() const { return true; }
  [[nodiscard]] const ChildSystems& systems() const { return known_; }
  /// `quick`: a few.
  [[nodiscard]] virtual std::vector<ChildPathRun> path_runs(bool /*quick*/) const { return {}; }
  /// On which they run, unless another one is asked for.
  static constexpr const char* kMachine = "kepler_k20c";
  /// Workloads that run on variants, if no systems are named.
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

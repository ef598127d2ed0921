// castor experiment cdp: programs that launch child kernels, against the same programs without launches.

#include <algorithm>
#include <memory>

#include "castor/base/error.h"
#include "platforms/experiments/cdp/cdp_report.h"
#include "platforms/experiments/cdp/cdp_run.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/variations.h"
#include "platforms/machines.h"

namespace castor::platforms::experiments {
namespace {

namespace cdp = workloads::cdp;
using Names = std::vector<std::string>;

class CdpExperiment final : public Experiment {
 public:
  [[nodiscard]] const char* name() const override { return "cdp"; }
  [[nodiscard]] const char* title() const override {
    return "Programs that launch child kernels (CUDA dynamic parallelism), against the same programs without";
  }
  [[nodiscard]] const char* example() const override {
    return "castor experiment cdp --program bfs_citation --program join_gaussian --seeds 2";
  }

  void add_options(CLI::App& app) override {
    app.add_option("-p,--program", programs_, "Workloads, such as bfs_citation (all, and the launch path)");
    app.add_option("-s,--system", systems_, "flat cdp cdp_ideal cdp_serial ... (all but variants)");
    app.add_flag("--variants", variants_, "Without --system: also other rules of the machine");
    app.add_flag("--path", path_, "The way of a launch, without work; alone, or with --program");
    app.add_flag("--quick", quick_, "Of the launch path a few lanes and at most 256 launches");
    app.add_option("-n,--seeds", seeds_, "Seeds 1 to N: other inputs of the same size")
        ->check(CLI::Range(1U, 100U))
        ->capture_default_str();
    app.add_option("--size", size_, "small or large inputs")
        ->check(CLI::IsMember({"small", "large"}))
        ->capture_default_str();
    app.add_option("-m,--machine", machine_, "Shipped machine")->capture_default_str();
    app.add_option("--argument", arguments_, "name=value, handed on to the workloads behind their own arguments");
    app.add_option("--programs", folder_, "Folder with the programs (compiled when they are needed)");
    app.add_option("--set", overrides_, "key=value of the machine, for every run");
    app.add_option("--vary", vary_, "key=value,value,...: all workloads once for each value");
  }

  [[nodiscard]] std::vector<Run> runs(unsigned workers) override {
    choose();
    check_arguments(arguments_);
    check_names({machine_}, shipped_machines(), "shipped machine");
    const Names variations = read_variations(vary_);
    const std::vector<CdpPathRun> path = path_ ? cdp_path_runs(quick_) : std::vector<CdpPathRun>();
    check_keys(variations, path);
    Names files;
    for (const std::string& name : programs_) files.emplace_back(cdp::find_program(name)->program);
    if (path_) files.emplace_back(kCdpPathProgram);
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    runner_ = std::make_unique<CdpPrograms>(files, folder_, workers);
    std::vector<Run> runs;
    for (const CdpPathRun& one : path) add_path(runs, one);
    for (unsigned seed = 1; seed <= seeds_; ++seed) {
      for (const std::string& program : programs_) {
        for (const std::string& system : systems_) {
          for (const std::string& variation : variations) add(runs, program, seed, system, variation);
        }
      }
    }
    return runs;
  }

  // A run is a process of its program: it does not change with this one, only with the figures taken from its report.
  [[nodiscard]] std::string build() const override { return cdp_figures(); }

  [[nodiscard]] Json execute(const Json& parameters) const override { return runner_->run(parameters); }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_cdp(runs, output); }

 private:
  void choose() {
    Names all;
    for (const CdpSystem& system : cdp_systems()) all.push_back(system.name);
    check_names(systems_, all, "system");
    check_names(programs_, cdp::program_names(), "program");
    if (programs_.empty() && !path_) {
      programs_ = cdp::program_names();
      path_ = true;
    }
    if (!systems_.empty()) return;
    for (const CdpSystem& system : cdp_systems()) {
      if (variants_ || !system.variant) systems_.push_back(system.name);
    }
  }

  // Bad keys and values are told before anything runs.
  void check_keys(const Names& variations, const std::vector<CdpPathRun>& path) const {
    const auto check = [&](Names keys, const std::string& variation) {
      const Names user = with_variation(overrides_, variation);
      keys.insert(keys.end(), user.begin(), user.end());
      static_cast<void>(load_machine(machine_, keys));
    };
    for (const std::string& system : systems_) {
      for (const std::string& variation : variations) check(find_cdp_system(system)->keys, variation);
    }
    for (const CdpPathRun& one : path) check(one.keys, "");
  }

  void finish(Run& run, const std::string& of, const Names& keys, const Names& words, const Names& user) const {
    if (machine_ != kMachine) run.name += "-" + file_word(machine_);
    for (const std::string& setting : user) run.name += "-" + file_word(setting);
    run.parameters["machine"] = machine_;
    run.parameters["keys"] = keys;
    run.parameters["of"] = of;
    run.parameters["arguments"] = words;
    run.parameters["file"] = runner_->fingerprint(of);
    if (!user.empty()) run.parameters["set"] = user;
  }

  void add_path(std::vector<Run>& runs, const CdpPathRun& one) const {
    Run run;
    run.name = std::string("path-") + one.axis + "-" + std::to_string(one.value);
    run.parameters = {{"axis", one.axis}, {"value", one.value}};
    finish(run, kCdpPathProgram, one.keys, one.arguments, overrides_);
    runs.push_back(std::move(run));
  }

  void add(std::vector<Run>& runs, const std::string& name, unsigned seed, const std::string& system,
           const std::string& variation) const {
    const cdp::Program& program = *cdp::find_program(name);
    const CdpSystem& known = *find_cdp_system(system);
    Run run;
    run.name = name + "-" + size_ + "-" + std::to_string(seed) + "-" + system;
    Names words = cdp::arguments(program, known.form, size_, seed);
    for (const std::string& argument : arguments_) {
      run.name += "-" + file_word(argument);
      words.push_back("--" + argument);
    }
    run.parameters = {{"program", name}, {"size", size_}, {"seed", seed}, {"system", system}};
    if (!variation.empty()) run.parameters["variation"] = variation;
    finish(run, program.program, known.keys, words, with_variation(overrides_, variation));
    runs.push_back(std::move(run));
  }

  static constexpr const char* kMachine = "kepler_k20c";

  Names programs_, systems_, overrides_, arguments_;
  std::string folder_, vary_, size_ = "small", machine_ = kMachine;
  bool variants_ = false, path_ = false, quick_ = false;
  unsigned seeds_ = 3;
  std::unique_ptr<CdpPrograms> runner_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<CdpExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments

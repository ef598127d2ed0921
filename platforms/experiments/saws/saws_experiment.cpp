// castor experiment saws: warp schedulers that notify each other of barriers, compared with the SM's own issue
// policies.

#include <algorithm>
#include <memory>

#include "castor/base/error.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/saws/saws_report.h"
#include "platforms/experiments/saws/saws_run.h"
#include "platforms/experiments/variations.h"
#include "platforms/machines.h"
#include "workloads/saws/programs.h"

namespace castor::platforms::experiments::saws {
namespace {

namespace saws = workloads::saws;
using Names = std::vector<std::string>;

Names all_programs() {
  Names names;
  for (const saws::Program& program : saws::programs()) names.emplace_back(program.name);
  return names;
}

Names all_machines() {
  Names names;
  for (const SawsMachine& machine : saws_machines()) names.emplace_back(machine.name);
  return names;
}

class SawsExperiment final : public Experiment {
 public:
  [[nodiscard]] const char* name() const override { return "saws"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment saws --program lps --program sad --schedulers 4 --policy GTO --policy SAWS --seeds 2";
  }

  void add_options(CLI::App& app) override {
    app.add_option("-p,--program", programs_, "CUDA programs of sw/kernels, such as lps, ray (all of the comparison)");
    app.add_option("-s,--schedulers", machines_,
                   "Schedulers per SM: 4, 2, 1; of four warps per tick in all: 2w4, 1w4 (all)");
    app.add_option(
        "--policy", policies_,
        "LRR GTO OLDEST TL CATLS CATLS/4 CATLS/16 SAWS SAWS/no-toggle (all that a machine is compared with)");
    app.add_flag("--variants", variants_, "Without --policy: also SAWS with other settings, on four schedulers");
    app.add_option("-n,--seeds", seeds_, "Seeds 1 to N; programs whose time does not depend on data also get larger")
        ->check(CLI::Range(1U, 100U))
        ->capture_default_str();
    app.add_option("--size", size_, "small, large, both")
        ->check(CLI::IsMember({"small", "large", "both"}))
        ->capture_default_str();
    app.add_option("--argument", arguments_, "name=value, handed on to the programs behind their own arguments");
    app.add_option("--programs", folder_, "Folder with the programs (compiled when they are needed)");
    app.add_option("--set", overrides_, "key=value of the machine, for every run");
    app.add_option("--vary", vary_, "key=value,value,...: the machines once for each value");
  }

  [[nodiscard]] std::vector<Choices> choices() const override {
    Names policies;
    for (const SawsPolicy& policy : saws_policies()) policies.emplace_back(policy.name);
    return {{"--program", "program", all_programs()},
            {"--schedulers", "number of schedulers", all_machines()},
            {"--policy", "policy", policies}};
  }

  [[nodiscard]] std::vector<Run> runs(unsigned workers) override {
    if (programs_.empty()) programs_ = all_programs();
    if (machines_.empty()) machines_ = all_machines();
    const Names variations = checked_variations();
    check_arguments(arguments_);
    if (!any_policy()) throw base::InputError("SAWS has no runs on these machines", "it needs --schedulers 4 or 2");
    runner_ = std::make_unique<SawsPrograms>(programs_, folder_, workers);
    const Names sizes = size_ == "both" ? Names{"small", "large"} : Names{size_};

    std::vector<Run> runs;
    for (unsigned seed = 1; seed <= seeds_; ++seed) {
      for (const std::string& size : sizes) {
        for (const std::string& program : programs_) {
          for (const std::string& machine : machines_) {
            for (const std::string& policy : policies_of(*find_saws_machine(machine), *saws::find_program(program))) {
              for (const std::string& variation : variations)
                add(runs, program, size, seed, machine, policy, variation);
            }
          }
        }
      }
    }
    return runs;
  }

  // A run is a process of its own program. Results therefore depend on this program only by the choice of figures that
  // it takes from the report.
  [[nodiscard]] std::string build() const override { return saws_figures(); }

  [[nodiscard]] Json execute(const Json& parameters) const override { return runner_->run(parameters); }

  [[nodiscard]] Names sources() const override {
    Names out = {"sw/workloads/saws", "platforms/experiments/saws"};
    for (const saws::Program& program : saws::programs()) out.push_back(kernel_source(program.name));
    return out;
  }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_saws(runs, output); }

 private:
  // Returns the variations: "" or "key=value", one for each value. Throws for unknown keys and illegal values, before
  // any run starts.
  [[nodiscard]] Names checked_variations() const {
    Names out = read_variations(vary_);
    for (const std::string& machine : machines_) {
      for (const std::string& variation : out) {
        const SawsMachine& known = *find_saws_machine(machine);
        static_cast<void>(
            load_machine(known.shipped, saws_overrides(known, *find_saws_policy("GTO"), user(variation))));
      }
    }
    return out;
  }

  [[nodiscard]] Names user(const std::string& variation) const { return with_variation(overrides_, variation); }

  [[nodiscard]] bool any_policy() const {
    return std::any_of(programs_.begin(), programs_.end(), [&](const std::string& program) {
      return std::any_of(machines_.begin(), machines_.end(), [&](const std::string& machine) {
        return !policies_of(*find_saws_machine(machine), *saws::find_program(program)).empty();
      });
    });
  }

  [[nodiscard]] Names policies_of(const SawsMachine& machine, const saws::Program& program) const {
    Names names;
    for (const SawsPolicy& policy : saws_policies()) {
      const std::string name = policy.name;
      if (policy.block && !machine.block) continue;
      if (!policies_.empty()) {
        if (std::find(policies_.begin(), policies_.end(), name) != policies_.end()) names.push_back(name);
        continue;
      }
      if (policy.variant && (!variants_ || !machine.policies.empty() || !program.barriers)) continue;
      if (!machine.policies.empty() &&
          std::find(machine.policies.begin(), machine.policies.end(), name) == machine.policies.end()) {
        continue;
      }
      // Programs without barriers only show that SAWS does not affect them, and the cost of more schedulers.
      const bool wanted = name == "GTO" || name == "SAWS" || (name == "CATLS" && !machine.policies.empty());
      if (!program.barriers && !wanted) continue;
      names.push_back(name);
    }
    return names;
  }

  void add(std::vector<Run>& runs, const std::string& program, const std::string& size, unsigned seed,
           const std::string& machine, const std::string& policy, const std::string& variation) const {
    Run run;
    run.name = program + "-" + size + "-" + std::to_string(seed) + "-" + machine + "-" + policy;
    std::replace(run.name.begin(), run.name.end(), '/', '+');
    for (const std::string& setting : user(variation)) run.name += "-" + file_word(setting);
    Names words = saws::arguments(*saws::find_program(program), size, seed);
    for (const std::string& argument : arguments_) {
      run.name += "-" + file_word(argument);
      words.push_back("--" + argument);
    }
    run.parameters = {{"program", program},
                      {"size", size},
                      {"seed", seed},
                      {"schedulers", machine},
                      {"policy", policy},
                      {"arguments", words},
                      {"file", runner_->fingerprint(program)}};
    if (!variation.empty()) run.parameters["variation"] = variation;
    if (!user(variation).empty()) run.parameters["set"] = user(variation);
    runs.push_back(std::move(run));
  }

  Names programs_, machines_, policies_, overrides_, arguments_;
  std::string folder_, vary_, size_ = "both";
  bool variants_ = false;
  unsigned seeds_ = 3;
  std::unique_ptr<SawsPrograms> runner_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<SawsExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::saws

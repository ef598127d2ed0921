// castor experiment darsie: redundant instructions of a thread block are executed once, compared with the same GPU
// without that.

#include <algorithm>
#include <memory>

#include "castor/base/error.h"
#include "platforms/experiments/darsie/darsie_report.h"
#include "platforms/experiments/darsie/darsie_run.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/variations.h"
#include "platforms/machines.h"

namespace castor::platforms::experiments::darsie {
namespace {

namespace darsie = workloads::darsie;
using Names = std::vector<std::string>;

class DarsieExperiment final : public Experiment {
 public:
  [[nodiscard]] const char* name() const override { return "darsie"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment darsie --program MM --program LIB --system baseline --system darsie --seeds 2";
  }

  void add_options(CLI::App& app) override {
    app.add_option("-p,--program", programs_,
                   "Programs by the source's words, such as MM, LIB (all of the comparison)");
    app.add_option("-s,--system", systems_, "baseline darsie ignore_store silicon_sync limit ... (all but variants)");
    app.add_flag("--variants", variants_, "Without --system: also rows, entries, ports and policies of other numbers");
    app.add_flag("--limit-study", limit_, "Only what is redundant, on the functional machine: --system limit");
    app.add_flag("--shapes", shapes_, "Two kernels in thread blocks of six shapes instead of the programs");
    app.add_option("-n,--seeds", seeds_, "Seeds 1 to N; most programs also get larger")
        ->check(CLI::Range(1U, 100U))
        ->capture_default_str();
    app.add_option("--size", size_, "small: 7 SMs; large: 28 SMs")
        ->check(CLI::IsMember({"small", "large"}))
        ->capture_default_str();
    app.add_option("--argument", arguments_, "name=value, handed on to the programs behind their own arguments");
    app.add_option("--programs", folder_, "Folder with the programs (compiled when they are needed)");
    app.add_option("--energy", energy_file_, "File with energies of events (that of the tree)");
    app.add_option("--set", overrides_, "key=value of the machine, for every run");
    app.add_option("--vary", vary_, "key=value,value,...: everything once for each value");
  }

  [[nodiscard]] std::vector<Choices> choices() const override {
    Names programs, systems;
    for (const darsie::Program& program : darsie::programs()) programs.push_back(program.name);
    for (const DarsieSystem& system : darsie_systems()) systems.emplace_back(system.name);
    return {{"--program", "program", programs}, {"--system", "system", systems}};
  }

  [[nodiscard]] std::vector<Run> runs(unsigned workers) override {
    choose_programs();
    choose_systems();
    check_arguments(arguments_);
    static_cast<void>(energy());
    const Names variations = read_variations(vary_);
    check_keys(variations);
    runner_ = std::make_unique<DarsiePrograms>(programs_, folder_, workers);
    std::vector<Run> runs;
    for (unsigned seed = 1; seed <= seeds_; ++seed) {
      for (const std::string& program : programs_) {
        for (const std::string& system : systems_) {
          for (const std::string& variation : variations) add(runs, program, seed, system, variation);
        }
      }
    }
    return runs;
  }

  // A run is a process of its own program. Results therefore depend on this program only by the choice of figures that
  // it takes from the report.
  [[nodiscard]] std::string build() const override { return darsie_figures(); }

  [[nodiscard]] Json execute(const Json& parameters) const override { return runner_->run(parameters); }

  [[nodiscard]] Names sources() const override {
    Names out = {"sw/workloads/darsie/programs.cpp", "sw/workloads/darsie/programs.h", "platforms/experiments/darsie"};
    for (const darsie::Program& program : darsie::programs()) out.push_back(kernel_source(program.program));
    return out;
  }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_darsie(runs, energy(), output); }

 private:
  [[nodiscard]] darsie::EnergyTable energy() const {
    const std::string text = energy_file_.empty() ? darsie::energy_text() : contents(energy_file_);
    return darsie::read_energy(energy_file_.empty() ? "energy.yaml" : energy_file_, text);
  }

  // Throws for unknown keys and illegal values, before any run starts.
  void check_keys(const Names& variations) const {
    for (const std::string& program : programs_) {
      for (const std::string& system : systems_) {
        for (const std::string& variation : variations) {
          static_cast<void>(
              load_machine(kDarsieMachine, darsie_keys(*darsie::find_program(program), *find_darsie_system(system),
                                                       size_, with_variation(overrides_, variation))));
        }
      }
    }
  }

  void choose_programs() {
    if (!programs_.empty()) return;
    if (shapes_) {
      programs_ = darsie::shape_names();
      return;
    }
    for (const bool two_dimensional : {false, true}) {
      for (const std::string& name : darsie::program_names(two_dimensional)) programs_.push_back(name);
    }
  }

  void choose_systems() {
    if (limit_) {
      if (!systems_.empty()) throw base::InputError("--limit-study and --system exclude each other", "leave one out");
      systems_ = {"limit"};
    }
    if (!systems_.empty()) return;
    for (const DarsieSystem& system : darsie_systems()) {
      if (variants_ || !system.variant) systems_.emplace_back(system.name);
    }
  }

  void add(std::vector<Run>& runs, const std::string& name, unsigned seed, const std::string& system,
           const std::string& variation) const {
    const Names user = with_variation(overrides_, variation);
    const darsie::Program& program = *darsie::find_program(name);
    Run run;
    run.name = name + "-" + size_ + "-" + std::to_string(seed) + "-" + system;
    std::replace(run.name.begin(), run.name.end(), '/', '+');
    for (const std::string& setting : user) run.name += "-" + file_word(setting);
    Names words = darsie::arguments(program, size_, seed);
    for (const std::string& argument : arguments_) {
      run.name += "-" + file_word(argument);
      words.push_back("--" + argument);
    }
    run.parameters = {{"program", name},
                      {"size", size_},
                      {"seed", seed},
                      {"system", system},
                      {"keys", darsie_keys(program, *find_darsie_system(system), size_, {})},
                      {"arguments", words},
                      {"file", runner_->fingerprint(name)}};
    if (!variation.empty()) run.parameters["variation"] = variation;
    if (!user.empty()) run.parameters["set"] = user;
    runs.push_back(std::move(run));
  }

  Names programs_, systems_, overrides_, arguments_;
  std::string folder_, vary_, energy_file_, size_ = "small";
  bool variants_ = false, limit_ = false, shapes_ = false;
  unsigned seeds_ = 2;
  std::unique_ptr<DarsiePrograms> runner_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<DarsieExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::darsie

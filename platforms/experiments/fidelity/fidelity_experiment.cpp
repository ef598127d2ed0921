// castor experiment fidelity: machines that model real chips, compared with measurements of these chips.

#include <algorithm>
#include <map>
#include <memory>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/gpu/machine_table.h"
#include "platforms/experiments/fidelity/fidelity_report.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/program.h"
#include "platforms/machines.h"
#include "workloads/fidelity/published.h"

namespace castor::platforms::experiments::fidelity {
namespace {

namespace fidelity = workloads::fidelity;
using Names = std::vector<std::string>;

class FidelityExperiment final : public Experiment {
 public:
  [[nodiscard]] const char* name() const override { return "fidelity"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment fidelity --machine kepler_k20c --benchmark chains --benchmark shared_memory";
  }

  void add_options(CLI::App& app) override {
    app.add_option("-m,--machine", machines_, "Machines that stand for a chip (all)");
    app.add_option("-b,--benchmark", benchmarks_, "Microbenchmarks of sw/kernels/microbenchmarks (all)");
    app.add_option("--programs", folder_, "Folder with the programs micro_NAME (compiled when they are needed)");
    app.add_option("--data", data_, "Folder with other published values: rows.yaml and a file for each chip");
    app.add_option("--set", overrides_, "key=value of the machine, for every run");
  }

  [[nodiscard]] std::vector<Choices> choices() const override {
    const fidelity::Published shipped = fidelity::read_published(fidelity::data_files());
    return {{"--machine", "machine that stands for a chip", machines_of(shipped), "--data"},
            {"--benchmark", "microbenchmark", benchmarks_of(shipped), "--data"}};
  }

  [[nodiscard]] std::vector<Run> runs(unsigned workers) override {
    read();
    check_keys();
    const Names machines = chosen(machines_, machines_of(published_), "machine that stands for a chip"),
                benchmarks = chosen(benchmarks_, benchmarks_of(published_), "microbenchmark");
    std::map<std::string, std::string> keys;  // machine keys, by machine
    for (const std::string& machine : machines) {
      keys[machine] = base::Hash().add(load_machine(machine, overrides_).config.to_json()).text();
    }
    Names programs;
    for (const std::string& benchmark : benchmarks) programs.push_back(program_of(benchmark));
    programs_ = find_programs(programs, folder_, workers);
    std::vector<Run> out;
    for (const std::string& machine : machines) {
      for (const std::string& benchmark : benchmarks) {
        Run run;
        run.name = machine + "-" + benchmark;
        for (const std::string& setting : overrides_) run.name += "-" + file_word(setting);
        run.parameters = {{"machine", machine},
                          {"benchmark", benchmark},
                          {"keys", keys.at(machine)},
                          {"file", programs_.at(program_of(benchmark)).fingerprint()}};
        if (!overrides_.empty()) run.parameters["set"] = overrides_;
        out.push_back(std::move(run));
      }
    }
    return out;
  }

  // A run is a process of its own program; results depend on that program and on the machine only.
  [[nodiscard]] std::string build() const override { return "figures as the programs print them"; }

  [[nodiscard]] Json execute(const Json& parameters) const override {
    return programs_.at(program_of(parameters.at("benchmark").get<std::string>()))
        .result(parameters.at("machine").get<std::string>(), parameters.value("set", Names()), {});
  }

  [[nodiscard]] Names sources() const override {
    return {"sw/kernels/microbenchmarks", "platforms/experiments/fidelity"};
  }

  bool report(const std::vector<Run>& runs, Output& output) override {
    read();
    return report_fidelity(published_, runs, output);
  }

 private:
  static std::string program_of(const std::string& benchmark) { return "micro_" + benchmark; }

  void read() {
    published_ = fidelity::read_published(data_.empty() ? fidelity::data_files() : fidelity::data_files_of(data_));
  }

  [[nodiscard]] static Names chosen(const Names& asked, const Names& known, const char* what) {
    check_names(asked, known, what);
    Names out;
    for (const std::string& one : known) {
      if (asked.empty() || std::find(asked.begin(), asked.end(), one) != asked.end()) out.push_back(one);
    }
    return out;
  }

  [[nodiscard]] static Names machines_of(const fidelity::Published& published) {
    Names out;
    for (const fidelity::Chip& chip : published.chips) out.push_back(chip.machine);
    return out;
  }

  [[nodiscard]] static Names benchmarks_of(const fidelity::Published& published) {
    Names out;
    for (const fidelity::Row& row : published.rows) {
      if (std::find(out.begin(), out.end(), row.benchmark()) == out.end()) out.push_back(row.benchmark());
    }
    return out;
  }

  // Checks that the data files name existing machine keys as set, and that their machines are shipped.
  void check_keys() const {
    Names keys;
    for (const gpu::MachineKey& key : gpu::machine_table()) keys.push_back(key.row.key);
    for (const fidelity::Chip& chip : published_.chips) {
      check_names({chip.machine}, shipped_machines(), "shipped machine");
      for (const fidelity::Value& value : chip.values) check_names(value.set, keys, "key of a machine");
    }
  }

  fidelity::Published published_;
  Names machines_, benchmarks_, overrides_;
  std::string folder_, data_;
  std::map<std::string, CudaProgram> programs_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<FidelityExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::fidelity

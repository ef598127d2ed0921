#include "platforms/experiments/children/child_experiment.h"

#include <algorithm>

#include "castor/base/error.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/variations.h"
#include "platforms/machines.h"

namespace castor::platforms::experiments {

namespace children = workloads::children;

void ChildExperiment::add_options(CLI::App& app) {
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, known_.size()); ++i) names += known_[i].name + " ";
  app.add_option("-p,--program", programs_,
                 has_path() ? "Workloads, such as bfs_citation (all, and the launch path)"
                            : "Workloads, such as bfs_citation (all)");
  app.add_option("-s,--system", systems_, names + "... (all but variants)");
  app.add_flag("--variants", variants_, "Without --system: also other rules of the machine");
  if (has_path()) {
    app.add_flag("--path", path_, "The way of a launch, without work; alone, or with --program");
    app.add_flag("--quick", quick_, "Of the launch path a few lanes and at most 256 launches");
  }
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

std::vector<Choices> ChildExperiment::choices() const {
  Names systems;
  for (const ChildSystem& system : known_) systems.push_back(system.name);
  return {{"--program", "program", children::program_names()},
          {"--system", "system", systems},
          {"--machine", "shipped machine", shipped_machines()}};
}

std::vector<Run> ChildExperiment::runs(unsigned workers) {
  choose();
  check_arguments(arguments_);
  const Names variations = read_variations(vary_);
  const std::vector<ChildPathRun> path = path_ ? path_runs(quick_) : std::vector<ChildPathRun>();
  check_keys(variations, path);
  Names files;
  for (const std::string& name : programs_) files.emplace_back(children::find_program(name)->program);
  if (path_) files.emplace_back(kChildPathProgram);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  runner_ = std::make_unique<ChildPrograms>(files, folder_, workers);
  const Names of_variants = this->of_variants();
  std::vector<Run> runs;
  for (const ChildPathRun& one : path) add_path(runs, one);
  for (unsigned seed = 1; seed <= seeds_; ++seed) {
    for (const std::string& program : programs_) {
      const bool all = named_ || std::find(of_variants.begin(), of_variants.end(), program) != of_variants.end();
      for (const std::string& name : systems_) {
        const ChildSystem& system = *find_system(known_, name);
        if (system.variant && !all) continue;
        for (const std::string& variation : variations) add(runs, program, seed, system, variation);
      }
    }
  }
  return runs;
}

void ChildExperiment::choose() {
  if (programs_.empty() && !path_) {
    programs_ = children::program_names();
    path_ = has_path();
  }
  named_ = !systems_.empty();
  if (named_) return;
  for (const ChildSystem& system : known_) {
    if (variants_ || !system.variant) systems_.push_back(system.name);
  }
}

// Throws for unknown keys and illegal values, before any run starts.
void ChildExperiment::check_keys(const Names& variations, const std::vector<ChildPathRun>& path) const {
  const auto check = [&](Names keys, const std::string& variation) {
    const Names user = with_variation(overrides_, variation);
    keys.insert(keys.end(), user.begin(), user.end());
    static_cast<void>(load_machine(machine_, keys));
  };
  for (const std::string& system : systems_) {
    for (const std::string& variation : variations) check(find_system(known_, system)->keys, variation);
  }
  for (const ChildPathRun& one : path) check(one.keys, "");
}

void ChildExperiment::finish(Run& run, const std::string& of, const Names& keys, const Names& words,
                             const Names& user) const {
  if (machine_ != kMachine) run.name += "-" + file_word(machine_);
  for (const std::string& setting : user) run.name += "-" + file_word(setting);
  run.parameters["machine"] = machine_;
  run.parameters["keys"] = keys;
  run.parameters["of"] = of;
  run.parameters["arguments"] = words;
  run.parameters["file"] = runner_->fingerprint(of);
  if (!user.empty()) run.parameters["set"] = user;
}

void ChildExperiment::add_path(std::vector<Run>& runs, const ChildPathRun& one) const {
  Run run;
  run.name = std::string("path-") + one.axis + "-" + std::to_string(one.value);
  run.parameters = {{"axis", one.axis}, {"value", one.value}};
  if (one.warm) run.parameters["warm"] = true;
  finish(run, kChildPathProgram, one.keys, one.arguments, overrides_);
  runs.push_back(std::move(run));
}

void ChildExperiment::add(std::vector<Run>& runs, const std::string& name, unsigned seed, const ChildSystem& system,
                          const std::string& variation) const {
  const children::Program& program = *children::find_program(name);
  Run run;
  run.name = name + "-" + size_ + "-" + std::to_string(seed) + "-" + system.name;
  Names words = children::arguments(program, system.form, size_, seed);
  words.insert(words.end(), system.words.begin(), system.words.end());
  for (const std::string& argument : arguments_) {
    run.name += "-" + file_word(argument);
    words.push_back("--" + argument);
  }
  run.parameters = {{"program", name}, {"size", size_}, {"seed", seed}, {"system", system.name}};
  if (!variation.empty()) run.parameters["variation"] = variation;
  if (system.warm) run.parameters["warm"] = true;
  if (system.traced) run.parameters["traced"] = true;
  finish(run, program.program, system.keys, words, with_variation(overrides_, variation));
  runs.push_back(std::move(run));
}

}  // namespace castor::platforms::experiments

// castor experiment lax: the laxity engine, compared with other schedulers.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "castor/base/error.h"
#include "platforms/experiments/lax/lax_programs.h"
#include "platforms/experiments/lax/lax_report.h"
#include "platforms/experiments/lax/lax_run.h"
#include "platforms/experiments/output.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::platforms::experiments::lax {
namespace {

namespace lax = workloads::lax;

std::vector<std::string> published_workloads() {
  return {lax::published::kWorkloadNames.begin(), lax::published::kWorkloadNames.end()};
}

class LaxExperiment final : public Experiment {
 public:
  [[nodiscard]] const char* name() const override { return "lax"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment lax --workload LSTM --rate high --scheduler RR --scheduler LAX --seeds 3";
  }

  void add_options(CLI::App& app) override {
    app.add_option("-w,--workload", workloads_, "LSTM GRU VAN HYBRID IPV6 CUCKOO GMM STEM VAN128 (all but the last)");
    app.add_option("-r,--rate", rates_, "low, medium, high (all)");
    app.add_option("-s,--scheduler", schedulers_, "RR MLFQ BAT BAY PRO LJF SJF SRF PREMA EDF LAX-SW LAX-CPU LAX (all)");
    app.add_flag("--variants", variants_, "Without --scheduler: also LAX with other settings of the engine");
    app.add_option("-n,--seeds", seeds_, "Seeds 1 to N")->check(CLI::Range(1U, 1000U))->capture_default_str();
    jobs_option_ = app.add_option("--jobs", jobs_, "Jobs of a run; 64 with real kernels")
                       ->check(CLI::Range(1U, 100000U))
                       ->capture_default_str();
    app.add_option("--tier", tier_, "replay: kernels stay for their published times; programs: real kernels, scaled")
        ->check(CLI::IsMember({"replay", "programs"}))
        ->capture_default_str();
    app.add_option("--program", program_, "Tier programs: the program job_mix (compiled when it is needed)");
    app.add_option("--set", overrides_, "key=value of the machine, for every run");
    app.add_flag("--batches", batches_, "Only batches of 1, 8, 32 and 128 jobs, at a rate of their own");
    app.add_option("--deadline", deadlines_, "Deadlines in percent of the published: one run for each (100)")
        ->check(CLI::Range(1U, 10000U));
    app.add_option("--w0", w0_, "Loads from which on TBs slow down, warps: one run for each (as calibrated)");
  }

  [[nodiscard]] std::vector<Choices> choices() const override {
    std::vector<std::string> schedulers;
    for (const LaxEntry& entry : lax_entries()) schedulers.push_back(entry.name);
    return {{"--workload", "workload", lax::workload_names()},
            {"--rate", "rate", {"low", "medium", "high"}},
            {"--scheduler", "scheduler", schedulers}};
  }

  [[nodiscard]] std::vector<Run> runs(unsigned /*workers*/) override {
    if (workloads_.empty()) workloads_ = published_workloads();
    if (rates_.empty()) rates_ = {"high", "medium", "low"};
    const bool programs = tier_ == "programs";
    if (schedulers_.empty()) {
      for (const LaxEntry& entry : lax_entries()) {
        if (programs && !on_device(entry)) continue;
        if (batches_ ? entry.batch != 0 : entry.batch == 0 && (!entry.variant || variants_)) {
          schedulers_.push_back(entry.name);
        }
      }
    }
    if (batches_) rates_ = {kBatchRate};
    std::vector<std::string> names;
    for (const LaxEntry& entry : lax_entries()) {
      if ((entry.batch != 0) == batches_) names.push_back(entry.name);
    }
    check_names(schedulers_, names, batches_ ? "scheduler of batches" : "scheduler");
    // Unknown keys and illegal values are reported before any run starts.
    for (const std::string& scheduler : schedulers_)
      static_cast<void>(lax_machine(*find_lax_entry(scheduler), overrides_));
    if (programs) calibrate();
    if (w0_.empty()) w0_ = {0};
    if (deadlines_.empty()) deadlines_ = {100};
    std::vector<Run> runs;
    for (const std::string& rate : rates_) {
      for (unsigned seed = 1; seed <= seeds_; ++seed) {
        for (const std::string& workload : workloads_) {
          for (const std::string& scheduler : schedulers_) {
            for (const std::uint64_t w0 : w0_) {
              for (const unsigned deadline : deadlines_) add(runs, workload, rate, scheduler, seed, w0, deadline);
            }
          }
        }
      }
    }
    return runs;
  }

  [[nodiscard]] Json execute(const Json& parameters) const override {
    return programs_ != nullptr ? programs_->run(parameters) : run_lax(parameters);
  }

  [[nodiscard]] std::vector<std::string> sources() const override {
    return {"sw/kernels/job_mix", "sw/workloads/host", "sw/workloads/lax", "sw/workloads/job_stream.cpp",
            "platforms/experiments/lax"};
  }

  bool report(const std::vector<Run>& runs, Output& output) override {
    const bool real = !runs.empty() && runs.front().parameters.value("tier", "") == "programs";
    if (real) report_lax_calibration(runs, output);
    return report_lax(runs, output);
  }

 private:
  static bool on_device(const LaxEntry& entry) {
    return entry.scheduler != nullptr && entry.scheduler->place == workloads::Place::kCommandProcessor;
  }

  static constexpr unsigned kCrowd = 24;  ///< number of concurrent jobs that measure the capacity with real kernels

  // Measures the machine for the tier of real kernels, before its runs.
  void calibrate() {
    if (jobs_option_->count() == 0) jobs_ = 64;
    if (!w0_.empty() || !deadlines_.empty() || batches_) {
      throw base::InputError("--w0, --deadline and --batches are for the replay tier", "leave them out");
    }
    if (jobs_ > LaxPrograms::kMostJobs) {
      throw base::InputError("--jobs " + std::to_string(jobs_) + " with real kernels",
                             "at most " + std::to_string(LaxPrograms::kMostJobs));
    }
    for (const std::string& scheduler : schedulers_) {
      if (on_device(*find_lax_entry(scheduler))) continue;
      throw base::InputError("scheduler " + scheduler + " runs on the host, which programs do not simulate",
                             "take one inside the command processor, or the replay tier");
    }
    programs_ = std::make_unique<LaxPrograms>(program_);
    for (const std::string& workload : workloads_) {
      calibrations_.emplace(workload, programs_->calibrate(workload, std::min(jobs_, kCrowd), overrides_));
    }
  }

  void add(std::vector<Run>& runs, const std::string& workload, const std::string& rate, const std::string& scheduler,
           unsigned seed, std::uint64_t w0, unsigned deadline) const {
    Run run;
    run.name = workload + "-" + rate + "-" + scheduler + "-" + std::to_string(seed);
    std::replace(run.name.begin(), run.name.end(), '/', '+');
    if (programs_ != nullptr) run.name += "-programs";
    if (jobs_ != 128) run.name += "-jobs_" + std::to_string(jobs_);
    if (w0 != 0) run.name += "-w0_" + std::to_string(w0);
    run.parameters = {{"workload", workload}, {"rate", rate},  {"scheduler", scheduler},
                      {"seed", seed},         {"jobs", jobs_}, {"tier", tier_}};
    if (w0 != 0) run.parameters["w0"] = w0;
    if (deadline != 100) {
      run.name += "-deadline_" + std::to_string(deadline);
      run.parameters["deadline"] = deadline;
    }
    if (!overrides_.empty()) {
      for (const std::string& one : overrides_) run.name += "-" + file_word(one);
      run.parameters["set"] = overrides_;
    }
    if (programs_ != nullptr) {
      const LaxCalibration& calibration = calibrations_.at(workload);
      run.parameters["per_second"] = lax_programs_rate(workload, rate, calibration);
      run.parameters["calibration"] = calibration.json();
      run.parameters["file"] = programs_->fingerprint();
    }
    runs.push_back(std::move(run));
  }

  std::vector<std::string> workloads_, rates_, schedulers_, overrides_;
  std::vector<std::uint64_t> w0_;
  std::vector<unsigned> deadlines_;
  CLI::Option* jobs_option_ = nullptr;
  bool variants_ = false, batches_ = false;
  unsigned seeds_ = 10, jobs_ = 128;
  std::string tier_ = "replay", program_;
  std::unique_ptr<LaxPrograms> programs_;  ///< null except in the tier of real kernels
  std::map<std::string, LaxCalibration> calibrations_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<LaxExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::lax

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/experiments/output.h"
#include "platforms/experiments/program.h"

namespace castor::platforms::experiments::lax {

/// Measurements of a workload that the tier of real kernels needs (docs/results/lax.md, "Real kernels"). They are made
/// on the machine before schedulers are compared. "Source time" is the time of the published workload, in 1.5 GHz
/// cycles.
struct LaxCalibration {
  /// Cycles of a launch alone, by kernel type of the workload. Mean over a job of 16 time steps that runs after an
  /// identical job, with the caches as the first job has left them.
  std::vector<std::uint64_t> kernels;
  std::uint64_t measured = 0;   ///< cycles of the mean job alone, summed over its kernels
  std::uint64_t published = 0;  ///< cycles of the mean job alone, in source time
  /// Jobs per second that round robin completes when all arrive at once, in source time
  std::uint64_t jobs_per_second = 0;
  [[nodiscard]] Json json() const;
  [[nodiscard]] static LaxCalibration of(const Json& json);
};

/// Runs the CUDA program sw/kernels/job_mix in processes of its own, on the machine gcn_apu.
class LaxPrograms {
 public:
  static constexpr unsigned kMostJobs = 120;  ///< largest number of jobs of a run, because each has a queue of its own

  /// `program`: path of the program; if "", the program is compiled as needed. Throws InputError if the program does
  /// not exist.
  explicit LaxPrograms(const std::string& program);

  /// Measures jobs alone, and `jobs` concurrent jobs without deadlines, on the machine with `overrides`. Throws
  /// base::Error with the program's output if it fails.
  [[nodiscard]] LaxCalibration calibrate(const std::string& workload, unsigned jobs,
                                         const std::vector<std::string>& overrides) const;
  /// Executes one run of the comparison, like run_lax(). `parameters` also hold "calibration" and "per_second" (jobs,
  /// source time).
  [[nodiscard]] Json run(const Json& parameters) const;
  /// Returns a text that changes with the program.
  [[nodiscard]] const std::string& fingerprint() const { return program_.fingerprint(); }

 private:
  CudaProgram program_;
};

/// Returns the jobs per second, in source time, that load the machine as much as the published machine was loaded at a
/// rate: published rate x measured capacity / published capacity. Throws base::Error for a workload without a published
/// capacity.
[[nodiscard]] std::uint64_t lax_programs_rate(const std::string& workload, const std::string& rate,
                                              const LaxCalibration& calibration);

/// Reports the machine's speed relative to the published machine, by workload.
void report_lax_calibration(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::lax

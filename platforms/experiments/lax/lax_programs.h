#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/experiments/output.h"
#include "platforms/experiments/program.h"

namespace castor::platforms::experiments::lax {

/// What the tier of real kernels needs to know of a workload (docs/results/lax.md, "Real kernels"): measured on the
/// machine, before any scheduler is compared. "Source time" is the time of the published workload, 1.5 GHz cycles.
struct LaxCalibration {
  /// Cycles of a launch alone, by kernel type of the workload: mean over a job of 16 steps that comes after one like
  /// it, with caches as that one left them.
  std::vector<std::uint64_t> kernels;
  std::uint64_t measured = 0;         ///< cycles of the mean job alone, the sum over its kernels
  std::uint64_t published = 0;        ///< the same in source time
  std::uint64_t jobs_per_second = 0;  ///< that round robin completes when all come at once, in source time
  [[nodiscard]] Json json() const;
  [[nodiscard]] static LaxCalibration of(const Json& json);
};

/// Runs the CUDA program sw/kernels/job_mix in processes of its own, on the machine gcn_apu.
class LaxPrograms {
 public:
  static constexpr unsigned kMostJobs = 120;  ///< of a run: each has a queue of its own

  /// Errors: InputError if there is no such program; "" has it compiled if need be.
  explicit LaxPrograms(const std::string& program);

  /// Jobs alone, and so many `jobs` in a crowd, without deadlines. Takes the machine's `overrides`. Errors: base::Error
  /// with what the program said.
  [[nodiscard]] LaxCalibration calibrate(const std::string& workload, unsigned jobs,
                                         const std::vector<std::string>& overrides) const;
  /// One run of the comparison, as run_lax. `parameters` also hold "calibration" and "per_second" (jobs, source time).
  [[nodiscard]] Json run(const Json& parameters) const;
  /// Changes when the program does.
  [[nodiscard]] const std::string& fingerprint() const { return program_.fingerprint(); }

 private:
  CudaProgram program_;
};

/// Jobs per second, in source time, at which the machine is as crowded as the published one was at a rate: the
/// published rate x measured capacity over published capacity. Errors: base::Error for workloads without a published
/// capacity.
[[nodiscard]] std::uint64_t lax_programs_rate(const std::string& workload, const std::string& rate,
                                              const LaxCalibration& calibration);

/// How the machine relates to the published one, by workload.
void report_lax_calibration(const std::vector<Run>& runs, Output& output);

}  // namespace castor::platforms::experiments::lax

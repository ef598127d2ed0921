#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/cdp/evaluation.h"
#include "workloads/cdp/programs.h"

namespace castor::platforms::experiments {

/// A column of the comparison: a form of the programs, and settings of the machine.
struct CdpSystem {
  std::string name;         ///< "cdp_ideal"
  const char* description;  ///< a few words
  const char* form;         ///< of the programs
  std::vector<std::string> keys;
  bool variant = false;  ///< only with --variants, or by name
};
/// In the order of the tables.
[[nodiscard]] const std::vector<CdpSystem>& cdp_systems();
/// nullptr if there is none.
[[nodiscard]] const CdpSystem* find_cdp_system(const std::string& name);

/// A run of the way of a launch: of the program launch_path.
struct CdpPathRun {
  const char* axis;  ///< what is varied: "lanes", "warps", "many", "many_serial", "limit", "queues", "placement"
  unsigned value;
  std::vector<std::string> keys, arguments;
};
/// `quick`: a few of each.
[[nodiscard]] std::vector<CdpPathRun> cdp_path_runs(bool quick);
inline constexpr const char* kCdpPathProgram = "dynamic_launch_path";

/// Runs the programs of the comparison.
class CdpPrograms {
 public:
  /// `names`: of sw/kernels. `folder`: where they lie; "": as compiled by at most so many `workers` at once. Errors:
  /// InputError if one of them is not there.
  CdpPrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers)
      : programs_(find_programs(names, folder, workers)) {}
  /// One run; `parameters` as the experiment makes them. The result has the counts of workloads::cdp::Figures.
  /// Errors: base::Error, also if launches or thread blocks got lost.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  std::map<std::string, CudaProgram> programs_;  ///< by their names in sw/kernels
};

/// Changes when `CdpPrograms::run` returns other figures.
[[nodiscard]] std::string cdp_figures();
[[nodiscard]] workloads::Sample cdp_sample(const Json& result);

}  // namespace castor::platforms::experiments

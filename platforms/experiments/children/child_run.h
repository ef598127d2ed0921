#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/children/figures.h"
#include "workloads/children/programs.h"

namespace castor::platforms::experiments {

/// A column of the comparison: a form of the programs, and settings of the machine.
struct ChildSystem {
  std::string name;         ///< "cdp_ideal"
  const char* description;  ///< a few words
  const char* form;         ///< of the programs
  std::vector<std::string> keys;
  bool variant = false;                 ///< only if asked for
  bool warm = false;                    ///< a kernel is kept resident for groups
  std::vector<std::string> words = {};  ///< of the program, behind those of the input
  bool traced = false;                  ///< also where thread blocks were placed, and when (placement.h)
};
using ChildSystems = std::vector<ChildSystem>;
/// nullptr if there is none.
[[nodiscard]] const ChildSystem* find_system(const ChildSystems& systems, const std::string& name);
/// No latency of calls of the device runtime and of the parse.
[[nodiscard]] std::vector<std::string> no_launch_latency();

/// A run of the way of a launch: of the program launch_path.
struct ChildPathRun {
  const char* axis;  ///< what is varied
  unsigned value;
  std::vector<std::string> keys, arguments;
  bool warm = false;  ///< a kernel is kept resident for groups
};
/// So many lanes of so many warps launch; `part`: "calls", or "groups" of thread blocks.
[[nodiscard]] ChildPathRun path_calls(const char* part, const char* axis, unsigned value, unsigned blocks,
                                      unsigned warps, unsigned lanes, std::vector<std::string> keys = {});
inline constexpr const char* kChildPathProgram = "dynamic_launch_path";

/// Runs the programs of the comparison.
class ChildPrograms {
 public:
  /// `names`: of sw/kernels. `folder`: where they lie; "": as compiled by at most so many `workers` at once. Errors:
  /// InputError if one of them is not there.
  ChildPrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers)
      : programs_(find_programs(names, folder, workers)) {}
  /// One run; `parameters` as the experiment makes them. The result has the counts of workloads::children::Figures.
  /// Errors: base::Error, also if launches or thread blocks got lost.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  std::map<std::string, CudaProgram> programs_;  ///< by their names in sw/kernels
};

/// Changes when `ChildPrograms::run` returns other figures.
[[nodiscard]] std::string child_figures();
[[nodiscard]] workloads::Sample child_sample(const Json& result);
/// Adds counted, refused, failed and hash as a program says them. Errors: base::Error if it does not.
void add_counted(const std::string& said, Json& out);

}  // namespace castor::platforms::experiments

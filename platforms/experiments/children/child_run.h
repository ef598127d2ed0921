#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/children/figures.h"
#include "workloads/children/programs.h"

namespace castor::platforms::experiments {

/// A column of the comparison: a form of the programs, with settings of the machine.
struct ChildSystem {
  std::string name;         ///< name of the system, such as "cdp_ideal"
  const char* description;  ///< short description for the tables
  const char* form;         ///< variant of the programs, as named in their arguments
  std::vector<std::string> keys;
  bool variant = false;                 ///< true: runs only if the user asks for it
  bool warm = false;                    ///< a kernel is kept resident for groups to join
  std::vector<std::string> words = {};  ///< arguments of the program, after those of the input
  bool traced = false;                  ///< also records where and when thread blocks were placed (placement.h)
};
using ChildSystems = std::vector<ChildSystem>;
/// Returns the system of that name, or nullptr if there is none.
[[nodiscard]] const ChildSystem* find_system(const ChildSystems& systems, const std::string& name);
/// Returns the machine keys that set the latencies of device runtime calls and of parsing to 0.
[[nodiscard]] std::vector<std::string> no_launch_latency();

/// A run of the program launch_path.
struct ChildPathRun {
  const char* axis;  ///< name of the parameter that is varied
  unsigned value;
  std::vector<std::string> keys, arguments;
  bool warm = false;  ///< a kernel is kept resident for groups to join
};
/// Returns a run in which `lanes` lanes of `warps` warps per block launch. `part`: "calls", or "groups" of thread
/// blocks.
[[nodiscard]] ChildPathRun path_calls(const char* part, const char* axis, unsigned value, unsigned blocks,
                                      unsigned warps, unsigned lanes, std::vector<std::string> keys = {});
inline constexpr const char* kChildPathProgram = "dynamic_launch_path";

/// Runs the programs of the comparison, each run in a process.
class ChildPrograms {
 public:
  /// `names`: programs of sw/kernels. `folder`: folder of compiled programs; if "", the programs are compiled as needed
  /// by at most `workers` processes. Throws InputError if a program is missing.
  ChildPrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers)
      : programs_(find_programs(names, folder, workers)) {}
  /// Executes one run. `parameters`: as the experiment makes them. Returns the counts of workloads::children::Figures.
  /// Throws base::Error if the program fails, or if launches or thread blocks were lost.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  std::map<std::string, CudaProgram> programs_;  ///< key: name in sw/kernels
};

/// Returns a text that changes whenever `ChildPrograms::run` would return different figures.
[[nodiscard]] std::string child_figures();
[[nodiscard]] workloads::Sample child_sample(const Json& result);
/// Adds counted, refused, failed and hash from the program's output. Throws base::Error if they are missing in the
/// output.
void add_counted(const std::string& said, Json& out);

}  // namespace castor::platforms::experiments

#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/saws/evaluation.h"

namespace castor::platforms::experiments::saws {

/// An issue policy of the SM, or the block `saws`, with its settings.
struct SawsPolicy {
  const char* name;  ///< "GTO", "SAWS/no-toggle"
  std::vector<std::string> overrides;
  bool variant = false;  ///< true: runs only with --variants, or if named
  bool block = false;    ///< uses the block `saws`, which requires one issued warp per scheduler
};
/// Returns all policies in the order of the tables.
[[nodiscard]] const std::vector<SawsPolicy>& saws_policies();
/// Returns the policy of that name, or nullptr if there is none.
[[nodiscard]] const SawsPolicy* find_saws_policy(const std::string& name);

/// A machine of the comparison.
struct SawsMachine {
  const char* name;     ///< number of schedulers, as in the tables
  const char* shipped;  ///< shipped machine file
  std::vector<std::string> overrides;
  bool block;                         ///< whether the machine can have the block
  std::vector<const char*> policies;  ///< default policies; empty: all except variants
};
[[nodiscard]] const std::vector<SawsMachine>& saws_machines();
[[nodiscard]] const SawsMachine* find_saws_machine(const std::string& name);

/// Returns the machine keys of a run: of the machine, of the policy, and of the user.
[[nodiscard]] std::vector<std::string> saws_overrides(const SawsMachine& machine, const SawsPolicy& policy,
                                                      const std::vector<std::string>& user);

/// Runs the programs of the comparison, each run in a process.
class SawsPrograms {
 public:
  /// `folder`: folder of compiled programs; if "", the programs are compiled as needed by at most `workers` processes.
  /// Throws InputError if a program is missing.
  SawsPrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers)
      : programs_(find_programs(names, folder, workers)) {}
  /// Executes one run. `parameters`: as the experiment makes them. Returns cycles of all kernels, launches, totals by
  /// their names in the report (docs/statistics.md), and the schedulers' stall ticks as stall_<name>. Throws
  /// base::Error if the program fails.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  std::map<std::string, CudaProgram> programs_;
};

/// Returns a text that changes whenever `SawsPrograms::run` would return different figures.
[[nodiscard]] std::string saws_figures();
[[nodiscard]] workloads::saws::Sample sample_of(const Json& result);

}  // namespace castor::platforms::experiments::saws

#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/saws/evaluation.h"

namespace castor::platforms::experiments::saws {

/// An issue policy, or the block `saws`, with its settings.
struct SawsPolicy {
  const char* name;  ///< "GTO", "SAWS/no-toggle"
  std::vector<std::string> overrides;
  bool variant = false;  ///< only with --variants, or by name
  bool block = false;    ///< the block `saws`, which wants one pick per scheduler
};
/// In the order of the tables.
[[nodiscard]] const std::vector<SawsPolicy>& saws_policies();
/// nullptr if there is none.
[[nodiscard]] const SawsPolicy* find_saws_policy(const std::string& name);

/// A machine of the comparison.
struct SawsMachine {
  const char* name;     ///< its number of schedulers, as the tables have it
  const char* shipped;  ///< machine file
  std::vector<std::string> overrides;
  bool block;                         ///< can have the block
  std::vector<const char*> policies;  ///< by default; empty: all that are no variants
};
[[nodiscard]] const std::vector<SawsMachine>& saws_machines();
[[nodiscard]] const SawsMachine* find_saws_machine(const std::string& name);

/// Keys of the machine for a run: those of the machine, of the policy, and what the user adds.
[[nodiscard]] std::vector<std::string> saws_overrides(const SawsMachine& machine, const SawsPolicy& policy,
                                                      const std::vector<std::string>& user);

/// Runs the programs of the comparison.
class SawsPrograms {
 public:
  /// `folder`: where they lie; "": as compiled by at most so many `workers` at once. Errors: InputError if one of them
  /// is not there.
  SawsPrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers)
      : programs_(find_programs(names, folder, workers)) {}
  /// One run; `parameters` as the experiment makes them. The result has cycles of all kernels, launches, totals of the
  /// report (docs/statistics.md) by their names, and those of the schedulers' ticks as stall_<name>. Errors:
  /// base::Error.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  std::map<std::string, CudaProgram> programs_;
};

/// Changes when `SawsPrograms::run` returns other figures.
[[nodiscard]] std::string saws_figures();
[[nodiscard]] workloads::saws::Sample sample_of(const Json& result);

}  // namespace castor::platforms::experiments::saws

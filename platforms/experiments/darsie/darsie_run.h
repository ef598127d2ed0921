#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/darsie/evaluation.h"
#include "workloads/darsie/programs.h"

namespace castor::platforms::experiments::darsie {

/// A machine of the comparison: settings of one GPU.
struct DarsieSystem {
  std::string name;         ///< "baseline", "darsie"
  const char* description;  ///< a few words
  std::vector<std::string> keys;
  bool program_keys = true;  ///< those of the program come before
  bool skips = false;        ///< has the block
  bool variant = false;      ///< only with --variants, or by name
  bool functional = false;   ///< runs on the functional machine: no times
};
/// In the order of the tables.
[[nodiscard]] const std::vector<DarsieSystem>& darsie_systems();
/// nullptr if there is none.
[[nodiscard]] const DarsieSystem* find_darsie_system(const std::string& name);

/// The shipped machine, and what makes it small for a size of inputs: "small" is a quarter of it, caches and memory
/// included.
inline constexpr const char* kDarsieMachine = "pascal_titanx_study";
[[nodiscard]] std::vector<std::string> darsie_chip(const std::string& size);

/// Keys of the machine for a run.
[[nodiscard]] std::vector<std::string> darsie_keys(const workloads::darsie::Program& program,
                                                   const DarsieSystem& system, const std::string& size,
                                                   const std::vector<std::string>& user);

/// Runs the programs of the comparison.
class DarsiePrograms {
 public:
  /// `folder`: where they lie; "": as compiled by at most so many `workers` at once. Errors: InputError if one of them
  /// is not there.
  DarsiePrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers);
  /// One run; `parameters` as the experiment makes them. The result has the counts of workloads::darsie::Sample.
  /// Errors: base::Error.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  [[nodiscard]] const CudaProgram& program_of(const std::string& name) const;

  std::map<std::string, CudaProgram> programs_;  ///< by their names in sw/kernels
};

/// Changes when `DarsiePrograms::run` returns other figures.
[[nodiscard]] std::string darsie_figures();
[[nodiscard]] workloads::darsie::Sample darsie_sample(const Json& result);

}  // namespace castor::platforms::experiments::darsie

#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/program.h"
#include "workloads/darsie/evaluation.h"
#include "workloads/darsie/programs.h"

namespace castor::platforms::experiments::darsie {

/// A machine of the comparison: settings of the GPU.
struct DarsieSystem {
  std::string name;         ///< "baseline", "darsie"
  const char* description;  ///< short description for the tables
  std::vector<std::string> keys;
  bool program_keys = true;  ///< the program's own machine keys are applied before these
  bool skips = false;        ///< whether the system has the block
  bool variant = false;      ///< true: runs only with --variants, or if named
  bool functional = false;   ///< runs on the functional machine, which has no times
};
/// Returns all systems in the order of the tables.
[[nodiscard]] const std::vector<DarsieSystem>& darsie_systems();
/// Returns the system of that name, or nullptr if there is none.
[[nodiscard]] const DarsieSystem* find_darsie_system(const std::string& name);

/// The shipped machine of the comparison, and the keys that adapt it to a size of inputs. "small" reduces it to a
/// quarter, caches and memory included.
inline constexpr const char* kDarsieMachine = "pascal_titanx_study";
[[nodiscard]] std::vector<std::string> darsie_chip(const std::string& size);

/// Returns the machine keys of a run.
[[nodiscard]] std::vector<std::string> darsie_keys(const workloads::darsie::Program& program,
                                                   const DarsieSystem& system, const std::string& size,
                                                   const std::vector<std::string>& user);

/// Runs the programs of the comparison, each run in a process.
class DarsiePrograms {
 public:
  /// `folder`: folder of compiled programs; if "", the programs are compiled as needed by at most `workers` processes.
  /// Throws InputError if a program is missing.
  DarsiePrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers);
  /// Executes one run. `parameters`: as the experiment makes them. Returns the counts of workloads::darsie::Sample.
  /// Throws base::Error if the program fails.
  [[nodiscard]] Json run(const Json& parameters) const;
  [[nodiscard]] const std::string& fingerprint(const std::string& name) const;

 private:
  [[nodiscard]] const CudaProgram& program_of(const std::string& name) const;

  std::map<std::string, CudaProgram> programs_;  ///< key: name in sw/kernels
};

/// Returns a text that changes whenever `DarsiePrograms::run` would return different figures.
[[nodiscard]] std::string darsie_figures();
[[nodiscard]] workloads::darsie::Sample darsie_sample(const Json& result);

}  // namespace castor::platforms::experiments::darsie

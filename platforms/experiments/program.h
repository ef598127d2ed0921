#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments {

/// A CUDA program, compiled by castor-cc, that an experiment runs in separate processes.
class CudaProgram {
 public:
  /// The program at `path`, compiled from sw/kernels/`name`. Throws InputError if `path` is not executable.
  CudaProgram(const std::string& name, std::string path);

  /// Executes the program once and returns its report (docs/gpu/counting.md, "Statistics"). `machine`: shipped name or
  /// path; `overrides`: "key=value". Throws base::Error with the program's output if it failed, its results were wrong,
  /// or it left no report.
  [[nodiscard]] Json run(const std::string& machine, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& arguments) const;
  /// Executes the program once and returns the JSON object that it printed after the word RESULT at the beginning of a
  /// line. Throws base::Error like `run`, and if there is no such line.
  [[nodiscard]] Json result(const std::string& machine, const std::vector<std::string>& overrides,
                            const std::vector<std::string>& arguments) const;
  /// Output and report of a run.
  struct Finished {
    std::string said;
    Json report;
  };
  /// Environment variables of a run, with their values.
  using Variables = std::vector<std::pair<const char*, std::string>>;
  /// Executes the program once and returns output and report. `variables`: additional environment variables. Throws
  /// like `run`.
  [[nodiscard]] Finished finish(const std::string& machine, const std::vector<std::string>& overrides,
                                const std::vector<std::string>& arguments, const Variables& variables = {}) const;
  /// Returns the JSON object after the word RESULT in the output of a run. Throws base::Error if there is no such
  /// object.
  [[nodiscard]] Json result_in(const std::string& said) const;
  /// Returns a text that changes with the program and with the libcastor_cudart that it loads.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::string path_, fingerprint_;
};

/// Returns programs of sw/kernels by name: programs in `folder`, or, if `folder` is empty, programs compiled as needed
/// (compiled.h) by at most `workers` processes. Throws InputError.
[[nodiscard]] std::map<std::string, CudaProgram> find_programs(const std::vector<std::string>& names,
                                                               const std::string& folder, unsigned workers);

/// Returns the source path of a single-file program, relative to the root of the source tree.
[[nodiscard]] inline std::string kernel_source(const std::string& name) { return "sw/kernels/" + name + ".cu"; }

}  // namespace castor::platforms::experiments

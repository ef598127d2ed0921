#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments {

/// A CUDA program, built by castor-cc, that an experiment runs in processes of its own.
class CudaProgram {
 public:
  /// The program at `path`, built from sw/kernels/`name`. Errors: InputError if nothing there can be executed.
  CudaProgram(const std::string& name, std::string path);

  /// One run and its report (docs/gpu/counting.md, "Statistics"). `machine`: shipped name or path; `overrides`:
  /// "key=value". Errors: base::Error with what the program said if it ended badly, its results were wrong or it left
  /// no report.
  [[nodiscard]] Json run(const std::string& machine, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& arguments) const;
  /// One run, and the object that it printed behind the word RESULT at the beginning of a line. Errors: as `run`, and
  /// base::Error if there is no such line.
  [[nodiscard]] Json result(const std::string& machine, const std::vector<std::string>& overrides,
                            const std::vector<std::string>& arguments) const;
  /// What a run said and reported.
  struct Finished {
    std::string said;
    Json report;
  };
  /// Environment variables of a run, and what they are.
  using Variables = std::vector<std::pair<const char*, std::string>>;
  /// Both. `variables`: also set. Errors: as `run`.
  [[nodiscard]] Finished finish(const std::string& machine, const std::vector<std::string>& overrides,
                                const std::vector<std::string>& arguments, const Variables& variables = {}) const;
  /// The object behind the word RESULT in what a run of this program said. Errors: as `result`.
  [[nodiscard]] Json result_in(const std::string& said) const;
  /// Changes when the program or the libcastor_cudart that it loads does.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::string path_, fingerprint_;
};

/// Programs of sw/kernels by name: those in `folder`; if that is empty, compiled if need be (compiled.h), at most
/// `workers` at once. Errors: InputError.
[[nodiscard]] std::map<std::string, CudaProgram> find_programs(const std::vector<std::string>& names,
                                                               const std::string& folder, unsigned workers);

/// Where the source of a program of one file lies, from the root of the tree.
[[nodiscard]] inline std::string kernel_source(const std::string& name) { return "sw/kernels/" + name + ".cu"; }

}  // namespace castor::platforms::experiments

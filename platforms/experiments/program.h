#pragma once

#include <string>
#include <vector>

#include "platforms/experiments/experiment.h"

namespace castor::platforms::experiments {

/// A temporary folder, gone with the object.
class Scratch {
 public:
  /// Errors: base::Error if none can be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// A CUDA program, built by castor-cc, that an experiment runs in processes of its own.
class CudaProgram {
 public:
  /// The program at `path`; if that is empty, `name` in kernels/ of the build that this program belongs to. Errors:
  /// InputError if nothing there can be executed.
  explicit CudaProgram(const std::string& name, const std::string& path = "");

  /// One run and its report (docs/gpu.md, "Statistics"). `machine`: shipped name or path; `overrides`: "key=value".
  /// Errors: base::Error with what the program said if it ended badly, its results were wrong or it left no report.
  [[nodiscard]] Json run(const std::string& machine, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& arguments) const;
  /// One run, and the object that it printed behind the word RESULT at the beginning of a line. Errors: as `run`, and
  /// base::Error if there is no such line.
  [[nodiscard]] Json result(const std::string& machine, const std::vector<std::string>& overrides,
                            const std::vector<std::string>& arguments) const;
  /// Changes when the program or the libcastor_cudart that it loads does.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  struct Finished {
    std::string said;
    Json report;
  };
  [[nodiscard]] Finished finish(const std::string& machine, const std::vector<std::string>& overrides,
                                const std::vector<std::string>& arguments) const;

  std::string path_, fingerprint_;
};

}  // namespace castor::platforms::experiments

#pragma once

#include <memory>
#include <string>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments::laperm {

/// Runs that record which memory the programs' thread blocks touch, on the functional machine. The programs are
/// compiled again with PTX that workloads::laperm::with_footprints has extended. The first run that needs a program
/// compiles it.
class FootprintRuns {
 public:
  /// Executes one run. `parameters`: as the experiment makes them. Returns the counts of workloads::laperm::Sharing,
  /// and launches and results from the program's output. Throws base::Error if the program fails.
  [[nodiscard]] Json run(const Json& parameters) const;

 private:
  [[nodiscard]] std::string compiled(const std::string& name) const;

  Scratch folder_;
};

/// Returns a text that changes whenever `FootprintRuns::run` would return different figures.
[[nodiscard]] std::string footprint_figures();

}  // namespace castor::platforms::experiments::laperm

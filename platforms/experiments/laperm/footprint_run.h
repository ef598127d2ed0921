#pragma once

#include <memory>
#include <string>

#include "platforms/experiments/experiment.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments::laperm {

/// What thread blocks of the programs touch, on the functional machine: programs compiled anew, with PTX that went
/// through workloads::laperm::with_footprints. Each is compiled by the first run that wants it.
class FootprintRuns {
 public:
  /// One run; `parameters` as the experiment makes them. The result has the counts of workloads::laperm::Sharing, and
  /// launches and results as the program says them. Errors: base::Error.
  [[nodiscard]] Json run(const Json& parameters) const;

 private:
  [[nodiscard]] std::string compiled(const std::string& name) const;

  Scratch folder_;
};

/// Changes when `FootprintRuns::run` returns other figures.
[[nodiscard]] std::string footprint_figures();

}  // namespace castor::platforms::experiments::laperm

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/spread.h"

namespace castor::workloads {

/// Counts of one run by name.
using Sample = std::map<std::string, double>;

/// A figure of a run; empty if a count that it needs is missing in the run.
using Figure = std::function<std::optional<double>(const Sample&)>;
/// Returns the count of that name as a figure.
[[nodiscard]] Figure count(const std::string& name);
/// Returns the sum of counts as a figure; empty if a count is missing.
[[nodiscard]] Figure sum(const std::vector<std::string>& names);
/// Returns the quotient of two figures; empty if the divisor is 0.
[[nodiscard]] Figure quotient(const Figure& of, const Figure& over);

/// All runs of a comparison. Ratios are computed input by input, over the inputs that both systems have.
class Evaluation {
 public:
  using Programs = std::vector<std::string>;

  void add(const std::string& program, const std::string& input, const std::string& system, const Sample& sample);
  [[nodiscard]] std::vector<std::string> all_inputs() const;
  [[nodiscard]] std::vector<std::string> all_systems() const;
  /// Returns all runs except those of one input.
  [[nodiscard]] Evaluation without(const std::string& input) const;
  /// Returns those of `programs` that have runs on a system.
  [[nodiscard]] Programs with_runs(const Programs& programs, const std::string& system) const;
  [[nodiscard]] bool has_all(const Programs& programs, const std::string& system) const;
  /// Mean and deviation of a figure over the inputs of one program.
  [[nodiscard]] Spread figure(const std::string& program, const std::string& system, const Figure& figure) const;
  /// Geometric mean over programs of `figure` on `of` / `figure` on `base`. Programs without a ratio are left out. The
  /// deviation is that between inputs, each with its own mean over programs.
  [[nodiscard]] Spread ratio(const Programs& programs, const std::string& of, const std::string& base,
                             const Figure& figure) const;
  /// Arithmetic mean of a figure over programs; empty if no program has it.
  [[nodiscard]] std::optional<double> mean(const Programs& programs, const std::string& system,
                                           const Figure& figure) const;

 private:
  using Inputs = std::map<std::string, Sample>;
  [[nodiscard]] const Inputs& inputs(const std::string& program, const std::string& system) const;

  std::map<std::string, std::map<std::string, Inputs>> runs_;
};

}  // namespace castor::workloads

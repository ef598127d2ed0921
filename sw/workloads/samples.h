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

/// A figure of a run; nothing if the run does not have it.
using Figure = std::function<std::optional<double>(const Sample&)>;
/// Count of that name.
[[nodiscard]] Figure count(const std::string& name);
/// Sum of counts; nothing if one is missing.
[[nodiscard]] Figure sum(const std::vector<std::string>& names);
/// One over another; nothing if that is 0.
[[nodiscard]] Figure quotient(const Figure& of, const Figure& over);

/// All runs of a comparison. Ratios are taken input by input, over the inputs that both sides have.
class Evaluation {
 public:
  using Programs = std::vector<std::string>;

  void add(const std::string& program, const std::string& input, const std::string& system, const Sample& sample);
  [[nodiscard]] std::vector<std::string> all_inputs() const;
  [[nodiscard]] std::vector<std::string> all_systems() const;
  /// All runs but those of one input.
  [[nodiscard]] Evaluation without(const std::string& input) const;
  /// Programs with runs on a system, of those in `programs`.
  [[nodiscard]] Programs with_runs(const Programs& programs, const std::string& system) const;
  [[nodiscard]] bool has_all(const Programs& programs, const std::string& system) const;
  /// Over the inputs of one program.
  [[nodiscard]] Spread figure(const std::string& program, const std::string& system, const Figure& figure) const;
  /// Geometric mean over programs, those left out that have no ratio, of `figure` on `of` over that on `base`; the
  /// deviation is that between inputs, each with its own mean over programs.
  [[nodiscard]] Spread ratio(const Programs& programs, const std::string& of, const std::string& base,
                             const Figure& figure) const;
  /// Arithmetic mean over programs of a figure; nothing if no program has it.
  [[nodiscard]] std::optional<double> mean(const Programs& programs, const std::string& system,
                                           const Figure& figure) const;

 private:
  using Inputs = std::map<std::string, Sample>;
  [[nodiscard]] const Inputs& inputs(const std::string& program, const std::string& system) const;

  std::map<std::string, std::map<std::string, Inputs>> runs_;
};

}  // namespace castor::workloads

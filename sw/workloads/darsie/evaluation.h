#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/claim.h"
#include "workloads/darsie/energy.h"
#include "workloads/spread.h"

namespace castor::workloads::darsie {

/// Counts of one run by name, sums over SMs and the kernels that count. Names of totals are the report's
/// (docs/statistics.md); others:
///
///   cycles                   of the kernels, core cycles
///   class_<class>, lanes_<class>  warp instructions issued, and their active lanes, by class
///   register_reads, register_writes  rows included; missing if the machine does not count them
///   filter_<count>           of the SM's side of the block, 0 without it
///   darsie_<counter>         of the block, 0 without it
///   limit_<count>            of the limit study (docs/marks.md, "Limit study"), only in its runs
using Sample = std::map<std::string, double>;

/// A figure of a run; nothing if the run does not have it.
using Figure = std::function<std::optional<double>(const Sample&)>;
/// Count of that name.
[[nodiscard]] Figure count(const std::string& name);
/// Sum of counts; nothing if one is missing.
[[nodiscard]] Figure sum(const std::vector<std::string>& names);
/// One over another; nothing if that is 0.
[[nodiscard]] Figure quotient(const Figure& of, const Figure& over);
[[nodiscard]] Figure cycles();
/// Warp instructions that were executed.
[[nodiscard]] Figure executed();
/// Of the units for arithmetic.
[[nodiscard]] Figure arithmetic();
[[nodiscard]] Figure shared_loads();
[[nodiscard]] Figure global_loads();
/// Parts of `Energy`.
[[nodiscard]] Figure total_energy(const EnergyTable& table);
[[nodiscard]] Figure dynamic_energy(const EnergyTable& table);
[[nodiscard]] Figure overhead_share(const EnergyTable& table);

/// Names of systems that the claims speak of.
inline constexpr const char *kBaseline = "baseline", *kDarsie = "darsie", *kUv = "uv", *kDac = "dac_ideal",
                            *kIgnoreStore = "ignore_store", *kNoSync = "no_cf_sync", *kSiliconSync = "silicon_sync",
                            *kReads4 = "reads_4", *kLimit = "limit", *kBaselinePorts = "baseline_ports",
                            *kDarsiePorts = "darsie_ports";

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

/// What a system is compared with: "baseline", or for "darsie sm.warps=32" the "baseline sm.warps=32".
[[nodiscard]] std::string baseline_of(const std::string& system);

/// Programs that skip a larger share of a class of instructions than thread blocks of so many warps can: "MM: 97.0 % of
/// shared loads with darsie". Checked for every system in `skipping`.
[[nodiscard]] std::vector<std::string> beyond_bound(const Evaluation& evaluation,
                                                    const std::vector<std::string>& skipping);

/// The claims C1 to C20 (docs/results/darsie.md, "Claims"). `skipping`: systems that have the block.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const EnergyTable& table,
                                       const std::vector<std::string>& skipping);

}  // namespace castor::workloads::darsie

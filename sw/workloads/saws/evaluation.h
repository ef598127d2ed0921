#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/claim.h"
#include "workloads/spread.h"

namespace castor::workloads::saws {

/// Figures of one run: sums over SMs and kernels.
struct Sample {
  double cycles = 0;        ///< core cycles of all kernels
  double instructions = 0;  ///< instructions that warps issued
  double barriers = 0;      ///< completed barriers
  /// Cycles from a barrier's first arrival to the first arrival on the scheduler that completes the barrier.
  double wait_p1 = 0;
  double wait_p2 = 0;    ///< cycles from the end of wait_p1 to completion of the barrier
  double ahead = 0;      ///< barriers by which the leading resident TB is ahead of the last, summed over barriers
  double resident = 0;   ///< cycles that TBs were resident on an SM
  double l2_misses = 0;  ///< loads that missed in L2
  /// Only with the block: pairs of TBs in the lists of two schedulers, summed over barriers, and the pairs in opposite
  /// order.
  double order_pairs = 0, disagreements = 0;
  std::string others;  ///< all other figures of the run as text; only compared for equality between runs
};

/// A figure of a run.
using Figure = double (*)(const Sample&);
[[nodiscard]] double cycles(const Sample& sample);
[[nodiscard]] double l2_misses(const Sample& sample);
/// Cycles from first arrival to completion, summed over all barriers.
[[nodiscard]] double waiting(const Sample& sample);
/// Share of wait_p1 in the waiting time; 0 without waiting.
[[nodiscard]] double p1_share(const Sample& sample);
/// Barriers that a TB completes per 1000 cycles of residency.
[[nodiscard]] double clearing_rate(const Sample& sample);
/// Mean lead, in barriers, of the leading TB over the last TB on the SM when a barrier completes.
[[nodiscard]] double lead(const Sample& sample);
/// Share of pairs of TBs that two schedulers order oppositely when a barrier completes; only with the block.
[[nodiscard]] double disagreement(const Sample& sample);

/// A system that runs programs: the machine, named by its number of schedulers ("4", or "4 sm.tb_slots=8" if a key is
/// changed), and the scheduling policy.
struct Point {
  std::string machine, policy;
};
bool operator<(const Point& a, const Point& b);

/// Names of the policies that the claims refer to.
inline constexpr const char *kGto = "GTO", *kCatls = "CATLS", *kSaws = "SAWS", *kNoToggle = "SAWS/no-toggle";

/// All runs of a comparison. Ratios are computed input by input (size and seed), over the inputs that have runs at both
/// points.
class Evaluation {
 public:
  using Programs = std::vector<std::string>;

  void add(const std::string& program, const std::string& input, const Point& point, const Sample& sample);
  /// Returns the inputs (size and seed) of all runs, in ascending order.
  [[nodiscard]] std::vector<std::string> all_inputs() const;
  [[nodiscard]] std::vector<std::string> machines() const;
  /// Returns all runs except those of one input.
  [[nodiscard]] Evaluation without(const std::string& input) const;
  /// Returns those of `programs` that have runs at a point.
  [[nodiscard]] Programs with_runs(const Programs& programs, const Point& point) const;
  [[nodiscard]] bool has_all(const Programs& programs, const Point& point) const;
  /// Mean and deviation of a figure over the inputs of one program.
  [[nodiscard]] Spread figure(const std::string& program, const Point& point, Figure figure) const;
  /// Geometric mean over inputs of `figure` at `of` / `figure` at `base`. Inputs with a 0 at either point are left out.
  [[nodiscard]] Spread ratio(const std::string& program, const Point& of, const Point& base, Figure figure) const;
  /// Geometric mean of ratio() over programs. Programs without a ratio are left out. The deviation is that between
  /// inputs, each with its own mean over programs.
  [[nodiscard]] Spread mean_ratio(const Programs& programs, const Point& of, const Point& base, Figure figure) const;
  /// Arithmetic mean over programs of each program's mean over inputs.
  [[nodiscard]] std::optional<double> mean(const Programs& programs, const Point& point, Figure figure) const;
  /// Returns the number of common inputs for which the two points differ in any figure.
  [[nodiscard]] unsigned differences(const std::string& program, const Point& a, const Point& b) const;
  /// Returns the fastest over `programs` of the CATLS variants with groups of 4, 8 and 16; "CATLS" if none was run.
  [[nodiscard]] std::string best_catls(const Programs& programs, const std::string& machine) const;

 private:
  using Inputs = std::map<std::string, Sample>;
  [[nodiscard]] const Inputs& inputs(const std::string& program, const Point& point) const;
  /// Returns the ratio of a figure between two points, by input.
  [[nodiscard]] std::map<std::string, double> ratios(const std::string& program, const Point& of, const Point& base,
                                                     Figure figure) const;

  std::map<std::string, std::map<Point, Inputs>> runs_;
};

/// Judges the claims S1 to S15 (docs/results/saws.md, "Claims"). Each claim states its rule. The spread of a mean is
/// the standard deviation between inputs; for other figures it is the jackknife spread, for which each input is left
/// out once.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation);

}  // namespace castor::workloads::saws

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
  double cycles = 0;        ///< of all kernels, core cycles
  double instructions = 0;  ///< that warps issued
  double barriers = 0;      ///< completed
  double wait_p1 = 0;       ///< from the 1st hit to the first arrival on the scheduler that completes the barrier
  double wait_p2 = 0;       ///< from there to completion
  double ahead = 0;         ///< barriers by which one resident TB led another, summed over barriers
  double resident = 0;      ///< cycles that TBs were on their SM
  double l2_misses = 0;     ///< loads that L2 did not have
  /// The block alone: pairs of TBs in the lists of two schedulers, summed over barriers, and those in opposite order.
  double order_pairs = 0, disagreements = 0;
  std::string others;  ///< all other figures that a run keeps, as text: only compared
};

/// A figure of a run.
using Figure = double (*)(const Sample&);
[[nodiscard]] double cycles(const Sample& sample);
[[nodiscard]] double l2_misses(const Sample& sample);
/// First arrival to completion, over all barriers.
[[nodiscard]] double waiting(const Sample& sample);
/// Share of p1 in that; 0 without waiting.
[[nodiscard]] double p1_share(const Sample& sample);
/// Barriers that a TB completes in 1000 cycles on its SM.
[[nodiscard]] double clearing_rate(const Sample& sample);
/// Mean lead of the TB furthest ahead over the last one on the SM, when a barrier completes.
[[nodiscard]] double lead(const Sample& sample);
/// Share of pairs of TBs that two schedulers have in opposite order, when a barrier completes; the block alone.
[[nodiscard]] double disagreement(const Sample& sample);

/// What runs a program: the machine by its number of schedulers ("4", or "4 sm.tb_slots=8" if something is changed),
/// and the policy.
struct Point {
  std::string machine, policy;
};
bool operator<(const Point& a, const Point& b);

/// Names of policies that the claims speak of.
inline constexpr const char *kGto = "GTO", *kCatls = "CATLS", *kSaws = "SAWS", *kNoToggle = "SAWS/no-toggle";

/// All runs of a comparison. Ratios are taken input by input (size and seed), over the inputs that both sides have.
class Evaluation {
 public:
  using Programs = std::vector<std::string>;

  void add(const std::string& program, const std::string& input, const Point& point, const Sample& sample);
  /// Of all runs, in order: sizes with seeds; machines.
  [[nodiscard]] std::vector<std::string> all_inputs() const;
  [[nodiscard]] std::vector<std::string> machines() const;
  /// All runs but those of one input.
  [[nodiscard]] Evaluation without(const std::string& input) const;
  /// Programs with runs at a point, of those in `programs`.
  [[nodiscard]] Programs with_runs(const Programs& programs, const Point& point) const;
  [[nodiscard]] bool has_all(const Programs& programs, const Point& point) const;
  /// Over the inputs of one program.
  [[nodiscard]] Spread figure(const std::string& program, const Point& point, Figure figure) const;
  /// `figure` at `of` over that at `base`; inputs at which the base has 0 are left out.
  [[nodiscard]] Spread ratio(const std::string& program, const Point& of, const Point& base, Figure figure) const;
  /// Geometric mean over programs, those left out that have no ratio; the deviation is that between inputs, each with
  /// its own mean over programs.
  [[nodiscard]] Spread mean_ratio(const Programs& programs, const Point& of, const Point& base, Figure figure) const;
  /// Arithmetic mean over programs of their means.
  [[nodiscard]] std::optional<double> mean(const Programs& programs, const Point& point, Figure figure) const;
  /// Inputs at which the two points differ in any figure, of those that both have.
  [[nodiscard]] unsigned differences(const std::string& program, const Point& a, const Point& b) const;
  /// Of CATLS with groups of 4, 8 and 16 the one with the least time over `programs`; "CATLS" if none was run.
  [[nodiscard]] std::string best_catls(const Programs& programs, const std::string& machine) const;

 private:
  using Inputs = std::map<std::string, Sample>;
  [[nodiscard]] const Inputs& inputs(const std::string& program, const Point& point) const;
  /// By input.
  [[nodiscard]] std::map<std::string, double> ratios(const std::string& program, const Point& of, const Point& base,
                                                     Figure figure) const;

  std::map<std::string, std::map<Point, Inputs>> runs_;
};

/// The claims S1 to S15 (docs/results/saws.md, "Claims"). Each says its rule; the spread of a figure is its standard
/// deviation between inputs (of what is no mean, by leaving out one input after the other).
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation);

}  // namespace castor::workloads::saws

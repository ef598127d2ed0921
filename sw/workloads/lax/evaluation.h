#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "workloads/claim.h"
#include "workloads/host/outcome.h"
#include "workloads/lax/workloads.h"
#include "workloads/spread.h"

namespace castor::workloads::lax {

/// Figures of one run, in the units of the published tables.
struct Sample {
  double met = 0;         ///< jobs of 128 that met their deadline
  double p99_ms = 0;      ///< 99th percentile of the latency of jobs that ran; 0 if none did
  double wasted = 0;      ///< completed TBs of jobs that missed, as a share of completed TBs; 0 if none completed
  double energy_mj = 0;   ///< work of all TBs that ran, times kJoulePerLaneCycle
  double per_second = 0;  ///< jobs that met their deadline per second of the time base
};
/// Our figure for energy: completed work (lanes x cycles at full speed) times this constant. It contains no energy of
/// idling, waiting or data transfer, so only ratios are meaningful.
inline constexpr double kJoulePerLaneCycle = 1e-12;
/// Returns the figures of a run. The time base is the last arrival + the deadline.
[[nodiscard]] Sample sample(const JobStream& stream, const Metrics& metrics);

/// All runs of a comparison.
class Evaluation {
 public:
  void add(const std::string& workload, Rate rate, const std::string& scheduler, std::uint64_t seed,
           const Sample& sample);
  [[nodiscard]] bool has(const std::string& workload, Rate rate, const std::string& scheduler) const;
  /// Returns the seeds of all runs, in ascending order.
  [[nodiscard]] std::vector<std::uint64_t> seeds() const;
  /// Returns all runs except those of one seed.
  [[nodiscard]] Evaluation without(std::uint64_t seed) const;
  /// Returns whether all published workloads have runs of the scheduler at this rate.
  [[nodiscard]] bool has_all(Rate rate, const std::string& scheduler) const;
  [[nodiscard]] Spread spread(const std::string& workload, Rate rate, const std::string& scheduler,
                              double Sample::*figure) const;
  [[nodiscard]] double mean(const std::string& workload, Rate rate, const std::string& scheduler,
                            double Sample::*figure) const;
  /// Returns the completed work per job that met its deadline, as total work / number of jobs. Empty if no job met its
  /// deadline.
  [[nodiscard]] std::optional<double> work_per_job(const std::string& workload, Rate rate,
                                                   const std::string& scheduler) const;

  /// Jobs in time of `a` / jobs in time of `b` in one workload. Empty without runs, or if `b` has no job in time.
  [[nodiscard]] std::optional<double> ratio(const std::string& workload, Rate rate, const std::string& a,
                                            const std::string& b) const;
  /// Geometric mean of ratio() over the published workloads. Workloads in which `a` or `b` has no job in time are
  /// excluded and counted in `left_out`. Empty if `a` or `b` lacks runs.
  [[nodiscard]] std::optional<double> geomean(Rate rate, const std::string& a, const std::string& b,
                                              unsigned* left_out = nullptr) const;
  /// Geometric mean of a figure over the published workloads in which it is above 0.
  [[nodiscard]] std::optional<double> geomean_of(Rate rate, const std::string& scheduler, double Sample::*figure) const;

 private:
  using Key = std::tuple<std::string, Rate, std::string>;
  std::map<Key, std::map<std::uint64_t, Sample>> runs_;
};

/// Laxity of one job over time.
struct PriorityTrace {
  double latency_ms = 0, deadline_ms = 0;
  std::vector<double> at_ms;      ///< time of each sample since the job's arrival
  std::vector<double> laxity_ms;  ///< laxity of each sample, from the engine's register
  std::vector<unsigned> cls;
};
/// Measurements of runs outside the comparison; each may be empty.
struct Extras {
  std::map<std::string, std::vector<double>> prediction_error;  ///< relative prediction error of each run, by workload
  /// By workload, for each run the job in time that came closest to its deadline.
  std::map<std::string, std::vector<PriorityTrace>> priority;
  /// Response time in us, by workload and batch size
  std::map<std::string, std::map<unsigned, std::vector<double>>> response;
  Evaluation executed;  ///< runs of real kernels; the runs in `Evaluation` replay published times
};

/// A workload in which LAX has fewer jobs in time than a rival, by more than the spread of the difference.
struct Loss {
  std::string workload, rival;
  Spread behind;  ///< difference in jobs in time, of 128
};
/// Returns the losses of LAX at the high rate. Variants of LAX are not rivals.
[[nodiscard]] std::vector<Loss> losses(const Evaluation& evaluation);

/// Judges the claims C1 to C26 (docs/results/lax.md, "Claims"). Each claim states its rule. The spread of a mean is the
/// standard deviation between seeds; for other figures it is the jackknife spread, for which each seed is left out
/// once.
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const Extras& extras = {});

/// Counts of a run that must be consistent for any scheduler. Each job ends in exactly one way, useful TBs do not
/// exceed all TBs, and schedulers that refuse no job run the same TBs.
struct Account {
  std::string workload, rate, scheduler;
  std::uint64_t seed = 0, jobs = 0, met = 0, late = 0, rejected = 0, open = 0, all_tbs = 0, useful_tbs = 0;
};
/// Returns a message for each violated rule.
[[nodiscard]] std::vector<std::string> broken_accounts(const std::vector<Account>& runs);

}  // namespace castor::workloads::lax

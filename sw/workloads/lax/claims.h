#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "workloads/lax/evaluation.h"

/// Functions that decide the claims, grouped by subject. Each function decides one claim and appends it to the list of
/// claims.
namespace castor::workloads::lax {

using Names = std::vector<std::string>;

inline const Names kAll = {"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "CUCKOO", "GMM", "STEM"};
inline const Names kRecurrent = {"LSTM", "GRU", "VAN", "HYBRID"};
inline const Names kSingle = {"IPV6", "CUCKOO", "GMM", "STEM"};
/// The published schedulers that LAX is compared with.
inline const Names kRivals = {"RR", "MLFQ", "BAT", "BAY", "PRO", "LJF", "SJF", "SRF", "PREMA", "EDF"};

/// Collects results of statements by name, to write a claim's reason: "not: A, B; within the spread: C".
class Statements {
 public:
  void add(const std::string& name, Truth truth);
  [[nodiscard]] const std::vector<Truth>& list() const { return all_; }
  [[nodiscard]] Truth all() const { return all_of(all_); }
  /// Returns the names of the statements that fail or are unclear.
  [[nodiscard]] std::string reason() const;

 private:
  std::vector<Truth> all_;
  std::string fails_, unclear_;
};

/// Data that all claims are decided from, and the list of claims. The referenced objects must outlive the case.
struct Case {
  Case(const Evaluation& runs, const Extras& others);

  const Evaluation& evaluation;
  const Extras& extras;
  std::vector<Evaluation> without;  ///< evaluations of all runs except those of one seed, one per seed
  std::vector<Claim> claims;
};

/// Base class of the claims' rules. Every figure is a function of the runs; the spread of a figure is its jackknife
/// spread, for which each seed is left out once.
class Judge {
 public:
  explicit Judge(Case& all) : evaluation_(all.evaluation), extras_(all.extras), case_(all) {}

  /// Returns the jobs in time (of 128) of `a` minus those of `b` in a workload, at the high rate.
  [[nodiscard]] Spread difference(const std::string& workload, const std::string& a, const std::string& b) const {
    return difference(workload, workload, a, b);
  }

 protected:
  using Figure = std::function<double(const Evaluation&)>;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::array<Rate, 3> kRates = {Rate::kLow, Rate::kMedium, Rate::kHigh};

  /// Returns a figure of all runs with its jackknife spread, for which each seed is left out once.
  [[nodiscard]] Spread spread(const Figure& figure) const;
  static double mean_of(const Evaluation& e, const std::string& workload, const std::string& scheduler,
                        double Sample::*figure = &Sample::met) {
    return e.mean(workload, Rate::kHigh, scheduler, figure);
  }
  /// Jobs in time (of 128) at the high rate.
  [[nodiscard]] Spread met(const std::string& workload, const std::string& scheduler) const;
  /// Returns the jobs in time of `a` in workload `one` minus the jobs in time of `b` in workload `other`, at the high
  /// rate.
  [[nodiscard]] Spread difference(const std::string& one, const std::string& other, const std::string& a,
                                  const std::string& b) const;
  /// Jobs in time of `a` / jobs in time of `b`; NaN if `b` has none.
  [[nodiscard]] Spread ratio(const std::string& workload, const std::string& a, const std::string& b) const;
  /// Geometric mean over workloads of jobs in time of `a` / jobs in time of `b`.
  [[nodiscard]] Spread geomean(Rate rate, const std::string& a, const std::string& b) const;
  /// Geometric mean ratio of jobs in time over the recurrent networks with real kernels, at the high rate. NaN if a
  /// network has no runs.
  [[nodiscard]] Spread executed(const std::string& a, const std::string& b) const;

  /// Returns whether all given schedulers have runs. Otherwise leaves the claim open with a reason.
  bool need(Claim& claim, Rate rate, const Names& schedulers) const;
  Claim& begin(const char* id, const char* claim, const char* source, const char* rule);

  const Evaluation& evaluation_;
  const Extras& extras_;

 private:
  Case& case_;
};

/// Claims about jobs in time: one scheduler against others.
class SchedulerClaims : private Judge {
 public:
  using Judge::Judge;
  void round_robin_misses();
  void gain_grows_with_load();
  void order_of_schedulers();
  void against_all(const char* id, const char* claim, const char* source, const Names& rivals, double enough,
                   double enough_executed);
  void against_prema();
  void single_kernel_ties();
  void recurrent_order();
  void hybrid_gains_most();
  void longest_first_sign();
  void headline();
};

/// Claims about schedulers on the host, LAX on the host included.
class HostClaims : private Judge {
 public:
  using Judge::Judge;
  void baymax_ipv6();
  void baymax_best_on_host();
  void placement();
  void baymax_against_software();
};

/// Claims about the latency of jobs and the work spent on them.
class JobClaims : private Judge {
 public:
  using Judge::Judge;
  void waste();
  void tail();
  void work_per_job();
  void batching();
};

/// Claims about the laxity engine's predictions and about its settings.
class EngineClaims : private Judge {
 public:
  using Judge::Judge;
  void prediction();
  void priority_over_time();
  void initial_priority();
  void update_period();
  void memory();
};

}  // namespace castor::workloads::lax

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "workloads/lax/evaluation.h"

/// The claims by subject. Each function decides one and appends it to the list of all.
namespace castor::workloads::lax {

using Names = std::vector<std::string>;

inline const Names kAll = {"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "CUCKOO", "GMM", "STEM"};
inline const Names kRecurrent = {"LSTM", "GRU", "VAN", "HYBRID"};
inline const Names kSingle = {"IPV6", "CUCKOO", "GMM", "STEM"};
/// What LAX is compared with: the published schedulers.
inline const Names kRivals = {"RR", "MLFQ", "BAT", "BAY", "PRO", "LJF", "SJF", "SRF", "PREMA", "EDF"};

/// Collects statements by name, for the reason: "not: A, B; within the spread: C".
class Statements {
 public:
  void add(const std::string& name, Truth truth);
  [[nodiscard]] const std::vector<Truth>& list() const { return all_; }
  [[nodiscard]] Truth all() const { return all_of(all_); }
  [[nodiscard]] std::string reason() const;

 private:
  std::vector<Truth> all_;
  std::string fails_, unclear_;
};

/// What claims are decided by, and where they go; everything outlives who uses it.
struct Case {
  Case(const Evaluation& runs, const Extras& others);

  const Evaluation& evaluation;
  const Extras& extras;
  std::vector<Evaluation> without;  ///< one seed each
  std::vector<Claim> claims;
};

/// What a claim's rule is written with. Every figure is a function of the runs, so that leaving out one seed after the
/// other says how far it spreads.
class Judge {
 public:
  explicit Judge(Case& all) : evaluation_(all.evaluation), extras_(all.extras), case_(all) {}

  /// Jobs in time of 128 of `a` in a workload less those of `b`, high rate.
  [[nodiscard]] Spread difference(const std::string& workload, const std::string& a, const std::string& b) const {
    return difference(workload, workload, a, b);
  }

 protected:
  using Figure = std::function<double(const Evaluation&)>;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::array<Rate, 3> kRates = {Rate::kLow, Rate::kMedium, Rate::kHigh};

  [[nodiscard]] Spread spread(const Figure& figure) const;
  static double mean_of(const Evaluation& e, const std::string& workload, const std::string& scheduler,
                        double Sample::*figure = &Sample::met) {
    return e.mean(workload, Rate::kHigh, scheduler, figure);
  }
  /// Jobs in time of 128, high rate.
  [[nodiscard]] Spread met(const std::string& workload, const std::string& scheduler) const;
  /// Those of `a` in one workload less those of `b` in another.
  [[nodiscard]] Spread difference(const std::string& one, const std::string& other, const std::string& a,
                                  const std::string& b) const;
  /// Jobs in time of `a` over those of `b`; no number if `b` has none.
  [[nodiscard]] Spread ratio(const std::string& workload, const std::string& a, const std::string& b) const;
  [[nodiscard]] Spread geomean(Rate rate, const std::string& a, const std::string& b) const;
  /// Of the recurrent networks with real kernels, high rate; of no run where one has none.
  [[nodiscard]] Spread executed(const std::string& a, const std::string& b) const;

  /// True if runs of all these schedulers are there; else the claim is open.
  bool need(Claim& claim, Rate rate, const Names& schedulers) const;
  Claim& begin(const char* id, const char* claim, const char* source, const char* rule);

  const Evaluation& evaluation_;
  const Extras& extras_;

 private:
  Case& case_;
};

/// Jobs in time, one scheduler against others.
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

/// Schedulers on the host, and LAX there.
class HostClaims : private Judge {
 public:
  using Judge::Judge;
  void baymax_ipv6();
  void baymax_best_on_host();
  void placement();
  void baymax_against_software();
};

/// How long jobs take, and the work that is done for them.
class JobClaims : private Judge {
 public:
  using Judge::Judge;
  void waste();
  void tail();
  void work_per_job();
  void batching();
};

/// What the laxity engine predicts, and what its settings do.
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

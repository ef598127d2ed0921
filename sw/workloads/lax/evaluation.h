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
  double met = 0;         ///< jobs that met their deadline, of 128
  double p99_ms = 0;      ///< of jobs that ran; 0 if none did
  double wasted = 0;      ///< share of completed TBs that belong to jobs which missed; 0 if none completed
  double energy_mj = 0;   ///< work of all TBs that ran, see kJoulePerLaneCycle
  double per_second = 0;  ///< jobs that met their deadline over the time base
};
/// What stands beside the source's energy is completed work: lanes x cycles at full speed, at a price of our own.
/// Nothing idles, waits or moves data in it: only ratios mean anything.
inline constexpr double kJoulePerLaneCycle = 1e-12;
/// Time base: the last arrival + the deadline.
[[nodiscard]] Sample sample(const JobStream& stream, const Metrics& metrics);

/// All runs of a comparison.
class Evaluation {
 public:
  void add(const std::string& workload, Rate rate, const std::string& scheduler, std::uint64_t seed,
           const Sample& sample);
  [[nodiscard]] bool has(const std::string& workload, Rate rate, const std::string& scheduler) const;
  /// Of all runs, in order.
  [[nodiscard]] std::vector<std::uint64_t> seeds() const;
  /// All runs but those of one seed.
  [[nodiscard]] Evaluation without(std::uint64_t seed) const;
  /// All published workloads have runs of the scheduler at this rate.
  [[nodiscard]] bool has_all(Rate rate, const std::string& scheduler) const;
  [[nodiscard]] Spread spread(const std::string& workload, Rate rate, const std::string& scheduler,
                              double Sample::*figure) const;
  [[nodiscard]] double mean(const std::string& workload, Rate rate, const std::string& scheduler,
                            double Sample::*figure) const;
  /// Completed work per job that met its deadline: total over total; empty if none met it.
  [[nodiscard]] std::optional<double> work_per_job(const std::string& workload, Rate rate,
                                                   const std::string& scheduler) const;

  /// Jobs in time of `a` over those of `b` in one workload; empty without runs or if `b` has none in time.
  [[nodiscard]] std::optional<double> ratio(const std::string& workload, Rate rate, const std::string& a,
                                            const std::string& b) const;
  /// Geometric mean of that over the published workloads. Workloads in which one of the two has no job in time are left
  /// out and counted in `left_out`; empty without runs of one of them.
  [[nodiscard]] std::optional<double> geomean(Rate rate, const std::string& a, const std::string& b,
                                              unsigned* left_out = nullptr) const;
  /// Geometric mean of a figure over workloads in which it is above 0.
  [[nodiscard]] std::optional<double> geomean_of(Rate rate, const std::string& scheduler, double Sample::*figure) const;

 private:
  using Key = std::tuple<std::string, Rate, std::string>;
  std::map<Key, std::map<std::uint64_t, Sample>> runs_;
};

/// How the priority of one job changed.
struct PriorityTrace {
  double latency_ms = 0, deadline_ms = 0;
  std::vector<double> at_ms;      ///< since its arrival
  std::vector<double> laxity_ms;  ///< as the engine has it
  std::vector<unsigned> cls;
};
/// What other runs than those of the comparison measured; all may be empty.
struct Extras {
  std::map<std::string, std::vector<double>> prediction_error;  ///< by workload, of each run
  /// By workload, of each run the job in time that came closest to its deadline.
  std::map<std::string, std::vector<PriorityTrace>> priority;
  std::map<std::string, std::map<unsigned, std::vector<double>>> response;  ///< by workload and size of batches, us
  Evaluation executed;  ///< runs of real kernels, where `Evaluation` has those that replay published times
};

/// A workload in which LAX has fewer jobs in time than a rival, by more than the spread of the difference.
struct Loss {
  std::string workload, rival;
  Spread behind;  ///< jobs of 128
};
/// At the high rate; variants of LAX are no rivals.
[[nodiscard]] std::vector<Loss> losses(const Evaluation& evaluation);

/// The claims C1 to C26 (docs/results/lax.md, "Claims"). Each says its rule; the spread of a figure is its standard
/// deviation between seeds (of what is no mean, by leaving out one seed after the other).
[[nodiscard]] std::vector<Claim> judge(const Evaluation& evaluation, const Extras& extras = {});

/// What any run must keep whatever the scheduler: each job ends in one way, useful TBs are some of all, and schedulers
/// that refuse no job run the same TBs. Sentences about what does not hold.
struct Account {
  std::string workload, rate, scheduler;
  std::uint64_t seed = 0, jobs = 0, met = 0, late = 0, rejected = 0, open = 0, all_tbs = 0, useful_tbs = 0;
};
[[nodiscard]] std::vector<std::string> broken_accounts(const std::vector<Account>& runs);

}  // namespace castor::workloads::lax

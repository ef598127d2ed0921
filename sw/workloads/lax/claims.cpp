#include "workloads/lax/claims.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace castor::workloads::lax {

void Statements::add(const std::string& name, Truth truth) {
  all_.push_back(truth);
  if (truth == Truth::kFails) fails_ += (fails_.empty() ? "" : ", ") + name;
  if (truth == Truth::kUnclear) unclear_ += (unclear_.empty() ? "" : ", ") + name;
}

std::string Statements::reason() const {
  std::string out = fails_.empty() ? "" : "not: " + fails_;
  if (!unclear_.empty()) out += (out.empty() ? "" : "; ") + ("within the spread: " + unclear_);
  return out;
}

Case::Case(const Evaluation& runs, const Extras& others) : evaluation(runs), extras(others) {
  for (const std::uint64_t seed : runs.seeds()) without.push_back(runs.without(seed));
}

Spread Judge::spread(const Figure& figure) const {
  std::vector<double> values;
  values.reserve(case_.without.size());
  for (const Evaluation& part : case_.without) values.push_back(figure(part));
  return jackknife_spread(figure(evaluation_), values);
}

Spread Judge::met(const std::string& workload, const std::string& scheduler) const {
  return spread([&](const Evaluation& e) { return mean_of(e, workload, scheduler); });
}

Spread Judge::difference(const std::string& one, const std::string& other, const std::string& a,
                         const std::string& b) const {
  return spread([&](const Evaluation& e) { return mean_of(e, one, a) - mean_of(e, other, b); });
}

Spread Judge::ratio(const std::string& workload, const std::string& a, const std::string& b) const {
  return spread([&](const Evaluation& e) { return e.ratio(workload, Rate::kHigh, a, b).value_or(kNone); });
}

Spread Judge::geomean(Rate rate, const std::string& a, const std::string& b) const {
  return spread([&](const Evaluation& e) { return e.geomean(rate, a, b).value_or(kNone); });
}

Spread Judge::executed(const std::string& a, const std::string& b) const {
  const auto mean = [&](const Evaluation& e) {
    double sum = 0;
    for (const std::string& workload : kRecurrent) {
      const auto ratio = e.ratio(workload, Rate::kHigh, a, b);
      if (!ratio || *ratio == 0) return kNone;
      sum += std::log(*ratio);
    }
    return std::exp(sum / static_cast<double>(kRecurrent.size()));
  };
  if (std::isnan(mean(extras_.executed))) return {};
  std::vector<double> values;
  for (const std::uint64_t seed : extras_.executed.seeds()) values.push_back(mean(extras_.executed.without(seed)));
  return jackknife_spread(mean(extras_.executed), values);
}

bool Judge::need(Claim& claim, Rate rate, const Names& schedulers) const {
  std::string missing;
  for (const std::string& scheduler : schedulers) {
    if (!evaluation_.has_all(rate, scheduler)) missing += (missing.empty() ? "" : ", ") + scheduler;
  }
  if (missing.empty()) return true;
  claim.verdict = Verdict::kOpen;
  claim.reason = "no runs of all workloads at the " + std::string(kRateNames[static_cast<std::size_t>(rate)]) +
                 " rate for " + missing;
  return false;
}

Claim& Judge::begin(const char* id, const char* claim, const char* source, const char* rule) {
  return case_.claims.emplace_back(Claim{id, claim, source, rule, "", Verdict::kOpen, ""});
}

std::vector<Claim> judge(const Evaluation& evaluation, const Extras& extras) {
  Case all(evaluation, extras);
  SchedulerClaims schedulers(all);
  HostClaims hosts(all);
  JobClaims jobs(all);
  EngineClaims engine(all);
  const auto open = [&all](const char* id, const char* claim, const char* source, const char* rule,
                           const char* reason) {
    all.claims.push_back({id, claim, source, rule, "", Verdict::kOpen, reason});
  };
  schedulers.round_robin_misses();
  schedulers.gain_grows_with_load();
  schedulers.order_of_schedulers();
  schedulers.against_all("C4", "LAX against the best of SJF and SRF", "1.7x", {"SJF", "SRF"}, 1.3, 1.0);
  schedulers.against_all("C5", "LAX against EDF", "2.9x", {"EDF"}, 2.0, 2.0);
  schedulers.against_prema();
  schedulers.single_kernel_ties();
  schedulers.recurrent_order();
  schedulers.hybrid_gains_most();
  schedulers.longest_first_sign();
  hosts.baymax_ipv6();
  hosts.baymax_best_on_host();
  hosts.placement();
  hosts.baymax_against_software();
  jobs.waste();
  jobs.tail();
  jobs.work_per_job();
  engine.prediction();
  engine.priority_over_time();
  engine.initial_priority();
  engine.update_period();
  engine.memory();
  open("C23", "worked example of three jobs", "round robin misses J3, LAX meets all",
       "the same jobs in time on the platform",
       "no run has it: the engine alone gives it cycle by cycle (lax_engine_golden_test), on the platform J3 misses "
       "under LAX too (lax_platform_test)");
  jobs.batching();
  open("C25", "isolated times of the kernels", "table 1", "equal",
       "the replayed kernels take these times, so there is nothing to measure");
  schedulers.headline();
  return std::move(all.claims);
}

std::vector<Loss> losses(const Evaluation& evaluation) {
  const Extras none;
  Case all(evaluation, none);
  const Judge judge(all);
  std::vector<Loss> out;
  for (const std::string& workload : kAll) {
    for (const std::string& rival : kRivals) {
      if (!evaluation.has(workload, Rate::kHigh, "LAX") || !evaluation.has(workload, Rate::kHigh, rival)) continue;
      const Spread behind = judge.difference(workload, rival, "LAX");
      if (above(behind, 0) == Truth::kHolds) out.push_back({workload, rival, behind});
    }
  }
  return out;
}

}  // namespace castor::workloads::lax

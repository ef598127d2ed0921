#include "workloads/lax/evaluation.h"

#include <cmath>
#include <set>

#include "workloads/lax/published.h"

namespace castor::workloads::lax {

Sample sample(const JobStream& stream, const Metrics& metrics) {
  Sample out;
  const double seconds = 1.0 / static_cast<double>(kCyclesPerSecond);
  out.met = 128.0 * metrics.met / metrics.jobs;
  out.p99_ms = static_cast<double>(metrics.p99) * seconds * 1e3;
  if (metrics.all_tbs != 0) {
    out.wasted = 1 - static_cast<double>(metrics.useful_tbs) / static_cast<double>(metrics.all_tbs);
  }
  out.energy_mj = static_cast<double>(metrics.lane_cycles) * kJoulePerLaneCycle * 1e3;
  const Job& last = stream.jobs.back();
  const Cycle base = last.arrival + (last.deadline == Job::kNoDeadline ? 0 : last.deadline);
  if (base != 0) out.per_second = metrics.met / (static_cast<double>(base) * seconds);
  return out;
}

void Evaluation::add(const std::string& workload, Rate rate, const std::string& scheduler, std::uint64_t seed,
                     const Sample& sample) {
  runs_[{workload, rate, scheduler}][seed] = sample;
}

bool Evaluation::has(const std::string& workload, Rate rate, const std::string& scheduler) const {
  return runs_.count({workload, rate, scheduler}) != 0;
}

std::vector<std::uint64_t> Evaluation::seeds() const {
  std::set<std::uint64_t> all;
  for (const auto& [key, runs] : runs_) {
    for (const auto& [seed, sample] : runs) all.insert(seed);
  }
  return {all.begin(), all.end()};
}

Evaluation Evaluation::without(std::uint64_t seed) const {
  Evaluation out;
  for (const auto& [key, runs] : runs_) {
    for (const auto& [own, sample] : runs) {
      if (own != seed) out.runs_[key][own] = sample;
    }
  }
  return out;
}

bool Evaluation::has_all(Rate rate, const std::string& scheduler) const {
  for (const std::string_view workload : published::kWorkloadNames) {
    if (!has(std::string(workload), rate, scheduler)) return false;
  }
  return true;
}

Spread Evaluation::spread(const std::string& workload, Rate rate, const std::string& scheduler,
                          double Sample::*figure) const {
  const auto found = runs_.find({workload, rate, scheduler});
  std::vector<double> values;
  if (found != runs_.end()) {
    for (const auto& [seed, sample] : found->second) values.push_back(sample.*figure);
  }
  return arithmetic_spread(values);
}

double Evaluation::mean(const std::string& workload, Rate rate, const std::string& scheduler,
                        double Sample::*figure) const {
  return spread(workload, rate, scheduler, figure).mean;
}

std::optional<double> Evaluation::work_per_job(const std::string& workload, Rate rate,
                                               const std::string& scheduler) const {
  const double met = mean(workload, rate, scheduler, &Sample::met);
  if (met == 0) return std::nullopt;
  return mean(workload, rate, scheduler, &Sample::energy_mj) / met;
}

std::optional<double> Evaluation::ratio(const std::string& workload, Rate rate, const std::string& a,
                                        const std::string& b) const {
  if (!has(workload, rate, a) || !has(workload, rate, b)) return std::nullopt;
  const double below = mean(workload, rate, b, &Sample::met);
  if (below == 0) return std::nullopt;
  return mean(workload, rate, a, &Sample::met) / below;
}

std::optional<double> Evaluation::geomean(Rate rate, const std::string& a, const std::string& b,
                                          unsigned* left_out) const {
  if (!has_all(rate, a) || !has_all(rate, b)) return std::nullopt;
  double sum = 0;
  unsigned count = 0, zeros = 0;
  for (const std::string_view workload : published::kWorkloadNames) {
    const std::optional<double> one = ratio(std::string(workload), rate, a, b);
    if (!one || *one == 0) {
      ++zeros;
      continue;
    }
    sum += std::log(*one);
    ++count;
  }
  if (left_out != nullptr) *left_out = zeros;
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

std::optional<double> Evaluation::geomean_of(Rate rate, const std::string& scheduler, double Sample::*figure) const {
  if (!has_all(rate, scheduler)) return std::nullopt;
  double sum = 0;
  unsigned count = 0;
  for (const std::string_view workload : published::kWorkloadNames) {
    const double value = mean(std::string(workload), rate, scheduler, figure);
    if (value <= 0) continue;
    sum += std::log(value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

std::vector<std::string> broken_accounts(const std::vector<Account>& runs) {
  std::vector<std::string> out;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, const Account*> all_ran;
  for (const Account& run : runs) {
    const std::string name =
        run.workload + ", " + run.rate + " rate, " + run.scheduler + ", seed " + std::to_string(run.seed) + ": ";
    const std::uint64_t ended = run.met + run.late + run.rejected + run.open;
    if (ended != run.jobs) {
      out.push_back(name + std::to_string(ended) + " ends of " + std::to_string(run.jobs) + " jobs");
    }
    if (run.useful_tbs > run.all_tbs) {
      out.push_back(name + std::to_string(run.useful_tbs) + " useful TBs of " + std::to_string(run.all_tbs));
    }
    if (run.rejected != 0 || run.open != 0) continue;
    const auto [first, is_first] = all_ran.try_emplace({run.workload, run.rate, run.seed}, &run);
    if (!is_first && first->second->all_tbs != run.all_tbs) {
      out.push_back(name + std::to_string(run.all_tbs) + " TBs, " + std::to_string(first->second->all_tbs) + " under " +
                    first->second->scheduler);
    }
  }
  return out;
}

}  // namespace castor::workloads::lax

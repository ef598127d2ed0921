#include <algorithm>
#include <string>
#include <vector>

#include "workloads/lax/claims.h"

namespace castor::workloads::lax {
namespace {

/// Returns whether a statement holds or fails in all runs; the result is unclear for fewer than two runs and if the
/// runs disagree.
Truth of_runs(const std::vector<Truth>& runs) {
  if (runs.size() < 2) return Truth::kUnclear;
  return all_of(runs) == Truth::kHolds   ? Truth::kHolds
         : any_of(runs) == Truth::kFails ? Truth::kFails
                                         : Truth::kUnclear;
}

/// Sizes at the engine's default parameters: bits per queue and per kernel type in its tables, numbers of queues and
/// kernel types, and bytes of its other queues (docs/blocks/lax.md, "Area").
constexpr double kQueueBits = 623, kTypeBits = 371, kQueues = 128, kTypes = 64, kOtherBytes = 328;
constexpr double kPublishedBytes = 4240;

}  // namespace

void EngineClaims::memory() {
  Claim& c = begin("C22", "memory of the tables for 128 queues", "4240 B", "at most 4240 B");
  by_construction(c, "arithmetic over the engine's own sizes");
  const double bytes = (kQueueBits * kQueues + kTypeBits * kTypes) / 8 + kOtherBytes;
  c.ours = number(bytes, 0) + " B";
  conclude(c, certain(bytes <= kPublishedBytes), "48-bit times, values for software, ten policies");
}

void EngineClaims::prediction() {
  Claim& c = begin("C18", "error of predicted run times of recurrent networks", "8 % mean",
                   "mean of the four at most 15 %; shape: at most 50 %");
  std::vector<double> by_run;
  for (const std::string& workload : kRecurrent) {
    const auto found = extras_.prediction_error.find(workload);
    if (found == extras_.prediction_error.end()) {
      c.reason = "no observed runs of " + workload;
      c.ours.clear();
      return;
    }
    by_run.resize(by_run.empty() ? found->second.size() : std::min(by_run.size(), found->second.size()));
    for (std::size_t i = 0; i < by_run.size(); ++i) {
      by_run[i] += 100 * found->second[i] / static_cast<double>(kRecurrent.size());
    }
    Spread own = arithmetic_spread(found->second);
    own.mean *= 100;
    own.deviation *= 100;
    c.ours += workload + " " + number(own, 0) + ", ";
  }
  const Spread mean = arithmetic_spread(by_run);
  c.ours += "mean " + number(mean, 0) + " %";
  conclude(c, at_most(mean, 15), at_most(mean, 50), "asked for 15 %");
}

void EngineClaims::priority_over_time() {
  Claim& c =
      begin("C19", "priority of a HYBRID job over time", "starts low, rises to 0 near the deadline, just in time",
            "of every run the job in time that came closest: laxity above 0 and falling, done in the last tenth of "
            "its deadline, and at half of its life laxity still above a tenth of the deadline; shape: without the "
            "last");
  const auto found = extras_.priority.find("HYBRID");
  std::vector<Truth> falls_in_time, late_rise;
  if (found != extras_.priority.end()) {
    for (const PriorityTrace& job : found->second) {
      if (job.at_ms.size() < 3) continue;
      const std::size_t last = job.laxity_ms.size() - 1;
      std::size_t half = 1;  // the first view may precede the first computation of the job's laxity
      while (half < last && job.at_ms[half] < job.latency_ms / 2) ++half;
      c.ours += (c.ours.empty() ? "" : "; ") + number(job.laxity_ms[1], 1) + " ms at " + number(job.at_ms[1], 1) +
                ", " + number(job.laxity_ms[half], 1) + " at " + number(job.at_ms[half], 1) + ", done at " +
                number(job.latency_ms, 2) + " of " + number(job.deadline_ms, 0);
      falls_in_time.push_back(certain(job.laxity_ms[1] > 0 && job.laxity_ms[last] < job.laxity_ms[1] &&
                                      job.latency_ms <= job.deadline_ms && job.latency_ms >= 0.9 * job.deadline_ms));
      late_rise.push_back(certain(job.laxity_ms[half] > 0.1 * job.deadline_ms));
    }
  }
  if (falls_in_time.empty()) {
    c.reason = "no observed HYBRID job that was looked at three times";
    return;
  }
  const Truth shape = of_runs(falls_in_time);
  conclude(c, all_of({shape, of_runs(late_rise)}), shape,
           shape == Truth::kHolds ? "at half of its life the job has no laxity left, in some run"
                                  : "laxity does not fall, or the job is done too early, in some run");
}

void EngineClaims::initial_priority() {
  Claim& c = begin("C20", "new jobs at the highest priority are best", "lowest -10 %, computed -1 %",
                   "computed behind highest and lowest behind computed; shape: lowest behind highest");
  if (!need(c, Rate::kHigh, {"LAX", "LAX/init-lowest", "LAX/init-computed"})) return;
  const auto percent = [](Spread ratio) {
    ratio.mean = 100 * (ratio.mean - 1);
    ratio.deviation *= 100;
    return ratio;
  };
  const Spread lowest = percent(geomean(Rate::kHigh, "LAX/init-lowest", "LAX"));
  const Spread computed = percent(geomean(Rate::kHigh, "LAX/init-computed", "LAX"));
  const Spread step = percent(geomean(Rate::kHigh, "LAX/init-lowest", "LAX/init-computed"));
  c.ours = "lowest " + number(lowest, 0) + " %, computed " + number(computed, 0) + " %";
  conclude(c, all_of({below(computed, 0), below(step, 0)}), below(lowest, 0), "highest is not shown ahead");
}

void EngineClaims::update_period() {
  Claim& c = begin("C21", "100 us between updates is a good choice", "found by trial",
                   "no other period better by more than 10 %; shape: by more than 25 %");
  Statements close, loose;
  for (const char* const period : {"10us", "25us", "50us", "200us", "400us"}) {
    const std::string name = std::string("LAX/update-") + period;
    if (!need(c, Rate::kHigh, {"LAX", name})) return;
    const Spread ratio = geomean(Rate::kHigh, name, "LAX");
    c.ours += (c.ours.empty() ? "" : ", ") + (period + (" " + number(ratio)));
    close.add(period, at_most(ratio, 1.1));
    loose.add(period, at_most(ratio, 1.25));
  }
  c.ours += " of 100us";
  conclude(c, close.all(), loose.all(), close.reason());
}

}  // namespace castor::workloads::lax

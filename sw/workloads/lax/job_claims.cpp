#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "workloads/lax/claims.h"

namespace castor::workloads::lax {
namespace {

template <class Combine>
Spread paired(const std::vector<double>& a, const std::vector<double>& b, Combine combine) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) values.push_back(combine(a[i], b[i]));
  return arithmetic_spread(values);
}

}  // namespace

void JobClaims::waste() {
  Claim& c = begin("C15", "completed TBs of jobs that missed, high rate",
                   "LAX 22 %, BAY 27, SRF 38, SJF 41, LJF 56, PRO 65, RR and BAT 67 - 71",
                   "mean of workloads: LAX least, SRF at most SJF, SJF below LJF, RR and BAT at least 55 %; shape: the "
                   "same, but LAX only below SRF");
  if (!need(c, Rate::kHigh, {"RR", "BAT", "BAY", "PRO", "LJF", "SJF", "SRF", "LAX"})) return;
  const auto share = [](const Evaluation& e, const std::string& scheduler) {
    double sum = 0;
    for (const std::string& workload : kAll) sum += 100 * mean_of(e, workload, scheduler, &Sample::wasted);
    return sum / static_cast<double>(kAll.size());
  };
  const auto more = [&](const char* a, const char* b) {
    return spread([&](const Evaluation& e) { return share(e, a) - share(e, b); });
  };
  Statements least, rest;
  for (const char* const scheduler : {"LAX", "BAY", "SRF", "SJF", "LJF", "PRO", "RR", "BAT"}) {
    const Spread own = spread([&](const Evaluation& e) { return share(e, scheduler); });
    c.ours += std::string(c.ours.empty() ? "" : ", ") + scheduler + " " + number(own, 0);
    if (std::string(scheduler) != "LAX")
      least.add(scheduler + std::string(" above LAX"), above(more(scheduler, "LAX"), 0));
  }
  c.ours += " %";
  rest.add("SRF at most SJF", at_least(more("SJF", "SRF"), 0));
  rest.add("SJF below LJF", above(more("LJF", "SJF"), 0));
  for (const char* const scheduler : {"RR", "BAT"}) {
    rest.add(scheduler + std::string(" at least 55 %"),
             at_least(spread([&](const Evaluation& e) { return share(e, scheduler); }), 55));
  }
  conclude(c, all_of({least.all(), rest.all()}), all_of({rest.all(), above(more("SRF", "LAX"), 0)}),
           least.reason() + (least.reason().empty() || rest.reason().empty() ? "" : "; ") + rest.reason());
}

void JobClaims::tail() {
  Claim& c =
      begin("C16", "99th percentile of LAX near the deadline; RR far above", "6.0 6.5 6.6 7.2 0.04 2.8 ms; 5.8x - 6.7x",
            "at most 1.3 deadlines on LSTM, GRU, VAN, HYBRID, IPV6 and GMM, RR at least 4x; shape: RR at least 2x");
  if (!need(c, Rate::kHigh, {"RR", "LAX"})) return;
  Statements near;
  for (const std::string& workload : Names{"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "GMM"}) {
    const double deadline =
        static_cast<double>(find_workload(workload)->deadline) * 1e3 / static_cast<double>(kCyclesPerSecond);
    const Spread own = spread([&](const Evaluation& e) { return mean_of(e, workload, "LAX", &Sample::p99_ms); });
    c.ours += (c.ours.empty() ? "" : ", ") + number(own, deadline < 1 ? 3 : 1);
    near.add(workload, at_most(own, 1.3 * deadline));
  }
  const Spread over = spread([](const Evaluation& e) {
    return e.geomean_of(Rate::kHigh, "RR", &Sample::p99_ms).value_or(kNone) /
           e.geomean_of(Rate::kHigh, "LAX", &Sample::p99_ms).value_or(kNone);
  });
  c.ours += " ms; RR " + number(over, 1, "x");
  conclude(c, all_of({near.all(), at_least(over, 4)}), at_least(over, 2), near.reason());
}

void JobClaims::work_per_job() {
  Claim& c = begin("C17", "energy per job in time", "RR 11x LAX, SRF 4.5x, BAY 0.88x",
                   "energy is not measured, so never reproduced; shape: of completed work per job in time RR at least "
                   "5x LAX, SRF at least 2x, BAY 0.6x to 1.2x");
  if (!need(c, Rate::kHigh, {"RR", "SRF", "BAY", "LAX"})) return;
  const auto against = [&](const char* scheduler) {
    return spread([&](const Evaluation& e) {
      double sum = 0;
      unsigned count = 0;
      for (const std::string& workload : kAll) {
        const auto own = e.work_per_job(workload, Rate::kHigh, scheduler);
        const auto lax = e.work_per_job(workload, Rate::kHigh, "LAX");
        if (!own || !lax || *own == 0 || *lax == 0) continue;
        sum += std::log(*own / *lax);
        ++count;
      }
      return count == 0 ? kNone : std::exp(sum / count);
    });
  };
  const Spread rr = against("RR"), srf = against("SRF"), bay = against("BAY");
  c.ours = "work: RR " + number(rr, 1, "x") + " LAX, SRF " + number(srf, 2, "x") + ", BAY " + number(bay, 2, "x");
  Statements all;
  all.add("RR at least 5x", at_least(rr, 5));
  all.add("SRF at least 2x", at_least(srf, 2));
  all.add("BAY 0.6x to 1.2x", within(bay, 0.6, 1.2));
  conclude(c, Truth::kFails, all.all(), "work, not energy" + (all.reason().empty() ? "" : "; " + all.reason()));
}

void JobClaims::batching() {
  Claim& c =
      begin("C24", "a batch of 128 answers far later than a single job", "20x - 293x",
            "above 10x on all workloads, and later with every step of size; shape: later with 128 than with 1 on "
            "all workloads");
  Statements size, direction;
  for (const std::string& workload : kAll) {
    const auto found = extras_.response.find(workload);
    if (found == extras_.response.end() || found->second.count(1) == 0 || found->second.count(128) == 0) {
      c.reason = "no batches of " + workload;
      c.ours.clear();
      return;
    }
    const std::vector<double>* before = nullptr;
    std::vector<Truth> steps;
    for (const auto& [batch, us] : found->second) {
      if (before != nullptr) steps.push_back(above(paired(us, *before, [](double a, double b) { return a - b; }), 0));
      before = &us;
    }
    const Spread ratio = paired(found->second.at(128), found->second.at(1), [](double a, double b) { return a / b; });
    c.ours += (c.ours.empty() ? "" : ", ") + workload + " " + number(ratio, 0, "x");
    size.add(workload, all_of({above(ratio, 10), all_of(steps)}));
    direction.add(workload, above(ratio, 1));
  }
  conclude(c, size.all(), direction.all(), size.reason());
}

}  // namespace castor::workloads::lax

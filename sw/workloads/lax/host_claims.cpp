#include <algorithm>
#include <cmath>
#include <string>

#include "workloads/lax/claims.h"

namespace castor::workloads::lax {

void HostClaims::baymax_ipv6() {
  Claim& c = begin("C11", "BAY completes no IPV6 job in time", "0",
                   "0 in every run: a call of its model takes 50 us, the deadline is 40 us. One job in time is a bug");
  make_invariant(c);
  if (!evaluation_.has("IPV6", Rate::kHigh, "BAY")) {
    c.reason = "no runs";
    return;
  }
  const double in_time = mean_of(evaluation_, "IPV6", "BAY");
  c.ours = number(in_time, 1);
  conclude(c, certain(in_time == 0), "its 50 us model call should exceed the 40 us deadline");
}

void HostClaims::baymax_best_on_host() {
  Claim& c = begin("C12", "BAY is the best host-side rival on recurrent networks", "3.1x - 13.5x of RR",
                   "ahead of BAT and PRO on all four; shape: on two of them");
  if (!need(c, Rate::kHigh, {"BAT", "BAY", "PRO"})) return;
  Statements best;
  for (const std::string& workload : kRecurrent) {
    c.ours += (c.ours.empty() ? "" : "; ") + workload + " BAY " + number(met(workload, "BAY"), 1) + ", BAT " +
              number(met(workload, "BAT"), 1) + ", PRO " + number(met(workload, "PRO"), 1);
    best.add(workload,
             all_of({above(difference(workload, "BAY", "BAT"), 0), above(difference(workload, "BAY", "PRO"), 0)}));
  }
  conclude(c, best.all(), at_least_of(2, best.list()), best.reason());
}

void HostClaims::placement() {
  Claim& c = begin("C13", "LAX-SW below LAX-CPU below LAX", "LAX 1.7x LAX-SW, 1.1x LAX-CPU",
                   "LAX above LAX-CPU and at most 1.3x of it, LAX-CPU above LAX-SW; shape: LAX above LAX-SW");
  if (!need(c, Rate::kHigh, {"LAX", "LAX-SW", "LAX-CPU"})) return;
  const Spread sw = geomean(Rate::kHigh, "LAX", "LAX-SW"), cpu = geomean(Rate::kHigh, "LAX", "LAX-CPU");
  c.ours = "LAX " + number(sw, 2, "x") + " LAX-SW, " + number(cpu, 2, "x") + " LAX-CPU";
  Statements all;
  all.add("LAX above LAX-CPU", above(cpu, 1));
  all.add("LAX at most 1.3x LAX-CPU", at_most(cpu, 1.3));
  all.add("LAX-CPU above LAX-SW", above(geomean(Rate::kHigh, "LAX-CPU", "LAX-SW"), 1));
  conclude(c, all.all(), above(sw, 1), all.reason());
}

void HostClaims::baymax_against_software() {
  Claim& c =
      begin("C14", "BAY beats LAX-SW where the deadline exceeds 1 ms, and loses below",
            "26 % more; LAX-SW 1.8x overall", "geometric means, none in time counted as 0.1; shape: it loses below");
  if (!need(c, Rate::kHigh, {"BAY", "LAX-SW"})) return;
  const auto over = [&](const Names& workloads) {
    return spread([&](const Evaluation& e) {
      double sum = 0;
      for (const std::string& workload : workloads) {
        sum += std::log(std::max(mean_of(e, workload, "BAY"), 0.1) / std::max(mean_of(e, workload, "LAX-SW"), 0.1));
      }
      return std::exp(sum / static_cast<double>(workloads.size()));
    });
  };
  const Spread longer = over({"LSTM", "GRU", "VAN", "HYBRID", "GMM"}), shorter = over({"IPV6", "CUCKOO", "STEM"});
  c.ours = "BAY " + number(longer, 2, "x") + " LAX-SW above 1 ms, " + number(shorter, 2, "x") + " below";
  conclude(c, all_of({above(longer, 1), below(shorter, 1)}), below(shorter, 1), "above 1 ms BAY is not shown ahead");
}

}  // namespace castor::workloads::lax

#include <algorithm>
#include <array>
#include <string>

#include "workloads/lax/claims.h"

namespace castor::workloads::lax {

void SchedulerClaims::round_robin_misses() {
  Claim& c = begin("C1", "RR misses most deadlines at the high rate", "2 - 20 of 128 per workload",
                   "at most 32 on each workload, HYBRID within 3 jobs of the least; shape: at most 32");
  by_construction(c, "fitted: the contention of the replayed machine (w0) was set so that RR has these figures");
  if (!need(c, Rate::kHigh, {"RR"})) return;
  Statements few, least;
  for (const std::string& workload : kAll) {
    const Spread own = met(workload, "RR");
    few.add(workload, at_most(own, 32));
    if (workload != "HYBRID")
      least.add("HYBRID above " + workload, at_most(difference("HYBRID", workload, "RR", "RR"), 3));
    c.ours += (c.ours.empty() ? "" : ", ") + workload + " " + number(own, 1);
  }
  conclude(c, all_of({few.all(), least.all()}), few.all(), few.reason() + least.reason());
}

void SchedulerClaims::gain_grows_with_load() {
  Claim& c = begin("C2", "LAX against RR grows with the load", "1.7x / 3.1x / 4.2x",
                   "geometric mean: low < medium < high, high at least 2.5x, low at least 1x; shape: low < high");
  for (const Rate rate : kRates) {
    if (!need(c, rate, {"LAX", "RR"})) return;
  }
  const auto gain = [](const Evaluation& e, Rate rate) { return e.geomean(rate, "LAX", "RR").value_or(kNone); };
  const auto grows = [&](Rate from, Rate to) {
    return above(spread([&](const Evaluation& e) { return gain(e, to) - gain(e, from); }), 0);
  };
  for (const Rate rate : kRates) {
    c.ours += (c.ours.empty() ? "" : " / ") + number(geomean(rate, "LAX", "RR"), 2, "x");
  }
  Statements all;
  all.add("low < medium", grows(Rate::kLow, Rate::kMedium));
  all.add("medium < high", grows(Rate::kMedium, Rate::kHigh));
  all.add("2.5x at the high rate", at_least(geomean(Rate::kHigh, "LAX", "RR"), 2.5));
  all.add("1x at the low rate", at_least(geomean(Rate::kLow, "LAX", "RR"), 1));
  conclude(c, all.all(), grows(Rate::kLow, Rate::kHigh), all.reason());
  std::string over;
  for (const Rate rate : kRates) {
    for (const std::string& workload : kAll) {
      const auto ratio = evaluation_.ratio(workload, rate, "LAX", "RR");
      if (ratio && *ratio < 0.9) {
        over += (over.empty() ? "" : ", ") + workload + " " + kRateNames[static_cast<std::size_t>(rate)] + " " +
                number(*ratio);
      }
    }
  }
  if (!over.empty()) c.reason += (c.reason.empty() ? "" : "; ") + ("refuses too much: " + over);
}

void SchedulerClaims::order_of_schedulers() {
  Claim& c = begin("C3", "order of schedulers at the high rate, geometric mean against RR",
                   "MLFQ .85, BAT .77, PRO 1.0, RR 1, LJF 1.24, EDF 1.5, PREMA 2.2, SJF 2.46, SRF 2.54, LAX 4.2",
                   "RR, LJF, EDF, PREMA, SJF, SRF, LAX ascend, neighbours within 1.15x may swap; MLFQ, BAT, PRO 0.6x "
                   "to 1.2x; shape: LAX above all the others, SJF and SRF above EDF, EDF above RR");
  if (!need(c, Rate::kHigh, {"RR", "MLFQ", "BAT", "PRO", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"})) return;
  const Names order = {"RR", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"}, near = {"MLFQ", "BAT", "PRO"};
  // Geometric means exclude workloads in which a scheduler has no job in time. The mean ratio of two schedulers is
  // therefore not the quotient of their mean ratios to RR.
  const auto over = [&](const std::string& a, const std::string& b) {
    return spread([&](const Evaluation& e) {
      return e.geomean(Rate::kHigh, a, "RR").value_or(kNone) / e.geomean(Rate::kHigh, b, "RR").value_or(kNone);
    });
  };
  Statements all, direction;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      all.add(order[j] + " above " + order[i], at_least(over(order[j], order[i]), j == i + 1 ? 1 / 1.15 : 1));
    }
  }
  for (const std::string& scheduler : near) {
    all.add(scheduler + " near RR", within(geomean(Rate::kHigh, scheduler, "RR"), 0.6, 1.2));
  }
  for (const Names& names : {near, order}) {
    for (const std::string& scheduler : names) {
      const std::string own = scheduler == "RR" ? "1.00" : number(geomean(Rate::kHigh, scheduler, "RR"));
      c.ours += (c.ours.empty() ? "" : ", ") + scheduler + " " + own;
      if (scheduler != "LAX") direction.add("LAX above " + scheduler, above(over("LAX", scheduler), 1));
    }
  }
  for (const char* const shortest : {"SJF", "SRF"}) {
    direction.add(shortest + std::string(" above EDF"), above(over(shortest, "EDF"), 1));
  }
  direction.add("EDF above RR", above(geomean(Rate::kHigh, "EDF", "RR"), 1));
  conclude(c, all.all(), direction.all(),
           all.reason() + (direction.reason().empty() ? "" : "; shape: ") + direction.reason());
}

void SchedulerClaims::against_all(const char* id, const char* claim, const char* source, const Names& rivals,
                                  double enough, double enough_executed) {
  Claim& c = begin(id, claim, source, "");
  c.rule = "geometric mean replayed at least " + number(enough, 1) + "x, of the recurrent networks executed at least " +
           number(enough_executed, 1) + "x; shape: above 1x in both";
  std::vector<Truth> size, direction;
  for (const std::string& rival : rivals) {
    if (!need(c, Rate::kHigh, {"LAX", rival})) return;
    const Spread gain = geomean(Rate::kHigh, "LAX", rival);
    c.ours += (c.ours.empty() ? "" : ", ") + rival + " " + number(gain, 2, "x");
    const Spread real = executed("LAX", rival);
    if (real.count == 0) {
      c.reason = "no executed runs of the recurrent networks under LAX and " + rival;
      continue;
    }
    c.ours += ", executed " + number(real, 2, "x");
    size.push_back(all_of({at_least(gain, enough), at_least(real, enough_executed)}));
    direction.push_back(all_of({above(gain, 1), above(real, 1)}));
  }
  if (!c.reason.empty()) return;
  conclude(c, all_of(size), all_of(direction),
           "asked for " + number(enough, 1) + "x replayed, " + number(enough_executed, 1) + "x executed");
}

void SchedulerClaims::against_prema() {
  Claim& c = begin("C6", "LAX ahead of PREMA, which wins STEM only", "2.0x; STEM 6.0x and 5.3x of RR",
                   "geometric mean above 1x, ahead on all workloads but STEM, there within 1.5x; shape: geometric mean "
                   "above 1x");
  if (!need(c, Rate::kHigh, {"LAX", "PREMA"})) return;
  const Spread gain = geomean(Rate::kHigh, "LAX", "PREMA"), stem = ratio("STEM", "LAX", "PREMA");
  Statements all;
  for (const std::string& workload : kAll) {
    if (workload != "STEM") all.add("ahead on " + workload, above(difference(workload, "LAX", "PREMA"), 0));
  }
  all.add("within 1.5x on STEM", within(stem, 1 / 1.5, 1.5));
  c.ours = number(gain, 2, "x") + ", STEM " + number(stem, 2, "x");
  conclude(c, all_of({above(gain, 1), all.all()}), above(gain, 1), all.reason());
}

void SchedulerClaims::single_kernel_ties() {
  Claim& c = begin("C7", "single-kernel jobs: SJF = SRF = LJF = EDF = RR", "0.91 - 1.00 of RR",
                   "each within 0.85 to 1.15 of RR; shape: within 0.5 to 2");
  by_construction(c, "all jobs of such a workload are alike, so these orders are that of their arrival");
  if (!need(c, Rate::kHigh, {"RR", "SJF", "SRF", "LJF", "EDF"})) return;
  double least = 1e9, most = 0;
  Statements close, loose;
  for (const std::string& workload : kSingle) {
    for (const char* const scheduler : {"SJF", "SRF", "LJF", "EDF"}) {
      const Spread own = ratio(workload, scheduler, "RR");
      least = std::min(least, own.mean);
      most = std::max(most, own.mean);
      close.add(workload + " " + scheduler, within(own, 0.85, 1.15));
      loose.add(workload + " " + scheduler, within(own, 0.5, 2));
    }
  }
  c.ours = number(least) + " - " + number(most);
  conclude(c, close.all(), loose.all(), close.reason());
}

void SchedulerClaims::recurrent_order() {
  Claim& c = begin("C8", "recurrent networks: SJF and SRF above EDF, EDF above RR", "3.8x - 20x, 1.6x - 4x of RR",
                   "on all four; shape: on two of them");
  if (!need(c, Rate::kHigh, {"RR", "SJF", "SRF", "EDF"})) return;
  Statements all;
  for (const std::string& workload : kRecurrent) {
    const auto shortest = [&](const Evaluation& e) {
      return std::min(mean_of(e, workload, "SJF"), mean_of(e, workload, "SRF"));
    };
    const Spread over_edf = spread([&](const Evaluation& e) { return shortest(e) - mean_of(e, workload, "EDF"); });
    all.add(workload, all_of({above(over_edf, 0), above(difference(workload, "EDF", "RR"), 0)}));
    c.ours += (c.ours.empty() ? "" : "; ") + workload + " " + number(spread(shortest), 1) + " > " +
              number(met(workload, "EDF"), 1) + " > " + number(met(workload, "RR"), 1);
  }
  conclude(c, all.all(), at_least_of(2, all.list()), all.reason());
}

void SchedulerClaims::hybrid_gains_most() {
  Claim& c = begin("C9", "HYBRID gains most from LAX", "20.7x",
                   "its gain over RR above that of every other workload; shape: above 5x");
  if (!need(c, Rate::kHigh, {"RR", "LAX"})) return;
  Statements most;
  const auto gain = [](const Evaluation& e, const std::string& workload) {
    return e.ratio(workload, Rate::kHigh, "LAX", "RR").value_or(kNone);
  };
  for (const std::string& workload : kAll) {
    c.ours += (c.ours.empty() ? "" : ", ") + workload + " " + number(ratio(workload, "LAX", "RR"), 1, "x");
    if (workload == "HYBRID") continue;
    most.add("above " + workload,
             above(spread([&](const Evaluation& e) { return gain(e, "HYBRID") - gain(e, workload); }), 0));
  }
  conclude(c, most.all(), above(ratio("HYBRID", "LAX", "RR"), 5), most.reason());
}

void SchedulerClaims::longest_first_sign() {
  Claim& c = begin("C10", "LJF below RR on LSTM and VAN, above on HYBRID", ".73 .65, 9.0",
                   "below on LSTM or VAN, and above on HYBRID; shape: one of the two");
  if (!need(c, Rate::kHigh, {"RR", "LJF"})) return;
  for (const char* const workload : {"LSTM", "VAN", "HYBRID"}) {
    c.ours += std::string(c.ours.empty() ? "" : ", ") + workload + " " + number(met(workload, "LJF"), 1) + " against " +
              number(met(workload, "RR"), 1);
  }
  Statements all;
  all.add("below on LSTM or VAN",
          any_of({below(difference("LSTM", "LJF", "RR"), 0), below(difference("VAN", "LJF", "RR"), 0)}));
  all.add("above on HYBRID", above(difference("HYBRID", "LJF", "RR"), 0));
  conclude(c, all.all(), any_of(all.list()), all.reason());
}

void SchedulerClaims::headline() {
  Claim& c = begin("C26", "LAX against every other scheduler, geometric mean at the high rate",
                   "2.8x - 4.8x those on the host, 1.7x - 5.0x those in the command processor",
                   "at least 1.5x each on the host and 1.3x each in the command processor; shape: above 1x of each");
  const Names host = {"BAT", "BAY", "PRO"}, device = {"RR", "MLFQ", "LJF", "SJF", "SRF", "PREMA", "EDF"};
  for (const Names& names : {host, device}) {
    if (!need(c, Rate::kHigh, names) || !need(c, Rate::kHigh, {"LAX"})) return;
  }
  Statements size, direction;
  const auto side = [&](const char* name, const Names& rivals, double enough) {
    Spread least, most;
    std::string worst, best;
    for (const std::string& rival : rivals) {
      const Spread gain = geomean(Rate::kHigh, "LAX", rival);
      size.add(rival, at_least(gain, enough));
      direction.add(rival, above(gain, 1));
      if (worst.empty() || gain.mean < least.mean) {
        least = gain;
        worst = rival;
      }
      if (best.empty() || gain.mean > most.mean) {
        most = gain;
        best = rival;
      }
    }
    c.ours += std::string(c.ours.empty() ? "" : "; ") + name + " " + number(least, 2, "x") + " (" + worst + ") - " +
              number(most, 2, "x") + " (" + best + ")";
  };
  side("host", host, 1.5);
  side("command processor", device, 1.3);
  conclude(c, size.all(), direction.all(), size.reason());
}

}  // namespace castor::workloads::lax

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::workloads::lax {
namespace {

using Names = std::vector<std::string>;

const Names kAll = {"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "CUCKOO", "GMM", "STEM"};
const Names kRecurrent = {"LSTM", "GRU", "VAN", "HYBRID"};
const Names kSingle = {"IPV6", "CUCKOO", "GMM", "STEM"};
/// What LAX is compared with: the published schedulers.
const Names kRivals = {"RR", "MLFQ", "BAT", "BAY", "PRO", "LJF", "SJF", "SRF", "PREMA", "EDF"};

/// What a claim's rule is written with. Every figure is a function of the runs, so that leaving out one seed after the
/// other says how far it spreads.
class Judge {
 public:
  Judge(const Evaluation& evaluation, const Extras& extras) : evaluation_(evaluation), extras_(extras) {
    for (const std::uint64_t seed : evaluation.seeds()) without_.push_back(evaluation.without(seed));
  }

  [[nodiscard]] std::vector<Claim> all() {
    round_robin_misses();
    gain_grows_with_load();
    order_of_schedulers();
    against_all("C4", "LAX against the best of SJF and SRF", "1.7x", {"SJF", "SRF"}, 1.3);
    against_all("C5", "LAX against EDF", "2.9x", {"EDF"}, 2.0);
    against_prema();
    single_kernel_ties();
    recurrent_order();
    hybrid_gains_most();
    longest_first_sign();
    baymax_ipv6();
    baymax_best_on_host();
    placement();
    baymax_against_software();
    waste();
    tail();
    work_per_job();
    prediction();
    priority_over_time();
    initial_priority();
    update_period();
    open("C22", "memory of the tables for 128 queues", "4240 B", "at most 4240 B",
         "a figure of the block: docs/blocks/lax.md");
    open("C23", "worked example of three jobs", "round robin misses J3, LAX meets all", "the same jobs in time",
         "checked by the engine's unit tests, not by these runs");
    batching();
    open("C25", "isolated times of the kernels", "table 1", "equal",
         "exact by construction in the replay tier, checked by the unit tests");
    headline();
    return std::move(claims_);
  }

  [[nodiscard]] std::vector<Loss> losses() const {
    std::vector<Loss> out;
    for (const std::string& workload : kAll) {
      for (const std::string& rival : kRivals) {
        if (!evaluation_.has(workload, Rate::kHigh, "LAX") || !evaluation_.has(workload, Rate::kHigh, rival)) continue;
        const Spread behind = difference(workload, rival, "LAX");
        if (above(behind, 0) == Truth::kHolds) out.push_back({workload, rival, behind});
      }
    }
    return out;
  }

 private:
  using Figure = std::function<double(const Evaluation&)>;

  [[nodiscard]] Spread spread(const Figure& figure) const {
    std::vector<double> values;
    values.reserve(without_.size());
    for (const Evaluation& part : without_) values.push_back(figure(part));
    return jackknife_spread(figure(evaluation_), values);
  }
  static double mean_of(const Evaluation& e, const std::string& workload, const std::string& scheduler,
                        double Sample::*figure = &Sample::met) {
    return e.mean(workload, Rate::kHigh, scheduler, figure);
  }
  /// Jobs in time of 128, high rate.
  [[nodiscard]] Spread met(const std::string& workload, const std::string& scheduler) const {
    return spread([&](const Evaluation& e) { return mean_of(e, workload, scheduler); });
  }
  [[nodiscard]] Spread difference(const std::string& workload, const std::string& a, const std::string& b) const {
    return spread([&](const Evaluation& e) { return mean_of(e, workload, a) - mean_of(e, workload, b); });
  }
  /// Jobs in time of `a` over those of `b`; no number if `b` has none.
  [[nodiscard]] Spread ratio(const std::string& workload, const std::string& a, const std::string& b) const {
    return spread([&](const Evaluation& e) { return e.ratio(workload, Rate::kHigh, a, b).value_or(kNone); });
  }
  [[nodiscard]] Spread geomean(Rate rate, const std::string& a, const std::string& b) const {
    return spread([&](const Evaluation& e) { return e.geomean(rate, a, b).value_or(kNone); });
  }

  /// True if runs of all these schedulers are there; else the claim is open.
  bool need(Claim& claim, Rate rate, const Names& schedulers) {
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

  void open(const char* id, const char* claim, const char* source, const char* rule, const char* reason) {
    claims_.push_back({id, claim, source, rule, "", Verdict::kOpen, reason});
  }

  Claim& begin(const char* id, const char* claim, const char* source, const char* rule) {
    return claims_.emplace_back(Claim{id, claim, source, rule, "", Verdict::kOpen, ""});
  }

  /// Collects statements by name, for the reason: "not: A, B; within the spread: C".
  class Statements {
   public:
    void add(const std::string& name, Truth truth) {
      all_.push_back(truth);
      if (truth == Truth::kFails) fails_ += (fails_.empty() ? "" : ", ") + name;
      if (truth == Truth::kUnclear) unclear_ += (unclear_.empty() ? "" : ", ") + name;
    }
    [[nodiscard]] const std::vector<Truth>& list() const { return all_; }
    [[nodiscard]] Truth all() const { return all_of(all_); }
    [[nodiscard]] std::string reason() const {
      std::string out = fails_.empty() ? "" : "not: " + fails_;
      if (!unclear_.empty()) out += (out.empty() ? "" : "; ") + ("within the spread: " + unclear_);
      return out;
    }

   private:
    std::vector<Truth> all_;
    std::string fails_, unclear_;
  };

  void round_robin_misses() {
    Claim& c = begin("C1", "RR misses most deadlines at the high rate", "2 - 20 of 128 per workload",
                     "at most 32 on each workload, HYBRID within 3 jobs of the least; shape: at most 32");
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

  [[nodiscard]] Spread difference(const std::string& one, const std::string& other, const std::string& a,
                                  const std::string& b) const {
    return spread([&](const Evaluation& e) { return mean_of(e, one, a) - mean_of(e, other, b); });
  }

  void gain_grows_with_load() {
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

  void order_of_schedulers() {
    Claim& c = begin("C3", "order of schedulers at the high rate, geometric mean against RR",
                     "MLFQ .85, BAT .77, PRO 1.0, RR 1, LJF 1.24, EDF 1.5, PREMA 2.2, SJF 2.46, SRF 2.54, LAX 4.2",
                     "RR, LJF, EDF, PREMA, SJF, SRF, LAX ascend, neighbours within 1.15x may swap; MLFQ, BAT, PRO 0.6x "
                     "to 1.2x; shape: LAX above all the others, SJF and SRF above EDF, EDF above RR");
    if (!need(c, Rate::kHigh, {"RR", "MLFQ", "BAT", "PRO", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"})) return;
    const Names order = {"RR", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"}, near = {"MLFQ", "BAT", "PRO"};
    // Means over workloads leave out those without jobs, so that of two schedulers is not the quotient of their means
    // against RR.
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

  void against_all(const char* id, const char* claim, const char* source, const Names& rivals, double enough) {
    Claim& c = begin(id, claim, source, "");
    c.rule = "geometric mean at least " + number(enough, 1) + "x; shape: above 1x";
    std::vector<Truth> size, direction;
    for (const std::string& rival : rivals) {
      if (!need(c, Rate::kHigh, {"LAX", rival})) return;
      const Spread gain = geomean(Rate::kHigh, "LAX", rival);
      c.ours += (c.ours.empty() ? "" : ", ") + rival + " " + number(gain, 2, "x");
      size.push_back(at_least(gain, enough));
      direction.push_back(above(gain, 1));
    }
    conclude(c, all_of(size), all_of(direction), "asked for " + number(enough, 1) + "x");
  }

  void against_prema() {
    Claim& c =
        begin("C6", "LAX ahead of PREMA, which wins STEM only", "2.0x; STEM 6.0x and 5.3x of RR",
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

  void single_kernel_ties() {
    Claim& c = begin("C7", "single-kernel jobs: SJF = SRF = LJF = EDF = RR", "0.91 - 1.00 of RR",
                     "each within 0.85 to 1.15 of RR; shape: within 0.5 to 2");
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

  void recurrent_order() {
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

  void hybrid_gains_most() {
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

  void longest_first_sign() {
    Claim& c = begin("C10", "LJF below RR on LSTM and VAN, above on HYBRID", ".73 .65, 9.0",
                     "below on LSTM or VAN, and above on HYBRID; shape: one of the two");
    if (!need(c, Rate::kHigh, {"RR", "LJF"})) return;
    for (const char* const workload : {"LSTM", "VAN", "HYBRID"}) {
      c.ours += std::string(c.ours.empty() ? "" : ", ") + workload + " " + number(met(workload, "LJF"), 1) +
                " against " + number(met(workload, "RR"), 1);
    }
    Statements all;
    all.add("below on LSTM or VAN",
            any_of({below(difference("LSTM", "LJF", "RR"), 0), below(difference("VAN", "LJF", "RR"), 0)}));
    all.add("above on HYBRID", above(difference("HYBRID", "LJF", "RR"), 0));
    conclude(c, all.all(), any_of(all.list()), all.reason());
  }

  void baymax_ipv6() {
    Claim& c =
        begin("C11", "BAY completes no IPV6 job in time", "0",
              "0 in every run: a call of its model takes 50 us, the deadline is 40 us. One job in time is a bug");
    c.invariant = true;
    if (!evaluation_.has("IPV6", Rate::kHigh, "BAY")) {
      c.reason = "no runs";
      return;
    }
    const double in_time = mean_of(evaluation_, "IPV6", "BAY");
    c.ours = number(in_time, 1);
    conclude(c, certain(in_time == 0), "its 50 us model call should exceed the 40 us deadline");
  }

  void baymax_best_on_host() {
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

  void placement() {
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

  void baymax_against_software() {
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

  void waste() {
    Claim& c =
        begin("C15", "completed TBs of jobs that missed, high rate",
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

  void tail() {
    Claim& c = begin(
        "C16", "99th percentile of LAX near the deadline; RR far above", "6.0 6.5 6.6 7.2 0.04 2.8 ms; 5.8x - 6.7x",
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

  void work_per_job() {
    Claim& c = begin("C17", "energy per job in time; here the work of completed TBs per job in time",
                     "RR 11x LAX, SRF 4.5x, BAY 0.88x",
                     "RR at least 5x LAX, SRF at least 2x, BAY 0.6x to 1.2x; shape: RR and SRF above 1x");
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
    c.ours = "RR " + number(rr, 1, "x") + " LAX, SRF " + number(srf, 2, "x") + ", BAY " + number(bay, 2, "x");
    Statements all;
    all.add("RR at least 5x", at_least(rr, 5));
    all.add("SRF at least 2x", at_least(srf, 2));
    all.add("BAY 0.6x to 1.2x", within(bay, 0.6, 1.2));
    conclude(c, all.all(), all_of({above(rr, 1), above(srf, 1)}), all.reason());
  }

  void prediction() {
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

  void priority_over_time() {
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
        std::size_t half = 1;  // the first view may be that of a new job, whose laxity has not been computed
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

  /// Holds or fails if all runs agree, and there are several.
  static Truth of_runs(const std::vector<Truth>& runs) {
    if (runs.size() < 2) return Truth::kUnclear;
    return all_of(runs) == Truth::kHolds   ? Truth::kHolds
           : any_of(runs) == Truth::kFails ? Truth::kFails
                                           : Truth::kUnclear;
  }

  void batching() {
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

  template <class Combine>
  static Spread paired(const std::vector<double>& a, const std::vector<double>& b, Combine combine) {
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) values.push_back(combine(a[i], b[i]));
    return arithmetic_spread(values);
  }

  void initial_priority() {
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

  void update_period() {
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

  void headline() {
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

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::array<Rate, 3> kRates = {Rate::kLow, Rate::kMedium, Rate::kHigh};

  const Evaluation& evaluation_;
  const Extras& extras_;
  std::vector<Evaluation> without_;  ///< one seed each
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const Extras& extras) { return Judge(evaluation, extras).all(); }

std::vector<Loss> losses(const Evaluation& evaluation) { return Judge(evaluation, {}).losses(); }

}  // namespace castor::workloads::lax

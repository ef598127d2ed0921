#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>

#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::workloads::lax {
namespace {

using Names = std::vector<std::string>;

const Names kAll = {"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "CUCKOO", "GMM", "STEM"};
const Names kRecurrent = {"LSTM", "GRU", "VAN", "HYBRID"};
const Names kSingle = {"IPV6", "CUCKOO", "GMM", "STEM"};

/// What a claim's rule is written with.
class Judge {
 public:
  Judge(const Evaluation& evaluation, const Extras& extras) : evaluation_(evaluation), extras_(extras) {}

  [[nodiscard]] std::vector<Claim> all() {
    round_robin_misses();
    gain_grows_with_load();
    order_of_schedulers();
    against_one("C4", "LAX against the best of SJF and SRF", "1.7x", {"SJF", "SRF"}, 1.3);
    against_one("C5", "LAX against EDF", "2.9x", {"EDF"}, 2.0);
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
    energy();
    prediction();
    priority_over_time();
    initial_priority();
    update_period();
    open("C22", "memory of the tables for 128 queues", "4240 B", "a figure of the block: docs/blocks/lax.md");
    open("C23", "worked example of three jobs", "round robin misses J3, LAX meets all",
         "checked by the engine's unit tests, not by these runs");
    batching();
    open("C25", "isolated times of the kernels", "table 1",
         "exact by construction in the replay tier, checked by the unit tests");
    return std::move(claims_);
  }

 private:
  [[nodiscard]] double met(const std::string& workload, const std::string& scheduler) const {
    return evaluation_.mean(workload, Rate::kHigh, scheduler, &Sample::met);
  }

  /// True if runs of all these schedulers are there; else the claim is open.
  bool need(Claim& claim, Rate rate, std::initializer_list<const char*> schedulers) {
    std::string missing;
    for (const char* const scheduler : schedulers) {
      if (!evaluation_.has_all(rate, scheduler)) missing += (missing.empty() ? "" : ", ") + std::string(scheduler);
    }
    if (missing.empty()) return true;
    claim.verdict = Verdict::kOpen;
    claim.reason = "no runs of all workloads at the " + std::string(kRateNames[static_cast<std::size_t>(rate)]) +
                   " rate for " + missing;
    return false;
  }

  void open(const char* id, const char* claim, const char* source, const char* reason) {
    claims_.push_back({id, claim, source, "", Verdict::kOpen, reason});
  }

  Claim& begin(const char* id, const char* claim, const char* source) {
    return claims_.emplace_back(Claim{id, claim, source, "", Verdict::kOpen, ""});
  }

  void round_robin_misses() {
    Claim& c = begin("C1", "RR misses most deadlines at the high rate", "2 - 20 of 128 per workload");
    if (!need(c, Rate::kHigh, {"RR"})) return;
    double least = 128, most = 0;
    std::string worst;
    for (const std::string& workload : kAll) {
      least = std::min(least, met(workload, "RR"));
      if (met(workload, "RR") > most) {
        most = met(workload, "RR");
        worst = workload;
      }
    }
    const double hybrid = met("HYBRID", "RR");
    c.ours = number(least, 1) + " - " + number(most, 1) + ", HYBRID " + number(hybrid, 1);
    const bool few = most <= 32;
    conclude(c, few && hybrid <= least + 3, few,
             few ? "HYBRID is not the worst" : worst + " has " + number(most, 1) + " in time, more than a quarter");
  }

  void gain_grows_with_load() {
    Claim& c = begin("C2", "LAX against RR grows with the load", "1.7x / 3.1x / 4.2x");
    for (const Rate rate : {Rate::kLow, Rate::kMedium, Rate::kHigh}) {
      if (!need(c, rate, {"LAX", "RR"})) return;
    }
    const double low = evaluation_.geomean(Rate::kLow, "LAX", "RR").value_or(0);
    const double medium = evaluation_.geomean(Rate::kMedium, "LAX", "RR").value_or(0);
    const double high = evaluation_.geomean(Rate::kHigh, "LAX", "RR").value_or(0);
    c.ours = number(low) + "x / " + number(medium) + "x / " + number(high) + "x";
    const bool grows = low < medium && medium < high;
    std::string reason = grows ? "it grows, but " : "it does not grow with every step";
    if (grows && low < 1) reason += "LAX is behind RR at the low rate";
    if (grows && low >= 1) reason += "stays below 2.5x at the high rate";
    conclude(c, grows && high >= 2.5 && low >= 1, grows || (high > low && high >= 2.5), reason);
    std::string over;
    for (const Rate rate : {Rate::kLow, Rate::kMedium, Rate::kHigh}) {
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
                     "MLFQ .85, BAT .77, PRO 1.0, RR 1, LJF 1.24, EDF 1.5, PREMA 2.2, SJF 2.46, SRF 2.54, LAX 4.2");
    if (!need(c, Rate::kHigh, {"RR", "MLFQ", "BAT", "PRO", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"})) return;
    const std::array<const char*, 7> order = {"RR", "LJF", "EDF", "PREMA", "SJF", "SRF", "LAX"};
    std::array<double, 7> values{};
    std::string wrong;
    for (std::size_t i = 0; i < order.size(); ++i) {
      values[i] = evaluation_.geomean(Rate::kHigh, order[i], "RR").value_or(0);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        const double margin = j == i + 1 ? 1.15 : 1;  // neighbours may swap if they are close
        if (values[j] * margin < values[i])
          wrong += std::string(wrong.empty() ? "" : ", ") + order[i] + " above " + order[j];
      }
    }
    bool near = true;
    for (const char* const scheduler : {"MLFQ", "BAT", "PRO"}) {
      const double value = evaluation_.geomean(Rate::kHigh, scheduler, "RR").value_or(0);
      c.ours += std::string(c.ours.empty() ? "" : ", ") + scheduler + " " + number(value);
      if (value < 0.6 || value > 1.2) {
        near = false;
        wrong += std::string(wrong.empty() ? "" : ", ") + scheduler + " not near RR";
      }
    }
    for (std::size_t i = 0; i < order.size(); ++i) c.ours += std::string(", ") + order[i] + " " + number(values[i]);
    const bool shape = values[6] >= *std::max_element(values.begin(), values.end()) && values[4] > values[2] &&
                       values[5] > values[2] && values[2] > 1;
    conclude(c, wrong.empty() && near, shape, wrong);
  }

  void against_one(const char* id, const char* claim, const char* source, const Names& rivals, double enough) {
    Claim& c = begin(id, claim, source);
    double least = 1e9;
    for (const std::string& rival : rivals) {
      if (!need(c, Rate::kHigh, {"LAX", rival.c_str()})) return;
      const double ratio = evaluation_.geomean(Rate::kHigh, "LAX", rival).value_or(0);
      c.ours += (c.ours.empty() ? "" : ", ") + rival + " " + number(ratio) + "x";
      least = std::min(least, ratio);
    }
    conclude(c, least >= enough, least > 1, "asked for " + number(enough, 1) + "x");
  }

  void against_prema() {
    Claim& c = begin("C6", "LAX ahead of PREMA, which wins STEM only", "2.0x; STEM 6.0x and 5.3x of RR");
    if (!need(c, Rate::kHigh, {"LAX", "PREMA"})) return;
    const double geomean = evaluation_.geomean(Rate::kHigh, "LAX", "PREMA").value_or(0);
    std::string behind;
    for (const std::string& workload : kAll) {
      if (workload != "STEM" && met(workload, "LAX") <= met(workload, "PREMA")) {
        behind += (behind.empty() ? "" : ", ") + workload;
      }
    }
    const double stem = evaluation_.ratio("STEM", Rate::kHigh, "LAX", "PREMA").value_or(1e9);
    c.ours = number(geomean) + "x, STEM " + (stem < 1e9 ? number(stem) + "x" : "PREMA none");
    const bool close = stem <= 1.5 && stem >= 1 / 1.5;
    conclude(c, geomean > 1 && behind.empty() && close, geomean > 1,
             !behind.empty() ? "behind on " + behind : "STEM is not close");
  }

  void single_kernel_ties() {
    Claim& c = begin("C7", "single-kernel jobs: SJF = SRF = LJF = EDF = RR", "0.91 - 1.00 of RR");
    if (!need(c, Rate::kHigh, {"RR", "SJF", "SRF", "LJF", "EDF"})) return;
    double least = 1e9, most = 0;
    std::string out;
    for (const std::string& workload : kSingle) {
      for (const char* const scheduler : {"SJF", "SRF", "LJF", "EDF"}) {
        const double ratio = evaluation_.ratio(workload, Rate::kHigh, scheduler, "RR").value_or(0);
        least = std::min(least, ratio);
        most = std::max(most, ratio);
        if (ratio < 0.85 || ratio > 1.15) out += (out.empty() ? "" : ", ") + (workload + " " + scheduler);
      }
    }
    c.ours = number(least) + " - " + number(most);
    conclude(c, out.empty(), least >= 0.5 && most <= 2, "outside 0.85 - 1.15: " + out);
  }

  void recurrent_order() {
    Claim& c = begin("C8", "recurrent networks: SJF and SRF above EDF, EDF above RR", "3.8x - 20x, 1.6x - 4x of RR");
    if (!need(c, Rate::kHigh, {"RR", "SJF", "SRF", "EDF"})) return;
    std::string wrong;
    unsigned right = 0;
    for (const std::string& workload : kRecurrent) {
      const double edf = met(workload, "EDF");
      const double shortest = std::min(met(workload, "SJF"), met(workload, "SRF"));
      c.ours += (c.ours.empty() ? "" : "; ") + workload + " " + number(shortest, 1) + " > " + number(edf, 1) + " > " +
                number(met(workload, "RR"), 1);
      if (shortest > edf && edf > met(workload, "RR")) {
        ++right;
      } else {
        wrong += (wrong.empty() ? "" : ", ") + workload;
      }
    }
    conclude(c, wrong.empty(), right >= 2, "other order on " + wrong);
  }

  void hybrid_gains_most() {
    Claim& c = begin("C9", "HYBRID gains most from LAX", "20.7x");
    if (!need(c, Rate::kHigh, {"RR", "LAX"})) return;
    std::string best;
    double most = 0;
    for (const std::string& workload : kAll) {
      const double ratio = evaluation_.ratio(workload, Rate::kHigh, "LAX", "RR").value_or(1e9);
      if (ratio > most) {
        most = ratio;
        best = workload;
      }
    }
    const auto hybrid = evaluation_.ratio("HYBRID", Rate::kHigh, "LAX", "RR");
    c.ours = "HYBRID " + (hybrid ? number(*hybrid, 1) + "x" : std::string("RR none")) + ", most " + best;
    conclude(c, best == "HYBRID", hybrid && *hybrid > 5, best + " gains more, " + number(most, 1) + "x");
  }

  void longest_first_sign() {
    Claim& c = begin("C10", "LJF below RR on LSTM and VAN, above on HYBRID", ".73 .65, 9.0");
    if (!need(c, Rate::kHigh, {"RR", "LJF"})) return;
    const double lstm = met("LSTM", "LJF") - met("LSTM", "RR"), van = met("VAN", "LJF") - met("VAN", "RR");
    const double hybrid = met("HYBRID", "LJF") - met("HYBRID", "RR");
    c.ours = "LSTM " + number(met("LSTM", "LJF"), 1) + " against " + number(met("LSTM", "RR"), 1) + ", VAN " +
             number(met("VAN", "LJF"), 1) + " against " + number(met("VAN", "RR"), 1) + ", HYBRID " +
             number(met("HYBRID", "LJF"), 1) + " against " + number(met("HYBRID", "RR"), 1);
    const bool below = lstm < 0 || van < 0;
    conclude(c, below && hybrid > 0, below || hybrid > 0,
             below ? "not above RR on HYBRID" : "above RR on LSTM and VAN");
  }

  void baymax_ipv6() {
    Claim& c = begin("C11", "BAY completes no IPV6 job in time", "0");
    if (!evaluation_.has("IPV6", Rate::kHigh, "BAY")) {
      c.reason = "no runs";
      return;
    }
    c.ours = number(met("IPV6", "BAY"), 1);
    conclude(c, met("IPV6", "BAY") == 0, false, "its 50 us model call should exceed the 40 us deadline");
  }

  void baymax_best_on_host() {
    Claim& c = begin("C12", "BAY is the best host-side rival on recurrent networks", "3.1x - 13.5x of RR");
    if (!need(c, Rate::kHigh, {"BAT", "BAY", "PRO"})) return;
    std::string lost;
    for (const std::string& workload : kRecurrent) {
      c.ours += (c.ours.empty() ? "" : "; ") + workload + " BAY " + number(met(workload, "BAY"), 1) + ", BAT " +
                number(met(workload, "BAT"), 1) + ", PRO " + number(met(workload, "PRO"), 1);
      if (met(workload, "BAY") <= std::max(met(workload, "BAT"), met(workload, "PRO"))) {
        lost += (lost.empty() ? "" : ", ") + workload;
      }
    }
    conclude(c, lost.empty(), std::count(lost.begin(), lost.end(), ',') < 2, "not the best on " + lost);
  }

  void placement() {
    Claim& c = begin("C13", "LAX-SW below LAX-CPU below LAX", "LAX 1.7x LAX-SW, 1.1x LAX-CPU");
    if (!need(c, Rate::kHigh, {"LAX", "LAX-SW", "LAX-CPU"})) return;
    const double sw = evaluation_.geomean(Rate::kHigh, "LAX", "LAX-SW").value_or(0);
    const double cpu = evaluation_.geomean(Rate::kHigh, "LAX", "LAX-CPU").value_or(0);
    c.ours = "LAX " + number(sw) + "x LAX-SW, " + number(cpu) + "x LAX-CPU";
    conclude(c, sw > cpu && cpu >= 1 && cpu <= 1.3, sw > 1,
             sw <= cpu ? "LAX-SW is not below LAX-CPU" : "LAX against LAX-CPU is not within 1.0 - 1.3");
  }

  void baymax_against_software() {
    Claim& c = begin("C14", "BAY beats LAX-SW where the deadline exceeds 1 ms, and loses below",
                     "26 % more; LAX-SW 1.8x overall");
    if (!need(c, Rate::kHigh, {"BAY", "LAX-SW"})) return;
    const auto total = [&](const Names& workloads, const char* scheduler) {
      double sum = 0;
      for (const std::string& workload : workloads) sum += std::log(std::max(met(workload, scheduler), 0.1));
      return std::exp(sum / static_cast<double>(workloads.size()));
    };
    const double longer = total({"LSTM", "GRU", "VAN", "HYBRID", "GMM"}, "BAY") /
                          total({"LSTM", "GRU", "VAN", "HYBRID", "GMM"}, "LAX-SW");
    const double shorter = total({"IPV6", "CUCKOO", "STEM"}, "BAY") / total({"IPV6", "CUCKOO", "STEM"}, "LAX-SW");
    c.ours = "BAY " + number(longer) + "x LAX-SW above 1 ms, " + number(shorter) + "x below (none counts 0.1)";
    conclude(c, longer > 1 && shorter < 1, shorter<1, longer> 1 ? "" : "BAY is behind above 1 ms too");
  }

  void waste() {
    Claim& c = begin("C15", "completed TBs of jobs that missed, high rate",
                     "LAX 22 %, BAY 27, SRF 38, SJF 41, LJF 56, PRO 65, RR and BAT 67 - 71");
    if (!need(c, Rate::kHigh, {"RR", "BAT", "BAY", "PRO", "LJF", "SJF", "SRF", "LAX"})) return;
    const auto share = [&](const char* scheduler) {
      double sum = 0;
      for (const std::string& workload : kAll) {
        sum += 100 * evaluation_.mean(workload, Rate::kHigh, scheduler, &Sample::wasted);
      }
      return sum / static_cast<double>(kAll.size());
    };
    std::string below;
    for (const char* const scheduler : {"LAX", "BAY", "SRF", "SJF", "LJF", "PRO", "RR", "BAT"}) {
      c.ours += std::string(c.ours.empty() ? "" : ", ") + scheduler + " " + number(share(scheduler), 0);
      if (std::string(scheduler) != "LAX" && share(scheduler) < share("LAX")) {
        below += std::string(below.empty() ? "" : ", ") + scheduler;
      }
    }
    c.ours += " % (mean of workloads)";
    const bool order = share("SRF") <= share("SJF") && share("SJF") < share("LJF");
    const bool most = share("RR") >= 55 && share("BAT") >= 55;
    conclude(c, below.empty() && order && most, order && most && share("LAX") < share("SRF"),
             !below.empty() ? "less than LAX: " + below
             : order        ? "RR or BAT below 55 %"
                            : "other order of SRF, SJF, LJF");
  }

  void tail() {
    Claim& c = begin("C16", "99th percentile of LAX near the deadline; RR far above",
                     "6.0 6.5 6.6 7.2 0.04 2.8 ms; 5.8x - 6.7x");
    if (!need(c, Rate::kHigh, {"RR", "LAX"})) return;
    const auto p99 = [&](const std::string& workload, const char* scheduler) {
      return evaluation_.mean(workload, Rate::kHigh, scheduler, &Sample::p99_ms);
    };
    std::string above;
    for (const std::string& workload : Names{"LSTM", "GRU", "VAN", "HYBRID", "IPV6", "GMM"}) {
      const double deadline =
          static_cast<double>(find_workload(workload)->deadline) * 1e3 / static_cast<double>(kCyclesPerSecond);
      c.ours += (c.ours.empty() ? "" : " ") + number(p99(workload, "LAX"), deadline < 1 ? 3 : 1);
      if (p99(workload, "LAX") > 1.3 * deadline) above += (above.empty() ? "" : ", ") + workload;
    }
    const double rr = evaluation_.geomean_of(Rate::kHigh, "RR", &Sample::p99_ms).value_or(0);
    const double lax = evaluation_.geomean_of(Rate::kHigh, "LAX", &Sample::p99_ms).value_or(1);
    c.ours += " ms; RR " + number(rr / lax, 1) + "x";
    conclude(c, above.empty() && rr / lax >= 4, rr / lax >= 2,
             above.empty() ? "RR is less than 4x above" : "above 1.3 x deadline: " + above);
  }

  void energy() {
    Claim& c = begin("C17", "energy per job in time", "RR 11x LAX, SRF 4.5x, BAY 0.88x");
    if (!need(c, Rate::kHigh, {"RR", "SRF", "BAY", "LAX"})) return;
    const auto against = [&](const char* scheduler) {
      double sum = 0;
      unsigned count = 0;
      for (const std::string& workload : kAll) {
        const auto own = evaluation_.energy_per_job(workload, Rate::kHigh, scheduler);
        const auto lax = evaluation_.energy_per_job(workload, Rate::kHigh, "LAX");
        if (!own || !lax || *own == 0 || *lax == 0) continue;
        sum += std::log(*own / *lax);
        ++count;
      }
      return count == 0 ? 0 : std::exp(sum / count);
    };
    c.ours = "RR " + number(against("RR"), 1) + "x LAX, SRF " + number(against("SRF")) + "x, BAY " +
             number(against("BAY")) + "x";
    const bool round_robin = against("RR") >= 5, shortest = against("SRF") >= 2;
    const bool baymax = against("BAY") >= 0.6 && against("BAY") <= 1.2;
    conclude(c, round_robin && shortest && baymax, against("RR") > 1 && against("SRF") > 1,
             !round_robin ? "RR below 5x"
             : !shortest  ? "SRF below 2x"
                          : "BAY outside 0.6 - 1.2");
  }

  void prediction() {
    Claim& c = begin("C18", "error of predicted run times of recurrent networks", "8 % mean");
    double sum = 0;
    for (const std::string& workload : kRecurrent) {
      const auto found = extras_.prediction_error.find(workload);
      if (found == extras_.prediction_error.end()) {
        c.reason = "no observed runs of " + workload;
        return;
      }
      double mean = 0;
      for (const double error : found->second) mean += error / static_cast<double>(found->second.size());
      c.ours += workload + " " + number(100 * mean, 0) + ", ";
      sum += mean / static_cast<double>(kRecurrent.size());
    }
    c.ours += "mean " + number(100 * sum, 0) + " %";
    conclude(c, sum <= 0.15, sum <= 0.5, "asked for 15 %");
  }

  void priority_over_time() {
    Claim& c =
        begin("C19", "priority of a HYBRID job over time", "starts low, rises to 0 near the deadline, just in time");
    const auto found = extras_.priority.find("HYBRID");
    if (found == extras_.priority.end() || found->second.at_ms.size() < 3) {
      c.reason = "no observed HYBRID job that was looked at three times";
      return;
    }
    const PriorityTrace& job = found->second;
    const std::size_t last = job.laxity_ms.size() - 1;
    // The first view may be that of a new job, whose laxity has not been computed.
    c.ours = "laxity " + number(job.laxity_ms[1], 1) + " ms at " + number(job.at_ms[1], 1) + " ms, " +
             number(job.laxity_ms[last], 1) + " at " + number(job.at_ms[last], 1) + "; done at " +
             number(job.latency_ms, 2) + " of " + number(job.deadline_ms, 0) + " ms";
    const bool falls = job.laxity_ms[last] < job.laxity_ms[1];
    const bool close = job.latency_ms <= job.deadline_ms && job.latency_ms >= 0.9 * job.deadline_ms;
    conclude(c, falls && close, falls,
             falls ? "it does not finish in the last tenth before the deadline" : "laxity does not fall");
  }

  void batching() {
    Claim& c = begin("C24", "a batch of 128 answers far later than a single job", "20x - 293x");
    double least = 1e9, most = 0;
    std::string wrong;
    for (const std::string& workload : kAll) {
      const auto found = extras_.response.find(workload);
      if (found == extras_.response.end() || found->second.count(1) == 0 || found->second.count(128) == 0) {
        c.reason = "no batches of " + workload;
        c.ours.clear();
        return;
      }
      std::vector<double> means;
      for (const auto& [size, runs] : found->second) {
        double mean = 0;
        for (const double us : runs) mean += us / static_cast<double>(runs.size());
        means.push_back(mean);
      }
      const double ratio = means.back() / means.front();
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      if (!std::is_sorted(means.begin(), means.end())) wrong += (wrong.empty() ? "" : ", ") + workload;
      c.ours += (c.ours.empty() ? "" : ", ") + workload + " " + number(ratio, 0) + "x";
    }
    conclude(c, wrong.empty() && least > 10, most > 10,
             wrong.empty() ? "not above 10x for all" : "does not grow with the size on " + wrong);
  }

  void initial_priority() {
    Claim& c = begin("C20", "new jobs at the highest priority are best", "lowest -10 %, computed -1 %");
    if (!need(c, Rate::kHigh, {"LAX", "LAX/init-lowest", "LAX/init-computed"})) return;
    const double lowest = evaluation_.geomean(Rate::kHigh, "LAX/init-lowest", "LAX").value_or(0);
    const double computed = evaluation_.geomean(Rate::kHigh, "LAX/init-computed", "LAX").value_or(0);
    c.ours = "lowest " + number(100 * (lowest - 1), 0) + " %, computed " + number(100 * (computed - 1), 0) + " %";
    const double noise = 0.02;
    conclude(c, computed <= 1 + noise && lowest <= computed + noise, lowest <= 1 + noise,
             "the order highest, computed, lowest does not hold within 2 %");
  }

  void update_period() {
    Claim& c = begin("C21", "100 us between updates is a good choice", "found by trial");
    const std::array<const char*, 5> others = {"10us", "25us", "50us", "200us", "400us"};
    double best = 1;
    std::string which = "100us";
    for (const char* const period : others) {
      const std::string name = std::string("LAX/update-") + period;
      if (!need(c, Rate::kHigh, {"LAX", name.c_str()})) return;
      const double ratio = evaluation_.geomean(Rate::kHigh, name, "LAX").value_or(0);
      c.ours += (c.ours.empty() ? "" : ", ") + (period + (" " + number(ratio)));
      if (ratio > best) {
        best = ratio;
        which = period;
      }
    }
    c.ours += " of 100us";
    conclude(c, best <= 1.1, best <= 1.25, which + " is better by " + number(100 * (best - 1), 0) + " %");
  }

  const Evaluation& evaluation_;
  const Extras& extras_;
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const Extras& extras) { return Judge(evaluation, extras).all(); }

}  // namespace castor::workloads::lax

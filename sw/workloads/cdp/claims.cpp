#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>

#include "workloads/cdp/evaluation.h"
#include "workloads/cdp/published.h"
#include "workloads/children/judge.h"

namespace castor::workloads::cdp {
namespace {

using namespace children;

// Groups of programs that the claims refer to.
const Programs kCitation = {"bfs_citation", "clr_citation", "sssp_citation"};
const Programs kBalanced = {"bfs_balanced", "clr_balanced", "sssp_balanced"};
const Programs kRegular = {"regx_packets", "regx_strings"};
const Programs kJoins = {"join_uniform", "join_gaussian"};
/// Programs that make all their launches from one kernel of the host.
const Programs kDense = {"amr", "bht", "regx_packets", "regx_strings", "pre", "join_uniform", "join_gaussian"};
/// Programs whose child kernels have few threads.
const Programs kFine = {"bht",          "bfs_citation", "bfs_balanced", "clr_citation",  "clr_kronecker",
                        "clr_balanced", "regx_packets", "regx_strings", "sssp_citation", "sssp_balanced"};

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = static_cast<double>(i);
  return out;
}

/// Returns Spearman's rank correlation; 0 for fewer than three values.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  if (a.size() < 3) return 0;
  const std::vector<double> x = ranks(a), y = ranks(b);
  double apart = 0;
  for (std::size_t i = 0; i < x.size(); ++i) apart += (x[i] - y[i]) * (x[i] - y[i]);
  return 1 - 6 * apart / (n * (n * n - 1));
}

/// Returns the slopes whose upper end has more than `from` launches.
std::vector<std::pair<unsigned, double>> beyond(std::vector<std::pair<unsigned, double>> all, unsigned from) {
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one.first <= from; }), all.end());
  return all;
}

class CdpJudge : Judge {
 public:
  CdpJudge(const Evaluation& evaluation, const LaunchPath& path) : Judge(evaluation), path_(path) {}

  [[nodiscard]] std::vector<Claim> all(const std::vector<std::string>& unbalanced_runs) {
    placement();
    concurrency();
    queues();
    latencies();
    hiding();
    many_launches();
    ideal_gain();
    real_loss();
    share();
    roads_and_flights();
    divergence();
    replay();
    child_size();
    elsewhere("B14", "children leave SMs empty: 32 kernels at once", "occupancy far below that of groups, bht",
              "occupancy below that of the form dtbl, bht", "needs runs of the form dtbl");
    footprint();
    elsewhere("B16", "memory set aside for synchronisation", "95 MB per level on 13 SMXs",
              "linear in the depth, 7.3 MB per SM and level",
              "memory that a runtime sets aside; the platform copies contexts and sets nothing aside");
    limit();
    none_faster();
    conservation(unbalanced_runs);
    return take();
  }

 private:
  void placement() {
    Claim& c =
        begin("B1", "thread blocks go to SMs in turn; freed room is filled first", "Wang 2016, sections 2.2, 2.3",
              "three placements equal the rule exactly: a free chip from SM 0 on, a full chip, a second kernel");
    by_construction(c, "the machine's placement is this rule");
    if (!need_path(c, !path_.placement.empty())) return;
    const Sample& p = path_.placement;
    bool good = p.at("first_sm") == 0;
    for (const char* const name : {"in_turn", "fills_in_turn", "takes_freed_room", "next_kernel_joins"}) {
      good = good && p.at(name) == 1;
      if (p.at(name) != 1) c.ours += std::string(c.ours.empty() ? "" : ", ") + "not " + name;
    }
    if (c.ours.empty()) c.ours = "equal";
    conclude(c, certain(good), "wanted equality");
  }

  void concurrency() {
    Claim& c =
        begin("B2", "32 kernels at once: 31 children beside their parent", "32; 31 + 1",
              "the table's entries in use are never above 32, and reach it in each input of bfs_citation with CDP; "
              "shape: in some program");
    by_construction(c, "the table has 32 entries because the source says so");
    if (!need(c, {"bfs_citation"}, {kCdp})) return;
    double most = 0;
    for (const std::string& program : all_programs()) {
      for (const char* const system : {kFlat, kCdp, kIdeal}) {
        most = std::max(most, runs().figure(program, system, count("entries_valid_max")).mean);
      }
    }
    const Spread bfs = runs().figure("bfs_citation", kCdp, count("entries_valid_max"));
    c.ours = number(bfs, 1) + " in bfs_citation; at most " + number(most, 1);
    conclude(c, certain(bfs.mean == 32 && most <= 32), certain(most == 32), "wanted 32 in bfs_citation");
  }

  void queues() {
    Claim& c =
        begin("B3", "more streams than hardware queues wait for each other", "Wang 2016, section 2.2",
              "64 kernels of one block and 10000 ticks in 64 streams: one queue takes above 8 times as long as 32");
    by_construction(c, "the machine's queues are set to 32, and to 1 beside it");
    if (!need_path(c, path_.queues.count(1) != 0 && path_.queues.count(32) != 0)) return;
    const double ratio = path_.queues.at(1).at("cycles") / path_.queues.at(32).at("cycles");
    c.ours = number(ratio, 1) + " times";
    conclude(c, certain(ratio > 8), "wanted above 8");
  }

  void latencies() {
    Claim& c =
        begin("B4", "calls take A x + b", "table 5",
              "one warp, x = 1 to 32: ticks waited in the three calls, and cycles from the call to the first thread "
              "block of all launches, exactly as table 5 and three steps of messages");
    by_construction(c, "the machine's latencies are those of table 5");
    if (!need_path(c, path_.lanes.size() == 32)) return;
    double off = 0;
    for (const auto& [lanes, sample] : path_.lanes) {
      const double x = lanes;
      const double wait =
          x * (published::kLaunch.warp + published::kDispatch + 3) + published::kLaunch.lane * x * (x + 1) / 2;
      for (const auto& [own, wanted] :
           {std::pair(sample.at("call_stream"), published::kStream.ticks(x)),
            std::pair(sample.at("call_buffer"), published::kBuffer.ticks(x)),
            std::pair(sample.at("call_launch"), published::kLaunch.ticks(x)), std::pair(sample.at("wait_sum"), wait)}) {
        off = std::max(off, std::fabs(own - wanted));
      }
    }
    c.ours = "at most " + number(off, 0) + " off; one lane " + number(path_.lanes.at(1).at("call_launch"), 0) +
             ", 32 lanes " + number(path_.lanes.at(32).at("call_launch"), 0) + " ticks in the launch";
    conclude(c, certain(off == 0), "wanted equality");
  }

  void hiding() {
    Claim& c = begin("B5", "calls of several warps hide each other", "Wang 2016, section 4.6.1",
                     "16 warps of a block, a launch each: below 1.3 times as long as one");
    by_construction(c, "a call is a wait of its warp, which takes nothing that warps share");
    if (!need_path(c, path_.warps.count(1) != 0 && path_.warps.count(16) != 0)) return;
    const double ratio = path_.warps.at(16).at("cycles") / path_.warps.at(1).at("cycles");
    c.ours = number(ratio, 2) + " times";
    conclude(c, certain(ratio < 1.3), "wanted below 1.3");
  }

  void many_launches() {
    Claim& c =
        begin("B6", "many launches take time in proportion", "386 cycles each at 256K (K20c)",
              "one grant at a time: every slope above 4096 launches 283 to 420 cycles, and within 10 % of their mean; "
              "shape: within 10 %");
    by_construction(c, "the 283 cycles of a grant are table 5's, and one grant at a time leaves no other slope");
    const auto serial = beyond(slopes(path_.many_serial), 4096);
    if (!need_path(c, serial.size() >= 2)) return;
    double sum = 0;
    for (const auto& [launches, slope] : serial) sum += slope;
    const double mean = sum / static_cast<double>(serial.size());
    bool inside = true, straight = true;
    for (const auto& [launches, slope] : serial) {
      inside = inside && slope >= 283 && slope <= 420;
      straight = straight && std::fabs(slope - mean) <= 0.1 * mean;
      c.ours += (c.ours.empty() ? "" : ", ") + number(slope, 0);
    }
    const auto overlapped = slopes(path_.many);
    if (!overlapped.empty()) c.ours += "; with grants that overlap " + number(overlapped.back().second, 0);
    conclude(c, certain(inside && straight), certain(straight), "wanted 283 to 420");
  }

  void ideal_gain() {
    Claim& c = begin(
        "B7", "without latencies of launches CDP is faster", "1.13 to 2.73 (K20c), mean 1.43 (simulator)",
        "grants overlap: geometric mean above 1.1, no workload but roads and flights below 1.0; shape: the mean above "
        "1.0");
    if (!need(c, all_programs(), {kFlat, kIdeal})) return;
    const Spread mean = faster(all_programs(), kIdeal);
    std::vector<Truth> size = {above(mean, 1.1)};
    std::string slower;
    for (const std::string& program : all_programs()) {
      if (inert(program)) continue;
      const Spread own = faster({program}, kIdeal);
      size.push_back(at_least(own, 1));
      if (own.mean < 1) slower += (slower.empty() ? "; slower: " : ", ") + program + " " + number(own);
    }
    c.ours = number(mean) + slower;
    conclude(c, all_of(size), above(mean, 1), "wanted a mean above 1.1, none below 1.0");
  }

  void real_loss() {
    Claim& c = begin(
        "B8", "with them CDP is slower, and loses most where it could gain most", "1/1.21 (K20c), 1/1.16 (simulator)",
        "grants overlap: geometric mean below 1.0; rank correlation of ideal and real speed-up below 0 over the "
        "workloads that launch; shape: the mean below 1.0");
    if (!need(c, all_programs(), {kFlat, kCdp, kIdeal})) return;
    const Spread mean = faster(all_programs(), kCdp);
    const Programs some = launching();
    const Spread order = spread([&](const Evaluation& e) {
      std::vector<double> ideal, real;
      for (const std::string& program : some) {
        ideal.push_back(e.ratio({program}, kFlat, kIdeal, cycles()).mean);
        real.push_back(e.ratio({program}, kFlat, kCdp, cycles()).mean);
      }
      return rank_correlation(ideal, real);
    });
    c.ours = number(mean) + ", correlation " + number(order);
    conclude(c, all_of({below(mean, 1), below(order, 0)}), below(mean, 1), "wanted the mean below 1 and the order");
  }

  void share() {
    Claim& c = begin("B9", "launching takes a large part of the time", "36.1 % on average, 80.6 % at most",
                     "grants overlap: (CDP - ideal) / CDP: mean 20 % to 60 %, most above 60 %; shape: mean above 20 %");
    if (!need(c, all_programs(), {kCdp, kIdeal})) return;
    std::string most;
    double top = -1;
    for (const std::string& program : all_programs()) {
      const double own = launch_share(runs(), program, kIdeal, kCdp);
      if (own > top) top = own, most = program;
    }
    const Spread mean = spread([&](const Evaluation& e) {
      double sum = 0;
      for (const std::string& program : all_programs()) sum += launch_share(e, program, kIdeal, kCdp);
      return 100 * sum / static_cast<double>(all_programs().size());
    });
    const Spread largest = spread([&](const Evaluation& e) { return 100 * launch_share(e, most, kIdeal, kCdp); });
    c.ours = number(mean, 1, " %") + ", most " + number(largest, 1, " %") + " (" + most + ")";
    conclude(c, all_of({within(mean, 20, 60), above(largest, 60)}), above(mean, 20),
             "wanted a mean of 20 % to 60 %, most above 60 %");
  }

  void roads_and_flights() {
    Claim& c = begin("B10", "roads and flights: no launch, no gain, no loss", "1.0",
                     "CDP 0.97 to 1.03 times as fast in each, with no launch on roads and below one per 100 threads on "
                     "flights");
    const Programs some = joined({roads(), {"sssp_flights"}});
    if (!need(c, some, {kFlat, kCdp})) return;
    std::vector<Truth> size;
    for (const std::string& program : some) {
      const Spread own = faster({program}, kCdp);
      const double launches = runs().figure(program, kCdp, count("launches")).mean,
                   threads = runs().figure(program, kCdp, count("parent_threads")).mean;
      size.push_back(within(own, 0.97, 1.03));
      size.push_back(certain(program == "sssp_flights" ? launches < threads / 100 : launches == 0));
      c.ours += (c.ours.empty() ? "" : ", ") + program + " " + number(own, 3) + " (" + number(launches, 0) + ")";
    }
    conclude(c, all_of(size), "wanted 0.97 to 1.03 and no launches");
  }

  void divergence() {
    Claim& c =
        begin("B11", "children have fuller warps where degrees differ, not where they are alike",
              "WEE +2.2 % to +65.3 %; less for bfs, clr of cage15",
              "warp activity without latencies over flat: above 0 for each of bfs, clr, sssp of citations, amr and "
              "joins; at most 0 for bfs and clr of balanced graphs; shape: the first");
    const Programs up = joined({kCitation, {"amr"}, kJoins});
    const Programs down = {"bfs_balanced", "clr_balanced"};
    if (!need(c, joined({up, down}), {kFlat, kIdeal})) return;
    std::vector<Truth> first, second;
    for (const std::string& program : joined({up, down})) {
      const Spread own = more({program}, kIdeal, warp_activity());
      const bool rises = std::find(up.begin(), up.end(), program) != up.end();
      if (rises) first.push_back(above(own, 0));
      if (!rises) second.push_back(at_most(own, 0));
      c.ours += (c.ours.empty() ? "" : ", ") + program + " " + number(own, 1, " %");
    }
    conclude(c, all_of({all_of(first), all_of(second)}), all_of(first),
             "wanted more, and not more for balanced graphs");
  }

  void replay() {
    Claim& c =
        begin("B12", "children access memory side by side: fewer replays", "LSRP down by up to 58.8 %",
              "transactions per memory instruction without latencies: down by more than 30 % for each balanced graph "
              "and regx, within 10 % for pre; shape: down for each of those");
    const Programs some = joined({kBalanced, kRegular});
    if (!need(c, joined({some, {"pre"}}), {kFlat, kIdeal})) return;
    std::vector<Truth> size, direction;
    for (const std::string& program : some) {
      const Spread own = more({program}, kIdeal, transactions());
      size.push_back(below(own, -30));
      direction.push_back(below(own, 0));
      c.ours += (c.ours.empty() ? "" : ", ") + program + " " + number(own, 1, " %");
    }
    const Spread pre = more({"pre"}, kIdeal, transactions());
    size.push_back(within(pre, -10, 10));
    c.ours += ", pre " + number(pre, 1, " %");
    conclude(c, all_of(size), all_of(direction), "wanted -30 % and less, pre within 10 %");
  }

  void child_size() {
    Claim& c =
        begin("B13", "children have few threads", "44 on average; pre 1527.9",
              "mean of bht, bfs, clr, regx, sssp (not roads, flights) 32 to 80, pre above 1000; shape: pre more");
    if (!need(c, joined({kFine, {"pre"}}), {kCdp})) return;
    const Spread fine = mean(kFine, kCdp, child_threads()), pre = mean({"pre"}, kCdp, child_threads());
    c.ours = number(fine, 1) + ", pre " + number(pre, 0);
    Spread apart = pre;
    apart.mean -= fine.mean;
    apart.deviation += fine.deviation;
    conclude(c, all_of({within(fine, 32, 80), above(pre, 1000)}), above(apart, 0), "wanted 32 to 80, pre above 1000");
  }

  void footprint() {
    Claim& c =
        begin("B15", "most launches wait at once", "launched / limit needed about 1.3",
              "peak of pending launches at least 60 % of those launched, in each program whose launches come from one "
              "kernel of the host (amr, bht, regx, pre, join); shape: on average");
    if (!need(c, kDense, {kCdp})) return;
    const Figure part = quotient(count("pending_peak"), count("launches"));
    std::vector<Truth> size;
    for (const std::string& program : kDense) {
      const Spread own = mean({program}, kCdp, part, 100);
      size.push_back(at_least(own, 60));
      c.ours += (c.ours.empty() ? "" : ", ") + program + " " + number(own, 1, " %");
    }
    conclude(c, all_of(size), at_least(mean(kDense, kCdp, part, 100), 60), "wanted 60 % in each");
  }

  void limit() {
    Claim& c =
        begin("B17", "launches above the limit of pending ones are refused", "Wang 2016, section 3.4.2.4",
              "32 lanes launch at once with a limit of 5: 5 are admitted, 27 refused, and the call takes as long as "
              "with 32");
    by_construction(c, "the limit is a key of the machine, set to 5");
    if (!need_path(c, !path_.limited.empty())) return;
    const Sample& p = path_.limited;
    c.ours = number(p.at("launches"), 0) + " admitted, " + number(p.at("refused"), 0) + " refused, " +
             number(p.at("call_launch"), 0) + " ticks";
    conclude(c,
             certain(p.at("launches") == 5 && p.at("refused") == 27 && p.at("pending_peak") == 5 &&
                     p.at("call_launch") == published::kLaunch.ticks(32)),
             "wanted 5, 27 and " + number(published::kLaunch.ticks(32), 0) + " ticks");
  }

  void none_faster() {
    Claim& c = begin("B18", "no benchmark is faster with CDP", "all slower or equal (K20c)",
                     "grants overlap: no workload that launches above 1.0");
    if (!need(c, all_programs(), {kFlat, kCdp})) return;
    std::vector<Truth> size;
    const Programs some = launching();
    for (const std::string& program : some) {
      const Spread own = faster({program}, kCdp);
      size.push_back(at_most(own, 1));
      if (own.mean > 1) list(c.ours, program + " " + number(own));
    }
    c.ours = c.ours.empty() ? "none" : "faster: " + c.ours;
    conclude(c, all_of(size), "wanted none");
  }

  void conservation(const std::vector<std::string>& wrong) {
    Claim& c = begin("I1", "nothing is lost: launched = started = completed, blocks launched = placed = retired",
                     "derived", "in every run, exactly; else a bug");
    make_invariant(c);
    if (runs().all_systems().empty() && path_.lanes.empty()) return;
    for (const std::string& one : wrong) c.ours += (c.ours.empty() ? "" : "; ") + one;
    if (wrong.empty()) c.ours = "in all runs";
    conclude(c, certain(wrong.empty()), "a bug");
  }

  const LaunchPath& path_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const LaunchPath& path,
                         const std::vector<std::string>& unbalanced_runs) {
  return CdpJudge(evaluation, path).all(unbalanced_runs);
}

}  // namespace castor::workloads::cdp

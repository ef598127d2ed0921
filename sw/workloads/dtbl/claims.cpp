#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "workloads/children/judge.h"
#include "workloads/dtbl/evaluation.h"
#include "workloads/dtbl/published.h"

namespace castor::workloads::dtbl {
namespace {

using namespace children;

/// Programs whose launches have few threads.
const Programs kFine = {"bht",          "bfs_citation", "bfs_balanced", "clr_citation",  "clr_kronecker",
                        "clr_balanced", "regx_packets", "regx_strings", "sssp_citation", "sssp_balanced"};
/// Programs for which the source reports results on cage15.
const Programs kBalanced = {"clr_balanced", "sssp_balanced"};
/// Programs that gain most with groups (regular expressions), and programs that lose most (joins).
const Programs kRegular = {"regx_packets", "regx_strings"}, kJoins = {"join_uniform", "join_gaussian"};
/// Programs of the study of table sizes that are most sensitive in the source.
const Programs kSensitive = {"bht", "regx_packets", "regx_strings"};
/// Least number of launches of a program that counts as launching many.
constexpr double kMany = 100;

/// Bits of the block at its defaults (docs/blocks/dtbl.md, "Area"). kTableBits: 1024 entries of size, parameters, link
/// and count. kRegisterBits: first and last group of the pools of 32 kernels, the current group, and a group reference
/// in each of 13 x 16 thread block slots.
constexpr double kTableBits = 1024.0 * (64 + 32 + 32 + 32);
constexpr double kRegisterBits = 32 * 2 * 32 + 32 + 32 + 13 * 16 * 32;

class DtblJudge : Judge {
 public:
  DtblJudge(const Evaluation& evaluation, const Path& path) : Judge(evaluation), path_(path) {}

  [[nodiscard]] std::vector<Claim> all(const std::vector<std::string>& unbalanced,
                                       const std::vector<std::string>& unequal) {
    over_flat();
    over_cdp();
    cdp_loses();
    ideals();
    launch_gap();
    dense();
    inert_inputs();
    divergence();
    dram();
    occupancies();
    waits();
    elsewhere("T12", "groups hold less memory while they wait", "-25.6 % on average; clr_graph500 none",
              "peak of launches without a thread block on an SM, above 10 % less than CDP on average",
              "the machine counts kernels as pending until their grant and groups until they attach, not until their "
              "first thread block");
    table_size_hits();
    table_size_time();
    kernel_hit_rates();
    hardware();
    concurrency();
    invariant("I1",
              "nothing is lost: launches that the program counts = kernels or groups, groups = attached + "
              "fallbacks, thread blocks = placed = retired",
              unbalanced);
    invariant("I2", "all systems compute the same", unequal);
    return take();
  }

 private:
  void over_flat() {
    Claim& c = begin("T1", "DTBL is faster than flat", "1.21", "geometric mean 1.05 to 1.5; shape: above 1");
    if (!need(c, all_programs(), {kFlat, kDtbl})) return;
    const Spread mean = faster(all_programs(), kDtbl);
    c.ours = number(mean);
    conclude(c, within(mean, 1.05, 1.5), above(mean, 1), "wanted 1.05 to 1.5");
  }

  void over_cdp() {
    Claim& c = begin("T2", "DTBL is faster than CDP", "1.40",
                     "geometric mean 1.2 to 1.6, also without regx and without the joins, and no workload of fine "
                     "launches (bht, bfs, clr, regx, sssp; not roads, flights) below 1; shape: the means above 1");
    if (!need(c, all_programs(), {kCdp, kDtbl})) return;
    const Spread mean = faster(all_programs(), kDtbl, kCdp);
    std::vector<Truth> size, direction;
    c.ours = number(mean);
    for (const auto& [name, programs] :
         {std::pair<std::string, Programs>("", {}), {"regx", kRegular}, {"the joins", kJoins}}) {
      const Spread rest = faster(without(programs), kDtbl, kCdp);
      size.push_back(within(rest, 1.2, 1.6));
      direction.push_back(above(rest, 1));
      if (!name.empty()) c.ours += ", without " + name + " " + number(rest);
    }
    std::string slower;
    for (const std::string& program : kFine) {
      const Spread own = faster({program}, kDtbl, kCdp);
      size.push_back(at_least(own, 1));
      if (own.mean < 1) list(slower, program + " " + number(own));
    }
    c.ours += slower.empty() ? "" : "; slower: " + slower;
    conclude(c, all_of(size), all_of(direction), "wanted 1.2 to 1.6 of all three means, and none below 1");
  }

  /// Returns all programs except those in `some`.
  [[nodiscard]] Programs without(const Programs& some) const {
    Programs out;
    for (const std::string& program : all_programs()) {
      if (!among(some, program)) out.push_back(program);
    }
    return out;
  }

  void cdp_loses() {
    Claim& c = begin("T3", "CDP is slower than flat", "1/1.16", "geometric mean below 1");
    if (!need(c, all_programs(), {kFlat, kCdp})) return;
    const Spread mean = faster(all_programs(), kCdp);
    c.ours = number(mean);
    conclude(c, below(mean, 1), "wanted below 1");
  }

  void ideals() {
    Claim& c = begin("T4", "without latencies groups are faster than kernels", "1.63 against 1.43",
                     "ideal CDP / ideal DTBL of times at least 1 in each workload with more than 100 launches; shape: "
                     "their geometric mean above 1");
    if (!need(c, all_programs(), {kCdp, kIdeal, kDtblIdeal})) return;
    const Programs many = launching(kMany);
    std::vector<Truth> size;
    std::string slower;
    for (const std::string& program : many) {
      const Spread own = faster({program}, kDtblIdeal, kIdeal);
      size.push_back(at_least(own, 1));
      if (own.mean < 1) list(slower, program + " " + number(own));
    }
    const Spread mean = faster(many, kDtblIdeal, kIdeal);
    c.ours = number(mean) + (slower.empty() ? "" : "; slower: " + slower);
    conclude(c, all_of(size), above(mean, 1), "wanted none below 1");
  }

  void launch_gap() {
    Claim& c = begin("T5", "a launch takes the buffer call", "8152 to 12151 ticks; CDP 3.6 to 6.8 times as long",
                     "one warp, x = 1 to 32: ticks in the buffer call exactly 8023 + 129 x, and with the longest wait "
                     "of a group for its first thread block at most 5 % more");
    by_construction(c, "the latency of the buffer call is table 5's");
    const auto groups = path_.find("groups");
    const auto lanes = path_.find("lanes");
    if (!need_path(c, groups != path_.end() && groups->second.count(1) != 0 && groups->second.count(32) != 0)) return;
    bool equal = true, soon = true;
    for (const auto& [x, sample] : groups->second) {
      const double call = published::kBufferWarp + published::kBufferLane * x;
      equal = equal && sample.at("call_buffer") == call;
      soon = soon && sample.at("call_buffer") + sample.at("wait_largest") <= 1.05 * call;
      if (x != 1 && x != 32) continue;
      list(c.ours, std::to_string(x) + " lanes: " + number(sample.at("call_buffer"), 0) + " + " +
                       number(sample.at("wait_largest"), 0));
      if (lanes == path_.end() || lanes->second.count(x) == 0) continue;
      const Sample& cdp = lanes->second.at(x);
      const double whole = cdp.at("call_stream") + cdp.at("call_buffer") + cdp.at("wait_largest");
      c.ours += ", CDP " + number(whole / (sample.at("call_buffer") + sample.at("wait_largest"))) + " times";
    }
    conclude(c, certain(equal && soon), certain(equal), "wanted equality and at most 5 % more");
  }

  void dense() {
    Claim& c =
        begin("T6", "dense launches lose what the ideal gains", "clr_graph500 0.97; regx_string 0.95, ideal 3.10",
              "speed-up over flat of clr_kronecker 0.9 to 1.05; regx_strings at most 0.9 of its ideal; shape: "
              "regx_strings");
    if (!need(c, {"clr_kronecker", "regx_strings"}, {kFlat, kDtbl, kDtblIdeal})) return;
    const Spread kronecker = faster({"clr_kronecker"}, kDtbl), strings = faster({"regx_strings"}, kDtbl),
                 part = faster({"regx_strings"}, kDtbl, kDtblIdeal);
    c.ours = "clr_kronecker " + number(kronecker) + ", regx_strings " + number(strings) + ", " + number(part) +
             " of its ideal";
    conclude(c, all_of({within(kronecker, 0.9, 1.05), at_most(part, 0.9)}), at_most(part, 0.9),
             "wanted 0.9 to 1.05 and at most 0.9");
  }

  void inert_inputs() {
    Claim& c = begin("T7", "roads and flights do not change", "bfs_usa_road, sssp_flight about 1",
                     "speed-up over flat of bfs_road and sssp_flights 0.97 to 1.03");
    const Programs some = {"bfs_road", "sssp_flights"};
    if (!need(c, some, {kFlat, kDtbl})) return;
    std::vector<Truth> size;
    for (const std::string& program : some) {
      const Spread own = faster({program}, kDtbl);
      size.push_back(within(own, 0.97, 1.03));
      list(c.ours, program + " " + number(own, 3));
    }
    conclude(c, all_of(size), "wanted 0.97 to 1.03");
  }

  void divergence() {
    Claim& c =
        begin("T8", "groups fill warps as children do", "+10.7 % both; amr +45.3 %, clr_cage15 -5.9 %",
              "warp activity of DTBL within 2 points of CDP in each workload; over flat amr gains most points and "
              "clr_balanced loses some; shape: the first");
    if (!need(c, all_programs(), {kFlat, kCdp, kDtbl})) return;
    std::vector<Truth> near;
    double most_apart = 0, most = -100;
    std::string which, top;
    for (const std::string& program : all_programs()) {
      const Spread own = higher({program}, kDtbl, kCdp, warp_activity(), 100);
      near.push_back(within(own, -2, 2));
      if (std::fabs(own.mean) > most_apart) most_apart = std::fabs(own.mean), which = program;
      const double gain = higher({program}, kDtbl, kFlat, warp_activity(), 100).mean;
      if (gain > most) most = gain, top = program;
    }
    const Spread amr = higher({"amr"}, kDtbl, kFlat, warp_activity(), 100),
                 clr = higher({"clr_balanced"}, kDtbl, kFlat, warp_activity(), 100);
    c.ours = "mean " + number(higher(all_programs(), kDtbl, kCdp, warp_activity(), 100), 1) +
             " points from CDP, most " + number(most_apart, 1) + " (" + which + "); over flat " +
             number(higher(all_programs(), kDtbl, kFlat, warp_activity(), 100), 1) + ", most " + top + " " +
             number(most, 1) + ", amr " + number(amr, 1) + ", clr_balanced " + number(clr, 1);
    conclude(c, all_of({all_of(near), certain(top == "amr"), below(clr, 0)}), all_of(near),
             "wanted within 2 points, amr most, clr_balanced below 0");
  }

  void dram() {
    Claim& c =
        begin("T9", "DRAM is used better by CDP, and better yet by DTBL", "0.20, +0.029, +0.053; cage15 gains most",
              "averages of DRAM efficiency flat < CDP < DTBL, and the most gain of DTBL over flat is that of "
              "clr_balanced or sssp_balanced; shape: the order");
    if (!need(c, all_programs(), {kFlat, kCdp, kDtbl})) return;
    const Spread cdp = higher(all_programs(), kCdp, kFlat, dram_efficiency(), 100),
                 own = higher(all_programs(), kDtbl, kCdp, dram_efficiency(), 100);
    double most = -100;
    std::string top;
    for (const std::string& program : all_programs()) {
      const double gain = higher({program}, kDtbl, kFlat, dram_efficiency(), 100).mean;
      if (gain > most) most = gain, top = program;
    }
    c.ours = "CDP over flat " + number(cdp, 1) + " points, DTBL over CDP " + number(own, 1) + "; most " + top;
    const Truth order = all_of({above(cdp, 0), above(own, 0)});
    conclude(c, all_of({order, certain(among(kBalanced, top))}), order, "wanted the order, cage15 most");
  }

  void occupancies() {
    Claim& c =
        begin("T10", "groups fill SMs, and lose less by latency",
              "ideals +17.9 points, bht +24.6, pre +0.46; lost to latency CDP 10.7, DTBL 5.2",
              "occupancy, ideal DTBL over ideal CDP: the mean above 0, bht above 5 points, pre within 2; ideal over "
              "real: CDP loses more than DTBL; shape: the mean and the losses");
    if (!need(c, all_programs(), {kCdp, kIdeal, kDtbl, kDtblIdeal})) return;
    const auto gain = [&](const Programs& programs) { return higher(programs, kDtblIdeal, kIdeal, occupancy(), 100); };
    const Spread mean = gain(all_programs()), bht = gain({"bht"}), pre = gain({"pre"});
    const Spread cdp = higher(all_programs(), kIdeal, kCdp, occupancy(), 100),
                 own = higher(all_programs(), kDtblIdeal, kDtbl, occupancy(), 100);
    const Spread more = spread([&](const Evaluation& e) {
      const auto of = [&](const char* system) { return 100 * e.mean(all_programs(), system, occupancy()).value_or(0); };
      return (of(kIdeal) - of(kCdp)) - (of(kDtblIdeal) - of(kDtbl));
    });
    c.ours = "ideals " + number(mean, 1) + " points, bht " + number(bht, 1) + ", pre " + number(pre, 1) +
             "; lost to latency CDP " + number(cdp, 1) + ", DTBL " + number(own, 1);
    const Truth direction = all_of({above(mean, 0), above(more, 0)});
    conclude(c, all_of({direction, above(bht, 5), within(pre, -2, 2)}), direction,
             "wanted above 0, bht above 5, pre within 2, and more lost by CDP");
  }

  void waits() {
    Claim& c = begin("T11", "groups wait less than children", "-24.1 %; regx_string -41.8 %",
                     "waiting time, mean of 1 - DTBL / CDP over workloads with more than 100 launches above 15 %, "
                     "regx_strings most; shape: the mean above 0");
    if (!need(c, all_programs(), {kCdp, kDtbl})) return;
    const Programs many = launching(kMany);
    const auto less = [&](const Evaluation& e, const std::string& program) {
      return 100 * (1 - e.ratio({program}, kDtbl, kCdp, waiting()).mean);
    };
    const Spread mean = spread([&](const Evaluation& e) {
      double sum = 0;
      for (const std::string& program : many) sum += less(e, program);
      return many.empty() ? 0 : sum / static_cast<double>(many.size());
    });
    double most = -1e9;
    std::string top;
    for (const std::string& program : many) {
      if (less(runs(), program) > most) most = less(runs(), program), top = program;
    }
    const Spread strings = spread([&](const Evaluation& e) { return less(e, "regx_strings"); });
    c.ours = "-" + number(mean, 1, " %") + ", regx_strings -" + number(strings, 1, " %") + ", most " + top + " -" +
             number(most, 1) + " %";
    conclude(c, all_of({above(mean, 15), certain(top == "regx_strings")}), above(mean, 0),
             "wanted above 15 %, regx_strings most");
  }

  bool need_sizes(Claim& c) {
    std::vector<std::string> systems;
    for (const TableSize& size : table_sizes()) systems.emplace_back(size.system);
    return need(c, launch_dense(), systems);
  }

  void table_size_hits() {
    Claim& c =
        begin("T13", "a larger table has more hits", "0.622 at 512, 0.816 at 1024",
              "mean hit rate over launch-dense workloads (amr, bht, clr_kronecker, regx, join_gaussian), tables of "
              "16 to 2048: no step falls by 0.005, and 0.1 or more from 512 to 1024; shape: none falls, and 0.1 "
              "or more in one doubling");
    if (!need_sizes(c)) return;
    std::vector<Truth> rises, large;
    Truth wanted = Truth::kFails;
    for (std::size_t i = 0; i < table_sizes().size(); ++i) {
      const TableSize& size = table_sizes()[i];
      list(c.ours, std::to_string(size.entries) + ": " + number(mean(launch_dense(), size.system, table_hits()), 3));
      if (i == 0) continue;
      const TableSize& before = table_sizes()[i - 1];
      const Spread step = higher(launch_dense(), size.system, before.system, table_hits(), 1);
      rises.push_back(at_least(step, -0.005));
      if (size.entries == 2 * before.entries) large.push_back(at_least(step, 0.1));
      if (size.entries == 1024) wanted = large.back();
    }
    conclude(c, all_of({all_of(rises), wanted}), all_of({all_of(rises), any_of(large)}), "wanted 0.1 from 512 to 1024");
  }

  void table_size_time() {
    Claim& c = begin("T14", "a larger table is faster", "512: 1.31 times slower, 2048: 1.20 times faster than 1024",
                     "geometric mean of times over those of 1024, the same workloads: no step to a larger table is 1 % "
                     "slower, 512 above 1.05, and from 1024 to 16 bht and regx lose more than the others; shape: none "
                     "slower, and 16 above 1.05");
    if (!need_sizes(c)) return;
    std::vector<Truth> falls;
    for (std::size_t i = 0; i < table_sizes().size(); ++i) {
      const TableSize& size = table_sizes()[i];
      list(c.ours, std::to_string(size.entries) + ": " + number(slower(launch_dense(), size.system), 3));
      if (i == 0) continue;
      const TableSize& before = table_sizes()[i - 1];
      falls.push_back(at_most(spread([&](const Evaluation& e) {
                                return e.ratio(launch_dense(), size.system, before.system, cycles()).mean;
                              }),
                              1.01));
    }
    Programs others;
    for (const std::string& program : launch_dense()) {
      if (!among(kSensitive, program)) others.push_back(program);
    }
    const char* const smallest = table_sizes().front().system;
    const Spread more = spread([&](const Evaluation& e) {
      return e.ratio(kSensitive, smallest, kDtbl, cycles()).mean - e.ratio(others, smallest, kDtbl, cycles()).mean;
    });
    c.ours += "; 16 entries: bht, regx " + number(slower(kSensitive, smallest), 3) + ", others " +
              number(slower(others, smallest), 3);
    conclude(c, all_of({all_of(falls), above(slower(launch_dense(), "dtbl_512"), 1.05), above(more, 0)}),
             all_of({all_of(falls), above(slower(launch_dense(), smallest), 1.05)}), "wanted 1.05 and more");
  }
  /// Geometric mean over programs of time of `of` / time with 1024 entries.
  [[nodiscard]] Spread slower(const Programs& programs, const char* of) const {
    return spread([&](const Evaluation& e) { return e.ratio(programs, of, kDtbl, cycles()).mean; });
  }

  void kernel_hit_rates() {
    Claim& c =
        begin("T15", "most groups find a kernel", "0.818 (figure 22), 98 % (Wang 2016, section 4.3)",
              "mean over the same workloads without a kernel kept resident above 0.8; with one every group finds it, "
              "which decides nothing");
    if (!need(c, launch_dense(), {kDtbl, kCold})) return;
    const Spread cold = mean(launch_dense(), kCold, kernel_hits()), warm = mean(launch_dense(), kDtbl, kernel_hits());
    const Spread weighted = spread([&](const Evaluation& e) {
      const double hits = e.mean(launch_dense(), kCold, count("kde_hits")).value_or(0);
      return hits / (hits + e.mean(launch_dense(), kCold, count("kde_misses")).value_or(0));
    });
    c.ours = number(cold, 3) + " (of all launches " + number(weighted, 3) + "), kept resident " + number(warm, 3);
    conclude(c, above(cold, 0.8), "wanted above 0.8");
  }

  void hardware() {
    Claim& c = begin("T16", "1096 bytes of registers, 20 KB of table", "1096, 20480",
                     "the block's bits at its defaults, and references in SMs: exactly");
    by_construction(c, "arithmetic: the block was given the source's sizes");
    c.ours = number(kRegisterBits / 8, 0) + ", " + number(kTableBits / 8, 0);
    conclude(c, certain(kRegisterBits / 8 == published::kRegisterBytes && kTableBits / 8 == published::kTableBytes),
             "wanted equality");
  }

  void concurrency() {
    Claim& c = begin("T17", "more than 32 launches run at once", "no limit of 32 kernels",
                     "resident warps of groups over warps of a group above 32 on average in some workload, without "
                     "latencies or with; shape: more than 32 entries of the group table in use at once");
    if (!need(c, all_programs(), {kDtbl, kDtblIdeal})) return;
    std::vector<Truth> running_at_once, used;
    double most = 0, entries = 0;
    std::string top;
    for (const std::string& program : all_programs()) {
      for (const char* const system : {kDtbl, kDtblIdeal}) {
        const Spread own = mean({program}, system, running());
        running_at_once.push_back(above(own, 32));
        if (own.mean > most) most = own.mean, top = program + " " + number(own, 1) + " (" + system + ")";
        const Spread peak = mean({program}, system, count("agt_used_peak"));
        used.push_back(above(peak, 32));
        entries = std::max(entries, peak.mean);
      }
    }
    c.ours = top + "; entries in use " + number(entries, 0);
    conclude(c, any_of(running_at_once), any_of(used), "wanted above 32");
  }

  void invariant(const char* id, const char* claim, const std::vector<std::string>& wrong) {
    Claim& c = begin(id, claim, "derived", "in every run, exactly; else a bug");
    make_invariant(c);
    if (runs().all_systems().empty() && path_.empty()) return;
    for (const std::string& one : wrong) list(c.ours, one);
    if (wrong.empty()) c.ours = "in all runs";
    conclude(c, certain(wrong.empty()), "a bug");
  }

  const Path& path_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const Path& path,
                         const std::vector<std::string>& unbalanced_runs,
                         const std::vector<std::string>& unequal_runs) {
  return DtblJudge(evaluation, path).all(unbalanced_runs, unequal_runs);
}

}  // namespace castor::workloads::dtbl

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "workloads/children/judge.h"
#include "workloads/laperm/evaluation.h"
#include "workloads/laperm/published.h"

namespace castor::workloads::laperm {
namespace {

using namespace children;

/// Programs with uneven launching, where SMX-Bind leaves a long tail on one SM, and programs with even launching.
const Programs kUneven = {"bfs_citation", "clr_citation", "join_uniform", "join_gaussian"};
const Programs kEven = {"amr", "pre"};
/// Programs in which the children of a parent work on separate regions.
const Programs kApart = {"amr", "join_uniform", "join_gaussian"};
/// Program that replaces the source's graph500. Its children share data with all parents equally, not mainly with their
/// own.
constexpr const char* kGraph500 = "clr_kronecker";
/// Program that replaces the source's cage15.
constexpr const char* kCage15 = "sssp_balanced";

/// Bits of an item in the block's queues at its defaults (docs/blocks/laperm.md, "Area"); number of items in a queue
/// set, and in the host's queue 0.
constexpr double kItemBits = 165, kSetItems = 128, kHostItems = 32;

class LapermJudge : Judge {
 public:
  explicit LapermJudge(const Evaluation& evaluation) : Judge(evaluation) {}

  [[nodiscard]] std::vector<Claim> all(const Broken& broken) {
    elsewhere("P1", "the source's example of 14 thread blocks on four SMs", "figure 26",
              "at the block's ports, exactly", "a test at the block's ports holds it: laperm_reference_test");
    locality();
    pri_l2();
    pri_ipc();
    bind_l1();
    bind_ipc();
    adaptive_ipc();
    adaptive_l1();
    even();
    balanced_graph();
    latency();
    many_kernels();
    hardware();
    distance();
    best_workload();
    invariant("I1",
              "nothing is lost: launches that the program counts = kernels or groups, groups = attached + fallbacks, "
              "thread blocks = placed = retired",
              broken.unbalanced);
    invariant("I2", "all systems compute the same", broken.unequal);
    invariant(
        "I3",
        "LaPerm takes each kernel and group once and places each thread block in one stage, what goes to memory "
        "comes back, nothing is stolen but under Adaptive-Bind, and under SMX-Bind every thread block of a launch "
        "is on its parent's SM",
        broken.misplaced);
    return take();
  }

 private:
  /// Returns the programs that launch children. Road and flight inputs are excluded; the source does not use them here
  /// either.
  [[nodiscard]] Programs launchers() const {
    Programs out;
    for (const std::string& program : all_programs()) {
      if (!inert(program)) out.push_back(program);
    }
    return out;
  }
  /// Returns the programs whose groups wait for records in memory less than a third of the time under DTBL's own
  /// distribution. In the other programs the policies gain because they do not read records one by one.
  [[nodiscard]] Programs without_records() const {
    Programs out;
    for (const std::string& program : launchers()) {
      const Figure waits = quotient(count("offchip_wait"), count("cycles"));
      if (runs().mean({program}, kDtbl.rr, waits).value_or(0) < 1.0 / 3) out.push_back(program);
    }
    return out;
  }
  bool need_all(Claim& claim) const { return need(claim, launchers(), joined({kCdp.all(), kDtbl.all()})); }
  /// Geometric mean over programs of IPC of `of` / IPC of `base`, minus 1, in %.
  [[nodiscard]] Spread gain(const Programs& programs, const std::string& of, const char* base) const {
    return more(programs, of, ipc(), base);
  }
  /// Difference of a rate between two systems, in percentage points.
  [[nodiscard]] Spread points(const Programs& programs, const std::string& of, const std::string& base,
                              const Figure& figure) const {
    return higher(programs, of, base, figure, 100);
  }
  /// Difference (a - a_base) - (b - b_base) of the means of a figure over programs, in percentage points.
  [[nodiscard]] Spread wider(const Programs& programs, const std::string& a, const std::string& a_base,
                             const std::string& b, const std::string& b_base, const Figure& figure) const {
    return spread([&](const Evaluation& e) {
      const auto of = [&](const std::string& system) { return 100 * e.mean(programs, system, figure).value_or(0); };
      return (of(a) - of(a_base)) - (of(b) - of(b_base));
    });
  }
  /// Returns the gain in IPC of `a` over its base minus the gain of `b` over its base, in percentage points.
  [[nodiscard]] Spread gains_more(const Programs& programs, const std::string& a, const char* a_base,
                                  const std::string& b, const char* b_base) const {
    return spread([&](const Evaluation& e) {
      return 100 * (e.ratio(programs, a, a_base, ipc()).mean - e.ratio(programs, b, b_base, ipc()).mean);
    });
  }
  static std::string both(const Spread& cdp, const Spread& dtbl, const char* unit) {
    return "CDP " + number(cdp, 1, unit) + ", DTBL " + number(dtbl, 1, unit);
  }

  void locality() {
    Claim& c = begin("P2", "what children touch their parent has touched",
                     "parent-child 38.4 %, child-sibling 30.5 %, parent-parent 9.3 %; amr, join: siblings share "
                     "virtually nothing",
                     "means over workloads that launch: parent-child 25 to 50 %, parent-parent below half of it, "
                     "child-sibling of amr and the joins below 5 %; shape: parent-parent below parent-child");
    const Programs all = launchers();
    if (!need(c, all, {kFootprint})) return;
    const Spread parent = mean(all, kFootprint, count("parent_child"), 100),
                 sibling = mean(all, kFootprint, count("child_sibling"), 100),
                 other = mean(all, kFootprint, count("parent_parent"), 100),
                 half = spread([&](const Evaluation&e) {
                   const auto of = [&](const char* name) { return e.mean(all, kFootprint, count(name)).value_or(0); };
                   return 100 * (of("parent_parent") - of("parent_child") / 2);
                 });
    std::vector<Truth> size = {within(parent, 25, 50), below(half, 0)};
    c.ours = number(parent, 1, " %") + ", " + number(sibling, 1, " %") + ", " + number(other, 1, " %") + "; siblings";
    std::string apart;
    for (const std::string& program : kApart) {
      const Spread own = mean({program}, kFootprint, count("child_sibling"), 100);
      size.push_back(below(own, 5));
      list(apart, program + " " + number(own, 1, " %"));
    }
    c.ours += " of " + apart;
    conclude(c, all_of(size), below(difference(other, parent), 0), "wanted 25 to 50 %, below half, below 5 %");
  }

  void pri_l2() {
    Claim& c =
        begin("P3", "TB-Pri raises L2 hits", "+6.7 (CDP), +8.7 (DTBL) points; L1 +1.1, +2.1",
              "mean of points over round robin above 0 in both, DTBL above CDP, and in both L1 changes less than "
              "L2; shape: above 0 in both");
    if (!need_all(c)) return;
    const auto of = [&](const Model& m, const Figure& f) { return points(launchers(), m.tb_pri, m.rr, f); };
    const Spread cdp = of(kCdp, l2_hits()), dtbl = of(kDtbl, l2_hits()), cdp1 = of(kCdp, l1_hits()),
                 dtbl1 = of(kDtbl, l1_hits());
    const auto less = [&](const Model& m) {
      return spread([&](const Evaluation& e) {
        const auto change = [&](const Figure& f) {
          return std::fabs(e.mean(launchers(), m.tb_pri, f).value_or(0) - e.mean(launchers(), m.rr, f).value_or(0));
        };
        return 100 * (change(l2_hits()) - change(l1_hits()));
      });
    };
    c.ours = both(cdp, dtbl, "") + "; L1 " + both(cdp1, dtbl1, "");
    const Truth direction = all_of({above(cdp, 0), above(dtbl, 0)});
    const Truth order = above(wider(launchers(), kDtbl.tb_pri, kDtbl.rr, kCdp.tb_pri, kCdp.rr, l2_hits()), 0);
    conclude(c, all_of({direction, order, above(less(kCdp), 0), above(less(kDtbl), 0)}), direction,
             "wanted above 0, DTBL more, L1 less");
  }

  void pri_ipc() {
    Claim& c = begin("P4", "TB-Pri raises IPC", "+4 % (CDP), +13 % (DTBL)",
                     "geometric mean over round robin above 0 in both, DTBL above CDP; shape: above 0 in both");
    if (!need_all(c)) return;
    const Spread cdp = gain(launchers(), kCdp.tb_pri, kCdp.rr), dtbl = gain(launchers(), kDtbl.tb_pri, kDtbl.rr);
    c.ours = both(cdp, dtbl, " %");
    const Truth direction = all_of({above(cdp, 0), above(dtbl, 0)});
    conclude(c, all_of({direction, above(gains_more(launchers(), kDtbl.tb_pri, kDtbl.rr, kCdp.tb_pri, kCdp.rr), 0)}),
             direction, "wanted above 0, DTBL more");
  }

  void bind_l1() {
    Claim& c = begin("P5", "SMX-Bind raises L1 hits", "+6.6 (CDP), +13.6 (DTBL) points",
                     "mean of points over round robin more than 1 above that of TB-Pri in both, DTBL above CDP; shape: "
                     "above TB-Pri in both");
    if (!need_all(c)) return;
    const auto of = [&](const Model& m) { return points(launchers(), m.smx_bind, m.rr, l1_hits()); };
    const auto over = [&](const Model& m) { return points(launchers(), m.smx_bind, m.tb_pri, l1_hits()); };
    c.ours = both(of(kCdp), of(kDtbl), "") + "; over TB-Pri " + both(over(kCdp), over(kDtbl), "");
    conclude(c,
             all_of({above(over(kCdp), 1), above(over(kDtbl), 1),
                     above(wider(launchers(), kDtbl.smx_bind, kDtbl.rr, kCdp.smx_bind, kCdp.rr, l1_hits()), 0)}),
             all_of({above(over(kCdp), 0), above(over(kDtbl), 0)}), "wanted more than 1 over TB-Pri, DTBL more");
  }

  void bind_ipc() {
    Claim& c = begin("P6", "SMX-Bind costs balance",
                     "IPC -9 % (CDP), -5 % (DTBL) of TB-Pri; below round robin: bfs_citation, clr_citation, join",
                     "geometric mean of IPC over TB-Pri below 0 in both, and with DTBL at least two of bfs_citation, "
                     "clr_citation and the joins below round robin; shape: the first");
    if (!need_all(c)) return;
    const Spread cdp = gain(launchers(), kCdp.smx_bind, kCdp.tb_pri),
                 dtbl = gain(launchers(), kDtbl.smx_bind, kDtbl.tb_pri);
    std::vector<Truth> slower;
    std::string which;
    for (const std::string& program : kUneven) {
      const Spread own = gain({program}, kDtbl.smx_bind, kDtbl.rr);
      slower.push_back(below(own, 0));
      list(which, program + " " + number(own, 1, " %"));
    }
    c.ours = both(cdp, dtbl, " %") + "; over round robin " + which;
    const Truth direction = all_of({below(cdp, 0), below(dtbl, 0)});
    conclude(c, all_of({direction, at_least_of(2, slower)}), direction, "wanted below 0, and two below round robin");
  }

  void adaptive_ipc() {
    Claim& c =
        begin("P7", "Adaptive-Bind is fastest", "+6 % (CDP), +27 % (DTBL)",
              "geometric mean of IPC over round robin: DTBL above 8 % and above TB-Pri and SMX-Bind, CDP above 0 "
              "and below half of DTBL, and DTBL above 1 % where groups wait for records less than a third of the time; "
              "shape: DTBL above both, and above 1 % there");
    if (!need_all(c)) return;
    const Spread cdp = gain(launchers(), kCdp.adaptive_bind, kCdp.rr),
                 dtbl = gain(launchers(), kDtbl.adaptive_bind, kDtbl.rr);
    const Spread pri = gain(launchers(), kDtbl.adaptive_bind, kDtbl.tb_pri),
                 bind = gain(launchers(), kDtbl.adaptive_bind, kDtbl.smx_bind);
    const Programs quiet = without_records();
    const Spread rest = quiet.empty() ? Spread{} : gain(quiet, kDtbl.adaptive_bind, kDtbl.rr);
    const Spread half = spread([&](const Evaluation& e) {
      const auto of = [&](const Model& m) {
        return 100 * (e.ratio(launchers(), m.adaptive_bind, m.rr, ipc()).mean - 1);
      };
      return of(kCdp) - of(kDtbl) / 2;
    });
    c.ours = both(cdp, dtbl, " %") + "; DTBL over TB-Pri " + number(pri, 1, " %") + ", over SMX-Bind " +
             number(bind, 1, " %") + "; where groups do not wait for records " + number(rest, 1, " %");
    const Truth best = all_of({above(pri, 0), above(bind, 0), above(rest, 1)});
    conclude(c, all_of({best, above(dtbl, 8), above(cdp, 0), below(half, 0)}), best,
             "wanted best, DTBL above 8 %, CDP above 0 and below half, and a gain without records");
  }

  void adaptive_l1() {
    Claim& c = begin("P8", "Adaptive-Bind gives some L1 hits back", "-2.3 (CDP), -3.1 (DTBL) points of SMX-Bind",
                     "mean of L1 hits below SMX-Bind and above TB-Pri, in both");
    if (!need_all(c)) return;
    const auto over = [&](const char* own, const char* base) { return points(launchers(), own, base, l1_hits()); };
    const Spread cdp_smx = over(kCdp.adaptive_bind, kCdp.smx_bind), cdp_pri = over(kCdp.adaptive_bind, kCdp.tb_pri);
    const Spread dtbl_smx = over(kDtbl.adaptive_bind, kDtbl.smx_bind),
                 dtbl_pri = over(kDtbl.adaptive_bind, kDtbl.tb_pri);
    const std::vector<Truth> size = {below(cdp_smx, 0), below(dtbl_smx, 0), above(cdp_pri, 0), above(dtbl_pri, 0)};
    c.ours = "of SMX-Bind " + both(cdp_smx, dtbl_smx, "") + "; of TB-Pri " + both(cdp_pri, dtbl_pri, "");
    conclude(c, all_of(size), "wanted between TB-Pri and SMX-Bind");
  }

  void even() {
    Claim& c = begin("P9", "even launchers do not need Adaptive-Bind", "amr, pre",
                     "IPC of SMX-Bind within 2 % of Adaptive-Bind for amr and pre, in both");
    if (!need(c, kEven, {kCdp.smx_bind, kCdp.adaptive_bind, kDtbl.smx_bind, kDtbl.adaptive_bind})) return;
    std::vector<Truth> size;
    for (const std::string& program : kEven) {
      const Spread cdp = gain({program}, kCdp.smx_bind, kCdp.adaptive_bind),
                   dtbl = gain({program}, kDtbl.smx_bind, kDtbl.adaptive_bind);
      size.push_back(within(cdp, -2, 2));
      size.push_back(within(dtbl, -2, 2));
      list(c.ours, program + " " + both(cdp, dtbl, " %"));
    }
    conclude(c, all_of(size), "wanted within 2 %");
  }

  void balanced_graph() {
    Claim& c = begin("P10", "graph500: SMX-Bind does not change L1 hits", "no obvious change from TB-Pri",
                     "clr_kronecker: L1 hits of SMX-Bind within 1 point of TB-Pri, in both");
    if (!need(c, {kGraph500}, {kCdp.tb_pri, kCdp.smx_bind, kDtbl.tb_pri, kDtbl.smx_bind})) return;
    const Spread cdp = points({kGraph500}, kCdp.smx_bind, kCdp.tb_pri, l1_hits()),
                 dtbl = points({kGraph500}, kDtbl.smx_bind, kDtbl.tb_pri, l1_hits());
    c.ours = both(cdp, dtbl, "");
    conclude(c, all_of({within(cdp, -1, 1), within(dtbl, -1, 1)}), "wanted within 1 point");
  }

  void latency() {
    Claim& c = begin("P11", "launches that take longer leave less to gain", "CDP +6 %, DTBL +27 %",
                     "CDP with 0, 25, 50 and 100 % of the latencies: the gain in IPC of Adaptive-Bind over round robin "
                     "falls with every step; shape: from 0 to 100 %");
    Programs systems;
    for (const Latency& one : latencies()) systems.insert(systems.end(), {one.cdp.rr, one.cdp.adaptive_bind});
    if (!need(c, of_studies(), systems)) return;
    std::vector<Truth> falls;
    for (std::size_t i = 0; i < latencies().size(); ++i) {
      const Latency& one = latencies()[i];
      list(c.ours, std::to_string(one.percent) +
                       " %: " + number(gain(of_studies(), one.cdp.adaptive_bind, one.cdp.rr), 1, " %"));
      if (i == 0) continue;
      const Pair& before = latencies()[i - 1].cdp;
      falls.push_back(
          above(gains_more(of_studies(), before.adaptive_bind, before.rr, one.cdp.adaptive_bind, one.cdp.rr), 0));
    }
    const Pair &first = latencies().front().cdp, &last = latencies().back().cdp;
    conclude(c, all_of(falls),
             above(gains_more(of_studies(), first.adaptive_bind, first.rr, last.adaptive_bind, last.rr), 0),
             "wanted every step to fall");
  }

  void many_kernels() {
    Claim& c = begin("P12", "CDP gains less since 32 kernels are visible", "32 entries",
                     "with 256 entries of the kernel table the gain in IPC of Adaptive-Bind over round robin is closer "
                     "to that of DTBL than with 32");
    const Programs some = of_studies();
    if (!need(c, some,
              {kCdp.rr, kCdp.adaptive_bind, kManyKernels.rr, kManyKernels.adaptive_bind, kDtbl.rr,
               kDtbl.adaptive_bind})) {
      return;
    }
    const Spread few = gain(some, kCdp.adaptive_bind, kCdp.rr), dtbl = gain(some, kDtbl.adaptive_bind, kDtbl.rr),
                 lots = gain(some, kManyKernels.adaptive_bind, kManyKernels.rr);
    const Spread closed = spread([&](const Evaluation& e) {
      const auto of = [&](const char* system, const char* base) { return e.ratio(some, system, base, ipc()).mean; };
      const double aim = of(kDtbl.adaptive_bind, kDtbl.rr);
      return 100 * (std::fabs(aim - of(kCdp.adaptive_bind, kCdp.rr)) -
                    std::fabs(aim - of(kManyKernels.adaptive_bind, kManyKernels.rr)));
    });
    c.ours = "32 entries " + number(few, 1, " %") + ", 256 entries " + number(lots, 1, " %") + ", DTBL " +
             number(dtbl, 1, " %");
    conclude(c, above(closed, 0), "wanted closer to DTBL");
  }

  void hardware() {
    Claim& c = begin("P13", "3 KB per SM and 768 bytes", "3072, 768",
                     "bits of items at the block's defaults: not above either");
    by_construction(c, "arithmetic: the block was given the source's number of items");
    const double set = kItemBits * kSetItems / 8, host = kItemBits * kHostItems / 8;
    c.ours = number(set, 0) + ", " + number(host, 0) + "; links, counts and registers are not counted";
    conclude(c, certain(set <= published::kSetBytes && host <= published::kHostBytes), "wanted not above");
  }

  void distance() {
    Claim& c = begin("P14", "children run soon", "children before waiting parents",
                     "median cycles from the call to the first thread block, geometric mean, in both: TB-Pri below "
                     "half of round robin, Adaptive-Bind not above TB-Pri; shape: with DTBL TB-Pri below round robin, "
                     "also where groups wait for records less than a third of the time");
    if (!need_all(c)) return;
    const auto waits_of = [&](const Programs& programs, const char* of, const char* base) {
      return spread([&](const Evaluation& e) { return e.ratio(programs, of, base, count("wait_median")).mean; });
    };
    const auto waits = [&](const char* of, const char* base) { return waits_of(launchers(), of, base); };
    std::vector<Truth> size;
    for (const Model* m : {&kCdp, &kDtbl}) {
      const Spread pri = waits(m->tb_pri, m->rr), adaptive = waits(m->adaptive_bind, m->tb_pri);
      size.push_back(below(pri, 0.5));
      size.push_back(at_most(adaptive, 1));
      list(c.ours, std::string(m->name) + " TB-Pri " + number(pri) + " of round robin, Adaptive-Bind " +
                       number(adaptive) + " of TB-Pri");
    }
    const Programs quiet = without_records();
    const Spread rest = quiet.empty() ? Spread{} : waits_of(quiet, kDtbl.tb_pri, kDtbl.rr);
    c.ours += ", where groups do not wait for records " + number(rest);
    const Truth direction = all_of({below(waits(kDtbl.tb_pri, kDtbl.rr), 1), below(rest, 1)});
    conclude(c, all_of({all_of(size), direction}), direction, "wanted below 0.5 and not above 1");
  }

  void best_workload() {
    Claim& c = begin("P15", "sssp on cage15 gains most from Adaptive-Bind", "+11 % (CDP), +51 % (DTBL)",
                     "sssp_balanced: IPC over round robin above 5 % (CDP) and 25 % (DTBL), and no workload gains more; "
                     "shape: above 0 in both");
    if (!need_all(c)) return;
    std::vector<Truth> size, direction;
    for (const auto& [m, bound] : {std::pair(&kCdp, 5.0), std::pair(&kDtbl, 25.0)}) {
      const Spread own = gain({kCage15}, m->adaptive_bind, m->rr);
      std::string top;
      double most = -100;
      for (const std::string& program : launchers()) {
        const double mean = gain({program}, m->adaptive_bind, m->rr).mean;
        if (mean > most) most = mean, top = program;
      }
      size.push_back(above(own, bound));
      size.push_back(certain(top == kCage15));
      direction.push_back(above(own, 0));
      list(c.ours, std::string(m->name) + " " + number(own, 1, " %") + ", most " + top + " " + number(most, 1) + " %");
    }
    conclude(c, all_of(size), all_of(direction), "wanted above 5 % and 25 %, and most");
  }

  void invariant(const char* id, const char* claim, const std::vector<std::string>& wrong) {
    Claim& c = begin(id, claim, "derived", "in every run, exactly; else a bug");
    make_invariant(c);
    if (runs().all_systems().empty()) return;
    for (const std::string& one : wrong) list(c.ours, one);
    if (wrong.empty()) c.ours = "in all runs";
    conclude(c, certain(wrong.empty()), "a bug");
  }
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const Broken& broken) {
  return LapermJudge(evaluation).all(broken);
}

}  // namespace castor::workloads::laperm

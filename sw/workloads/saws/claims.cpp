#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "workloads/saws/evaluation.h"
#include "workloads/saws/programs.h"

namespace castor::workloads::saws {
namespace {

using Programs = Evaluation::Programs;

/// Bits of state and thousands of gates at the block's defaults, with promotion and without (docs/blocks/saws.md,
/// "Area").
constexpr double kBits = 1089, kGtoBits = 906, kGates = 23.62, kGtoGates = 13.59;

std::string percent(double value, int digits = 1) {
  char text[40];
  std::snprintf(text, sizeof text, "%+.*f %%", digits, value);
  return text;
}

std::string percent(const Spread& figure) {
  return percent(figure.mean) + (figure.count > 1 ? " ±" + number(figure.deviation, 1) : "");
}

/// Decides the claims. Gains are in percent of performance (1 / time). Every figure is a function of the runs; the
/// spread of a figure is its jackknife spread, for which each input is left out once.
class Judge {
 public:
  explicit Judge(const Evaluation& evaluation) : evaluation_(evaluation) {
    for (const std::string& input : evaluation.all_inputs()) without_.push_back(evaluation.without(input));
  }

  [[nodiscard]] std::vector<Claim> all() {
    one_to_two("S1", kGto, "-7 %, sgemm -18 %, lps -13 %", -15, {"1", kGto}, {"2", kGto});
    one_to_two("S2", kCatls, "-9 %, sgemm -11 %, lps -13 %", -18, best_catls("1"), best_catls("2"));
    without_barriers_one_to_two();
    over_gto();
    over_catls();
    without_barriers_equal();
    waiting_time();
    first_part();
    catls_waits();
    toggling();
    fairness();
    scalability();
    sad();
    cost();
    cache_sensitive();
    return std::move(claims_);
  }

 private:
  Claim& begin(const char* id, const char* claim, const char* source, const std::string& rule) {
    return claims_.emplace_back(Claim{id, claim, source, rule, "", Verdict::kOpen, ""});
  }

  bool need(Claim& claim, const Programs& programs, std::initializer_list<Point> points) {
    std::string missing;
    for (const Point& point : points) {
      if (evaluation_.has_all(programs, point)) continue;
      missing += (missing.empty() ? "" : ", ") + point.policy + " with " + point.machine;
    }
    if (missing.empty()) return true;
    claim.reason = "no runs of all programs for " + missing + (points.size() == 1 ? " scheduler(s)" : " schedulers");
    return false;
  }

  template <class Figure>
  [[nodiscard]] Spread spread(const Figure& figure) const {
    std::vector<double> values;
    values.reserve(without_.size());
    for (const Evaluation& part : without_) values.push_back(figure(part));
    return jackknife_spread(figure(evaluation_), values);
  }
  static double gain(const Evaluation& e, const Programs& programs, const Point& of, const Point& base) {
    return 100 * (e.mean_ratio(programs, base, of, cycles).mean - 1);
  }
  /// Gain in performance of `of` over `base`, mean over programs, in %.
  [[nodiscard]] Spread gain(const Programs& programs, const Point& of, const Point& base) const {
    return spread([&](const Evaluation& e) { return gain(e, programs, of, base); });
  }
  /// Returns the program with the smallest gain.
  [[nodiscard]] std::string least(const Programs& programs, const Point& of, const Point& base) const {
    return *std::min_element(programs.begin(), programs.end(), [&](const std::string& a, const std::string& b) {
      return gain(evaluation_, {a}, of, base) < gain(evaluation_, {b}, of, base);
    });
  }
  /// Increase of the barrier waiting time of `of` over `base`, in %.
  [[nodiscard]] Spread wait(const std::string& of, const std::string& base) const {
    return spread([&](const Evaluation& e) {
      return 100 * (e.mean_ratio(barriers_, {"4", of}, {"4", base}, waiting).mean - 1);
    });
  }
  [[nodiscard]] Point best_catls(const char* machine = "4") const {
    return {machine, evaluation_.best_catls(barriers_, machine)};
  }

  void one_to_two(const char* id, const char* policy, const char* source, double lowest, const Point& one,
                  const Point& two) {
    Claim& c =
        begin(id, "", source, "mean " + percent(lowest, 0) + " to -2 %; shape: below 0, and of matmul and lps as well");
    c.claim = std::string("two schedulers instead of one of equal width cost programs with barriers, ") + policy;
    if (one.policy != policy || two.policy != policy) c.rule += " (groups of least time on each)";
    if (!need(c, barriers_, {one, two})) return;
    const Spread mean = gain(barriers_, two, one), matmul = gain({"matmul"}, two, one), lps = gain({"lps"}, two, one);
    c.ours = percent(mean) + ", matmul " + percent(matmul) + ", lps " + percent(lps);
    if (one.policy != policy || two.policy != policy) {
      c.ours += " (" + two.policy + " over " + one.policy + ")";
      const Point own_one{one.machine, policy}, own_two{two.machine, policy};
      if (evaluation_.has_all(barriers_, own_one) && evaluation_.has_all(barriers_, own_two)) {
        c.ours += "; " + std::string(policy) + " over itself " + percent(gain(barriers_, own_two, own_one));
      }
    }
    const Truth all_lose = all_of({below(mean, 0), below(matmul, 0), below(lps, 0)});
    conclude(c, all_of({all_lose, within(mean, lowest, -2)}), all_lose, "wanted " + percent(lowest, 0) + " to -2 %");
  }

  void without_barriers_one_to_two() {
    Claim& c = begin("S3", "programs without barriers do not suffer from two schedulers", "GTO +2 %, CATLS 0 %",
                     "means -1 % to +6 %; shape: at least -1 %");
    if (!need(c, others_, {{"1", kGto}, {"2", kGto}, {"1", kCatls}, {"2", kCatls}})) return;
    const Spread gto = gain(others_, {"2", kGto}, {"1", kGto}), catls = gain(others_, {"2", kCatls}, {"1", kCatls});
    c.ours = "GTO " + percent(gto) + ", CATLS " + percent(catls);
    conclude(c, all_of({within(gto, -1, 6), within(catls, -1, 6)}), all_of({at_least(gto, -1), at_least(catls, -1)}),
             "wanted -1 % to +6 %");
  }

  void over_gto() {
    Claim& c = begin("S4", "SAWS over GTO, programs with barriers", "+9 %",
                     "mean +3 % to +18 %, no program below -3 %; shape: above 0");
    const Point saws{"4", kSaws}, gto{"4", kGto};
    if (!need(c, barriers_, {saws, gto})) return;
    const Spread mean = gain(barriers_, saws, gto);
    const std::string loser = least(barriers_, saws, gto);
    const Spread worst = gain({loser}, saws, gto);
    c.ours = percent(mean) + ", least " + loser + " " + percent(worst);
    conclude(c, all_of({within(mean, 3, 18), at_least(worst, -3)}), above(mean, 0),
             "wanted +3 % to +18 %, none below -3 %");
  }

  void over_catls() {
    Claim& c = begin("S5", "SAWS over CATLS, programs with barriers", "+10 %",
                     "mean +3 % to +20 %, and more than GTO has over CATLS; shape: above 0");
    const Point saws{"4", kSaws}, gto{"4", kGto}, catls = best_catls();
    if (!need(c, barriers_, {saws, gto, catls})) return;
    const Spread mean = gain(barriers_, saws, catls);
    const Spread more =
        spread([&](const Evaluation& e) { return gain(e, barriers_, saws, catls) - gain(e, barriers_, gto, catls); });
    c.ours = percent(mean) + " over " + catls.policy + ", where GTO has " + percent(gain(barriers_, gto, catls));
    conclude(c, all_of({within(mean, 3, 20), above(more, 0)}), above(mean, 0),
             "wanted +3 % to +20 %, and more than GTO");
  }

  void without_barriers_equal() {
    Claim& c = begin("S6", "programs without barriers: SAWS runs as GTO", "identical by construction",
                     "every figure of every run equal; a difference is a bug");
    make_invariant(c);
    std::string different;
    std::size_t compared = 0;
    for (const std::string& machine : evaluation_.machines()) {
      for (const std::string& program : evaluation_.with_runs(others_, {machine, kSaws})) {
        if (evaluation_.with_runs({program}, {machine, kGto}).empty()) continue;
        ++compared;
        if (evaluation_.differences(program, {machine, kSaws}, {machine, kGto}) != 0) {
          different += " " + program + " with " + machine;
        }
      }
    }
    if (!different.empty()) {
      c.ours = "not equal:" + different;
      conclude(c, Truth::kFails, "a difference is a bug");
      return;
    }
    if (!need(c, others_, {{"4", kSaws}, {"4", kGto}})) return;
    c.ours = "every figure of every run equal, " + std::to_string(compared) + " pairs of program and machine";
    conclude(c, Truth::kHolds, "");
  }

  void waiting_time() {
    Claim& c = begin("S7", "less waiting at barriers with SAWS", "-15 % of GTO's, -17 % of CATLS's",
                     "both -35 % to -5 %; shape: both below 0");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kSaws}, {"4", kGto}, catls})) return;
    const Spread gto = wait(kSaws, kGto), of_catls = wait(kSaws, catls.policy);
    c.ours = percent(gto) + ", " + percent(of_catls);
    conclude(c, all_of({within(gto, -35, -5), within(of_catls, -35, -5)}), all_of({below(gto, 0), below(of_catls, 0)}),
             "wanted -5 % to -35 %");
  }

  void first_part() {
    Claim& c = begin("S8", "most waiting is for other thread blocks (p1)", "GTO 85 %, CATLS 90 %, SAWS 92 %",
                     "above 60 % under all three; shape: above 50 %");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kSaws}, {"4", kGto}, catls})) return;
    std::vector<Truth> size, direction;
    for (const Point& point : {Point{"4", kGto}, catls, Point{"4", kSaws}}) {
      const Spread share =
          spread([&](const Evaluation& e) { return 100 * e.mean(barriers_, point, p1_share).value_or(0); });
      c.ours += (c.ours.empty() ? "" : ", ") + point.policy + " " + number(share, 0) + " %";
      size.push_back(above(share, 60));
      direction.push_back(above(share, 50));
    }
    conclude(c, all_of(size), all_of(direction), "wanted more than 60 %");
  }

  void catls_waits() {
    Claim& c = begin("S9", "CATLS waits about as long as GTO", "+2 %", "-10 % to +15 %");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kGto}, catls})) return;
    const Spread more = wait(catls.policy, kGto);
    c.ours = percent(more);
    conclude(c, within(more, -10, 15), "wanted -10 % to +15 %");
  }

  void toggling() {
    Claim& c = begin("S10", "toggling helps", "over GTO 7 % without, 9 % with it; most lud, ray, sad, lps",
                     "faster than without it, mean above 0");
    const Point saws{"4", kSaws}, plain{"4", kNoToggle}, gto{"4", kGto};
    if (!need(c, barriers_, {saws, plain, gto})) return;
    const Spread mean = gain(barriers_, saws, plain);
    c.ours = percent(gain(barriers_, plain, gto)) + " without, " + percent(gain(barriers_, saws, gto)) +
             " with it; with over without " + percent(mean);
    conclude(c, above(mean, 0), "wanted more than 0");
  }

  void fairness() {
    Claim& c = begin("S11", "with toggling all thread blocks of an SM clear barriers at a similar rate",
                     "qualitative, and a worked example", "lead of the first over the last smaller than without it");
    const Point saws{"4", kSaws}, plain{"4", kNoToggle};
    if (!need(c, barriers_, {saws, plain})) return;
    const Spread more =
        spread([&](const Evaluation& e) { return 100 * (e.mean_ratio(barriers_, saws, plain, lead).mean - 1); });
    c.ours = "lead of the first over the last " + percent(more) + "; the example is a unit test";
    conclude(c, below(more, 0), "the lead is not smaller");
  }

  void scalability() {
    Claim& c = begin("S12", "the gain over GTO grows with the schedulers", "no figures",
                     "four gain more than two, and more than 0; shape: four more than two");
    const Point four{"4", kSaws}, two{"2", kSaws}, gto4{"4", kGto}, gto2{"2", kGto};
    if (!need(c, barriers_, {four, gto4, two, gto2})) return;
    const Spread more =
        spread([&](const Evaluation& e) { return gain(e, barriers_, four, gto4) - gain(e, barriers_, two, gto2); });
    const Spread with_four = gain(barriers_, four, gto4);
    c.ours = "two " + percent(gain(barriers_, two, gto2)) + ", four " + percent(with_four) + ", difference " +
             number(more, 1) + " points";
    conclude(c, all_of({above(more, 0), above(with_four, 0)}), above(more, 0), "it is not shown to grow");
  }

  void sad() {
    Claim& c = begin("S13", "sad prefers CATLS, which has far fewer long L2 accesses", "10x fewer, CATLS is best",
                     "CATLS faster than GTO and SAWS, GTO more than 2x its misses of L2; shape: CATLS faster");
    const Point catls = best_catls(), gto{"4", kGto}, saws{"4", kSaws};
    if (!need(c, {"sad"}, {gto, saws, catls})) return;
    const Spread misses = spread([&](const Evaluation& e) { return e.ratio("sad", gto, catls, l2_misses).mean; });
    const Spread over_gto = gain({"sad"}, catls, gto), over_saws = gain({"sad"}, catls, saws);
    c.ours = "misses of L2: GTO " + number(misses, 2, "x") + " " + catls.policy + "; " + catls.policy + " " +
             percent(over_gto) + " over GTO, " + percent(over_saws) + " over SAWS";
    const Truth best = all_of({above(over_gto, 0), above(over_saws, 0)});
    conclude(c, all_of({best, above(misses, 2)}), best,
             best == Truth::kHolds ? "wanted more than 2x" : "CATLS is not best");
  }

  void cost() {
    Claim& c = begin("S14", "cost", "slight", "at most 25 % more bits of state than GTO, and gates; shape: bits");
    by_construction(c, "arithmetic over the block's own figures");
    const double bits = 100 * (kBits / kGtoBits - 1), gates = 100 * (kGates / kGtoGates - 1);
    c.ours = "state " + percent(bits, 0) + ", gates " + percent(gates, 0);
    conclude(c, certain(bits <= 25 && gates <= 25), certain(bits <= 25), "wanted at most 25 % of both");
  }

  void cache_sensitive() {
    Claim& c = begin("S15", "bfs and ray are no better under CATLS than under GTO", "qualitative",
                     "GTO at least as fast on both; shape: on one of them");
    const Point catls = best_catls(), gto{"4", kGto};
    if (!need(c, {"bfs_queue", "ray"}, {gto, catls})) return;
    const Spread bfs = gain({"bfs_queue"}, gto, catls), ray = gain({"ray"}, gto, catls);
    c.ours = "GTO over " + catls.policy + ": bfs_queue " + percent(bfs) + ", ray " + percent(ray);
    const std::vector<Truth> both = {at_least(bfs, 0), at_least(ray, 0)};
    conclude(c, all_of(both), any_of(both), "not both");
  }

  const Evaluation& evaluation_;
  std::vector<Evaluation> without_;  ///< Evaluations of all runs except those of one input, one per input
  const Programs barriers_ = program_names(true), others_ = program_names(false);
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation) { return Judge(evaluation).all(); }

}  // namespace castor::workloads::saws

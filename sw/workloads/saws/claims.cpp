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

std::string percent(double value, int digits = 1) {
  char text[40];
  std::snprintf(text, sizeof text, "%+.*f %%", digits, value);
  return text;
}

/// What a claim's rule is written with. Gains are in percent of performance, 1 / time.
class Judge {
 public:
  explicit Judge(const Evaluation& evaluation) : evaluation_(evaluation) {}

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
    claims_.push_back({"S14", "cost", "slight", "", Verdict::kOpen, "a figure of the block: docs/blocks/saws.md"});
    cache_sensitive();
    return std::move(claims_);
  }

 private:
  Claim& begin(const char* id, const char* claim, const char* source) {
    return claims_.emplace_back(Claim{id, claim, source, "", Verdict::kOpen, ""});
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

  /// How much faster `of` is than `base`, mean of the programs.
  [[nodiscard]] double gain(const Programs& programs, const Point& of, const Point& base) const {
    return 100 * (evaluation_.mean_ratio(programs, base, of, cycles).mean - 1);
  }
  [[nodiscard]] double gain(const std::string& program, const Point& of, const Point& base) const {
    return gain(Programs{program}, of, base);
  }
  /// The program with the least gain.
  [[nodiscard]] std::string least(const Programs& programs, const Point& of, const Point& base, double& value) const {
    std::string name;
    for (const std::string& program : programs) {
      const double one = gain(program, of, base);
      if (!name.empty() && one >= value) continue;
      name = program;
      value = one;
    }
    return name;
  }
  [[nodiscard]] double wait(const char* of, const std::string& base) const {
    return evaluation_.mean_ratio(barriers_, {"4", of}, {"4", base}, waiting).mean;
  }
  [[nodiscard]] Point best_catls(const char* machine = "4") const {
    return {machine, evaluation_.best_catls(barriers_, machine)};
  }

  void one_to_two(const char* id, const char* policy, const char* source, double lowest, const Point& one,
                  const Point& two) {
    Claim& c = begin(id, "", source);
    c.claim = std::string("two schedulers instead of one of equal width cost programs with barriers, ") + policy;
    if (!need(c, barriers_, {one, two})) return;
    const double mean = gain(barriers_, two, one);
    c.ours =
        percent(mean) + ", matmul " + percent(gain("matmul", two, one)) + ", lps " + percent(gain("lps", two, one));
    if (one.policy != policy || two.policy != policy) c.ours += " (" + two.policy + " over " + one.policy + ")";
    conclude(c, mean <= -2 && mean >= lowest, mean < 0, "wanted " + percent(lowest, 0) + " to -2 %");
  }

  void without_barriers_one_to_two() {
    Claim& c = begin("S3", "programs without barriers do not suffer from two schedulers", "GTO +2 %, CATLS 0 %");
    if (!need(c, others_, {{"1", kGto}, {"2", kGto}, {"1", kCatls}, {"2", kCatls}})) return;
    const double gto = gain(others_, {"2", kGto}, {"1", kGto}), catls = gain(others_, {"2", kCatls}, {"1", kCatls});
    c.ours = "GTO " + percent(gto) + ", CATLS " + percent(catls);
    const double low = std::min(gto, catls), high = std::max(gto, catls);
    conclude(c, low >= -1 && high <= 6, low >= -1, "wanted -1 % to +6 %");
  }

  void over_gto() {
    Claim& c = begin("S4", "SAWS over GTO, programs with barriers", "+9 %");
    const Point saws{"4", kSaws}, gto{"4", kGto};
    if (!need(c, barriers_, {saws, gto})) return;
    const double mean = gain(barriers_, saws, gto);
    double worst = 0;
    const std::string loser = least(barriers_, saws, gto, worst);
    c.ours = percent(mean) + ", least " + loser + " " + percent(worst);
    conclude(c, mean >= 3 && mean <= 18 && worst >= -3, mean > 0, "wanted +3 % to +18 %, none below -3 %");
  }

  void over_catls() {
    Claim& c = begin("S5", "SAWS over CATLS, programs with barriers", "+10 %");
    const Point saws{"4", kSaws}, catls = best_catls();
    if (!need(c, barriers_, {saws, catls})) return;
    const double mean = gain(barriers_, saws, catls);
    c.ours = percent(mean) + " over " + catls.policy;
    conclude(c, mean >= 3 && mean <= 20, mean > 0, "wanted +3 % to +20 %");
  }

  void without_barriers_equal() {
    Claim& c = begin("S6", "programs without barriers: SAWS runs as GTO", "identical by construction");
    if (!need(c, others_, {{"4", kSaws}, {"4", kGto}})) return;
    std::string different;
    for (const std::string& program : others_) {
      if (evaluation_.differences(program, {"4", kSaws}, {"4", kGto}) != 0) different += " " + program;
    }
    c.ours = different.empty() ? "every figure of every run equal" : "not equal:" + different;
    conclude(c, different.empty(), false, "a difference is a bug");
  }

  void waiting_time() {
    Claim& c = begin("S7", "less waiting at barriers with SAWS", "-15 % of GTO's, -17 % of CATLS's");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kSaws}, {"4", kGto}, catls})) return;
    const double gto = 100 * (wait(kSaws, kGto) - 1), of_catls = 100 * (wait(kSaws, catls.policy) - 1);
    c.ours = percent(gto) + ", " + percent(of_catls);
    const double low = std::min(gto, of_catls), high = std::max(gto, of_catls);
    conclude(c, low >= -35 && high <= -5, high < 0, "wanted -5 % to -35 %");
  }

  void first_part() {
    Claim& c = begin("S8", "most waiting is for other thread blocks (p1)", "GTO 85 %, CATLS 90 %, SAWS 92 %");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kSaws}, {"4", kGto}, catls})) return;
    double lowest = 100;
    for (const Point& point : {Point{"4", kGto}, catls, Point{"4", kSaws}}) {
      const double share = 100 * evaluation_.mean(barriers_, point, p1_share).value_or(0);
      c.ours += (c.ours.empty() ? "" : ", ") + point.policy + " " + number(share, 0) + " %";
      lowest = std::min(lowest, share);
    }
    conclude(c, lowest > 60, lowest > 50, "wanted more than 60 %");
  }

  void catls_waits() {
    Claim& c = begin("S9", "CATLS waits about as long as GTO", "+2 %");
    const Point catls = best_catls();
    if (!need(c, barriers_, {{"4", kGto}, catls})) return;
    const double more = 100 * (wait(catls.policy.c_str(), kGto) - 1);
    c.ours = percent(more);
    conclude(c, more >= -10 && more <= 15, false, "wanted -10 % to +15 %");
  }

  void toggling() {
    Claim& c = begin("S10", "toggling helps", "over GTO 7 % without, 9 % with it; most lud, ray, sad, lps");
    const Point saws{"4", kSaws}, plain{"4", kNoToggle};
    if (!need(c, barriers_, {saws, plain, {"4", kGto}})) return;
    const double mean = gain(barriers_, saws, plain);
    c.ours = percent(gain(barriers_, plain, {"4", kGto})) + " without, " + percent(gain(barriers_, saws, {"4", kGto})) +
             " with it";
    conclude(c, mean > 0, false, "the gain of toggling is " + percent(mean, 2));
  }

  void fairness() {
    Claim& c = begin("S11", "with toggling all thread blocks of an SM clear barriers at a similar rate",
                     "qualitative, and a worked example");
    const Point saws{"4", kSaws}, plain{"4", kNoToggle};
    if (!need(c, barriers_, {saws, plain})) return;
    const double ratio = evaluation_.mean_ratio(barriers_, saws, plain, lead).mean;
    c.ours = "lead of the first over the last " + percent(100 * (ratio - 1)) + "; the example is a unit test";
    conclude(c, ratio < 1, false, "the lead is not smaller");
  }

  void scalability() {
    Claim& c = begin("S12", "the gain over GTO grows with the schedulers", "no figures");
    if (!need(c, barriers_, {{"4", kSaws}, {"4", kGto}, {"2", kSaws}, {"2", kGto}})) return;
    const double four = gain(barriers_, {"4", kSaws}, {"4", kGto}), two = gain(barriers_, {"2", kSaws}, {"2", kGto});
    c.ours = "two " + percent(two) + ", four " + percent(four);
    conclude(c, four >= two && four > 0, four >= two, four >= two ? "but there is no gain" : "it does not grow");
  }

  void sad() {
    Claim& c = begin("S13", "sad prefers CATLS, which has far fewer long L2 accesses", "10x fewer, CATLS is best");
    const Point catls = best_catls(), gto{"4", kGto}, saws{"4", kSaws};
    if (!need(c, {"sad"}, {gto, saws, catls})) return;
    const double misses = evaluation_.ratio("sad", gto, catls, l2_misses).mean;
    const double over_gto = gain("sad", catls, gto), over_saws = gain("sad", catls, saws);
    c.ours = "misses of L2: GTO " + number(misses) + "x CATLS; CATLS " + percent(over_gto) + " over GTO, " +
             percent(over_saws) + " over SAWS";
    const bool best = over_gto > 0 && over_saws > 0;
    conclude(c, best && misses > 2, best, best ? "wanted more than 2x" : "CATLS is not best");
  }

  void cache_sensitive() {
    Claim& c = begin("S15", "bfs and ray are no better under CATLS than under GTO", "qualitative");
    const Point catls = best_catls(), gto{"4", kGto};
    const Programs both = {"bfs_queue", "ray"};
    if (!need(c, both, {gto, catls})) return;
    const double bfs = gain("bfs_queue", gto, catls), ray = gain("ray", gto, catls);
    c.ours = "GTO over CATLS: bfs_queue " + percent(bfs) + ", ray " + percent(ray);
    conclude(c, bfs >= 0 && ray >= 0, bfs + ray >= 0, "not both");
  }

  const Evaluation& evaluation_;
  const Programs barriers_ = program_names(true), others_ = program_names(false);
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation) { return Judge(evaluation).all(); }

}  // namespace castor::workloads::saws

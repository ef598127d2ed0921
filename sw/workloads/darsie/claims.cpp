#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

#include "workloads/darsie/evaluation.h"
#include "workloads/darsie/programs.h"

namespace castor::workloads::darsie {
namespace {

using Programs = Evaluation::Programs;

std::string percent(const Spread& figure, int digits = 1) {
  return figure.count == 0 ? "none" : number(figure, digits, " %");
}

/// Bits of the block at its defaults, and bits of an SM's register file (docs/blocks/darsie.md, "Area").
constexpr double kBlockBits = 41375, kRegisterFileBits = 256 * 1024 * 8;
/// Width in x of the block shapes of 256 threads.
constexpr unsigned kShapeWidths[] = {256, 128, 64, 32, 16, 8};

/// A figure with the name of its program or group of programs.
struct Named {
  std::string name;
  Spread figure;
};

std::string listed(const std::vector<Named>& all, int digits = 1) {
  std::string out;
  for (const Named& one : all) out += (out.empty() ? "" : ", ") + one.name + " " + percent(one.figure, digits);
  return out;
}

/// Decides the claims. Every figure is a function of the runs; the spread of a figure is its jackknife spread, for
/// which each input is left out once.
class Judge {
 public:
  Judge(const Evaluation& evaluation, const EnergyTable& table, std::vector<std::string> skipping)
      : evaluation_(evaluation), table_(table), skipping_(std::move(skipping)) {
    for (const std::string& input : evaluation.all_inputs()) without_.push_back(evaluation.without(input));
  }

  [[nodiscard]] std::vector<Claim> all() {
    best_level();
    shapes();
    speed_two();
    speed_one();
    fewer_instructions();
    floyd();
    libor();
    matrix_loads();
    other_loads();
    fewer_arithmetic();
    stores_ignored();
    no_meetings();
    meetings_alone();
    bank_conflicts();
    energy();
    overhead();
    area();
    shape_test();
    bound();
    ports();
    return std::move(claims_);
  }

 private:
  Claim& begin(const char* id, const char* claim, const char* source, const char* rule) {
    return claims_.emplace_back(Claim{id, claim, source, rule, "", Verdict::kOpen, ""});
  }

  bool need(Claim& claim, const Programs& programs, std::initializer_list<const char*> systems) {
    std::string missing;
    for (const char* const system : systems) {
      if (!evaluation_.has_all(programs, system)) missing += (missing.empty() ? "" : ", ") + std::string(system);
    }
    if (missing.empty()) return true;
    claim.reason = "no runs of all programs with " + missing;
    return false;
  }

  template <class Value>
  [[nodiscard]] Spread spread(const Value& value) const {
    std::vector<double> values;
    values.reserve(without_.size());
    for (const Evaluation& part : without_) values.push_back(value(part));
    return jackknife_spread(value(evaluation_), values);
  }
  /// Geometric mean over programs of time of `base` / time of `of`.
  [[nodiscard]] Spread faster(const Programs& programs, const char* of, const char* base = kBaseline) const {
    return spread([&](const Evaluation& e) { return e.ratio(programs, base, of, cycles()).mean; });
  }
  /// Geometric mean over programs of 1 - figure of `of` / figure of `base`, in %.
  [[nodiscard]] Spread fewer(const Programs& programs, const char* of, const Figure& figure,
                             const char* base = kBaseline) const {
    return spread([&](const Evaluation& e) {
      const Spread left = e.ratio(programs, of, base, figure);
      return left.count == 0 ? 0 : 100 * (1 - left.mean);
    });
  }
  /// Mean over programs of count `of` / count `over`, in %.
  [[nodiscard]] Spread share(const Programs& programs, const char* system, const char* of, const char* over) const {
    return spread([&](const Evaluation& e) {
      return 100 * e.mean(programs, system, quotient(count(of), count(over))).value_or(0);
    });
  }
  [[nodiscard]] Spread difference(const Spread& of, const Spread& base) const {
    // Both figures have the same inputs. The sum of their deviations is an upper bound of the deviation of their
    // difference.
    Spread out = of;
    out.mean -= base.mean;
    out.deviation += base.deviation;
    return out;
  }
  static Programs both(const Programs& a, const Programs& b) {
    Programs out = a;
    out.insert(out.end(), b.begin(), b.end());
    return out;
  }
  /// Returns those of `programs` that use thread block barriers.
  static Programs with_barriers(const Programs& programs) {
    Programs out;
    std::copy_if(programs.begin(), programs.end(), std::back_inserter(out),
                 [](const std::string& name) { return find_program(name)->barriers; });
    return out;
  }

  void best_level() {
    Claim& c = begin("C1", "most instructions that repeat, repeat in a thread block", "33 % on average",
                     "share in thread blocks 20 % to 45 % on average, and above the share in grids; shape: above it");
    if (!need(c, all_, {kLimit})) return;
    const Spread block = share(all_, kLimit, "limit_block", "limit_instructions"),
                 grid = share(all_, kLimit, "limit_grid", "limit_instructions");
    c.ours = "thread blocks " + percent(block) + ", grids " + percent(grid) + ", warps " +
             percent(share(all_, kLimit, "limit_warp", "limit_instructions"));
    const Truth order = above(difference(block, grid), 0);
    conclude(c, all_of({within(block, 20, 45), order}), order, "wanted 20 % to 45 %");
  }

  void shapes() {
    Claim& c =
        begin("C2", "what is redundant and not uniform lies in blocks of two dimensions",
              "significant in 2D, little to none in 1D",
              "affine and unstructured below 3 % in every 1D program, above 8 % on average in 2D; shape: more on "
              "average in 2D");
    if (!need(c, all_, {kLimit})) return;
    const auto figure = quotient(sum({"limit_affine", "limit_unstructured"}), count("limit_instructions"));
    const auto mean = [&](const Programs& programs) {
      return spread([&](const Evaluation& e) { return 100 * e.mean(programs, kLimit, figure).value_or(0); });
    };
    std::vector<Truth> size;
    std::vector<Named> named;
    for (const std::string& program : one_) {
      named.push_back({program, mean({program})});
      size.push_back(below(named.back().figure, 3));
    }
    const Spread two = mean(two_);
    c.ours = listed(named) + "; 2D " + percent(two);
    size.push_back(above(two, 8));
    conclude(c, all_of(size), above(difference(two, mean(one_)), 0), "wanted below 3 % and above 8 %");
  }

  void speed_two() {
    Claim& c = begin("C3", "faster, 2D: DARSIE more than DAC, DAC more than UV", "1.30, 1.11, 1.02",
                     "in this order, UV at least 1.00, DARSIE 1.15 to 1.45; shape: in this order");
    if (evaluation_.has_all(two_, kDarsie) && evaluation_.has_all(two_, kBaseline)) {
      c.ours = "DARSIE " + number(faster(two_, kDarsie));
    }
    if (!need(c, two_, {kBaseline, kDarsie, kDac, kUv})) return;
    const Spread darsie = faster(two_, kDarsie), dac = faster(two_, kDac), uv = faster(two_, kUv);
    c.ours = "DARSIE " + number(darsie) + ", DAC " + number(dac) + ", UV " + number(uv);
    const Truth order = all_of({above(difference(darsie, dac), 0), above(difference(dac, uv), 0), at_least(uv, 1)});
    conclude(c, all_of({order, within(darsie, 1.15, 1.45)}), order, "wanted 1.15 to 1.45, and the order");
  }

  void speed_one() {
    Claim& c = begin("C4", "1D: DARSIE and DAC about equal", "about equal", "DARSIE over DAC 0.95 to 1.05");
    if (evaluation_.has_all(one_, kDarsie) && evaluation_.has_all(one_, kBaseline)) {
      c.ours = "DARSIE " + number(faster(one_, kDarsie));
    }
    if (!need(c, one_, {kBaseline, kDarsie, kDac})) return;
    const Spread over = faster(one_, kDarsie, kDac);
    c.ours = "DARSIE over DAC " + number(over) + "; over the baseline " + number(faster(one_, kDarsie));
    conclude(c, within(over, 0.95, 1.05), "wanted 0.95 to 1.05");
  }

  void fewer_instructions() {
    Claim& c = begin("C5", "fewer instructions, 2D", "DARSIE 17 %, DAC 11 %",
                     "DARSIE 12 % to 25 %, and more than DAC; shape: more than DAC");
    if (evaluation_.has_all(two_, kDarsie) && evaluation_.has_all(two_, kBaseline)) {
      c.ours = "DARSIE " + percent(fewer(two_, kDarsie, executed()));
    }
    if (!need(c, two_, {kBaseline, kDarsie, kDac})) return;
    const Spread darsie = fewer(two_, kDarsie, executed()), dac = fewer(two_, kDac, executed());
    c.ours = "DARSIE " + percent(darsie) + ", DAC " + percent(dac);
    const Truth order = above(difference(darsie, dac), 0);
    conclude(c, all_of({order, within(darsie, 12, 25)}), order, "wanted 12 % to 25 %");
  }

  void floyd() {
    Claim& c = begin("C6", "FWS gains less time than instructions", "21 % fewer, 13 % faster",
                     "speed-up - 1 below the share of instructions");
    if (!need(c, {"FWS"}, {kBaseline, kDarsie})) return;
    const Spread cut = fewer({"FWS"}, kDarsie, executed());
    const Spread gain =
        spread([](const Evaluation& e) { return 100 * (e.ratio({"FWS"}, kBaseline, kDarsie, cycles()).mean - 1); });
    c.ours = percent(cut) + " fewer, " + percent(gain) + " faster";
    conclude(c, above(difference(cut, gain), 0), "wanted less time gained");
  }

  void libor() {
    Claim& c = begin("C7", "LIB is bound by fetch: DARSIE gains much, UV nothing", "75 % fewer; UV no gain",
                     "60 % to 87 % fewer, DARSIE above 1.3, UV below 1.05; shape: at least 60 % fewer, above 1.3");
    if (!need(c, {"LIB"}, {kBaseline, kDarsie})) return;
    const Spread cut = fewer({"LIB"}, kDarsie, executed()), darsie = faster({"LIB"}, kDarsie);
    c.ours = percent(cut) + " fewer, DARSIE " + number(darsie);
    if (!need(c, {"LIB"}, {kUv})) return;
    const Spread uv = faster({"LIB"}, kUv);
    c.ours += ", UV " + number(uv);
    conclude(c, all_of({within(cut, 60, 87), above(darsie, 1.3), below(uv, 1.05)}),
             all_of({at_least(cut, 60), above(darsie, 1.3)}), "wanted 60 % to 87 %, 1.3 and 1.05");
  }

  /// Returns the share of redundant shared-memory loads that the block eliminates, in %. A load is redundant if all
  /// warps of a thread block execute it with the same addresses.
  [[nodiscard]] Spread repeated_loads_gone(const std::string& program) const {
    return spread([&](const Evaluation& e) {
      const auto loads = e.mean({program}, kLimit, count("limit_block_load_shared"));
      const auto before = e.mean({program}, kBaseline, shared_loads()),
                 now = e.mean({program}, kDarsie, shared_loads());
      if (!loads || !before || !now || *loads == 0) return 0.0;
      return 100 * (*before - *now) / *loads;
    });
  }

  void matrix_loads() {
    Claim& c = begin("C8", "MM: most loads from shared memory go", "> 90 %",
                     "at least 90 % of all; those with the same addresses in all warps beside it");
    if (!need(c, {"MM"}, {kBaseline, kDarsie, kLimit})) return;
    const Spread gone = fewer({"MM"}, kDarsie, shared_loads());
    c.ours = percent(gone) + "; of those with the same addresses " + percent(repeated_loads_gone("MM"));
    conclude(c, at_least(gone, 90), "wanted 90 % of all");
  }

  void other_loads() {
    Claim& c = begin("C9", "2D: loads from shared memory saved", "45 % to 90 %",
                     "each program of which 1 % of the instructions are loads from shared memory: at least 45 % of "
                     "them; shape: 45 % on average");
    if (!need(c, two_, {kBaseline, kDarsie})) return;
    const Figure loads = quotient(shared_loads(), executed());
    std::vector<Named> named;
    std::vector<Truth> size;
    for (const std::string& program : two_) {
      if (evaluation_.mean({program}, kBaseline, loads).value_or(0) < 0.01) continue;
      named.push_back({program, fewer({program}, kDarsie, shared_loads())});
      size.push_back(at_least(named.back().figure, 45));
    }
    c.ours = listed(named);
    if (named.empty()) {
      c.reason = "no program has such loads";
      return;
    }
    Spread mean;
    for (const Named& one : named) {
      mean.mean += one.figure.mean / static_cast<double>(named.size());
      mean.deviation += one.figure.deviation / static_cast<double>(named.size());
      mean.count = one.figure.count;
    }
    conclude(c, all_of(size), at_least(mean, 45), "wanted 45 %");
  }

  void fewer_arithmetic() {
    Claim& c = begin("C10", "fewer arithmetic instructions, 2D", "12 % to 19 %", "mean 8 % to 25 %; shape: above 0");
    if (!need(c, two_, {kBaseline, kDarsie})) return;
    const Spread cut = fewer(two_, kDarsie, arithmetic());
    c.ours = percent(cut);
    conclude(c, within(cut, 8, 25), above(cut, 0), "wanted 8 % to 25 %");
  }

  void stores_ignored() {
    Claim& c = begin("C11", "stores that remove loads cost little", "minimal difference",
                     "without it 1.00 to 1.02 times as fast, all programs; shape: 0.98 to 1.02");
    if (!need(c, all_, {kDarsie, kIgnoreStore})) return;
    const Spread gain = faster(all_, kIgnoreStore, kDarsie);
    c.ours = number(gain, 3);
    conclude(c, within(gain, 1, 1.02), within(gain, 0.98, 1.02), "wanted 1.00 to 1.02");
  }

  void no_meetings() {
    Claim& c =
        begin("C12", "meetings at branches cost little", "upper bound; no figure",
              "without them no program slower; mean at most 1.10 times as fast, LIB left out; shape: the mean at "
              "least 1.00");
    if (!need(c, all_, {kDarsie, kNoSync})) return;
    std::vector<Truth> size;
    Programs others;
    for (const std::string& program : all_) {
      size.push_back(at_least(faster({program}, kNoSync, kDarsie), 1));
      if (program != "LIB") others.push_back(program);
    }
    const Spread mean = faster(others, kNoSync, kDarsie);
    c.ours = number(mean, 3) + ", LIB " + number(faster({"LIB"}, kNoSync, kDarsie), 3);
    size.push_back(at_most(mean, 1.1));
    conclude(c, all_of(size), at_least(mean, 1), "wanted no program slower, at most 1.10");
  }

  void meetings_alone() {
    Claim& c = begin("C13", "meetings alone cost little but in LIB", "LIB -50 %, most others small",
                     "LIB loses at least 25 %, 2D programs with barriers less than 5 % each; shape: LIB loses most");
    if (!need(c, all_, {kBaseline, kSiliconSync})) return;
    const auto loss = [&](const Programs& programs) {
      return spread(
          [&](const Evaluation& e) { return 100 * (1 - e.ratio(programs, kBaseline, kSiliconSync, cycles()).mean); });
    };
    const Programs meeting = with_barriers(two_);
    const Spread lib = loss({"LIB"});
    std::vector<Truth> size = {at_least(lib, 25)}, most;
    std::vector<Named> named;
    for (const std::string& program : all_) {
      named.push_back({program, loss({program})});
      if (program != "LIB") most.push_back(above(difference(lib, named.back().figure), 0));
      if (std::find(meeting.begin(), meeting.end(), program) != meeting.end()) {
        size.push_back(below(named.back().figure, 5));
      }
    }
    c.ours = listed(named) + "; 2D with barriers " + percent(loss(meeting));
    conclude(c, all_of({all_of(size), all_of(most)}), all_of(most),
             "wanted LIB to lose 25 % and most, others below 5 %");
  }

  void bank_conflicts() {
    Claim& c = begin("C14", "bank conflicts of rows cost little", "1 %",
                     "with as many ports as reads, DARSIE gains less than 3 points more than the baseline, 2D");
    if (!need(c, two_, {kBaseline, kDarsie, kBaselinePorts, kDarsiePorts})) return;
    const Spread own = spread([&](const Evaluation& e) {
      return 100 * (e.ratio(two_, kDarsie, kDarsiePorts, cycles()).mean -
                    e.ratio(two_, kBaseline, kBaselinePorts, cycles()).mean);
    });
    c.ours = percent(own);
    conclude(c, below(own, 3), "wanted below 3 points");
  }

  bool need_energy(Claim& claim, const Programs& programs, std::initializer_list<const char*> systems) {
    if (!need(claim, programs, systems)) return false;
    for (const char* const system : systems) {
      if (evaluation_.mean(programs, system, total_energy(table_))) continue;
      claim.reason = std::string("runs of ") + system + " lack counts of events";
      return false;
    }
    return true;
  }

  void energy() {
    Claim& c = begin("C15", "less energy, 2D: DARSIE, DAC, UV", "25 %, 20 %, 7 %",
                     "DARSIE 15 % to 30 %, in this order; shape: in this order");
    if (!need_energy(c, two_, {kBaseline, kDarsie})) return;
    const Figure total = total_energy(table_);
    const Spread darsie = fewer(two_, kDarsie, total);
    c.ours = "DARSIE " + percent(darsie) + ", dynamic alone " + percent(fewer(two_, kDarsie, dynamic_energy(table_)));
    if (!need_energy(c, two_, {kDac, kUv})) return;
    const Spread dac = fewer(two_, kDac, total), uv = fewer(two_, kUv, total);
    c.ours += ", DAC " + percent(dac) + ", UV " + percent(uv);
    const Truth order = all_of({above(difference(darsie, dac), 0), above(difference(dac, uv), 0)});
    conclude(c, all_of({order, within(darsie, 15, 30)}), order, "wanted 15 % to 30 %, and the order");
  }

  void overhead() {
    Claim& c =
        begin("C16", "energy of the block itself", "0.95 % of dynamic energy", "below 2 %, mean of all programs");
    if (!need_energy(c, all_, {kDarsie})) return;
    const Spread share =
        spread([&](const Evaluation& e) { return 100 * e.mean(all_, kDarsie, overhead_share(table_)).value_or(0); });
    c.ours = percent(share, 2);
    conclude(c, below(share, 2), "wanted below 2 %");
  }

  void area() {
    Claim& c = begin("C17", "area", "5.31 KiB, 2.1 % of the register file",
                     "at most 2.5 % of the register file by bits; gates beside it, no bound");
    by_construction(c, "arithmetic: the block was given the source's sizes");
    const double share = 100 * kBlockBits / kRegisterFileBits;
    c.ours = number(share, 2) + " %";
    conclude(c, certain(share <= 2.5), "wanted 2.5 %");
  }

  /// Claim C18: blocks of 256 threads whose width in x is at most 32 pass the promotion test, so more of their
  /// instructions are skipped than in any other shape.
  void shape_test() {
    Claim& c = begin("C18", "one kernel of 128 fails the test of its shape", "1 of 128",
                     "CONVTEX and CP in blocks of 256 threads: in each shape with x of at most 32 more of the "
                     "instructions go than in any other");
    by_construction(c, "the block's test is this rule; the source's kernels are not ours to count");
    if (!need(c, shapes_of("CONVTEX"), {kBaseline, kDarsie})) return;
    if (!need(c, shapes_of("CP"), {kBaseline, kDarsie})) return;
    bool good = true;
    for (const char* const program : {"CONVTEX", "CP"}) {
      const auto share = [&](unsigned x) { return 100 * (1 - ratio_of(shape_of(program, x))); };
      double most_wide = -100, least_narrow = 100;
      for (const unsigned x : kShapeWidths) {
        (x > 32 ? most_wide : least_narrow) = x > 32 ? std::max(most_wide, share(x)) : std::min(least_narrow, share(x));
      }
      good = good && least_narrow > most_wide;
      c.ours += (c.ours.empty() ? "" : ", ") + std::string(program) + " at least " + number(least_narrow, 1) +
                " %, others at most " + number(most_wide, 1) + " %";
    }
    conclude(c, certain(good), "wanted more in each");
  }
  static std::string shape_of(const std::string& program, unsigned x) {
    return program + "/" + std::to_string(x) + "x" + std::to_string(256 / x);
  }
  static Programs shapes_of(const std::string& program) {
    Programs out;
    for (const unsigned x : kShapeWidths) out.push_back(shape_of(program, x));
    return out;
  }
  /// Returns the executed instructions with the block, divided by the executed instructions without it.
  [[nodiscard]] double ratio_of(const std::string& program) const {
    return evaluation_.ratio({program}, kDarsie, kBaseline, executed()).mean;
  }

  void bound() {
    Claim& c = begin("C19", "no program skips more than its thread blocks can", "(W - 1) / W, derived",
                     "no class of instructions of any program and system with the block; else a bug");
    make_invariant(c);
    const std::vector<std::string> wrong = beyond_bound(evaluation_, skipping_);
    if (!wrong.empty()) {
      for (const std::string& one : wrong) c.ours += (c.ours.empty() ? "" : "; ") + one;
      conclude(c, Truth::kFails, "a bug");
      return;
    }
    if (!need(c, all_, {kBaseline, kDarsie})) return;
    c.ours = "none, in all systems with the block";
    conclude(c, Truth::kHolds, "");
  }

  void ports() {
    Claim& c = begin("C20", "two ports of the skip table are enough", "2 ports",
                     "four make 0.99 to 1.01 times as fast, all programs");
    if (!need(c, all_, {kDarsie, kReads4})) return;
    const Spread gain = faster(all_, kReads4, kDarsie);
    c.ours = number(gain, 3);
    conclude(c, within(gain, 0.99, 1.01), "wanted 0.99 to 1.01");
  }

  const Evaluation& evaluation_;
  const EnergyTable& table_;
  const std::vector<std::string> skipping_;
  std::vector<Evaluation> without_;  ///< Evaluations of all runs except those of one input, one per input
  const Programs one_ = program_names(false), two_ = program_names(true), all_ = both(one_, two_);
  std::vector<Claim> claims_;
};

}  // namespace

std::vector<Claim> judge(const Evaluation& evaluation, const EnergyTable& table,
                         const std::vector<std::string>& skipping) {
  return Judge(evaluation, table, skipping).all();
}

}  // namespace castor::workloads::darsie

// f32 and f64 arithmetic against exact arithmetic, in all rounding modes and with all modifiers.

#include <functional>

#include "unit/isa_float_harness.h"
#include "unit/isa_float_reference.h"

namespace castor::test::isa_float_arithmetic_test {
namespace {

struct NamedMode {
  const char* name;
  Mode mode;
};
constexpr NamedMode kModes[] = {{"rn", Mode::kNearest}, {"rz", Mode::kZero}, {"rm", Mode::kDown}, {"rp", Mode::kUp}};

const Column kEdges32{0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                      0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf7fffff, 0x3effffff, 0x3f000000, 0x40490fdb,
                      0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f800000, 0xff800000, 0x7fc00000, 0xff923456, 0x7f800001,
                      0x4b7fffff, 0x4b800001, 0x33800000, 0x33800001, 0xb3800000, 0x7e800000, 0x7f000000, 0x1a123457};
const Column kEdges64{0,
                      0x8000000000000000,
                      1,
                      0x8000000000000001,
                      0x000fffffffffffff,
                      0x0010000000000000,
                      0x8010000000000000,
                      0x0010000000000001,
                      0x3ff0000000000000,
                      0xbff0000000000000,
                      0x3ff0000000000001,
                      0xbfefffffffffffff,
                      0x3fdfffffffffffff,
                      0x7fefffffffffffff,
                      0xffefffffffffffff,
                      0x7feffffffffffffe,
                      0x7ff0000000000000,
                      0xfff0000000000000,
                      0x7ff8000000000000,
                      0xfff0000000012345,
                      0x3ca0000000000000,
                      0x3ca0000000000001,
                      0xbca0000000000000,
                      0x433fffffffffffff,
                      0x7fd0000000000000,
                      0x1ff123456789abcd};

/// Returns random values. Half of them have exponents near 1, so that sums of neighbours cancel and round.
Column random32(std::mt19937_64& g, std::size_t count) {
  Column c(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t u = g();
    c[i] = (u & 0x807fffff) | (i % 2 != 0 ? (u >> 32 & 0x7f800000) : ((110 + (u >> 40) % 36) << 23));
    if ((u >> 60) == 0) c[i] &= 0xfffff000;  // short fractions give ties
  }
  return c;
}
Column random64(std::mt19937_64& g, std::size_t count) {
  Column c(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t u = g();
    const std::uint64_t e = i % 2 != 0 ? g() % 2048 : 985 + g() % 70;
    c[i] = (u & 0x800fffffffffffff) | e << 52;
    if (g() % 8 == 0) c[i] &= 0xffffffffc0000000;
  }
  return c;
}

using Reference = std::function<std::uint64_t(const std::uint64_t*, const Format&, Mode)>;

std::uint64_t add(const std::uint64_t* s, const Format& f, Mode m) { return add_of(s[0], s[1], f, m); }
std::uint64_t sub(const std::uint64_t* s, const Format& f, Mode m) { return add_of(s[0], s[1] ^ f.sign(), f, m); }
std::uint64_t mul(const std::uint64_t* s, const Format& f, Mode m) { return mul_of(s[0], s[1], f, m); }
std::uint64_t div(const std::uint64_t* s, const Format& f, Mode m) { return div_of(s[0], s[1], f, m); }
std::uint64_t fma(const std::uint64_t* s, const Format& f, Mode m) { return fma_of(s[0], s[1], s[2], f, m); }
std::uint64_t rcp(const std::uint64_t* s, const Format& f, Mode m) { return div_of(f.one(), s[0], f, m); }
std::uint64_t sqrt(const std::uint64_t* s, const Format& f, Mode m) { return sqrt_of(s[0], f, m); }

/// Compares `spelling` in all builds with the reference; ftz and sat as given.
void check(const std::string& spelling, const std::vector<Column>& sources, const Format& f, const Reference& reference,
           Mode mode, bool ftz, bool sat) {
  Column expected;
  for (std::size_t i = 0; i < sources[0].size(); ++i) {
    std::uint64_t s[3] = {};
    for (std::size_t k = 0; k < sources.size(); ++k) s[k] = ftz ? f.flushed(sources[k][i]) : sources[k][i];
    std::uint64_t d = reference(s, f, mode);
    if (ftz) d = f.flushed(d);
    if (sat) d = saturated(d, f);
    expected.push_back(d);
  }
  for (const isa::InstructionTable* table : tables()) {
    const Outcome got = run(*table, spelling, sources);
    ASSERT_EQ(got.values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(got.values[i], expected[i])
          << std::hex << spelling << " (" << table->variant() << ") of " << sources[0][i] << ' '
          << (sources.size() > 1 ? sources[1][i] : 0) << ' ' << (sources.size() > 2 ? sources[2][i] : 0);
    }
  }
}

struct Operation {
  const char* name;
  unsigned operands;
  Reference reference;
  bool sat;
};
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{{"add", 2, add, true},  {"sub", 2, sub, true},   {"mul", 2, mul, true},
                                          {"fma", 3, fma, true},  {"mad", 3, fma, true},   {"div", 2, div, false},
                                          {"rcp", 1, rcp, false}, {"sqrt", 1, sqrt, false}};
  return all;
}

class FloatArithmetic : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, FloatArithmetic, testing::Range(std::size_t{0}, std::size_t{8}),
                         [](const auto& info) { return std::string(operations()[info.param].name); });

std::vector<Column> sources_for(const Operation& op, const Column& edges, std::size_t random,
                                Column (*more)(std::mt19937_64&, std::size_t)) {
  if (op.operands < 3) return combinations(edges, op.operands, random, more);
  // All triples of edge values would be too many: takes every other one.
  Column some;
  for (std::size_t i = 0; i < edges.size(); i += 2) some.push_back(edges[i + (i / 2) % 2]);
  return combinations(some, 3, random, more);
}

TEST_P(FloatArithmetic, F32IsExactlyRoundedInEveryMode) {
  const Operation& op = operations()[GetParam()];
  const std::vector<Column> sources = sources_for(op, kEdges32, 4000, random32);
  for (const NamedMode& mode : kModes) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if (sat && !op.sat) continue;
        const std::string spelling =
            std::string(op.name) + "." + mode.name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32";
        check(spelling, sources, kF32, op.reference, mode.mode, ftz, sat);
      }
    }
  }
}

TEST_P(FloatArithmetic, F64IsExactlyRoundedInEveryMode) {
  const Operation& op = operations()[GetParam()];
  const std::vector<Column> sources = sources_for(op, kEdges64, 3000, random64);
  for (const NamedMode& mode : kModes)
    check(std::string(op.name) + "." + mode.name + ".f64", sources, kF64, op.reference, mode.mode, false, false);
}

TEST(FloatArithmetic, SumsNearTheTopRoundAwayOrToInfinityByMode) {
  // The largest float plus half a unit in its last place is a tie. With a little less the sum rounds down to the
  // largest float.
  const std::vector<Column> sources{{0x7f7fffff, 0x7f7fffff, 0xff7fffff, 0xff7fffff},
                                    {0x73000000, 0x72ffffff, 0xf3000000, 0xf2ffffff}};
  const auto values = [&](const char* spelling) { return run(*tables()[0], spelling, sources).values; };
  EXPECT_EQ(values("add.rn.f32"), (Column{0x7f800000, 0x7f7fffff, 0xff800000, 0xff7fffff}));
  EXPECT_EQ(values("add.rz.f32"), (Column{0x7f7fffff, 0x7f7fffff, 0xff7fffff, 0xff7fffff}));
  EXPECT_EQ(values("add.rm.f32"), (Column{0x7f7fffff, 0x7f7fffff, 0xff800000, 0xff800000}));
  EXPECT_EQ(values("add.rp.f32"), (Column{0x7f800000, 0x7f800000, 0xff7fffff, 0xff7fffff}));
}

TEST(FloatArithmetic, AddAndMultiplyWithoutModeRoundToNearest) {
  const std::vector<Column> sources{{0x3f800000, 0x3f800001}, {0x33800000, 0x33800000}};
  EXPECT_EQ(run(*tables()[0], "add.f32", sources).values, run(*tables()[0], "add.rn.f32", sources).values);
  EXPECT_EQ(run(*tables()[0], "add.f32", sources).values, (Column{0x3f800000, 0x3f800002}));
}

TEST(FloatArithmetic, RefusesSpellingsThatPtxDoesNotHave) {
  for (const char* spelling : {"fma.f32", "add.rna.f32", "add.ftz.f64", "add.sat.f64", "div.f32", "div.sat.f32",
                               "rcp.f32", "sqrt.f32", "min.xorsign.f32", "rsqrt.rn.f32", "fma.rni.f32"})
    EXPECT_FALSE(exists(spelling)) << spelling;
  EXPECT_TRUE(exists("add.rn.sat.ftz.f32")) << "parts stand in any sequence";
}

// ---- division without IEEE rounding ------------------------------------------------------------------------------

TEST(FloatArithmetic, FullRangeDivisionIsWithinTwoUnits) {
  std::vector<Column> sources = combinations(kEdges32, 2, 20000, random32);
  for (const isa::InstructionTable* table : tables()) {
    const Column got = run(*table, "div.full.f32", sources).values;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::uint64_t exact = div_of(sources[0][i], sources[1][i], kF32, Mode::kNearest);
      const auto distance = static_cast<std::int64_t>(got[i]) - static_cast<std::int64_t>(exact);
      ASSERT_LE(std::abs(distance), 2) << std::hex << sources[0][i] << ' ' << sources[1][i];
    }
  }
}

TEST(FloatArithmetic, ApproximateDivisionByHugeDivisorsIsZeroOrNan) {
  const std::vector<Column> sources{
      {0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f7fffff, 0x3f800000, 0x40000000},
      {0x7e800001, 0x7f7fffff, 0x7e800001, 0x7f000000, 0x7f000000, 0x7f800000, 0x40800000}};
  for (const isa::InstructionTable* table : tables())
    EXPECT_EQ(run(*table, "div.approx.f32", sources).values,
              (Column{0, 0x80000000, 0x7fffffff, 0x7fffffff, 0, 0, 0x3f000000}));
}

// ---- sign, minimum, maximum, classes -----------------------------------------------------------------------------

/// Returns the smaller (or larger) of two values by comparing exact values, independently of the instruction's
/// algorithm.
std::uint64_t extreme(std::uint64_t a, std::uint64_t b, const Format& f, bool max, bool nan_wins) {
  if (f.is_nan(a) && f.is_nan(b)) return f.nan;
  if (f.is_nan(a) || f.is_nan(b)) return nan_wins ? f.nan : f.is_nan(a) ? b : a;
  const auto order = [&](std::uint64_t v) {
    const Integer m = v & (f.sign() - 1);  // the patterns of positive values are ordered
    return f.negative(v) ? Integer(-m * 2 - 1) : Integer(m * 2);
  };
  return (order(a) < order(b)) != max ? a : b;
}

TEST(FloatMinMax, FollowsPtxForNumbersZerosAndNans) {
  const std::vector<Column> sources = combinations(kEdges32, 2, 1000, random32);
  for (const bool max : {false, true}) {
    for (const bool ftz : {false, true}) {
      for (const bool nan : {false, true}) {
        for (const bool xorsign : {false, true}) {
          const std::string spelling = std::string(max ? "max" : "min") + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "") +
                                       (xorsign ? ".xorsign.abs" : "") + ".f32";
          for (const isa::InstructionTable* table : tables()) {
            const Column got = run(*table, spelling, sources).values;
            for (std::size_t i = 0; i < got.size(); ++i) {
              std::uint64_t a = ftz ? kF32.flushed(sources[0][i]) : sources[0][i];
              std::uint64_t b = ftz ? kF32.flushed(sources[1][i]) : sources[1][i];
              const std::uint64_t sign = (a ^ b) & kF32.sign();
              if (xorsign) a &= ~kF32.sign(), b &= ~kF32.sign();
              std::uint64_t expected = extreme(a, b, kF32, max, nan);
              if (xorsign && !kF32.is_nan(expected)) expected |= sign;
              ASSERT_EQ(got[i], expected) << std::hex << spelling << ' ' << sources[0][i] << ' ' << sources[1][i];
            }
          }
        }
      }
    }
  }
}

TEST(FloatMinMax, TakesThreeOperands) {
  const std::vector<Column> sources{
      {0x40000000, 0x7fc00000, 0x3f800000}, {0xbf800000, 0x40400000, 0x7fc00000}, {0x3f800000, 0x40000000, 0x40000000}};
  for (const isa::InstructionTable* table : tables()) {
    EXPECT_EQ(run(*table, "min.f32", sources).values, (Column{0xbf800000, 0x40000000, 0x3f800000}));
    EXPECT_EQ(run(*table, "max.NaN.f32", sources).values, (Column{0x40000000, 0x7fffffff, 0x7fffffff}));
  }
}

TEST(FloatMinMax, F64FollowsPtx) {
  const std::vector<Column> sources = combinations(kEdges64, 2, 1000, random64);
  for (const bool max : {false, true}) {
    for (const isa::InstructionTable* table : tables()) {
      const Column got = run(*table, max ? "max.f64" : "min.f64", sources).values;
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], extreme(sources[0][i], sources[1][i], kF64, max, false))
            << std::hex << sources[0][i] << ' ' << sources[1][i];
    }
  }
}

TEST(FloatSign, AbsNegAndCopysignOnlyTouchTheSign) {
  const std::vector<Column> one{kEdges32};
  const std::vector<Column> two = combinations(kEdges64, 2, 0, random64);
  for (const isa::InstructionTable* table : tables()) {
    const Column abs = run(*table, "abs.f32", one).values;
    const Column neg = run(*table, "neg.f32", one).values;
    const Column flushed = run(*table, "neg.ftz.f32", one).values;
    for (std::size_t i = 0; i < kEdges32.size(); ++i) {
      EXPECT_EQ(abs[i], kEdges32[i] & 0x7fffffff);
      EXPECT_EQ(neg[i], kEdges32[i] ^ 0x80000000);
      EXPECT_EQ(flushed[i], kF32.flushed(kEdges32[i]) ^ 0x80000000);
    }
    const Column copied = run(*table, "copysign.f64", two).values;
    const Column neg64 = run(*table, "neg.f64", {two[0]}).values;
    const Column abs64 = run(*table, "abs.f64", {two[0]}).values;
    for (std::size_t i = 0; i < copied.size(); ++i) {
      EXPECT_EQ(copied[i], (two[0][i] & kF64.sign()) | (two[1][i] & ~kF64.sign()));
      EXPECT_EQ(neg64[i], two[0][i] ^ kF64.sign());
      EXPECT_EQ(abs64[i], two[0][i] & ~kF64.sign());
    }
    EXPECT_EQ(run(*table, "copysign.f32", {{0xbf800000, 0}, {0x40000000, 0xff800000}}).values,
              (Column{0xc0000000, 0x7f800000}));
  }
}

TEST(FloatClass, TestpKnowsEveryClass) {
  struct Case {
    const char* op;
    bool (*holds)(std::uint64_t, const Format&);
  };
  const auto subnormal = [](std::uint64_t v, const Format& f) { return !f.is_zero(v) && f.is_zero(f.flushed(v)); };
  static constexpr auto kIsSubnormal = subnormal;
  const Case cases[] = {
      {"finite", [](std::uint64_t v, const Format& f) { return !f.is_nan(v) && !f.is_infinite(v); }},
      {"infinite", [](std::uint64_t v, const Format& f) { return f.is_infinite(v); }},
      {"number", [](std::uint64_t v, const Format& f) { return !f.is_nan(v); }},
      {"notanumber", [](std::uint64_t v, const Format& f) { return f.is_nan(v); }},
      {"normal",
       [](std::uint64_t v, const Format& f) {
         return !f.is_nan(v) && !f.is_infinite(v) && !f.is_zero(v) && !kIsSubnormal(v, f);
       }},
      {"subnormal", subnormal},
  };
  for (const Case& c : cases) {
    for (const isa::InstructionTable* table : tables()) {
      const Column got32 = run(*table, std::string("testp.") + c.op + ".f32", {kEdges32}).first;
      for (std::size_t i = 0; i < got32.size(); ++i)
        EXPECT_EQ(got32[i], c.holds(kEdges32[i], kF32) ? 1u : 0u) << c.op << std::hex << ' ' << kEdges32[i];
      const Column got64 = run(*table, std::string("testp.") + c.op + ".f64", {kEdges64}).first;
      for (std::size_t i = 0; i < got64.size(); ++i)
        EXPECT_EQ(got64[i], c.holds(kEdges64[i], kF64) ? 1u : 0u) << c.op << std::hex << ' ' << kEdges64[i];
    }
  }
}

}  // namespace
}  // namespace castor::test::isa_float_arithmetic_test

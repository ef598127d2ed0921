// Approximate instructions: errors that PTX documents, against the long double functions of the C library; special
// values; equal bits in every build of the handlers.

#include <cmath>
#include <cstdio>
#include <limits>

#include "unit/isa_float_harness.h"
#include "unit/isa_float_reference.h"

namespace castor::test::isa_float_approx_test {
namespace {

float as_float(std::uint64_t v) {
  const auto u = static_cast<std::uint32_t>(v);
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}
std::uint64_t bits_of(float f) {
  std::uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}
double as_double(std::uint64_t v) {
  double d;
  std::memcpy(&d, &v, sizeof d);
  return d;
}
std::uint64_t bits_of(double d) {
  std::uint64_t v;
  std::memcpy(&v, &d, sizeof v);
  return v;
}

/// Returns evenly spaced values between two limits, both included.
Column spaced(float low, float high, int count) {
  Column c;
  for (int i = 0; i <= count; ++i)
    c.push_back(bits_of(static_cast<float>(low + (static_cast<double>(high) - low) * i / count)));
  return c;
}
/// Patterns spread over all positive floats from `low` to `high`.
Column patterns(std::uint64_t low, std::uint64_t high, std::uint64_t step) {
  Column c;
  for (std::uint64_t v = low; v <= high; v += step) c.push_back(v);
  return c;
}
Column negated(Column c, std::uint64_t sign = 0x80000000) {
  for (std::uint64_t& v : c) v |= sign;
  return c;
}

/// Returns the results of the instruction, which must be equal to the bit in all builds. An FNV-1a hash of all results
/// goes into the test's record, so that two builds of the project can be compared.
Column evaluate(const std::string& spelling, const Column& source) {
  const Column result = run(*tables()[0], spelling, {source}).values;
  for (const isa::InstructionTable* table : tables()) {
    const Column other = run(*table, spelling, {source}, {}, 64).values;
    EXPECT_TRUE(other == result) << spelling << " differs in " << table->variant();
  }
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const std::uint64_t v : result) digest = (digest ^ v) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  std::string key = spelling + "_" + std::to_string(source.size());
  for (char& c : key) c = c == '.' ? '_' : c;
  testing::Test::RecordProperty(key, text);
  return result;
}

/// Largest |result - exact| divided by scale(exact).
template <class Exact, class Scale>
long double largest_error(const std::string& spelling, const Column& source, Exact exact, Scale scale) {
  const Column result = evaluate(spelling, source);
  long double largest = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const long double expected = exact(static_cast<long double>(as_float(source[i])));
    const long double error = std::fabs(static_cast<long double>(as_float(result[i])) - expected) / scale(expected);
    if (!(error <= largest)) largest = error;
    if (error != error) {
      ADD_FAILURE() << spelling << " of " << as_float(source[i]) << " is " << as_float(result[i]);
      return error;
    }
  }
  return largest;
}
const auto kAbsolute = [](long double) { return 1.0L; };
const auto kRelative = [](long double e) { return std::fabs(e); };
/// Distance of neighbouring floats at a value, subnormal ones included.
const auto kUnits = [](long double e) {
  return std::ldexp(1.0L, std::max(std::ilogb(std::fabs(e) > 0 ? e : 1e-46L) - 23, -149));
};

TEST(Approximate, Ex2IsWithinTwoUnits) {
  const auto exact = [](long double x) { return std::exp2(x); };
  EXPECT_LT(largest_error("ex2.approx.f32", spaced(-1.0f, 1.0f, 200000), exact, kUnits), 2);
  EXPECT_LT(largest_error("ex2.approx.f32", spaced(-151.0f, 127.99f, 300000), exact, kUnits), 2);
  EXPECT_LT(largest_error("ex2.approx.f32", patterns(1, 0x3f800000, 9973), exact, kUnits), 2);
}

TEST(Approximate, Lg2IsWithinTwoToTheMinus22) {
  const auto exact = [](long double x) { return std::log2(x); };
  EXPECT_LT(largest_error("lg2.approx.f32", spaced(0.5f, 2.0f, 300000), exact, kAbsolute), std::ldexp(1.0L, -22));
  EXPECT_LT(largest_error("lg2.approx.f32", patterns(0x00000001, 0x3effffff, 9973), exact, kRelative),
            std::ldexp(1.0L, -22));
  EXPECT_LT(largest_error("lg2.approx.f32", patterns(0x40000001, 0x7f7fffff, 9973), exact, kRelative),
            std::ldexp(1.0L, -22));
}

TEST(Approximate, SineAndCosineAreWithinTwoToTheMinus20) {
  const long double bound = std::ldexp(1.0L, -21);  // PTX: 2^-20.5 in [-2 pi, 2 pi]
  const auto sine = [](long double x) { return std::sin(x); };
  const auto cosine = [](long double x) { return std::cos(x); };
  const Column ranges[] = {spaced(-6.2831853f, 6.2831853f, 300000),  // PTX gives a bound here
                           spaced(-600000.0f, 600000.0f, 300000),    // both ways of reduction
                           patterns(0x00000000, 0x7f7fffff, 9973),   // everything
                           negated(patterns(0x00000000, 0x7f7fffff, 9973))};
  for (const Column& range : ranges) {
    EXPECT_LT(largest_error("sin.approx.f32", range, sine, kAbsolute), bound);
    EXPECT_LT(largest_error("cos.approx.f32", range, cosine, kAbsolute), bound);
  }
}

TEST(Approximate, RcpSqrtAndRsqrtAreWithinOneUnit) {
  const Column positive = patterns(0x00000001, 0x7f7fffff, 4999);
  const Column invertible = patterns(0x00300000, 0x7f7fffff, 4999);  // below, the reciprocal is not a float
  EXPECT_LE(largest_error(
                "rcp.approx.f32", invertible, [](long double x) { return 1 / x; }, kUnits),
            1);
  EXPECT_LE(largest_error(
                "rcp.approx.f32", negated(invertible), [](long double x) { return 1 / x; }, kUnits),
            1);
  EXPECT_LE(largest_error(
                "sqrt.approx.f32", positive, [](long double x) { return std::sqrt(x); }, kUnits),
            1);
  EXPECT_LT(largest_error(
                "rsqrt.approx.f32", positive, [](long double x) { return 1 / std::sqrt(x); }, kRelative),
            std::ldexp(1.0L, -22) * 0.54L);  // PTX: 2^-22.9
}

TEST(Approximate, TanhIsWithinTwoToTheMinus11) {
  const auto exact = [](long double x) { return std::tanh(x); };
  const long double bound = std::ldexp(1.0L, -11);
  EXPECT_LT(largest_error("tanh.approx.f32", spaced(-12.0f, -0.001f, 200000), exact, kRelative), bound);
  EXPECT_LT(largest_error("tanh.approx.f32", patterns(1, 0x7f7fffff, 9973), exact, kUnits), 2);
}

TEST(Approximate, SpecialValuesAreThoseOfTheTables) {
  constexpr std::uint64_t kInf = 0x7f800000;
  constexpr std::uint64_t kNegInf = 0xff800000;
  constexpr std::uint64_t kNan = 0x7fffffff;
  constexpr std::uint64_t kOne = 0x3f800000;
  const Column source{kNegInf, 0xbf800000, 0x80000001, 0x80000000, 0, 1, kInf, 0x7fc00000, 0xff812345};
  EXPECT_EQ(evaluate("ex2.approx.ftz.f32", source), (Column{0, 0x3f000000, kOne, kOne, kOne, kOne, kInf, kNan, kNan}));
  EXPECT_EQ(evaluate("lg2.approx.ftz.f32", source),
            (Column{kNan, kNan, kNegInf, kNegInf, kNegInf, kNegInf, kInf, kNan, kNan}));
  EXPECT_EQ(evaluate("lg2.approx.f32", source),
            (Column{kNan, kNan, kNan, kNegInf, kNegInf, bits_of(-149.0f), kInf, kNan, kNan}));
  EXPECT_EQ(evaluate("rcp.approx.ftz.f32", source),
            (Column{0x80000000, 0xbf800000, kNegInf, kNegInf, kInf, kInf, 0, kNan, kNan}));
  EXPECT_EQ(evaluate("rsqrt.approx.ftz.f32", source),
            (Column{kNan, kNan, kNegInf, kNegInf, kInf, kInf, 0, kNan, kNan}));
  EXPECT_EQ(evaluate("sqrt.approx.ftz.f32", source),
            (Column{kNan, kNan, 0x80000000, 0x80000000, 0, 0, kInf, kNan, kNan}));
  EXPECT_EQ(evaluate("sin.approx.ftz.f32", source),
            (Column{kNan, bits_of(-0.84147098481f), 0x80000000, 0x80000000, 0, 0, kNan, kNan, kNan}));
  EXPECT_EQ(evaluate("sin.approx.f32", source),
            (Column{kNan, bits_of(-0.84147098481f), 0x80000001, 0x80000000, 0, 1, kNan, kNan, kNan}));
  EXPECT_EQ(evaluate("cos.approx.f32", source),
            (Column{kNan, bits_of(0.54030230587f), kOne, kOne, kOne, kOne, kNan, kNan, kNan}));
  EXPECT_EQ(evaluate("tanh.approx.f32", source),
            (Column{0xbf800000, bits_of(-0.76159415596f), 0x80000001, 0x80000000, 0, 1, kOne, kNan, kNan}));
  // Results that are subnormal: kept, or flushed.
  const Column small{bits_of(-126.5f), bits_of(-149.0f), bits_of(-151.0f), bits_of(128.0f)};
  EXPECT_EQ(evaluate("ex2.approx.f32", small), (Column{bits_of(0x1.6a09e6p-127f), 1, 0, kInf}));
  EXPECT_EQ(evaluate("ex2.approx.ftz.f32", small), (Column{0, 0, 0, kInf}));
}

TEST(Approximate, Rsqrt64IsWithinTwoUnits) {
  Column source;
  std::mt19937_64 g(kSeed);
  for (int i = 0; i < 100000; ++i) source.push_back(g() & 0x7fefffffffffffff);
  const Column result = evaluate("rsqrt.approx.f64", source);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const long double exact = 1 / std::sqrt(static_cast<long double>(as_double(source[i])));
    const long double error = std::fabs(static_cast<long double>(as_double(result[i])) / exact - 1);
    ASSERT_LT(error, std::ldexp(1.0L, -52)) << as_double(source[i]);
  }
  EXPECT_EQ(evaluate("rsqrt.approx.f64", {bits_of(0.0), bits_of(-0.0), bits_of(-1.0), 0x7ff0000000000000}),
            (Column{0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000, 0}));
}

TEST(Approximate, GrossReciprocalsUseTheUpperHalfOnly) {
  Column source;
  std::mt19937_64 g(kSeed);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t u = g();
    source.push_back((u & 0x000fffffffffffff) | (1 + u % 2040) << 52);
  }
  const Column rcp = evaluate("rcp.approx.ftz.f64", source);
  const Column rsqrt = evaluate("rsqrt.approx.ftz.f64", source);
  Column upper = source;
  for (std::uint64_t& v : upper) v &= 0xffffffff00000000;
  EXPECT_TRUE(evaluate("rcp.approx.ftz.f64", upper) == rcp);
  const long double bound = std::ldexp(1.0L, -19);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const long double x = as_double(source[i]);
    ASSERT_EQ(rcp[i] & 0xffffffff, 0u);
    ASSERT_EQ(rsqrt[i] & 0xffffffff, 0u);
    ASSERT_LT(std::fabs(static_cast<long double>(as_double(rcp[i])) * x - 1), bound);
    ASSERT_LT(std::fabs(static_cast<long double>(as_double(rsqrt[i])) * std::sqrt(x) - 1), bound);
  }
  EXPECT_EQ(evaluate("rcp.approx.ftz.f64",
                     {1, 0x8000000000000001, 0x7ff0000000000000, 0x7ff0000000000001, bits_of(0x1p1023)}),
            (Column{0x7ff0000000000000, 0xfff0000000000000, 0, 0xfff8000000000000, 0}));
}

TEST(Approximate, SixteenBitFunctionsAreRoundedForEveryValue) {
  struct Kind {
    const char* type;
    const Format* format;
  };
  for (const Kind& kind : {Kind{"f16", &kF16}, Kind{"bf16", &kBf16}}) {
    const Format& f = *kind.format;
    Column all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const bool half = kind.format == &kF16;
    const Column ex2 = evaluate(half ? "ex2.approx.f16" : "ex2.approx.ftz.bf16", all);
    const Column tanh = evaluate(std::string("tanh.approx.") + kind.type, all);
    const auto value = [&f](std::uint64_t v) {
      const Exact x = decode(v, f);
      const auto m = std::ldexp(static_cast<long double>(static_cast<std::uint64_t>(x.magnitude)), x.exponent);
      return x.negative ? -m : m;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (f.is_nan(i)) {
        ASSERT_EQ(ex2[i], 0x7fffu);
        ASSERT_EQ(tanh[i], 0x7fffu);
        continue;
      }
      if (f.is_infinite(i)) {
        ASSERT_EQ(ex2[i], f.negative(i) ? 0u : f.infinity());
        ASSERT_EQ(tanh[i], f.one() | (i & 0x8000));
        continue;
      }
      const std::size_t flushed = half ? i : f.flushed(i);
      const long double e = std::exp2(value(flushed));
      const long double t = std::tanh(value(i));
      // Half a unit, or half the smallest step.
      const auto unit = [&f](long double v) {
        return std::ldexp(1.0L, std::max(v > 0 ? std::ilogb(v) - f.precision + 1 : f.least, f.least));
      };
      const long double largest = std::ldexp(2.0L - std::ldexp(1.0L, -f.precision), f.greatest);
      if (e >= largest) {
        ASSERT_EQ(ex2[i], f.infinity()) << i;
      } else if (half || !f.is_zero(f.flushed(ex2[i]))) {
        ASSERT_LE(std::fabs(value(ex2[i]) - e), unit(e) * 0.501L) << i;
      } else {
        ASSERT_LT(e, std::ldexp(1.0L, -125)) << i;
      }
      if (t != 0) {
        ASSERT_LE(std::fabs(value(tanh[i]) - t), unit(std::fabs(t)) * 0.501L) << i;
      } else {
        ASSERT_EQ(tanh[i], i);
      }
    }
  }
}

}  // namespace
}  // namespace castor::test::isa_float_approx_test

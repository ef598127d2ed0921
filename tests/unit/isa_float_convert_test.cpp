// cvt against exact conversion.

#include "tests/common/sanitized.h"
#include "unit/isa_float_harness.h"
#include "unit/isa_float_reference.h"

namespace castor::test::isa_float_convert_test {
namespace {

struct NamedMode {
  const char* name;
  Mode mode;
};
constexpr NamedMode kModes[] = {{"rn", Mode::kNearest}, {"rz", Mode::kZero}, {"rm", Mode::kDown}, {"rp", Mode::kUp}};

struct IntegerType {
  const char* name;
  int width;
  bool is_signed;

  [[nodiscard]] Integer least() const { return is_signed ? Integer(-(Integer(1) << (width - 1))) : Integer(0); }
  [[nodiscard]] Integer greatest() const { return (Integer(1) << (is_signed ? width - 1 : width)) - 1; }
  /// Returns the value of the low bits of a register.
  [[nodiscard]] Integer value(std::uint64_t v) const {
    if (width < 64) v &= (std::uint64_t{1} << width) - 1;
    Integer r = v;
    if (is_signed && (v >> (width - 1) & 1) != 0) r -= Integer(1) << width;
    return r;
  }
  /// Returns the contents of the register element (32 or 64 bits): the value, sign-extended.
  [[nodiscard]] std::uint64_t element(const Integer& v) const {
    const int bits = width == 64 ? 64 : 32;
    const Integer m = v < 0 ? Integer(v + (Integer(1) << bits)) : v;
    return static_cast<std::uint64_t>(m);
  }
  [[nodiscard]] Integer clamped(const Integer& v) const {
    return v < least() ? least() : v > greatest() ? greatest() : v;
  }
};
constexpr IntegerType kIntegers[] = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                     {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

struct FloatType {
  const char* name;
  const Format* format;
};
constexpr FloatType kFloats[] = {{"f16", &kF16}, {"bf16", &kBf16}, {"f32", &kF32}, {"f64", &kF64}};

/// Integers near powers of two, where conversions round and overflow.
Column integer_samples() {
  Column c{0, 1, 2, 3, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffffffffffffffff};
  for (unsigned i = 8; i < 64; ++i) {
    for (const std::int64_t delta : {-3, -1, 0, 1, 2}) {
      const std::uint64_t power = std::uint64_t{1} << i;
      c.push_back(power + static_cast<std::uint64_t>(delta));
      c.push_back(power + (power >> 9) + static_cast<std::uint64_t>(delta));
      c.push_back(power + (power >> 11) + static_cast<std::uint64_t>(delta));
      if (i >= 25) c.push_back(power + (std::uint64_t{1} << (i - 24)) + static_cast<std::uint64_t>(delta));
      if (i >= 54) c.push_back(power + (std::uint64_t{1} << (i - 53)) + static_cast<std::uint64_t>(delta));
      c.push_back(0 - power + static_cast<std::uint64_t>(delta));
    }
  }
  std::mt19937_64 g(kSeed);
  for (int i = 0; i < 500; ++i) c.push_back(g() >> (g() % 64));
  for (int i = 0; i < 200; ++i) c.push_back(0 - (g() >> (g() % 64)));
  return c;
}

/// Values of a float format: halves around integers, limits of integer types, edges, random patterns.
Column float_samples(const Format& f) {
  Column c;
  const auto add = [&](const Exact& x) {
    for (const Mode mode : {Mode::kZero, Mode::kUp}) {
      Exact y = x;
      c.push_back(encode(y, f, mode));
      y.negative = true;
      c.push_back(encode(y, f, mode));
    }
  };
  for (int i = 0; i < 40; ++i) add({false, Integer(i), -1, false});
  for (int i = 0; i < 40; ++i) add({false, Integer(i), -2, false});
  for (const int power : {7, 8, 10, 11, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 127}) {
    for (int delta = -5; delta <= 5; ++delta) add({false, (Integer(1) << (power + 2)) + delta, -2, false});
    const std::uint64_t p = encode({false, Integer(1), power, false}, f, Mode::kZero);
    for (std::uint64_t delta = 0; delta < 3; ++delta) {
      c.push_back(p + delta), c.push_back(p - delta - 1);
      c.push_back((p + delta) | f.sign()), c.push_back((p - delta - 1) | f.sign());
    }
  }
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, f.infinity(), f.infinity() - 1,
                                f.infinity() + 1, f.sign() - 1, f.one() / 2})
    c.push_back(v), c.push_back(v | f.sign());
  std::mt19937_64 g(kSeed);
  const std::uint64_t mask = f.sign() | (f.sign() - 1);
  for (int i = 0; i < 2000; ++i) c.push_back(g() & mask);
  for (int i = 0; i < 2000; ++i) add({false, Integer(g() >> (g() % 64)), -static_cast<int>(g() % 80), false});
  return c;
}

/// Returns every pattern of a 16-bit format (every 13th under sanitizers) and samples of the other formats.
Column source_values(const Format& f) {
  if (f.width != 16) return float_samples(f);
  constexpr std::size_t kStep = unless_sanitized(1, 13);
  Column all;
  for (std::size_t i = 0; i < 65536; i += kStep) all.push_back(i);
  return all;
}

void compare(const std::string& spelling, const std::vector<Column>& sources, const Column& expected,
             std::uint64_t mask = ~std::uint64_t{0}) {
  for (const isa::InstructionTable* table : tables()) {
    const Column got = run(*table, spelling, sources).values;
    ASSERT_EQ(got.size(), expected.size()) << spelling;
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(got[i] & mask, expected[i])
          << std::hex << spelling << " (" << table->variant() << ") of " << sources[0][i];
  }
}

TEST(Convert, IntegersAreTruncatedExtendedOrClamped) {
  const Column samples = integer_samples();
  for (const IntegerType& s : kIntegers) {
    for (const IntegerType& d : kIntegers) {
      Column truncated;
      Column clamped;
      for (const std::uint64_t v : samples) {
        const Integer x = s.value(v);
        clamped.push_back(d.element(d.clamped(x)));
        const Integer low = ((x % (Integer(1) << d.width)) + (Integer(1) << d.width)) % (Integer(1) << d.width);
        truncated.push_back(d.element(d.value(static_cast<std::uint64_t>(low))));
      }
      compare(std::string("cvt.") + d.name + "." + s.name, {samples}, truncated);
      compare(std::string("cvt.sat.") + d.name + "." + s.name, {samples}, clamped);
    }
  }
}

TEST(Convert, FloatToIntegerRoundsAndClamps) {
  for (const FloatType& s : kFloats) {
    const Format& f = *s.format;
    const Column samples = source_values(f);
    for (const IntegerType& d : kIntegers) {
      const bool top = f.width == 64 || d.width == 64;
      const std::uint64_t nan = top ? d.element(d.value(std::uint64_t{1} << (d.width - 1))) : 0;
      for (const NamedMode& mode : kModes) {
        Column expected;
        for (const std::uint64_t v : samples) {
          if (f.is_nan(v)) {
            expected.push_back(nan);
          } else if (f.is_infinite(v)) {
            expected.push_back(d.element(f.negative(v) ? d.least() : d.greatest()));
          } else {
            expected.push_back(d.element(d.clamped(integer_of(v, f, mode.mode))));
          }
        }
        compare(std::string("cvt.") + mode.name + "i." + d.name + "." + s.name, {samples}, expected);
      }
    }
  }
}

TEST(Convert, FlushedSubnormalsDoNotRoundAwayFromZero) {
  const Column subnormals{1, 0x007fffff, 0x80000001, 0x807fffff, 0x00800000};
  compare("cvt.rpi.s32.f32", {subnormals}, {1, 1, 0, 0, 1});
  compare("cvt.rpi.ftz.s32.f32", {subnormals}, {0, 0, 0, 0, 1});
  compare("cvt.rmi.s32.f32", {subnormals}, {0, 0, 0xffffffff, 0xffffffff, 0});
  compare("cvt.rmi.ftz.s32.f32", {subnormals}, {0, 0, 0, 0, 0});
  compare("cvt.rmi.ftz.s64.f32", {subnormals}, {0, 0, 0, 0, 0});
  compare("cvt.rpi.f32.f32", {subnormals}, {0x3f800000, 0x3f800000, 0x80000000, 0x80000000, 0x3f800000});
  compare("cvt.rpi.ftz.f32.f32", {subnormals}, {0, 0, 0x80000000, 0x80000000, 0x3f800000});
}

TEST(Convert, IntegerToFloatRoundsOnceInEveryMode) {
  const Column samples = integer_samples();
  for (const IntegerType& s : kIntegers) {
    for (const FloatType& d : kFloats) {
      for (const NamedMode& mode : kModes) {
        for (const bool sat : {false, true}) {
          Column expected;
          for (const std::uint64_t v : samples) {
            const Integer x = s.value(v);
            std::uint64_t r = encode({x < 0, absolute(x), 0, false}, *d.format, mode.mode);
            if (sat) r = saturated(r, *d.format);
            expected.push_back(r);
          }
          compare(std::string("cvt.") + mode.name + (sat ? ".sat." : ".") + d.name + "." + s.name, {samples}, expected);
        }
      }
    }
  }
}

TEST(Convert, FloatToFloatRoundsOnceInEveryMode) {
  for (const FloatType& s : kFloats) {
    const Column samples = source_values(*s.format);
    for (const FloatType& d : kFloats) {
      const bool narrows = d.format->width < s.format->width || (d.format->width == 16 && s.format->width == 16);
      for (const NamedMode& mode : kModes) {
        for (const bool sat : {false, true}) {
          if (d.format == s.format) continue;
          const std::string rounding = narrows ? std::string(".") + mode.name : "";
          const std::string spelling = "cvt" + rounding + (sat ? ".sat." : ".") + d.name + "." + s.name;
          Column expected;
          for (const std::uint64_t v : samples) {
            const std::uint64_t r = convert_of(v, *s.format, *d.format, mode.mode);
            expected.push_back(sat ? saturated(r, *d.format) : r);
          }
          compare(spelling, {samples}, expected);
        }
      }
    }
  }
}

TEST(Convert, FloatToIntegralKeepsTheSignOfZero) {
  for (const FloatType& type : kFloats) {
    const Format& f = *type.format;
    const Column samples = source_values(f);
    for (const NamedMode& mode : kModes) {
      Column expected;
      for (const std::uint64_t v : samples) {
        if (f.is_nan(v) || f.is_infinite(v)) {
          expected.push_back(f.is_nan(v) ? f.nan : v);
        } else {
          expected.push_back(
              encode({f.negative(v), absolute(integer_of(v, f, mode.mode)), 0, false}, f, Mode::kNearest));
        }
      }
      compare(std::string("cvt.") + mode.name + "i." + type.name + "." + type.name, {samples}, expected);
    }
  }
}

TEST(Convert, FlushesOnlyF32) {
  const Column floats = float_samples(kF32);
  Column to_same;
  Column to_half;
  Column to_double;
  for (const std::uint64_t v : floats) {
    const std::uint64_t x = kF32.flushed(v);
    to_same.push_back(kF32.is_nan(x) ? kF32.nan : x);
    to_half.push_back(convert_of(x, kF32, kF16, Mode::kUp));
    to_double.push_back(convert_of(x, kF32, kF64, Mode::kNearest));
  }
  compare("cvt.ftz.f32.f32", {floats}, to_same);
  compare("cvt.rp.ftz.f16.f32", {floats}, to_half);
  compare("cvt.ftz.f64.f32", {floats}, to_double);
  const Column doubles = float_samples(kF64);
  Column narrowed;
  for (const std::uint64_t v : doubles) narrowed.push_back(kF32.flushed(convert_of(v, kF64, kF32, Mode::kNearest)));
  compare("cvt.rn.ftz.f32.f64", {doubles}, narrowed);
  EXPECT_FALSE(exists("cvt.rn.ftz.f16.f64"));
}

TEST(Convert, PacksTwoFloatsWithModifiers) {
  std::vector<Column> sources(2);
  sources[0] = float_samples(kF32);
  sources[1] = sources[0];
  std::rotate(sources[1].begin(), sources[1].begin() + 777, sources[1].end());
  for (const FloatType& type : {kFloats[0], kFloats[1]}) {
    const Format& f = *type.format;
    for (const bool relu : {false, true}) {
      for (const bool finite : {false, true}) {
        for (const NamedMode& mode : {kModes[0], kModes[1]}) {
          const auto one = [&](std::uint64_t v) {
            std::uint64_t r = convert_of(v, kF32, f, mode.mode);
            if (finite && f.is_infinite(r)) --r;
            return relu && f.negative(r) && !f.is_nan(r) ? 0 : r;
          };
          Column pairs;
          Column singles;
          for (std::size_t i = 0; i < sources[0].size(); ++i) {
            pairs.push_back(one(sources[0][i]) << 16 | one(sources[1][i]));
            singles.push_back(one(sources[0][i]));
          }
          const std::string modifiers = std::string(mode.name) + (relu ? ".relu" : "") + (finite ? ".satfinite." : ".");
          compare("cvt." + modifiers + type.name + "x2.f32", sources, pairs);
          compare("cvt." + modifiers + type.name + ".f32", {sources[0]}, singles);
        }
      }
    }
  }
}

TEST(Convert, Tf32KeepsTenBitsOfTheFraction) {
  constexpr Format kTf32{11, -136, 127, 19, 0};
  const Column samples = float_samples(kF32);
  Column away;
  Column nearest;
  Column zero;
  for (const std::uint64_t v : samples) {
    if (kF32.is_nan(v)) {
      for (Column* c : {&away, &nearest, &zero}) c->push_back(kF32.nan);
      continue;
    }
    nearest.push_back(convert_of(v, kF32, kTf32, Mode::kNearest) << 13);
    zero.push_back(convert_of(v, kF32, kTf32, Mode::kZero) << 13);
    // Ties away: a tie is the only case in which rounding up by magnitude and to nearest may differ.
    const bool tie = (v & 0x1fff) == 0x1000;
    const Mode outward = kF32.negative(v) ? Mode::kDown : Mode::kUp;
    away.push_back(convert_of(v, kF32, kTf32, tie ? outward : Mode::kNearest) << 13);
  }
  compare("cvt.rna.tf32.f32", {samples}, away);
  compare("cvt.rn.tf32.f32", {samples}, nearest);
  compare("cvt.rz.tf32.f32", {samples}, zero);
}

TEST(Convert, PacksIntegersWithSaturation) {
  const Column a{0, 5, 0x7fffffff, 0x80000000, 0xffffffff, 300};
  const Column b{1, 0xfffffffb, 70000, 0xffff0000, 255, 0xffffff00};
  const Column c{0, 0x12345678, 0xffffffff, 1, 2, 3};
  compare("cvt.pack.sat.u16.s32", {a, b}, {0x00000001, 0x00050000, 0xffffffff, 0x00000000, 0x000000ff, 0x012c0000});
  compare("cvt.pack.sat.s16.s32", {a, b}, {0x00000001, 0x0005fffb, 0x7fff7fff, 0x80008000, 0xffff00ff, 0x012cff00});
  compare("cvt.pack.sat.u8.s32.b32", {a, b, c},
          {0x00000001, 0x56780500, 0xffffffff, 0x00010000, 0x000200ff, 0x0003ff00});
  compare("cvt.pack.sat.s8.s32.b32", {a, b, c},
          {0x00000001, 0x567805fb, 0xffff7f7f, 0x00018080, 0x0002ff7f, 0x00037f80});
}

TEST(Convert, RefusesMissingAndSuperfluousRounding) {
  for (const char* spelling :
       {"cvt.f32.s32", "cvt.s32.f32", "cvt.f32.f64", "cvt.rn.f64.f32", "cvt.f16.f32", "cvt.rn.f32.f32",
        "cvt.rni.f32.f64", "cvt.rn.s32.f32", "cvt.rni.f32.s32", "cvt.rn.s32.u32", "cvt.rn.relu.f32.f64",
        "cvt.rn.tf32.f64", "cvt.rm.f16x2.f32", "cvt.s32.pred"})
    EXPECT_FALSE(exists(spelling)) << spelling;
}

}  // namespace
}  // namespace castor::test::isa_float_convert_test

// setp, set, selp, slct on floating-point values.

#include <functional>
#include <optional>

#include "unit/isa_float_harness.h"
#include "unit/isa_float_reference.h"

namespace castor::test::isa_float_compare_test {
namespace {

const Column kValues32{0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
                       0x3f800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xc2280000};
const Column kValues64{0,
                       0x8000000000000000,
                       1,
                       0x8000000000000001,
                       0x0010000000000000,
                       0x3ff0000000000000,
                       0xbff0000000000000,
                       0x3ff0000000000001,
                       0x7ff0000000000000,
                       0xfff0000000000000,
                       0x7ff8000000000000,
                       0xfff0000000000001};
const Column kValues16{0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00,
                       0xbc00, 0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfc01};
const Column kValuesB16{0,      0x8000, 1,      0x8001, 0x007f, 0x0080, 0x3f80,
                        0xbf80, 0x3f81, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0xff81};

/// Returns the order of two values as -1, 0 or 1; nothing if one of them is NaN.
std::optional<int> order(std::uint64_t a, std::uint64_t b, const Format& f) {
  if (f.is_nan(a) || f.is_nan(b)) return std::nullopt;
  const auto place = [&f](std::uint64_t v) {
    const Integer m = v & (f.sign() - 1);
    return f.negative(v) ? Integer(-m) : m;
  };
  return place(a).compare(place(b)) < 0 ? -1 : place(a) == place(b) ? 0 : 1;
}

struct Comparison {
  const char* name;
  bool (*holds)(std::optional<int>);
};
const Comparison kComparisons[] = {
    {"eq", [](std::optional<int> o) { return o && *o == 0; }},
    {"ne", [](std::optional<int> o) { return o && *o != 0; }},
    {"lt", [](std::optional<int> o) { return o && *o < 0; }},
    {"le", [](std::optional<int> o) { return o && *o <= 0; }},
    {"gt", [](std::optional<int> o) { return o && *o > 0; }},
    {"ge", [](std::optional<int> o) { return o && *o >= 0; }},
    {"equ", [](std::optional<int> o) { return !o || *o == 0; }},
    {"neu", [](std::optional<int> o) { return !o || *o != 0; }},
    {"ltu", [](std::optional<int> o) { return !o || *o < 0; }},
    {"leu", [](std::optional<int> o) { return !o || *o <= 0; }},
    {"gtu", [](std::optional<int> o) { return !o || *o > 0; }},
    {"geu", [](std::optional<int> o) { return !o || *o >= 0; }},
    {"num", [](std::optional<int> o) { return o.has_value(); }},
    {"nan", [](std::optional<int> o) { return !o; }},
};
struct Boolean {
  const char* name;
  bool (*of)(bool, bool);
};
const Boolean kBooleans[] = {{"", [](bool r, bool) { return r; }},
                             {".and", [](bool r, bool c) { return r && c; }},
                             {".or", [](bool r, bool c) { return r || c; }},
                             {".xor", [](bool r, bool c) { return r != c; }}};

struct Kind {
  const char* type;
  const Format* format;
  const Column* values;
  bool ftz;
  bool packed;
};
const Kind kKinds[] = {{"f32", &kF32, &kValues32, true, false},     {"f64", &kF64, &kValues64, false, false},
                       {"f16", &kF16, &kValues16, true, false},     {"f16x2", &kF16, &kValues16, true, true},
                       {"bf16", &kBf16, &kValuesB16, false, false}, {"bf16x2", &kBf16, &kValuesB16, false, true}};

/// Returns all pairs of values. The upper halves hold a second pair for packed types, garbage for others.
std::vector<Column> pairs(const Kind& kind) {
  std::vector<Column> columns(2);
  const Column& v = *kind.values;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t j = 0; j < v.size(); ++j) {
      const bool narrow = kind.format->width == 16;
      columns[0].push_back(v[i] | (narrow ? v[(i * 5 + j) % v.size()] << 16 : 0));
      columns[1].push_back(v[j] | (narrow ? v[(j * 3 + i) % v.size()] << 16 : 0));
    }
  }
  return columns;
}
bool holds(const Comparison& c, const Kind& kind, std::uint64_t a, std::uint64_t b, bool ftz, unsigned shift) {
  const Format& f = *kind.format;
  if (f.width == 16) a = a >> shift & 0xffff, b = b >> shift & 0xffff;
  if (ftz) a = f.flushed(a), b = f.flushed(b);
  return c.holds(order(a, b, f));
}

TEST(FloatCompare, SetpGivesEveryOrderedAndUnorderedComparison) {
  for (const Kind& kind : kKinds) {
    const std::vector<Column> sources = pairs(kind);
    Column predicate(sources[0].size());
    for (std::size_t i = 0; i < predicate.size(); ++i) predicate[i] = (i * 7 / 3) & 1;
    for (const Comparison& c : kComparisons) {
      for (const Boolean& boolean : kBooleans) {
        for (const bool ftz : {false, true}) {
          const std::string spelling = std::string("setp.") + c.name + boolean.name + (ftz ? ".ftz." : ".") + kind.type;
          if (ftz && !kind.ftz) {
            EXPECT_FALSE(exists(spelling)) << spelling;
            continue;
          }
          for (const isa::InstructionTable* table : tables()) {
            for (const unsigned lanes : {32u, 64u}) {
              const Outcome got = run(*table, spelling, sources, predicate, lanes);
              ASSERT_EQ(got.first.size(), predicate.size());
              for (std::size_t i = 0; i < predicate.size(); ++i) {
                const bool low = holds(c, kind, sources[0][i], sources[1][i], ftz, 0);
                const bool high = kind.packed ? holds(c, kind, sources[0][i], sources[1][i], ftz, 16) : !low;
                const bool with = predicate[i] != 0;
                ASSERT_EQ(got.first[i], boolean.of(low, with) ? 1u : 0u)
                    << std::hex << spelling << ' ' << sources[0][i] << ' ' << sources[1][i];
                ASSERT_EQ(got.second[i], boolean.of(high, with) ? 1u : 0u)
                    << std::hex << spelling << ' ' << sources[0][i] << ' ' << sources[1][i];
              }
            }
          }
        }
      }
    }
  }
}

TEST(FloatCompare, SetWritesOnesOrOne) {
  struct Destination {
    const char* type;
    std::uint64_t truth;
  };
  const Destination destinations[] = {{"u32", 0xffffffff}, {"s32", 0xffffffff}, {"f32", 0x3f800000}};
  for (const Kind& kind : kKinds) {
    if (kind.format->width == 16) continue;
    const std::vector<Column> sources = pairs(kind);
    Column predicate(sources[0].size());
    for (std::size_t i = 0; i < predicate.size(); ++i) predicate[i] = (i / 3) & 1;
    for (const Destination& d : destinations) {
      for (const Comparison& c : kComparisons) {
        for (const Boolean& boolean : kBooleans) {
          const std::string spelling = std::string("set.") + c.name + boolean.name + "." + d.type + "." + kind.type;
          for (const isa::InstructionTable* table : tables()) {
            const Column got = run(*table, spelling, sources, predicate).values;
            for (std::size_t i = 0; i < got.size(); ++i) {
              const bool result = boolean.of(holds(c, kind, sources[0][i], sources[1][i], false, 0), predicate[i] != 0);
              ASSERT_EQ(got[i], result ? d.truth : 0) << std::hex << spelling << ' ' << sources[0][i];
            }
          }
        }
      }
    }
  }
}

TEST(FloatCompare, SetKnowsHalfPrecision) {
  const Kind& half = kKinds[2];
  const std::vector<Column> sources = pairs(half);
  const Comparison& less = kComparisons[2];
  for (const isa::InstructionTable* table : tables()) {
    const Column one = run(*table, "set.lt.f16.f16", sources).values;
    const Column two = run(*table, "set.lt.f16x2.f16x2", sources).values;
    const Column all = run(*table, "set.lt.ftz.u32.f16", sources).values;
    const Column bits = run(*table, "set.lt.u32.f16x2", sources).values;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const bool low = holds(less, half, sources[0][i], sources[1][i], false, 0);
      const bool high = holds(less, half, sources[0][i], sources[1][i], false, 16);
      EXPECT_EQ(one[i] & 0xffff, low ? 0x3c00u : 0u);
      EXPECT_EQ(two[i], (low ? 0x3c00u : 0u) | (high ? 0x3c000000u : 0u));
      EXPECT_EQ(bits[i], (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u));
      EXPECT_EQ(all[i], holds(less, half, sources[0][i], sources[1][i], true, 0) ? 0xffffffffu : 0u);
    }
  }
}

TEST(FloatCompare, SelpTakesFirstWhereThePredicateHolds) {
  const Column predicate{1, 0, 1, 1, 0};
  const std::vector<Column> sources{{1, 2, 3, 4, 5}, {11, 12, 0x7fc01234, 14, 0x7fc12345}};
  for (const isa::InstructionTable* table : tables()) {
    EXPECT_EQ(run(*table, "selp.f32", sources, predicate).values, (Column{1, 12, 3, 4, 0x7fc12345}));
    EXPECT_EQ(run(*table, "selp.f64", sources, predicate).values, (Column{1, 12, 3, 4, 0x7fc12345}));
  }
}

TEST(FloatCompare, SlctTakesFirstForNonNegative) {
  // +0, -0, NaN, negative NaN, smallest negative subnormal, infinities, one
  const Column c{0, 0x80000000, 0x7fc00000, 0xffc00000, 0x80000001, 0x7f800000, 0xff800000, 0x3f800000};
  const Column a{1, 2, 3, 4, 5, 6, 7, 8};
  const Column b{11, 12, 13, 14, 15, 16, 17, 18};
  for (const isa::InstructionTable* table : tables()) {
    for (const char* type : {"f32", "f64", "b16", "u64", "s32"}) {
      const std::string t = type;
      EXPECT_EQ(run(*table, "slct." + t + ".f32", {a, b, c}).values, (Column{1, 2, 13, 14, 15, 6, 17, 8})) << t;
      EXPECT_EQ(run(*table, "slct.ftz." + t + ".f32", {a, b, c}).values, (Column{1, 2, 13, 14, 5, 6, 17, 8})) << t;
    }
    EXPECT_EQ(run(*table, "slct.f32.s32", {a, b, c}).values, (Column{1, 12, 3, 14, 15, 6, 17, 8}));
    EXPECT_EQ(run(*table, "slct.f64.s32", {a, b, c}).values, (Column{1, 12, 3, 14, 15, 6, 17, 8}));
  }
}

}  // namespace
}  // namespace castor::test::isa_float_compare_test

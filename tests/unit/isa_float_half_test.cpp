// f16 and bf16 arithmetic against exact arithmetic.

#include <functional>

#include "tests/common/sanitized.h"
#include "unit/isa_float_harness.h"
#include "unit/isa_float_reference.h"

namespace castor::test::isa_float_half_test {
namespace {

constexpr std::size_t kRandom = unless_sanitized(20000, 2000);  // random operands of each instruction

struct Kind {
  const char* type;
  const Format* format;
};
constexpr Kind kKinds[] = {{"f16", &kF16}, {"bf16", &kBf16}};

Column edges(const Format& f) {
  Column c{0, 1, 2, f.infinity(), f.infinity() - 1, f.infinity() + 1, f.sign() - 1, f.one(), f.one() + 1, f.one() - 1};
  c.push_back(std::uint64_t{1} << (f.precision - 1));        // smallest normal
  c.push_back((std::uint64_t{1} << (f.precision - 1)) - 1);  // largest subnormal
  c.push_back(f.one() / 2);
  c.push_back(f.one() + f.one() / 3);
  const std::size_t n = c.size();
  for (std::size_t i = 0; i < n; ++i) c.push_back(c[i] | f.sign());
  return c;
}
Column random16(std::mt19937_64& g, std::size_t count) {
  Column c(count);
  for (std::uint64_t& v : c) v = g() & 0xffff;
  return c;
}
/// Exponents near 1: sums and products that round, cancel and tie.
Column near_one(const Format& f, std::mt19937_64& g, std::size_t count) {
  Column c(count);
  const std::uint64_t fraction = (std::uint64_t{1} << (f.precision - 1)) - 1;
  for (std::uint64_t& v : c) {
    const std::uint64_t e = (f.one() >> (f.precision - 1)) - 6 + g() % 12;
    v = (g() & 0x8000) | e << (f.precision - 1) | (g() & fraction);
  }
  return c;
}

std::vector<Column> operands(const Format& f, unsigned count) {
  std::vector<Column> columns = combinations(edges(f), count, kRandom, random16);
  std::mt19937_64 g(kSeed + count);
  for (Column& column : columns) {
    const Column more = near_one(f, g, kRandom);
    column.insert(column.end(), more.begin(), more.end());
  }
  return columns;
}

struct Modifiers {
  bool ftz = false;
  bool sat = false;
  bool relu = false;
};
using Reference = std::function<std::uint64_t(const std::uint64_t*, const Format&)>;

void check(const std::string& spelling, const std::vector<Column>& sources, const Kind& kind,
           const Reference& reference, Modifiers modifiers, bool packed) {
  const Format& f = *kind.format;
  Column expected;
  for (std::size_t i = 0; i < sources[0].size(); ++i) {
    std::uint64_t s[3] = {};
    for (std::size_t k = 0; k < sources.size(); ++k) s[k] = modifiers.ftz ? f.flushed(sources[k][i]) : sources[k][i];
    std::uint64_t d = reference(s, f);
    if (modifiers.ftz) d = f.flushed(d);
    if (modifiers.sat) d = saturated(d, f);
    if (modifiers.relu && !f.is_nan(d) && f.negative(d)) d = 0;
    expected.push_back(d);
  }
  // Packed: the same values, shifted by some places, in the upper halves.
  const std::size_t n = expected.size();
  const std::size_t shift = packed ? 4321 % n : 0;
  std::vector<Column> columns = sources;
  if (packed) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) columns[k][i] |= sources[k][(i + shift) % n] << 16;
    }
  }
  for (const isa::InstructionTable* table : tables()) {
    const Column got = run(*table, spelling, columns).values;
    ASSERT_EQ(got.size(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto describe = [&] {
        std::string text = spelling + " (" + std::string(table->variant()) + ")";
        for (const Column& column : columns) text += " " + std::to_string(column[i]);
        return text;
      };
      ASSERT_EQ(got[i] & 0xffff, expected[i]) << describe();
      if (packed) {
        ASSERT_EQ(got[i] >> 16, expected[(i + shift) % n]) << describe();
      }
    }
  }
}

TEST(HalfArithmetic, IsExactlyRounded) {
  struct Operation {
    const char* name;
    unsigned operands;
    Reference reference;
  };
  const Operation operations[] = {
      {"add", 2, [](const std::uint64_t* s, const Format& f) { return add_of(s[0], s[1], f, Mode::kNearest); }},
      {"sub", 2,
       [](const std::uint64_t* s, const Format& f) { return add_of(s[0], s[1] ^ 0x8000, f, Mode::kNearest); }},
      {"mul", 2, [](const std::uint64_t* s, const Format& f) { return mul_of(s[0], s[1], f, Mode::kNearest); }},
      {"fma.rn", 3,
       [](const std::uint64_t* s, const Format& f) { return fma_of(s[0], s[1], s[2], f, Mode::kNearest); }},
  };
  for (const Kind& kind : kKinds) {
    const bool half = kind.format == &kF16;
    for (const Operation& op : operations) {
      const std::vector<Column> sources = operands(*kind.format, op.operands);
      for (const bool packed : {false, true}) {
        const std::string type = std::string(".") + kind.type + (packed ? "x2" : "");
        check(op.name + type, sources, kind, op.reference, {}, packed);
        if (half) {
          check(op.name + (".ftz" + type), sources, kind, op.reference, {true, false, false}, packed);
          check(op.name + (".sat" + type), sources, kind, op.reference, {false, true, false}, packed);
          check(op.name + (".ftz.sat" + type), sources, kind, op.reference, {true, true, false}, packed);
        }
        if (op.operands == 3)
          check(op.name + (".relu" + type), sources, kind, op.reference, {false, false, true}, packed);
        if (op.operands == 3 && half)
          check(op.name + (".ftz.relu" + type), sources, kind, op.reference, {true, false, true}, packed);
      }
    }
  }
}

TEST(HalfArithmetic, MinAndMaxFollowPtx) {
  for (const Kind& kind : kKinds) {
    const Format& f = *kind.format;
    const std::vector<Column> sources = operands(f, 2);
    for (const bool max : {false, true}) {
      for (const bool nan_wins : {false, true}) {
        for (const bool xorsign : {false, true}) {
          const Reference reference = [&](const std::uint64_t* s, const Format&) -> std::uint64_t {
            std::uint64_t a = s[0];
            std::uint64_t b = s[1];
            const std::uint64_t sign = xorsign ? (a ^ b) & 0x8000 : 0;
            if (xorsign) a &= 0x7fff, b &= 0x7fff;
            if (f.is_nan(a) && f.is_nan(b)) return f.nan;
            if (f.is_nan(a) || f.is_nan(b)) return nan_wins ? f.nan : (f.is_nan(a) ? b : a) | sign;
            const auto place = [](std::uint64_t v) {
              const int m = static_cast<int>(v & 0x7fff);
              return (v & 0x8000) != 0 ? -2 * m - 1 : 2 * m;
            };
            return ((place(a) < place(b)) != max ? a : b) | sign;
          };
          for (const bool packed : {false, true}) {
            const std::string spelling = std::string(max ? "max" : "min") + (nan_wins ? ".NaN" : "") +
                                         (xorsign ? ".xorsign.abs" : "") + "." + kind.type + (packed ? "x2" : "");
            check(spelling, sources, kind, reference, {}, packed);
          }
        }
      }
    }
  }
}

TEST(HalfArithmetic, NegAndAbsChangeTheSignOfEveryValue) {
  Column all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const Kind& kind : kKinds) {
    for (const bool packed : {false, true}) {
      const std::string type = std::string(".") + kind.type + (packed ? "x2" : "");
      check(
          "neg" + type, {all}, kind, [](const std::uint64_t* s, const Format&) { return s[0] ^ 0x8000; }, {}, packed);
      check(
          "abs" + type, {all}, kind, [](const std::uint64_t* s, const Format&) { return s[0] & 0x7fff; }, {}, packed);
    }
  }
  check(
      "neg.ftz.f16", {all}, kKinds[0], [](const std::uint64_t* s, const Format&) { return s[0] ^ 0x8000; },
      {true, false, false}, false);
}

}  // namespace
}  // namespace castor::test::isa_float_half_test

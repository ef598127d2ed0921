// Tests integer arithmetic against references in wide arithmetic (128 bits), or bit by bit where that is an independent
// method.

#include "unit/isa_harness.h"

namespace castor::test::isa_integer_test {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

struct TypeInfo {
  const char* name;
  unsigned bits;
  bool is_signed;
};
constexpr TypeInfo kTypes[] = {{"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                               {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true}};

/// Returns the number that the low bits represent in type `type`.
Wide number(u64 value, const TypeInfo& type) {
  Wide result = low_bits(value, type.bits);
  if (type.is_signed && (value >> (type.bits - 1) & 1) != 0) result -= Wide{1} << type.bits;
  return result;
}
u64 encode(Wide value) { return static_cast<u64>(static_cast<UnsignedWide>(value)); }
Wide smallest(const TypeInfo& type) { return type.is_signed ? -(Wide{1} << (type.bits - 1)) : 0; }
Wide largest(const TypeInfo& type) { return (Wide{1} << (type.is_signed ? type.bits - 1 : type.bits)) - 1; }
Wide clamp(Wide value, const TypeInfo& type) {
  if (value < smallest(type)) return smallest(type);
  return value > largest(type) ? largest(type) : value;
}
/// Product of two 64-bit numbers, all 128 bits of it, by schoolbook (signed types by sign and magnitude).
Wide product(Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)); }

constexpr TypeInfo kS32{"s32", 32, true};

TEST(Integer, AddsAndSubtractsModuloTheWidth) {
  for (const TypeInfo& t : kTypes) {
    check(std::string("add.") + t.name, [&](Lane& x) { x.d = encode(number(x.s[0], t) + number(x.s[1], t)); });
    check(std::string("sub.") + t.name, [&](Lane& x) { x.d = encode(number(x.s[0], t) - number(x.s[1], t)); });
  }
}

TEST(Integer, SaturatesSumsToS32) {
  check("add.sat.s32", [](Lane& x) { x.d = encode(clamp(number(x.s[0], kS32) + number(x.s[1], kS32), kS32)); });
  check("sub.sat.s32", [](Lane& x) { x.d = encode(clamp(number(x.s[0], kS32) - number(x.s[1], kS32), kS32)); });
}

TEST(Integer, MultipliesLowAndHighHalves) {
  for (const TypeInfo& t : kTypes) {
    check(std::string("mul.lo.") + t.name,
          [&](Lane& x) { x.d = encode(product(number(x.s[0], t), number(x.s[1], t))); });
    check(std::string("mul.hi.") + t.name, [&](Lane& x) {
      const auto all = static_cast<UnsignedWide>(product(number(x.s[0], t), number(x.s[1], t)));
      x.d = static_cast<u64>(all >> t.bits);
    });
    check(std::string("mad.lo.") + t.name,
          [&](Lane& x) { x.d = encode(product(number(x.s[0], t), number(x.s[1], t))) + x.s[2]; });
    check(std::string("mad.hi.") + t.name, [&](Lane& x) {
      const auto all = static_cast<UnsignedWide>(product(number(x.s[0], t), number(x.s[1], t)));
      x.d = static_cast<u64>(all >> t.bits) + x.s[2];
    });
    if (t.bits == 64) continue;
    check(std::string("mul.wide.") + t.name, [&](Lane& x) { x.d = encode(number(x.s[0], t) * number(x.s[1], t)); });
    check(std::string("mad.wide.") + t.name,
          [&](Lane& x) { x.d = encode(number(x.s[0], t) * number(x.s[1], t)) + x.s[2]; });
  }
  check("mad.hi.sat.s32", [](Lane& x) {
    const Wide high = product(number(x.s[0], kS32), number(x.s[1], kS32)) >> 32;
    x.d = encode(clamp(high + number(x.s[2], kS32), kS32));
  });
}

TEST(Integer, MultipliesTwentyFourBits) {
  for (const bool is_signed : {false, true}) {
    const TypeInfo t24{"", 24, is_signed};
    const std::string type = is_signed ? "s32" : "u32";
    const auto all = [t24](const Lane& x) { return number(x.s[0], t24) * number(x.s[1], t24); };
    check("mul24.lo." + type, [&](Lane& x) { x.d = encode(all(x)); });
    check("mul24.hi." + type, [&](Lane& x) { x.d = encode(all(x) >> 16); });
    check("mad24.lo." + type, [&](Lane& x) { x.d = encode(all(x)) + x.s[2]; });
    check("mad24.hi." + type, [&](Lane& x) { x.d = encode(all(x) >> 16) + x.s[2]; });
  }
  const TypeInfo s24{"", 24, true};
  check("mad24.hi.sat.s32", [&](Lane& x) {
    x.d = encode(clamp((number(x.s[0], s24) * number(x.s[1], s24) >> 16) + number(x.s[2], kS32), kS32));
  });
}

TEST(Integer, DividesTowardsZeroAndGivesAllOnesForZeroDivisors) {
  for (const TypeInfo& t : kTypes) {
    check(std::string("div.") + t.name, [&](Lane& x) {
      const Wide a = number(x.s[0], t);
      const Wide b = number(x.s[1], t);
      x.d = b == 0 ? ~u64{0} : encode(a / b);
    });
    check(std::string("rem.") + t.name, [&](Lane& x) {
      const Wide a = number(x.s[0], t);
      const Wide b = number(x.s[1], t);
      x.d = b == 0 ? x.s[0] : encode(a - a / b * b);
    });
  }
}

TEST(Integer, ComparesMagnitudes) {
  for (const TypeInfo& t : kTypes) {
    const std::string type = t.name;
    check("min." + type, [&](Lane& x) { x.d = encode(std::min(number(x.s[0], t), number(x.s[1], t))); });
    check("max." + type, [&](Lane& x) { x.d = encode(std::max(number(x.s[0], t), number(x.s[1], t))); });
    check("sad." + type, [&](Lane& x) {
      const Wide difference = number(x.s[0], t) - number(x.s[1], t);
      x.d = encode((difference < 0 ? -difference : difference) + number(x.s[2], t));
    });
    if (!t.is_signed) continue;
    check("abs." + type, [&](Lane& x) {
      const Wide a = number(x.s[0], t);
      x.d = encode(a < 0 ? -a : a);
    });
    check("neg." + type, [&](Lane& x) { x.d = encode(-number(x.s[0], t)); });
  }
  check("min.relu.s32",
        [](Lane& x) { x.d = encode(std::max<Wide>(0, std::min(number(x.s[0], kS32), number(x.s[1], kS32)))); });
  check("max.relu.s32",
        [](Lane& x) { x.d = encode(std::max<Wide>(0, std::max(number(x.s[0], kS32), number(x.s[1], kS32)))); });
}

TEST(Integer, WorksOnBothHalvesOfAWord) {
  const TypeInfo halves[] = {{"u16x2", 16, false}, {"s16x2", 16, true}};
  for (const TypeInfo& t : halves) {
    const auto both = [&t](Lane& x, Wide (*op)(Wide, Wide)) {
      x.d = 0;
      for (unsigned shift : {0u, 16u})
        x.d |=
            low_bits(encode(op(number(low_bits(x.s[0] >> shift, 16), t), number(low_bits(x.s[1] >> shift, 16), t))), 16)
            << shift;
    };
    const std::string type = t.name;
    check("add." + type, [&](Lane& x) { both(x, [](Wide a, Wide b) { return a + b; }); });
    check("min." + type, [&](Lane& x) { both(x, [](Wide a, Wide b) { return a < b ? a : b; }); });
    check("max." + type, [&](Lane& x) { both(x, [](Wide a, Wide b) { return a > b ? a : b; }); });
    if (!t.is_signed) continue;
    check("min.relu." + type,
          [&](Lane& x) { both(x, [](Wide a, Wide b) { return std::max<Wide>(a < b ? a : b, 0); }); });
    check("max.relu." + type,
          [&](Lane& x) { both(x, [](Wide a, Wide b) { return std::max<Wide>(a > b ? a : b, 0); }); });
  }
}

TEST(Integer, SumsProductsOfBytes) {
  const auto part = [](u64 value, unsigned from, unsigned bits, bool is_signed) {
    return number(low_bits(value >> from, bits), TypeInfo{"", bits, is_signed});
  };
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const std::string types = std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32");
      check("dp4a" + types, [&](Lane& x) {
        Wide sum = x.s[2];
        for (unsigned i = 0; i < 4; ++i) sum += part(x.s[0], 8 * i, 8, a) * part(x.s[1], 8 * i, 8, b);
        x.d = encode(sum);
      });
      check("dp2a.lo" + types, [&](Lane& x) {
        x.d = encode(part(x.s[0], 0, 16, a) * part(x.s[1], 0, 8, b) + part(x.s[0], 16, 16, a) * part(x.s[1], 8, 8, b) +
                     Wide{x.s[2]});
      });
      check("dp2a.hi" + types, [&](Lane& x) {
        x.d = encode(part(x.s[0], 0, 16, a) * part(x.s[1], 16, 8, b) +
                     part(x.s[0], 16, 16, a) * part(x.s[1], 24, 8, b) + Wide{x.s[2]});
      });
    }
  }
}

TEST(Integer, CarriesThroughChains) {
  for (const unsigned bits : {32u, 64u}) {
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + std::to_string(bits);
      const UnsignedWide one = UnsignedWide{1} << bits;
      const auto sum = [one, bits](Lane& x, u64 a, u64 b, bool carry) {
        const UnsignedWide total = UnsignedWide{a} + b + (carry ? 1 : 0);
        x.d = low_bits(static_cast<u64>(total), bits);
        x.out[0] = total >= one;
      };
      // One flag for both directions: it is set where a subtraction borrows nothing.
      const auto difference = [bits](Lane& x, bool carry) {
        const Wide total = Wide{x.s[0]} - Wide{x.s[1]} - (carry ? 0 : 1);
        x.d = low_bits(encode(total), bits);
        x.out[0] = total >= 0;
      };
      check("add.cc." + type, [&](Lane& x) { sum(x, x.s[0], x.s[1], false); });
      check("addc." + type, [&](Lane& x) { sum(x, x.s[0], x.s[1], x.p[0]); });
      check("addc.cc." + type, [&](Lane& x) { sum(x, x.s[0], x.s[1], x.p[0]); });
      check("sub.cc." + type, [&](Lane& x) { difference(x, true); });
      check("subc." + type, [&](Lane& x) { difference(x, x.p[0]); });
      check("subc.cc." + type, [&](Lane& x) { difference(x, x.p[0]); });
      for (const bool high : {false, true}) {
        const TypeInfo t{"", bits, is_signed};
        const auto mad = [&](Lane& x, bool carry) {
          const auto all = static_cast<UnsignedWide>(product(number(x.s[0], t), number(x.s[1], t)));
          const u64 half = low_bits(static_cast<u64>(high ? all >> bits : all), bits);
          sum(x, half, x.s[2], carry);
        };
        const std::string which = high ? "hi." : "lo.";
        check("mad." + which + "cc." + type, [&](Lane& x) { mad(x, false); });
        check("madc." + which + type, [&](Lane& x) { mad(x, x.p[0]); });
        check("madc." + which + "cc." + type, [&](Lane& x) { mad(x, x.p[0]); });
      }
    }
  }
}

TEST(Video, WorksOnBytesAndHalfWords) {
  struct Operation {
    const char* name;
    Wide (*op)(Wide, Wide);
  };
  const Operation operations[] = {
      {"vadd", [](Wide a, Wide b) { return a + b; }},
      {"vsub", [](Wide a, Wide b) { return a - b; }},
      {"vabsdiff", [](Wide a, Wide b) { return a > b ? a - b : b - a; }},
      {"vmin", [](Wide a, Wide b) { return a > b ? b : a; }},
      {"vmax", [](Wide a, Wide b) { return a > b ? a : b; }},
      {"vavrg",
       [](Wide a, Wide b) {
         // Rounded up, or towards minus infinity for negative sums, as the manual's formula has it.
         const Wide sum = a + b;
         if (sum >= 0) return (sum + 1) / 2;
         return sum % 2 == 0 ? sum / 2 : (sum - 1) / 2;
       }},
  };
  for (const Operation& operation : operations) {
    for (const unsigned parts : {1u, 2u, 4u}) {
      if (parts == 1 && std::string(operation.name) == "vavrg") continue;
      for (unsigned signs = 0; signs < 8; ++signs) {
        for (const bool saturate : {false, true}) {
          const unsigned width = 32 / parts;
          const TypeInfo d{"", width, (signs & 1) != 0};
          const TypeInfo a{"", width, (signs & 2) != 0};
          const TypeInfo b{"", width, (signs & 4) != 0};
          const auto type = [](const TypeInfo& t) { return t.is_signed ? ".s32" : ".u32"; };
          const std::string spelling = operation.name + (parts == 1 ? std::string() : std::to_string(parts)) + type(d) +
                                       type(a) + type(b) + (saturate ? ".sat" : "");
          const auto value = [=](const Lane& x, unsigned i) {
            const Wide result = operation.op(number(low_bits(x.s[0] >> i * width, width), a),
                                             number(low_bits(x.s[1] >> i * width, width), b));
            return saturate ? clamp(result, d) : result;
          };
          const CheckOptions short_run{0, 8, {}};
          check(
              spelling,
              [=](Lane& x) {
                x.d = 0;
                for (unsigned i = 0; i < parts; ++i) x.d |= low_bits(encode(value(x, i)), width) << i * width;
              },
              short_run);
          check(
              spelling + ".add",
              [=](Lane& x) {
                Wide sum = x.s[2];
                for (unsigned i = 0; i < parts; ++i) sum += value(x, i);
                x.d = encode(sum);
              },
              short_run);
          if (parts != 1) continue;
          check(
              spelling + ".max",
              [=](Lane& x) { x.d = encode(std::max(number(low_bits(encode(value(x, 0)), 32), d), number(x.s[2], d))); },
              short_run);
        }
      }
    }
  }
}

TEST(Video, ShiftsAndCompares) {
  const CheckOptions short_run{0, 8, {}};
  check(
      "vshl.u32.u32.u32.clamp", [](Lane& x) { x.d = x.s[1] > 31 ? 0 : x.s[0] << x.s[1]; }, short_run);
  check(
      "vshr.u32.u32.u32.wrap.add", [](Lane& x) { x.d = (x.s[0] >> x.s[1] % 32) + x.s[2]; }, short_run);
  check(
      "vshr.s32.s32.u32.clamp", [](Lane& x) { x.d = encode(number(x.s[0], kS32) >> std::min<u64>(x.s[1], 32)); },
      short_run);
  check(
      "vset.s32.s32.lt", [](Lane& x) { x.d = number(x.s[0], kS32) < number(x.s[1], kS32) ? 1 : 0; }, short_run);
  check(
      "vset4.u32.u32.eq",
      [](Lane& x) {
        x.d = 0;
        for (unsigned i = 0; i < 32; i += 8) x.d |= u64{(x.s[0] >> i & 0xff) == (x.s[1] >> i & 0xff)} << i;
      },
      short_run);
  check(
      "vset2.u32.u32.ge.add",
      [](Lane& x) { x.d = x.s[2] + ((x.s[0] & 0xffff) >= (x.s[1] & 0xffff)) + ((x.s[0] >> 16) >= (x.s[1] >> 16)); },
      short_run);
}

// Worked figures, written by hand.
TEST(Integer, GivesTheFiguresOfTheManual) {
  check("sad.u32", [](Lane& x) { x.d = 9; }, {0, 1, [](Lane& x, std::mt19937_64&) { x = Lane{{3, 5, 7}, {}, 0, {}}; }});
  check("div.s32", [](Lane& x) { x.d = 0x80000000u; }, {0, 1, [](Lane& x, std::mt19937_64&) {
                                                          x = Lane{{0x80000000u, 0xffffffffu}, {}, 0, {}};
                                                        }});
  check("rem.s32", [](Lane& x) { x.d = 0xffffffffu; }, {0, 1, [](Lane& x, std::mt19937_64&) {
                                                          x = Lane{{0xfffffff9u, 3}, {}, 0, {}};
                                                        }});  // -7 rem 3 = -1
}

}  // namespace
}  // namespace castor::test::isa_integer_test

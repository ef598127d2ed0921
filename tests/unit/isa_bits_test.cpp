// Logic, shifts, bit fields, byte permutation, comparison, selection, moves: references work bit by bit, as PTX's own
// descriptions do.

#include "unit/isa_harness.h"

namespace castor::test::isa_bits_test {
namespace {

bool bit(u64 value, u64 position) { return position < 64 && (value >> position & 1) != 0; }

const std::vector<unsigned> kWidths = {16, 32, 64};

s64 signed_value(u64 value, unsigned bits) {
  return bit(value, bits - 1) ? static_cast<s64>(value | ~low_bits(~u64{0}, bits)) : static_cast<s64>(value);
}

TEST(Logic, CombinesBits) {
  for (const unsigned w : kWidths) {
    const std::string type = "b" + std::to_string(w);
    const auto bitwise = [w](Lane& x, bool (*op)(bool, bool)) {
      x.d = 0;
      for (unsigned i = 0; i < w; ++i) x.d |= u64{op(bit(x.s[0], i), bit(x.s[1], i))} << i;
    };
    check("and." + type, [&](Lane& x) { bitwise(x, [](bool a, bool b) { return a && b; }); });
    check("or." + type, [&](Lane& x) { bitwise(x, [](bool a, bool b) { return a || b; }); });
    check("xor." + type, [&](Lane& x) { bitwise(x, [](bool a, bool b) { return a != b; }); });
    check("not." + type, [&](Lane& x) { bitwise(x, [](bool a, bool) { return !a; }); });
    check("cnot." + type, [&](Lane& x) { x.d = x.s[0] == 0 ? 1 : 0; });
  }
  check("and.pred", [](Lane& x) { x.out[0] = x.p[0] && x.p[1]; });
  check("or.pred", [](Lane& x) { x.out[0] = x.p[0] || x.p[1]; });
  check("xor.pred", [](Lane& x) { x.out[0] = x.p[0] != x.p[1]; });
  check("not.pred", [](Lane& x) { x.out[0] = !x.p[0]; });
  check("mov.pred", [](Lane& x) { x.out[0] = x.p[0]; });
}

TEST(Logic, ComputesAnyFunctionOfThreeInputs) {
  for (unsigned table = 0; table < 256; table += 1) {
    const auto function = [table](Lane& x) {
      x.d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned index = 4 * bit(x.s[0], i) + 2 * bit(x.s[1], i) + bit(x.s[2], i);
        x.d |= u64{bit(table, index)} << i;
      }
    };
    check("lop3.b32", function, {table, 2, {}});
    if (table % 37 != 0) continue;
    check("lop3.and.b32", [&](Lane& x) { function(x), x.out[0] = x.d != 0 && x.p[0]; }, {table, 4, {}});
    check("lop3.or.b32", [&](Lane& x) { function(x), x.out[0] = x.d != 0 || x.p[0]; }, {table, 4, {}});
  }
}

TEST(Logic, ShiftsClampAtTheWidth) {
  for (const unsigned w : kWidths) {
    const std::string width = std::to_string(w);
    check("shl.b" + width, [&](Lane& x) {
      x.d = 0;
      for (u64 i = 0; i < w; ++i)
        if (i >= x.s[1] && bit(x.s[0], i - x.s[1])) x.d |= u64{1} << i;
    });
    const auto right = [w](Lane& x, bool fill) {
      x.d = 0;
      for (u64 i = 0; i < w; ++i)
        if (i + x.s[1] < w ? bit(x.s[0], i + x.s[1]) : fill) x.d |= u64{1} << i;
    };
    check("shr.u" + width, [&](Lane& x) { right(x, false); });
    check("shr.b" + width, [&](Lane& x) { right(x, false); });
    check("shr.s" + width, [&](Lane& x) { right(x, bit(x.s[0], w - 1)); });
  }
}

TEST(Logic, FunnelsPairsOfWords) {
  for (const bool wrap : {false, true}) {
    const std::string mode = wrap ? ".wrap.b32" : ".clamp.b32";
    const auto amount = [wrap](const Lane& x) { return wrap ? x.s[2] % 32 : std::min<u64>(x.s[2], 32); };
    check("shf.l" + mode, [&](Lane& x) {
      x.d = 0;  // bit i of the upper word after the shift
      for (unsigned i = 0; i < 32; ++i) {
        const u64 from = 32 + i - amount(x);
        x.d |= u64{from < 32 ? bit(x.s[0], from) : bit(x.s[1], from - 32)} << i;
      }
    });
    check("shf.r" + mode, [&](Lane& x) {
      x.d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const u64 from = i + amount(x);
        x.d |= u64{from < 32 ? bit(x.s[0], from) : bit(x.s[1], from - 32)} << i;
      }
    });
  }
}

TEST(Bits, CountsAndFinds) {
  for (const unsigned w : {32u, 64u}) {
    const std::string width = std::to_string(w);
    check("popc.b" + width, [&](Lane& x) {
      x.d = 0;
      for (unsigned i = 0; i < w; ++i) x.d += bit(x.s[0], i);
    });
    check("clz.b" + width, [&](Lane& x) {
      x.d = 0;
      while (x.d < w && !bit(x.s[0], w - 1 - x.d)) ++x.d;
    });
    check("brev.b" + width, [&](Lane& x) {
      x.d = 0;
      for (unsigned i = 0; i < w; ++i) x.d |= u64{bit(x.s[0], i)} << (w - 1 - i);
    });
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + width;
      const auto find = [w, is_signed](const Lane& x) {
        const bool sign = is_signed && bit(x.s[0], w - 1);
        for (int i = static_cast<int>(w) - 1; i >= 0; --i)
          if (bit(x.s[0], static_cast<u64>(i)) != sign) return static_cast<s64>(i);
        return s64{-1};
      };
      check("bfind." + type, [&](Lane& x) { x.d = static_cast<u64>(find(x)); });
      check("bfind.shiftamt." + type, [&](Lane& x) {
        const s64 found = find(x);
        x.d = found < 0 ? ~u64{0} : w - 1 - static_cast<u64>(found);
      });
    }
  }
}

TEST(Bits, ExtractsAndInsertsFields) {
  for (const unsigned w : {32u, 64u}) {
    for (const bool is_signed : {false, true}) {
      check((is_signed ? "bfe.s" : "bfe.u") + std::to_string(w),
            [&](Lane& x) {
              const u64 pos = x.s[1] & 0xff;
              const u64 len = x.s[2] & 0xff;
              const bool fill = is_signed && len != 0 && bit(x.s[0], std::min<u64>(pos + len - 1, w - 1));
              x.d = 0;
              for (u64 i = 0; i < w; ++i) x.d |= u64{i < len && pos + i < w ? bit(x.s[0], pos + i) : fill} << i;
            },
            {0, 400, [](Lane& x, std::mt19937_64& random) {
               if (random() % 2 == 0) x.s[1] = random() % 80;
               if (random() % 2 == 0) x.s[2] = random() % 80;
             }});
    }
    check("bfi.b" + std::to_string(w),
          [&](Lane& x) {
            const u64 pos = x.s[2] & 0xff;
            const u64 len = x.s[3] & 0xff;
            x.d = x.s[1];
            for (u64 i = 0; i < len && pos + i < w; ++i) {
              x.d &= ~(u64{1} << (pos + i));
              x.d |= u64{bit(x.s[0], i)} << (pos + i);
            }
          },
          {0, 400, [](Lane& x, std::mt19937_64& random) {
             if (random() % 2 == 0) x.s[2] = random() % 80;
             if (random() % 2 == 0) x.s[3] = random() % 80;
           }});
  }
}

TEST(Bits, FindsTheNthSetBit) {
  check("fns.b32",
        [](Lane& x) {
          const s64 base = signed_value(x.s[1], 32);
          const s64 offset = signed_value(x.s[2], 32);
          x.d = 0xffffffffu;
          if (base < 0 || base > 31) return;
          if (offset == 0) {
            if (bit(x.s[0], static_cast<u64>(base))) x.d = static_cast<u64>(base);
            return;
          }
          std::vector<s64> found;
          if (offset > 0)
            for (s64 i = base; i < 32; ++i) found.insert(found.end(), bit(x.s[0], static_cast<u64>(i)) ? 1 : 0, i);
          else
            for (s64 i = base; i >= 0; --i) found.insert(found.end(), bit(x.s[0], static_cast<u64>(i)) ? 1 : 0, i);
          const u64 nth = static_cast<u64>(offset > 0 ? offset : -offset);
          if (nth <= found.size()) x.d = static_cast<u64>(found[nth - 1]);
        },
        {0, 400, [](Lane& x, std::mt19937_64& random) {
           if (random() % 8 != 0) x.s[1] = random() % 34;
           if (random() % 8 != 0) x.s[2] = low_bits(random() % 41 - 20, 32);
         }});
}

TEST(Bits, MakesMasksAndExtends) {
  const auto ones = [](u64 from, u64 count) {
    u64 mask = 0;
    for (u64 i = from; i < from + count && i < 32; ++i) mask |= u64{1} << i;
    return mask;
  };
  check("bmsk.clamp.b32", [&](Lane& x) { x.d = ones(x.s[0], x.s[1]); });
  check("bmsk.wrap.b32", [&](Lane& x) { x.d = ones(x.s[0] % 32, x.s[1] % 32); });
  for (const bool wrap : {false, true}) {
    for (const bool is_signed : {false, true}) {
      check(std::string("szext.") + (wrap ? "wrap." : "clamp.") + (is_signed ? "s32" : "u32"), [&](Lane& x) {
        const u64 width = wrap ? x.s[1] % 32 : std::min<u64>(x.s[1], 32);
        const bool fill = is_signed && width != 0 && bit(x.s[0], width - 1);
        x.d = 0;
        for (u64 i = 0; i < 32; ++i) x.d |= u64{i < width ? bit(x.s[0], i) : fill} << i;
      });
    }
  }
}

TEST(Bits, PermutesBytes) {
  const auto byte = [](const Lane& x, unsigned index) {
    return index < 4 ? x.s[0] >> 8 * index & 0xff : x.s[1] >> 8 * (index - 4) & 0xff;
  };
  check("prmt.b32", [&](Lane& x) {
    x.d = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned nibble = static_cast<unsigned>(x.s[2] >> (4 * i)) & 15;
      u64 value = byte(x, nibble % 8);
      if (nibble >= 8) value = value >= 0x80 ? 0xff : 0;
      x.d |= value << 8 * i;
    }
  });
  // Source bytes of result bytes 3, 2, 1, 0 for the four values of the mode operand, as the manual's table has them.
  const std::pair<const char*, std::vector<std::vector<unsigned>>> modes[] = {
      {"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  for (const auto& [mode, table] : modes) {
    check(std::string("prmt.b32.") + mode, [&, &table = table](Lane& x) {
      x.d = 0;
      for (const unsigned from : table[x.s[2] % 4]) x.d = x.d << 8 | byte(x, from);
    });
  }
}

struct Comparison {
  const char* name;
  bool on_less, on_equal, on_greater;
  bool only_unsigned, for_bits;
};
constexpr Comparison kComparisons[] = {
    {"eq", false, true, false, false, true},  {"ne", true, false, true, false, true},
    {"lt", true, false, false, false, false}, {"le", true, true, false, false, false},
    {"gt", false, false, true, false, false}, {"ge", false, true, true, false, false},
    {"lo", true, false, false, true, false},  {"ls", true, true, false, true, false},
    {"hi", false, false, true, true, false},  {"hs", false, true, true, true, false}};

TEST(Comparison, SetsPredicatesAndValues) {
  // Equal operands are rare among random ones.
  const auto some_equal = [](Lane& x, std::mt19937_64& random) {
    if (random() % 3 == 0) x.s[1] = x.s[0];
  };
  const CheckOptions options{0, 6, some_equal};
  for (const char kind : {'b', 'u', 's'}) {
    for (const unsigned w : kWidths) {
      for (const Comparison& comparison : kComparisons) {
        const std::string type = kind + std::to_string(w);
        isa::LookupError error;
        const bool allowed = (kind != 'b' || comparison.for_bits) && (!comparison.only_unsigned || kind == 'u');
        const std::string setp = std::string("setp.") + comparison.name + "." + type;
        ASSERT_EQ(isa::InstructionTable::instance().find(setp, error).valid(), allowed) << setp;
        if (!allowed) continue;
        const auto holds = [&, w, kind](const Lane& x) {
          const s64 a = signed_value(x.s[0], w);
          const s64 b = signed_value(x.s[1], w);
          const bool less = kind == 's' ? a < b : x.s[0] < x.s[1];
          return x.s[0] == x.s[1] ? comparison.on_equal : less ? comparison.on_less : comparison.on_greater;
        };
        check(
            setp, [&](Lane& x) { x.out[0] = holds(x), x.out[1] = !holds(x); }, options);
        for (const std::string d : {"u32", "s32", "f32"}) {
          const u64 yes = d == "f32" ? 0x3f800000u : 0xffffffffu;
          check(
              std::string("set.") + comparison.name + "." + d + "." + type, [&](Lane& x) { x.d = holds(x) ? yes : 0; },
              options);
          check(
              std::string("set.") + comparison.name + ".xor." + d + "." + type,
              [&](Lane& x) { x.d = holds(x) != x.p[0] ? yes : 0; }, options);
        }
        const std::pair<const char*, bool (*)(bool, bool)> joins[] = {{"and", [](bool a, bool b) { return a && b; }},
                                                                      {"or", [](bool a, bool b) { return a || b; }},
                                                                      {"xor", [](bool a, bool b) { return a != b; }}};
        for (const auto& [name, join] : joins) {
          check(
              std::string("setp.") + comparison.name + "." + name + "." + type,
              [&, join = join](Lane& x) {
                x.out[0] = join(holds(x), x.p[0]);
                x.out[1] = join(!holds(x), x.p[0]);
              },
              options);
        }
      }
    }
  }
}

TEST(Comparison, SelectsByPredicateAndSign) {
  for (const char kind : {'b', 'u', 's'}) {
    for (const unsigned w : kWidths) {
      const std::string type = kind + std::to_string(w);
      check("selp." + type, [](Lane& x) { x.d = x.s[x.p[0] ? 0 : 1]; });
      check("slct." + type + ".s32", [](Lane& x) { x.d = x.s[bit(x.s[2], 31) ? 1 : 0]; });
      check("mov." + type, [](Lane& x) { x.d = x.s[0]; });
    }
  }
}

TEST(Addresses, MoveBetweenSpacesAndWindows) {
  check("cvta.shared.u64", [](Lane& x) { x.d = x.s[0] + 0x100000000000u; });
  check("cvta.to.shared.u64", [](Lane& x) { x.d = x.s[0] - 0x100000000000u; });
  check("cvta.local.u64", [](Lane& x) { x.d = x.s[0] + 0x110000000000u; });
  check("cvta.to.local.u64", [](Lane& x) { x.d = x.s[0] - 0x110000000000u; });
  check("cvta.global.u64", [](Lane& x) { x.d = x.s[0]; });
  check("cvta.to.const.u64", [](Lane& x) { x.d = x.s[0]; });
  const CheckOptions near_windows{
      0, 60, [](Lane& x, std::mt19937_64& random) {
        const u64 borders[] = {
            0, 0x10000000000u, 0x100000000000u, 0x110000000000u, 0x120000000000u, 0x200000000000u, 0x210000000000u};
        x.s[0] = borders[random() % 7] + random() % 3 - 1;
      }};
  const auto top = [](const Lane& x) { return x.s[0] >> 40; };
  check(
      "isspacep.shared", [&](Lane& x) { x.out[0] = top(x) == 0x10; }, near_windows);
  check(
      "isspacep.local", [&](Lane& x) { x.out[0] = top(x) == 0x11; }, near_windows);
  check(
      "isspacep.global", [&](Lane& x) { x.out[0] = top(x) == 0 || top(x) == 0x20; }, near_windows);
  check(
      "isspacep.const", [](Lane& x) { x.out[0] = false; }, near_windows);
}

TEST(InternalRows, TakeRegistersApartAndPutThemTogether) {
  for (const u64 shift : {0u, 8u, 16u, 24u}) {
    check("$extract.b8", [&](Lane& x) { x.d = x.s[0] / (u64{1} << shift) % 256; }, {shift, 4, {}});
    check("$extract.b8w", [&](Lane& x) { x.d = x.s[0] / (u64{1} << (shift + 32)) % 256; }, {shift + 32, 4, {}});
    check("$extract.b16w", [&](Lane& x) { x.d = x.s[0] / (u64{1} << 2 * shift) % 65536; }, {2 * shift, 4, {}});
  }
  check("$extract.b8h", [](Lane& x) { x.d = x.s[0] / 256; }, {8, 4, {}});
  check("$extract.b16", [](Lane& x) { x.d = x.s[0] / 65536; }, {16, 4, {}});
  check("$extract.b32", [](Lane& x) { x.d = x.s[0] >> 32; }, {32, 4, {}});
  check("$pack.b16", [](Lane& x) { x.d = x.s[0] + 256 * x.s[1]; });
  check("$pack.b32", [](Lane& x) { x.d = x.s[0] + 65536 * x.s[1]; });
  check("$pack.b64", [](Lane& x) { x.d = x.s[0] + 0x100000000u * x.s[1]; });
  check("$pack4.b32", [](Lane& x) { x.d = x.s[0] + 256 * (x.s[1] + 256 * (x.s[2] + 256 * x.s[3])); });
  check("$pack4.b64", [](Lane& x) { x.d = x.s[0] + 65536 * (x.s[1] + 65536 * (x.s[2] + 65536 * x.s[3])); });
  check("$move.b32", [](Lane& x) { x.d = x.s[0]; });
  check("$move.b64", [](Lane& x) { x.d = x.s[0]; });
  check("$move.pred", [](Lane& x) { x.out[0] = x.p[0]; });
  check("$constpred", [](Lane& x) { x.out[0] = true; }, {1, 4, {}});
  check("$constpred", [](Lane& x) { x.out[0] = false; }, {0, 4, {}});
  check("$spill.pred", [](Lane& x) { x.d = x.p[0] ? 1 : 0; });
  check("$fill.pred", [](Lane& x) { x.out[0] = x.s[0] != 0; });
}

TEST(InternalRows, ReadSpecialRegistersPerLane) {
  for (const isa::InstructionTable* table : all_tables()) {
    Warp warp{};
    warp.context.ntid[1] = 7;
    warp.context.first_warp = 6;
    warp.context.clock = 0x123456789abcu;
    for (unsigned lane = 0; lane < 64; ++lane) warp.context.tid[2][lane] = static_cast<u16>(1000 + lane);
    const auto read = [&](const char* row, isa::SpecialRegister reg, unsigned lane) {
      const isa::Match match = table->internal(row);
      execute(match, warp, 64, ~isa::LaneMask{0}, static_cast<u64>(reg), false);
      return warp.get(0, lane, match.type(match.row().specs[0]) == isa::Type::kU64);
    };
    using Reg = isa::SpecialRegister;
    EXPECT_EQ(read("$special.u32", Reg::kTidZ, 63), 1063u);
    EXPECT_EQ(read("$special.u32", Reg::kNtidY, 5), 7u);
    EXPECT_EQ(read("$special.u32", Reg::kLaneId, 37), 5u);
    EXPECT_EQ(read("$special.u32", Reg::kWarpId, 31), 6u);
    EXPECT_EQ(read("$special.u32", Reg::kWarpId, 32), 7u);
    EXPECT_EQ(read("$special.u32", Reg::kWarpSize, 0), 32u);
    EXPECT_EQ(read("$special.u32", Reg::kCooperative, 0), 0u);
    warp.context.cooperative = true;
    warp.context.grid_workspace = 0x1f23456780u;
    EXPECT_EQ(read("$special.u32", Reg::kCooperative, 9), 1u);
    EXPECT_EQ(read("$special.u32", Reg::kGridWorkspaceHigh, 63), 0x1fu);
    EXPECT_EQ(read("$special.u32", Reg::kGridWorkspaceLow, 0), 0x23456780u);
    EXPECT_EQ(read("$special.u32", Reg::kLanemaskEq, 33), 2u);
    EXPECT_EQ(read("$special.u32", Reg::kLanemaskLt, 35), 7u);
    EXPECT_EQ(read("$special.u32", Reg::kLanemaskLe, 31), 0xffffffffu);
    EXPECT_EQ(read("$special.u32", Reg::kLanemaskGt, 31), 0u);
    EXPECT_EQ(read("$special.u32", Reg::kLanemaskGe, 30), 0xc0000000u);
    EXPECT_EQ(read("$special.u32", Reg::kClock, 0), 0x56789abcu);
    EXPECT_EQ(read("$special.u32", Reg::kClockHi, 0), 0x1234u);
    EXPECT_EQ(read("$special.u64", Reg::kClock64, 9), 0x123456789abcu);
  }
}

}  // namespace
}  // namespace castor::test::isa_bits_test

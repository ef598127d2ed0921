// Operations across lanes, on one CUDA warp and on two in one 64-lane warp.

#include "unit/isa_harness.h"

namespace castor::test::isa_warp_test {
namespace {

constexpr u32 kAll = 0xffffffffu;

/// Runs a warp-level row on both builds; `fill` sets rows and predicates, `look` checks results.
void on_all(const std::string& spelling, unsigned lanes, isa::LaneMask mask, const std::function<void(Warp&)>& fill,
            const std::function<void(const Warp&)>& look) {
  for (const isa::InstructionTable* table : all_tables()) {
    SCOPED_TRACE(spelling + " " + std::string(table->variant()) + " " + std::to_string(lanes) + " lanes");
    isa::LookupError error;
    const isa::Match match = table->find(spelling, error);
    ASSERT_TRUE(match.valid()) << error.message;
    Warp warp{};
    std::memset(warp.rows, 0x77, sizeof warp.rows);
    warp.context.live = warp.context.active = lanes == 64 ? ~isa::LaneMask{0} : kAll;
    fill(warp);
    execute(match, warp, lanes, mask, 0, false);
    look(warp);
  }
}

std::vector<u64> random_values(unsigned seed, u64 limit) {
  std::mt19937_64 random(seed);
  std::vector<u64> values(64);
  for (u64& value : values) value = random() % limit;
  return values;
}

/// Returns the lane that a shuffle reads by the manual's rule; -1 if it is out of range.
int shuffle_source(const std::string& mode, int lane, u32 b, u32 c) {
  const int bval = static_cast<int>(b % 32);
  const int cval = static_cast<int>(c % 32);
  const int mask = static_cast<int>(c / 256 % 32);
  const int max_lane = (lane & mask) | (cval & ~mask & 31);
  const int min_lane = lane & mask;
  int j = 0;
  if (mode == "up") j = lane - bval;
  if (mode == "down") j = lane + bval;
  if (mode == "bfly") j = lane ^ bval;
  if (mode == "idx") j = min_lane | (bval & ~mask & 31);
  const bool valid = mode == "up" ? j >= max_lane : j <= max_lane;
  return valid ? j : -1;
}

TEST(Shuffle, ReadsTheLaneThatTheManualSays) {
  const std::vector<u64> a = random_values(1, u64{1} << 32);
  std::mt19937 random(2);
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const bool sync : {false, true}) {
      for (int round = 0; round < 200; ++round) {
        const unsigned lanes = round % 2 == 0 ? 32 : 64;
        std::vector<u32> b(64);
        std::vector<u32> c(64);
        // Widths as __shfl uses them, and anything.
        const u32 width = 1u << random() % 6;
        const u32 one_c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        const u32 one_b = random() % 40;
        for (unsigned i = 0; i < 64; ++i) {
          b[i] = round % 4 < 2 ? one_b : random();
          c[i] = round % 4 < 2 ? one_c : random();
        }
        on_all((sync ? "shfl.sync." : "shfl.") + mode + ".b32", lanes, lanes == 64 ? ~isa::LaneMask{0} : kAll,
               [&](Warp& warp) {
                 for (unsigned i = 0; i < lanes; ++i) {
                   warp.put(1, i, false, a[i]);
                   warp.put(2, i, false, b[i]);
                   warp.put(3, i, false, c[i]);
                   warp.put(4, i, false, kAll);
                 }
               },
               [&](const Warp& warp) {
                 EXPECT_EQ(warp.fault, isa::LaneFault::kNone);
                 for (unsigned i = 0; i < lanes; ++i) {
                   const int from = shuffle_source(mode, static_cast<int>(i % 32), b[i], c[i]);
                   const unsigned source = from < 0 ? i : i / 32 * 32 + static_cast<unsigned>(from);
                   ASSERT_EQ(warp.get(0, i, false), a[source]) << "lane " << i;
                   ASSERT_EQ((warp.predicates[2] >> i & 1) != 0, from >= 0) << "lane " << i;
                 }
               });
      }
    }
  }
}

TEST(Shuffle, MovesValuesDownForReductions) {
  // __shfl_down_sync(mask, lane, 16): lanes 0..15 get lane + 16, the others keep their own.
  on_all(
      "shfl.sync.down.b32", 32, kAll,
      [](Warp& warp) {
        for (unsigned i = 0; i < 32; ++i) {
          warp.put(1, i, false, i);
          warp.put(2, i, false, 16);
          warp.put(3, i, false, 31);
          warp.put(4, i, false, kAll);
        }
      },
      [](const Warp& warp) {
        for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(warp.get(0, i, false), i < 16 ? i + 16 : i);
        EXPECT_EQ(warp.predicates[2], 0xffffu);
      });
}

TEST(Vote, AnswersForTheNamedLanesOnly) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const unsigned lanes = round % 2 == 0 ? 32 : 64;
    const isa::LaneMask full = lanes == 64 ? ~isa::LaneMask{0} : kAll;
    isa::LaneMask mask = random() & full;
    if (mask == 0) mask = 1;
    const isa::LaneMask votes = round % 3 == 0 ? mask : round % 3 == 1 ? 0 : random();
    for (const bool sync : {false, true}) {
      const auto fill = [&](Warp& warp) {
        warp.context.live = mask;  // lanes that have exited may be named
        warp.predicates[0] = votes;
        warp.predicates[2] = 0;
        for (unsigned i = 0; i < lanes; ++i) warp.put(1, i, false, kAll);
      };
      const std::string head = sync ? "vote.sync." : "vote.";
      for (const std::string mode : {"all", "any", "uni", "ballot"}) {
        on_all(head + mode + (mode == "ballot" ? ".b32" : ".pred"), lanes, mask, fill, [&](const Warp& warp) {
          EXPECT_EQ(warp.fault, isa::LaneFault::kNone);
          for (unsigned i = 0; i < lanes; ++i) {
            if ((mask >> i & 1) == 0) continue;
            u32 yes = 0;
            u32 members = 0;
            for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
              if ((mask >> j & 1) == 0) continue;
              members |= 1u << j % 32;
              if ((votes >> j & 1) != 0) yes |= 1u << j % 32;
            }
            if (mode == "ballot") {
              ASSERT_EQ(warp.get(0, i, false), yes);
              continue;
            }
            const bool expected = mode == "all"   ? yes == members
                                  : mode == "any" ? yes != 0
                                                  : yes == 0 || yes == members;
            ASSERT_EQ((warp.predicates[2] >> i & 1) != 0, expected) << mode << " lane " << i;
          }
        });
      }
    }
  }
}

TEST(Vote, NegatedPredicatesCountTheOthers) {
  for (const isa::InstructionTable* table : all_tables()) {
    isa::LookupError error;
    const isa::Match match = table->find("vote.ballot.b32", error);
    isa::Record record = record_of(match, 0);
    record.predicate_src = 8;  // !p0
    Warp warp{};
    warp.predicates[0] = 0x0000ffffu;
    isa::LaneArgs args;
    args.dst = warp.rows[0];
    args.predicates = warp.predicates;
    args.mask = kAll;
    args.context = &warp.context;
    record.handler(record, args);
    EXPECT_EQ(warp.get(0, 7, false), 0xffff0000u);
  }
}

TEST(Activemask, NamesTheLanesThatExecute) {
  on_all(
      "activemask.b32", 64, 0x8000000100000005u, [](Warp&) {},
      [](const Warp& warp) {
        EXPECT_EQ(warp.get(0, 0, false), 5u);
        EXPECT_EQ(warp.get(0, 32, false), 0x80000001u);
        EXPECT_EQ(warp.get(0, 1, false), 0x77777777u);
      });
}

TEST(MatchLanes, FindsEqualValues) {
  for (const bool wide : {false, true}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      // Few values, so that there are equal ones; wide ones differ in the upper half only.
      std::vector<u64> values = random_values(seed, seed % 4 == 0 ? 1 : 3);
      if (wide)
        for (u64& value : values) value <<= 40;
      const auto fill = [&](Warp& warp) {
        for (unsigned i = 0; i < 64; ++i) {
          warp.put(1, i, wide, values[i]);
          warp.put(2, i, false, i < 32 ? 0x0fffffffu : kAll);
        }
        warp.context.live = 0xffffffff0fffffffu;
      };
      const isa::LaneMask mask = 0xffffffff0fffffffu;
      const std::string type = wide ? ".b64" : ".b32";
      const auto lowest = [](unsigned i) { return i / 32 * 32; };
      const auto equal_to = [&](unsigned i) {
        u32 equal = 0;
        for (unsigned j = lowest(i); j < lowest(i) + 32; ++j)
          if ((mask >> j & 1) != 0 && values[j] == values[i]) equal |= 1u << j % 32;
        return equal;
      };
      on_all("match.any.sync" + type, 64, mask, fill, [&](const Warp& warp) {
        for (unsigned i = 0; i < 64; ++i)
          if ((mask >> i & 1) != 0) {
            ASSERT_EQ(warp.get(0, i, false), equal_to(i));
          }
      });
      on_all("match.all.sync" + type, 64, mask, fill, [&](const Warp& warp) {
        for (unsigned i = 0; i < 64; ++i) {
          if ((mask >> i & 1) == 0) continue;
          const u32 members = i < 32 ? 0x0fffffffu : kAll;
          const bool all = equal_to(i) == members;
          ASSERT_EQ(warp.get(0, i, false), all ? members : 0);
          ASSERT_EQ((warp.predicates[2] >> i & 1) != 0, all);
        }
      });
    }
  }
}

TEST(Redux, ReducesOverTheNamedLanes) {
  const std::vector<u64> a = random_values(9, u64{1} << 32);
  struct Reduction {
    const char* name;
    s64 (*op)(s64, s64);
    bool is_signed;
  };
  const Reduction reductions[] = {
      {"add.u32", [](s64 x, s64 y) { return x + y; }, false},
      {"add.s32", [](s64 x, s64 y) { return x + y; }, true},
      {"min.u32", [](s64 x, s64 y) { return x < y ? x : y; }, false},
      {"max.u32", [](s64 x, s64 y) { return x > y ? x : y; }, false},
      {"min.s32", [](s64 x, s64 y) { return x < y ? x : y; }, true},
      {"max.s32", [](s64 x, s64 y) { return x > y ? x : y; }, true},
      {"and.b32", [](s64 x, s64 y) { return x & y; }, false},
      {"or.b32", [](s64 x, s64 y) { return x | y; }, false},
      {"xor.b32", [](s64 x, s64 y) { return x ^ y; }, false},
  };
  // Two groups that reduce in the same instruction.
  const auto group = [](unsigned lane) { return lane % 32 < 20 ? 0x000fffffu : 0xfff00000u; };
  for (const Reduction& reduction : reductions) {
    on_all(
        std::string("redux.sync.") + reduction.name, 64, ~isa::LaneMask{0},
        [&](Warp& warp) {
          for (unsigned i = 0; i < 64; ++i) {
            warp.put(1, i, false, a[i]);
            warp.put(2, i, false, group(i));
          }
        },
        [&](const Warp& warp) {
          EXPECT_EQ(warp.fault, isa::LaneFault::kNone);
          for (unsigned i = 0; i < 64; ++i) {
            bool first = true;
            s64 expected = 0;
            for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
              if ((group(i) >> j % 32 & 1) == 0) continue;
              const s64 value = reduction.is_signed && a[j] >= 0x80000000u ? static_cast<s64>(a[j]) - 0x100000000
                                                                           : static_cast<s64>(a[j]);
              expected = first ? value : reduction.op(expected, value);
              first = false;
            }
            ASSERT_EQ(warp.get(0, i, false), low_bits(static_cast<u64>(expected), 32)) << reduction.name;
          }
        });
  }
}

TEST(Elect, PicksTheLowestNamedLane) {
  on_all(
      "elect.sync", 32, 0x00ff00f0u,
      [](Warp& warp) {
        warp.context.live = 0x00ff00f0u;
        for (unsigned i = 0; i < 32; ++i) warp.put(1, i, false, 0x00ff00f0u);
      },
      [](const Warp& warp) {
        EXPECT_EQ(warp.fault, isa::LaneFault::kNone);
        EXPECT_EQ(warp.get(0, 17, false), 4u);
        EXPECT_EQ(warp.predicates[2] & 0x00ff00f0u, 0x10u);
      });
}

TEST(MemberMasks, FaultWhenANamedLiveLaneIsElsewhere) {
  const auto fill = [](u32 members, isa::LaneMask live) {
    return [=](Warp& warp) {
      warp.context.live = live;
      for (unsigned row = 1; row < 5; ++row)
        for (unsigned i = 0; i < 64; ++i) warp.put(row, i, false, members);
    };
  };
  const auto expect = [](isa::LaneFault fault) { return [=](const Warp& warp) { EXPECT_EQ(warp.fault, fault); }; };
  const std::string spellings[] = {"vote.sync.any.pred", "vote.sync.ballot.b32", "match.any.sync.b32",
                                   "match.all.sync.b32", "redux.sync.add.u32",   "shfl.sync.idx.b32",
                                   "elect.sync"};
  for (const std::string& spelling : spellings) {
    // All lanes are live, half of them execute.
    on_all(spelling, 32, 0xffff, fill(kAll, kAll), expect(isa::LaneFault::kSyncMaskInactive));
    // The others have exited, which is legal.
    on_all(spelling, 32, 0xffff, fill(kAll, 0xffff), expect(isa::LaneFault::kNone));
    on_all(spelling, 32, 0xffff, fill(0xffff, kAll), expect(isa::LaneFault::kNone));
    // Lane 15 does not name itself.
    on_all(spelling, 32, 0xffff, fill(0x7fff, kAll), expect(isa::LaneFault::kSyncMaskSelf));
    // The upper half of a 64-lane warp does not matter to the lower one.
    on_all(spelling, 64, 0xffff, fill(0xffff, ~isa::LaneMask{0}), expect(isa::LaneFault::kNone));
    on_all(spelling, 64, 0xffffffff0000ffffu, fill(kAll, 0xffffffff0000ffffu), expect(isa::LaneFault::kNone));
    on_all(spelling, 64, 0x0fffffffffffffffu, fill(kAll, ~isa::LaneMask{0}), expect(isa::LaneFault::kSyncMaskInactive));
  }
}

}  // namespace
}  // namespace castor::test::isa_warp_test

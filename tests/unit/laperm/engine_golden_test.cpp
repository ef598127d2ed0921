// The worked example under each policy, and a queue set that overflows, cycle by cycle.

#include "unit/laperm/engine_support.h"

namespace castor::laperm::test::engine_golden_test {
namespace {

constexpr U64 kKernel = 0xffff'ffff;  // group of a kernel's own thread blocks

Params golden() {
  Params p;
  p.NumSm = 4;
  p.BankDepth = 4;
  p.NumKd = 4;
  p.OvfW = 4;
  p.RefillMax = 2;
  p.QcntW = 6;
  return p;
}

// Thread block, its stage, and whether a backup set was chosen. P0..P7 are of the kernel, C0 and C1 are launched by P2,
// C2..C5 by P4.
struct Cell {
  char of;
  unsigned number;
  unsigned stage;
  bool backup = false;
};
constexpr Cell kNone{'-', 0, 0};

using Schedule = std::vector<std::array<Cell, 4>>;

// Follows a schedule on 4 SMs. Each SM can hold one thread block, for one round. A cell of the schedule is an SM and a
// cycle.
void follow(U8 policy, const Schedule& schedule) {
  LapermBench b(golden(), policy, 4);
  std::array<U64, 4> free_from{};
  b.room = [&](unsigned sm) { return Room{true, static_cast<U8>(b.cycle >= free_from[sm] ? 1 : 0)}; };
  b.pushes.push_back({0, 0, 8, kKernel});
  const Outputs first = b.step();
  EXPECT_EQ(first.push_ready, 1);
  EXPECT_EQ(first.waiting, 0);
  std::array<U8, 8> sm_of{};  // SM of each parent
  std::size_t seen = 0;
  for (std::size_t round = 0; round < schedule.size(); ++round) {
    for (unsigned sm = 0; sm < 4; ++sm) {
      SCOPED_TRACE("policy " + std::to_string(policy) + ", cycle " + std::to_string(b.cycle));
      if (b.cycle == 4) b.group(1, sm_of[2], 1, 2);
      if (b.cycle == 8) b.group(1, sm_of[4], 2, 4);
      const U64 cycle = b.cycle;
      const Outputs o = b.step();
      const Cell& cell = schedule[round][sm];
      EXPECT_EQ(o.pl_valid != 0, cell.of != '-');
      EXPECT_EQ(o.ev_stage, cell.stage);
      EXPECT_EQ(o.ev_backup != 0, cell.backup);
      EXPECT_EQ(o.ev_starve, 0);
      if (o.pl_valid == 0) continue;
      free_from[o.pl_sm] = cycle + 4;
      ASSERT_EQ(b.placed.size(), ++seen);
      const Placed& p = b.placed.back();
      EXPECT_EQ(p.sm, sm);
      EXPECT_EQ(p.id == kKernel ? 'P' : 'C', cell.of);
      EXPECT_EQ(p.pos + (p.id == 2 ? 2 : 0), cell.number);
      if (p.id == kKernel) sm_of[p.pos] = p.sm;
    }
  }
  EXPECT_EQ(b.placed.size(), 14U);
  const Outputs after = b.step();
  EXPECT_EQ(after.waiting, 0);
  EXPECT_TRUE(after.hold.none());
  EXPECT_EQ(b.writes, 0U);
  b.steps(1);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

TEST(LapermGolden, PriorityOnly) {
  follow(kTbPri, {{{{'P', 0, 2}, {'P', 1, 2}, {'P', 2, 2}, {'P', 3, 2}}},
                  {{{'C', 0, 1}, {'C', 1, 1}, {'P', 4, 2}, {'P', 5, 2}}},
                  {{{'C', 2, 1}, {'C', 3, 1}, {'C', 4, 1}, {'C', 5, 1}}},
                  {{{'P', 6, 2}, {'P', 7, 2}, kNone, kNone}}});
}

TEST(LapermGolden, BoundToTheSmOfTheParent) {
  follow(kSmxBind, {{{{'P', 0, 2}, {'P', 1, 2}, {'P', 2, 2}, {'P', 3, 2}}},
                    {{{'P', 4, 2}, {'P', 5, 2}, {'C', 0, 1}, {'P', 6, 2}}},
                    {{{'C', 2, 1}, {'P', 7, 2}, {'C', 1, 1}, kNone}},
                    {{{'C', 3, 1}, kNone, kNone, kNone}},
                    {{{'C', 4, 1}, kNone, kNone, kNone}},
                    {{{'C', 5, 1}, kNone, kNone, kNone}}});
}

TEST(LapermGolden, BoundUnlessAnotherSmHasNothing) {
  for (const U8 policy : {kAdaptiveBind, Policy{0}}) {
    follow(policy, {{{{'P', 0, 2}, {'P', 1, 2}, {'P', 2, 2}, {'P', 3, 2}}},
                    {{{'P', 4, 2}, {'P', 5, 2}, {'C', 0, 1}, {'P', 6, 2}}},
                    {{{'C', 2, 1}, {'P', 7, 2}, {'C', 1, 1}, {'C', 3, 3, true}}},
                    {{{'C', 4, 1}, {'C', 5, 3, true}, kNone, kNone}}});
  }
}

// A cycle of the overflow: what is pushed and whether it is taken, the request to memory and whose entry it is, what is
// placed and by which stage; entries of set 0 on chip, of its lists in memory, before the edge. Items are 1..7.
struct Row {
  unsigned push;
  bool ready;
  char request;  // 'W', 'R' or none
  unsigned list, idx, entry;
  unsigned item, stage;
  bool backup, starve;
  unsigned on_chip, memory_1, memory_2;
};

constexpr Row kRows[] = {
    {1, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 0, 0},  {2, true, ' ', 0, 0, 0, 0, 0, false, false, 1, 0, 0},
    {3, true, ' ', 0, 0, 0, 0, 0, false, false, 2, 0, 0},  {4, true, 'W', 0, 0, 3, 0, 0, false, false, 2, 1, 0},
    {5, false, ' ', 0, 0, 0, 0, 0, false, false, 2, 1, 0}, {5, true, 'W', 1, 0, 4, 0, 0, false, false, 2, 1, 1},
    {6, false, ' ', 0, 0, 0, 0, 0, false, false, 2, 1, 1}, {6, true, 'W', 0, 1, 5, 0, 0, false, false, 2, 2, 1},
    {7, true, ' ', 0, 0, 0, 0, 0, false, false, 2, 2, 1},  {0, true, 'W', 1, 1, 7, 1, 1, false, false, 2, 2, 2},
    {0, true, ' ', 0, 0, 0, 6, 2, false, false, 1, 2, 2},  {0, true, 'R', 1, 0, 0, 2, 1, false, false, 1, 2, 1},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 2, 1},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 2, 1},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 2, 1},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 2, 1},
    {0, true, 'R', 1, 1, 0, 4, 3, true, false, 1, 2, 0},   {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 2, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 2, 0},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 2, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 2, 0},  {0, true, 'R', 0, 0, 0, 7, 1, false, false, 1, 1, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 1, 0},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 1, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 1, 0},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 1, 0},
    {0, true, 'R', 0, 1, 0, 3, 3, false, false, 1, 0, 0},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 0, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 0, 0},  {0, true, ' ', 0, 0, 0, 0, 0, false, true, 0, 0, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 0, 0},  {0, true, ' ', 0, 0, 0, 5, 1, false, false, 1, 0, 0},
    {0, true, ' ', 0, 0, 0, 0, 0, false, false, 0, 0, 0},
};

TEST(LapermGolden, SetThatOverflows) {
  Params p;
  p.NumSm = 2;
  p.LvlMax = 2;
  p.BankDepth = 2;
  p.NumKd = 2;
  p.OvfW = 3;
  p.RefillMax = 1;
  p.QcntW = 4;
  LapermBench b(p, kAdaptiveBind, 2);
  b.room = [&](unsigned) { return Room{b.cycle >= 9}; };
  const std::array<U8, 7> levels{1, 1, 1, 2, 1, 0, 2};
  for (unsigned i = 0; i < levels.size(); ++i) b.group(levels[i], 0, i + 1);
  std::size_t placed = 0;
  for (const Row& row : kRows) {
    const U64 cycle = b.cycle;
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    ASSERT_EQ(b.pushes.empty() ? 0 : b.pushes.front().id, row.push);
    const Probes probes = b.engine.probes();
    EXPECT_EQ(probes.entries[0], row.on_chip);
    EXPECT_EQ(probes.entries[1], 0);
    EXPECT_EQ(probes.in_memory[0], row.memory_1);
    EXPECT_EQ(probes.in_memory[1], row.memory_2);
    EXPECT_EQ(probes.host_count, cycle >= 8 && cycle <= 10 ? 1 : 0);
    const Outputs o = b.step();
    EXPECT_EQ(o.push_ready != 0, row.ready);
    EXPECT_EQ(o.mem_valid != 0, row.request != ' ');
    EXPECT_EQ(o.mem_we != 0, row.request == 'W');
    EXPECT_EQ(o.mem_list, row.list);
    EXPECT_EQ(o.mem_idx, row.idx);
    EXPECT_EQ(unpack(o.mem_wdata, p).agei, row.entry);
    EXPECT_EQ(o.scan_sm, cycle == 0 ? 0 : (cycle - 1) % 2);
    EXPECT_EQ(o.pl_valid != 0, row.item != 0);
    EXPECT_EQ(o.pl_agei, row.item);
    EXPECT_EQ(o.ev_stage, row.stage);
    EXPECT_EQ(o.ev_backup != 0, row.backup);
    EXPECT_EQ(o.ev_starve != 0, row.starve);
    EXPECT_EQ(o.waiting != 0, cycle != 0 && cycle != 32);
    placed += row.item != 0 ? 1 : 0;
    ASSERT_EQ(b.placed.size(), placed);
  }
  EXPECT_EQ(b.writes, 4U);
  EXPECT_EQ(b.reads, 4U);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

}  // namespace
}  // namespace castor::laperm::test::engine_golden_test

// One command of three groups from its first beat to its last completion, cycle by cycle.

#include "unit/dtbl/engine_support.h"

namespace castor::dtbl::test::engine_golden_test {
namespace {

struct Row {
  LaunchState st;
  unsigned ptr;
  bool taken;    // the beat
  U32 attached;  // group at the outputs att_*; kNone: no group
  DispatchState disp;
  bool offer;
  U32 agei, pos;
  bool last;
  bool read;
  U64 launch_hold, dispatch_hold;
  unsigned used;
  int released;
};

constexpr auto kS = LaunchState::kSearch;
constexpr auto kG = LaunchState::kGrant;
constexpr auto kIdle = DispatchState::kFree;
constexpr auto kRun = DispatchState::kRun;
constexpr auto kReq = DispatchState::kReq;
constexpr auto kWait = DispatchState::kWait;
constexpr U32 kNo = kNone;
constexpr U32 kRec = 0x8000'0120;

constexpr Row kRows[] = {
    {kS, 0, false, kNo, kIdle, false, 0, 0, false, false, 0, 0, 0, -1},
    {kS, 0, false, kNo, kRun, true, kNo, 0, false, false, 0, 2, 0, -1},
    {kS, 1, false, kNo, kRun, true, kNo, 1, true, false, 2, 2, 0, -1},
    {kG, 1, true, kNo, kIdle, false, 0, 0, false, false, 2, 0, 0, -1},
    {kG, 1, true, 0, kIdle, false, 0, 0, false, false, 2, 0, 1, -1},
    {kG, 1, true, 1, kRun, true, 0, 0, false, false, 2, 2, 2, -1},
    {kS, 0, false, kRec, kRun, true, 0, 1, true, false, 2, 2, 2, -1},
    {kS, 0, false, kNo, kRun, true, 1, 0, true, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kReq, false, 0, 0, false, true, 0, 2, 2, -1},
    {kS, 0, false, kNo, kWait, false, 0, 0, false, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kWait, false, 0, 0, false, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kWait, false, 0, 0, false, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kRun, true, kRec, 0, false, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kRun, true, kRec, 1, true, false, 0, 2, 2, -1},
    {kS, 0, false, kNo, kIdle, false, 0, 0, false, false, 0, 0, 1, 0},
    {kS, 0, false, kNo, kIdle, false, 0, 0, false, false, 0, 0, 0, 1},
};

TEST(DtblGolden, ACommandOfThreeGroups) {
  DtblBench b(4, 4);
  const Key k = key(0x1234, 64);
  b.kernels.push_back({1, dims(2), k});
  for (const Row& row : kRows) {
    const U64 c = b.cycle;
    SCOPED_TRACE("cycle " + std::to_string(c));
    if (c == 1) {
      b.beats.push_back({k, true, false, 2, 0, 0, dims(2), 0x104});
      b.beats.push_back({k, false, false, 2, 0, 1, dims(1), 0x114});
      b.beats.push_back({k, false, true, 2, 0, 4, dims(1, 2), 0x124});
    }
    EXPECT_EQ(b.engine.launch().st, row.st);
    EXPECT_EQ(b.engine.launch().ptr, row.ptr);
    EXPECT_EQ(b.engine.dispatch().st, row.disp);
    const Outputs o = b.step();
    EXPECT_EQ(o.key_idx, row.ptr);
    EXPECT_EQ(o.agg_ready != 0, row.taken);
    EXPECT_EQ(o.att_valid != 0, row.attached != kNo);
    if (row.attached != kNo) {
      EXPECT_EQ(o.att_agei, row.attached);
    }
    EXPECT_EQ(o.att_sm, row.attached != kNo ? 2 : 0);
    EXPECT_EQ(o.pl_valid != 0, row.offer);
    EXPECT_EQ(o.pl_agei, row.agei);
    EXPECT_EQ(o.pl_pos, row.pos);
    EXPECT_EQ(o.pl_last != 0, row.last);
    EXPECT_EQ(o.mem_valid != 0, row.read);
    EXPECT_EQ(o.mem_write, 0);
    EXPECT_EQ(o.mem_addr, row.read ? 0x1200U : 0U);
    EXPECT_EQ(o.launch_hold.word(0), row.launch_hold);
    EXPECT_EQ(o.dispatch_hold.word(0), row.dispatch_hold);
    EXPECT_EQ(o.agt_used, row.used);
    EXPECT_EQ(o.rel_valid != 0, row.released >= 0);
    if (row.released >= 0) {
      EXPECT_EQ(o.rel_idx, row.released);
    }
  }
  EXPECT_EQ(b.engine.dispatch().lnext[1], kRec);  // the tail was in the table: no link written to memory
  EXPECT_EQ(b.links, 0U);
  b.steps(4);
  EXPECT_TRUE(b.left.empty());
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

}  // namespace
}  // namespace castor::dtbl::test::engine_golden_test

// Directed tests of corner cases of the examination of queue sets: stealing, needs, backup sets, fits_head.

#include <random>

#include "unit/laperm/engine_support.h"

namespace castor::laperm::test::engine_examination_test {
namespace {

TEST(LapermExamination, OthersTakeWhatIsBoundToOneSm) {
  LapermBench b(small(4, 64), kAdaptiveBind, 6);
  close(b);
  for (unsigned i = 1; i <= 40; ++i) b.group(1, 0, i, 2);
  b.steps(41);
  open(b);
  b.drain();
  ASSERT_EQ(b.placed.size(), 80U);
  EXPECT_EQ(b.placed.back().cycle - b.placed.front().cycle, 79U);  // one placement per cycle
  unsigned switches = 0;
  for (const Placed& p : b.placed) {
    EXPECT_EQ(p.stage, p.sm == 0 ? 1 : 3);
    switches += p.backup ? 1 : 0;
  }
  EXPECT_EQ(switches, 3U);
}

TEST(LapermExamination, BoundMeansThatOthersIdle) {
  LapermBench b(small(4, 64), kSmxBind, 6);
  for (unsigned i = 1; i <= 10; ++i) b.group(1, 3, i, 2);
  b.drain();
  ASSERT_EQ(b.placed.size(), 20U);
  for (const Placed& p : b.placed) EXPECT_EQ(p.sm, 3);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_EQ(b.placed[i].cycle - b.placed[i - 1].cycle, 4U);
}

TEST(LapermExamination, PriorityHasOneSetAsLargeAsAll) {
  const Params p = small(4, 2);
  LapermBench b(p, kTbPri, 6);
  close(b);
  for (unsigned i = 1; i <= 9; ++i) b.group(1, static_cast<U8>(i % 4), i);
  b.steps(12);
  EXPECT_EQ(b.engine.probes().entries[0], 8);
  EXPECT_EQ(b.writes, 1U);
  open(b);
  b.drain();
  ASSERT_EQ(b.placed.size(), 9U);
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(b.placed[i].id, i + 1);
    EXPECT_EQ(b.placed[i].cycle, b.placed[0].cycle + i);
  }
}

TEST(LapermExamination, HeadThatDoesNotFitLetsNoLowerStageTry) {
  LapermBench b(small(2), kAdaptiveBind, 6);
  b.needs[1] = {8, 100, 384};
  U16 free_smem = 200;
  b.room = [&](unsigned) { return Room{true, 16, 64, 512, free_smem}; };
  b.pushes.push_back({1, 0, 1, 1, 1});
  b.pushes.push_back({0, 0, 3, 2, 0});
  b.steps(3);
  while (b.engine.settle(b.in).scan_sm != 0) b.step();
  Outputs o = b.step();
  EXPECT_EQ(o.ev_stage, 1);
  EXPECT_EQ(o.pl_valid, 0);
  EXPECT_EQ(o.pl_kd, 0);
  o = b.step();
  EXPECT_EQ(o.ev_stage, 2);  // SM 1 has no items of its own
  EXPECT_EQ(o.fits_head, 0x2U);
  free_smem = 384;
  o = b.step();
  EXPECT_EQ(o.ev_stage, 1);
  EXPECT_EQ(o.pl_valid, 1);
  EXPECT_EQ(o.fits_head, 0x2U);
  EXPECT_EQ(b.step().fits_head, 0x3U);
  b.drain();
}

TEST(LapermExamination, EachNeedIsComparedByItself) {
  LapermBench b(small(2), kTbPri, 6);
  b.needs[2] = {5, 6, 7};
  b.take = false;
  b.pushes.push_back({0, 0, 1, 1, 2});
  b.steps(2);
  const std::array<std::pair<Room, bool>, 6> cases{{{{true, 1, 5, 6, 7}, true},
                                                    {{true, 0, 64, 512, 384}, false},
                                                    {{true, 16, 4, 512, 384}, false},
                                                    {{true, 16, 64, 5, 384}, false},
                                                    {{true, 16, 64, 512, 6}, false},
                                                    {{false, 16, 64, 512, 384}, false}}};
  for (const auto& [room, fits] : cases) {
    b.room = [r = room](unsigned) { return r; };
    const Outputs o = b.step();
    EXPECT_EQ(o.pl_valid != 0, fits);
    EXPECT_EQ(o.ev_stage, room.open ? 2 : 0);
  }
  open(b);
  b.in.kd_ok.clear(2);
  EXPECT_EQ(b.step().pl_valid, 0);
  b.in.kd_ok = KdBits{};
  b.in.kd_ok.set(2);
  EXPECT_EQ(b.step().pl_valid, 1);
}

TEST(LapermExamination, OwnSmAndThiefAtTheSameEntry) {
  LapermBench b(small(4), kAdaptiveBind, 6);
  b.group(2, 1, 5, 6);
  b.drain();
  EXPECT_EQ(b.order(), "5.0 5.1 5.2 5.3 5.4 5.5");
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(b.placed[i].cycle, b.placed[i - 1].cycle + 1);
}

TEST(LapermExamination, BackupStaysAsLongAsItHasEntries) {
  LapermBench b(small(4, 8), kAdaptiveBind, 6);
  close(b);
  b.group(1, 1, 1, 2);
  b.group(1, 2, 2, 5);
  b.steps(3);
  open_only(b, 0);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 1.1 2.0 2.1 2.2 2.3 2.4");
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(b.placed[i].backup, i == 0 || i == 2) << i;
  EXPECT_EQ(b.engine.probes().backup[0], 2);
  // Set 1 would be the next upward; the recorded one is taken, since it has entries again.
  b.placed.clear();
  close(b);
  b.group(1, 1, 3);
  b.group(1, 2, 4);
  b.steps(3);
  open_only(b, 0);
  b.drain();
  EXPECT_EQ(b.order(), "4.0 3.0");
  EXPECT_FALSE(b.placed[0].backup);
  EXPECT_TRUE(b.placed[1].backup);
}

TEST(LapermExamination, BackupIsRecordedWithoutAPlacement) {
  LapermBench b(small(4), kAdaptiveBind, 6);
  b.needs[0] = {65, 0, 0};
  b.group(1, 3, 1);
  b.room = [](unsigned sm) { return Room{sm == 1}; };
  b.steps(10);
  EXPECT_TRUE(b.placed.empty());
  EXPECT_EQ(b.engine.probes().backup[1], 3);
  EXPECT_EQ(b.engine.probes().backup[0], 0);
  EXPECT_EQ(b.engine.probes().fit, 0xdU);  // closed SMs keep their last result
}

TEST(LapermExamination, BackupSearchWraps) {
  LapermBench b(small(4), kAdaptiveBind, 6);
  close(b);
  b.group(1, 0, 1);
  b.group(1, 1, 2);
  b.steps(3);
  open_only(b, 2);
  b.drain();
  EXPECT_EQ(b.order(), "1.0 2.0");  // upward from set 2: 3, 0, 1
}

TEST(LapermExamination, BackupSearchBeginsAboveTheOwnSet) {
  LapermBench b(small(4), kAdaptiveBind, 6);
  close(b);
  b.group(1, 0, 1);
  b.group(1, 3, 2);
  b.steps(3);
  open_only(b, 1);
  b.drain();
  EXPECT_EQ(b.order(), "2.0 1.0");
}

// An SM without a candidate counts as one whose head fits; a closed one keeps what it had.
TEST(LapermExamination, FitsHeadOfSmsWithoutACandidateAndOfClosedOnes) {
  LapermBench b(small(4), kSmxBind, 6);
  b.needs[0] = {65, 0, 0};
  b.group(1, 3, 1);
  b.steps(10);
  EXPECT_EQ(b.step().fits_head, 0x7U);
  close(b);
  b.steps(10);
  EXPECT_EQ(b.step().fits_head, 0x7U);
  b.room = [](unsigned) { return Room{true, 16, 65}; };
  b.drain();
}

TEST(LapermExamination, LastSetOfClustersMayHaveOneSm) {
  Params p = small(5, 3);
  p.ClusterSize = 2;
  LapermBench b(p, kSmxBind, 6);
  close(b);
  b.group(1, 4, 1, 2);
  b.group(1, 3, 2, 2);
  b.steps(3);
  const Outputs o = b.step();
  EXPECT_EQ(o.bound_wait, 0x1cU);
  EXPECT_EQ(b.engine.probes().entries[2], 1);
  EXPECT_EQ(b.engine.probes().backup[3], 1);
  open(b);
  b.drain();
  for (const Placed& placed : b.placed) EXPECT_TRUE(placed.id == 1 ? placed.sm == 4 : placed.sm / 2 == 1);
}

}  // namespace
}  // namespace castor::laperm::test::engine_examination_test

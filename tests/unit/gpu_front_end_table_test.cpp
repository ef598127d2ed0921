// Tests of the kernel table alone: the states of its entries, and its counts.
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_table_test {
namespace {

using test::load;
using test::PartRig;

TEST(KernelTable, AnEntryIsFinishedWhenItsLastTbIsCounted) {
  PartRig rig;
  rig.write(3, 3, 10);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(rig.table.finished().none());
    const KernelTable::NextTb tb = rig.table.place(3, 20 + i);
    EXPECT_EQ(tb.position, i);
    EXPECT_EQ(tb.gid, i);
    EXPECT_EQ(tb.first, i == 0);
    EXPECT_EQ(tb.last, i == 2);
  }
  EXPECT_EQ(rig.table[3].running, 3U);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(rig.table.finished().none());
    rig.table.retire(3, 10, 320);
    rig.table.count(3);
  }
  EXPECT_TRUE(rig.table.finished()[3]);
  EXPECT_EQ(rig.table.finished().count(), 1U);
  const KernelStatistics statistics = rig.table.release(3, 50);
  EXPECT_EQ(statistics.kernel, "k");
  EXPECT_EQ(statistics.entry, 3U);
  EXPECT_EQ(statistics.thread_blocks, 3U);
  EXPECT_EQ(statistics.warp_instructions, 30U);
  EXPECT_EQ(statistics.thread_instructions, 960U);
  EXPECT_TRUE(rig.table.finished().none());
  // Parsed, completed, and two steps of each TB.
  EXPECT_EQ(rig.table.progress(), 8U);
}

TEST(KernelTable, AReleasedEntryIsFreeInTheNextCycle) {
  PartRig rig(load({"table.entries=1"}));
  EXPECT_EQ(rig.table.first_free(5), 0);
  rig.write(0, 1);
  EXPECT_EQ(rig.table.first_free(5), -1);
  rig.table.place(0, 1);
  rig.table.count(0);
  static_cast<void>(rig.table.release(0, 7));
  EXPECT_EQ(rig.table.valid(), 0U);
  EXPECT_EQ(rig.table.first_free(7), -1);
  EXPECT_EQ(rig.table.first_free(8), 0);
}

// Attaches a group of that many thread blocks to the kernel of an entry.
LaunchRecord& attach(PartRig& rig, unsigned entry, std::uint32_t group, std::uint32_t tbs, bool stopped = false) {
  LaunchRecord& record = rig.trees.records().take();
  record.launch = 77;
  record.context.ticket = 500 + group;
  record.context.grid = {tbs, 1, 1};
  record.context.parameters = 0x1240;
  rig.table.attach(entry, group, record, stopped);
  return record;
}

TEST(KernelTable, AGroupKeepsItsKernelInTheTable) {
  PartRig rig;
  rig.write(3, 1, 10);
  EXPECT_TRUE(rig.table.place(3, 20).last);
  rig.table.count(3);
  ASSERT_TRUE(rig.table.finished()[3]);
  LaunchRecord& record = attach(rig, 3, 0, 2);
  EXPECT_FALSE(rig.table.finished()[3]) << "released with a group that comes last";
  EXPECT_EQ(rig.table[3].to_place(), 2U);

  // The group's context is the kernel's, with a grid, parameters and a ticket of its own.
  const KernelContext& context = record.context;
  EXPECT_EQ(context.entry, 3U);
  EXPECT_EQ(context.program, rig.table[3].context().program);
  EXPECT_EQ(context.grid.x, 2U);
  EXPECT_EQ(context.parameters, 0x1240U);
  EXPECT_EQ(context.ticket, 500U);
  EXPECT_EQ(&rig.table.record_of(context), &record);
  EXPECT_EQ(&rig.table.record_of(rig.table[3].context()), rig.table[3].record);

  EXPECT_FALSE(rig.table.place(3, 21, 0).last);
  const KernelTable::NextTb tb = rig.table.place(3, 22, 0);
  EXPECT_EQ(tb.position, 1U);
  EXPECT_TRUE(tb.last);
  EXPECT_EQ(rig.table.count_group(0), nullptr);
  EXPECT_TRUE(rig.table.finished().none());
  EXPECT_EQ(rig.table.count_group(0), &record);
  EXPECT_TRUE(rig.table.finished()[3]);
  EXPECT_TRUE(rig.table.groups().empty());
  rig.trees.records().let_go(record);
  const KernelStatistics statistics = rig.table.release(3, 50);
  EXPECT_EQ(statistics.thread_blocks, 1U) << "its own";
  const auto count = [&](const std::string& name) {
    for (const auto& [known, value] : statistics.counts) {
      if (known == name) return value;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(count("groups"), 1U);
  EXPECT_EQ(count("group_thread_blocks"), 2U);
}

TEST(KernelTable, OwnThreadBlocksAndThoseOfGroupsAreCountedApart) {
  PartRig rig;
  rig.write(2, 2, 10);
  LaunchRecord& one = attach(rig, 2, 4, 1);
  LaunchRecord& other = attach(rig, 2, 0x80000123, 1);
  EXPECT_FALSE(rig.table.place(2, 20).last);
  EXPECT_FALSE(rig.table.place(2, 21).last) << "groups have something left";
  EXPECT_FALSE(rig.table.place(2, 22, 0x80000123).last);
  EXPECT_TRUE(rig.table.drop_next(2, 4).last);
  rig.table.count(2);
  rig.table.count(2);
  EXPECT_EQ(rig.table.count_group(4), &one);
  EXPECT_TRUE(rig.table.finished().none());
  EXPECT_EQ(rig.table.count_group(0x80000123), &other);
  EXPECT_TRUE(rig.table.finished()[2]);
}

TEST(KernelTableDeathTest, AGroupsNumberIsThereOnce) {
  PartRig rig;
  rig.write(2, 2, 10);
  attach(rig, 2, 4, 1);
  EXPECT_DEATH(attach(rig, 2, 4, 1), "group 4 is there already");
  EXPECT_DEATH(attach(rig, 1, 5, 1), "attaches to entry 1, where no kernel is");
  EXPECT_DEATH(rig.table.place(2, 20, 6), "there is no group 6");
}

TEST(KernelTable, LowestFreeEntryIsTaken) {
  PartRig rig;
  EXPECT_EQ(rig.table.first_free(1), 0);
  rig.reserve(0, 1);
  rig.reserve(2, 1);
  EXPECT_EQ(rig.table.first_free(1), 1);
  EXPECT_EQ(rig.table.valid(), 2U);
}

TEST(KernelTable, AKernelKilledBeforeItIsWrittenIsFinishedWhenItIs) {
  PartRig rig;
  rig.reserve(1, 40);
  rig.table.kill(1);
  EXPECT_TRUE(rig.table.finished().none());
  EXPECT_FALSE(rig.table.write(1, 0));
  EXPECT_TRUE(rig.table.finished()[1]);
  EXPECT_EQ(rig.statistic("tb_dropped"), 40U);
  EXPECT_EQ(rig.statistic("kernels_stopped"), 1U);
  static_cast<void>(rig.table.release(1, 9));
}

TEST(KernelTable, PlacedAndDroppedTbsAreTheGrid) {
  PartRig rig;
  rig.write(0, 10);
  for (unsigned i = 0; i < 4; ++i) rig.table.place(0, 1);
  rig.table.kill(0);
  rig.table.drop_rest(0);
  EXPECT_EQ(rig.table[0].started + rig.table[0].dropped, 10U);
  EXPECT_TRUE(rig.table.finished().none());
  for (unsigned i = 0; i < 4; ++i) rig.table.count(0);
  EXPECT_TRUE(rig.table.finished()[0]);
  static_cast<void>(rig.table.release(0, 9));

  // A policy may still offer TBs that it was given: those TBs run until they are counted.
  rig.write(0, 2);
  rig.table.kill(0);
  EXPECT_TRUE(rig.table.drop_next(0).first);
  EXPECT_TRUE(rig.table.drop_next(0).last);
  EXPECT_TRUE(rig.table.finished().none());
  rig.table.count(0);
  rig.table.count(0);
  EXPECT_TRUE(rig.table.finished()[0]);
  EXPECT_EQ(rig.statistic("tb_placed"), 4U);
  EXPECT_EQ(rig.statistic("tb_dropped"), 8U);
}

TEST(KernelTable, ASavedTbHoldsItsKernelUntilItIsBackOrDropped) {
  PartRig rig;
  rig.write(0, 2);
  rig.table.place(0, 1);
  rig.table.place(0, 2);
  rig.table.save(0);
  rig.table.save(0);
  EXPECT_EQ(rig.table[0].running, 0U);
  EXPECT_TRUE(rig.table.finished().none());
  rig.table.restore(0);
  rig.table.count(0);
  EXPECT_TRUE(rig.table.finished().none());
  rig.table.take_back(0);
  EXPECT_TRUE(rig.table.finished().none());
  EXPECT_EQ(rig.table[0].running, 1U);
  EXPECT_EQ(rig.statistic("tb_retired"), 1U);
  rig.table.count(0);
  EXPECT_TRUE(rig.table.finished()[0]);
  EXPECT_EQ(rig.statistic("tb_saved"), 2U);
  EXPECT_EQ(rig.statistic("tb_restored"), 1U);
  static_cast<void>(rig.table.release(0, 9));
}

TEST(KernelTable, TheHeadIsTheTbThatIsPlacedNext) {
  PartRig rig;
  const std::uint32_t order[] = {4, 2, 0, 1, 3};
  rig.reserve(0, 5).order = order;
  ASSERT_TRUE(rig.table.write(0, 0));
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(rig.table[0].sequencer.head(rig.table[0].context()), order[i]);
    EXPECT_EQ(rig.table.place(0, 1).gid, order[i]);
  }
}

TEST(KernelTable, AKernelThatIsGivenUpWasNotStoppedByAFault) {
  PartRig rig;
  rig.write(0, 5);
  rig.table.cancel(0);
  rig.table.drop_rest(0);
  EXPECT_TRUE(rig.table.finished()[0]);
  EXPECT_TRUE(rig.table[0].killed);
  EXPECT_EQ(rig.statistic("kernels_stopped"), 0U);
}

TEST(KernelTable, FirstTbIsCountedByThePowerOfTwoOfItsWait) {
  PartRig rig;
  const std::pair<Cycle, const char*> waits[] = {{1, "bin0"},      {2, "bin1"},          {3, "bin1"},
                                                 {4, "bin2"},      {1023, "bin9"},       {1024, "bin10"},
                                                 {40000, "bin15"}, {10'000'000, "bin15"}};
  for (const auto& [wait, bin] : waits) {
    const std::string name = std::string("placement_wait.") + bin;
    const std::uint64_t before = rig.statistic(name);
    rig.write(0, 2, 100);
    rig.table.place(0, 100 + wait);
    rig.table.place(0, 200 + wait);
    EXPECT_EQ(rig.statistic(name), before + 1) << wait;
    rig.table.count(0);
    rig.table.count(0);
    static_cast<void>(rig.table.release(0, 0));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_table_test

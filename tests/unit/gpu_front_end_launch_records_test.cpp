// Tests of launch records: their owners, their lifetime, and their fixed addresses.
#include "castor/gpu/front_end/release_unit.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_launch_records_test {
namespace {

using test::DispatcherRig;
using test::load;
using test::PartRig;
using test::Rig;
using test::ScriptedPolicy;

TEST(LaunchRecords, ARecordLivesWhileSomebodyHoldsIt) {
  LaunchRecords records;
  LaunchRecord& record = records.take();
  record.context.ticket = 7;
  records.hold(record);
  records.hold(record);
  records.let_go(record);
  records.let_go(record);
  EXPECT_EQ(records.live(), 1U);
  EXPECT_EQ(record.context.ticket, 7U);
  records.let_go(record);
  EXPECT_EQ(records.live(), 0U);
}

TEST(LaunchRecords, RecordsStayWhereTheyAreAndFreeOnesAreTakenAgainEmpty) {
  LaunchRecords records;
  std::vector<LaunchRecord*> taken;
  for (unsigned i = 0; i < 3000; ++i) {
    taken.push_back(&records.take());
    taken.back()->context.ticket = i + 1;
  }
  const std::set<LaunchRecord*> places(taken.begin(), taken.end());
  EXPECT_EQ(places.size(), 3000U);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = round; i < 3000; i += 3) records.let_go(*taken[i]);
    EXPECT_EQ(records.live(), 2000U);
    for (unsigned i = round; i < 3000; i += 3) {
      LaunchRecord& again = records.take();
      EXPECT_EQ(places.count(&again), 1U);
      ASSERT_EQ(again.context.ticket, 0U);
      again.context.ticket = i + 1;
      taken[i] = &again;
    }
    // All records that were held meanwhile, and all new ones, are distinct.
    EXPECT_EQ(std::set<LaunchRecord*>(taken.begin(), taken.end()).size(), 3000U);
    for (unsigned i = 0; i < 3000; ++i) ASSERT_EQ(taken[i]->context.ticket, i + 1);
  }
}

TEST(LaunchRecords, AChildHoldsItsParentsUpToTheHosts) {
  LaunchRecords records;
  LaunchRecord& host = records.take();
  LaunchRecord& child = records.take(&host, 3);
  LaunchRecord& grandchild = records.take(&child, 12);
  LaunchRecord& second = records.take(&host, 5);
  EXPECT_EQ(host.level, 0U);
  EXPECT_EQ(child.level, 1U);
  EXPECT_EQ(child.parent_sm, 3U);
  EXPECT_EQ(grandchild.level, 2U);
  EXPECT_EQ(grandchild.parent_sm, 12U);
  EXPECT_EQ(grandchild.parent, &child);
  records.let_go(host);
  records.let_go(child);
  EXPECT_EQ(records.live(), 4U);
  records.let_go(grandchild);
  EXPECT_EQ(records.live(), 2U);  // records of the second child and of the host's launch
  EXPECT_EQ(host.holders, 1U);
  records.let_go(second);
  EXPECT_EQ(records.live(), 0U);
}

TEST(LaunchRecordsDeathTest, ARecordIsFreedOnce) {
  LaunchRecords records;
  LaunchRecord& record = records.take();
  records.let_go(record);
  EXPECT_DEATH(records.let_go(record), "let go once too often");
  EXPECT_DEATH(records.hold(record), "nobody has");
}

TEST(LaunchTrees, ATreeHoldsItsRecordUntilItIsComplete) {
  LaunchTrees trees;
  LaunchRecord& record = trees.open();
  LaunchRecord& other = trees.open();
  EXPECT_EQ(trees.open_launches(), 2U);
  trees.records().let_go(record);
  EXPECT_EQ(trees.records().live(), 2U);
  EXPECT_TRUE(trees.complete(record));
  EXPECT_EQ(trees.records().live(), 1U);
  EXPECT_EQ(trees.open_launches(), 1U);
  ++other.open;  // a child
  EXPECT_FALSE(trees.complete(other));
  EXPECT_TRUE(trees.complete(other));
  EXPECT_DEATH(static_cast<void>(trees.complete(other)), "completes twice");
}

TEST(KernelTable, EntryAndTbsHoldTheRecord) {
  PartRig rig;
  rig.write(2, 6);
  const LaunchRecord& record = *rig.table[2].record;
  EXPECT_EQ(&rig.table[2].context(), &record.context);
  EXPECT_EQ(record.holders, 1U);
  for (unsigned i = 0; i < 4; ++i) rig.table.place(2, 1);
  EXPECT_EQ(record.holders, 5U);
  rig.table.save(2);
  rig.table.save(2);
  rig.table.restore(2);
  EXPECT_EQ(record.holders, 5U);  // whether on an SM or saved
  rig.table.retire(2, 10, 320);
  EXPECT_EQ(record.holders, 5U);  // the TB is still to be counted
  rig.table.count(2);
  EXPECT_EQ(record.holders, 4U);
  rig.table.kill(2);
  rig.table.take_back(2);
  EXPECT_EQ(record.holders, 4U);  // a dropped TB too
  rig.table.count(2);
  EXPECT_EQ(record.holders, 3U);
  rig.table.drop_next(2);
  EXPECT_EQ(record.holders, 4U);  // a dropped TB runs until it is counted
  rig.table.drop_rest(2);
  for (unsigned i = 0; i < 3; ++i) rig.table.count(2);
  EXPECT_EQ(record.holders, 1U);
  EXPECT_EQ(rig.table.records().live(), 1U);
  static_cast<void>(rig.table.release(2, 9));
  EXPECT_EQ(rig.table.records().live(), 0U);
  EXPECT_EQ(rig.table[2].record, nullptr);
}

// A suspended TB relies on its record: by the time it resumes, the entry belongs to another launch.
TEST(KernelTable, ARecordThatIsHeldElsewhereOutlivesTheEntry) {
  PartRig rig;
  const KernelContext& context = rig.write(0, 1);
  LaunchRecord& record = *rig.table[0].record;
  rig.trees.records().hold(record);
  rig.table.place(0, 1);
  rig.table.count(0);
  static_cast<void>(rig.table.release(0, 5));
  const KernelContext& next = rig.write(0, 3, 10);
  EXPECT_NE(&next, &context);
  EXPECT_EQ(context.ticket, 100U);
  EXPECT_EQ(context.grid.x, 1U);
  EXPECT_EQ(rig.table.records().live(), 2U);
  rig.trees.records().let_go(record);
  EXPECT_EQ(rig.table.records().live(), 1U);
}

TEST(KernelTable, TbsOfTheHostsKernelsAcquireWhenTheEntryIsWrittenOthersAtTheirLaunch) {
  PartRig rig;
  rig.write(0, 1, 40);
  EXPECT_EQ(rig.table[0].record->acquire, 40U);
  LaunchRecord& child = rig.trees.records().take(rig.table[0].record, 2);
  child.acquire = 25;
  KernelContext& context = rig.table.reserve(1, child);
  context.program = rig.table[0].context().program;
  context.grid = {1, 1, 1};
  context.written = 60;
  EXPECT_TRUE(rig.table.write(1, 60));
  EXPECT_EQ(child.acquire, 25U);
  EXPECT_EQ(child.context.entry, 1U);
}

// Whether hook or built-in policy chooses the TB, the SM gets the launch from the launch record.
TEST(Dispatcher, TbsHaveLevelParentAndAcquireOfTheirLaunch) {
  const TbNeed need{2, 64, 4, 0};
  for (const bool chosen : {false, true}) {
    ScriptedPolicy policy;
    DispatcherRig rig({{}, {}, chosen ? &policy : nullptr, false});
    rig.push(3, 1, need, 0, 40);
    LaunchRecord& child = rig.trees.records().take(rig.table[3].record, 7);
    LaunchRecord& grandchild = rig.trees.records().take(&child, 12);
    grandchild.acquire = 25;
    KernelContext& context = rig.table.reserve(5, grandchild);
    context.program = rig.table[3].context().program;
    context.grid = {2, 1, 1};
    context.need = need;
    context.written = 50;
    EXPECT_TRUE(rig.table.write(5, 50));
    rig.dispatcher.push(5);
    policy.out.place = Placement{3, 0, 0, false};
    const auto first = rig.placed(60);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->second.kernel->entry, 3U);
    EXPECT_EQ(first->second.level, 0U);
    EXPECT_EQ(first->second.acquire, 40U);
    policy.out.place = Placement{5, 0, 0, false};
    const auto second = rig.placed(61);
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->second.kernel->entry, 5U);
    EXPECT_EQ(second->second.level, 2U);
    EXPECT_EQ(second->second.parent_sm, 12U);
    EXPECT_EQ(second->second.acquire, 25U);
  }
}

TEST(FrontEnd, NoRecordIsLeftWhenAllIsDone) {
  Rig rig(load({"parse.latency=20"}), {});
  rig.service = 300;
  const ProgramHandle program = rig.program("k", 16, 0, 24, 8);
  for (unsigned i = 0; i < 40; ++i) rig.submit(i % 3, Rig::kernel(program, 1 + i, 64), 10 + i);
  std::size_t most = 0;
  rig.before = [&](Cycle now) {
    const KernelTable& table = rig.front_end->table();
    most = std::max(most, table.records().live());
    ASSERT_EQ(table.records().live(), table.valid());
    if (now == 600) rig.sms[0]->fault_now(table[table[0].record != nullptr ? 0 : 1].context(), "stop", now);
  };
  rig.pins.insert(600);
  rig.run();
  EXPECT_EQ(most, 3U);
  EXPECT_EQ(rig.front_end->releases().kernels().size(), 40U);
  EXPECT_EQ(rig.front_end->table().records().live(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_launch_records_test

// Tests of kernels whose TBs must all be resident at once: their start, and the placement of other TBs meanwhile.
#include "castor/gpu/front_end/grid_starts.h"
#include "gpu_front_end_dispatch_parts.h"
#include "gpu_front_end_hooks_support.h"

namespace castor::gpu::gpu_front_end_grid_starts_test {
namespace {

using test::DispatcherRig;
using test::load;
using test::Logged;
using test::Rig;
using test::ScriptedGovernor;
using test::ScriptedPolicy;
using test::hooks::Fcfs;

constexpr TbNeed kSmall{1, 32, 1, 0};
constexpr TbNeed kHalf{32, 1024, 1, 0};  // half of an SM's warps

/// Pushes a kernel whose TBs must be resident at once.
void push_grid(DispatcherRig& rig, unsigned entry, std::uint32_t tbs, TbNeed need, unsigned queue = 0) {
  KernelContext& context = rig.reserve(entry, tbs, queue);
  context.need = need;
  context.all_resident = true;
  ASSERT_TRUE(rig.table.write(entry, 0));
  rig.dispatcher.push(entry);
}

TEST(GridStarts, NoTbIsPlacedBeforeAllFit) {
  DispatcherRig rig({{"chip.sms=2"}, {}, nullptr, false});
  rig.ledger.debit(1, 5, kHalf, 0);
  push_grid(rig, 0, 4, kHalf);
  EXPECT_EQ(rig.dispatcher.grid_room(0), 3U);
  EXPECT_EQ(rig.placed_of(1), -1);
  EXPECT_TRUE(rig.dispatcher.takers(0).none());
  EXPECT_FALSE(rig.dispatcher.show_fits()[0]);
  EXPECT_NE(rig.dispatcher.rest(1), DispatchWait::kNothing);
  EXPECT_FALSE(rig.dispatcher.placeable());
  rig.ledger.credit(1, 5, kHalf);
  for (Cycle now = 2; now < 6; ++now) EXPECT_EQ(rig.placed_of(now), 0) << now;
  EXPECT_FALSE(rig.dispatcher.starts_grid());
  EXPECT_EQ(rig.ledger.resident(0, 0), 2U);
  EXPECT_EQ(rig.ledger.resident(1, 0), 2U);
}

TEST(GridStarts, FromTheFirstTbToTheLastNothingElseIsPlaced) {
  DispatcherRig rig({{"chip.sms=2", "dispatch.bypass=sticky"}, {}, nullptr, false});
  push_grid(rig, 0, 3, kHalf);
  rig.push(1, 2, kSmall);
  rig.push(2, 1, kSmall);
  rig.table.place(2, 1);
  rig.table.save(2);
  EXPECT_TRUE(rig.dispatcher.sms_for_restored(2).any());
  EXPECT_EQ(rig.placed_of(1), 0);
  // The other kernels fit, and so does a swapped-out TB.
  EXPECT_TRUE(rig.ledger.fits(1).any());
  EXPECT_TRUE(rig.dispatcher.takers(1).none());
  EXPECT_TRUE(rig.dispatcher.sms_for_restored(2).none());
  EXPECT_EQ(rig.dispatcher.grid_room(0), std::nullopt);
  EXPECT_EQ(rig.placed_of(2), 0);
  EXPECT_EQ(rig.placed_of(3), 0);
  EXPECT_TRUE(rig.dispatcher.sms_for_restored(2).any());
  EXPECT_EQ(rig.placed_of(4), 1);
}

TEST(GridStarts, TwoOfThemStartOneAfterTheOther) {
  DispatcherRig rig({{"chip.sms=1"}, {}, nullptr, false});
  push_grid(rig, 0, 2, kSmall);
  push_grid(rig, 1, 2, kSmall, 1);
  for (Cycle now = 1; now < 5; ++now) EXPECT_EQ(rig.placed_of(now), now < 3 ? 0 : 1) << now;
}

TEST(GridStarts, ClosedSmsAndQuotasCount) {
  ScriptedGovernor governor;
  DispatcherRig rig({{"chip.sms=4"}, {&governor}, nullptr, false});
  const unsigned entries = rig.machine.table.entries;
  std::vector<std::uint8_t> allowed(std::size_t{4} * entries, 2);
  const Quota quota{entries, allowed.data()};
  governor.out.open = 0x3;
  governor.out.quota = &quota;
  push_grid(rig, 3, 5, kSmall);
  EXPECT_EQ(rig.placed_of(1), -1);
  EXPECT_EQ(rig.dispatcher.grid_room(3), 4U);
  // A TB of the kernel also fits on the open SMs, but the kernel needs the closed ones.
  EXPECT_EQ(rig.dispatcher.state().fits_head, SmMask{0xc});
  allowed[entries + 3] = Quota::kUnlimited;  // SM 1
  EXPECT_EQ(rig.dispatcher.grid_room(3), 2U + rig.machine.sm.tb_slots);
  allowed[entries + 3] = 2;
  governor.out.open = 0x7;
  for (Cycle now = 2; now < 7; ++now) EXPECT_EQ(rig.placed_of(now), 3) << now;
  EXPECT_EQ(rig.placed_of(7), -1);
}

TEST(GridStarts, LaunchesByDeviceCodePassOneThatWaits) {
  for (const bool by_device : {false, true}) {
    DispatcherRig rig({{"chip.sms=1"}, {}, nullptr, false});
    rig.ledger.debit(0, 5, kHalf, 0);
    push_grid(rig, 0, 2, kHalf);
    LaunchRecord& parent = rig.trees.records().take();
    LaunchRecord& record = by_device ? rig.trees.records().take(&parent) : rig.trees.records().take();
    KernelContext& child = rig.table.reserve(1, record);
    child.program = parent.context.program = rig.table[0].context().program;
    child.grid = {1, 1, 1};
    child.block = {32, 1, 1};
    child.need = kSmall;
    ASSERT_TRUE(rig.table.write(1, 0));
    rig.dispatcher.push(1);
    static_cast<void>(rig.dispatcher.rest(0));
    EXPECT_EQ(rig.dispatcher.placeable(), by_device);
    EXPECT_EQ(rig.placed_of(1), by_device ? 1 : -1);
    rig.ledger.credit(0, 5, kHalf);
    if (by_device) rig.ledger.credit(0, 1, kSmall);
    EXPECT_EQ(rig.placed_of(2), 0);
  }
}

TEST(GridStarts, AStoppedOneLetsTheOthersGo) {
  DispatcherRig rig({{"chip.sms=2"}, {}, nullptr, false});
  push_grid(rig, 0, 3, kHalf);
  rig.push(1, 1, kSmall);
  EXPECT_EQ(rig.placed_of(1), 0);
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  EXPECT_FALSE(rig.dispatcher.starts_grid());
  EXPECT_EQ(rig.placed_of(2), 1);
}

TEST(GridStarts, AHeldQueueDoesNotHoldOneThatHasStarted) {
  DispatcherRig rig({{"chip.sms=2"}, {}, nullptr, false});
  push_grid(rig, 0, 3, kHalf, 3);
  QueueMask held;
  held[3] = true;
  rig.dispatcher.hold_queues(held);
  EXPECT_EQ(rig.placed_of(1), -1);
  rig.dispatcher.hold_queues({});
  EXPECT_EQ(rig.placed_of(2), 0);
  rig.dispatcher.hold_queues(held);
  EXPECT_EQ(rig.placed_of(3), 0);
  EXPECT_EQ(rig.placed_of(4), 0);
}

TEST(GridStarts, APolicySeesWhatIsWithheld) {
  ScriptedPolicy policy;
  DispatcherRig rig({{"chip.sms=2"}, {}, &policy, false});
  rig.push(1, 1, kSmall);
  std::vector<unsigned> withheld;
  policy.decide = [&](const DispatchIn& in, DispatchOut& out) {
    withheld.clear();
    for (unsigned entry = 0; in.withheld != nullptr && entry < 3; ++entry) {
      if ((*in.withheld)[entry]) withheld.push_back(entry);
    }
    out.place = Placement{1, Placement::kAnySm, 0, false};
  };
  rig.ledger.debit(1, 5, kHalf, 0);
  push_grid(rig, 0, 4, kHalf);
  EXPECT_EQ(rig.placed_of(1), 1);
  EXPECT_THAT(withheld, testing::ElementsAre(0));
  policy.decide = {};
  policy.out.place = Placement{0, Placement::kAnySm, 0, false};
  EXPECT_EQ(rig.placed_of(2), -1);
  EXPECT_EQ(rig.statistic("offers_refused"), 1U);
}

TEST(GridStarts, WithAPolicyAnEntryIsWrittenWhenNoOtherHasTbsToPlace) {
  ScriptedPolicy policy;
  DispatcherRig rig({{"chip.sms=2"}, {}, &policy, false});
  rig.push(1, 1, kSmall, 1);
  rig.reserve(0, 2, 0).all_resident = true;
  rig.reserve(2, 2, 2);
  EXPECT_TRUE(rig.dispatcher.takes(2));
  EXPECT_FALSE(rig.dispatcher.takes(0));
  // TBs of held queues are not placed, and may wait for this kernel.
  QueueMask held;
  held[1] = true;
  rig.dispatcher.hold_queues(held);
  EXPECT_TRUE(rig.dispatcher.takes(0));
  rig.dispatcher.hold_queues({});
  policy.out.place = Placement{1, Placement::kAnySm, 0, false};
  EXPECT_EQ(rig.placed_of(1), 1);
  EXPECT_TRUE(rig.dispatcher.takes(0));
  ASSERT_TRUE(rig.table.write(0, 1));
  rig.dispatcher.push(0);
  EXPECT_FALSE(rig.dispatcher.takes(2));
  rig.table.kill(2);
  EXPECT_TRUE(rig.dispatcher.takes(2));
}

/// Runs many kernels of several queues; every third must be resident at once. Checks that such a kernel has all its TBs
/// on SMs before any of them retires, that TBs of others are placed neither between its first and its last, and that
/// all work ends.
void check_random(std::uint64_t seed, bool policy, bool every_cycle) {
  Fcfs fcfs;
  Rig::Options options;
  options.every_cycle = every_cycle;
  if (policy) options.hooks.dispatch = &fcfs;
  options.service = [](const KernelContext& kernel, std::uint64_t gid) -> Cycle {
    return (kernel.all_resident ? 400 : 50) + (kernel.ticket * 31 + gid * 17) % 300;
  };
  Rig rig(load({"chip.sms=3", "dispatch.bypass=" + std::string(seed % 2 == 0 ? "off" : "sticky")}), options);
  base::Xoshiro256 random(seed);
  std::map<Ticket, std::uint32_t> grids;
  Cycle visible = 1;
  for (unsigned i = 0; i < 40; ++i) {
    visible += random.below(150);
    KernelPacket packet = Rig::kernel(rig.program("k", 16), 1 + static_cast<std::uint32_t>(random.below(24)), 512);
    packet.cooperative = i % 3 == 0;
    if (packet.cooperative) packet.grid.x = 1 + static_cast<std::uint32_t>(random.below(12));
    const std::uint32_t tbs = packet.grid.x;
    const bool grid = packet.cooperative;
    const Ticket ticket = rig.submit(static_cast<unsigned>(random.below(6)), std::move(packet), visible);
    if (grid) grids[ticket] = tbs;
  }
  rig.run();
  EXPECT_TRUE(rig.front_end->idle());
  std::map<Ticket, std::uint32_t> placed;
  Ticket starting = 0;
  for (const Logged& event : rig.log.events) {
    if (event.what == "retired" && grids.count(event.a) != 0) {
      EXPECT_EQ(placed[event.a], grids[event.a]) << "cycle " << event.cycle;
    }
    if (event.what != "placed") continue;
    if (starting != 0) {
      EXPECT_EQ(event.a, starting) << "cycle " << event.cycle;
    }
    ++placed[event.a];
    const auto grid = grids.find(event.a);
    starting = grid != grids.end() && placed[event.a] < grid->second ? event.a : 0;
  }
  EXPECT_EQ(rig.log.of("completed").size(), 40U);
}

TEST(GridStarts, RandomKernelsBesideEachOther) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    check_random(seed, seed % 3 == 0, seed % 4 == 0);
  }
}

// 12 TBs of 512 threads fit on 3 SMs of 2048 threads.
TEST(GridStarts, TakesEachLaunchAWorkspaceAndGivesItBack) {
  Rig rig(load({"chip.sms=3"}), {});
  const std::uint64_t before = rig.store.used(AllocationKind::kGridBarriers);
  for (unsigned i = 0; i < 20; ++i) {
    KernelPacket packet = Rig::kernel(rig.program("k"), 2, 64);
    packet.cooperative = i != 7;
    rig.submit(i % 3, std::move(packet), 1 + 10 * i);
  }
  EXPECT_EQ(before, 0U);
  rig.run();
  EXPECT_TRUE(rig.front_end->idle());
  EXPECT_EQ(rig.store.used(AllocationKind::kGridBarriers), 256U) << "16 launches share a page";
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_grid_starts_test

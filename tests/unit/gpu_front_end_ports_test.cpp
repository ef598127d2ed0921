// Tests of the ports of dispatch policy, launch unit and job scheduler alone, and of the hooks' inputs in a cycle.
#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/launch_port.h"
#include "castor/gpu/front_end/scheduler_port.h"
#include "common/hook_fails.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_ports_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

using Policy = test::Scripted<DispatchIn, DispatchOut>;
using Scheduler = test::Scripted<JobIn, JobOut, JobScheduler>;

class PolicyRig : public PartRig {
 public:
  explicit PolicyRig(DispatchPolicy* policy, const std::vector<std::string>& keys = {})
      : PartRig(load(keys)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        ledger(machine),
        events(policy != nullptr, machine.chip.sms),
        port(policy, place(), ledger, memory.client(FrontEndMemory::User::kDispatchPolicy), events) {}
  Store store;
  MemoryRig memory;
  Ledger ledger;
  HookEvents events;
  DispatchPort port;
};

TEST(DispatchPort, WithoutAPolicyTakesEveryPushAndHoldsNothing) {
  PolicyRig rig(nullptr);
  rig.port.begin();
  EXPECT_FALSE(rig.port.present());
  EXPECT_TRUE(rig.port.push_ready());
  EXPECT_TRUE(rig.port.hold().none());
  EXPECT_FALSE(rig.port.stirred());
  EXPECT_TRUE(rig.port.inert());
  EXPECT_EQ(rig.port.next(5), kForever);
}

TEST(DispatchPort, ShowsTheCycleAndKeepsWhatThePolicySaid) {
  Policy policy;
  PolicyRig rig(&policy);
  ASSERT_EQ(policy.resets, 1U);
  KdMask fits;
  fits[3] = true;
  policy.decide = [&](const DispatchIn& in, DispatchOut& out) {
    EXPECT_EQ(in.now, 7U);
    EXPECT_EQ(in.room, &rig.ledger);
    EXPECT_EQ(in.fits, &fits);
    EXPECT_EQ(in.open, 0x6U);
    EXPECT_FALSE(in.taken);
    EXPECT_TRUE(in.ev.done.has_value());
    out.place = Placement{3, 1, 0, false};
    out.hold[2] = true;
    out.push_ready = false;
    out.ready = true;
    out.fits_head = 0x4;
  };
  rig.events.begin(7);
  rig.port.begin();
  rig.events.done({});
  const Maybe<Placement> offer = rig.port.settle(fits, 0x6, nullptr, 7);
  ASSERT_TRUE(offer.has_value());
  EXPECT_EQ(offer->kd, 3U);
  EXPECT_FALSE(rig.port.push_ready());
  EXPECT_TRUE(rig.port.hold()[2]);
  EXPECT_TRUE(rig.port.state().ready);
  EXPECT_EQ(rig.port.state().fits_head, 0x4U);

  // At the edge the policy sees that its offer was accepted, the current mask, and the pushed kernel.
  rig.port.take();
  fits[4] = true;
  rig.reserve(5, 40);
  rig.events.pushed(*rig.table[5].record);
  bool seen = false;
  policy.see = [&](const DispatchIn& in) {
    EXPECT_TRUE(in.taken);
    EXPECT_TRUE((*in.fits)[4]);
    ASSERT_TRUE(in.push.has_value());
    EXPECT_EQ(in.push->kd, 5U);
    EXPECT_EQ(in.push->tbs, 40U);
    seen = true;
  };
  rig.port.clock(7);
  EXPECT_TRUE(seen);
  EXPECT_FALSE(rig.port.push_ready());
}

TEST(DispatchPort, AReplyIsSeenForOneCycle) {
  Policy policy;
  PolicyRig rig(&policy);
  const std::uint64_t address = rig.store.allocate(256, AllocationKind::kHeap).value();
  policy.site.memory->read(address, 8, 42);
  Cycle replied = 0;
  for (Cycle now = 1; now < 60; ++now) {
    rig.port.begin();
    policy.decide = [&](const DispatchIn& in, DispatchOut& /*out*/) {
      if (!in.reply) return;
      EXPECT_EQ(in.reply->tag, 42U);
      EXPECT_EQ(replied, 0U);
      replied = now;
    };
    static_cast<void>(rig.port.settle({}, 0, nullptr, now));
    EXPECT_EQ(rig.port.stirred(), replied == now);
    rig.memory.tick(now);
  }
  EXPECT_NE(replied, 0U);
}

TEST(DispatchPort, ReportsOfTheBlockCarryItsName) {
  Policy policy;
  PolicyRig rig(&policy);
  policy.site.error(3, 99);
  policy.site.error(4, 98, 5);
  EXPECT_THAT(rig.errors, testing::ElementsAre("dispatch_policy 3 99", "dispatch_policy 4 98 of 5"));
}

TEST(DispatchPort, IsDetachedAtTheEnd) {
  Policy policy;
  { PolicyRig rig(&policy); }
  EXPECT_EQ(policy.detached, 1U);
}

TEST(DispatchPortDeathTest, EarlyOutputsThatFollowInputsAreAnAssertionInRunsThatCheck) {
  Policy policy;
  policy.decide = [](const DispatchIn& in, DispatchOut& out) { out.push_ready = in.open == 0; };
  PolicyRig rig(&policy, {"run.sleep=0"});
  EXPECT_HOOK_FAILS(static_cast<void>(rig.port.settle({}, 1, nullptr, 5)),
                    "changes push_ready, attach_ready or hold after settle");
}

TEST(SchedulerPort, WithoutASchedulerNobodyJudgesAndNoWindowIsServed) {
  PartRig rig;
  const HookEvents events(false, 1);
  SchedulerPort port(nullptr, rig.place(), events);
  port.begin();
  EXPECT_FALSE(port.on());
  EXPECT_FALSE(port.judges());
  EXPECT_FALSE(port.irq());
  EXPECT_FALSE(port.stirred());
  EXPECT_TRUE(port.inert());
  EXPECT_EQ(port.next(5), kForever);
}

TEST(SchedulerPort, ShowsTheCycleAndWhatWasGrantedAtTheEdge) {
  Scheduler scheduler;
  PartRig rig;
  HookEvents events(true, 1);
  SchedulerPort port(&scheduler, rig.place(), events);
  QueueMask eligible;
  eligible[9] = true;
  const KdMask fits;
  JobBeat beat;
  beat.queue = 9;
  scheduler.decide = [&](const JobIn& in, JobOut& out) {
    EXPECT_TRUE((*in.eligible)[9]);
    EXPECT_EQ(in.fits, &fits);
    EXPECT_EQ(in.granted, -1);
    EXPECT_TRUE(in.verdict_ready);
    EXPECT_EQ(in.beat->queue, 9U);
    out.pick = 9;
    out.irq = in.now == 4;
  };
  int granted = -2;
  scheduler.see = [&](const JobIn& in) { granted = in.granted; };
  for (const Cycle now : {4, 5}) {
    events.begin(now);
    port.begin();
    EXPECT_FALSE(port.stirred());
    EXPECT_EQ(port.settle(eligible, fits, beat, true, now).pick, 9);
    EXPECT_EQ(port.irq(), now == 4);
    if (now == 4) port.grant(9);
    if (now == 5) port.take_beat();
    EXPECT_TRUE(port.stirred());
    port.clock(now);
    EXPECT_EQ(granted, now == 4 ? 9 : -1);
  }
  EXPECT_EQ(scheduler.edges, 2U);
}

TEST(SchedulerPort, NextEdgeIsOnePastTheQuietOnes) {
  Scheduler scheduler;
  PartRig rig;
  const HookEvents events(true, 1);
  const SchedulerPort port(&scheduler, rig.place(), events);
  for (const Cycle quiet : {0, 1, 1000}) {
    scheduler.quiet_edges = quiet;
    EXPECT_EQ(port.next(10), 11 + quiet);
  }
  scheduler.quiet_edges = kForever - 5;
  EXPECT_EQ(port.next(10), kForever);
}

TEST(HookEvents, AreThoseOfTheCycle) {
  PartRig rig;
  const KernelContext& kernel = rig.write(6, 20, 0, 4);
  HookEvents events(true, 13);
  EXPECT_EQ(events.cycle(), kForever);
  events.begin(3);
  EXPECT_FALSE(events.any());
  events.retired(tb_event(kernel, 2, 17));
  events.retired(tb_event(kernel, 5, 18));
  EXPECT_TRUE(events.any());
  ASSERT_EQ(events.all().retired.size, 2U);
  EXPECT_EQ(events.all().retired[1].sm, 5);
  EXPECT_EQ(events.all().retired[1].gid, 18U);
  EXPECT_EQ(events.all().retired[1].kd, 6U);
  EXPECT_EQ(events.all().retired[1].queue, 4U);
  EXPECT_TRUE(events.retired_on(2));
  EXPECT_FALSE(events.retired_on(3));
  events.completed(kernel, true);
  EXPECT_TRUE(events.all().completed->queue_empty);
  events.begin(4);
  EXPECT_EQ(events.cycle(), 4U);
  EXPECT_FALSE(events.any());
  EXPECT_TRUE(events.all().retired.empty());

  HookEvents off(false, 13);
  off.begin(3);
  off.retired(tb_event(kernel, 2, 17));
  off.completed(kernel, true);
  EXPECT_FALSE(off.any());
}

// --- Launch unit ----------------------------------------------------------------------------------------------------

using Unit = test::Scripted<LaunchIn, LaunchOut>;

class Keys final : public KernelKeys {
 public:
  [[nodiscard]] KernelKey key(unsigned entry) const override { return {entry == 2, 100 + entry, {32, 1, 1}, 0}; }
};

TEST(LaunchPort, ShowsTheCycleAndKeepsWhatTheUnitSaid) {
  Unit unit;
  unit.quiet_edges = 3;
  PartRig rig;
  HookEvents events(true, rig.machine.chip.sms);
  LaunchPort port(&unit, rig.place(), events);
  ASSERT_TRUE(port.on());
  ASSERT_EQ(unit.resets, 1U);
  unit.decide = [](const LaunchIn& in, LaunchOut& out) {
    EXPECT_EQ(in.now, 7U);
    ASSERT_TRUE(in.beat.has_value());
    EXPECT_EQ(in.beat->param, 0x40U);
    EXPECT_TRUE(in.attach_ready);
    EXPECT_TRUE(in.keys->key(2).valid);
    EXPECT_FALSE(in.keys->key(3).valid);
    out.beat_ready = true;
    out.hold[2] = true;
    out.attach = GroupAttach{2, 5, 0x80};
  };
  GroupBeat beat;
  beat.param = 0x40;
  events.begin(7);
  const LaunchOut& out = port.settle(beat, Keys(), true, 7);
  EXPECT_TRUE(out.beat_ready);
  ASSERT_TRUE(out.attach.has_value());
  EXPECT_EQ(out.attach->group, 5U);
  EXPECT_TRUE(port.hold()[2]);
  EXPECT_TRUE(port.stirred());

  // At the edge the hook sees the events since its outputs were computed.
  TbEvent done;
  done.group = 9;
  events.done(done);
  bool seen = false;
  unit.see = [&](const LaunchIn& in) { seen = in.ev.done && in.ev.done->group == 9 && in.beat; };
  port.clock(7);
  EXPECT_TRUE(seen);
  EXPECT_EQ(port.next(7), 11U);

  unit.decide = [](const LaunchIn& /*in*/, LaunchOut& out) { out = {}; };
  static_cast<void>(port.settle(std::nullopt, Keys(), true, 8));
  EXPECT_FALSE(port.stirred());
  EXPECT_TRUE(port.hold().none());
}

TEST(LaunchPort, WithoutAUnitHoldsNothing) {
  PartRig rig;
  HookEvents events(false, rig.machine.chip.sms);
  LaunchPort port(nullptr, rig.place(), events);
  EXPECT_FALSE(port.on());
  EXPECT_TRUE(port.hold().none());
  EXPECT_FALSE(port.stirred());
  EXPECT_TRUE(port.inert());
  EXPECT_EQ(port.next(5), kForever);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_ports_test

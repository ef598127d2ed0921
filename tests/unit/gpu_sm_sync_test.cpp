// Tests of the synchronisation agent of an SM: its inputs, its stalls, and the ticks in which it is not called
// (docs/gpu/sync-network.md).
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "castor/gpu/wait_graph.h"
#include "gpu_sm_sync_support.h"

namespace castor::gpu::gpu_sm_sync_test {
namespace {

using test::machine;
using test::Rig;
using test::sync_message;
using test::SyncSeen;
using test::sync::Agent;
using test::sync::kIdeal;
using test::sync::SyncRig;

// --- Stall -----------------------------------------------------------------------------------------------------------

constexpr const char* kLoop =
    "mov.u32 %r1, 100; LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOOP; ret;";

TEST(SyncAgents, StalledWarpsIssueNothingAndOthersGoOn) {
  constexpr Cycle kFrom = 300, kUntil = 500;
  for (const bool sleep : {true, false}) {
    Agent agent;
    agent.decide = [&](const AgentIn& in, AgentOut& out) {
      out.stall = in.now >= kFrom && in.now < kUntil ? 0b0101 : 0;
    };
    SyncRig rig(agent, kIdeal, sleep);
    rig.start(rig.load_synchronising(kLoop, {1}, {128}));
    ASSERT_TRUE(rig.run(1));
    for (unsigned warp = 0; warp < 4; ++warp) {
      const std::vector<Tick> ticks = rig.log.ticks(warp);
      const auto inside = std::count_if(ticks.begin(), ticks.end(), [](Tick t) { return t >= kFrom && t < kUntil; });
      if (warp % 2 == 1) {
        EXPECT_GT(inside, 10) << warp;
        continue;
      }
      EXPECT_EQ(inside, 0) << warp;
      // A warp that is alone on its scheduler and has long been ready issues in the first tick without the stall.
      EXPECT_TRUE(std::binary_search(ticks.begin(), ticks.end(), kUntil)) << warp;
      EXPECT_GT(std::count_if(ticks.begin(), ticks.end(), [](Tick t) { return t < kFrom; }), 10) << warp;
    }
  }
}

TEST(SyncAgents, WarpsOfOtherKernelsAreNotStalledNorSeen) {
  Agent agent;
  unsigned starts = 0, exits = 0, retired = 0;
  agent.out.stall = ~WarpMask{0};
  agent.see = [&](const AgentIn& in) {
    starts += in.start ? 1 : 0;
    exits += static_cast<unsigned>(in.exit.size);
    retired += in.retired ? 1 : 0;
    EXPECT_EQ(in.quiesced & ~TbMask{2}, 0U);
    if (in.now == 8000) agent.out.stall = 0;
  };
  SyncRig rig(agent);
  test::Kernel& plain = rig.load(kLoop, {2}, {64});
  test::Kernel& other = rig.load_synchronising(kLoop, {1}, {64});
  rig.start(plain, 0);
  rig.start(other, 0);
  ASSERT_TRUE(rig.run(1, 7000));
  EXPECT_EQ(rig.retired[0].kernel, &plain.context);
  EXPECT_EQ(rig.log.ticks(2).size() + rig.log.ticks(3).size(), 0U);
  ASSERT_TRUE(rig.run(2, 20'000));
  EXPECT_EQ(rig.log.ticks(2).front(), 8001U);
  EXPECT_EQ(starts, 1U);
  EXPECT_EQ(exits, 2U);
  EXPECT_EQ(retired, 1U);
  // Slots of the TB that has retired are not stalled in a TB of another kernel.
  agent.out.stall = ~WarpMask{0};
  rig.start(plain, 1);
  ASSERT_TRUE(rig.run(3, 7000));
}

// --- What it sees ----------------------------------------------------------------------------------------------------

TEST(SyncAgents, StartsExitsAndRetirementsAreSeenInTheirTick) {
  Agent agent;
  std::vector<std::pair<Cycle, unsigned>> starts, exits, retired;
  agent.see = [&](const AgentIn& in) {
    if (in.start) {
      starts.emplace_back(in.now, in.start->gid);
      EXPECT_EQ(in.start->warps, WarpMask{7} << 3 * in.start->tb);
    }
    for (const WarpExit& one : in.exit) {
      EXPECT_EQ(one.tb, one.warp / 3);
      exits.emplace_back(in.now, one.warp);
    }
    if (in.retired) retired.emplace_back(in.now, *in.retired);
  };
  SyncRig rig(agent);
  test::Kernel& kernel = rig.load_synchronising("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %r1; ret;", {3}, {96});
  for (unsigned i = 0; i < 3; ++i) rig.start(kernel, i);
  ASSERT_TRUE(rig.run(3));
  std::vector<std::pair<Cycle, unsigned>> expected;
  for (const auto& one : rig.log.started) expected.emplace_back(one.cycle, one.gid);
  EXPECT_EQ(starts, expected);
  expected.clear();
  for (const auto& one : rig.log.retired) expected.emplace_back(one.cycle, one.context);
  EXPECT_EQ(retired, expected);
  ASSERT_EQ(exits.size(), 9U);
  for (const auto& [cycle, warp] : exits) EXPECT_EQ(rig.log.ticks(warp).back(), cycle) << warp;
}

TEST(SyncAgents, AStoppedTbIsSeenAsStoppedAndRetiresStalledOrNot) {
  Agent agent;
  std::vector<std::pair<Cycle, TbMask>> stopped;
  std::vector<Cycle> retired;
  agent.out.stall = ~WarpMask{0};
  agent.see = [&](const AgentIn& in) {
    if (in.stopped != 0) stopped.emplace_back(in.now, in.stopped);
    if (in.retired) retired.push_back(in.now);
    EXPECT_TRUE(in.exit.empty());
  };
  SyncRig rig(agent);
  test::Kernel& kernel = rig.load_synchronising(kLoop, {2}, {64});
  rig.start(kernel, 0);
  rig.start(kernel, 1);
  EXPECT_FALSE(rig.run(1, 400));
  const Cycle visible = rig.now + 10;
  rig.sm.kill(kernel.context, visible);
  ASSERT_TRUE(rig.run(2, 100));
  EXPECT_EQ(stopped, (std::vector<std::pair<Cycle, TbMask>>{{visible, 0b11}}));
  EXPECT_EQ(retired.size(), 2U);
}

/// Returns the tick from which the TB is quiesced, if its warp is stalled after the first issue of record `pc`.
Tick quiesced_behind(const std::string& body, std::uint32_t pc, bool sleep) {
  Agent agent;
  Rig* seen = nullptr;
  Maybe<Tick> issued, quiesced;
  agent.see = [&](const AgentIn& in) {
    // The log has what issued before this tick.
    if (!issued && !seen->log.at(0, pc).empty()) issued = seen->log.at(0, pc).front();
    agent.out.stall = issued ? 1 : 0;
    if (issued && !quiesced && (in.quiesced & 1) != 0) quiesced = in.now;
    if (!quiesced) return;
    EXPECT_TRUE((in.quiesced & 1) != 0 || in.now > *quiesced + 50) << "a stalled TB does not stay quiesced";
    if (in.now >= *quiesced + 50) agent.out.stall = 0;
  };
  SyncRig rig(agent, kIdeal, sleep);
  seen = &rig;
  std::vector<std::byte> parameters(8);
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::memcpy(parameters.data(), &out, 8);
  rig.start(rig.load_synchronising(body, {1}, {32}, parameters));
  EXPECT_TRUE(rig.run(1, 5000));
  EXPECT_TRUE(quiesced.has_value());
  return quiesced.value_or(0);
}

/// Returns the tick in which record `pc` issues without an agent.
Tick issue_of(const std::string& body, std::uint32_t pc) {
  Rig rig(machine("kepler_k20c_study", kIdeal));
  std::vector<std::byte> parameters(8);
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::memcpy(parameters.data(), &out, 8);
  rig.start(rig.load(body, {1}, {32}, 0, {}, parameters));
  EXPECT_TRUE(rig.run(1, 5000));
  return rig.log.at(0, pc).front();
}

std::uint32_t record(const std::string& body, bool (*is)(const isa::Record&)) {
  Rig rig(machine("kepler_k20c_study", kIdeal));
  const auto& code = rig.load(body, {1}, {32}).program->code;
  return static_cast<std::uint32_t>(std::find_if(code.begin(), code.end(), is) - code.begin());
}

TEST(SyncAgents, ATbIsQuiescedWhenADependentInstructionCouldIssue) {
  const std::string load = "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ret;";
  const std::string divide =
      "mov.u32 %r1, %tid.x; cvt.rn.f64.u32 %fd1, %r1; add.f64 %fd1, %fd1, 0d3ff0000000000000; div.rn.f64 %fd2, %fd1, "
      "%fd1; "
      "add.f64 %fd3, %fd2, %fd1; ret;";
  const std::string store =
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; membar.gl; add.u32 %r2, %r1, 1; ret;";
  const std::string atomic = "ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1], 1; add.u32 %r2, %r1, 1; ret;";
  for (const bool sleep : {true, false}) {
    const auto is_memory = [](const isa::Record& r) {
      return r.kind == isa::Kind::kMemory && r.memory.space == isa::Space::kGlobal;
    };
    const std::uint32_t at_load = record(load, is_memory), at_store = record(store, is_memory);
    EXPECT_EQ(quiesced_behind(load, at_load, sleep), issue_of(load, at_load + 1));
    EXPECT_GE(issue_of(load, at_load + 1), issue_of(load, at_load) + 100);
    const std::uint32_t at_divide =
        record(divide, [](const isa::Record& r) { return r.timing == isa::TimingClass::kF64Div; });
    EXPECT_EQ(quiesced_behind(divide, at_divide, sleep), issue_of(divide, at_divide + 1));
    EXPECT_GE(issue_of(divide, at_divide + 1), issue_of(divide, at_divide) + 100);
    // The fence ends in the tick of the last acknowledge, and its warp issues in the next tick.
    EXPECT_EQ(quiesced_behind(store, at_store, sleep), issue_of(store, at_store + 2) - 1);
    EXPECT_GE(issue_of(store, at_store + 2), issue_of(store, at_store) + 100);
    const std::uint32_t at_atomic = record(atomic, is_memory);
    EXPECT_GE(quiesced_behind(atomic, at_atomic, sleep), issue_of(atomic, at_atomic + 1));
  }
}

TEST(SyncAgents, AStoreOfAWarpThatHasExitedKeepsItsTbFromBeingQuiesced) {
  Agent agent;
  Maybe<Tick> exited, quiesced;
  agent.see = [&](const AgentIn& in) {
    if (!in.exit.empty() && !exited) exited = in.now;
    agent.out.stall = exited && !quiesced ? 1 : 0;
    // The store may issue in the tick of the exit, and then counts from the next tick on.
    if (exited && in.now > *exited && !quiesced && (in.quiesced & 1) != 0) quiesced = in.now;
  };
  SyncRig rig(agent);
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const std::string body =
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @!%p1 bra STAY; "
      "st.global.u32 [%rd1], %r1; ret; STAY: mov.u32 %r2, 100; LOOP: sub.u32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, 0; "
      "@%p0 bra LOOP; ret;";
  rig.start(rig.load_synchronising(body, {1}, {64}, parameters));
  ASSERT_TRUE(rig.run(1, 20'000));
  ASSERT_TRUE(exited.has_value() && quiesced.has_value());
  // The network answers 100 cycles after it has seen the store, which issued in the ticks before the exit.
  EXPECT_GT(*quiesced, *exited + 90);
  EXPECT_LT(*quiesced, *exited + 200);
}

// --- Messages --------------------------------------------------------------------------------------------------------

TEST(SyncAgents, AMessageWakesTheSmInTheCycleOfItsArrivalAndStaysUntilItIsTaken) {
  for (const bool sleep : {true, false}) {
    Agent agent;
    agent.sleeps = true;
    std::vector<SyncSeen> seen, taken;
    bool takes = false;
    agent.decide = [&](const AgentIn& /*in*/, AgentOut& out) { out.receive_ready = takes; };
    agent.see = [&](const AgentIn& in) {
      if (!in.received) return;
      (agent.out.receive_ready ? taken : seen).push_back({in.now, in.received->word[0]});
    };
    SyncRig rig(agent, kIdeal, sleep);
    for (; rig.now < 99;) rig.cycle();
    rig.net.begin(100);
    rig.net.send({SmMask{1}, sync_message(5)}, 100);
    for (; rig.now < 150;) rig.cycle();
    rig.net.begin(150);
    rig.net.send({SmMask{1}, sync_message(6)}, 150);
    for (; rig.now < 199;) rig.cycle();
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.front(), (SyncSeen{120, 5}));
    EXPECT_EQ(seen.back().value, 5U);
    takes = true;
    rig.sm.wake_at(200);
    for (; rig.now < 260;) rig.cycle();
    EXPECT_EQ(taken, (std::vector<SyncSeen>{{200, 5}, {201, 6}}));
    rig.net.begin(300);
    EXPECT_EQ(rig.net.in_flight(), 0U);
  }
}

TEST(SyncAgents, AKernelsStartIsSeenInTheCycleOfItsStamp) {
  Agent agent;
  agent.sleeps = true;
  std::vector<Cycle> seen;
  agent.see = [&](const AgentIn& in) {
    if (!in.kernel_start) return;
    EXPECT_EQ(in.kernel_start->tbs, 17U);
    seen.push_back(in.now);
  };
  SyncRig rig(agent);
  for (; rig.now < 50;) rig.cycle();
  SyncKernel kernel;
  kernel.tbs = 17;
  rig.net.start(kernel, 61);
  for (; rig.now < 200;) rig.cycle();
  EXPECT_EQ(seen, std::vector<Cycle>{61});
}

TEST(SyncAgents, CyclesInWhichAMessageWaitsForRoomAreCountedAsleepOrNot) {
  constexpr Cycle kOpens = 1000;
  constexpr unsigned kDepth = 22;
  for (const bool sleep : {true, false}) {
    Agent agent;
    agent.sleeps = true;
    agent.out.send = sync_message(1);
    unsigned sent = 0;
    agent.see = [&](const AgentIn& in) {
      if (in.send_ready && ++sent == kDepth + 1) agent.out.send.reset();
    };
    SyncRig rig(agent, kIdeal, sleep);
    // A start wakes the agent, which sends one message in each tick from then on.
    rig.net.start({}, 10);
    for (; rig.now < kOpens;) rig.cycle();
    EXPECT_EQ(sent, kDepth);
    EXPECT_TRUE(!sleep || rig.ticked < 100) << rig.ticked;
    rig.net.begin(kOpens);
    ASSERT_TRUE(rig.net.arrived()[0]);
    rig.net.take(SmMask{1}, kOpens);
    for (; rig.now < kOpens + 100;) rig.cycle();
    rig.sm.count_until(rig.now + 1);
    EXPECT_EQ(sent, kDepth + 1);
    // Sent in 10 to 31, then in kOpens + 1.
    EXPECT_EQ(rig.statistic("sm0.sync_net.up_messages"), kDepth + 1);
    EXPECT_EQ(rig.statistic("sm0.sync_net.up_blocked"), kOpens - 31);
    EXPECT_EQ(rig.statistic("sm0.sync_net.up_fill_max"), kDepth);
  }
}

TEST(SyncAgents, AnSmWithoutClockTakesNothingUntilItsClockIsOn) {
  Agent agent;
  agent.sleeps = true;
  agent.checks_cycles = false;
  std::vector<SyncSeen> taken;
  agent.see = [&](const AgentIn& in) {
    if (in.received) taken.push_back({in.now, in.received->word[0]});
  };
  SyncRig rig(agent);
  for (; rig.now < 49;) rig.cycle();
  rig.sm.set_clock_enable(false, 50);
  for (; rig.now < 60;) rig.cycle();
  rig.net.begin(60);
  rig.net.send({SmMask{1}, sync_message(3)}, 60);
  rig.net.begin(61);
  rig.net.send({SmMask{1}, sync_message(4)}, 61);
  for (; rig.now < 199;) rig.cycle();
  EXPECT_TRUE(taken.empty());
  rig.sm.set_clock_enable(true, 200);
  for (; rig.now < 300;) rig.cycle();
  EXPECT_EQ(taken, (std::vector<SyncSeen>{{200, 3}, {201, 4}}));
}

// --- Acquire ---------------------------------------------------------------------------------------------------------

/// Loads a word twice. The word changes between the loads, while the TB is stalled. Returns the second value.
std::uint32_t second_load(bool acquire) {
  Agent agent;
  agent.see = [&](const AgentIn& in) {
    agent.out.stall = in.now >= 600 && in.now < 1000 ? 1 : 0;
    agent.out.acquire = acquire && in.now == 999 ? 1 : 0;
  };
  SyncRig rig(agent, {"icache.ideal=1", "l1.caches_global=1", "check.stale=off"});
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  std::memset(rig.store->host(out), 0, 4096);
  rig.start(rig.load_synchronising(
      "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; mov.u32 %r3, 200; LOOP: sub.u32 %r3, %r3, 1; "
      "setp.ne.u32 %p0, %r3, 0; @%p0 bra LOOP; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+512], %r2; ret;",
      {1}, {32}, parameters));
  for (; rig.now < 800;) rig.cycle();
  const std::uint32_t fresh = 77;
  std::memcpy(rig.store->host(out), &fresh, 4);
  EXPECT_TRUE(rig.run(1, 20'000));
  std::uint32_t value = 0;
  std::memcpy(&value, rig.store->host(out + 512), 4);
  return value;
}

TEST(SyncAgents, AnAcquireHidesLinesThatWereFilledBefore) {
  EXPECT_EQ(second_load(false), 0U) << "the test sees no difference";
  EXPECT_EQ(second_load(true), 77U);
}

// --- Dormant ---------------------------------------------------------------------------------------------------------

TEST(SyncAgents, WithoutAKernelThatSynchronisesItIsNotCalledAndNothingChanges) {
  Agent agent;
  agent.sleeps = true;
  SyncRig rig(agent);
  Rig plain(machine("kepler_k20c_study", kIdeal));
  const auto run = [](Rig& one) {
    test::Kernel& kernel = one.load(kLoop, {6}, {96});
    for (unsigned i = 0; i < 6; ++i) one.start(kernel, i);
    EXPECT_TRUE(one.run(6));
  };
  run(rig);
  run(plain);
  EXPECT_EQ(agent.clocked, 0U);
  EXPECT_EQ(rig.ticked, plain.ticked);
  ASSERT_EQ(rig.log.issues.size(), plain.log.issues.size());
  for (std::size_t i = 0; i < rig.log.issues.size(); ++i) {
    ASSERT_EQ(rig.log.issues[i].tick, plain.log.issues[i].tick);
    ASSERT_EQ(rig.log.issues[i].warp, plain.log.issues[i].warp);
  }
  // A kernel with an operation: the agent is called in the ticks of its TBs, and is dormant again afterwards.
  rig.start(rig.load_synchronising(kLoop, {1}, {32}), 0);
  ASSERT_TRUE(rig.run(7));
  const std::uint64_t clocked = agent.clocked;
  EXPECT_GT(clocked, 100U);
  for (unsigned i = 0; i < 6; ++i) rig.start(rig.kernels.front(), i);
  ASSERT_TRUE(rig.run(13));
  EXPECT_EQ(agent.clocked, clocked);
}

// --- Reports ---------------------------------------------------------------------------------------------------------

TEST(SyncAgents, StalledWarpsAndMessagesThatAreNotTakenAreReported) {
  Agent agent;
  agent.sleeps = true;
  agent.out.stall = 1;
  agent.out.receive_ready = false;
  SyncRig rig(agent);
  rig.start(rig.load_synchronising(kLoop, {1}, {32}));
  for (; rig.now < 400;) rig.cycle();
  EXPECT_TRUE(rig.sm.still());
  EXPECT_EQ(rig.sm.wake(), kForever);
  rig.net.begin(400);
  rig.net.send({SmMask{1}, sync_message(5)}, 400);
  EXPECT_EQ(rig.sm.wake(), 420U);
  EXPECT_FALSE(rig.sm.still()) << "a message is in flight";
  for (; rig.now < 500;) rig.cycle();
  EXPECT_TRUE(rig.sm.still());
  EXPECT_THAT(rig.sm.waiting(), testing::HasSubstr("warp 0 (slot 0) is stalled by the synchronisation agent"));
  WaitGraph graph;
  rig.sm.waits(graph);
  graph.add(sync_hub_node(), warp_node(0, 0));
  EXPECT_THAT(graph.said(), testing::HasSubstr("sync_agent of SM 0 (block stub): has not taken a message of the hub "
                                               "with arrival cycle 420"));
  EXPECT_THAT(graph.cycle_text(), testing::HasSubstr("warp of slot 0 (SM 0) -> synchronisation hub -> warp"));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_sync_test

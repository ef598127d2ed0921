// Tests of instructions of device-wide synchronisation in an SM: candidates and issues that the agent sees, picks that
// it refuses, and errors that stop their kernel (docs/gpu/sync-network.md, "Instructions").
#include <algorithm>
#include <map>
#include <set>

#include "castor/gpu/sm/wait_report.h"
#include "common/hook_fails.h"
#include "gpu_sm_sync_support.h"

namespace castor::gpu::gpu_sm_sync_issue_test {
namespace {

using isa::SyncOp;
using test::sync::Agent;
using test::sync::kIdeal;
using test::sync::SyncRig;
using ::testing::HasSubstr;

/// An agent that records the instructions. It stalls warps with blocking instructions from the next tick on, and
/// releases all of them kHold ticks after the last one.
struct Recorder {
  static constexpr Cycle kHold = 60;
  struct Seen {
    Cycle cycle = 0;
    SyncIssue issue;
    TbMask quiesced = 0;
  };
  explicit Recorder(std::function<std::uint8_t(const AgentIn&)> ready = [](const AgentIn&) { return 0xff; }) {
    agent.decide = [this, ready = std::move(ready)](const AgentIn& in, AgentOut& out) {
      out.issue_ready = ready(in);
      for (const SyncIssue& one : in.issue) candidates.push_back({in.now, one, in.quiesced});
    };
    agent.see = [this](const AgentIn& in) {
      if (in.now >= last + kHold) agent.out.stall = 0;
      for (const SyncIssue& one : in.issue) {
        issued.push_back({in.now, one, in.quiesced});
        if (one.op == SyncOp::kSignal) continue;
        agent.out.stall |= WarpMask{1} << one.warp;
        last = in.now;
      }
    };
  }
  Agent agent;
  std::vector<Seen> candidates, issued;
  Cycle last = 0;
};

std::uint32_t record(const test::Kernel& kernel, SyncOp op, unsigned number = 0) {
  const auto& code = kernel.program->code;
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    if (code[pc].kind == isa::Kind::kSync && code[pc].imm == static_cast<std::uint64_t>(op) && number-- == 0) return pc;
  }
  ADD_FAILURE() << "no such record";
  return 0;
}

std::vector<std::byte> pointer(SyncRig& rig, std::uint64_t& out) {
  out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::memset(rig.store->host(out), 0, 4096);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  return parameters;
}

// --- What the agent sees ---------------------------------------------------------------------------------------------

// Four warps on four schedulers reach the barrier in one tick.
TEST(SyncIssues, OneInstructionPerSchedulerIsSeenInSettleAndAtTheEdge) {
  for (const bool sleep : {true, false}) {
    Recorder seen;
    SyncRig rig(seen.agent, kIdeal, sleep);
    test::Kernel& kernel = rig.load_synchronising("tb.gridsync; ret;", {3}, {64});
    rig.start(kernel, 0);
    rig.start(kernel, 1);
    ASSERT_TRUE(rig.run(2));
    const std::uint32_t pc = record(kernel, SyncOp::kGridBarrier);
    ASSERT_EQ(seen.issued.size(), 4U);
    ASSERT_EQ(seen.candidates.size(), 4U);
    for (unsigned w = 0; w < 4; ++w) {
      const SyncIssue& one = seen.issued[w].issue;
      EXPECT_EQ(rig.log.at(w, pc), std::vector<Tick>{seen.issued[w].cycle});
      EXPECT_EQ(one.warp, w);
      EXPECT_EQ(one.scheduler, w % 4);
      EXPECT_EQ(one.tb, w / 2);
      EXPECT_EQ(one.site, 0U);
      EXPECT_EQ(one.op, SyncOp::kGridBarrier);
      EXPECT_TRUE(one.full && one.uniform);
      EXPECT_EQ(seen.candidates[w].cycle, seen.issued[w].cycle);
      EXPECT_EQ(seen.candidates[w].issue.warp, w);
    }
    EXPECT_EQ(rig.statistic("sm0.sync_issue.issued"), 4U);
    EXPECT_EQ(rig.statistic("sm0.sync_issue.refused"), 0U);
  }
}

TEST(SyncIssues, CarryTheOperandsOfTheLowestActiveLane) {
  Recorder seen;
  SyncRig rig(seen.agent);
  rig.start(
      rig.load_synchronising("mov.u32 %r1, 77; mov.u32 %r2, 5; mov.u32 %r3, %tid.x; setp.ge.u32 %p1, %r3, 5; "
                             "@%p1 mov.u32 %r1, 78; @%p1 tb.signal %r1, %r2; mov.u32 %r4, 9; tb.wait %r4, 3; ret;",
                             {1}, {32}));
  ASSERT_TRUE(rig.run(1));
  ASSERT_EQ(seen.issued.size(), 2U);
  const SyncIssue& signal = seen.issued[0].issue;
  EXPECT_EQ(signal.op, SyncOp::kSignal);
  EXPECT_EQ(signal.operand, (std::array<std::uint32_t, 2>{78, 5}));
  EXPECT_FALSE(signal.full);
  EXPECT_TRUE(signal.uniform);
  EXPECT_EQ(signal.site, SyncIssue::kNoSite);
  const SyncIssue& wait = seen.issued[1].issue;
  EXPECT_EQ(wait.op, SyncOp::kWait);
  EXPECT_EQ(wait.operand, (std::array<std::uint32_t, 2>{9, 3}));
  EXPECT_TRUE(wait.full && wait.uniform);
  EXPECT_EQ(wait.site, 0U);
}

TEST(SyncIssues, SitesHaveTheirNumbersAndThoseWithAllRegistersNone) {
  std::string body;
  for (unsigned i = 0; i < isa::kMostSites + 3; ++i) body += i % 2 == 0 ? "tb.gridsync; " : "tb.wait 1, 2; ";
  Recorder seen;
  SyncRig rig(seen.agent);
  rig.start(rig.load_synchronising(body + "ret;", {1}, {32}));
  ASSERT_TRUE(rig.run(1));
  ASSERT_EQ(seen.issued.size(), isa::kMostSites + 3);
  for (unsigned i = 0; i < seen.issued.size(); ++i) {
    EXPECT_EQ(seen.issued[i].issue.site, i < isa::kMostSites ? i : SyncIssue::kNoSite) << i;
    EXPECT_EQ(seen.issued[i].issue.op, i % 2 == 0 ? SyncOp::kGridBarrier : SyncOp::kWait) << i;
  }
}

TEST(SyncIssues, GuardsThatAreOffAndPromisesAreNotShown) {
  Recorder seen;
  SyncRig rig(seen.agent);
  test::Kernel& kernel = rig.load_synchronising(
      "mov.u32 %r1, 0; setp.ne.u32 %p1, %r1, 0; @%p1 tb.gridsync; @%p1 tb.signal 1, 2; ld.param.u64 %rd1, [out]; "
      "tb.readonly %r1, %rd1, 64; tb.writable %r1; ret;",
      {1}, {32});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  EXPECT_TRUE(seen.candidates.empty() && seen.issued.empty());
  for (const SyncOp op : {SyncOp::kGridBarrier, SyncOp::kSignal, SyncOp::kReadOnly, SyncOp::kWritable})
    EXPECT_EQ(rig.log.at(0, record(kernel, op)).size(), 1U);
  EXPECT_TRUE(rig.faults.empty());
}

// With two picks per scheduler, warps 0 and 4 could both issue.
TEST(SyncIssues, ASchedulerThatPicksTwiceIssuesOne) {
  Recorder seen;
  SyncRig rig(seen.agent, {"icache.ideal=1", "issue.warps=2", "issue.per_warp=1"});
  test::Kernel& kernel = rig.load_synchronising("mov.u32 %r1, 3; tb.signal %r1, 9; ret;", {1}, {160});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  ASSERT_EQ(seen.issued.size(), 5U);
  std::set<std::pair<Cycle, unsigned>> slots;
  for (const auto& one : seen.issued) slots.emplace(one.cycle, one.issue.scheduler);
  EXPECT_EQ(slots.size(), 5U) << "two of one scheduler in one tick";
  slots.clear();
  for (const auto& one : seen.candidates) slots.emplace(one.cycle, one.issue.scheduler);
  EXPECT_EQ(slots.size(), seen.candidates.size());
  EXPECT_EQ(rig.log.at(4, record(kernel, SyncOp::kSignal)).front(),
            rig.log.at(0, record(kernel, SyncOp::kSignal)).front() + 1);
}

// --- Quiesced --------------------------------------------------------------------------------------------------------

// The signal waits for the register of its event. It is a candidate in the tick in which the register is clear, and its
// TB is quiesced in that tick.
TEST(SyncIssues, SettleSeesTheQuiescedBlocksOfItsTick) {
  for (const bool sleep : {true, false}) {
    Recorder seen;
    SyncRig rig(seen.agent, kIdeal, sleep);
    std::uint64_t out = 0;
    const auto parameters = pointer(rig, out);
    rig.start(
        rig.load_synchronising("ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; tb.signal %r1, 2; "
                               "ld.global.u32 %r2, [%rd1+128]; tb.signal 4, 2; add.u32 %r3, %r2, 1; ret;",
                               {1}, {32}, parameters));
    ASSERT_TRUE(rig.run(1));
    ASSERT_EQ(seen.candidates.size(), 2U);
    EXPECT_EQ(seen.candidates[0].quiesced, 1U);
    EXPECT_EQ(seen.issued[0].quiesced, 1U);
    EXPECT_EQ(seen.candidates[1].quiesced, 0U) << "a load is in flight";
    EXPECT_EQ(seen.issued[1].quiesced, 0U);
  }
}

// Instructions that issue in a tick count from the next tick on.
TEST(SyncIssues, QuiescedIsThatOfTheStartOfTheStep) {
  Recorder seen;
  std::map<Cycle, TbMask> quiesced;
  const auto see = seen.agent.see;
  seen.agent.see = [&](const AgentIn& in) {
    quiesced[in.now] = in.quiesced;
    see(in);
  };
  SyncRig rig(seen.agent);
  std::uint64_t out = 0;
  const auto parameters = pointer(rig, out);
  test::Kernel& kernel = rig.load_synchronising(
      "ld.param.u64 %rd1, [out]; mov.u32 %r3, 200; LOOP: sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra LOOP; "
      "ld.global.u32 %r1, [%rd1]; ret;",
      {1}, {32}, parameters);
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const auto& code = kernel.program->code;
  const auto load = std::find_if(code.begin(), code.end(), [](const isa::Record& one) {
    return one.kind == isa::Kind::kMemory && one.memory.space == isa::Space::kGlobal;
  });
  const Tick tick = rig.log.at(0, static_cast<std::uint32_t>(load - code.begin())).front();
  EXPECT_EQ(quiesced.at(tick), 1U);
  EXPECT_EQ(quiesced.at(tick + 1), 0U);
}

// --- What it refuses -------------------------------------------------------------------------------------------------

TEST(SyncIssues, ARefusedWarpIssuesInTheFirstTickInWhichItMay) {
  constexpr Cycle kOpens = 400;
  for (const bool sleep : {true, false}) {
    // The agent does not let scheduler 2 issue until kOpens.
    Recorder seen([](const AgentIn& in) { return static_cast<std::uint8_t>(in.now < kOpens ? ~4U : ~0U); });
    SyncRig rig(seen.agent, kIdeal, sleep);
    test::Kernel& kernel = rig.load_synchronising("tb.signal 1, 4; mov.u32 %r1, 1; ret;", {1}, {128});
    rig.start(kernel);
    ASSERT_TRUE(rig.run(1));
    const std::uint32_t pc = record(kernel, SyncOp::kSignal);
    ASSERT_EQ(seen.issued.size(), 4U);
    const Tick first = rig.log.at(0, pc).front();
    EXPECT_LT(first, 100U);
    for (const unsigned w : {0U, 1U, 3U}) EXPECT_EQ(rig.log.at(w, pc), std::vector<Tick>{first});
    EXPECT_EQ(rig.log.at(2, pc), std::vector<Tick>{kOpens});
    EXPECT_EQ(seen.issued.back().cycle, kOpens);
    EXPECT_EQ(rig.statistic("sm0.sync_issue.refused"), kOpens - first);
    EXPECT_EQ(rig.log.ticks(2).size(), rig.log.ticks(1).size());
  }
}

// The scheduler picks the older warp, whose instruction is refused, and issues nothing of the younger one.
TEST(SyncIssues, TheSlotOfARefusedPickIsLost) {
  constexpr Cycle kOpens = 400;
  Recorder seen([](const AgentIn& in) { return static_cast<std::uint8_t>(in.now < kOpens ? 0 : 0xff); });
  SyncRig rig(seen.agent, {"icache.ideal=1", "issue.policy=oldest"});
  test::Kernel& kernel = rig.load_synchronising(
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra HEAD; "
      "mov.u32 %r3, 300; LOOP: sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra LOOP; ret; "
      "HEAD: tb.signal 1, 4; ret;",
      {1}, {160});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const Cycle first = seen.candidates.front().cycle;
  const auto inside = [&](unsigned w) {
    const auto ticks = rig.log.ticks(w);
    return std::count_if(ticks.begin(), ticks.end(), [&](Tick t) { return t >= first && t < kOpens; });
  };
  EXPECT_EQ(inside(4), 0) << "same scheduler";
  EXPECT_GT(inside(1), 10);
  EXPECT_EQ(rig.log.at(0, record(kernel, SyncOp::kSignal)), std::vector<Tick>{kOpens});
}

TEST(SyncIssues, AnAgentThatChangesAnEarlyOutputInTheSecondSettleIsNamed) {
  const std::vector<std::function<void(AgentOut&)>> changes = {
      [](AgentOut& out) { out.stall = 1; }, [](AgentOut& out) { out.acquire = 1; },
      [](AgentOut& out) { out.send = test::sync_message(1); }, [](AgentOut& out) { out.receive_ready = false; }};
  for (const auto& change : changes) {
    Agent agent;
    agent.decide = [&](const AgentIn& in, AgentOut& out) {
      if (!in.issue.empty()) change(out);
    };
    SyncRig rig(agent);
    rig.start(rig.load_synchronising("tb.gridsync; ret;", {1}, {32}));
    EXPECT_HOOK_FAILS(static_cast<void>(rig.run(1)),
                      "stub.*sync_agent of SM 0 changes an output after settle that may depend on its state only");
  }
}

// The message is there in both settles, with another content or length.
TEST(SyncIssues, AnAgentThatChangesItsMessageInTheSecondSettleIsNamed) {
  for (const bool length : {false, true}) {
    Agent agent;
    agent.decide = [&](const AgentIn& in, AgentOut& out) {
      out.send = test::sync_message(1, 2);
      if (in.issue.empty()) return;
      length ? void(out.send->bits = 128) : void(out.send->word[3] = 3);
    };
    SyncRig rig(agent);
    rig.start(rig.load_synchronising("tb.gridsync; ret;", {1}, {32}));
    EXPECT_HOOK_FAILS(static_cast<void>(rig.run(1)),
                      "stub.*sync_agent of SM 0 changes an output after settle that may depend on its state only");
  }
}

// --- Stall -----------------------------------------------------------------------------------------------------------

TEST(SyncIssues, NothingIssuesBetweenTheInstructionAndTheEndOfTheStall) {
  for (const std::string& pairs : {std::string("issue.per_warp=1"), std::string("issue.per_warp=2")}) {
    Recorder seen;
    SyncRig rig(seen.agent, {"icache.ideal=1", pairs});
    test::Kernel& kernel = rig.load_synchronising(
        "mov.u32 %r1, 1; mov.u32 %r2, 2; tb.gridsync; mov.u32 %r3, 3; tb.wait 5, 1; mov.u32 %r4, 4; ret;", {1}, {96});
    rig.start(kernel);
    ASSERT_TRUE(rig.run(1));
    for (unsigned w = 0; w < 3; ++w) {
      for (const SyncOp op : {SyncOp::kGridBarrier, SyncOp::kWait}) {
        const Tick at = rig.log.at(w, record(kernel, op)).front();
        const auto ticks = rig.log.ticks(w);
        // The stall is set at the edge of `at`, and cleared at that of `at` + kHold.
        EXPECT_EQ(*std::upper_bound(ticks.begin(), ticks.end(), at), at + Recorder::kHold + 1) << pairs;
      }
    }
  }
}

/// Returns the least number of ticks from the issue of an independent instruction to that of a synchronising
/// instruction after it, on a machine that issues two instructions of a warp per tick. Tries several numbers of
/// instructions before them, since both instructions of a pair come from one fetch.
Tick behind_its_neighbour(const std::string& meeting) {
  Tick least = base::kForever;
  for (unsigned before = 0; before < 4; ++before) {
    Recorder seen;
    SyncRig rig(seen.agent, {"icache.ideal=1", "issue.per_warp=2"});
    std::string body;
    for (unsigned i = 0; i <= before; ++i) body += "mov.u32 %r" + std::to_string(i + 1) + ", %tid.x; ";
    test::Kernel& kernel = rig.load_synchronising(body + meeting + " ret;", {1}, {32});
    rig.start(kernel);
    EXPECT_TRUE(rig.run(1));
    const auto& code = kernel.program->code;
    const auto found = std::find_if(code.begin(), code.end(), [](const isa::Record& one) {
      return one.kind == isa::Kind::kSync || one.kind == isa::Kind::kBarrier;
    });
    const auto pc = static_cast<std::uint32_t>(found - code.begin());
    least = std::min(least, rig.log.at(0, pc).front() - rig.log.at(0, pc - 1).front());
  }
  return least;
}

TEST(SyncIssues, AnInstructionIsNeverTheSecondOfAPair) {
  EXPECT_EQ(behind_its_neighbour("bar.sync 0;"), 0U) << "the test shows no pairs";
  EXPECT_EQ(behind_its_neighbour("tb.gridsync;"), 1U);
  EXPECT_EQ(behind_its_neighbour("tb.signal 1, 2;"), 1U);
}

// --- Errors ----------------------------------------------------------------------------------------------------------

TEST(SyncIssues, DivergentBlockingInstructionsStopTheKernelAndDoNotIssue) {
  for (const std::string& op : {std::string("tb.gridsync"), std::string("tb.wait 3, 2")}) {
    Recorder seen;
    SyncRig rig(seen.agent);
    rig.start(rig.load_synchronising(
        "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 37; @%p1 " + op + ";\nmov.u32 %r2, 1; ret;", {1}, {64}));
    ASSERT_TRUE(rig.run(1));
    ASSERT_EQ(rig.faults.size(), 1U);
    EXPECT_EQ(rig.faults[0].kind, FaultKind::kBarrier);
    EXPECT_THAT(rig.faults[0].message,
                HasSubstr(op.substr(0, op.find(' ')) + " reached by some threads of a warp only: the thread named here "
                                                       "has neither exited nor arrived"));
    EXPECT_EQ(rig.faults[0].thread.x, 37U);
    EXPECT_EQ(rig.faults[0].line, 7U);
    // All lanes of warp 0 are live.
    ASSERT_EQ(seen.issued.size(), 1U);
    EXPECT_EQ(seen.issued[0].issue.warp, 0U);
    const auto warp1 = std::find_if(seen.candidates.begin(), seen.candidates.end(),
                                    [](const auto& one) { return one.issue.warp == 1; });
    ASSERT_NE(warp1, seen.candidates.end());
    EXPECT_FALSE(warp1->issue.full);
  }
}

TEST(SyncIssues, LanesThatHaveExitedAreNotWaitedFor) {
  Recorder seen;
  SyncRig rig(seen.agent);
  rig.start(
      rig.load_synchronising("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 exit; tb.gridsync; ret;", {1}, {32}));
  ASSERT_TRUE(rig.run(1));
  EXPECT_TRUE(rig.faults.empty());
  ASSERT_EQ(seen.issued.size(), 1U);
  EXPECT_TRUE(seen.issued[0].issue.full);
}

TEST(SyncIssues, DifferentOperandsInAWarpStopTheKernel) {
  for (const std::string& op : {std::string("tb.wait"), std::string("tb.signal")}) {
    for (const bool target : {false, true}) {
      Recorder seen;
      SyncRig rig(seen.agent);
      rig.start(
          rig.load_synchronising("mov.u32 %r1, 4; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 9; "
                                 "@%p1 mov.u32 %r1, 6; " +
                                     op + (target ? " 2, %r1" : " %r1, 2") + "; ret;",
                                 {1}, {32}));
      ASSERT_TRUE(rig.run(1));
      ASSERT_EQ(rig.faults.size(), 1U);
      EXPECT_THAT(rig.faults[0].message,
                  HasSubstr(op + (target ? " with event 2 and target 6; another thread of the warp has 2 and 4"
                                         : " with event 6 and target 2; another thread of the warp has 4 and 2")));
      EXPECT_EQ(rig.faults[0].thread.x, 9U);
      ASSERT_EQ(seen.candidates.size(), 1U);
      EXPECT_FALSE(seen.candidates[0].issue.uniform);
      EXPECT_TRUE(seen.issued.empty());
    }
  }
}

// --- Reports ---------------------------------------------------------------------------------------------------------

TEST(SyncIssues, AWaitingWarpIsReportedWithItsInstructionAndLine) {
  Agent agent;
  agent.sleeps = true;
  agent.see = [&](const AgentIn& in) {
    for (const SyncIssue& one : in.issue) agent.out.stall |= WarpMask{1} << one.warp;
  };
  SyncRig rig(agent);
  rig.start(rig.load_synchronising(
      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra OTHER;\n"
      "tb.gridsync; mov.u32 %r2, 1; add.u32 %r2, %r2, %r1; add.u32 %r2, %r2, %r1;\nret;\nOTHER:\n"
      "tb.wait 12, 3; mov.u32 %r2, 1; add.u32 %r2, %r2, %r1; add.u32 %r2, %r2, %r1;\nret;",
      {1}, {64}));
  for (; rig.now < 500;) rig.cycle();
  const std::string text = rig.sm.waiting();
  EXPECT_THAT(text, HasSubstr("warp 0 (slot 0) waits at tb.wait of event 12 with target 3, kernel 'k' (test.ptx:11)"));
  EXPECT_THAT(text, HasSubstr("warp 1 (slot 1) waits at tb.gridsync, kernel 'k' (test.ptx:8)"));
  EXPECT_EQ(text.find("stalled"), std::string::npos);
  // A stall after another one is no longer a wait at the instruction.
  for (const WarpMask stall : {WarpMask{0}, WarpMask{3}}) {
    agent.out.stall = stall;
    rig.sm.wake_at(rig.now + 1);
    rig.cycle();
    EXPECT_EQ(rig.sm.waiting().find("waits at tb."), std::string::npos);
  }
  EXPECT_THAT(rig.sm.waiting(), HasSubstr("warp 0 (slot 0) is stalled by the synchronisation agent"));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_sync_issue_test

// Programs with instructions of device-wide synchronisation on the whole timing GPU: closed form, results, options,
// reports, and what a stopped kernel leaves behind. Hub and agents are those of tests/common/sync_model.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/launch_check.h"
#include "common/null_hooks.h"
#include "common/sync_model.h"
#include "common/sync_stubs.h"
#include "platform/timing/rig.h"
#include "platforms/machines.h"

namespace castor::gpu::timing_test::sync_program_test {
namespace {

using isa::SyncOp;
using ::testing::HasSubstr;

constexpr const char* kMachine = "kepler_k20c_study";

/// Agent and hub with the checks of a stub. The agent may refuse instructions.
struct Agent final : test::SyncModelAgent<test::SyncStub<AgentIn, AgentOut>> {
  std::function<bool(Cycle)> refuses = [](Cycle) { return false; };
  unsigned issued = 0;
  const AgentOut& settle(const AgentIn& in) override {
    const AgentOut& out = SyncModelAgent::settle(in);
    refused_ = out;
    if (refuses(in.now)) refused_.issue_ready = 0;
    return refused_;
  }
  void edge(const AgentIn& in) override {
    issued += static_cast<unsigned>(in.issue.size);
    SyncModelAgent::edge(in);
  }

 private:
  AgentOut refused_;
};
struct Hub final : test::SyncModelHub<test::SyncStub<HubIn, HubOut>> {
  std::vector<SyncKernel> launches;
  void edge(const HubIn& in) override {
    if (in.launch) launches.push_back(*in.launch);
    SyncModelHub::edge(in);
  }
};

struct SyncRig {
  /// `others`: hooks in addition to hub and agents.
  explicit SyncRig(const std::string& machine = kMachine, const std::vector<std::string>& overrides = {},
                   const Hooks& others = {}) {
    agents.resize(platforms::load_machine(machine, overrides).machine.chip.sms);
    Hooks hooks = others;
    hooks.hub = &hub;
    for (auto& agent : agents) hooks.agents.push_back(&agent);
    rig = std::make_unique<Rig>(machine, overrides, hooks);
  }
  Ticket submit(ProgramHandle program, unsigned blocks, unsigned threads, const std::vector<std::uint64_t>& parameters,
                std::shared_ptr<const SyncOptions> options = nullptr, unsigned queue = 0) {
    KernelPacket packet;
    packet.program = program;
    packet.grid = {blocks};
    packet.block = {threads};
    packet.sync = std::move(options);
    packet.parameters.resize(parameters.size() * 8);
    if (!parameters.empty()) std::memcpy(packet.parameters.data(), parameters.data(), packet.parameters.size());
    return rig->device->submit(queue, std::move(packet));
  }
  Hub hub;
  std::deque<Agent> agents;
  std::unique_ptr<Rig> rig;
};

std::vector<std::string> sms(unsigned count, unsigned latency = 20) {
  return {"chip.sms=" + std::to_string(count), "sync_net.latency=" + std::to_string(latency)};
}

/// Returns the records of an operation, in ascending order.
std::vector<std::uint32_t> records(const isa::Program& program, SyncOp op) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const isa::Record& one = program.code[pc];
    if (one.kind == isa::Kind::kSync && one.imm == static_cast<std::uint64_t>(op)) found.push_back(pc);
  }
  return found;
}

// --- Closed form -----------------------------------------------------------------------------------------------------

/// Returns the cycles from the issue of a tb.gridsync in n SMs at once to the issue of the next instruction.
Cycle from_issue(unsigned latency, unsigned n) { return 1 + 1 + latency + 1 + 1 + latency + 1 + (n - 1); }

class BarrierInstruction : public ::testing::TestWithParam<unsigned> {};

// The blocks leave the first barrier in one cycle, and so arrive at the second in one cycle. No register write is
// pending there, so they are quiesced.
TEST_P(BarrierInstruction, IssueOfTheLastToIssueOfTheNextInstruction) {
  const unsigned n = GetParam();
  for (const unsigned latency : {1U, 20U}) {
    static_cast<void>(in_child([&] {
      SyncRig sync(kMachine, sms(n, latency));
      Rig& rig = *sync.rig;
      const ProgramHandle program = rig.load("tb.gridsync; tb.gridsync; mov.u32 %r3, 3; ret;");
      const std::uint32_t second = records(rig.program(program), SyncOp::kGridBarrier).at(1);
      const Ticket ticket = sync.submit(program, n, 32, {});
      rig.finish(ticket);
      Cycle arrival = 0;
      for (unsigned sm = 0; sm < n; ++sm) {
        const auto issues = rig.issues(ticket, sm, 0);
        const auto at = std::find_if(issues.begin(), issues.end(), [&](const Issued& one) { return one.pc == second; });
        EXPECT_NE(at, issues.end()) << "SM " << sm;
        if (at == issues.end()) continue;
        if (sm == 0) arrival = at->cycle;
        EXPECT_EQ(at->cycle, arrival) << "SM " << sm;
        EXPECT_EQ((at + 1)->cycle, arrival + from_issue(latency, n)) << "SM " << sm;
        EXPECT_EQ(sync.agents[sm].issued, 2U);
      }
      EXPECT_EQ(rig.statistic("front_end.sync_net.up_taken"), 3 * n) << "two arrivals and an end per block";
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}
INSTANTIATE_TEST_SUITE_P(Sms, BarrierInstruction, ::testing::Values(1, 2, 13, 64, 200));

TEST(SyncPrograms, FortyFiveCyclesWithTwentyOfTheNetwork) { EXPECT_EQ(from_issue(20, 1), 45U); }

// A store that is not acknowledged keeps its block from arriving.
TEST(SyncPrograms, ArrivalWaitsForTheStoresBeforeIt) {
  SyncRig sync(kMachine, sms(1));
  Rig& rig = *sync.rig;
  const std::uint64_t word = rig.buffer(256);
  const ProgramHandle program =
      rig.load("mov.u32 %r1, 5; st.global.u32 [%rd0], %r1; tb.gridsync; mov.u32 %r2, 2; ret;", 1);
  const std::uint32_t at = records(rig.program(program), SyncOp::kGridBarrier).at(0);
  const Ticket ticket = sync.submit(program, 1, 32, {word});
  rig.finish(ticket);
  EXPECT_GT(rig.distance(ticket, at, at + 1), 100 + static_cast<long>(from_issue(20, 1)));
}

// --- Results ---------------------------------------------------------------------------------------------------------

/// a[i] = a[i] * 3 + (value of the block behind, lane by lane), %r9 times. %rd0 and %rd1 are exchanged in each step.
constexpr const char* kSteps =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; "
    "mad.lo.u32 %r5, %r1, %r3, %r4; add.u32 %r6, %r1, 1; setp.eq.u32 %p0, %r6, %r2; @%p0 mov.u32 %r6, 0; "
    "mad.lo.u32 %r7, %r6, %r3, %r4; mul.wide.u32 %rd10, %r5, 4; mul.wide.u32 %rd11, %r7, 4; mov.u32 %r9, 6; "
    "LOOP: add.u64 %rd12, %rd0, %rd10; add.u64 %rd13, %rd0, %rd11; ld.global.u32 %r10, [%rd12]; "
    "ld.global.u32 %r11, [%rd13]; mad.lo.u32 %r10, %r10, 3, %r11; add.u64 %rd14, %rd1, %rd10; "
    "st.global.u32 [%rd14], %r10; tb.gridsync; mov.u64 %rd15, %rd0; mov.u64 %rd0, %rd1; mov.u64 %rd1, %rd15; "
    "sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra LOOP; ret;";

std::vector<std::uint32_t> expected_steps(unsigned blocks, unsigned threads) {
  std::vector<std::uint32_t> a(std::size_t{blocks} * threads), b(a.size());
  std::iota(a.begin(), a.end(), 1U);
  for (unsigned step = 0; step < 6; ++step) {
    for (unsigned i = 0; i < a.size(); ++i) b[i] = a[i] * 3 + a[(i + threads) % a.size()];
    a.swap(b);
  }
  return a;
}

struct Shape {
  unsigned threads;
  std::vector<std::string> overrides = {};
};

/// Runs as many blocks as fit. One more is refused.
void expect_steps(const std::string& machine, const Shape& shape, const Hooks& others = {}) {
  SCOPED_TRACE(machine + " " + std::to_string(shape.threads));
  SyncRig sync(machine, shape.overrides, others);
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kSteps, 2);
  const unsigned most = blocks_per_sm(rig.machine(), rig.program(program), shape.threads, 0) * rig.machine().chip.sms;
  const std::size_t count = std::size_t{most} * shape.threads;
  const std::uint64_t a = rig.buffer(count * 4), b = rig.buffer(count * 4);
  for (unsigned i = 0; i < count; ++i) rig.set(a + i * 4, i + 1);
  EXPECT_THROW(static_cast<void>(sync.submit(program, most + 1, shape.threads, {a, b})), base::InputError);
  rig.recorder.keep_issues = false;
  rig.finish(sync.submit(program, most, shape.threads, {a, b}));
  const auto expected = expected_steps(most, shape.threads);
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i) wrong += rig.get<std::uint32_t>(a + i * 4) != expected[i];
  EXPECT_EQ(wrong, 0U) << "of " << count;
}

class SyncMachines : public ::testing::TestWithParam<std::string> {};
TEST_P(SyncMachines, BlocksThatFillItSeeEachOthersStores) { expect_steps(GetParam(), {256, {"chip.sms=3"}}); }
INSTANTIATE_TEST_SUITE_P(Machines, SyncMachines,
                         ::testing::Values("tiny", "fermi_gtx480_study", "kepler_k20c_study", "maxwell_liu13",
                                           "pascal_titanx_study", "turing_rtx2060_study", "gcn_apu"));

// Lines that were filled into L1 before the barrier are not hit after it.
TEST(SyncPrograms, ABarrierAcquires) {
  expect_steps(kMachine, {64, {"chip.sms=2", "l1.caches_global=1", "check.stale=off"}});
}

std::vector<std::uint64_t> fingerprint(const std::vector<std::string>& overrides) {
  return in_child([&] {
    std::vector<std::string> all = sms(5);
    all.insert(all.end(), overrides.begin(), overrides.end());
    SyncRig sync(kMachine, all);
    Rig& rig = *sync.rig;
    const ProgramHandle program = rig.load(kSteps, 2);
    const std::uint64_t a = rig.buffer(20 * 96 * 4), b = rig.buffer(20 * 96 * 4);
    rig.finish(sync.submit(program, 20, 96, {a, b}));
    return std::vector<std::uint64_t>{rig.device->gpu().statistics().hash(), rig.recorder.issues.size(),
                                      rig.device->cycles()};
  });
}

TEST(SyncPrograms, TheOrderOfUnitsAndSleepingChangeNothing) {
  const auto plain = fingerprint({});
  EXPECT_EQ(fingerprint({"run.sleep=0"}), plain);
  for (const char* const seed : {"run.seed=1", "run.seed=2"}) EXPECT_EQ(fingerprint({"run.shuffle=1", seed}), plain);
}

// --- Other hooks of an SM --------------------------------------------------------------------------------------------

/// Runs a kernel that sends many signals. With `policy`, a block's issue policy is plugged in that makes the same
/// choices as the built-in policy.
std::vector<std::uint64_t> signals(bool policy) {
  return in_child([&] {
    test::NullHooks others(2);
    SyncRig sync(kMachine, sms(2), others.hooks(policy ? unsigned{test::NullHooks::kIssuePolicy} : 0U));
    for (auto& agent : sync.agents) agent.refuses = [](Cycle now) { return now % 7 < 4; };
    Rig& rig = *sync.rig;
    std::string body = "mov.u32 %r1, 5; mov.u32 %r9, 20; LOOP: ";
    for (unsigned i = 0; i < 6; ++i) body += "add.u32 %r1, %r1, 3; tb.signal 4, 1; mov.u32 %r2, 7; ";
    const ProgramHandle program = rig.load(body + "sub.u32 %r9, %r9, 1; setp.ne.u32 %p0, %r9, 0; @%p0 bra LOOP; ret;");
    const Ticket ticket = sync.submit(program, 4, 256, {});
    rig.finish(ticket);
    EXPECT_GT(rig.statistic("sm0.sync_issue.refused"), 100U);
    EXPECT_EQ(rig.statistic("sm0.sync_issue.issued"), 2U * 8 * 6 * 20);
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    std::uint64_t hash = 1;
    for (const Issued& one : rig.issues(ticket)) {
      const std::uint64_t values[] = {one.cycle, one.sm, one.scheduler, one.warp, one.pc};
      if (one.sm == 0) hash = hash_bytes(values, sizeof values, hash);
    }
    return std::vector<std::uint64_t>{hash, rig.device->cycles()};
  });
}

// A policy that counts a refused pick as issued would be greedy for the wrong warp.
TEST(SyncPrograms, AnIssuePolicyOfABlockHearsWhatWasRefused) { EXPECT_EQ(signals(true), signals(false)); }

TEST(SyncPrograms, AFetchFilterLetsTheAgentSeeItsInstructions) {
  test::NullHooks others(2);
  expect_steps(kMachine, {64, {"chip.sms=2", "fetch.warps=1", "fetch.insns=2", "issue.per_warp=1"}},
               others.hooks(test::NullHooks::kFetchFilter));
  EXPECT_GT(others.filters[0].edges(), 0U);
}

// --- Events and options ----------------------------------------------------------------------------------------------

/// Block i waits for event i, which block i - 1 signals when it has stored its sum; block 0 does not wait.
constexpr const char* kChain =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mul.wide.u32 %rd10, %r1, 4; add.u64 %rd11, %rd0, %rd10; "
    "mov.u32 %r3, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra FIRST; tb.wait %r1, 2; ld.global.u32 %r3, [%rd11+-4]; "
    "FIRST: mad.lo.u32 %r3, %r3, 3, %r1; st.global.u32 [%rd11], %r3; membar.gl; bar.sync 0; add.u32 %r4, %r1, 1; "
    "setp.eq.u32 %p1, %r4, %r2; @%p1 bra LAST; mov.u32 %r5, %tid.x; setp.ge.u32 %p2, %r5, 32; @%p2 bra LAST; "
    "tb.signal %r4, 2; LAST: ret;";

void expect_chain(SyncRig& sync, const std::shared_ptr<const SyncOptions>& options) {
  Rig& rig = *sync.rig;
  constexpr unsigned kBlocks = 24;
  const std::uint64_t out = rig.buffer(256);
  rig.finish(sync.submit(rig.load(kChain, 1), kBlocks, 64, {out}, options));
  std::uint32_t value = 1;
  for (unsigned i = 0; i < kBlocks; ++i) {
    value = value * 3 + i;
    EXPECT_EQ(rig.get<std::uint32_t>(out + i * 4), value) << i;
  }
}

TEST(SyncPrograms, EventsOrderBlocks) {
  SyncRig sync(kMachine, sms(3));
  expect_chain(sync, nullptr);
  ASSERT_EQ(sync.hub.launches.size(), 1U);
  EXPECT_EQ(sync.hub.launches[0].events, SyncOptions::kMostEvents);
  EXPECT_EQ(sync.hub.launches[0].exit, SyncExit::kError);
  EXPECT_EQ(sync.hub.launches[0].swap, SyncSwap::kLazy);
}

TEST(SyncPrograms, OptionsReachTheHubAndTheOrderIsThatOfThePlacement) {
  SyncRig sync(kMachine, sms(3));
  auto options = std::make_shared<SyncOptions>();
  options->events = 24;
  options->exit = SyncExit::kShrink;
  options->swap = SyncSwap::kNever;
  for (std::uint32_t i = 0; i < 24; ++i) options->order.push_back((i * 7 + 5) % 24);
  expect_chain(sync, options);
  ASSERT_EQ(sync.hub.launches.size(), 1U);
  EXPECT_EQ(sync.hub.launches[0].events, 24U);
  EXPECT_EQ(sync.hub.launches[0].exit, SyncExit::kShrink);
  EXPECT_EQ(sync.hub.launches[0].swap, SyncSwap::kNever);
  std::vector<std::uint32_t> placed;
  for (const auto& one : sync.rig->recorder.placed) placed.push_back(static_cast<std::uint32_t>(one.gid));
  EXPECT_EQ(placed, options->order);
  // The next launch without options has the order of the numbers again.
  sync.rig->recorder.placed.clear();
  expect_chain(sync, nullptr);
  placed.clear();
  for (const auto& one : sync.rig->recorder.placed) placed.push_back(static_cast<std::uint32_t>(one.gid));
  EXPECT_TRUE(std::is_sorted(placed.begin(), placed.end()));
}

TEST(SyncPrograms, EventsBeyondTheLimitStopTheKernel) {
  SyncRig sync(kMachine, sms(3));
  auto options = std::make_shared<SyncOptions>();
  options->events = 23;
  Rig& rig = *sync.rig;
  const std::uint64_t out = rig.buffer(256);
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load(kChain, 1), 24, 64, {out}, options)), Outcome::kFault);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("sync_hub reports error 2 (information 23)"));
}

// --- Start -----------------------------------------------------------------------------------------------------------

// A kernel whose blocks wait for each other starts when all of them fit. No block is placed while others hold the
// resources.
TEST(SyncPrograms, StartsWhenAllBlocksFit) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  const ProgramHandle plain =
      rig.load("mov.u32 %r1, 300; LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOOP; ret;");
  const ProgramHandle meets = rig.load("tb.gridsync; ret;");
  const Ticket first = sync.submit(plain, 1, 1024, {}, nullptr, 0);
  const Ticket second = sync.submit(meets, 4, 1024, {}, nullptr, 1);
  rig.finish(second);
  Cycle ended = 0, placed = kForever;
  for (const auto& one : rig.recorder.retired) {
    if (one.ticket == first) ended = one.cycle;
  }
  for (const auto& one : rig.recorder.placed) {
    if (one.ticket == second) placed = std::min(placed, one.cycle);
  }
  EXPECT_GT(ended, 0U);
  EXPECT_GE(placed, ended);
}

// --- Reports ---------------------------------------------------------------------------------------------------------

// Warp 1 of block 1 waits at a barrier of its block for the warp that waits for the grid.
TEST(SyncPrograms, ABarrierThatOneBlockNeverReachesIsADeadlockThatNamesIt) {
  SyncRig sync(kMachine, sms(3));
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.eq.u32 %p0, %r1, 1; setp.ge.u32 %p1, %r2, 32;\n"
      "and.pred %p2, %p0, %p1; @%p2 bra OTHER;\ntb.gridsync;\nret;\nOTHER:\nbar.sync 0;\nret;");
  EXPECT_EQ(rig.device->advance_until(sync.submit(program, 3, 64, {})), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("waits at tb.gridsync, kernel 'k' (micro.ptx:10)"));
  EXPECT_THAT(text, HasSubstr("waits at barrier 0: 1 of 2 warps have arrived, missing: 0"));
  EXPECT_THAT(text, HasSubstr("sync_hub (block stub): grid barrier: 2 of 3 blocks have arrived; missing: 1\n"));
  EXPECT_THAT(text, HasSubstr("synchronisation hub -> block 1 (SM 1, context 0)"));
}

TEST(SyncPrograms, AnEventThatNobodySignalsIsADeadlockWithItsCount) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load("tb.wait 7, 3; ret;"), 2, 32, {})), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("waits at tb.wait of event 7 with target 3, kernel 'k' (micro.ptx:8)"));
  EXPECT_THAT(text, HasSubstr("event 7: count 2 of 3; waiting blocks: 2\n"));
}

// The loop reads a word that a block at the grid barrier would write.
TEST(SyncPrograms, ABlockThatSpinsOnOneThatWaitsIsReported) {
  SyncRig sync(kMachine, {"chip.sms=2", "watchdog.cycles=5000"});
  Rig& rig = *sync.rig;
  const std::uint64_t word = rig.buffer(256);
  const ProgramHandle program = rig.load(
      "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 1; @%p0 bra SPIN; tb.gridsync; st.global.u32 [%rd0], %r1; ret; "
      "SPIN: ld.global.cv.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra SPIN; tb.gridsync; ret;",
      1);
  rig.set<std::uint32_t>(word, 0);
  EXPECT_EQ(rig.device->advance_until(sync.submit(program, 2, 32, {word})), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("spinning deadlock"));
  EXPECT_THAT(text, HasSubstr("waits at tb.gridsync"));
  EXPECT_THAT(text, HasSubstr("missing: 1\n"));
}

TEST(SyncPrograms, AnAgentThatNeverLetsAnInstructionIssueIsNamed) {
  SyncRig sync(kMachine, {"chip.sms=2", "watchdog.cycles=5000"});
  sync.agents[1].refuses = [](Cycle) { return true; };
  const Ticket ticket = sync.submit(sync.rig->load("tb.gridsync; ret;"), 2, 32, {});
  try {
    static_cast<void>(sync.rig->device->advance_until(ticket));
    FAIL() << "it ended";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sync_agent of SM 1 has refused the instructions of warps 0 for 5000 cycles"));
    EXPECT_THAT(error.what(), HasSubstr("stub"));
  }
}

// --- Errors ----------------------------------------------------------------------------------------------------------

constexpr const char* kLeaves =
    "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 1; @%p0 bra OUT; tb.gridsync; mul.wide.u32 %rd1, %r1, 4; "
    "add.u64 %rd1, %rd0, %rd1; mov.u32 %r2, 1; st.global.u32 [%rd1], %r2; OUT: ret;";

TEST(SyncPrograms, ABlockThatEndsEarlyIsAnErrorOrIsNotWaitedFor) {
  SyncRig sync(kMachine, sms(3));
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kLeaves, 1);
  const std::uint64_t out = rig.buffer(256);
  auto shrink = std::make_shared<SyncOptions>();
  shrink->exit = SyncExit::kShrink;
  rig.finish(sync.submit(program, 5, 32, {out}, shrink));
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(rig.get<std::uint32_t>(out + 4 * i), i == 1 ? 0U : 1U) << i;
  EXPECT_EQ(rig.device->advance_until(sync.submit(program, 5, 32, {out})), Outcome::kFault);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("sync_hub reports error 3 (information 1)"));
}

TEST(SyncPrograms, AnEventThatHasNotFiredAtTheEndIsAnError) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load("tb.signal 9, 3; ret;"), 2, 32, {})), Outcome::kFault);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("sync_hub reports error 4 (information 9)"));
}

/// Runs a program of one warp that faults, and checks the kind of the fault and its thread. Returns a hash of message,
/// line and thread.
std::vector<std::uint64_t> fault_of(Device& device, ProgramHandle program) {
  KernelPacket packet;
  packet.program = program;
  packet.grid = {1};
  packet.block = {32};
  if (device.advance_until(device.submit(0, packet)) != Outcome::kFault) throw std::runtime_error("no fault");
  const Fault& fault = *device.fault();
  if (fault.kind != FaultKind::kBarrier || fault.thread.x != 3) throw std::runtime_error(fault.message);
  return {hash_bytes(fault.message.data(), fault.message.size()), fault.line};
}

TEST(SyncPrograms, FaultsAreThoseOfTheFunctionalMachine) {
  const std::string guard = "mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 3;\n";
  for (const std::string& body :
       {guard + "@%p0 tb.gridsync;\nmov.u32 %r2, 1; ret;", guard + "@%p0 tb.wait 1, 2;\nmov.u32 %r2, 1; ret;",
        guard + "mov.u32 %r3, 9; @%p0 mov.u32 %r3, 8;\ntb.wait %r3, 2;\nret;",
        guard + "mov.u32 %r3, 9; @%p0 mov.u32 %r3, 8;\ntb.signal 4, %r3;\nret;"}) {
    // A process has one device memory.
    const auto run = [&](bool functional) {
      return in_child([&] {
        SyncRig sync(kMachine, sms(2));
        Rig& rig = *sync.rig;
        const ProgramHandle handle = rig.load(body);
        if (!functional) return fault_of(*rig.device, handle);
        const Machine machine = rig.machine();
        const auto program = std::make_shared<isa::Program>(rig.program(handle));
        rig.device.reset();
        functional::FunctionalDevice device(machine, {});
        return fault_of(device, device.load(program));
      });
    };
    EXPECT_EQ(run(true), run(false)) << body;
  }
}

/// Block 0 waits at the grid barrier, or at an event, while block 1 faults.
class SyncStopped : public ::testing::TestWithParam<const char*> {};

TEST_P(SyncStopped, LeavesACleanMachineForTheNextLaunch) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  const ProgramHandle faults =
      rig.load("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 1; @%p0 bra BAD; " + std::string(GetParam()) +
                   "; ret; BAD: mov.u32 %r2, 400; LOOP: sub.u32 %r2, %r2, 1; "
                   "setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP; trap; ret;",
               1);
  const std::uint64_t a = rig.buffer(20 * 96 * 4), b = rig.buffer(20 * 96 * 4);
  const ProgramHandle steps = rig.load(kSteps, 2);
  for (unsigned round = 0; round < 2; ++round) {
    EXPECT_EQ(rig.device->advance_until(sync.submit(faults, 2, 32, {a})), Outcome::kFault);
    EXPECT_EQ(rig.device->fault()->kind, FaultKind::kTrap);
    rig.device->reset();
    EXPECT_TRUE(rig.device->gpu().idle());
    for (unsigned i = 0; i < 20 * 96; ++i) rig.set(a + i * 4, i + 1);
    rig.finish(sync.submit(steps, 20, 96, {a, b}));
    const auto expected = expected_steps(20, 96);
    for (unsigned i = 0; i < 20 * 96; ++i) ASSERT_EQ(rig.get<std::uint32_t>(a + i * 4), expected[i]) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Where, SyncStopped,
                         ::testing::Values("tb.gridsync", "tb.wait 3, 2", "tb.signal 3, 2; tb.gridsync"));

// Without a reset: a kernel of another queue that was submitted earlier continues after the fault.
TEST(SyncPrograms, AKernelBehindAStoppedOneRuns) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  const ProgramHandle faults =
      rig.load("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 1; @%p0 bra BAD; tb.gridsync; ret; BAD: trap; ret;");
  const ProgramHandle steps = rig.load(kSteps, 2);
  const std::uint64_t a = rig.buffer(4 * 96 * 4), b = rig.buffer(4 * 96 * 4);
  for (unsigned i = 0; i < 4 * 96; ++i) rig.set(a + i * 4, i + 1);
  const Ticket first = sync.submit(faults, 2, 32, {});
  const Ticket second = sync.submit(steps, 4, 96, {a, b}, nullptr, 1);
  EXPECT_EQ(rig.device->advance_until(first), Outcome::kFault);
  rig.finish(second);
  const auto expected = expected_steps(4, 96);
  for (unsigned i = 0; i < 4 * 96; ++i) ASSERT_EQ(rig.get<std::uint32_t>(a + i * 4), expected[i]) << i;
}

// --- Who is asked ----------------------------------------------------------------------------------------------------

// The hub does not see a kernel without such an instruction; it sees one that only signals.
TEST(SyncPrograms, TheProgramSaysWhetherItsKernelSynchronises) {
  SyncRig sync(kMachine, sms(2));
  Rig& rig = *sync.rig;
  rig.finish(sync.submit(rig.load("mov.u32 %r1, 1; ret;"), 2, 32, {}));
  EXPECT_TRUE(sync.hub.launches.empty());
  EXPECT_EQ(sync.agents[0].clocked + sync.agents[1].clocked, 0U);
  rig.finish(sync.submit(rig.load("tb.signal 1, 4; ret;"), 4, 32, {}));
  EXPECT_EQ(sync.hub.launches.size(), 1U);
  const std::uint64_t clocked = sync.agents[0].clocked;
  EXPECT_GT(clocked, 0U);
  rig.finish(sync.submit(rig.load("mov.u32 %r1, 1; ret;"), 2, 32, {}));
  EXPECT_EQ(sync.agents[0].clocked, clocked);
}

}  // namespace
}  // namespace castor::gpu::timing_test::sync_program_test

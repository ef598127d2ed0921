// Closed forms of an SM's pipeline: docs/gpu/closed-forms.md, "Closed forms".

#include <algorithm>

#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_timing_test {
namespace {

std::string repeat(const std::string& text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i) result += text;
  return result;
}

// Returns `count` adds to `registers` accumulators in turn, so that no add waits for another one. All accumulators are
// used at the end.
std::string independent_adds(unsigned count, unsigned registers = 32) {
  std::string text;
  for (unsigned i = 0; i < registers; ++i) text += "mov.u32 %r" + std::to_string(i) + ", " + std::to_string(i) + ";\n";
  for (unsigned i = 0; i < count; ++i) {
    const std::string reg = "%r" + std::to_string(i % registers);
    text += "add.u32 " + reg + ", " + reg + ", 1;\n";
  }
  for (unsigned i = 1; i < registers; ++i) text += "xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  return text + "ret;";
}

Machine ideal(const std::string& name, std::vector<std::string> overrides = {}) {
  overrides.emplace_back("icache.ideal=1");
  return test::machine(name, overrides);
}

struct Expected {
  const char* machine;
  Tick value;
};
std::string machine_name(const testing::TestParamInfo<Expected>& info) { return info.param.machine; }

class DependentAdds : public testing::TestWithParam<Expected> {};

// T1: o + L + 1 per instruction.
TEST_P(DependentAdds, IssueAtTheDistanceOfTheirLatency) {
  test::Rig rig(ideal(GetParam().machine));
  const test::Kernel& kernel = rig.load(repeat("add.u32 %r1, %r1, 1;\n", 20) + "ret;", {1, 1, 1}, {32, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const std::vector<Tick> ticks = rig.log.ticks(0);
  ASSERT_GE(ticks.size(), 21U);
  for (unsigned i = 2; i < 20; ++i) EXPECT_EQ(ticks[i] - ticks[i - 1], GetParam().value) << i;
}
INSTANTIATE_TEST_SUITE_P(AllMachines, DependentAdds,
                         testing::Values(Expected{"kepler_k20c_study", 9}, Expected{"fermi_gtx480_study", 9},
                                         Expected{"maxwell_liu13", 6}, Expected{"pascal_titanx_study", 7},
                                         Expected{"turing_rtx2060_study", 7}, Expected{"gcn_apu", 4}),
                         machine_name);

class IndependentAdds : public testing::TestWithParam<Expected> {};

// T2: f instructions per fetch; they take ceil(f / d) ticks, the next fetch two more. `value`: ticks for 60 adds.
TEST_P(IndependentAdds, OfOneWarpAreLimitedByFetch) {
  test::Rig rig(ideal(GetParam().machine));
  const test::Kernel& kernel = rig.load(independent_adds(160), {1, 1, 1}, {32, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const std::vector<Tick> ticks = rig.log.ticks(0);
  ASSERT_GE(ticks.size(), 160U);
  EXPECT_EQ(ticks[100] - ticks[40], GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(AllMachines, IndependentAdds,
                         testing::Values(Expected{"kepler_k20c_study", 90}, Expected{"fermi_gtx480_study", 120},
                                         Expected{"maxwell_liu13", 120}, Expected{"pascal_titanx_study", 120},
                                         Expected{"turing_rtx2060_study", 120}, Expected{"gcn_apu", 240}),
                         machine_name);

struct Rate {
  const char* machine;
  unsigned warps;
  double value;  // instructions per tick
};
class AddsOfManyWarps : public testing::TestWithParam<Rate> {};

// T3: min(W x F, fetch.warps x fetch.insns, schedulers x issue.per_warp, units / interval).
TEST_P(AddsOfManyWarps, ReachTheNarrowestLimit) {
  test::Rig rig(ideal(GetParam().machine));
  const unsigned lanes = rig.machine.sm.lanes;
  const test::Kernel& kernel = rig.load(independent_adds(960), {1, 1, 1}, {GetParam().warps * lanes, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  // The period in which all warps run: from the start of the adds to the end of the first warp.
  const Tick from = rig.log.issues.front().tick + 60;
  Tick to = ~Tick{0};
  for (unsigned w = 0; w < GetParam().warps; ++w) {
    const auto ticks = rig.log.ticks(w);
    ASSERT_GE(ticks.size(), 990U);
    to = std::min(to, ticks[980]);
  }
  const auto issued = std::count_if(rig.log.issues.begin(), rig.log.issues.end(), [&](const Observer::Issue& issue) {
    return issue.tick >= from && issue.tick < to;
  });
  EXPECT_NEAR(static_cast<double>(issued) / static_cast<double>(to - from), GetParam().value, 0.02)
      << issued << " in " << to - from;
}
INSTANTIATE_TEST_SUITE_P(AllMachines, AddsOfManyWarps,
                         testing::Values(Rate{"kepler_k20c_study", 4, 8.0 / 3}, Rate{"kepler_k20c_study", 12, 6},
                                         Rate{"kepler_k20c_study", 16, 6}, Rate{"fermi_gtx480_study", 12, 2},
                                         Rate{"maxwell_liu13", 4, 2}, Rate{"maxwell_liu13", 16, 4},
                                         Rate{"pascal_titanx_study", 16, 2}, Rate{"turing_rtx2060_study", 16, 2}),
                         [](const auto& info) {
                           return std::string(info.param.machine) + "_" + std::to_string(info.param.warps);
                         });

class ThreeOperandsOfABank : public testing::TestWithParam<Expected> {};

// T4: max(0, ceil(3 / rf.ports) + 1 - o) ticks more from the instruction to the use of its result.
TEST_P(ThreeOperandsOfABank, DelayTheResult) {
  test::Rig rig(ideal(GetParam().machine));
  const unsigned banks = rig.machine.rf.banks;
  std::string text;
  constexpr unsigned kRegisters = 48;
  for (unsigned i = 0; i < kRegisters; ++i) text += "mov.u32 %r" + std::to_string(i) + ", %tid.x;\n";
  for (unsigned i = 0; i + 32 < kRegisters; ++i) {
    text += "mad.lo.u32 %r50, %r" + std::to_string(i) + ", %r" + std::to_string(i + 16) + ", %r" +
            std::to_string(i + 32) + ";\nxor.b32 %r51, %r51, %r50;\n";
  }
  for (unsigned i = 0; i < kRegisters; ++i) text += "xor.b32 %r51, %r51, %r" + std::to_string(i) + ";\n";
  const test::Kernel& kernel = rig.load("mov.u32 %r51, 0;\n" + text + "ret;", {1, 1, 1}, {32, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const Machine::Timing timing = rig.machine.timing(isa::TimingClass::kIntMad);
  unsigned found = 0;
  for (std::uint32_t pc = 0; pc + 1 < kernel.program->code.size(); ++pc) {
    const isa::Record& record = kernel.program->code[pc];
    if (record.timing != isa::TimingClass::kIntMad) continue;
    if (record.src[0] % banks != record.src[1] % banks || record.src[0] % banks != record.src[2] % banks) continue;
    ++found;
    EXPECT_EQ(rig.log.at(0, pc + 1).at(0) - rig.log.at(0, pc).at(0),
              rig.machine.oc_cycles + timing.latency + 1 + GetParam().value)
        << pc;
  }
  EXPECT_GE(found, 1U) << "the registers of no instruction share a bank";
}
INSTANTIATE_TEST_SUITE_P(AllMachines, ThreeOperandsOfABank,
                         testing::Values(Expected{"kepler_k20c_study", 0}, Expected{"fermi_gtx480_study", 0},
                                         Expected{"maxwell_liu13", 1}, Expected{"pascal_titanx_study", 1},
                                         Expected{"turing_rtx2060_study", 1}),
                         machine_name);

class LastArrival : public testing::TestWithParam<Expected> {};

// T11: all issue three ticks after the last arrival has issued (rounded up to the issue period).
TEST_P(LastArrival, LetsAllGoOnThreeTicksLater) {
  test::Rig rig(ideal(GetParam().machine));
  const unsigned lanes = rig.machine.sm.lanes;
  const unsigned warps = rig.machine.schedulers;
  std::string text = "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, " + std::to_string((warps - 1) * lanes) +
                     ";\n@!%p1 bra MEET;\n" + repeat("add.u32 %r2, %r2, 1;\n", 10) +
                     // The branch waits for the adds, so nothing is under way at the barrier.
                     "setp.eq.u32 %p2, %r2, 99;\n@%p2 bra MEET;\nMEET:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nret;";
  const test::Kernel& kernel = rig.load(text, {1, 1, 1}, {warps * lanes, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  std::uint32_t barrier = 0;
  while (kernel.program->code[barrier].kind != isa::Kind::kBarrier) ++barrier;
  const Tick last = rig.log.at(warps - 1, barrier).at(0);
  for (unsigned w = 0; w < warps; ++w) {
    EXPECT_LE(rig.log.at(w, barrier).at(0), last);
    const Tick distance = rig.log.at(w, barrier + 1).at(0) - last;
    if (rig.machine.issue.period == 1) {
      EXPECT_EQ(distance, GetParam().value) << "warp " << w;
    } else {
      // Scheduler w acts in ticks with the same remainder.
      EXPECT_GE(distance, GetParam().value);
      EXPECT_LT(distance, GetParam().value + rig.machine.issue.period);
    }
  }
  EXPECT_EQ(rig.sm.counters().barrier_instances, 1U);
}
INSTANTIATE_TEST_SUITE_P(AllMachines, LastArrival,
                         testing::Values(Expected{"kepler_k20c_study", 3}, Expected{"fermi_gtx480_study", 3},
                                         Expected{"maxwell_liu13", 3}, Expected{"pascal_titanx_study", 3},
                                         Expected{"turing_rtx2060_study", 3}, Expected{"gcn_apu", 3}),
                         machine_name);

// Warp w of thread block b runs 20 w + 200 b iterations of a loop and waits at a barrier, twice.
constexpr const char* kTwoBarriers =
    "mov.u32 %r1, %tid.x;\nshr.u32 %r1, %r1, 5;\nmov.u32 %r2, %ctaid.x;\nmul.lo.u32 %r1, %r1, 20;\n"
    "mul.lo.u32 %r2, %r2, 200;\nadd.u32 %r1, %r1, %r2;\nmov.u32 %r3, %r1;\n"
    "L1:\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra M1;\nsub.u32 %r3, %r3, 1;\nbra L1;\nM1:\nbar.sync 0;\nmov.u32 %r3, %r1;\n"
    "L2:\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra M2;\nsub.u32 %r3, %r3, 1;\nbra L2;\nM2:\nbar.sync 0;\nret;";

TEST(BarrierStatistics, WaitingTimesAreThoseOfTheArrivals) {
  for (const char* name : {"maxwell_liu13", "maxwell_liu13_s2", "maxwell_liu13_s1"}) {
    test::Rig rig(ideal(name));
    constexpr unsigned kWarps = 8;
    const test::Kernel& kernel = rig.load(kTwoBarriers, {1, 1, 1}, {kWarps * 32, 1, 1});
    rig.start(kernel);
    ASSERT_TRUE(rig.run(1)) << name;
    Tick wait = 0, p1 = 0, longest = 0;
    unsigned barriers = 0;
    for (std::uint32_t pc = 0; pc < kernel.program->code.size(); ++pc) {
      if (kernel.program->code[pc].kind != isa::Kind::kBarrier) continue;
      ++barriers;
      std::vector<Tick> at;
      for (unsigned w = 0; w < kWarps; ++w) at.push_back(rig.log.at(w, pc).at(0));
      const auto first = *std::min_element(at.begin(), at.end());
      const auto last = std::max_element(at.begin(), at.end());
      ASSERT_EQ(std::count(at.begin(), at.end(), *last), 1) << "one warp completes it";
      Tick local = *last;
      for (unsigned w = 0; w < kWarps; ++w) {
        if ((w - (last - at.begin())) % rig.machine.schedulers == 0) local = std::min(local, at[w]);
      }
      wait += *last - first;
      p1 += local - first;
      longest = std::max(longest, *last - first);
    }
    ASSERT_EQ(barriers, 2U);
    ASSERT_GT(wait, p1);
    ASSERT_EQ(p1 > 0, rig.machine.schedulers > 1);
    const SmCounters& counters = rig.sm.counters();
    EXPECT_EQ(counters.barrier_instances, 2U) << name;
    EXPECT_EQ(counters.barrier_wait, wait) << name;
    EXPECT_EQ(counters.barrier_wait_p1, p1) << name;
    EXPECT_EQ(counters.barrier_wait_p2, wait - p1) << name;
    const base::Histogram& waits = rig.sm.statistics().barrier_waits();
    EXPECT_EQ(waits.count(), 2U) << name;
    EXPECT_EQ(waits.sum(), wait) << name;
    EXPECT_EQ(waits.largest(), longest) << name;
  }
}

TEST(BarrierStatistics, ThreadBlocksThatRunAheadAreCounted) {
  test::Rig rig(ideal("maxwell_liu13"));
  const test::Kernel& kernel = rig.load(kTwoBarriers, {2, 1, 1}, {64, 1, 1});
  rig.start(kernel, 0);
  rig.start(kernel, 1);
  ASSERT_TRUE(rig.run(2));
  const SmCounters& counters = rig.sm.counters();
  EXPECT_EQ(counters.barrier_instances, 4U);
  // The fast block leads by one barrier and by two; the slow one is alone in its last rounds.
  EXPECT_EQ(counters.barriers_per_tb_spread, 2U);
  EXPECT_EQ(counters.barriers_ahead_sum, 3U);
  ASSERT_EQ(rig.log.retired.size(), 2U);
  Tick resident = 0;
  for (const Observer::Tb& end : rig.log.retired) {
    for (const Observer::Tb& start : rig.log.started) {
      if (start.gid == end.gid) resident += end.cycle - start.cycle;
    }
  }
  EXPECT_EQ(counters.tb_resident, resident);
}

class AddInFlight : public testing::TestWithParam<Expected> {};

// The block retires in the tick in which the register of its add is clear: o + L + 1, then the 5 of T12.
TEST_P(AddInFlight, DelaysTheRetire) {
  test::Rig rig(ideal(GetParam().machine));
  const test::Kernel& kernel = rig.load("add.u32 %r1, %r1, 1;\nret;", {2, 1, 1}, {32, 1, 1});
  rig.start(kernel, 0);
  while (rig.retired.empty()) rig.cycle();
  rig.start(kernel, 1);
  ASSERT_TRUE(rig.run(2));
  ASSERT_EQ(rig.log.issues.size(), 4U);
  EXPECT_EQ(rig.log.issues[2].tick - rig.log.issues[0].tick, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(AllMachines, AddInFlight,
                         testing::Values(Expected{"kepler_k20c_study", 14}, Expected{"fermi_gtx480_study", 14},
                                         Expected{"maxwell_liu13", 11}),
                         machine_name);

// T12: exit 0, retire wire and placement 1, start 2, fetch 3, decode 4, issue 5.
TEST(LastExit, OfDrainedWarpsLetsAWaitingBlockIssueFiveTicksLater) {
  for (const char* name :
       {"kepler_k20c_study", "fermi_gtx480_study", "maxwell_liu13", "pascal_titanx_study", "turing_rtx2060_study"}) {
    test::Rig rig(ideal(name));
    const test::Kernel& kernel = rig.load("ret;", {2, 1, 1}, {32, 1, 1});
    rig.start(kernel, 0);
    while (rig.retired.empty()) rig.cycle();
    rig.start(kernel, 1);
    ASSERT_TRUE(rig.run(2));
    ASSERT_EQ(rig.log.issues.size(), 2U);
    EXPECT_EQ(rig.log.issues[1].tick - rig.log.issues[0].tick, 5U) << name;
    // Placement in c: start at c + 1, first issue at c + 4.
    EXPECT_EQ(rig.log.issues[0].cycle, rig.log.started[0].cycle + 3) << name;
  }
}

// T23: the same ticks in seven times the cycles, plus at most six.
TEST(ClockEnable, OneOfSevenStretchesAKernelSevenTimes) {
  for (const char* name : {"kepler_k20c_study", "pascal_titanx_study"}) {
    std::vector<Tick> reference;
    Cycle cycles = 0;
    {
      test::Rig rig(ideal(name));
      const test::Kernel& kernel = rig.load(independent_adds(300), {1, 1, 1}, {256, 1, 1});
      rig.start(kernel);
      ASSERT_TRUE(rig.run(1));
      for (const auto& issue : rig.log.issues) reference.push_back(issue.tick - rig.log.issues[0].tick);
      cycles = rig.log.issues.back().cycle - rig.log.issues[0].cycle;
    }
    for (const bool sleep : {true, false}) {
      test::Rig rig(ideal(name), {}, sleep);
      const test::Kernel& kernel = rig.load(independent_adds(300), {1, 1, 1}, {256, 1, 1});
      rig.start(kernel);
      while (rig.retired.empty() && rig.now < 100'000) {
        rig.sm.set_clock_enable((rig.now + 1) % 7 == 0, rig.now + 1);
        rig.cycle();
      }
      ASSERT_EQ(rig.log.issues.size(), reference.size());
      for (std::size_t i = 0; i < reference.size(); ++i) {
        ASSERT_EQ(rig.log.issues[i].tick - rig.log.issues[0].tick, reference[i]) << i;
      }
      const Cycle stretched = rig.log.issues.back().cycle - rig.log.issues[0].cycle;
      EXPECT_GE(stretched, 7 * cycles);
      EXPECT_LE(stretched, 7 * cycles + 6);
      rig.sm.count_until(rig.now + 1);
      EXPECT_EQ(rig.sm.counters().ticks + rig.sm.counters().clock_off_ticks, rig.now + 1);
    }
  }
}

// Checks that the schedulers' numbers of grants for one unit differ by at most 2 as long as all have work (T30).
void expect_fair_grants(const char* machine, const std::string& instruction, const std::string& before = {}) {
  test::Rig rig(ideal(machine));
  std::string text = before;
  for (unsigned i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i % 16);
    std::string one = instruction;
    for (std::size_t at = one.find('#'); at != std::string::npos; at = one.find('#')) one.replace(at, 1, n);
    text += one;
  }
  const unsigned warps = 4 * rig.machine.schedulers;
  const test::Kernel& kernel =
      rig.load(text + "ret;", {1, 1, 1}, {warps * rig.machine.sm.lanes, 1, 1}, 0, ".shared .align 4 .b8 s[4096];\n");
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const auto& code = kernel.program->code;
  const isa::TimingClass timing = code[code.size() / 2].timing;
  std::vector<unsigned> grants(rig.machine.schedulers), done(warps);
  const auto wanted = static_cast<unsigned>(
      std::count_if(code.begin(), code.end(), [&](const isa::Record& record) { return record.timing == timing; }));
  Tick tick = 0;
  std::size_t seen = 0;
  unsigned idle_warps = warps;
  for (const auto& issue : rig.log.issues) {
    if (issue.tick != tick) {
      const auto [least, most] = std::minmax_element(grants.begin(), grants.end());
      ASSERT_LE(*most - *least, 2U) << machine << ", " << instruction << ", tick " << tick << ", " << seen;
      tick = issue.tick;
    }
    if (code[issue.pc].timing != timing) continue;
    // All have work once each warp has come to these instructions.
    if (done[issue.warp] == 0 && --idle_warps == 0) std::fill(grants.begin(), grants.end(), 0U);
    if (idle_warps == 0) ++grants[issue.scheduler];
    ++seen;
    if (++done[issue.warp] + 16 > wanted) return;  // soon a scheduler may have no instruction left
  }
}

TEST(Commit, GivesEachSchedulerItsShareOfAUnit) {
  std::string floats, doubles;
  for (unsigned i = 0; i < 16; ++i) {
    floats += "mov.f32 %f" + std::to_string(i) + ", 0f3f800000;\n";
    doubles += "mov.f64 %fd" + std::to_string(i) + ", 0d3ff0000000000000;\n";
  }
  for (const char* machine : {"kepler_k20c_study", "fermi_gtx480_study"}) {
    expect_fair_grants(machine, "ex2.approx.f32 %f#, %f#;\n", floats);
    expect_fair_grants(machine, "st.shared.u32 [s], %r0;\n", "mov.u32 %r0, 1;\n");
  }
  expect_fair_grants("kepler_k20c_study", "add.f64 %fd#, %fd#, %fd#;\n", doubles);
}

// T30: 24 warps of schedulers 0-2 poll a word with 32-way conflicts, a warp of scheduler 3 stores it.
TEST(Commit, LetsAStorePassPollingWarps) {
  test::Rig rig(ideal("kepler_k20c_study"));
  const std::string text = R"(
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    and.b32 %r3, %r2, 3;
    and.b32 %r4, %r1, 31;
    shl.b32 %r5, %r4, 7;
    setp.eq.u32 %p1, %r3, 3;
    @%p1 bra WRITER;
POLL:
    ld.volatile.shared.u32 %r6, [%r5];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra POLL;
    ret;
WRITER:
    setp.ne.u32 %p3, %r2, 31;
    @%p3 ret;
    mov.u32 %r7, 200;
WAIT:
    sub.u32 %r7, %r7, 1;
    setp.ne.u32 %p4, %r7, 0;
    @%p4 bra WAIT;
    mov.u32 %r8, 1;
    st.volatile.shared.u32 [%r5], %r8;
    ret;)";
  const test::Kernel& kernel = rig.load(text, {1, 1, 1}, {1024, 1, 1}, 0, ".shared .align 128 .b8 s[4096];\n");
  const_cast<test::Kernel&>(kernel).context.shared_bytes = 4096;
  rig.start(kernel);
  EXPECT_TRUE(rig.run(1, 30'000)) << rig.sm.waiting();
  EXPECT_EQ(rig.faults.size(), 0U) << rig.faults[0].message;
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_timing_test

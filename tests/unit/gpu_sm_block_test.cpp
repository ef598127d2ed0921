// Tests of issue policies and pairs, faults, ends of kernels, calls into the runtime, sleeping warps, instruction
// cache.

#include <algorithm>

#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_block_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string adds(unsigned count, unsigned registers) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    const std::string reg = "%r" + std::to_string(i % registers);
    text += "add.u32 " + reg + ", " + reg + ", 1;\n";
  }
  for (unsigned i = 1; i < registers; ++i) text += "xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  return text + "ret;";
}

// Returns a machine with one scheduler and buffers large enough that only the policy decides what issues.
Machine one_scheduler(const std::string& policy) {
  return test::machine("kepler_k20c_study", {"icache.ideal=1", "schedulers=1", "issue.per_warp=1", "fetch.insns=16",
                                             "ibuffer.entries=16", "fetch.warps=64", "issue.policy=" + policy});
}
std::vector<unsigned> order(const test::Rig& rig, std::size_t count) {
  std::vector<unsigned> warps;
  for (std::size_t i = 0; i < count; ++i) warps.push_back(rig.log.issues[i].warp);
  return warps;
}

TEST(IssuePolicies, LooseRoundRobinTakesTheNextWarp) {
  test::Rig rig(one_scheduler("lrr"));
  rig.start(rig.load(adds(32, 16), {1, 1, 1}, {128, 1, 1}));
  ASSERT_TRUE(rig.run(1));
  EXPECT_THAT(order(rig, 10), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1));
}

TEST(IssuePolicies, GreedyStaysWithAWarpThenTakesTheOldest) {
  test::Rig rig(one_scheduler("gto"));
  rig.start(rig.load(adds(32, 16), {1, 1, 1}, {96, 1, 1}));
  ASSERT_TRUE(rig.run(1));
  // The buffer of warp 0 is empty after 16 instructions. It is refilled after 2 ticks, but warp 1 is greedy by then.
  const std::vector<unsigned> got = order(rig, 34);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(got[i], 0U) << i;
  for (unsigned i = 16; i < 32; ++i) EXPECT_EQ(got[i], 1U) << i;
  EXPECT_EQ(got[32], 0U);
}

TEST(IssuePolicies, OldestReturnsAsSoonAsTheOldestIsReady) {
  test::Rig rig(one_scheduler("oldest"));
  rig.start(rig.load(adds(32, 16), {1, 1, 1}, {96, 1, 1}));
  ASSERT_TRUE(rig.run(1));
  const std::vector<unsigned> got = order(rig, 20);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(got[i], 0U) << i;
  // Two ticks without instructions: fetched in the first, decoded in the second.
  EXPECT_EQ(got[16], 1U);
  EXPECT_EQ(got[17], 1U);
  EXPECT_EQ(got[18], 0U);
}

TEST(Pairs, HaveNoControlInstructionFirstAndDifferentUnitsWhereTheMachineSaysSo) {
  std::string body;
  for (unsigned i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i % 10);
    body += "add.u32 %r" + n + ", %r" + n + ", 1;\n";
    body += "ex2.approx.f32 %f" + n + ", %f" + n + ";\n";
    if (i % 5 == 4) body += "bar.sync 0;\nadd.u32 %r" + n + ", %r" + n + ", 1;\n";
    body += "fma.rn.f32 %f2" + n + ", %f2" + n + ", %f2" + n + ", %f2" + n + ";\n";
  }
  for (const char* name : {"kepler_k20c_study", "pascal_titanx_study", "fermi_gtx480_study"}) {
    test::Rig rig(test::machine(name, {"icache.ideal=1"}));
    const test::Kernel& kernel = rig.load(body + "ret;", {1, 1, 1}, {32, 1, 1});
    rig.start(kernel);
    ASSERT_TRUE(rig.run(1));
    unsigned pairs = 0;
    for (std::size_t i = 1; i < rig.log.issues.size(); ++i) {
      const auto &first = rig.log.issues[i - 1], &second = rig.log.issues[i];
      if (first.tick != second.tick) continue;
      ++pairs;
      EXPECT_TRUE(i < 2 || rig.log.issues[i - 2].tick != second.tick) << "three at once";
      EXPECT_EQ(second.pc, first.pc + 1);
      const isa::TimingClass one = kernel.program->code[first.pc].timing, two = kernel.program->code[second.pc].timing;
      EXPECT_LE(one, isa::TimingClass::kPredicate) << name;
      if (rig.machine.issue.dual_issue_diff_units) {
        EXPECT_NE(one == isa::TimingClass::kScaled, two == isa::TimingClass::kScaled) << name;
      }
    }
    EXPECT_EQ(pairs != 0, rig.machine.issue.per_warp == 2) << name;
  }
}

TEST(Faults, AreThoseOfTheFunctionalMachineAndEndTheKernel) {
  test::Rig rig(test::machine("kepler_k20c_study"));
  const test::Kernel& bad =
      rig.load("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 70;\n@%p1 trap;\nbar.sync 0;\nret;", {2, 1, 1}, {96, 1, 1});
  const test::Kernel& good = rig.load(adds(40, 8), {1, 1, 1}, {64, 1, 1});
  rig.start(bad, 0);
  rig.start(good, 0);
  rig.start(bad, 1);
  ASSERT_TRUE(rig.run(3)) << rig.sm.waiting();
  ASSERT_FALSE(rig.faults.empty());
  EXPECT_EQ(rig.faults[0].kind, FaultKind::kTrap);
  EXPECT_THAT(rig.faults[0].message, HasSubstr("trap instruction\n  in kernel 'k' (test.ptx"));
  EXPECT_THAT(rig.faults[0].message, HasSubstr("block (0,0,0), thread (70,0,0)"));
  EXPECT_TRUE(rig.sm.idle());
  EXPECT_EQ(rig.sm.counters().tb_retired, 3U);
}

TEST(Faults, OfBarriersNameTheBarrier) {
  const std::pair<const char*, const char*> cases[] = {
      {"bar.sync 0, 48;\nret;", "it must be a multiple of 32"},
      {"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 5;\n@%p1 bar.sync 0;\nret;",
       "reached by some threads of a warp only"},
      {"mov.u32 %r1, 20;\nbar.sync %r1;\nret;", "barrier 20 does not exist"},
  };
  for (const auto& [body, text] : cases) {
    test::Rig rig(test::machine("kepler_k20c_study"));
    rig.start(rig.load(body, {1, 1, 1}, {64, 1, 1}));
    ASSERT_TRUE(rig.run(1));
    ASSERT_FALSE(rig.faults.empty()) << body;
    EXPECT_EQ(rig.faults[0].kind, FaultKind::kBarrier);
    EXPECT_THAT(rig.faults[0].message, HasSubstr(text));
  }
}

// A kill in any cycle of a kernel's life ends the kernel, whatever is in flight, and leaves the SM in a clean state.
TEST(Kill, AtAnyCycleLeavesTheSmEmpty) {
  const std::string body = R"(
    ld.param.u64 %rd0, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd1, %rd0, %rd1;
    ld.global.u32 %r2, [%rd1];
    shl.b32 %r5, %r1, 2;
    mov.u32 %r6, s;
    add.u32 %r5, %r5, %r6;
    st.shared.u32 [%r5], %r1;
    bar.sync 0;
    ld.shared.u32 %r3, [%r5];
    div.u32 %r4, %r3, 3;
    st.global.u32 [%rd1], %r4;
    membar.gl;
    nanosleep.u32 1000;
    sqrt.rn.f32 %f1, %f1;
    st.global.u32 [%rd1], %r4;
    ret;)";
  for (Cycle when = 1; when < 700; when += 7) {
    test::Rig rig(test::machine("kepler_k20c_study"));
    const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &out, 8);
    const test::Kernel& kernel =
        rig.load(body, {4, 1, 1}, {128, 1, 1}, 0, ".shared .align 4 .b8 s[512];\n", parameters);
    const test::Kernel& other = rig.load(adds(8, 4), {1, 1, 1}, {256, 1, 1});
    for (unsigned gid = 0; gid < 4; ++gid) rig.start(kernel, gid);
    while (rig.now < when) rig.cycle();
    rig.sm.kill(kernel.context, rig.now + 1);
    ASSERT_TRUE(rig.run(4, 3000)) << when << "\n" << rig.sm.waiting();
    // An instruction-cache line may still be in flight.
    for (unsigned i = 0; i < 300; ++i) rig.cycle();
    EXPECT_TRUE(rig.sm.idle()) << when;
    // The slots serve the next kernel. Late events of the killed kernel do not reach it.
    for (unsigned gid = 0; gid < 4; ++gid) rig.start(other, gid);
    ASSERT_TRUE(rig.run(8, 3000)) << when << "\n" << rig.sm.waiting();
    for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(rig.retired[i].warp_instructions, 8U * (8 + 3 + 1)) << when;
    ASSERT_TRUE(rig.faults.empty()) << rig.faults[0].message;
    rig.store->free(out);
  }
}

TEST(SystemCalls, WaitForOlderStoresAndResumeWhenServed) {
  test::Rig rig(test::machine("kepler_k20c_study"));
  std::string printed;
  rig.services.print = [&](std::string_view text) { printed += text; };
  const std::uint64_t text = rig.store->allocate(16, AllocationKind::kModule).value();
  std::memcpy(rig.store->host(text), "%d,", 4);
  const std::string source = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.extern .global .align 1 .b8 text[8];
.visible .entry k()
{
  .local .align 8 .b8 stack[8];
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p<1>;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd0, stack; cvta.local.u64 %rd1, %rd0;
  st.local.u32 [%rd0], %r1;
  mov.u64 %rd2, text; cvta.global.u64 %rd3, %rd2;
  { .param .b64 p0; st.param.b64 [p0], %rd3; .param .b64 p1; st.param.b64 [p1], %rd1;
    .param .b32 r; call.uni (r), vprintf, (p0, p1); ld.param.b32 %r2, [r]; }
  setp.ne.u32 %p0, %r2, 1; @%p0 trap;
  ret;
}
)";
  isa::LinkOptions options;
  options.symbols = {{"text", text}};
  test::Kernel& kernel =
      rig.hold(compiler::compile(ptx::parse(source, "print.ptx"), "k", options), {1, 1, 1}, {5, 1, 1}, 0, {});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty()) << rig.faults[0].message;
  EXPECT_EQ(printed, "0,1,2,3,4,");
  // The format string was freed, which is a fault of the kernel.
  rig.store->free(text);
  rig.start(kernel);
  ASSERT_TRUE(rig.run(2)) << rig.sm.waiting();
  ASSERT_FALSE(rig.faults.empty());
  EXPECT_THAT(rig.faults[0].message, HasSubstr("printf: its format cannot be read"));
  EXPECT_TRUE(rig.sm.idle());
}

TEST(Sleep, BlocksAWarpForItsTimeInTicks) {
  test::Rig rig(test::machine("kepler_k20c_study", {"icache.ideal=1"}));
  // 706 MHz: 1000 ns are 706 ticks, 2 ns are 1.412.
  rig.start(rig.load("nanosleep.u32 1000;\nnanosleep.u32 2;\nnanosleep.u32 0;\nret;", {1, 1, 1}, {32, 1, 1}));
  ASSERT_TRUE(rig.run(1));
  const auto ticks = rig.log.ticks(0);
  ASSERT_EQ(ticks.size(), 4U);
  EXPECT_EQ(ticks[1] - ticks[0], 706U);
  EXPECT_EQ(ticks[2] - ticks[1], 3U) << "2 ticks, but the next instruction is fetched in 3";
  EXPECT_EQ(ticks[3] - ticks[2], 1U);
  EXPECT_LT(rig.ticked, 60U) << "nothing happens while the only warp sleeps";
}

TEST(SpecialRegisters, TellTickTimeAndPlace) {
  test::Rig rig(test::machine("kepler_k20c_study", {"icache.ideal=1"}));
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const test::Kernel& kernel = rig.load(R"(
    ld.param.u64 %rd0, [out];
    mov.u64 %rd1, %clock64;
    mov.u64 %rd2, %globaltimer;
    mov.u32 %r1, %warpid;
    mov.u32 %r2, %smid;
    st.global.u64 [%rd0], %rd1;
    st.global.u64 [%rd0+8], %rd2;
    st.global.u32 [%rd0+16], %r1;
    st.global.u32 [%rd0+20], %r2;
    ret;)",
                                        {1, 1, 1}, {1, 1, 1}, 0, {}, parameters);
  while (rig.now < 1000) rig.cycle();
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  struct {
    std::uint64_t clock, timer;
    std::uint32_t warp, sm;
  } got{};
  std::memcpy(&got, rig.store->host(out), sizeof got);
  std::uint32_t pc = 0;
  while (kernel.program->spellings[pc].find("%clock64") == std::string::npos) ++pc;
  EXPECT_EQ(got.clock, rig.log.at(0, pc).at(0));
  const auto issue = std::find_if(rig.log.issues.begin(), rig.log.issues.end(), [&](const auto& i) {
    return kernel.program->spellings[i.pc].find("%globaltimer") != std::string::npos;
  });
  // Cycle x 1e6 / 706 ps, in ns; the division is exact in integers.
  EXPECT_EQ(got.timer, issue->cycle * 1000 / 706);
  EXPECT_EQ(got.warp, 0U);
  EXPECT_EQ(got.sm, 0U);
  rig.store->free(out);
}

TEST(InstructionCache, MissesOnceForALineAndHoldsItForOtherWarps) {
  test::Rig rig(test::machine("kepler_k20c_study"));
  const test::Kernel& kernel = rig.load(adds(24, 8), {1, 1, 1}, {256, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const auto lines = (kernel.program->code.size() * 8 + 127) / 128;
  EXPECT_EQ(rig.sm.memory.sent(), lines);
  EXPECT_GE(rig.sm.counters().icache_misses, lines);
  // A second block hits these lines.
  rig.start(kernel);
  const auto misses = rig.sm.counters().icache_misses;
  ASSERT_TRUE(rig.run(2));
  EXPECT_EQ(rig.sm.counters().icache_misses, misses);
}

TEST(ThreadBlocks, AreStartedOnePerTickAndOneTickLaterBehindTheFirst) {
  test::Rig rig(test::machine("kepler_k20c_study", {"icache.ideal=1"}));
  const test::Kernel& kernel = rig.load(adds(8, 4), {8, 1, 1}, {64, 1, 1});
  for (unsigned gid = 0; gid < 4; ++gid) rig.start(kernel, gid);
  ASSERT_TRUE(rig.run(4));
  std::vector<Cycle> started;
  for (const auto& tb : rig.log.started) started.push_back(tb.cycle - rig.log.started[0].cycle);
  EXPECT_THAT(started, ElementsAre(0, 2, 3, 4));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_block_test

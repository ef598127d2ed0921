// Tests of the registers that are live where a thread block may sleep: the compiler's result, the loader's checks, and
// correct results of programs that lose all other registers.

#include <cstring>

#include "castor/gpu/functional/interpreter.h"
#include "castor/gpu/loaded_program.h"
#include "castor/isa/site_check.h"
#include "compiler_support.h"
#include "structured_ptx.h"
#include "tests/common/sanitized.h"

namespace castor::compiler::test::compiler_sites_test {
namespace {

using castor::test::StructuredKernel;
using isa::SyncSite;
using ::testing::HasSubstr;

isa::Program compiled(const std::string& text, unsigned limit = 255) {
  const isa::Module module = module_of(text);
  return *compile(module, "k", link_options(module, limit));
}

/// Returns the number of registers that a site keeps.
std::size_t kept(const isa::Program& program, std::size_t site = 0) {
  return program.sync.sites.at(site).registers.count();
}

// The end of every kernel needs the address `out` (two registers), the thread's number and the result.
constexpr std::size_t kEnd = 4;

TEST(Sites, ProgramsWithoutSynchronisationHaveNone) {
  const isa::Program program = compiled(kernel("  bar.sync 0;\n"));
  EXPECT_EQ(program.sync.ops, 0);
  EXPECT_TRUE(program.sync.sites.empty());
}

TEST(Sites, OnlyGridBarriersAndWaitsAreSites) {
  const isa::Program program = compiled(kernel(R"(
  tb.signal 1, 2; tb.readonly %r2, %rd1, 128; tb.wait 1, 2; tb.writable %r2; tb.gridsync;)"));
  EXPECT_EQ(program.sync.ops, 0x1f);
  ASSERT_EQ(program.sync.sites.size(), 2U);
  EXPECT_EQ(program.spellings[program.sync.sites[0].record], "tb.wait 0x1, 0x2");
  EXPECT_EQ(program.spellings[program.sync.sites[1].record], "tb.gridsync");
}

TEST(Sites, DeadRegistersAreLeftOut) {
  // %r10 to %r12 are last read before the barrier, %r13 is first written after it.
  const isa::Program program = compiled(kernel(R"(
  mad.lo.u32 %r10, %r2, %r1, 5; mul.lo.u32 %r11, %r10, %r10; xor.b32 %r12, %r11, %r10;
  st.global.u32 [%rd1], %r12;
  add.u32 %r3, %r12, %r11;
  tb.gridsync;
  mul.lo.u32 %r13, %r3, %r3; add.u32 %r3, %r3, %r13;)"));
  EXPECT_EQ(kept(program), kEnd);
  EXPECT_FALSE(program.sync.sites[0].predicates);
}

TEST(Sites, AGuardedWriteKeepsTheOldValue) {
  const char* const before = "  add.u32 %r3, %r1, %r2; setp.lt.u32 %p1, %r2, 3; tb.gridsync;\n";
  const isa::Program guarded = compiled(kernel(std::string(before) + "  @%p1 mov.u32 %r3, 5;"));
  EXPECT_EQ(kept(guarded), kEnd);
  EXPECT_TRUE(guarded.sync.sites[0].predicates);
  const isa::Program whole = compiled(kernel(std::string(before) + "  mov.u32 %r3, 5;"));
  EXPECT_EQ(kept(whole), kEnd - 1);
  EXPECT_FALSE(whole.sync.sites[0].predicates);
}

TEST(Sites, WideValuesKeepBothRows) {
  const isa::Program program = compiled(kernel(R"(
  mul.wide.u32 %rd2, %r2, %r1; cvt.rn.f64.u32 %fd1, %r2;
  tb.gridsync;
  cvt.u32.u64 %r3, %rd2; cvt.rzi.u32.f64 %r4, %fd1; add.u32 %r3, %r3, %r4;)"));
  EXPECT_EQ(kept(program), kEnd - 1 + 4);
}

TEST(Sites, LoopsCarryValuesAround) {
  const isa::Program program = compiled(kernel(R"(
  mov.u32 %r10, 0; mov.u32 %r11, 1;
again:
  add.u32 %r12, %r10, %r11; mov.u32 %r3, %r12;
  tb.gridsync;
  add.u32 %r10, %r10, 1; mad.lo.u32 %r11, %r11, 3, %r10;
  setp.lt.u32 %p1, %r10, %r1; @%p1 bra again;)"));
  // The registers for the end of the kernel, %r10, %r11 and the trip count.
  EXPECT_EQ(kept(program), kEnd + 3);
}

constexpr char kMeet[] = R"(
.func (.param .b32 result) meet(.param .b32 value)
{
  .reg .b32 %t<4>;
  ld.param.b32 %t0, [value]; add.u32 %t1, %t0, 3;
  tb.gridsync;
  mul.lo.u32 %t2, %t1, 5; st.param.b32 [result], %t2; ret;
}
)";
std::string call(const std::string& to, const std::string& from) {
  return "  { .param .b32 a; .param .b32 b; st.param.b32 [a], " + from + "; call.uni (b), meet, (a); ld.param.b32 " +
         to + ", [b]; }\n";
}

TEST(Sites, ASiteInAFunctionKeepsWhatEachOfItsCallersNeeds) {
  // The first call is followed by a use of %r10, the second by one of %r11 and %r12.
  const std::string first = "  mul.lo.u32 %r10, %r2, 7;\n" + call("%r3", "%r2") + "  add.u32 %r3, %r3, %r10;\n";
  const std::string second = "  mul.lo.u32 %r11, %r2, 9; mul.lo.u32 %r12, %r2, 11;\n" + call("%r4", "%r3") +
                             "  add.u32 %r3, %r4, %r11; add.u32 %r3, %r3, %r12;\n";
  const isa::Program one = compiled(kernel(first, kMeet));
  ASSERT_EQ(one.sync.sites.size(), 1U);
  EXPECT_EQ(kept(one), kEnd - 1 + 1 + 1) << "the end without the result, %t1, %r10";
  const isa::Program both = compiled(kernel(first + second, kMeet));
  ASSERT_EQ(both.sync.sites.size(), 1U);
  EXPECT_EQ(kept(both), kEnd - 1 + 1 + 2) << "%r10, and %r11 with %r12, may share a register";
}

TEST(Sites, ACallBehindASiteNeedsWhatItsCalleeReads) {
  const std::string text = "  mul.lo.u32 %r10, %r2, 7; tb.gridsync;\n" + call("%r3", "%r10");
  const isa::Program program = compiled(kernel(text, kMeet));
  ASSERT_EQ(program.sync.sites.size(), 2U);
  EXPECT_EQ(kept(program, 0), kEnd - 1 + 1) << "the end without the result, %r10";
}

// A register that a function with two calls keeps for one caller is not live before the other call.
TEST(Sites, AReturnGoesToItsOwnCall) {
  const std::string plain = R"(
.func (.param .b32 result) meet(.param .b32 value)
{
  .reg .b32 %t<4>;
  ld.param.b32 %t0, [value]; add.u32 %t1, %t0, 3; st.param.b32 [result], %t1; ret;
}
)";
  const std::string text = "  tb.gridsync;\n" + call("%r3", "%r2") +
                           "  mul.lo.u32 %r11, %r3, 9; mul.lo.u32 %r12, %r3, 11; mul.lo.u32 %r13, %r3, 13;\n" +
                           call("%r4", "%r3") +
                           "  add.u32 %r3, %r4, %r11; add.u32 %r3, %r3, %r12; add.u32 %r3, %r3, %r13;\n";
  EXPECT_EQ(kept(compiled(kernel(text, plain))), kEnd - 1);
}

/// Removes each register of each site in turn and expects the loader's check to notice.
void expect_least(const isa::Program& program) {
  EXPECT_FALSE(isa::find_wrong_site(program));
  for (std::size_t i = 0; i < program.sync.sites.size(); ++i) {
    for (std::uint32_t r = 0; r < program.registers; ++r) {
      isa::Program wrong = program;
      if (!wrong.sync.sites[i].registers[r]) continue;
      wrong.sync.sites[i].registers.reset(r);
      EXPECT_TRUE(isa::find_wrong_site(wrong)) << "site " << i << ", R" << r;
    }
  }
}

// The registers of a result are written by the callee on every path, so they are not needed before the call.
TEST(Sites, WhatACalleeAlwaysWritesIsNotNeeded) {
  const isa::Program program = compiled(kernel(R"(
  tb.gridsync;
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r2; call.uni (b), widen, (a); ld.param.b64 %rd5, [b]; }
  cvt.u32.u64 %r3, %rd5; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r4, %rd6; add.u32 %r3, %r3, %r4;)",
                                               R"(
.func (.param .b64 result) widen(.param .b32 value)
{
  .reg .b32 %t<4>; .reg .b64 %w<4>;
  ld.param.b32 %t0, [value]; mul.wide.u32 %w0, %t0, %t0; st.param.b64 [result], %w0; ret;
}
)"));
  EXPECT_EQ(kept(program), kEnd - 1);
  expect_least(program);
}

// A register that only the innermost of three functions reads is live before the call of the outermost.
TEST(Sites, ArgumentsThatAreHandedOnAreNeeded) {
  const auto hands_on = [](const std::string& name, const std::string& callee) {
    return ".func (.param .b32 result) " + name +
           "(.param .b32 value)\n{\n.reg .b32 %t<4>; ld.param.b32 %t0, [value];\n" +
           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t0; call.uni (b), " + callee +
           ", (a); ld.param.b32 %t1, [b]; }\nst.param.b32 [result], %t1; ret;\n}\n";
  };
  const std::string functions = R"(
.func (.param .b32 result) inner(.param .b32 value)
{
  .reg .b32 %t<4>;
  ld.param.b32 %t0, [value]; mul.lo.u32 %t1, %t0, %t0; st.param.b32 [result], %t1; ret;
}
)" + hands_on("middle", "inner") +
                                hands_on("outer", "middle") + hands_on("meet", "outer");
  const isa::Program program =
      compiled(kernel("  mul.lo.u32 %r10, %r2, 7; tb.gridsync;\n" + call("%r3", "%r10"), functions));
  EXPECT_EQ(kept(program), kEnd - 1 + 1);
  expect_least(program);
}

// A call through a pointer may lead to each function whose address is taken.
TEST(Sites, ASiteBehindAPointerKeepsWhatTheCallerNeeds) {
  const std::string other = R"(
.func (.param .b32 result) other(.param .b32 value)
{
  .reg .b32 %t<4>;
  ld.param.b32 %t0, [value]; tb.gridsync; add.u32 %t1, %t0, 3; st.param.b32 [result], %t1; ret;
}
)";
  const isa::Program program = compiled(kernel(R"(
  mul.lo.u32 %r10, %r2, 7; mov.u64 %rd5, meet; setp.gt.u32 %p1, %r1, 5; @%p1 mov.u64 %rd5, other;
  tb.gridsync;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd5, (a), P; ld.param.b32 %r3, [b]; }
  add.u32 %r3, %r3, %r10;)",
                                               std::string(kMeet) + other));
  ASSERT_EQ(program.sync.sites.size(), 3U);
  EXPECT_EQ(kept(program, 0), kEnd - 1 + 1 + 2) << "the end without the result, %r10, the pointer";
  EXPECT_EQ(kept(program, 1), kEnd - 1 + 1 + 1) << "the end without the result, %r10, a value of the function";
  EXPECT_EQ(kept(program, 2), kEnd - 1 + 1 + 1);
  expect_least(program);
}

// Lanes whose guard is false skip a call, so their registers are live before it.
TEST(Sites, AGuardedCallKeepsWhatItsResultWouldReplace) {
  const isa::Program program =
      compiled(kernel("  mul.lo.u32 %r10, %r2, 7; setp.gt.u32 %p1, %r1, 5; mov.u32 %r3, %r10;\n"
                      "  tb.gridsync;\n  @!%p1 bra skip;\n" +
                          call("%r3", "%r2") + "skip:\n",
                      kMeet));
  EXPECT_EQ(kept(program, 0), kEnd);
  EXPECT_TRUE(program.sync.sites[0].predicates);
}

TEST(Sites, RecursionKeepsWhatAnyDepthNeeds) {
  const isa::Program program = compiled(kernel(R"(
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), down, (a); ld.param.b32 %r3, [b]; })",
                                               R"(
.func (.param .b32 result) down(.param .b32 value)
{
  .reg .b32 %t<9>; .reg .pred %q;
  ld.param.b32 %t0, [value];
  setp.lt.u32 %q, %t0, 5; @%q bra last;
  sub.u32 %t1, %t0, 5;
  { .param .b32 c; .param .b32 d; st.param.b32 [c], %t1; call.uni (d), down, (c); ld.param.b32 %t2, [d]; }
  add.u32 %t3, %t2, %t0; st.param.b32 [result], %t3; ret;
last:
  tb.gridsync;
  st.param.b32 [result], %t0; ret;
}
)"));
  ASSERT_EQ(program.sync.sites.size(), 1U);
  EXPECT_TRUE(program.sync.sites[0].registers[0]) << "the stack register, which callers read";
  EXPECT_FALSE(isa::find_wrong_site(program));
}

TEST(Sites, FromTheSeventeenthOnAllRegistersAreKept) {
  std::string text;
  for (unsigned i = 0; i < isa::kMostSites + 2; ++i) text += "  tb.gridsync; add.u32 %r3, %r3, %r2;\n";
  const isa::Program program = compiled(kernel(text));
  ASSERT_EQ(program.sync.sites.size(), isa::kMostSites + 2);
  EXPECT_LT(kept(program, isa::kMostSites - 1), program.registers);
  EXPECT_EQ(kept(program, isa::kMostSites), program.registers);
  EXPECT_TRUE(program.sync.sites[isa::kMostSites].predicates);
  EXPECT_FALSE(isa::find_wrong_site(program));
}

/// Returns the message with which a device refuses a program; an empty string if the device accepts it.
std::string refusal(const isa::Program& program) {
  try {
    (void)device().load(std::make_shared<isa::Program>(program));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SitesOfTheLoader, AMaskWithoutALiveRegisterIsRefusedWithItsReader) {
  const isa::Program good = compiled(kernel("  add.u32 %r3, %r1, %r2; tb.gridsync; add.u32 %r3, %r3, 1;"));
  EXPECT_EQ(refusal(good), "");
  for (std::uint32_t r = 0; r < good.registers; ++r) {
    isa::Program wrong = good;
    if (!wrong.sync.sites[0].registers[r]) continue;
    wrong.sync.sites[0].registers.reset(r);
    EXPECT_THAT(refusal(wrong), HasSubstr("wrong site of synchronisation: site 0 leaves out R" + std::to_string(r)));
  }
}

TEST(SitesOfTheLoader, AMaskWithoutALivePredicateIsRefused) {
  isa::Program wrong = compiled(kernel("  setp.lt.u32 %p1, %r2, 3; tb.gridsync;\n  @%p1 mov.u32 %r3, 5;"));
  wrong.sync.sites[0].predicates = false;
  EXPECT_THAT(refusal(wrong), HasSubstr("site 0 leaves out P0, which record "));
}

TEST(SitesOfTheLoader, TheSeventeenthSiteMayLeaveNothingOut) {
  std::string text;
  for (unsigned i = 0; i <= isa::kMostSites; ++i) text += "  tb.gridsync; add.u32 %r3, %r3, %r2;\n";
  const isa::Program good = compiled(kernel(text));
  SyncSite smaller = good.sync.sites[isa::kMostSites - 1];
  smaller.record = good.sync.sites[isa::kMostSites].record;
  isa::Program wrong = good;
  wrong.sync.sites[isa::kMostSites] = smaller;
  EXPECT_THAT(refusal(wrong), HasSubstr("; only the first 16 sites may leave out registers"));
}

TEST(SitesOfTheLoader, AListThatDoesNotFitTheRecordsIsRefused) {
  const isa::Program good = compiled(kernel("  tb.gridsync; add.u32 %r3, %r3, 1; tb.gridsync;"));
  isa::Program wrong = good;
  wrong.sync.sites.pop_back();
  EXPECT_THAT(refusal(wrong), HasSubstr("but it is not site 1"));
  wrong = good;
  std::swap(wrong.sync.sites[0], wrong.sync.sites[1]);
  EXPECT_THAT(refusal(wrong), HasSubstr("but it is not site 0"));
  wrong = good;
  wrong.sync.sites.push_back(good.sync.sites[1]);
  EXPECT_THAT(refusal(wrong), HasSubstr("site 2 is no place where a thread block sleeps"));
  wrong = good;
  wrong.sync.ops |= isa::sync_bit(isa::SyncOp::kWait);
  EXPECT_THAT(refusal(wrong), HasSubstr("the operations of the program are not those of its records"));
  wrong = good;
  wrong.sync.sites[0].registers.set(200);
  EXPECT_THAT(refusal(wrong), HasSubstr("site 0 names registers that the kernel does not have"));
  wrong = good;
  wrong.sync.sites[1].predicates = true;
  EXPECT_EQ(refusal(wrong), "") << "more than is needed may be kept";
}

std::string structured(std::uint64_t seed) {
  StructuredKernel::Options options;
  options.sync = true;
  return StructuredKernel(seed, options).text();
}

constexpr unsigned kPrograms = unless_sanitized(300U, 60U);

// Both analyses agree: the check refuses to leave out any register that the pass keeps.
TEST(RandomSites, AreTheLeastThatTheLoaderTakes) {
  unsigned sites = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    isa::Program program = *compile(ptx::parse(structured(seed), "random.ptx"), "k", {});
    ASSERT_FALSE(isa::find_wrong_site(program)) << "seed " << seed << ": " << isa::find_wrong_site(program)->what;
    for (std::size_t i = 0; i < std::min(program.sync.sites.size(), isa::kMostSites); ++i) {
      SyncSite& site = program.sync.sites[i];
      const SyncSite good = site;
      ++sites;
      for (std::uint32_t r = 0; r < program.registers; ++r) {
        if (!good.registers[r]) continue;
        site.registers.reset(r);
        ASSERT_TRUE(isa::find_wrong_site(program)) << "seed " << seed << ", site " << i << ", R" << r;
        site = good;
      }
      if (!good.predicates) continue;
      site.predicates = false;
      ASSERT_TRUE(isa::find_wrong_site(program)) << "seed " << seed << ", site " << i << ", predicates";
      site = good;
    }
  }
  EXPECT_GT(sites, 2 * kPrograms);
}

/// Runs one thread block of a program on the interpreter alone, which accepts programs that the loader refuses.
class Alone {
 public:
  Alone() {
    for (std::uint32_t i = 0; i < 256; ++i) word(in_, i) = i * 37 % 100;
  }

  /// Returns the words that the threads store, or the message of a fault. `live`: dead registers lose their values at
  /// every site.
  std::string run(const std::shared_ptr<const isa::Program>& program, bool live) {
    std::memset(store_.host(out_), 0, 4 * kThreads);
    std::memcpy(store_.host(parameters_), &out_, 8);
    std::memcpy(store_.host(parameters_) + 8, &in_, 8);
    word(parameters_, 4) = 3;
    gpu::LoadedProgram loaded(program, 32, 0);
    gpu::Launch launch;
    launch.program = program.get();
    launch.constants = loaded.constants();
    launch.grid = {1, 1, 1};
    launch.block = {16, 4, 1};
    launch.shared_bytes = program->shared_bytes;
    launch.parameters = parameters_;
    block_.start(launch, {0, 0, 0}, 32, 0, 1, 2);
    interpreter_.check_live(live);
    gpu::functional::Counters counters;
    while (!block_.done()) {
      for (gpu::functional::Warp& warp : block_.warps()) {
        if (warp.state != gpu::functional::WarpState::kReady) continue;
        if (const auto fault = interpreter_.run(block_, warp, 100'000, 0, counters)) return fault->message;
      }
      if (block_.sleeps()) block_.wake();
      if (counters.warp_instructions > 5'000'000) return "does not end";
    }
    return {reinterpret_cast<const char*>(store_.host(out_)), 4 * kThreads};
  }

 private:
  static constexpr std::size_t kThreads = 64;

  std::uint32_t& word(std::uint64_t address, std::size_t index) {
    return reinterpret_cast<std::uint32_t*>(store_.host(address))[index];
  }

  gpu::Store& store_ = device().store();
  std::uint64_t in_ = *store_.allocate(4 * 256, gpu::AllocationKind::kHeap);
  std::uint64_t out_ = *store_.allocate(4 * kThreads, gpu::AllocationKind::kHeap);
  std::uint64_t parameters_ = *store_.allocate(64, gpu::AllocationKind::kParameters);
  gpu::functional::Interpreter interpreter_{{&store_, nullptr}};
  gpu::functional::ThreadBlock block_;
};

TEST(RandomSites, NothingThatIsLeftOutIsNeeded) {
  Alone alone;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const auto program = compile(ptx::parse(structured(seed), "random.ptx"), "k", {});
    const std::string right = alone.run(program, false);
    ASSERT_EQ(right.size(), 256U) << right;
    ASSERT_EQ(alone.run(program, true), right) << "seed " << seed;
  }
}

// A site that leaves out one register too many changes a program's results, unless no thread takes a path to the
// reader, or the lost value does not matter there.
TEST(RandomSites, ARegisterTooFewGivesWrongResults) {
  Alone alone;
  unsigned wrong = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms / 4; ++seed) {
    const auto program = std::make_shared<isa::Program>(*compile(ptx::parse(structured(seed), "random.ptx"), "k", {}));
    const std::string right = alone.run(program, false);
    for (std::size_t i = 0; i < std::min(program->sync.sites.size(), isa::kMostSites); ++i) {
      SyncSite& site = program->sync.sites[i];
      const SyncSite good = site;
      for (std::uint32_t r = 0; r < program->registers; ++r) {
        if (!good.registers[r]) continue;
        site.registers.reset(r);
        ++tried;
        wrong += alone.run(program, true) != right ? 1 : 0;
        site = good;
      }
    }
  }
  EXPECT_GT(tried, kPrograms);
  EXPECT_GT(wrong, tried / 2) << wrong << " of " << tried;
  RecordProperty("tried", static_cast<int>(tried));
  RecordProperty("wrong", static_cast<int>(wrong));
}

}  // namespace
}  // namespace castor::compiler::test::compiler_sites_test

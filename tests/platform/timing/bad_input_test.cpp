// Tests of the timing GPU's response to wrong launches and to illegal operations of device code (docs/gpu/faults.md,
// "Bad input").

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "castor/base/error.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::bad_input_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kMachine = "tiny";

/// A kernel in which one thread, block 1 thread 5, executes `wrong`; line 10 of the text.
std::string one_thread(const std::string& wrong, const std::string& before = {}) {
  return before +
         "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r0, 5; setp.ne.or.u32 %p1, %r1, 1, %p0;\n"
         "@!%p1 " +
         wrong + "\nret;";
}

struct Wrong {
  const char* name;
  const char* instruction;
  FaultKind kind;
  const char* says;  ///< regular expression
  const char* declarations = "";
  const char* before = "";
};

class WrongAccess : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongAccess, StopsItsKernelWithAllThatIsKnownAndOthersGoOn) {
  const Wrong& wrong = GetParam();
  Rig rig(kMachine);
  Store& store = rig.device->store();
  const std::uint64_t data = rig.buffer(64);
  const std::uint64_t freed = rig.buffer(16);
  const std::uint64_t constant = store.allocate(32, AllocationKind::kConstant, "table").value();
  store.set_read_only(constant, true);
  store.free(freed);
  const std::uint64_t out = rig.buffer(4);
  // Another kernel, in another queue, that runs for a long time.
  const ProgramHandle other = rig.load(R"(
  mov.u32 %r0, 0;
LOOP:
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p0, %r0, 500;
  @%p0 bra LOOP;
  st.global.u32 [%rd0], %r0;
  ret;
)",
                                       1);
  const Ticket alive = rig.submit(other, {1}, {32}, {out}, 0, 1);
  const ProgramHandle kernel = rig.load(one_thread(wrong.instruction, wrong.before), 3, wrong.declarations);
  const Ticket ticket = rig.submit(kernel, {3}, {8}, {data, freed, constant});
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kFault);
  ASSERT_TRUE(rig.device->fault());
  const Fault fault = *rig.device->fault();
  EXPECT_EQ(fault.kind, wrong.kind);
  EXPECT_THAT(fault.message, ContainsRegex(wrong.says));
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.block.x, 1U);
  EXPECT_EQ(fault.thread.x, 5U);
  EXPECT_NE(fault.line, 0U);
  EXPECT_THAT(fault.message,
              HasSubstr("in kernel 'k' (micro.ptx:" + std::to_string(fault.line) + "), block (1,0,0), thread (5,0,0)"));
  // The fault stays; both kernels end.
  EXPECT_EQ(rig.device->advance_until(alive), Outcome::kDone);
  EXPECT_EQ(rig.get<std::uint32_t>(out), 500U);
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kDone);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->message, fault.message);
  rig.device->reset();
  EXPECT_FALSE(rig.device->fault());
  EXPECT_TRUE(rig.device->gpu().idle());
  rig.set<std::uint32_t>(out, 0);
  EXPECT_NO_THROW(rig.run(other, {1}, {32}, {out}));
  EXPECT_EQ(rig.get<std::uint32_t>(out), 500U);
}

constexpr FaultKind kIllegal = FaultKind::kIllegalAddress;

INSTANTIATE_TEST_SUITE_P(
    BadInput, WrongAccess,
    ::testing::Values(
        Wrong{"null", "ld.global.u32 %r2, [0];", kIllegal, "load of 4 bytes at global address 0x0: a null pointer"},
        Wrong{"behind", "ld.global.u32 %r2, [%rd0+64];", kIllegal,
              "load of 4 bytes at global address 0x[0-9a-f]+: 0 bytes behind the end of a 64-byte heap allocation"},
        Wrong{"freed", "st.global.u32 [%rd1], %r0;", kIllegal,
              "store of 4 bytes at global address 0x[0-9a-f]+: inside a freed 16-byte heap allocation"},
        Wrong{"misaligned", "atom.global.add.u32 %r2, [%rd0+2], 1;", FaultKind::kMisalignedAddress,
              "atomic of 4 bytes at global address 0x[0-9a-f]+: not a multiple of 4"},
        Wrong{"read_only", "st.global.u32 [%rd2], %r0;", kIllegal,
              "store of 4 bytes at global address 0x[0-9a-f]+: read-only memory"},
        Wrong{"shared", "st.shared.u32 [%r3+64], %r0;", kIllegal,
              "store of 4 bytes at shared address 0x40: outside the block's 64 bytes of shared memory",
              ".shared .align 4 .b8 window[64];", "mov.u32 %r3, window;\n"},
        Wrong{"local", "ld.local.u32 %r2, [%rd9+8];", kIllegal,
              "load of 4 bytes at local address 0x8: outside the thread's 8 bytes of local memory", "",
              ".local .align 4 .b8 mine[8];\nmov.u64 %rd9, mine;\nst.local.u32 [%rd9], %r0;\n"},
        Wrong{"trap", "trap;", FaultKind::kTrap, "trap instruction"}),
    [](const auto& info) { return std::string(info.param.name); });

// The same values, counts and faults as on the functional machine (gpu_functional_device_test).
TEST(OutsideReads, AreCountedPerKernelAndGiveZero) {
  for (const std::string more : {"l1.caches_global=1", "l1.caches_global=0"}) {
    const auto found = in_child([&] {
      Rig rig(kMachine, {"memory.check=page", more});
      const std::uint64_t in = rig.buffer(144);
      rig.buffer(1);
      const std::uint64_t out = rig.buffer(160);
      for (unsigned i = 0; i < 36; ++i) rig.set<std::uint32_t>(in + 4 * i, 5);
      const ProgramHandle kernel = rig.load(
          "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n"
          "ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 1; st.global.u32 [%rd2+1024], %r1; ret;",
          1);
      std::vector<std::uint64_t> result = {in, out};
      for (std::size_t run = 0; run < 2; ++run) {
        rig.run(kernel, {1}, {40}, {in});
        for (const auto& [name, value] : rig.device->kernels()[run].counts)
          if (name == "outside_reads") result.push_back(value);
        result.push_back(rig.get<std::uint32_t>(out + 35 * 4));
        result.push_back(rig.get<std::uint32_t>(out + 36 * 4));
      }
      return result;
    });
    const std::uint64_t base = Store::kBase;
    EXPECT_EQ(found, (std::vector<std::uint64_t>{base, base + 1024, 4, 6, 1, 4, 6, 1})) << more;
  }
}

TEST(OutsideReads, StoresStayFaultsWithPageAndAreDoneWithOff) {
  for (const bool off : {false, true}) {
    const auto found = in_child([&] {
      Rig rig(kMachine, {off ? "memory.check=off" : "memory.check=page"});
      const std::uint64_t out = rig.buffer(100);
      const ProgramHandle kernel = rig.load(
          "mov.u32 %r0, 7; st.global.u32 [%rd0+100], %r0; ld.volatile.global.u32 %r1, [%rd0+100];\n"
          "st.global.u32 [%rd0], %r1; prefetch.global.L1 [%rd0+200]; ret;",
          1);
      const Outcome outcome = rig.device->advance_until(rig.submit(kernel, {1}, {1}, {out}));
      std::uint64_t counted = 0;
      for (const auto& kernel_statistics : rig.device->kernels())
        for (const auto& [name, value] : kernel_statistics.counts) counted += name == "outside_reads" ? value : 0;
      return std::vector<std::uint64_t>{static_cast<std::uint64_t>(outcome), rig.get<std::uint32_t>(out), counted};
    });
    const auto outcome = static_cast<std::uint64_t>(off ? Outcome::kDone : Outcome::kFault);
    EXPECT_EQ(found, (std::vector<std::uint64_t>{outcome, off ? 7U : 0U, 0}));
  }
}

TEST(WrongLaunch, IsRefusedBeforeAnythingHappens) {
  Rig rig(kMachine);
  const ProgramHandle kernel = rig.load("ret;", 1);
  const unsigned most = rig.machine().sm.max_tb_threads;
  struct {
    Dim3 grid, block;
    std::uint32_t shared;
    std::vector<std::uint64_t> parameters;
    std::string says;
  } const cases[] = {
      {{0, 1, 1}, {32}, 0, {0}, "launch of k"},
      {{1, 0, 1}, {32}, 0, {0}, "launch of k"},
      {{1}, {1, 1, 0}, 0, {0}, "launch of k"},
      {{1}, {most + 1}, 0, {0}, std::to_string(most + 1) + " threads"},
      {{1}, {1, 1, 65}, 0, {0}, "launch of k"},
      {{1, 65536}, {1}, 0, {0}, "launch of k"},
      {{1}, {32}, rig.machine().sm.max_tb_smem + 1, {0}, "bytes"},
      {{1}, {32}, 0, {0, 0}, "16 bytes"},
  };
  const std::uint64_t used = rig.device->store().used();
  for (const auto& wrong : cases) {
    SCOPED_TRACE(wrong.says);
    try {
      (void)rig.submit(kernel, wrong.grid, wrong.block, wrong.parameters, wrong.shared);
      FAIL() << "accepted";
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(wrong.says));
    }
  }
  EXPECT_TRUE(rig.device->gpu().idle());
  EXPECT_EQ(rig.device->store().used(), used);
  EXPECT_FALSE(rig.device->fault());
  EXPECT_NO_THROW(rig.run(kernel, {1}, {32}, {0}));
}

TEST(WrongBarrier, StopsItsKernel) {
  Rig rig(kMachine);
  const struct {
    const char* body;
    const char* says;
  } cases[] = {
      {"mov.u32 %r1, 16;\nbar.sync %r1;\nret;", "barrier 16 does not exist"},
      {"mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 3;\n@%p0 bra OTHER;\nbar.sync 0;\nbra END;\nOTHER:\nmov.u32 %r0, "
       "5;\n"
       "END:\nst.global.u32 [%rd0], %r0;\nret;",
       "barrier 0 reached by some threads of a warp only"},
  };
  for (const auto& wrong : cases) {
    const ProgramHandle kernel = rig.load(wrong.body, 1);
    EXPECT_EQ(rig.device->advance_until(rig.submit(kernel, {1}, {32}, {rig.buffer(4)})), Outcome::kFault);
    ASSERT_TRUE(rig.device->fault());
    EXPECT_EQ(rig.device->fault()->kind, FaultKind::kBarrier);
    EXPECT_THAT(rig.device->fault()->message, HasSubstr(wrong.says));
    rig.device->reset();
  }
}

}  // namespace
}  // namespace castor::gpu::timing_test::bad_input_test

// Barriers of a grid: their workspaces, which programs have one, and the functional machine's rules for such kernels.

#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/grid_workspaces.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_grid_barrier_test {
namespace {

using test::Parameters;
using test::Rig;
using ::testing::Each;
using ::testing::HasSubstr;

// --- Workspaces -----------------------------------------------------------------------------------------------------

Store::Options small() { return {std::uint64_t{1} << 20, true, false}; }

TEST(GridWorkspaces, AreZeroAndApartAtTheEndOfMemory) {
  Store store(small());
  GridWorkspaces workspaces(store);
  EXPECT_EQ(store.used(AllocationKind::kGridBarriers), 0U);
  std::vector<std::uint64_t> taken;
  for (unsigned i = 0; i < 40; ++i) {
    const auto address = workspaces.take();
    ASSERT_TRUE(address.has_value());
    for (const std::uint64_t other : taken) {
      EXPECT_GE(std::max(*address, other) - std::min(*address, other), GridWorkspaces::kBytes);
    }
    EXPECT_EQ(*address % GridWorkspaces::kBytes, 0U);
    EXPECT_TRUE(store.contains(*address, GridWorkspaces::kBytes));
    EXPECT_GT(*address, Store::kBase + store.capacity() - 4096);
    for (unsigned byte = 0; byte < GridWorkspaces::kBytes; ++byte) EXPECT_EQ(store.host(*address)[byte], std::byte{0});
    std::memset(store.host(*address), 0xff, GridWorkspaces::kBytes);
    taken.push_back(*address);
  }
  EXPECT_EQ(store.used(AllocationKind::kGridBarriers), 3 * 256U);
  // A returned workspace is zero again. A reset of the device keeps the pages.
  workspaces.give_back(taken[3]);
  store.clear();
  EXPECT_EQ(workspaces.take(), taken[3]);
  EXPECT_EQ(store.host(taken[3])[0], std::byte{0});
  EXPECT_EQ(store.host(taken[4])[0], std::byte{0xff});
}

TEST(GridWorkspaces, EndWithTheMemory) {
  Store store(small());
  GridWorkspaces workspaces(store);
  ASSERT_TRUE(store.allocate(store.capacity() - 256, AllocationKind::kHeap).has_value());
  EXPECT_EQ(workspaces.take(), std::nullopt);
}

TEST(GridWorkspaces, SayWhoHasArrived) {
  Store store(small());
  GridWorkspaces workspaces(store);
  const std::uint64_t address = *workspaces.take();
  for (const std::uint32_t tbs : {1U, 2U, 5U, 480U}) {
    std::uint32_t word = 0;
    for (unsigned phase = 0; phase < 3; ++phase) {
      // Block 0 is the `first`-th to arrive.
      for (const std::uint32_t first : {0U, tbs / 2, tbs - 1}) {
        std::uint32_t now = word;
        for (std::uint32_t arrived = 0; arrived < tbs; ++arrived) {
          std::memcpy(store.host(address), &now, sizeof now);
          const GridBarrierState state = grid_barrier_state(store, address, tbs);
          EXPECT_EQ(state.arrived, arrived);
          EXPECT_EQ(state.first, arrived > first);
          now += arrived == first ? 0x80000000U - (tbs - 1) : 1;
        }
        EXPECT_EQ(now, word ^ 0x80000000U);
      }
      word ^= 0x80000000U;
    }
  }
}

// --- Programs -------------------------------------------------------------------------------------------------------

const char* const kAddress = "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};";
// Blocks of one thread arrive at a grid barrier. %r3 is the number of the block.
const std::string kMeet = std::string(kAddress) + R"(
  mov.u32 %r4, %nctaid.x; sub.u32 %r5, 0x80000001, %r4; setp.eq.u32 %p0, %r3, 0; selp.u32 %r5, %r5, 1, %p0;
  atom.global.add.u32 %r6, [%rd1], %r5;
again: ld.volatile.global.u32 %r7, [%rd1]; xor.b32 %r7, %r7, %r6; and.b32 %r7, %r7, 0x80000000;
  setp.eq.u32 %p1, %r7, 0; @%p1 bra again;
)";

TEST(GridBarrier, IsAPropertyOfALinkedKernel) {
  Rig rig;
  const auto reaches = [&](const std::string& text) { return rig.device.program(rig.load(text)).reach.grid_barrier; };
  const std::string registers = "{ .reg .u32 %r<8>; ";
  const std::string function =
      ".func meet () " + registers + "mov.u32 %r0, %envreg2; st.local.u32 [%r0], %r0; ret; }\n";
  const std::string flag = registers + "mov.u32 %r0, %envreg0; st.local.u32 [%r0], %r0; ret; }\n";
  EXPECT_TRUE(reaches(".entry k () " + registers + "mov.u32 %r0, %envreg1; st.local.u32 [%r0], %r0; ret; }"));
  EXPECT_TRUE(reaches(function + ".entry k () { call meet; ret; }"));
  EXPECT_TRUE(reaches(function + ".func between () { call meet; ret; }\n.entry k () { call between; ret; }"));
  EXPECT_FALSE(reaches(function + ".entry k () { ret; }")) << "the function is not called";
  EXPECT_FALSE(reaches(".entry k () " + flag)) << "whether the launch is cooperative";
}

// --- The functional machine -----------------------------------------------------------------------------------------

std::uint32_t most(Rig& rig) { return 16 * rig.device.machine().chip.sms; }  // blocks of a warp on `tiny`

TEST(GridBarrier, AllBlocksOfTheMachineMeet) {
  Rig rig;
  const std::uint32_t blocks = most(rig);
  const std::uint64_t out = rig.buffer(8 * blocks);
  // out[b] = b + 1; then out[n + b] = out[n - 1 - b].
  const ProgramHandle program = rig.load_body(R"(
    mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd0, %rd2;
    add.u32 %r8, %r3, 1; st.global.u32 [%rd2], %r8;)" +
                                              kMeet + R"(
    sub.u32 %r9, %r4, 1; sub.u32 %r9, %r9, %r3; mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %rd0, %rd3;
    ld.global.u32 %r8, [%rd3]; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd2, %rd2, %rd4; st.global.u32 [%rd2], %r8; ret;)");
  for (unsigned times = 0; times < 2; ++times) {
    const Ticket ticket = rig.launch(program, {blocks, 1, 1}, {1, 1, 1}, Parameters().add(out));
    ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
    const auto values = rig.values<std::uint32_t>(out, 2 * blocks);
    for (std::uint32_t b = 0; b < blocks; ++b) EXPECT_EQ(values[blocks + b], blocks - b) << b;
  }
  EXPECT_THROW(rig.launch(program, {blocks + 1, 1, 1}, {1, 1, 1}, Parameters().add(out)), base::InputError);
}

TEST(GridBarrier, AKernelStartsWhenAllItsBlocksFit) {
  Rig rig;
  const std::uint32_t blocks = most(rig);
  const std::uint64_t out = rig.buffer(4 * (blocks + 1));
  // out[0] counts the blocks of the first kernel that have ended.
  const ProgramHandle slow = rig.load_body(R"(
    mov.u32 %r0, 0;
count: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 200000; @%p0 bra count;
    atom.global.add.u32 %r1, [%rd0], 1; ret;)");
  // out[1 + b] is out[0] as read by block b.
  const ProgramHandle meets = rig.load_body(R"(
    mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd0, %rd2;
    ld.volatile.global.u32 %r8, [%rd0]; st.global.u32 [%rd2+4], %r8;)" +
                                            kMeet + "ret;");
  rig.launch(slow, {3, 1, 1}, {1, 1, 1}, Parameters().add(out), 0);
  const Ticket ticket = rig.launch(meets, {blocks - 2, 1, 1}, {1, 1, 1}, Parameters().add(out), 1);
  ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  const auto found = rig.values<std::uint32_t>(out + 4, blocks - 2);
  EXPECT_THAT(found, Each(testing::Ge(1U)));
}

TEST(GridBarrier, ABlockThatStaysAwayIsNamed) {
  Rig rig(test::machine({"watchdog.cycles=1000", "run.max_instructions=100000000"}));
  const ProgramHandle program = rig.load_body(R"(
    mov.u32 %r3, %ctaid.x; setp.eq.u32 %p2, %r3, 5; @%p2 exit;)" +
                                                  kMeet + "ret;",
                                              "waits");
  const Ticket ticket = rig.launch(program, {7, 1, 1}, {1, 1, 1}, Parameters().add(rig.buffer(4)));
  ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDeadlock);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kSpinDeadlock);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("of grid barrier 'barriers of grids')"));
  EXPECT_THAT(rig.device.fault()->message,
              HasSubstr("  grid barrier of kernel waits: 6 of 7 blocks have arrived; not waiting there: (5,0,0)\n"));
  rig.device.reset();
  // The workspace is free again, and zero.
  EXPECT_EQ(rig.device.advance_until(rig.launch(program, {5, 1, 1}, {1, 1, 1}, Parameters().add(rig.buffer(4)))),
            Outcome::kDone);
}

}  // namespace
}  // namespace castor::gpu::gpu_grid_barrier_test

// Identity of threads: CUDA's order of x, y, z over warps and lanes.

#include <gtest/gtest.h>

#include "castor/gpu/functional/thread_block.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_thread_block_test {
namespace {

// Writes, per thread: tid.x + 100 tid.y + 10000 tid.z, warp * 64 + lane, ctaid packed likewise.
const char* const kWhoAmI = R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
  mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
  mad.lo.u32 %r6, %r2, %r4, %r1;
  mad.lo.u32 %r6, %r6, %r3, %r0;
  mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y;
  mad.lo.u32 %r12, %r9, %r11, %r8;
  mad.lo.u32 %r12, %r12, %r10, %r7;
  mul.lo.u32 %r13, %r3, %r4;
  mul.lo.u32 %r13, %r13, %r5;
  mad.lo.u32 %r6, %r12, %r13, %r6;
  mul.wide.u32 %rd1, %r6, 12;
  add.s64 %rd1, %rd0, %rd1;
  mad.lo.u32 %r14, %r1, 100, %r0;
  mad.lo.u32 %r14, %r2, 10000, %r14;
  st.global.u32 [%rd1], %r14;
  mov.u32 %r15, %laneid; mov.u32 %r16, %warpid;
  mad.lo.u32 %r15, %r16, 64, %r15;
  st.global.u32 [%rd1+4], %r15;
  mad.lo.u32 %r17, %r8, 100, %r7;
  mad.lo.u32 %r17, %r9, 10000, %r17;
  st.global.u32 [%rd1+8], %r17;
  ret;)";

// Threads are numbered x fastest, then y, then z; 32 consecutive ones are a CUDA warp, on 64 lanes too.
void check_identities(test::Rig& rig, Dim3 grid, Dim3 block) {
  const ProgramHandle program = rig.load_body(kWhoAmI);
  const std::uint64_t threads = block.count();
  const std::uint64_t out = rig.buffer(grid.count() * threads * 12);
  const Ticket ticket = rig.launch(program, grid, block, test::Parameters().add(out));
  ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  const auto got = rig.values<std::uint32_t>(out, grid.count() * threads * 3);
  for (std::uint64_t b = 0; b < grid.count(); ++b) {
    for (std::uint64_t t = 0; t < threads; ++t) {
      const std::uint32_t* const row = &got[(b * threads + t) * 3];
      const auto x = t % block.x, y = t / block.x % block.y, z = t / block.x / block.y;
      ASSERT_EQ(row[0], x + 100 * y + 10000 * z) << "thread " << t;
      ASSERT_EQ(row[1], t / 32 * 64 + t % 32) << "thread " << t;
      const auto bx = b % grid.x, by = b / grid.x % grid.y, bz = b / grid.x / grid.y;
      ASSERT_EQ(row[2], bx + 100 * by + 10000 * bz) << "block " << b;
    }
  }
}

TEST(ThreadBlock, NumbersThreadsAsCudaDoes) {
  test::Rig rig;
  for (const Dim3 block :
       {Dim3{1, 1, 1}, {32, 1, 1}, {33, 1, 1}, {8, 8, 8}, {5, 3, 7}, {1, 64, 2}, {31, 2, 1}, {1, 1, 64}, {512, 1, 1}}) {
    check_identities(rig, {1, 1, 1}, block);
  }
}

TEST(ThreadBlock, NumbersBlocksAsCudaDoes) {
  test::Rig rig;
  check_identities(rig, {7, 1, 1}, {4, 1, 1});
  check_identities(rig, {3, 4, 5}, {9, 2, 2});
  check_identities(rig, {1, 1, 50}, {1, 1, 1});
}

TEST(ThreadBlock, SixtyFourLanesHoldTwoCudaWarps) {
  test::Rig rig(test::machine({"memory.bytes=256MiB"}, "gcn_apu"));
  for (const Dim3 block : {Dim3{1, 1, 1}, {32, 1, 1}, {64, 1, 1}, {65, 1, 1}, {16, 8, 3}, {1024, 1, 1}}) {
    check_identities(rig, {2, 1, 1}, block);
  }
}

TEST(AlignedBytes, AreZeroAndAlignedAgainAndAgain) {
  functional::AlignedBytes bytes;
  for (const std::size_t size : {100U, 10U, 5000U, 64U, 0U}) {
    bytes.assign_zero(size);
    if (size != 0) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
    }
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(bytes.data()[i], std::byte{0});
      bytes.data()[i] = std::byte{0xff};
    }
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_thread_block_test

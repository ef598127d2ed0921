// The limit study of the functional machine (docs/marks.md, "Limit study") on kernels of which every instruction was
// classified by hand.

#include <algorithm>
#include <map>

#include "unit/compiler_support.h"

namespace castor::compiler::test {
namespace {

/// Returns the process's only device, which counts redundant instructions.
gpu::functional::FunctionalDevice& counting_device() {
  static gpu::functional::FunctionalDevice device(
      platforms::load_machine("pascal_titanx_study", {"check.redundancy=1"}).machine, {});
  return device;
}

using Counts = std::map<std::string, std::uint64_t>;

/// Runs kernel k(data, out) on words of which no four in a row have equal steps.
Counts study(const std::string& body, gpu::Dim3 block, unsigned blocks) {
  gpu::Device& gpu = counting_device();
  gpu.reset();
  const auto program = compile(module_of(R"(
.visible .entry k(.param .u64 data, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [out];
)" + body + "  ret;\n}\n"),
                               "k", {});
  const std::uint64_t data = *gpu.store().allocate(4096, gpu::AllocationKind::kHeap);
  auto* const words = reinterpret_cast<std::uint32_t*>(gpu.store().host(data));
  for (std::uint32_t i = 0; i < 512; ++i) words[i] = i * i * 7;
  gpu::KernelPacket packet;
  packet.program = gpu.load(program);
  packet.block = block;
  packet.grid.x = blocks;
  packet.parameters.resize(16);
  const std::uint64_t out = data + 2048;
  std::memcpy(packet.parameters.data(), &data, 8);
  std::memcpy(packet.parameters.data() + 8, &out, 8);
  (void)gpu.advance_until(gpu.submit(0, packet));
  EXPECT_FALSE(gpu.fault().has_value()) << gpu.fault()->message;
  Counts counts;
  for (const auto& [name, value] : counting_device().kernels().back().counts) {
    const std::string word(name), prefix = "redundancy_";
    if (word.rfind(prefix, 0) == 0) counts[word.substr(prefix.size())] = value;
  }
  gpu.store().free(data);
  return counts;
}

// The worked example of Yeh 2020, figure 4.2, with 32 lanes: R1 = 4 tid.x, R2 = R1 + 8 (an address), R3 = MEM[R2], and
// what is computed from R3. Two records before it load the parameters.
constexpr const char* kExample = R"(
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  cvt.u64.u32 %rd3, %r1;
  add.u64 %rd3, %rd1, %rd3;
  ld.global.u32 %r3, [%rd3+8];
  add.u32 %r4, %r3, 1;
  st.global.u32 [%rd2], %r4;
)";

TEST(LimitStudy, WorkedExampleInBlocksOfTwoDimensions) {
  Counts counts = study(kExample, {32, 2, 1}, 1);
  EXPECT_EQ(counts["instructions"], 10U * 2);
  EXPECT_EQ(counts["uniform"], 2U * 2) << "parameters";
  EXPECT_EQ(counts["affine"], 5U * 2) << "what is computed from tid.x, and the load through it";
  EXPECT_EQ(counts["unstructured"], 1U * 2) << "what is computed from the loaded row";
  EXPECT_EQ(counts["block"], 8U * 2);
  EXPECT_EQ(counts["removable"], 8U);
  EXPECT_EQ(counts["warp"], 2U * 2) << "parameters alone are one value in all lanes";
  EXPECT_EQ(counts["all_load_global"], 2U);
  EXPECT_EQ(counts["block_load_global"], 2U);
  EXPECT_EQ(counts["all_lane"], 5U * 2);
  EXPECT_EQ(counts["block_lane"], 5U * 2);
}

TEST(LimitStudy, WorkedExampleInBlocksOfOneDimension) {
  Counts counts = study(kExample, {64, 1, 1}, 1);
  EXPECT_EQ(counts["instructions"], 10U * 2);
  EXPECT_EQ(counts["block"], 2U * 2) << "tid.x differs from warp to warp";
  EXPECT_EQ(counts["uniform"], 2U * 2);
  EXPECT_EQ(counts["removable"], 2U);
  EXPECT_EQ(counts["block_load_global"], 0U);
}

TEST(LimitStudy, WithoutFullWarpsNothingIsRedundantInABlock) {
  Counts counts = study(kExample, {16, 3, 1}, 1);
  EXPECT_EQ(counts["instructions"], 10U * 2);
  EXPECT_EQ(counts["block"], 0U) << "the second warp has 16 threads";
  EXPECT_EQ(counts["warp"], 2U) << "parameters, in the full warp";
}

TEST(LimitStudy, GridsShareWhatDoesNotDependOnTheBlock) {
  const char* const body = R"(
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  add.u32 %r2, %r0, %r1;
  mov.u32 %r3, %tid.y;
)";
  Counts counts = study(body, {32, 2, 1}, 3);
  EXPECT_EQ(counts["instructions"], 7U * 2 * 3);
  EXPECT_EQ(counts["uniform"], 3U * 2 * 3) << "parameters, block index";
  EXPECT_EQ(counts["affine"], 2U * 2 * 3) << "tid.x, and its sum with the block index";
  EXPECT_EQ(counts["grid"], 3U * 2 * 3) << "parameters and tid.x";
  EXPECT_EQ(counts["warp"], 4U * 2 * 3) << "parameters, block index, tid.y";
}

TEST(LimitStudy, DivergedInstructionsAreNotRedundant) {
  const char* const body = R"(
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bra ELSE;
  add.u32 %r1, %r0, 1;
  bra.uni END;
ELSE:
  add.u32 %r1, %r0, 2;
END:
  add.u32 %r2, %r1, 3;
)";
  Counts counts = study(body, {32, 2, 1}, 1);
  // The redundant instructions: two parameters, tid.x, the comparison, and the sum behind the branch, whose source has
  // two steps.
  EXPECT_EQ(counts["uniform"], 2U * 2);
  EXPECT_EQ(counts["affine"], 2U * 2);
  EXPECT_EQ(counts["unstructured"], 1U * 2);
}

TEST(LimitStudy, WarpsThatGoRoundALoopDifferentlyOftenShareTheRoundsThatAllHave) {
  // Warp w runs w + 1 iterations. The counter is the same in iteration k of every warp that runs it.
  const char* const body = R"(
  mov.u32 %r0, %tid.y;
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, 1;
  setp.le.u32 %p1, %r1, %r0;
  @%p1 bra LOOP;
)";
  Counts counts = study(body, {32, 3, 1}, 1);
  const std::uint64_t rounds = 1 + 2 + 3;
  EXPECT_EQ(counts["instructions"], (2U + 2 + 1) * 3 + rounds * 3);
  // Parameters, the zero and the sum of the first round; the comparison has tid.y as a source.
  EXPECT_EQ(counts["uniform"], (2U + 1 + 1) * 3);
  EXPECT_EQ(counts["block"], counts["uniform"]);
  EXPECT_EQ(counts["warp"], (2U + 1 + 1) * 3 + rounds * 2) << "and tid.y, every sum and comparison in its warp";
}

TEST(LimitStudy, LoadsThatGetDifferentBytesAndWhatWritesNothingAreNotRedundant) {
  // Both warps load one word. The second warp loads it after the first has added to it.
  const char* const body = R"(
  ld.volatile.global.u32 %r1, [%rd2];
  red.global.add.u32 [%rd2], 1;
  st.global.u32 [%rd2+4], %r1;
  membar.gl;
)";
  Counts counts = study(body, {32, 2, 1}, 1);
  EXPECT_EQ(counts["block"], 2U * 2) << "parameters";
  EXPECT_EQ(counts["all_load_global"], 2U);
  EXPECT_EQ(counts["block_load_global"], 0U);
}

TEST(LimitStudy, SharedLoadsAreCountedApart) {
  const char* const body = R"(
  .shared .align 4 .b8 tile[256];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %tid.y;
  shl.b32 %r2, %r0, 2;
  shl.b32 %r3, %r1, 2;
  mov.u32 %r4, tile;
  add.u32 %r2, %r4, %r2;
  add.u32 %r3, %r4, %r3;
  ld.shared.u32 %r5, [%r2];
  ld.shared.u32 %r6, [%r3];
)";
  Counts counts = study(body, {32, 2, 1}, 1);
  EXPECT_EQ(counts["all_load_shared"], 4U);
  EXPECT_EQ(counts["block_load_shared"], 2U) << "the load addressed by tid.x";
}

}  // namespace
}  // namespace castor::compiler::test

// Tests that a study hook of the functional machine sees every instruction and changes nothing.

#include <map>

#include "common/null_hooks.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_execution_study_test {
namespace {

/// Study that counts its calls.
struct Counting final : ExecutionStudy {
  struct Block final : BlockStudy {
    void before(unsigned warp, std::uint32_t pc, const isa::RegisterView& /*view*/, isa::LaneMask mask) override {
      ++instructions[warp];
      threads += static_cast<unsigned>(__builtin_popcountll(mask));
      last = pc;
    }
    void after(unsigned /*warp*/, std::uint32_t pc, const isa::RegisterView& /*view*/) override {
      EXPECT_EQ(pc, last);
      ++results;
    }
    std::map<unsigned, unsigned> instructions;
    unsigned threads = 0, results = 0;
    std::uint32_t last = 0;
  };

  [[nodiscard]] std::unique_ptr<BlockStudy> start(const Launch& launch, unsigned warps, unsigned lanes) override {
    EXPECT_EQ(launch.block.x, 40U);
    EXPECT_EQ(warps, 2U);
    EXPECT_EQ(lanes, 32U);
    return std::make_unique<Block>();
  }
  void end(const Launch& /*launch*/, std::uint64_t block, BlockStudy& study) override {
    blocks[block] = static_cast<const Block&>(study).instructions;
    results += static_cast<const Block&>(study).results;
    threads += static_cast<const Block&>(study).threads;
  }
  void end(const Launch& /*launch*/) override { ++launches; }

  std::map<std::uint64_t, std::map<unsigned, unsigned>> blocks;
  unsigned launches = 0, results = 0, threads = 0;
};

// ld.param, two lane operations, a store, ret.
const char* const kBody = R"(
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 5;
  st.global.u32 [%rd0], %r2;
  ret;)";

/// Runs three blocks of 40 threads. Returns the counters of the kernel.
KernelStatistics run(std::shared_ptr<ExecutionStudy> study) {
  test::Rig rig(test::machine(), {}, std::move(study));
  const Ticket ticket = rig.launch(rig.load_body(kBody), {3}, {40}, test::Parameters().add(rig.buffer(4096)));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  return rig.device.kernels().at(0);
}

TEST(ExecutionStudies, SeeEveryInstructionOfEveryBlock) {
  const auto study = std::make_shared<Counting>();
  const KernelStatistics kernel = run(study);
  const std::map<unsigned, unsigned> each{{0, 5}, {1, 5}};
  const std::map<std::uint64_t, std::map<unsigned, unsigned>> all{{0, each}, {1, each}, {2, each}};
  EXPECT_EQ(study->blocks, all);
  EXPECT_EQ(study->launches, 1U);
  EXPECT_EQ(study->results, 3U * 2 * 4) << "all but the ret";
  EXPECT_EQ(kernel.warp_instructions, 3U * 2 * 5);
  EXPECT_EQ(study->threads, kernel.thread_instructions);
}

TEST(ExecutionStudies, ChangeNothing) {
  const auto null = std::make_shared<test::NullExecutionStudy>();
  const KernelStatistics with = run(null), plain = run(nullptr);
  EXPECT_EQ(null->launches, 1U);
  EXPECT_EQ(with.warp_instructions, plain.warp_instructions);
  EXPECT_EQ(with.end, plain.end);
}

}  // namespace
}  // namespace castor::gpu::gpu_execution_study_test

// Brute force against marks (docs/marks.md, "Checking marks"): random structured kernels run on the functional machine,
// which compares what warps that took the same way compute at marked records. With the rule for joins it never finds a
// difference, and the program computes what it does without marks; without that rule it does find some.

#include <algorithm>
#include <array>
#include <cstring>

#include "castor/gpu/functional/functional_device.h"
#include "castor/isa/mark_check.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"
#include "tests/common/random_seed.h"
#include "tests/common/sanitized.h"
#include "unit/compiler_support.h"
#include "unit/structured_ptx.h"

namespace castor::compiler::test {
namespace {

using castor::test::StructuredKernel;

constexpr unsigned kMostThreads = 256;

struct Shape {
  unsigned x, y, z;
};

/// Block shapes in which tid.x repeats in every warp, and others. Some have a last warp with fewer than 32 threads.
Shape shape_of(std::uint64_t seed) {
  static constexpr std::array<Shape, 16> kShapes = {{{1, 64, 1},
                                                     {2, 80, 1},
                                                     {3, 50, 1},
                                                     {4, 32, 2},
                                                     {5, 40, 1},
                                                     {8, 20, 1},
                                                     {16, 8, 1},
                                                     {16, 16, 1},
                                                     {24, 8, 1},
                                                     {32, 1, 1},
                                                     {32, 8, 1},
                                                     {32, 1, 5},
                                                     {33, 6, 1},
                                                     {64, 4, 1},
                                                     {256, 1, 1},
                                                     {100, 1, 1}}};
  return kShapes[seed % kShapes.size()];
}

struct OracleRun {
  std::vector<std::uint32_t> words;
  std::optional<gpu::Fault> fault;
  std::uint64_t compared = 0, racy = 0;
  std::uint32_t marked = 0;
};

class Oracle {
 public:
  Oracle() {
    input_ = *device_.store().allocate(4 * 256, gpu::AllocationKind::kHeap);
    output_ = *device_.store().allocate(2 * 4 * kMostThreads, gpu::AllocationKind::kHeap);
    std::mt19937 random(1);
    auto* const words = reinterpret_cast<std::uint32_t*>(device_.store().host(input_));
    for (unsigned i = 0; i < 256; ++i) words[i] = random() % 100;
  }

  /// Runs two blocks of the kernel, compiled with a rule. `change` may edit the program.
  template <class F>
  OracleRun run(const isa::Module& module, isa::MarkRule rule, Shape shape, F change) {
    device_.reset();
    isa::LinkOptions options;
    options.marks.rule = rule;
    const auto program = std::make_shared<isa::Program>(*compile(module, "k", options));
    change(*program);
    OracleRun result;
    result.marked = static_cast<std::uint32_t>(program->marks.size()) -
                    static_cast<std::uint32_t>(std::count(program->marks.begin(), program->marks.end(), 0));
    std::memset(device_.store().host(output_), 0, 2 * 4 * kMostThreads);
    gpu::KernelPacket packet;
    packet.program = device_.load(program);
    packet.block = {shape.x, shape.y, shape.z};
    packet.parameters.resize(20);
    const std::uint32_t n = 3;
    std::memcpy(packet.parameters.data(), &output_, 8);
    std::memcpy(packet.parameters.data() + 8, &input_, 8);
    std::memcpy(packet.parameters.data() + 16, &n, 4);
    (void)device_.advance_until(device_.submit(0, std::move(packet)));
    result.fault = device_.fault();
    for (const auto& [name, value] : device_.kernels().back().counts) {
      if (name == "marks_compared") result.compared = value;
      if (name == "marks_racy_loads") result.racy = value;
    }
    result.words.resize(kMostThreads);
    std::memcpy(result.words.data(), device_.store().host(output_), 4 * kMostThreads);
    return result;
  }
  OracleRun run(const isa::Module& module, isa::MarkRule rule, Shape shape) {
    return run(module, rule, shape, [](isa::Program&) {});
  }

 private:
  static gpu::Machine machine() {
    gpu::Machine machine = platforms::load_machine("pascal_titanx_study",
                                                   {"check.marks=1", "check.live=1", "run.max_instructions=1000000000"})
                               .machine;
    machine.chip.sync.answered = isa::sync_bit(isa::SyncOp::kGridBarrier);
    return machine;
  }

  gpu::functional::FunctionalDevice device_{machine(), {}};
  std::uint64_t input_ = 0, output_ = 0;
};

/// Returns the only oracle: a process has one device.
Oracle& the_oracle() {
  static Oracle oracle;
  return oracle;
}

std::uint64_t first_seed() {
  const std::uint64_t given = random_seed_or(0);
  return given != 0 ? given * 1000 : 1;
}

isa::Module module_for(std::uint64_t seed) { return ptx::parse(StructuredKernel(seed).text(), "random.ptx"); }

constexpr unsigned kPrograms = unless_sanitized(400U, 130U);

TEST(MarkOracle, FindsNoDifferenceAndTheProgramsComputeWhatTheyDid) {
  Oracle& oracle = the_oracle();
  std::uint64_t compared = 0, marked = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kPrograms; ++seed) {
    SCOPED_TRACE("kernel of seed " + std::to_string(seed) + "; --gtest_random_seed=S starts with 1000 S");
    const isa::Module module = module_for(seed);
    for (unsigned s = 0; s < 3; ++s) {
      const Shape shape = shape_of(seed * 3 + s);
      const OracleRun with = oracle.run(module, isa::MarkRule::kSound, shape);
      ASSERT_FALSE(with.fault) << with.fault->message;
      const OracleRun without = oracle.run(module, isa::MarkRule::kOff, shape);
      ASSERT_FALSE(without.fault) << without.fault->message;
      ASSERT_EQ(with.words, without.words);
      EXPECT_EQ(with.racy, 0U);
      compared += with.compared;
      marked += with.marked;
    }
  }
  RecordProperty("compared", static_cast<int>(compared));
  EXPECT_GT(compared, 250U * kPrograms);
  EXPECT_GT(marked, 25U * kPrograms);
}

// Renamed registers keep the values that are live at synchronisation sites.
TEST(MarkOracle, KernelsWithGridBarriersLoseNothing) {
  Oracle& oracle = the_oracle();
  std::uint64_t compared = 0;
  StructuredKernel::Options options;
  options.sync = true;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kPrograms / 4; ++seed) {
    SCOPED_TRACE("kernel of seed " + std::to_string(seed));
    const isa::Module module = ptx::parse(StructuredKernel(seed, options).text(), "random.ptx");
    const Shape shape = shape_of(seed);
    const OracleRun with = oracle.run(module, isa::MarkRule::kSound, shape);
    ASSERT_FALSE(with.fault) << with.fault->message;
    const OracleRun without = oracle.run(module, isa::MarkRule::kOff, shape);
    ASSERT_FALSE(without.fault) << without.fault->message;
    ASSERT_EQ(with.words, without.words);
    compared += with.compared;
  }
  EXPECT_GT(compared, 100U * kPrograms / 4);
}

TEST(MarkOracle, FindsDifferencesWithoutTheRuleForJoins) {
  Oracle& oracle = the_oracle();
  unsigned wrong = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kPrograms; ++seed) {
    const isa::Module module = module_for(seed);
    for (unsigned s = 0; s < 3; ++s) {
      const OracleRun run = oracle.run(module, isa::MarkRule::kSource, shape_of(seed * 3 + s));
      if (!run.fault) continue;
      ASSERT_EQ(run.fault->kind, gpu::FaultKind::kWrongMark) << run.fault->message;
      ++wrong;
    }
  }
  RecordProperty("wrong", static_cast<int>(wrong));
  EXPECT_GT(wrong, kPrograms / 20);
}

// In PTX two warps may arrive at one barrier in different iterations of a loop. After the barrier, registers written in
// those iterations are not shared.
TEST(MarkOracle, BarriersOnOneSideOfABranchMayMeetInDifferentRounds) {
  const isa::Module module = module_of(R"(.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.y; mov.u32 %r2, 0;
L:
  add.u32 %r2, %r2, 1;
  add.u32 %r3, %r2, %r1; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0;
  @%p1 bra S;
  bar.sync 0;
  mul.lo.u32 %r4, %r2, 0x77777;
  st.global.u32 [%rd1], %r4;
S:
  setp.lt.u32 %p2, %r2, 4;
  @%p2 bra L;
  ret;
})");
  Oracle& oracle = the_oracle();
  const OracleRun with = oracle.run(module, isa::MarkRule::kSound, {32, 2, 1});
  EXPECT_FALSE(with.fault) << with.fault->message;
  const OracleRun without = oracle.run(module, isa::MarkRule::kSource, {32, 2, 1});
  ASSERT_TRUE(without.fault);
  EXPECT_THAT(without.fault->message, testing::HasSubstr("0x77777"));
}

TEST(MarkOracle, NamesTheRecordThatIsMarkedWrongly) {
  Oracle& oracle = the_oracle();
  const isa::Module module = module_for(1);
  std::uint32_t pc = 0;
  const OracleRun run = oracle.run(module, isa::MarkRule::kSound, {16, 16, 1}, [&](isa::Program& program) {
    // Finds the first %tid.y, or copy of it, in a renamed register.
    for (std::uint32_t i = 0; i < program.code.size() && pc == 0; ++i)
      if (program.spellings[i].find("%tid.y") != std::string::npos) pc = i;
    program.renamed_registers = std::min(program.registers, 32U);
    std::fill(program.marks.begin(), program.marks.end(), 0);
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      program.code[i].guard = isa::kNoGuard;  // no rule of the loader is broken
      if (program.code[i].kind == isa::Kind::kBranch) program.code[i].branch.target = i + 1;
    }
    program.marks[pc] = 2;
  });
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->kind, gpu::FaultKind::kWrongMark);
  EXPECT_THAT(run.fault->message, testing::HasSubstr("record " + std::to_string(pc) + " has mark DR, but warps 0 and"));
  EXPECT_THAT(run.fault->message, testing::HasSubstr("random.ptx:"));
  EXPECT_EQ(run.fault->kernel, "k");
}

// Finds promoted marks that are wrong: tid.x repeats in every warp only if x is a power of two of at most 32.
TEST(MarkOracle, CountsConditionalMarksWhereTheShapeAllows) {
  Oracle& oracle = the_oracle();
  const isa::Module module = module_of(R"(.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 4; mul.wide.u32 %rd2, %r2, 1; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  const auto change = [](isa::Program& program) {
    for (std::uint8_t& mark : program.marks)
      if (mark == 1) mark = 2;
  };
  for (const Shape shape : {Shape{16, 8, 1}, Shape{1, 64, 1}, Shape{32, 1, 5}})
    EXPECT_EQ(oracle.run(module, isa::MarkRule::kSound, shape, change).fault, std::nullopt) << shape.x;
  for (const Shape shape : {Shape{3, 50, 1}, Shape{24, 8, 1}, Shape{33, 6, 1}, Shape{64, 4, 1}}) {
    const OracleRun run = oracle.run(module, isa::MarkRule::kSound, shape, change);
    ASSERT_TRUE(run.fault) << shape.x;
    EXPECT_EQ(run.fault->kind, gpu::FaultKind::kWrongMark);
    EXPECT_EQ(oracle.run(module, isa::MarkRule::kSound, shape).fault, std::nullopt);
  }
}

}  // namespace
}  // namespace castor::compiler::test

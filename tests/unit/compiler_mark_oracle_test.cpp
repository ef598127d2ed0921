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
#include "unit/compiler_support.h"
#include "unit/structured_ptx.h"

namespace castor::compiler::test {
namespace {

using castor::test::StructuredKernel;

constexpr unsigned kMostThreads = 256;

struct Shape {
  unsigned x, y, z;
};

/// Shapes in which tid.x repeats in every warp, or does not; with and without a last warp that lacks lanes.
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

struct Run {
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

  /// Two blocks of the kernel, compiled by a rule; `change` may edit the program.
  template <class F>
  Run run(const isa::Module& module, isa::MarkRule rule, Shape shape, F change) {
    device_.reset();
    isa::LinkOptions options;
    options.marks.rule = rule;
    const auto program = std::make_shared<isa::Program>(*compile(module, "k", options));
    change(*program);
    Run result;
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
  Run run(const isa::Module& module, isa::MarkRule rule, Shape shape) {
    return run(module, rule, shape, [](isa::Program&) {});
  }

 private:
  gpu::functional::FunctionalDevice device_{
      platforms::load_machine("pascal_titanx_study", {"check.marks=1", "run.max_instructions=1000000000"}).machine, {}};
  std::uint64_t input_ = 0, output_ = 0;
};

std::uint64_t first_seed() {
  const int given = testing::UnitTest::GetInstance()->random_seed();
  return given != 0 ? static_cast<std::uint64_t>(given) * 1000 : 1;
}

isa::Module module_for(std::uint64_t seed) { return ptx::parse(StructuredKernel(seed).text(), "random.ptx"); }

constexpr unsigned kPrograms = 400;

TEST(MarkOracle, FindsNoDifferenceAndTheProgramsComputeWhatTheyDid) {
  Oracle oracle;
  std::uint64_t compared = 0, marked = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kPrograms; ++seed) {
    SCOPED_TRACE("--gtest_random_seed: kernel of seed " + std::to_string(seed));
    const isa::Module module = module_for(seed);
    for (unsigned s = 0; s < 3; ++s) {
      const Shape shape = shape_of(seed * 3 + s);
      const Run with = oracle.run(module, isa::MarkRule::kSound, shape);
      ASSERT_EQ(with.fault, std::nullopt) << with.fault->message;
      const Run without = oracle.run(module, isa::MarkRule::kOff, shape);
      ASSERT_EQ(without.fault, std::nullopt) << without.fault->message;
      ASSERT_EQ(with.words, without.words);
      EXPECT_EQ(with.racy, 0U);
      compared += with.compared;
      marked += with.marked;
    }
  }
  RecordProperty("compared", static_cast<int>(compared));
  EXPECT_GT(compared, 100'000U);
  EXPECT_GT(marked, 10'000U);
}

TEST(MarkOracle, FindsDifferencesWithoutTheRuleForJoins) {
  Oracle oracle;
  unsigned wrong = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kPrograms; ++seed) {
    const isa::Module module = module_for(seed);
    for (unsigned s = 0; s < 3; ++s) {
      const Run run = oracle.run(module, isa::MarkRule::kSource, shape_of(seed * 3 + s));
      if (!run.fault) continue;
      ASSERT_EQ(run.fault->kind, gpu::FaultKind::kWrongMark) << run.fault->message;
      ++wrong;
    }
  }
  RecordProperty("wrong", static_cast<int>(wrong));
  EXPECT_GT(wrong, 20U);
}

TEST(MarkOracle, NamesTheRecordThatIsMarkedWrongly) {
  Oracle oracle;
  const isa::Module module = module_for(1);
  std::uint32_t pc = 0;
  const Run run = oracle.run(module, isa::MarkRule::kSound, {16, 16, 1}, [&](isa::Program& program) {
    // The first %tid.y that a renamed register holds, or a copy of it.
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

// A promoted mark that is none: tid.x repeats in every warp only if x is a power of two of at most 32.
TEST(MarkOracle, CountsConditionalMarksWhereTheShapeAllows) {
  Oracle oracle;
  const isa::Module module = module_for(2);
  const auto change = [](isa::Program& program) {
    for (std::uint8_t& mark : program.marks)
      if (mark == 1) mark = 2;
  };
  for (const Shape shape : {Shape{16, 8, 1}, Shape{1, 64, 1}, Shape{32, 1, 5}})
    EXPECT_EQ(oracle.run(module, isa::MarkRule::kSound, shape, change).fault, std::nullopt);
  for (const Shape shape : {Shape{3, 50, 1}, Shape{24, 8, 1}, Shape{33, 6, 1}, Shape{64, 4, 1}}) {
    const Run run = oracle.run(module, isa::MarkRule::kSound, shape, change);
    ASSERT_TRUE(run.fault) << shape.x;
    EXPECT_EQ(run.fault->kind, gpu::FaultKind::kWrongMark);
    EXPECT_EQ(oracle.run(module, isa::MarkRule::kSound, shape).fault, std::nullopt);
  }
}

}  // namespace
}  // namespace castor::compiler::test

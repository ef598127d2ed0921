// Tests of barriers at the ends of basic blocks (key compile.barriers): their positions, and equal results of kernels
// with and without them.

#include <algorithm>

#include "compiler/barriers.h"
#include "unit/compiler_support.h"

namespace castor::compiler::test {
namespace {

/// Returns the body of a kernel after the barrier pass, as disassembly.
std::vector<std::string> with_barriers(const std::string& body, const std::string& before = {}) {
  isa::Program program = inspect(module_of(kernel(body, before)), "k", {});
  const std::size_t size = program.code.size();
  const std::uint32_t count = insert_barriers(program);
  EXPECT_EQ(program.code.size(), size + count);
  EXPECT_EQ(program.uses.size(), program.code.size());
  EXPECT_EQ(program.lines.size(), program.code.size());
  EXPECT_EQ(program.spellings.size(), program.code.size());
  EXPECT_EQ(program.functions.front().count, program.code.size());
  return program.spellings;
}

std::size_t barriers(const std::vector<std::string>& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), "bar.sync 0"));
}

std::size_t line_of(const std::vector<std::string>& text, const std::string& part) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i].find(part) != std::string::npos) return i;
  }
  ADD_FAILURE() << part;
  return 0;
}

const char* const kRedundantIf = R"(
  setp.gt.u32 %p1, %r1, 5;
  @!%p1 bra over;
  add.u32 %r3, %r1, 1234;
over:
  add.u32 %r3, %r3, 4321;)";

const char* const kLoop = R"(
  mov.u32 %r4, 0;
again:
  add.u32 %r3, %r3, %r4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r1;
  @%p1 bra again;)";

const char* const kDivergent = R"(
  and.b32 %r5, %r2, 1;
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra over;
  setp.gt.u32 %p2, %r1, 5;
  @%p2 bra inner;
  add.u32 %r3, %r3, 1234;
inner:
  add.u32 %r3, %r3, 77;
over:
  add.u32 %r3, %r3, 4321;)";

TEST(Barriers, AreAtTheEndsOfBlocksThatAllThreadsReach) {
  const std::vector<std::string> text = with_barriers(kRedundantIf);
  EXPECT_EQ(barriers(text), 2U) << "in front of the branch, behind its side";
  EXPECT_EQ(text[line_of(text, "bra ") - 1], "bar.sync 0");
  EXPECT_EQ(text[line_of(text, "0x4d2") + 1], "bar.sync 0");
  EXPECT_EQ(text[line_of(text, "bra ")], "@!P0 bra " + std::to_string(line_of(text, "0x10e1")));
}

TEST(Barriers, AreInLoopsWithARedundantBound) {
  const std::vector<std::string> text = with_barriers(kLoop);
  EXPECT_EQ(barriers(text), 2U) << "behind the block in front of the loop, and at its end";
}

// Only the first block gets a barrier: behind the branch some threads are missing until its paths reconverge.
TEST(Barriers, AreNotUnderOtherConditions) {
  const std::vector<std::string> text = with_barriers(kDivergent);
  EXPECT_EQ(barriers(text), 1U);
  EXPECT_EQ(text[line_of(text, "bra ") - 1], "bar.sync 0");
}

const std::string kExit = "setp.gt.u32 %p3, %r2, 40; @%p3 ret;";

TEST(Barriers, DoNotWaitForThreadsThatHaveEnded) {
  const std::vector<std::string> text = with_barriers(kExit + kRedundantIf);
  EXPECT_EQ(barriers(text), 3U);
  EXPECT_EQ(text[line_of(text, "ret") + 1], "bar.sync 0");
}

TEST(Barriers, AreNotWhereOneStandsNorBesideOtherKinds) {
  EXPECT_EQ(barriers(with_barriers(std::string("bar.sync 0;") + kRedundantIf)), 2U) << "and its own, spelled 0x0";
  EXPECT_EQ(barriers(with_barriers(std::string("bar.sync 1, 64;") + kRedundantIf)), 0U);
  EXPECT_EQ(barriers(with_barriers(std::string("bar.arrive 0, 64;") + kRedundantIf)), 0U);
}

TEST(Barriers, ChangeNoResult) {
  for (const std::string& body : {std::string(kRedundantIf), std::string(kDivergent), kExit + kRedundantIf}) {
    for (const std::uint32_t n : {3U, 7U}) {
      const isa::Module module = module_of(kernel(body + kLoop));
      Outcome plain = run(module, 255, 96, 96, n);
      plain.words.resize(41);
      isa::LinkOptions options;
      options.barriers = true;
      options.marks.rule = isa::MarkRule::kSound;
      gpu::Device& gpu = device();
      const auto program = compile(module, "k", options);
      EXPECT_GT(barriers(program->spellings), 1U);
      const std::uint64_t out = *gpu.store().allocate(4 * 96, gpu::AllocationKind::kHeap);
      gpu::KernelPacket packet;
      packet.program = gpu.load(program);
      packet.block.x = 96;
      packet.parameters.resize(program->parameter_bytes);
      std::memcpy(packet.parameters.data(), &out, 8);
      std::memcpy(packet.parameters.data() + 8, &n, 4);
      EXPECT_EQ(gpu.advance_until(gpu.submit(0, packet)), gpu::Outcome::kDone);
      std::vector<std::uint32_t> words(41);  // threads that end early write no words
      std::memcpy(words.data(), gpu.store().host(out), 4 * words.size());
      gpu.store().free(out);
      EXPECT_EQ(words, plain.words);
    }
  }
}

}  // namespace
}  // namespace castor::compiler::test

// Tests of whole files (tests/data/ptx): every kernel compiles with every register limit, and its registers hold the
// right values.

#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler_shadow.h"
#include "compiler_support.h"
#include "tests/common/tree.h"

namespace castor::compiler::test::compiler_corpus_test {
namespace {

isa::Module file(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(test_tree::source_folder()) / "tests/data/ptx" / name;
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return ptx::parse(std::string(std::istreambuf_iterator<char>(in), {}), name);
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsSoundAtEveryLimit) {
  const isa::Module module = file(GetParam());
  unsigned kernels = 0;
  for (const isa::Function& f : module.functions) {
    if (!f.entry) continue;
    ++kernels;
    for (const unsigned limit : {16U, 24U, 40U, 255U}) {
      expect_sound(module, f.name, limit, 3, 10000);
      if (testing::Test::HasFatalFailure()) return;
    }
    const isa::Program program = inspect(module, f.name, {});
    // One kernel of a file calls a function that calls itself, and may keep values in frames.
    const bool recursive = f.name == "_Z9recursivePi" && GetParam() == "clang14_structs_sm60_O0.ptx";
    EXPECT_EQ(program.stack_bytes, recursive ? 1024U : 0U) << f.name;
    if (!recursive) {
      EXPECT_EQ(program.spill_bytes, 0U) << f.name;
    }
    EXPECT_LE(program.registers, 64U) << f.name;
  }
  EXPECT_GT(kernels, 0U);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus,
                         testing::Values("clang14_opencl_sm60_O2.ptx", "clang14_printing_sm60_O2.ptx",
                                         "clang14_structs_sm60_O0.ptx", "clang14_types_sm60_O2_debug.ptx",
                                         "clang14_virtual_calls_sm70_O0_debug.ptx", "clang14_warp_sm70_O2.ptx",
                                         "names.ptx", "nvcc_style_11.ptx", "nvcc_style_13.ptx"),
                         [](const auto& info) {
                           std::string name = info.param.substr(0, info.param.find('.'));
                           return name;
                         });

}  // namespace
}  // namespace castor::compiler::test::compiler_corpus_test

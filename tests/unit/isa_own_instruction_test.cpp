// The example of docs/guides/adding-an-instruction.md, linked into this program like a user would.

#include <algorithm>
#include <fstream>
#include <sstream>

#include "castor/base/error.h"
#include "castor/isa/coverage.h"
#include "tests/common/tree.h"
#include "unit/isa_harness.h"

namespace castor::test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(test_tree::source_folder() + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OwnInstruction, IsFoundAndComputes) {
  for (const char* type : {"b32", "b64"}) {
    check(std::string("hamming.") + type, [](Lane& x) {
      x.d = 0;
      for (unsigned i = 0; i < 64; ++i) x.d += (x.s[0] >> i & 1) != (x.s[1] >> i & 1) ? 1 : 0;
    });
  }
  EXPECT_TRUE(isa::InstructionTable::instance().is_opcode("hamming"));
  EXPECT_NE(isa::coverage_markdown().find("hamming"), std::string::npos);
}

TEST(OwnInstruction, ComesTooLateOnceTheTableIsInUse) {
  (void)isa::InstructionTable::instance();
  EXPECT_THROW(isa::InstructionTable::extend([](isa::TableBuilder&) {}), base::InputError);
}

TEST(OwnInstruction, FitsSixtyLinesAndStandsInTheGuide) {
  const std::string source = text_of("platforms/examples/hamming.cpp");
  EXPECT_LE(std::count(source.begin(), source.end(), '\n'), 60);
  EXPECT_NE(text_of("docs/guides/adding-an-instruction.md").find("```cpp\n" + source + "```"), std::string::npos)
      << "the guide shows another text than the example";
}

}  // namespace
}  // namespace castor::test

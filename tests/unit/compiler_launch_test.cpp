// Tests of calls of the device runtime: the records that they become, and the kernels that a program names.

#include <algorithm>

#include "compiler_support.h"

namespace castor::compiler::test::compiler_launch_test {
namespace {

using isa::Kind;
using isa::RuntimeCall;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const char* const kDeclared = R"(
.extern .func (.param .b64 r) cudaGetParameterBuffer (.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaLaunchDevice (.param .b64 a, .param .b64 b, .param .align 4 .b8 c[12],
  .param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);
.extern .func (.param .b32 r) cudaStreamCreateWithFlags (.param .b64 a, .param .b32 b);
.visible .entry child (.param .u64 out) { ret; }
.visible .entry other () { ret; }
.global .align 8 .u64 kept = other;
)";

const char* const kLaunch = R"(
    mov.u64 %rd7, child;
    { .param .b64 p0; st.param.b64 [p0+0], %rd7; .param .b64 p1; st.param.b64 [p1+0], %rd6;
      .param .align 4 .b8 g[12]; st.param.b32 [g+0], 5; st.param.b32 [g+4], 6; st.param.b32 [g+8], 7;
      .param .align 4 .b8 b[12]; st.param.b32 [b+0], 8; st.param.b32 [b+4], 9; st.param.b32 [b+8], 10;
      .param .b32 s; st.param.b32 [s+0], 11; .param .b64 q; st.param.b64 [q+0], 0;
      .param .b32 result;
      call.uni (result), cudaLaunchDevice, (p0, p1, g, b, s, q);
      ld.param.b32 %r3, [result+0]; }
)";

isa::Program compiled(const std::string& body) { return inspect(module_of(kernel(body, kDeclared)), "k", {}); }

std::vector<RuntimeCall> calls(const isa::Program& program) {
  std::vector<RuntimeCall> found;
  for (const isa::Record& record : program.code)
    if (record.kind == Kind::kRuntimeCall) found.push_back(static_cast<RuntimeCall>(record.imm));
  return found;
}

TEST(Launch, IsTwoNeighbours) {
  const isa::Program program = compiled(kLaunch);
  ASSERT_THAT(calls(program), ElementsAre(RuntimeCall::kDescribe, RuntimeCall::kLaunch));
  const auto first = std::find_if(program.code.begin(), program.code.end(),
                                  [](const isa::Record& r) { return r.kind == Kind::kRuntimeCall; });
  ASSERT_EQ(first[1].kind, Kind::kRuntimeCall);
  EXPECT_EQ(first->dst, isa::kNoOperand);
  const auto at = static_cast<std::size_t>(first - program.code.begin());
  EXPECT_THAT(program.uses[at].src, ElementsAre(testing::_, 2, 2, 2));
  EXPECT_EQ(program.uses[at + 1].dst, 1);
  EXPECT_THAT(program.spellings[at + 1], HasSubstr("call cudaLaunchDevice"));
  EXPECT_TRUE(program.reach.launches);
}

TEST(Launch, NamesKernelsOfItsCodeAndOfInitialisers) {
  EXPECT_THAT(compiled(kLaunch).named_kernels, UnorderedElementsAre("child", "other"));
}

TEST(Launch, WithoutOneOnlyKernelsOfItsCodeAreNamed) {
  const isa::Program program = compiled("mov.u64 %rd7, child; st.u64 [%rd6], %rd7;");
  EXPECT_THAT(program.named_kernels, ElementsAre("child"));
  EXPECT_FALSE(program.reach.launches);
  EXPECT_THAT(compiled("mov.u32 %r3, 1;").named_kernels, IsEmpty());
}

TEST(Launch, WhatIsGivenBackThroughAPointerIsStoredUnlessItIsAnError) {
  const isa::Program program = compiled(R"(
    { .param .b64 p0; st.param.b64 [p0+0], %rd6; .param .b32 p1; st.param.b32 [p1+0], 1; .param .b32 result;
      call.uni (result), cudaStreamCreateWithFlags, (p0, p1);
      ld.param.b32 %r3, [result+0]; }
)");
  ASSERT_THAT(calls(program), ElementsAre(RuntimeCall::kStreamCreate));
  const auto stored = std::find_if(program.code.begin(), program.code.end(), [](const isa::Record& r) {
    return r.kind == Kind::kMemory && r.memory.kind == isa::MemoryKind::kStore && r.guard != isa::kNoGuard &&
           isa::bytes(r.memory.type) == 8;
  });
  EXPECT_NE(stored, program.code.end());
}

TEST(Launch, WrongNumberOfArgumentsIsAnErrorAtTheCall) {
  const std::string error =
      compile_error(kernel(R"(
    { .param .b64 p0; st.param.b64 [p0+0], %rd6; .param .b64 result;
      call.uni (result), cudaGetParameterBuffer, (p0); }
)",
                           ".extern .func (.param .b64 r) cudaGetParameterBuffer (.param .b64 a);\n"));
  EXPECT_THAT(error, HasSubstr("'cudaGetParameterBuffer' takes 2 arguments; this call has 1"));
}

}  // namespace
}  // namespace castor::compiler::test::compiler_launch_test

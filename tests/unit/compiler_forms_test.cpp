// Tests of rarer PTX forms that other compilers and people write, by execution: vectors and 128 bits in moves,
// parameters and calls, predicates as results, registers wider than the type, the carry, variables of unusual scope.

#include "compiler_shadow.h"
#include "compiler_support.h"

namespace castor::compiler::test::compiler_forms_test {
namespace {

using ::testing::ElementsAre;

/// Returns the values that one thread has in `registers` after `body`. Runs the kernel a second time with so few
/// registers that values are spilled.
std::vector<std::uint32_t> values(std::string body, const std::vector<std::string>& registers,
                                  std::string_view before = {}) {
  unsigned at = 0;
  for (const std::string& name : registers)
    body += "  st.global.b32 [%rd1+" + std::to_string(4 * at++) + "], " + name + ";\n";
  const isa::Module module = module_of(kernel(body + "  ret;\n", before, false));
  const auto count = static_cast<unsigned>(registers.size());
  const Outcome outcome = run(module, 255, 1, count);
  const Outcome narrow = run(module, 16, 1, count);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, narrow.words);
  expect_sound(module, "k", 16);
  return outcome.words;
}

TEST(Forms, VectorsAreMovedElementByElement) {
  EXPECT_THAT(values(R"(
    .reg .v4 .b32 %v;
    .reg .v2 .b64 %w;
    mov.v4.b32 %v, {1, 2, 3, 4};
    mov.v4.b32 {%r10, %r11, _, %r13}, %v;
    mov.v4.b32 %v, {%v.w, %v.z, %v.y, %v.x};
    mov.v4.b32 {%r20, %r21, %r22, %r23}, %v;
    mov.v2.u32 {%r10, %r11}, {%r11, %r10};
    mov.v2.u64 %w, {5, 6};
    mov.v2.b64 {%rd10, %rd11}, %w;
    cvt.u32.u64 %r30, %rd11;
)",
                     {"%r10", "%r11", "%r13", "%r20", "%r23", "%r30"}),
              ElementsAre(2U, 1U, 4U, 4U, 1U, 6U));
}

TEST(Forms, SpecialRegistersAreVectorsOfFour) {
  EXPECT_THAT(values(R"(
    .reg .v4 .u32 %v;
    mov.v4.u32 %v, %ntid;
    mov.u32 %r10, %tid.w;
    mov.v4.u32 {%r11, _, _, %r12}, %nctaid;
)",
                     {"%v.x", "%v.z", "%v.w", "%r10", "%r11", "%r12"}),
              ElementsAre(1U, 1U, 0U, 0U, 1U, 0U));
}

TEST(Forms, HundredAndTwentyEightBits) {
  EXPECT_THAT(values(R"(
    .reg .b128 %q, %w<3>;
    mov.b64 %rd10, 0x100000005;
    mov.b64 %rd11, 6;
    mov.b128 %q, {%rd10, %rd11};
    mov.b128 %w2, %q;
    st.local.b128 [room], %w2;
    ld.local.b128 %w1, [room];
    ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [room];
    mov.b128 {%rd12, %rd13}, %w1;
    mov.b64 {%r14, %r15}, %rd12;
    cvt.u32.u64 %r16, %rd13;
)",
                     {"%r10", "%r11", "%r12", "%r13", "%r14", "%r15", "%r16"}, ".local .align 16 .b8 room[16];\n"),
              ElementsAre(5U, 1U, 6U, 0U, 5U, 1U, 6U));
}

TEST(Forms, VectorsAsParametersInMemory) {
  EXPECT_THAT(values(R"(
    { .param .v4 .b32 p; .param .align 16 .b8 q[16];
      st.param.v4.b32 [p], {1, 2, 3, 4};
      call.uni (q), turn, (p);
      ld.param.v2.b32 {%r10, %r11}, [q];
      ld.param.v2.b32 {%r12, %r13}, [q+8]; }
)",
                     {"%r10", "%r11", "%r12", "%r13"}, R"(
.func (.param .align 16 .b8 r[16]) turn (.param .v4 .b32 a)
{
  .reg .b32 %x<5>;
  ld.param.v4.b32 {%x1, %x2, %x3, %x4}, [a];
  st.param.v4.b32 [r], {%x4, %x3, %x2, %x1};
  ret;
}
)"),
              ElementsAre(4U, 3U, 2U, 1U));
}

TEST(Forms, VectorsAsParametersInRegisters) {
  EXPECT_THAT(values(R"(
    .reg .v4 .u32 %v, %w;
    mov.v4.u32 %v, {1, 2, 3, 4};
    call (%w), turn, (%v, 10);
    call ({%r10, _, %r11, %r12}), turn, ({5, %v.y, 7, 8}, 100);
    .reg .b128 %q;
    mov.b128 %q, {7, 9};
    call (%q), swap, (%q);
    mov.b128 {%rd10, %rd11}, %q;
    cvt.u32.u64 %r13, %rd10;
)",
                     {"%w.x", "%w.w", "%r10", "%r11", "%r12", "%r13"}, R"(
.func (.reg .v4 .u32 r) turn (.reg .v4 .u32 a, .reg .u32 plus)
{
  mov.v4.u32 r, {a.w, a.z, a.y, a.x};
  add.u32 r.x, r.x, plus;
  ret;
}
.func (.reg .b128 r) swap (.reg .b128 a)
{
  .reg .b64 %y<3>;
  mov.b128 {%y1, %y2}, a;
  mov.b128 r, {%y2, %y1};
  ret;
}
)"),
              ElementsAre(14U, 1U, 108U, 2U, 5U, 9U));
}

TEST(Forms, FamiliesOfVectorRegisters) {
  EXPECT_THAT(values(R"(
    .reg .v4 .b32 %v<3>;
    ld.global.v4.b32 %v2, [four];
    mov.v4.b32 %v0, %v2;
    mov.u32 %r10, %v0.z;
)",
                     {"%r10", "%v2.w"}, ".global .align 16 .u32 four[4] = {11, 12, 13, 14};\n"),
              ElementsAre(13U, 14U));
}

TEST(Forms, PredicatesAsResultsAndParametersOfFunctions) {
  const char* const both = R"(
.func (.reg .pred p, .reg .u32 r) test (.reg .u32 a, .reg .pred q)
{
  .reg .pred %t;
  setp.ne.u32 %t, a, 0;
  and.pred p, %t, q;
  selp.u32 r, 7, 8, q;
  ret;
}
)";
  EXPECT_THAT(values(R"(
    setp.eq.u32 %p1, %r2, 0;
    call (%p2, %r10), test, (5, %p1);
    call (%p3, %r11), test, (0, 1);
    call (%p4, _), test, (1, 0);
    selp.u32 %r12, 1, 0, %p2;
    selp.u32 %r13, 1, 0, %p3;
    selp.u32 %r14, 1, 0, %p4;
)",
                     {"%r10", "%r11", "%r12", "%r13", "%r14"}, both),
              ElementsAre(7U, 7U, 1U, 0U, 0U));
  // The call goes through a pointer, so the arguments are in memory.
  EXPECT_THAT(values(R"(
    mov.pred %p1, 1;
    ld.global.u64 %rd10, [pointer];
    P: .callprototype (.reg .pred _, .reg .u32 _) _ (.reg .u32 _, .reg .pred _);
    call (%p2, %r10), %rd10, (5, %p1), P;
    selp.u32 %r12, 1, 0, %p2;
)",
                     {"%r10", "%r12"}, std::string(both) + ".global .u64 pointer = test;\n"),
              ElementsAre(7U, 1U));
}

TEST(Forms, PredicatesAsResultsOfInstructions) {
  EXPECT_THAT(values(R"(
    mov.pred %p1, 1;
    setp.lt.s32 %p2|%p3, -3, 4;
    and.pred %p4, %p2, %p1;
    not.pred %p5, %p4;
    xor.pred %p6, %p4, %p3;
    or.pred %p7, %p5, !%p1;
    vote.all.pred %p8, !%p5;
    setp.eq.and.u32 %p9|_, %r2, 0, !%p3;
    selp.b32 %r10, 1, 0, %p6;
    selp.b32 %r11, 1, 0, %p7;
    selp.b32 %r12, 1, 0, %p8;
    selp.b32 %r13, 1, 0, %p9;
)",
                     {"%r10", "%r11", "%r12", "%r13"}),
              ElementsAre(1U, 0U, 1U, 1U));
}

TEST(Forms, RegistersWiderThanTheType) {
  EXPECT_THAT(
      values(R"(
    mov.u32 %r10, 0x12345680;
    st.local.u8 [room], %r10;
    ld.local.s8 %r11, [room];
    ld.local.u8 %r12, [room];
    ld.local.s8 %rd10, [room];
    shr.u64 %rd11, %rd10, 16;
    cvt.u32.u64 %r13, %rd11;
    cvt.s8.s32 %r14, 200;
    cvt.u8.u32 %r15, 0x1ff;
    cvt.s64.s8 %rd12, %r10;
    cvt.u32.u64 %r16, %rd12;
    cvt.u16.u64 %r17, 0x123456789;
    ld.local.v2.s8 {%r18, %rd13}, [room];
    cvt.sat.s8.s32 %rd14, -1000;
    cvt.u32.u64 %r19, %rd14;
)",
             {"%r11", "%r12", "%r13", "%r14", "%r15", "%r16", "%r17", "%r18", "%r19"},
             ".local .align 8 .b8 room[8];\n"),
      ElementsAre(0xffffff80U, 0x80U, 0xffffffffU, 0xffffffc8U, 0xffU, 0xffffff80U, 0x6789U, 0xffffff80U, 0xffffff80U));
}

TEST(Forms, FloatingPointInWiderUntypedRegisters) {
  EXPECT_THAT(values(R"(
    mov.f32 %f1, 0f3FC01234;
    st.local.b16 [room], %f1;
    ld.local.b16 %r10, [room];
    mov.b64 %rd10, 0x7777777740490fdb;
    st.local.f32 [room], %rd10;
    ld.local.f32 %rd11, [room];
    mov.b64 {%r11, %r12}, %rd11;
    cvt.rzi.u32.f32 %r13, %rd10;
    cvt.rn.f32.u32 %rd12, 2;
    mov.b64 {%r14, %r15}, %rd12;
    mov.u32 %r16, 0x7777ffff;
    cvt.rn.f16.f32 %r16, 0f3F800000;
    cvt.f32.f16 %f2, %r16;
)",
                     {"%r10", "%r11", "%r12", "%r13", "%r14", "%r15", "%r16", "%f2"}, ".local .align 8 .b8 room[8];\n"),
              ElementsAre(0x1234U, 0x40490fdbU, 0U, 3U, 0x40000000U, 0U, 0x3c00U, 0x3f800000U));
}

TEST(Forms, OneCarryForAdditionAndSubtraction) {
  // Where nothing is borrowed the flag is set, and addition adds it.
  EXPECT_THAT(values(R"(
    sub.cc.u32 %r9, 0, 0;
    addc.u32 %r10, 0, 0;
    subc.u32 %r11, 0, 0;
    sub.cc.u32 %r9, 0, 1;
    addc.u32 %r12, 0, 0;
    subc.u32 %r13, 0, 0;
    add.cc.u32 %r9, 0, 0;
    subc.u32 %r14, 0, 0;
    add.cc.u32 %r9, 0xffffffff, 1;
    subc.u32 %r15, 0, 0;
    mad.lo.cc.u32 %r9, 1, 0xffffffff, 1;
    subc.cc.u32 %r16, 0, 1;
    addc.u32 %r17, 5, 0;
    sub.cc.u64 %rd10, 1, 2;
    subc.u64 %rd11, 4, 1;
    cvt.u32.u64 %r18, %rd11;
)",
                     {"%r10", "%r11", "%r12", "%r13", "%r14", "%r15", "%r16", "%r17", "%r18"}),
              ElementsAre(1U, 0U, 0U, 0xffffffffU, 0xffffffffU, 0U, 0xffffffffU, 5U, 2U));
}

TEST(Forms, LocalVariablesOfTheModuleAreTheThreads) {
  const char* const shared = R"(
.local .align 64 .b8 state[8];
.local .u32 other;
.func bump ()
{
  .reg .b32 %x<4>;
  .reg .b64 %y<4>;
  ld.local.u32 %x1, [state+4];
  mov.u64 %y1, state;
  cvta.local.u64 %y2, %y1;
  ld.u32 %x2, [%y2];
  add.u32 %x1, %x1, %x2;
  st.local.u32 [%y1+4], %x1;
  st.local.u32 [other], 9;
  ret;
}
)";
  const isa::Module module = module_of(kernel(R"(
    st.local.u32 [state], %r2;
    st.local.u32 [state+4], 100;
    call bump, ();
    call bump, ();
    ld.local.u32 %r3, [state+4];
    ld.local.u32 %r4, [other];
    add.u32 %r3, %r3, %r4;
    mov.u64 %rd4, state;
    and.b64 %rd4, %rd4, 63;
    cvt.u32.u64 %r5, %rd4;
    add.u32 %r3, %r3, %r5;
)",
                                              shared));
  const Outcome outcome = run(module);
  EXPECT_EQ(outcome.fault, "");
  for (unsigned t = 0; t < 64; ++t) ASSERT_EQ(outcome.words[t], 109 + 2 * t) << t;
}

TEST(Forms, GlobalVariablesOfFunctionsLiveAsLongAsTheModule) {
  EXPECT_THAT(values(R"(
    .const .u32 seven = 7;
    .global .u32 x = 30;
    ld.const.u32 %r10, [seven];
    call (%r11), count, ();
    call (%r11), count, ();
    ld.global.u32 %r12, [x];
    mov.u64 %rd10, x;
    ld.u32 %r13, [%rd10];
)",
                     {"%r10", "%r11", "%r12", "%r13"}, R"(
.func (.reg .u32 r) count ()
{
  .global .u32 x = 3;
  ld.global.u32 r, [x];
  add.u32 r, r, 1;
  st.global.u32 [x], r;
  ret;
}
)"),
              ElementsAre(7U, 5U, 30U, 30U));
}

TEST(Forms, PartsOfRegistersInVideoInstructions) {
  EXPECT_THAT(values(R"(
    mov.u32 %r10, 0x80fe7f01;
    vadd.u32.u32.u32 %r11, %r10.b0, %r10.b3;
    vadd.s32.s32.u32 %r12, %r10.b3, %r10.h1;
    vabsdiff.u32.u32.u32.add %r13, %r10.b1, %r10.b2, 1000;
    vmax.s32.s32.s32 %r14, %r10.h1, -3;
    vset.u32.u32.lt %r15, %r10.b0, %r10.b1;
)",
                     {"%r11", "%r12", "%r13", "%r14", "%r15"}),
              ElementsAre(0x81U, static_cast<std::uint32_t>(-128 + 0x80fe), 1000U + 0xfe - 0x7f, 0xfffffffdU, 1U));
}

}  // namespace
}  // namespace castor::compiler::test::compiler_forms_test

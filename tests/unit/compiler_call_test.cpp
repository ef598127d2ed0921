// Device functions: linking, arguments and results, indirect calls, divergence across calls.

#include "compiler_shadow.h"
#include "compiler_support.h"

namespace castor::compiler::test::compiler_call_test {
namespace {

using ::testing::HasSubstr;

const unsigned kLimits[] = {16, 20, 24, 32, 64, 255};

template <class F>
void expect_words(const std::string& text, const F& expected, unsigned threads = 64) {
  const isa::Module module = module_of(text);
  for (const unsigned limit : kLimits) {
    const Outcome outcome = run(module, limit, threads, threads);
    ASSERT_EQ(outcome.fault, "") << "limit " << limit;
    for (unsigned t = 0; t < threads; ++t)
      ASSERT_EQ(outcome.words[t], static_cast<std::uint32_t>(expected(t))) << "thread " << t << ", limit " << limit;
    EXPECT_LE(outcome.program.registers, limit);
    expect_sound(module, "k", limit);
  }
}

const char* const kHelpers = R"(
.func (.param .b32 r) twice (.param .b32 a)
{
  .reg .b32 %x<4>;
  ld.param.u32 %x1, [a];
  shl.b32 %x2, %x1, 1;
  st.param.b32 [r+0], %x2;
  ret;
}
.func (.param .b64 r) mixed (.param .b32 a, .param .b64 b, .param .b32 c)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  ld.param.u32 %x1, [a];
  ld.param.u64 %y1, [b];
  ld.param.u8 %x2, [c];
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p+0], %x1;
    call.uni (q), twice, (p);
    ld.param.b32 %x3, [q+0]; }
  cvt.u64.u32 %y2, %x3;
  cvt.u64.u32 %y3, %x2;
  mad.lo.u64 %y4, %y1, %y3, %y2;
  st.param.b64 [r+0], %y4;
  ret;
}
)";

TEST(Call, NestedWithValuesLiveAcross) {
  std::string body;
  for (int i = 0; i < 10; ++i)
    body += "  add.u32 %r" + std::to_string(50 + i) + ", %r2, " + std::to_string(i) + ";\n  mul.wide.u32 %rd" +
            std::to_string(50 + i) + ", %r2, " + std::to_string(i + 1) + ";\n";
  body += R"(
  add.u32 %r4, %r2, 256;
  { .param .b32 p0; .param .b64 p1; .param .b32 p2; .param .b64 q;
    st.param.b32 [p0+0], %r2;
    st.param.b64 [p1+0], %rd53;
    st.param.b32 [p2+0], %r4;
    call.uni (q), mixed, (p0, p1, p2);
    ld.param.b64 %rd10, [q+0]; }
  cvt.u32.u64 %r3, %rd10;
)";
  for (int i = 0; i < 10; ++i)
    body += "  cvt.u32.u64 %r9, %rd" + std::to_string(50 + i) + ";\n  add.u32 %r3, %r3, %r9;\n  add.u32 %r3, %r3, %r" +
            std::to_string(50 + i) + ";\n";
  expect_words(kernel(body, kHelpers), [](unsigned t) {
    std::uint32_t sum = t * 4 * t + 2 * t;  // (r2 + 256) & 0xff = t
    for (unsigned i = 0; i < 10; ++i) sum += t + i + t * (i + 1);
    return sum;
  });
}

TEST(Call, GuardedAndInsideDivergentCode) {
  expect_words(kernel(R"(
    mov.u32 %r3, 5;
    setp.lt.u32 %p1, %r2, 40;
    setp.gt.u32 %p2, %r2, 9;
    and.b32 %r8, %r2, 1;
    setp.eq.u32 %p3, %r8, 0;
    @%p3 bra EVEN;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], %r2;
      @%p1 call.uni (q), twice, (p);
      @%p1 ld.param.b32 %r3, [q+0]; }
    bra MEET;
EVEN:
    mul.wide.u32 %rd8, %r2, 3;
    mul.wide.u32 %rd9, %r2, 4;
    add.u64 %rd8, %rd8, %rd9;
    cvt.u32.u64 %r3, %rd8;
MEET:
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], %r3;
      @!%p2 call.uni (q), twice, (p);
      @!%p2 ld.param.b32 %r3, [q+0]; }
)",
                      kHelpers),
               [](unsigned t) {
                 std::uint32_t v = t % 2 == 0 ? 7 * t : t < 40 ? 2 * t : 5;
                 return t <= 9 ? 2 * v : v;
               });
}

TEST(Call, EarlyReturnsMeetBeforeTheCaller) {
  const char* const early = R"(
.func (.param .b32 r) steps (.param .b32 a)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  .reg .pred %p<4>;
  ld.param.u32 %x1, [a];
  mov.u32 %x2, 7;
  st.param.b32 [r+0], %x2;
  setp.lt.u32 %p1, %x1, 5;
  @%p1 ret;
  mul.wide.u32 %y1, %x1, 9;
  mul.wide.u32 %y2, %x1, 11;
  add.u64 %y1, %y1, %y2;
  cvt.u32.u64 %x3, %y1;
  st.param.b32 [r+0], %x3;
  setp.lt.u32 %p2, %x1, 30;
  @%p2 bra MORE;
  ret;
MORE:
  mul.wide.u32 %y3, %x1, 100;
  cvt.u32.u64 %x4, %y3;
  st.param.b32 [r+0], %x4;
  ret;
}
)";
  expect_words(kernel(R"(
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], %r2;
      call.uni (q), steps, (p);
      ld.param.b32 %r4, [q+0]; }
    activemask.b32 %r5;
    popc.b32 %r5, %r5;
    add.u32 %r3, %r4, %r5;
)",
                      early),
               [](unsigned t) {
                 return (t < 5 ? 7 : t < 30 ? 100 * t : 20 * t) + 32;
               });
}

const char* const kTargets = R"(
.func (.param .b32 r) plus (.param .b32 a, .param .b64 b);
.func (.param .b32 r) times (.param .b32 a, .param .b64 b);
.func (.param .b32 r) nested (.param .b32 a, .param .b64 b);
.func (.param .b32 r) other (.param .b32 a);
.global .align 8 .u64 functions[4] = {plus, times, nested, other};
.func (.param .b32 r) plus (.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<4>;
  .reg .b64 %y<4>;
  ld.param.u32 %x1, [a];
  ld.param.u64 %y1, [b];
  cvt.u32.u64 %x2, %y1;
  add.u32 %x3, %x1, %x2;
  st.param.b32 [r+0], %x3;
  ret;
}
.func (.param .b32 r) times (.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<4>;
  .reg .b64 %y<8>;
  ld.param.u32 %x1, [a];
  ld.param.u64 %y1, [b];
  cvt.u64.u32 %y2, %x1;
  mul.lo.u64 %y3, %y1, %y2;
  add.u64 %y4, %y3, %y1;
  sub.u64 %y5, %y4, %y1;
  cvt.u32.u64 %x3, %y5;
  st.param.b32 [r+0], %x3;
  ret;
}
.func (.param .b32 r) other (.param .b32 a)
{
  .reg .b32 %x<4>;
  mov.u32 %x1, 1;
  st.param.b32 [r+0], %x1;
  ret;
}
.func (.param .b32 r) nested (.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  ld.param.u32 %x1, [a];
  mov.u64 %y1, functions;
  and.b32 %x2, %x1, 1;
  mul.wide.u32 %y2, %x2, 8;
  add.u64 %y1, %y1, %y2;
  ld.global.u64 %y3, [%y1];
  ld.param.u64 %y4, [b];
  mul.lo.u64 %y5, %y4, 7;
  mul.lo.u32 %x5, %x1, 3;
  { .param .b32 p0; .param .b64 p1; .param .b32 q;
    st.param.b32 [p0+0], %x1;
    st.param.b64 [p1+0], %y4;
    P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
    call (q), %y3, (p0, p1), P;
    ld.param.b32 %x3, [q+0]; }
  ld.param.u32 %x4, [a];
  add.u32 %x3, %x3, %x4;
  cvt.u32.u64 %x6, %y5;
  add.u32 %x3, %x3, %x6;
  add.u32 %x3, %x3, %x5;
  st.param.b32 [r+0], %x3;
  ret;
}
)";

std::string indirect(const std::string& index) {
  return R"(
    mov.u64 %rd4, functions;
    )" + index +
         R"(
    mul.wide.u32 %rd5, %r4, 8;
    add.u64 %rd4, %rd4, %rd5;
    ld.global.u64 %rd6, [%rd4];
    mul.wide.u32 %rd7, %r2, 3;
    add.u32 %r6, %r2, 2;
    mul.wide.u32 %rd20, %r2, 1000;
    { .param .b32 p0; .param .b64 p1; .param .b32 q;
      st.param.b32 [p0+0], %r6;
      st.param.b64 [p1+0], %rd7;
      PROTO: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
      call (q), %rd6, (p0, p1), PROTO;
      ld.param.b32 %r5, [q+0]; }
    cvt.u32.u64 %r7, %rd20;
    add.u32 %r3, %r5, %r7;
)";
}

TEST(Call, IndirectWithDifferentTargetsInOneWarp) {
  expect_words(kernel(indirect("rem.u32 %r4, %r2, 3;"), kTargets), [](unsigned t) {
    const std::uint32_t a = t + 2;
    const std::uint32_t b = 3 * t;
    const std::uint32_t plus = a + b;
    const std::uint32_t times = a * b;
    const std::uint32_t nested = (a % 2 == 0 ? plus : times) + a + 7 * b + 3 * a;
    return (t % 3 == 0 ? plus : t % 3 == 1 ? times : nested) + 1000 * t;
  });
}

TEST(Call, IndirectCallsReachOnlyFunctionsThatFit) {
  const Outcome outcome = run(module_of(kernel(indirect("rem.u32 %r4, %r2, 3;"), kTargets)));
  std::vector<std::string> names;
  for (const isa::ProgramFunction& f : outcome.program.functions) names.push_back(f.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("k", "plus", "times", "nested"));
  EXPECT_EQ(outcome.program.functions_by_value.size(), 3U);
}

TEST(Call, CirclesOfIndirectCallsKeepValuesApart) {
  // The analysis must assume that f and g can call each other. In the run, f calls g and g calls end.
  const auto function = [](const std::string& name, int slot, int factor) {
    return ".func (.param .b32 r) " + name + R"( (.param .b32 a)
{
  .reg .b32 %x<12>;
  .reg .b64 %y<12>;
  ld.param.u32 %x1, [a];
  mul.lo.u32 %x2, %x1, )" +
           std::to_string(factor) + R"(;
  mul.wide.u32 %y1, %x1, 77;
  mul.wide.u32 %y3, %x1, 78;
  add.u32 %x5, %x1, 1;
  ld.global.u64 %y2, [circle+)" +
           std::to_string(slot) + R"(];
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p+0], %x5;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %y2, (p), P;
    ld.param.b32 %x3, [q+0]; }
  cvt.u32.u64 %x4, %y1;
  cvt.u32.u64 %x6, %y3;
  add.u32 %x3, %x3, %x2;
  add.u32 %x3, %x3, %x4;
  add.u32 %x3, %x3, %x6;
  st.param.b32 [r+0], %x3;
  ret;
}
)";
  };
  const std::string before = R"(
.func (.param .b32 r) f (.param .b32 a);
.func (.param .b32 r) g (.param .b32 a);
.func (.param .b32 r) end (.param .b32 a);
.global .align 8 .u64 circle[3] = {f, g, end};
.func (.param .b32 r) end (.param .b32 a)
{
  .reg .b32 %x<4>;
  ld.param.u32 %x1, [a];
  st.param.b32 [r+0], %x1;
  ret;
}
)" + function("f", 8, 1000) + function("g", 16, 5000);
  expect_words(kernel(R"(
    ld.global.u64 %rd6, [circle];
    mul.lo.u32 %r9, %r2, 3;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], %r2;
      P: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (q), %rd6, (p), P;
      ld.param.b32 %r3, [q+0]; }
    add.u32 %r3, %r3, %r9;
)",
                      before),
               [](unsigned t) { return 3 * t + 1000 * t + 155 * t + 5000 * (t + 1) + 155 * (t + 1) + t + 2; });
}

TEST(Call, IndirectRecursionIsCaughtWhenItHappens) {
  // `nested` calls itself where its first argument is 2 modulo 4.
  std::string targets = kTargets;
  targets.replace(targets.find("and.b32 %x2, %x1, 1;"), 20, "and.b32 %x2, %x1, 2;");
  const Outcome outcome = run(module_of(kernel(indirect("mov.u32 %r4, 2;"), targets)));
  EXPECT_THAT(outcome.fault, HasSubstr("recursion"));
}

const char* const kStructs = R"(
.func (.param .align 4 .b8 r[12]) sum (.param .align 4 .b8 a[12], .param .align 16 .b8 b[16])
{
  .reg .f32 %f<20>;
  ld.param.f32 %f1, [a];
  ld.param.f32 %f2, [a+4];
  ld.param.f32 %f3, [a+8];
  ld.param.v4.f32 {%f4, %f5, %f6, %f7}, [b];
  add.f32 %f1, %f1, %f4;
  add.f32 %f2, %f2, %f5;
  add.f32 %f3, %f3, %f6;
  mul.f32 %f3, %f3, %f7;
  st.param.f32 [r+0], %f1;
  st.param.f32 [r+4], %f2;
  st.param.f32 [r+8], %f3;
  ret;
}
.func (.param .b32 r) element (.param .align 4 .b8 a[20], .param .b32 i)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  mov.b64 %y1, a;
  ld.param.u32 %x1, [i];
  mul.wide.u32 %y2, %x1, 4;
  add.s64 %y3, %y1, %y2;
  ld.param.u32 %x2, [%y3];
  ld.param.s8 %x3, [a+16];
  add.u32 %x2, %x2, %x3;
  st.param.b32 [r+0], %x2;
  ret;
}
)";

TEST(Call, StructsByValue) {
  expect_words(kernel(R"(
    cvt.rn.f32.u32 %f1, %r2;
    add.f32 %f2, %f1, 0f3F800000;
    { .param .align 4 .b8 p0[12]; .param .align 16 .b8 p1[16]; .param .align 4 .b8 q[12];
      st.param.f32 [p0+0], %f1;
      st.param.f32 [p0+4], %f2;
      st.param.f32 [p0+8], %f1;
      st.param.v4.f32 [p1+0], {%f1, %f1, %f2, %f2};
      call.uni (q), sum, (p0, p1);
      ld.param.f32 %f10, [q+0];
      ld.param.f32 %f11, [q+4];
      ld.param.f32 %f12, [q+8]; }
    cvt.rzi.u32.f32 %r10, %f10;
    cvt.rzi.u32.f32 %r11, %f11;
    cvt.rzi.u32.f32 %r12, %f12;
    rem.u32 %r13, %r2, 4;
    { .param .align 4 .b8 p0[20]; .param .b32 p1; .param .b32 q;
      st.param.b32 [p0+0], %r10;
      st.param.b32 [p0+4], %r11;
      st.param.b32 [p0+8], %r12;
      st.param.b32 [p0+12], %r2;
      st.param.b8 [p0+16], 255;
      st.param.b32 [p1+0], %r13;
      call.uni (q), element, (p0, p1);
      ld.param.b32 %r3, [q+0]; }
)",
                      kStructs),
               [](unsigned t) {
                 const unsigned parts[] = {2 * t, 2 * t + 1, (2 * t + 1) * (t + 1), t};
                 return parts[t % 4] - 1;
               });
}

TEST(Call, StructsThroughIndirectCalls) {
  std::string before = kStructs;
  before += ".global .align 8 .u64 pointer = element;\n";
  expect_words(kernel(R"(
    ld.global.u64 %rd6, [pointer];
    rem.u32 %r13, %r2, 4;
    mov.u32 %r20, 0;
ROUND:
    { .param .align 4 .b8 p0[20]; .param .b32 p1; .param .b32 q;
      st.param.b32 [p0+0], %r2;
      st.param.b32 [p0+4], %r13;
      st.param.b32 [p0+8], %r20;
      st.param.b32 [p0+12], 400;
      st.param.b8 [p0+16], 1;
      st.param.b32 [p1+0], %r13;
      PROTO: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[20], .param .b32 _);
      call (q), %rd6, (p0, p1), PROTO;
      ld.param.b32 %r5, [q+0]; }
    add.u32 %r3, %r3, %r5;
    add.u32 %r20, %r20, 1;
    setp.lt.u32 %p1, %r20, %r13;
    @%p1 bra ROUND;
)",
                      before),
               [](unsigned t) {
                 std::uint32_t sum = 0;
                 std::uint32_t round = 0;
                 do {
                   const std::uint32_t parts[] = {t, t % 4, round, 400};
                   sum += parts[t % 4] + 1;
                 } while (++round < t % 4);
                 return sum;
               });
}

TEST(Call, StructsSurviveACallOfTheSameShape) {
  // `outer` reads its argument again after it has passed another struct of that shape to `inner` by pointer.
  const char* const shapes = R"(
.func (.param .align 4 .b8 r[8]) inner (.param .align 4 .b8 a[8]);
.func (.param .align 4 .b8 r[8]) outer (.param .align 4 .b8 a[8]);
.global .align 8 .u64 pointers[2] = {inner, outer};
.func (.param .align 4 .b8 r[8]) inner (.param .align 4 .b8 a[8])
{
  .reg .b32 %x<4>;
  ld.param.u32 %x1, [a];
  ld.param.u32 %x2, [a+4];
  st.param.b32 [r+0], %x2;
  st.param.b32 [r+4], %x1;
  ret;
}
.func (.param .align 4 .b8 r[8]) outer (.param .align 4 .b8 a[8])
{
  .reg .b32 %x<12>;
  .reg .b64 %y<4>;
  ld.param.u32 %x1, [a];
  st.param.b32 [r+0], %x1;
  add.u32 %x2, %x1, 50;
  ld.global.u64 %y1, [pointers];
  { .param .align 4 .b8 p[8]; .param .align 4 .b8 q[8];
    st.param.b32 [p+0], %x2;
    st.param.b32 [p+4], 3;
    P: .callprototype (.param .align 4 .b8 _[8]) _ (.param .align 4 .b8 _[8]);
    call (q), %y1, (p), P;
    ld.param.b32 %x3, [q+0];
    ld.param.b32 %x4, [q+4]; }
  ld.param.u32 %x5, [a];
  ld.param.u32 %x6, [a+4];
  mad.lo.u32 %x7, %x3, 10, %x4;
  mad.lo.u32 %x7, %x7, 10, %x5;
  mad.lo.u32 %x7, %x7, 10, %x6;
  st.param.b32 [r+4], %x7;
  ret;
}
)";
  expect_words(kernel(R"(
    ld.global.u64 %rd6, [pointers+8];
    { .param .align 4 .b8 p[8]; .param .align 4 .b8 q[8];
      st.param.b32 [p+0], %r2;
      st.param.b32 [p+4], 8;
      P: .callprototype (.param .align 4 .b8 _[8]) _ (.param .align 4 .b8 _[8]);
      call (q), %rd6, (p), P;
      ld.param.b32 %r4, [q+0];
      ld.param.b32 %r5, [q+4]; }
    mad.lo.u32 %r3, %r4, 1000, %r5;
)",
                      shapes),
               [](unsigned t) { return 1000 * t + ((3 * 10 + t + 50) * 10 + t) * 10 + 8; });
}

TEST(Call, FramesOfNestedFunctionsAreApart) {
  const char* const frames = R"(
.func (.param .b32 r) inner (.param .b32 a)
{
  .local .align 4 .b8 mine[64];
  .reg .b32 %x<4>;
  .reg .b64 %y<4>;
  ld.param.u32 %x1, [a];
  mov.u64 %y1, mine;
  st.local.u32 [%y1], %x1;
  st.local.u32 [%y1+60], %x1;
  ld.local.u32 %x2, [%y1+60];
  st.param.b32 [r+0], %x2;
  ret;
}
.func (.param .b32 r) outer (.param .b32 a)
{
  .local .align 4 .b8 mine[64];
  .reg .b32 %x<8>;
  .reg .b64 %y<4>;
  ld.param.u32 %x1, [a];
  mov.u64 %y1, mine;
  st.local.u32 [%y1], %x1;
  st.local.u32 [%y1+60], %x1;
  add.u32 %x4, %x1, 1;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p+0], %x4;
    call.uni (q), inner, (p);
    ld.param.b32 %x2, [q+0]; }
  ld.local.u32 %x3, [%y1];
  add.u32 %x2, %x2, %x3;
  ld.local.u32 %x3, [%y1+60];
  add.u32 %x2, %x2, %x3;
  st.param.b32 [r+0], %x2;
  ret;
}
)";
  const std::string text = kernel(R"(
    .local .align 4 .b8 mine[64];
    mov.u64 %rd4, mine;
    st.local.u32 [%rd4], %r2;
    st.local.u32 [%rd4+60], %r2;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], 100;
      call.uni (q), outer, (p);
      ld.param.b32 %r3, [q+0]; }
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], 1000;
      call.uni (q), inner, (p);
      ld.param.b32 %r4, [q+0]; }
    add.u32 %r3, %r3, %r4;
    ld.local.u32 %r5, [%rd4];
    add.u32 %r3, %r3, %r5;
    ld.local.u32 %r5, [%rd4+60];
    add.u32 %r3, %r3, %r5;
)",
                                  frames);
  expect_words(text, [](unsigned t) { return 301 + 1000 + 2 * t; });
  EXPECT_EQ(run(module_of(text)).program.local_bytes, 192U);
}

TEST(Call, RegisterParameters) {
  const char* const helper = R"(
.func (.reg .u32 r) mix (.reg .u32 a, .reg .u64 b)
{
  .reg .b32 %x<4>;
  cvt.u32.u64 %x1, b;
  mad.lo.u32 r, a, 3, %x1;
  ret;
}
)";
  expect_words(kernel(R"(
    mul.wide.u32 %rd4, %r2, 5;
    call (%r3), mix, (%r2, %rd4);
)",
                      helper),
               [](unsigned t) { return 8 * t; });
}

TEST(Call, ManyArguments) {
  std::string helper = ".func (.param .b32 r) many (";
  for (int i = 0; i < 40; ++i) helper += std::string(i == 0 ? "" : ", ") + ".param .b32 a" + std::to_string(i);
  helper += ")\n{\n  .reg .b32 %x<50>;\n  mov.u32 %x49, 0;\n";
  for (int i = 0; i < 40; ++i)
    helper += "  ld.param.u32 %x" + std::to_string(i) + ", [a" + std::to_string(i) +
              "];\n  mad.lo.u32 %x49, %x49, 3, %x" + std::to_string(i) + ";\n";
  helper += "  st.param.b32 [r+0], %x49;\n  ret;\n}\n";
  std::string body = "{ .param .b32 q;\n";
  std::string list;
  for (int i = 0; i < 40; ++i) {
    body += "  add.u32 %r10, %r2, " + std::to_string(i * i) + ";\n  .param .b32 p" + std::to_string(i) +
            ";\n  st.param.b32 [p" + std::to_string(i) + "+0], %r10;\n";
    list += std::string(i == 0 ? "" : ", ") + "p" + std::to_string(i);
  }
  body += "  call.uni (q), many, (" + list + ");\n  ld.param.b32 %r3, [q+0]; }\n";
  expect_words(kernel(body, helper), [](unsigned t) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < 40; ++i) sum = sum * 3 + t + i * i;
    return sum;
  });
}

// Errors.

TEST(Call, RefusesUnresolvedExternFunctions) {
  EXPECT_EQ(compile_error(kernel("\ncall.uni missing;", ".extern .func missing ();\n")),
            "16: call from 'k' to 'missing', which is not defined in this module");
}

TEST(Call, RefusesAWrongNumberOfArguments) {
  // The parser may detect the error first; if it does not, the compiler must.
  isa::Module module = module_of(kernel(R"(
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p+0], %r2;
      call.uni (q), twice, (p);
      ld.param.b32 %r3, [q+0]; }
)",
                                        kHelpers));
  for (isa::Function& f : module.functions)
    if (f.entry) f.calls.at(0).arguments.clear();
  try {
    (void)inspect(module, "k", {});
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.message(), HasSubstr("call of 'twice' with 0 arguments"));
  }
}

}  // namespace
}  // namespace castor::compiler::test::compiler_call_test

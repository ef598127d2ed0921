// Tests of functions that call themselves: frames on the call stack, its limit, and unchanged other functions.

#include "compiler_shadow.h"
#include "compiler_support.h"

namespace castor::compiler::test::compiler_recursion_test {
namespace {

using ::testing::HasSubstr;

template <class F>
void expect_words(const std::string& text, const F& expected) {
  const isa::Module module = module_of(text);
  for (const unsigned limit : {16U, 20U, 24U, 32U, 64U, 255U}) {
    const Outcome outcome = run(module, limit);
    ASSERT_EQ(outcome.fault, "") << "limit " << limit;
    for (unsigned t = 0; t < 64; ++t)
      ASSERT_EQ(outcome.words[t], static_cast<std::uint32_t>(expected(t))) << "thread " << t << ", limit " << limit;
    EXPECT_LE(outcome.program.registers, limit);
    expect_sound(module, "k", limit);
  }
}

/// A program for functions that could call themselves through pointers, run by one thread.
Outcome run_with_stack(const std::string& text, std::uint32_t bytes, unsigned threads = 1) {
  const isa::Module module = module_of(text);
  gpu::Device& gpu = device();
  gpu.reset();
  isa::LinkOptions options = link_options(module, 255);
  options.stack_bytes = bytes;
  options.stack_for_pointers = true;
  const auto program = compile(module, "k", options);
  Outcome outcome;
  outcome.program = *program;
  const std::uint64_t out = *gpu.store().allocate(256, gpu::AllocationKind::kHeap);
  gpu::KernelPacket packet;
  packet.program = gpu.load(program);
  packet.block.x = threads;
  packet.parameters.resize(program->parameter_bytes);
  std::memcpy(packet.parameters.data(), &out, 8);
  (void)gpu.advance_until(gpu.submit(0, packet));
  if (gpu.fault()) outcome.fault = gpu.fault()->message;
  outcome.words.resize(64);
  std::memcpy(outcome.words.data(), gpu.store().host(out), 256);
  return outcome;
}

const char* const kFibonacci = R"(
.func (.param .b32 r) fib (.param .b32 n)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<4>;
  .reg .pred %p<2>;
  ld.param.u32 %x1, [n];
  mov.u32 %x5, %x1;
  setp.lt.u32 %p1, %x1, 2;
  @%p1 bra END;
  mul.wide.u32 %y1, %x1, 3;
  sub.u32 %x2, %x1, 1;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %x2;
    call.uni (q), fib, (p);
    ld.param.b32 %x3, [q]; }
  cvt.u32.u64 %x6, %y1;
  sub.u32 %x6, %x6, %x1;
  sub.u32 %x6, %x6, %x1;
  sub.u32 %x2, %x6, 2;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %x2;
    call.uni (q), fib, (p);
    ld.param.b32 %x4, [q]; }
  add.u32 %x5, %x3, %x4;
END:
  st.param.b32 [r], %x5;
  ret;
}
)";

std::uint32_t fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST(Recursion, DirectInLanesThatGoDifferentlyDeep) {
  expect_words(kernel(R"(
    and.b32 %r4, %r2, 7;
    mul.wide.u32 %rd10, %r2, 5;
    mov.u32 %r11, %laneid;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p], %r4;
      call.uni (q), fib, (p);
      ld.param.b32 %r3, [q]; }
    cvt.u32.u64 %r5, %rd10;
    add.u32 %r3, %r3, %r5;
    add.u32 %r3, %r3, %r11;
)",
                      kFibonacci),
               [](unsigned t) { return fibonacci(t % 8) + 5 * t + t % 32; });
}

TEST(Recursion, MutualWithGuardedCalls) {
  const char* const both = R"(
.func (.reg .u32 r) odd (.reg .u32 n);
.func (.reg .u32 r) even (.reg .u32 n)
{
  .reg .pred %p<2>;
  .reg .u32 %x<2>;
  mov.u32 r, 1;
  setp.ne.u32 %p1, n, 0;
  sub.u32 %x1, n, 1;
  @%p1 call (r), odd, (%x1);
  ret;
}
.func (.reg .u32 r) odd (.reg .u32 n)
{
  .reg .pred %p<2>;
  .reg .u32 %x<2>;
  mov.u32 r, 0;
  setp.ne.u32 %p1, n, 0;
  sub.u32 %x1, n, 1;
  @%p1 call (r), even, (%x1);
  ret;
}
)";
  expect_words(kernel("and.b32 %r4, %r2, 31; call (%r3), even, (%r4); mad.lo.u32 %r3, %r3, 100, %r2;", both),
               [](unsigned t) { return (t % 2 == 0 ? 100 : 0) + t; });
}

TEST(Recursion, EachCallHasItsOwnVariablesAndArguments) {
  // Arguments and results of 24 bytes; the array of a call is written through its address by the call below.
  const char* const chain = R"(
.func (.param .align 8 .b8 r[24]) down (.param .align 8 .b8 a[24], .param .b64 above)
{
  .local .align 32 .b8 mine[32];
  .reg .b32 %x<16>;
  .reg .b64 %y<8>;
  .reg .pred %p<2>;
  ld.param.u32 %x1, [a];
  ld.param.u64 %y1, [above];
  st.u32 [%y1], %x1;
  mov.u64 %y2, mine;
  cvta.local.u64 %y3, %y2;
  st.local.u32 [%y2+4], %x1;
  st.local.u32 [mine+8], %x1;
  mov.u32 %x9, 0;
  mov.u32 %x2, %x1;
  setp.eq.u32 %p1, %x1, 0;
  @%p1 bra END;
  sub.u32 %x3, %x1, 1;
  { .param .align 8 .b8 p[24]; .param .b64 p2; .param .align 8 .b8 q[24];
    ld.param.u32 %x4, [a+20];
    add.u32 %x4, %x4, 1;
    st.param.b32 [p], %x3;
    st.param.b32 [p+20], %x4;
    st.param.b64 [p2], %y3;
    call.uni (q), down, (p, p2);
    ld.param.b32 %x2, [q+16];
    ld.param.b32 %x9, [q+12]; }
  ld.local.u32 %x5, [mine];
  ld.local.u32 %x6, [%y2+4];
  ld.local.u32 %x7, [mine+8];
  mad.lo.u32 %x2, %x2, 3, %x5;
  add.u32 %x2, %x2, %x6;
  add.u32 %x2, %x2, %x7;
END:
  ld.param.u32 %x8, [a+20];
  add.u32 %x9, %x9, %x8;
  st.param.b32 [r+16], %x2;
  st.param.b32 [r+12], %x9;
  ret;
}
)";
  const std::string text = kernel(R"(
    .local .align 4 .b8 top[8];
    and.b32 %r4, %r2, 7;
    mov.u64 %rd4, top;
    cvta.local.u64 %rd5, %rd4;
    { .param .align 8 .b8 p[24]; .param .b64 p2; .param .align 8 .b8 q[24];
      st.param.b32 [p], %r4;
      st.param.b32 [p+20], 5;
      st.param.b64 [p2], %rd5;
      call.uni (q), down, (p, p2);
      ld.param.b32 %r3, [q+16];
      ld.param.b32 %r5, [q+12]; }
    ld.local.u32 %r6, [top];
    mad.lo.u32 %r3, %r3, 1000, %r5;
    mad.lo.u32 %r3, %r3, 10, %r6;
)",
                                  chain);
  expect_words(text, [](unsigned t) {
    const unsigned depth = t % 8;
    std::uint32_t value = 0;
    for (unsigned d = 1; d <= depth; ++d) value = 3 * value + (d - 1) + d + d;
    std::uint32_t sum = 0;
    for (unsigned d = 0; d <= depth; ++d) sum += 5 + d;
    return (value * 1000 + sum) * 10 + depth;
  });
}

TEST(Recursion, FunctionsOfTheCircleCallOthersThatHaveOneFrame) {
  const std::string functions = std::string(R"(
.func (.param .b32 r) leaf (.param .b32 a)
{
  .local .align 4 .b8 mine[8];
  .reg .b32 %x<4>;
  ld.param.u32 %x1, [a];
  st.local.u32 [mine+4], %x1;
  ld.local.u32 %x2, [mine+4];
  add.u32 %x2, %x2, 1;
  st.param.b32 [r], %x2;
  ret;
}
.func (.param .b32 r) sum (.param .b32 n)
{
  .reg .b32 %x<8>;
  .reg .pred %p<2>;
  ld.param.u32 %x1, [n];
  mov.u32 %x4, 0;
  setp.eq.u32 %p1, %x1, 0;
  @%p1 bra END;
  sub.u32 %x2, %x1, 1;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %x2;
    call.uni (q), sum, (p);
    ld.param.b32 %x3, [q]; }
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %x1;
    call.uni (q), leaf, (p);
    ld.param.b32 %x4, [q]; }
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], 5;
    call.uni (q), fib, (p);
    ld.param.b32 %x5, [q]; }
  add.u32 %x4, %x4, %x3;
  add.u32 %x4, %x4, %x5;
END:
  st.param.b32 [r], %x4;
  ret;
}
)");
  expect_words(kernel(R"(
    and.b32 %r4, %r2, 7;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p], %r4;
      call.uni (q), sum, (p);
      ld.param.b32 %r3, [q]; }
)",
                      kFibonacci + functions),
               [](unsigned t) {
                 std::uint32_t sum = 0;
                 for (unsigned i = 1; i <= t % 8; ++i) sum += i + 1 + 5;
                 return sum;
               });
}

TEST(Recursion, AllLanesOfALargeWarp) {
  // 64 threads in two warps that reconverge after the calls.
  expect_words(kernel(R"(
    shr.u32 %r4, %r2, 3;
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p], %r4;
      call.uni (q), fib, (p);
      ld.param.b32 %r5, [q]; }
    bar.sync 0;
    vote.sync.all.pred %p1, 1, 0xffffffff;
    selp.u32 %r3, %r5, 0, %p1;
)",
                      kFibonacci),
               [](unsigned t) { return fibonacci(t / 8); });
}

const char* const kEndless = R"(
.func forever (.param .b32 n)
{
  .reg .b32 %x<4>;
  ld.param.u32 %x1, [n];
  add.u32 %x1, %x1, 1;
  { .param .b32 p;
    st.param.b32 [p], %x1;
    call.uni forever, (p); }
  ret;
}
)";

TEST(Recursion, WithoutEndIsStoppedWithFunctionSizesAndThread) {
  const std::string text = kernel(R"(
    setp.ne.u32 %p1, %r2, 5;
    @%p1 bra OUT;
    { .param .b32 p;
      st.param.b32 [p], 0;
      call.uni forever, (p); }
OUT:
)",
                                  kEndless);
  const Outcome outcome = run(module_of(text));
  EXPECT_THAT(outcome.fault,
              HasSubstr("call stack overflow: forever takes 16 bytes per call, and 1024 of the thread's 1024 bytes are "
                        "taken, 64 calls deep"));
  EXPECT_THAT(outcome.fault, HasSubstr("cudaDeviceSetLimit(cudaLimitStackSize, bytes)"));
  EXPECT_THAT(outcome.fault, HasSubstr("thread (5,0,0)"));
  EXPECT_THAT(outcome.fault, HasSubstr(" k"));
}

TEST(Recursion, StackIsAsLargeAsAskedFor) {
  const std::string text = kernel("call.uni forever, (%r2);", kEndless);
  const Outcome outcome = run_with_stack(text, 4096);
  EXPECT_THAT(outcome.fault, HasSubstr("4096 of the thread's 4096 bytes are taken, 256 calls deep"));
  EXPECT_EQ(outcome.program.stack_bytes, 4096U);
  EXPECT_EQ(outcome.program.local_bytes, 4096U);
}

const char* const kThroughPointers = R"(
.func (.param .b32 r) a (.param .b32 n);
.global .u64 pointer = a;
.func (.param .b32 r) a (.param .b32 n)
{
  .reg .b32 %x<4>;
  .reg .b64 %y<2>;
  .reg .pred %p<2>;
  ld.param.u32 %x1, [n];
  mov.u32 %x3, 0;
  setp.eq.u32 %p1, %x1, 0;
  @%p1 bra END;
  sub.u32 %x2, %x1, 1;
  ld.global.u64 %y1, [pointer];
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %x2;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q), %y1, (p), P;
    ld.param.b32 %x3, [q]; }
  add.u32 %x3, %x3, %x1;
END:
  st.param.b32 [r], %x3;
  ret;
}
)";
const char* const kCallsA = R"(
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p], %r2;
      call (q), a, (p);
      ld.param.b32 %r3, [q]; }
)";

TEST(Recursion, ThroughPointersHasOneFrameUnlessAStackIsAskedFor) {
  const std::string text = kernel(kCallsA, kThroughPointers);
  const Outcome plain = run(module_of(text), 255, 1);
  EXPECT_EQ(plain.fault, "");
  EXPECT_TRUE(plain.program.may_recurse);
  EXPECT_EQ(plain.program.stack_bytes, 0U);
  const Outcome stopped = run(module_of(text), 255, 2);
  EXPECT_THAT(stopped.fault, HasSubstr("recursion: a is called through a pointer while it is running"));
  EXPECT_THAT(stopped.fault, HasSubstr("cudaDeviceSetLimit(cudaLimitStackSize, bytes)"));
  const Outcome stacked = run_with_stack(text, 2048, 20);
  EXPECT_EQ(stacked.fault, "");
  EXPECT_FALSE(stacked.program.may_recurse);
  for (unsigned t = 0; t < 20; ++t) EXPECT_EQ(stacked.words[t], t * (t + 1) / 2) << t;
}

TEST(Recursion, ProgramsWithoutItHaveNoStack) {
  const std::string text = kernel(R"(
    { .param .b32 p; .param .b32 q;
      st.param.b32 [p], %r2;
      call (q), twice, (p);
      ld.param.b32 %r3, [q]; }
)",
                                  R"(
.func (.param .b32 r) twice (.param .b32 a)
{
  .reg .b32 %x<2>;
  ld.param.u32 %x1, [a];
  add.u32 %x1, %x1, %x1;
  st.param.b32 [r], %x1;
  ret;
}
)");
  const isa::Module module = module_of(text);
  isa::LinkOptions options = link_options(module, 255);
  const auto without = compile(module, "k", options);
  options.stack_bytes = 4096;
  options.stack_for_pointers = true;
  const auto with = compile(module, "k", options);
  EXPECT_EQ(without->spellings, with->spellings);
  EXPECT_EQ(without->registers, with->registers);
  EXPECT_EQ(with->local_bytes, 0U);
  EXPECT_EQ(with->stack_bytes, 0U);
  EXPECT_FALSE(with->may_recurse);
}

}  // namespace
}  // namespace castor::compiler::test::compiler_recursion_test

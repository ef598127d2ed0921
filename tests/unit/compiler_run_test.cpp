// Tests that compiled kernels have the same, right results with every register limit.

#include <cmath>

#include "compiler_shadow.h"
#include "compiler_support.h"

namespace castor::compiler::test::compiler_run_test {
namespace {

const unsigned kLimits[] = {16, 20, 24, 32, 64, 255};

/// Runs the kernel with every limit and compares thread by thread; the shadow has to agree as well.
template <class F>
void expect_words(const std::string& text, const F& expected, unsigned threads = 64, std::uint32_t n = 7) {
  const isa::Module module = module_of(text);
  for (const unsigned limit : kLimits) {
    const Outcome outcome = run(module, limit, threads, threads, n);
    ASSERT_EQ(outcome.fault, "") << "limit " << limit;
    for (unsigned t = 0; t < threads; ++t)
      ASSERT_EQ(outcome.words[t], static_cast<std::uint32_t>(expected(t))) << "thread " << t << ", limit " << limit;
    EXPECT_LE(outcome.program.registers, limit);
    expect_sound(module, "k", limit);
  }
}

TEST(Run, StraightLineAndSpecialRegisters) {
  expect_words(kernel(R"(
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r5, %r2, %r4, 5;
    add.u32 %r3, %r5, %laneid;
)"),
               [](unsigned t) { return t * 64 + 5 + t % 32; });
}

TEST(Run, LoopWithDivergentTripCount) {
  expect_words(kernel(R"(
    mov.u32 %r4, 0;
LOOP:
    setp.ge.u32 %p1, %r4, %r2;
    @%p1 bra DONE;
    add.u32 %r3, %r3, %r4;
    add.u32 %r4, %r4, 1;
    bra LOOP;
DONE:
)"),
               [](unsigned t) { return t * (t - 1) / 2; });
}

/// Returns a kernel in which twenty values of each width are live at once: more than fit into a small register limit.
std::string many_values(const std::string& middle) {
  std::string body;
  for (int i = 0; i < 20; ++i) {
    const std::string k = std::to_string(100 + i);
    body += "  mad.lo.u32 %r" + k + ", %r2, " + std::to_string(i * 3 + 1) + ", " + std::to_string(i) + ";\n";
    body += "  mul.wide.u32 %rd" + k + ", %r" + k + ", 77777;\n";
  }
  body += middle;
  body += "  mov.u64 %rd50, 0;\n";
  for (int i = 0; i < 20; ++i) {
    const std::string k = std::to_string(100 + i);
    body += "  add.u32 %r3, %r3, %r" + k + ";\n  add.u64 %rd50, %rd50, %rd" + k + ";\n";
  }
  return body + "  shr.u64 %rd51, %rd50, 13;\n  cvt.u32.u64 %r50, %rd51;\n  xor.b32 %r3, %r3, %r50;\n";
}

std::uint32_t many_values_expected(unsigned t, std::uint32_t start) {
  std::uint32_t sum = start;
  std::uint64_t wide = 0;
  for (unsigned i = 0; i < 20; ++i) {
    const std::uint32_t v = t * (i * 3 + 1) + i;
    sum += v;
    wide += std::uint64_t{v} * 77777;
  }
  return sum ^ static_cast<std::uint32_t>(wide >> 13);
}

TEST(Run, SpillsWithoutChangingResults) {
  const std::string text = kernel(many_values(""));
  expect_words(text, [](unsigned t) { return many_values_expected(t, 0); });
  const isa::Module module = module_of(text);
  EXPECT_GT(run(module, 24).program.spill_bytes, 0U);
  EXPECT_EQ(run(module, 255).program.spill_bytes, 0U);
  EXPECT_EQ(run(module, 255).program.local_bytes, 0U);
}

TEST(Run, KeepsSinglesOfWaitingLanesFromPairs) {
  // The lanes that take the branch run first and wait at MEET with twelve single registers. The others then compute in
  // pairs, whose values are dead before MEET.
  std::string body = "  and.b32 %r4, %r2, 1;\n  setp.eq.u32 %p1, %r4, 1;\n  @%p1 bra SINGLES;\n  mov.u64 %rd10, 0;\n";
  for (int i = 0; i < 12; ++i)
    body += "  mad.wide.u32 %rd" + std::to_string(200 + i) + ", %r2, " + std::to_string(i + 5) + ", 4096;\n";
  for (int i = 0; i < 12; ++i) body += "  add.u64 %rd10, %rd10, %rd" + std::to_string(200 + i) + ";\n";
  body += "  cvt.u32.u64 %r5, %rd10;\n";
  for (int i = 0; i < 12; ++i) body += "  add.u32 %r" + std::to_string(200 + i) + ", %r5, " + std::to_string(i) + ";\n";
  body += "  bra MEET;\nSINGLES:\n";
  for (int i = 0; i < 12; ++i)
    body += "  mad.lo.u32 %r" + std::to_string(200 + i) + ", %r2, " + std::to_string(i + 3) + ", 9;\n";
  body += "MEET:\n";
  for (int i = 0; i < 12; ++i) body += "  mad.lo.u32 %r3, %r3, 3, %r" + std::to_string(200 + i) + ";\n";
  expect_words(kernel(body), [](unsigned t) {
    std::uint32_t wide = 0;
    for (unsigned i = 0; i < 12; ++i) wide += t * (i + 5) + 4096;
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < 12; ++i) sum = sum * 3 + (t % 2 == 0 ? wide + i : t * (i + 3) + 9);
    return sum;
  });
}

TEST(Run, KeepsPairsOfWaitingLanesFromSingles) {
  // The same with the widths exchanged, in a loop that lanes leave at different times with live pairs.
  std::string body = "  mov.u32 %r4, 0;\nLOOP:\n";
  for (int i = 0; i < 12; ++i)
    body += "  mad.lo.u32 %r" + std::to_string(200 + i) + ", %r4, " + std::to_string(i + 3) + ", %r2;\n";
  body += "  mov.u32 %r5, 0;\n";
  for (int i = 0; i < 12; ++i) body += "  mad.lo.u32 %r5, %r5, 3, %r" + std::to_string(200 + i) + ";\n";
  for (int i = 0; i < 6; ++i)
    body += "  mul.wide.u32 %rd" + std::to_string(200 + i) + ", %r5, " + std::to_string(i + 1) + ";\n";
  body += "  add.u32 %r4, %r4, 1;\n  setp.le.u32 %p1, %r4, %r2;\n  @%p1 bra LOOP;\n  mov.u64 %rd10, 0;\n";
  for (int i = 0; i < 6; ++i) body += "  mad.lo.u64 %rd10, %rd10, 5, %rd" + std::to_string(200 + i) + ";\n";
  body += "  cvt.u32.u64 %r3, %rd10;\n";
  expect_words(kernel(body), [](unsigned t) {
    std::uint32_t five = 0;
    for (unsigned i = 0; i < 12; ++i) five = five * 3 + t * (i + 3) + t;
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 6; ++i) sum = sum * 5 + std::uint64_t{five} * (i + 1);
    return static_cast<std::uint32_t>(sum);
  });
}

TEST(Run, MoreThanEightPredicates) {
  std::string body;
  for (int i = 0; i < 20; ++i)
    body +=
        "  and.b32 %r5, %r2, " + std::to_string(i + 1) + ";\n  setp.ne.u32 %p" + std::to_string(10 + i) + ", %r5, 0;\n";
  for (int i = 0; i < 20; ++i)
    body += "  @%p" + std::to_string(10 + i) + " add.u32 %r3, %r3, " + std::to_string(1 << i) + ";\n";
  expect_words(kernel(body), [](unsigned t) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < 20; ++i) sum += (t & (i + 1)) != 0 ? 1U << i : 0;
    return sum;
  });
  EXPECT_EQ(run(module_of(kernel(body))).program.predicates, 8U);
}

TEST(Run, GuardedWritesKeepOldValues) {
  expect_words(kernel(R"(
    setp.lt.u32 %p1, %r2, 10;
    setp.gt.u32 %p2, %r2, 20;
    mov.u32 %r3, 100;
    @%p1 mov.u32 %r3, 200;
    @!%p1 add.u32 %r4, %r2, 1;
    @%p2 add.u32 %r3, %r3, %r4;
    @%p1 setp.eq.u32 %p1, %r2, 3;
    @%p1 add.u32 %r3, %r3, 7;
)"),
               [](unsigned t) { return (t < 10 ? 200 : 100) + (t > 20 ? t + 1 : 0) + (t == 3 ? 7 : 0); });
}

TEST(Run, BothResultsOfAComparison) {
  expect_words(kernel(R"(
    setp.lt.u32 %p3, %r2, 30;
    setp.gt.and.u32 %p1|%p2, %r2, 5, %p3;
    @%p1 add.u32 %r3, %r3, 1;
    @%p2 add.u32 %r3, %r3, 10;
    setp.lt.u32 %p4, %r2, 50;
    setp.gt.or.u32 %p4|%p5, %r2, 55, !%p4;
    @%p4 add.u32 %r3, %r3, 100;
    @%p5 add.u32 %r3, %r3, 1000;
)"),
               [](unsigned t) {
                 // p = (a > b) and c, q = !(a > b) and c.
                 const bool c = t < 30;
                 const bool d = !(t < 50);
                 return (t > 5 && c ? 1 : 0) + (!(t > 5) && c ? 10 : 0) + (t > 55 || d ? 100 : 0) +
                        (!(t > 55) || d ? 1000 : 0);
               });
}

TEST(Run, AnInstructionMayWriteItsOwnGuard) {
  // The other results are spilled under small limits, and their stores cannot use the guard any more.
  std::string body;
  for (int i = 0; i < 20; ++i) {
    const std::string k = std::to_string(i);
    body += "  mad.lo.u32 %r" + std::to_string(100 + i) + ", %r2, " + k + ", 5;\n";
    body += "  and.b32 %r60, %r2, " + std::to_string(i | 1) + ";\n  setp.ne.u32 %p" + std::to_string(10 + i) +
            ", %r60, 0;\n";
  }
  for (int i = 0; i < 20; ++i) {
    // Even lanes take the value of the lane four below, if there is one. Only then do they compare.
    body += "  and.b32 %r60, %r2, 1;\n  setp.eq.u32 %p1, %r60, 0;\n";
    body += "  @%p1 shfl.up.b32 %r" + std::to_string(100 + i) + "|%p1, %r2, 4, 0;\n";
    body += "  @%p1 add.u32 %r3, %r3, 1;\n";
    body += "  @%p1 setp.gt.u32 %p1|%p" + std::to_string(10 + i) + ", %r2, " + std::to_string(2 * i) + ";\n";
    body += "  @%p1 add.u32 %r3, %r3, 100;\n";
  }
  for (int i = 0; i < 20; ++i) {
    body += "  add.u32 %r3, %r3, %r" + std::to_string(100 + i) + ";\n";
    body += "  @%p" + std::to_string(10 + i) + " add.u32 %r3, %r3, " + std::to_string(1 << (10 + i)) + ";\n";
  }
  expect_words(kernel(body), [](unsigned t) {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < 20; ++i) {
      const bool even = t % 2 == 0;
      const bool below = even && t % 32 >= 4;
      sum += (below ? 1U + (t > 2 * i ? 100U : 0U) : 0U) + (below ? t - 4 : even ? t : t * i + 5);
      const bool flag = below ? t <= 2 * i : (t & (i | 1U)) != 0;
      sum += flag ? 1U << (10 + i) : 0;
    }
    return sum;
  });
}

TEST(Run, CarryChainsUnderPredicatePressure) {
  std::string body;
  for (int i = 0; i < 8; ++i)
    body += "  setp.gt.u32 %p" + std::to_string(20 + i) + ", %r2, " + std::to_string(i * 8) + ";\n";
  body += R"(
    not.b32 %r4, 0;
    add.cc.u32 %r5, %r4, %r2;
    addc.cc.u32 %r6, %r4, 0;
    addc.u32 %r7, 5, 0;
)";
  for (int i = 0; i < 8; ++i) body += "  @%p" + std::to_string(20 + i) + " add.u32 %r3, %r3, 16;\n";
  body += "  add.u32 %r3, %r3, %r5;\n  add.u32 %r3, %r3, %r6;\n  add.u32 %r3, %r3, %r7;\n";
  expect_words(kernel(body), [](unsigned t) {
    const std::uint64_t wide = 0xffffffffffffffffu + std::uint64_t{t};  // low two words of the sum
    const std::uint32_t carry = t > 0 ? 1 : 0;
    std::uint32_t sum = static_cast<std::uint32_t>(wide) + static_cast<std::uint32_t>(wide >> 32) + 5 + carry;
    for (unsigned i = 0; i < 8; ++i) sum += t > i * 8 ? 16 : 0;
    return sum;
  });
}

TEST(Run, PacksAndUnpacks) {
  expect_words(kernel(R"(
    add.u32 %r4, %r2, 1000;
    mov.b64 %rd4, {%r2, %r4};
    mov.b64 {%r5, %r6}, %rd4;
    mov.b32 {%h1, %h2}, %r4;
    mov.b32 %r7, {%h2, %h1};
    mov.b64 {%r6, %r5}, %rd4;
    mov.b64 {%h3, %h4, %h5, %h6}, %rd4;
    mov.b64 %rd5, {%h6, %h5, %h4, %h3};
    mov.b64 {_, %r8}, %rd5;
    sub.u32 %r3, %r5, %r6;
    xor.b32 %r3, %r3, %r7;
    add.u32 %r3, %r3, %r8;
)"),
               [](unsigned t) { return ((1000U) ^ ((t + 1000) << 16)) + (t << 16); });
}

TEST(Run, VectorsInAnyArrangement) {
  expect_words(kernel(R"(
    .shared .align 16 .b8 buffer[2048];
    shl.b32 %r4, %r2, 4;
    mov.u32 %r5, buffer;
    add.u32 %r5, %r5, %r4;
    add.u32 %r6, %r2, 1;
    add.u32 %r7, %r2, 2;
    st.shared.v4.u32 [%r5], {%r7, %r6, %r2, 40};
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];
    ld.shared.v2.u32 {%r12, %r10}, [%r5];
    ld.shared.v4.u32 {_, %r14, _, %r15}, [%r5];
    st.shared.v2.u32 [%r5], {%r10, %r10};
    ld.shared.v2.u64 {%rd10, %rd11}, [%r5];
    cvt.u32.u64 %r16, %rd10;
    shr.u64 %rd11, %rd11, 32;
    cvt.u32.u64 %r17, %rd11;
    mad.lo.u32 %r3, %r10, 3, %r11;
    mad.lo.u32 %r3, %r3, 3, %r12;
    mad.lo.u32 %r3, %r3, 3, %r13;
    mad.lo.u32 %r3, %r3, 3, %r14;
    mad.lo.u32 %r3, %r3, 3, %r15;
    mad.lo.u32 %r3, %r3, 3, %r16;
    mad.lo.u32 %r3, %r3, 3, %r17;
)"),
               [](unsigned t) {
                 const std::uint32_t v[] = {t + 1, t + 1, t + 2, 40, t + 1, 40, t + 1, 40};
                 std::uint32_t sum = 0;
                 for (const std::uint32_t x : v) sum = sum * 3 + x;
                 return sum;
               });
}

TEST(Run, RegistersWiderThanTheType) {
  expect_words(kernel(R"(
    .local .align 8 .b8 room[16];
    mov.u64 %rd4, room;
    neg.s32 %r4, %r2;
    st.local.u32 [%rd4], %r4;
    ld.local.s8 %rd5, [%rd4];
    ld.local.u16 %rd6, [%rd4];
    ld.local.s32 %rd7, [%rd4];
    st.local.u16 [%rd4+8], %rd5;
    ld.local.u16 %r5, [%rd4+8];
    cvt.s64.s8 %rd8, %rd6;
    cvt.u32.u8 %r6, %r4;
    cvt.s16.s8 %h1, %r4;
    cvt.s32.s16 %r7, %h1;
    add.u64 %rd9, %rd5, %rd6;
    add.u64 %rd9, %rd9, %rd7;
    add.u64 %rd9, %rd9, %rd8;
    cvt.u32.u64 %r8, %rd9;
    add.u32 %r3, %r5, %r6;
    add.u32 %r3, %r3, %r7;
    add.u32 %r3, %r3, %r8;
)"),
               [](unsigned t) {
                 const auto v = static_cast<std::int32_t>(0 - t);
                 const std::uint32_t low16 = static_cast<std::uint16_t>(v);
                 const std::uint32_t byte = static_cast<std::uint8_t>(v);
                 const auto s8 = static_cast<std::int8_t>(v);
                 const auto wide = static_cast<std::uint32_t>(s8 + static_cast<std::int32_t>(low16) + v + s8);
                 return static_cast<std::uint16_t>(s8) + byte + static_cast<std::uint32_t>(s8) + wide;
               });
}

TEST(Run, BranchTables) {
  expect_words(kernel(R"(
    rem.u32 %r4, %r2, 5;
TABLE: .branchtargets A, B, C, B, D;
    brx.idx %r4, TABLE;
A:  add.u32 %r3, %r3, 1;
B:  add.u32 %r3, %r3, 10;
    bra END;
C:  add.u32 %r3, %r3, 100;
D:  add.u32 %r3, %r3, 1000;
END:
    add.u32 %r3, %r3, %r2;
)"),
               [](unsigned t) {
                 const unsigned sums[] = {11, 10, 1100, 10, 1000};
                 return sums[t % 5] + t;
               });
}

TEST(Run, UnstructuredLoopWithTwoEntriesAndThreeExits) {
  expect_words(kernel(R"(
    mov.u32 %r4, %r2;
    and.b32 %r5, %r2, 1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra SECOND;
FIRST:
    add.u32 %r3, %r3, 3;
    setp.gt.u32 %p2, %r3, 60;
    @%p2 bra OUT;
SECOND:
    add.u32 %r3, %r3, 5;
    setp.lt.u32 %p3, %r4, 4;
    @%p3 bra OTHER;
    sub.u32 %r4, %r4, 4;
    setp.eq.u32 %p4, %r4, 17;
    @%p4 bra OUT;
    bra FIRST;
OTHER:
    add.u32 %r3, %r3, 1000;
OUT:
    add.u32 %r3, %r3, %r4;
)"),
               [](unsigned t) {
                 std::uint32_t sum = 0;
                 std::uint32_t left = t;
                 bool first = t % 2 != 0;
                 for (;;) {
                   if (first) {
                     sum += 3;
                     if (sum > 60) break;
                   }
                   first = true;
                   sum += 5;
                   if (left < 4) {
                     sum += 1000;
                     break;
                   }
                   left -= 4;
                   if (left == 17) break;
                 }
                 return sum + left;
               });
}

TEST(Run, BarrierInALoopAfterDivergence) {
  expect_words(kernel(R"(
    .shared .align 4 .b8 cells[256];
    mov.u32 %r5, cells;
    shl.b32 %r6, %r2, 2;
    add.u32 %r6, %r5, %r6;
    st.shared.u32 [%r6], %r2;
    mov.u32 %r7, 0;
AGAIN:
    bar.sync 0;
    xor.b32 %r8, %r2, 1;
    shl.b32 %r8, %r8, 2;
    add.u32 %r8, %r5, %r8;
    ld.shared.u32 %r9, [%r8];
    bar.sync 0;
    setp.lt.u32 %p1, %r2, 20;
    @%p1 bra SKIP;
    add.u32 %r9, %r9, 1;
SKIP:
    st.shared.u32 [%r6], %r9;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p2, %r7, 4;
    @%p2 bra AGAIN;
    ld.shared.u32 %r3, [%r6];
)"),
               [](unsigned t) { return t < 20 ? t : t + 4; });
}

TEST(Run, PrintsThroughVprintf) {
  const std::string text = kernel(R"(
    .local .align 8 .b8 pack[16];
    mov.u64 %rd4, pack;
    setp.ne.u32 %p1, %r2, 1;
    @%p1 bra NOT;
    st.local.u32 [%rd4], %r2;
    mov.u32 %r5, 77;
    st.local.u32 [%rd4+4], %r5;
    cvta.local.u64 %rd5, %rd4;
    mov.u64 %rd6, format;
    cvta.global.u64 %rd7, %rd6;
    {
    .param .b64 p0;
    st.param.b64 [p0+0], %rd7;
    .param .b64 p1;
    st.param.b64 [p1+0], %rd5;
    .param .b32 result;
    call.uni (result), vprintf, (p0, p1);
    ld.param.b32 %r3, [result+0];
    }
NOT:
)",
                                  ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                                  ".global .align 1 .b8 format[10] = {37, 100, 32, 37, 100, 33, 10, 0};\n");
  for (const unsigned limit : kLimits) {
    const Outcome outcome = run(module_of(text), limit);
    EXPECT_EQ(outcome.fault, "");
    EXPECT_EQ(outcome.printed, "1 77!\n") << limit;
    EXPECT_TRUE(std::any_of(outcome.program.code.begin(), outcome.program.code.end(),
                            [](const isa::Record& record) { return record.kind == isa::Kind::kSystemCall; }));
  }
}

TEST(Run, SharedVariablesDoNotOverlap) {
  const std::string text = kernel(R"(
    .shared .align 8 .b8 inner[264];
    mov.u32 %r4, %r2;
    shl.b32 %r5, %r2, 2;
    mov.u32 %r6, outer;
    add.u32 %r6, %r6, %r5;
    mov.u32 %r7, inner;
    add.u32 %r7, %r7, %r5;
    mov.u32 %r8, dynamic;
    add.u32 %r8, %r8, %r5;
    st.shared.u32 [%r6], 1;
    st.shared.u32 [%r7], 20;
    st.shared.u32 [%r8], 300;
    ld.shared.u32 %r9, [%r6];
    ld.shared.u32 %r10, [%r7];
    mov.u64 %rd8, dynamic;
    cvta.shared.u64 %rd8, %rd8;
    cvt.u64.u32 %rd9, %r5;
    add.u64 %rd8, %rd8, %rd9;
    ld.u32 %r11, [%rd8];
    add.u32 %r3, %r9, %r10;
    add.u32 %r3, %r3, %r11;
)",
                                  ".shared .align 4 .b8 outer[256];\n.shared .align 4 .b8 never[99999];\n"
                                  ".extern .shared .align 16 .b8 dynamic[];\n");
  const Outcome outcome = run(module_of(text), 255, 64, 64, 7, 256);
  EXPECT_EQ(outcome.fault, "");
  for (const std::uint32_t word : outcome.words) ASSERT_EQ(word, 321U);
  EXPECT_EQ(outcome.program.shared_bytes, 528U);  // 256 + 264, up to a multiple of 16
  EXPECT_TRUE(outcome.program.uses_dynamic_shared);
}

TEST(Run, ParametersByAddress) {
  const std::string text = R"(
.visible .entry k(.param .u64 out, .param .align 8 .b8 s[24])
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.b64 %rd2, s;
  rem.u32 %r2, %r1, 6;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.param.u32 %r3, [%rd4];
  cvta.param.u64 %rd5, %rd4;
  ld.u32 %r4, [%rd5];
  ld.param.u32 %r5, [s+20];
  shl.b32 %r4, %r4, 8;
  shl.b32 %r5, %r5, 16;
  add.u32 %r3, %r3, %r4;
  add.u32 %r3, %r3, %r5;
  mul.wide.u32 %rd6, %r1, 4;
  add.s64 %rd6, %rd1, %rd6;
  st.global.u32 [%rd6], %r3;
  ret;
}
)";
  const isa::Module module = module_of(text);
  gpu::Device& gpu = device();
  gpu.reset();
  const auto program = compile(module, "k", link_options(module, 255));
  ASSERT_EQ(program->parameter_bytes, 32U);
  ASSERT_EQ(program->parameters[1].offset, 8U);
  const std::uint64_t out = *gpu.store().allocate(256, gpu::AllocationKind::kHeap);
  gpu::KernelPacket packet;
  packet.program = gpu.load(program);
  packet.block.x = 64;
  packet.parameters.resize(32);
  std::memcpy(packet.parameters.data(), &out, 8);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t value = i + 1;
    std::memcpy(packet.parameters.data() + 8 + 4 * i, &value, 4);
  }
  (void)gpu.advance_until(gpu.submit(0, packet));
  ASSERT_FALSE(gpu.fault()) << gpu.fault()->message;
  for (std::uint32_t t = 0; t < 64; ++t) {
    std::uint32_t word;
    std::memcpy(&word, gpu.store().host(out + 4 * t), 4);
    const std::uint32_t v = t % 6 + 1;
    ASSERT_EQ(word, v + (v << 8) + (6U << 16));
  }
}

}  // namespace
}  // namespace castor::compiler::test::compiler_run_test

// Marks of redundant instructions: classes, joins, renamed registers, and the check when a program enters a device.

#include <algorithm>

#include "castor/isa/mark_check.h"
#include "compiler/mark_list.h"
#include "compiler/marks.h"
#include "unit/compiler_support.h"

namespace castor::compiler::test {
namespace {

using isa::Mark;
using testing::HasSubstr;

struct Marked {
  isa::Program before;
  isa::Program program;
  MarkReport report;

  /// Returns the class of the only record whose disassembly contains `text`.
  [[nodiscard]] Mark class_of(const std::string& text) const { return report.classes[record(text)]; }
  [[nodiscard]] Mark mark_of(const std::string& text) const {
    return program.marks.empty() ? Mark::kVector : static_cast<Mark>(program.marks[record(text)]);
  }
  [[nodiscard]] std::string reason(const std::string& text) const { return report.reasons[record(text)]; }
  [[nodiscard]] std::uint32_t record(const std::string& text) const {
    std::uint32_t found = 0, count = 0;
    for (std::uint32_t i = 0; i < program.spellings.size(); ++i) {
      if (program.spellings[i].find(text) == std::string::npos) continue;
      found = i;
      ++count;
    }
    EXPECT_EQ(count, 1U) << text;
    return found;
  }
};

Marked marked(const isa::Module& module, isa::MarkOptions options = {}, unsigned limit = 255) {
  if (options.rule == isa::MarkRule::kOff) options.rule = isa::MarkRule::kSound;
  isa::LinkOptions link;
  link.max_registers = limit;
  Marked result;
  result.before = inspect(module, "k", link);
  result.program = result.before;
  result.report = mark(result.program, options);
  EXPECT_EQ(isa::find_wrong_mark(result.program), std::nullopt);
  return result;
}
Marked marked(const std::string& body, const isa::MarkOptions& options = {}, const std::string& before = {},
              bool finish = true) {
  return marked(module_of(kernel(body, before, finish)), options);
}

TEST(Marks, AreOffUnlessAskedFor) {
  const isa::Module module = module_of(kernel("add.u32 %r3, %r1, 1234;"));
  const isa::Program plain = inspect(module, "k", {});
  EXPECT_TRUE(plain.marks.empty());
  EXPECT_EQ(plain.renamed_registers, 0U);
  isa::LinkOptions options;
  options.marks.rule = isa::MarkRule::kSound;
  const isa::Program with = inspect(module, "k", options);
  EXPECT_EQ(with.marks.size(), with.code.size());
  EXPECT_GT(with.renamed_registers, 0U);
}

// Each source of redundancy, with the value computed from it. The immediates distinguish the records.
TEST(Marks, ClassesOfSeeds) {
  const struct {
    const char* source;
    Mark expected;
  } cases[] = {{"%ctaid.x", Mark::kRedundant},  {"%ctaid.y", Mark::kRedundant},    {"%ctaid.z", Mark::kRedundant},
               {"%ntid.x", Mark::kRedundant},   {"%ntid.y", Mark::kRedundant},     {"%ntid.z", Mark::kRedundant},
               {"%nctaid.x", Mark::kRedundant}, {"%nctaid.y", Mark::kRedundant},   {"%nctaid.z", Mark::kRedundant},
               {"4711", Mark::kRedundant},      {"%r1", Mark::kRedundant},         {"%tid.x", Mark::kConditional},
               {"%tid.y", Mark::kVector},       {"%tid.z", Mark::kVector},         {"%laneid", Mark::kVector},
               {"%warpid", Mark::kVector},      {"%nwarpid", Mark::kVector},       {"%smid", Mark::kVector},
               {"%nsmid", Mark::kVector},       {"%gridid", Mark::kVector},        {"%clock", Mark::kVector},
               {"%lanemask_lt", Mark::kVector}, {"%globaltimer_lo", Mark::kVector}};
  for (const auto& [source, expected] : cases) {
    const Marked k = marked("mov.u32 %r20, " + std::string(source) + "; add.u32 %r3, %r20, 0x77777;");
    EXPECT_EQ(k.class_of("0x77777"), expected) << source;
    EXPECT_EQ(k.mark_of("0x77777"), expected) << source;
  }
}

TEST(Marks, TheWeakestOperandDecides) {
  const Marked k = marked(
      "mov.u32 %r20, %tid.x; mov.u32 %r21, %tid.y;"
      "mad.lo.u32 %r22, %r1, %r1, 0x10001; mad.lo.u32 %r23, %r1, %r20, 0x10002; mad.lo.u32 %r24, %r20, %r21, 0x10003;"
      "setp.lt.u32 %p1, %r21, 0x10004; selp.u32 %r25, %r1, 0x10005, %p1; setp.lt.u32 %p2, %r20, 0x10006;"
      "selp.u32 %r26, %r1, 0x10007, %p2; add.cc.u32 %r27, %r21, 0x10008; addc.u32 %r28, %r1, 0x10009;"
      "xor.b32 %r3, %r22, %r23; xor.b32 %r3, %r3, %r24; xor.b32 %r3, %r3, %r25; xor.b32 %r3, %r3, %r26;"
      "xor.b32 %r3, %r3, %r27; xor.b32 %r3, %r3, %r28;");
  EXPECT_EQ(k.class_of("0x10001"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("0x10002"), Mark::kConditional);
  EXPECT_EQ(k.class_of("0x10003"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10004"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10005"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10006"), Mark::kConditional);
  EXPECT_EQ(k.mark_of("0x10006"), Mark::kVector);  // the instruction writes a predicate
  EXPECT_EQ(k.class_of("0x10007"), Mark::kConditional);
  EXPECT_EQ(k.class_of("0x10009"), Mark::kVector);  // the instruction depends on the carry
  EXPECT_THAT(k.reason("0x10003"), HasSubstr("%tid.y"));
}

TEST(Marks, LoadsHaveTheClassOfTheirAddress) {
  const std::string before = ".global .align 4 .b8 g[64]; .const .align 4 .b8 c[64]; .shared .align 4 .b8 s[64];";
  const std::string body =
      "ld.global.u32 %r20, [g+4]; add.u32 %r3, %r3, %r20;"
      "ld.const.u32 %r21, [c+4]; add.u32 %r3, %r3, %r21;"
      "ld.shared.u32 %r22, [s+8]; add.u32 %r3, %r3, %r22;"
      "ld.global.nc.u32 %r23, [g+12]; add.u32 %r3, %r3, %r23;"
      "ld.volatile.global.u32 %r24, [g+16]; add.u32 %r3, %r3, %r24;"
      "ld.relaxed.gpu.global.u32 %r25, [g+20]; add.u32 %r3, %r3, %r25;"
      "ld.u32 %r26, [g+24]; add.u32 %r3, %r3, %r26;"
      "atom.global.add.u32 %r27, [g+28], 1; add.u32 %r3, %r3, %r27;"
      "mul.wide.u32 %rd20, %r2, 4; add.s64 %rd20, %rd20, %rd1; ld.global.f32 %f1, [%rd20];"
      "cvt.rzi.u32.f32 %r28, %f1; add.u32 %r3, %r3, %r28;";
  const Marked k = marked(body, {}, before);
  EXPECT_EQ(k.class_of("ld.global.u32"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("ld.const.u32"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("ld.shared.u32"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("ld.global.nc.u32"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("ld.param.u32"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("ld.global.f32"), Mark::kConditional);
  EXPECT_EQ(k.class_of("ld.volatile.global"), Mark::kVector);
  EXPECT_EQ(k.class_of("ld.relaxed"), Mark::kVector);
  EXPECT_EQ(k.class_of("ld.u32"), Mark::kVector);
  EXPECT_EQ(k.class_of("atom.global"), Mark::kVector);
  EXPECT_THAT(k.reason("ld.volatile.global"), HasSubstr("volatile"));
  EXPECT_THAT(k.reason("ld.u32"), HasSubstr("generic"));

  isa::MarkOptions none;
  none.loads = false;
  const Marked without = marked(body, none, before);
  EXPECT_EQ(without.class_of("ld.global.u32"), Mark::kVector);
  EXPECT_EQ(without.class_of("ld.param.u32"), Mark::kVector);
  EXPECT_THAT(without.reason("ld.shared.u32"), HasSubstr("loads are not marked"));
}

TEST(Marks, ReloadsOfSpilledValuesAreVector) {
  std::string body;
  for (unsigned i = 20; i < 60; ++i)
    body += "mad.lo.u32 %r" + std::to_string(i) + ", %r1, " + std::to_string(i) + ", " + std::to_string(i * i) + ";";
  body += "bar.sync 0;";
  for (unsigned i = 20; i < 60; ++i) body += "xor.b32 %r3, %r3, %r" + std::to_string(i) + ";";
  const Marked k = marked(module_of(kernel(body)), {}, 16);
  ASSERT_GT(k.program.spill_bytes, 0U);
  for (std::uint32_t pc = 0; pc < k.program.code.size(); ++pc) {
    if (k.program.spellings[pc].find("ld.local") == std::string::npos) continue;
    EXPECT_EQ(k.report.classes[pc], Mark::kVector);
    EXPECT_THAT(k.report.reasons[pc], HasSubstr("local memory"));
  }
}

TEST(Marks, OperationsAcrossLanesAreVector) {
  const Marked k = marked(
      "setp.ne.u32 %p1, %r1, 3; shfl.sync.idx.b32 %r20, %r1, 0, 31, -1; vote.sync.ballot.b32 %r21, %p1, -1;"
      "activemask.b32 %r22; redux.sync.add.u32 %r23, %r1, -1; bar.red.popc.u32 %r24, 0, %p1;"
      "add.u32 %r3, %r20, %r21; add.u32 %r3, %r3, %r22; add.u32 %r3, %r3, %r23; add.u32 %r3, %r3, %r24;");
  for (const char* what : {"shfl", "vote", "activemask", "redux", "bar.red"})
    EXPECT_EQ(k.class_of(what), Mark::kVector) << what;
  EXPECT_THAT(k.reason("shfl"), HasSubstr("reads other lanes"));
}

// A guarded write is never marked. The class of its value is the weakest of guard, operands and old value.
TEST(Marks, GuardedWritesMergeWithWhatWasThere) {
  const Marked k = marked(
      "mov.u32 %r20, %tid.y; setp.lt.u32 %p1, %r1, 9; setp.lt.u32 %p2, %r20, 9;"
      "mov.u32 %r21, 1; @%p1 add.u32 %r21, %r1, 0x10001; xor.b32 %r24, %r21, 0x10002;"
      "mov.u32 %r22, 1; @%p2 add.u32 %r22, %r1, 0x10003; xor.b32 %r25, %r22, 0x10004;"
      "mov.u32 %r23, %r20; @%p1 add.u32 %r23, %r1, 0x10005; xor.b32 %r26, %r23, 0x10006;"
      "add.u32 %r3, %r24, %r25; add.u32 %r3, %r3, %r26; add.u32 %r3, %r3, %r21; add.u32 %r3, %r3, %r22;");
  EXPECT_EQ(k.class_of("0x10001"), Mark::kRedundant);
  EXPECT_EQ(k.mark_of("0x10001"), Mark::kVector);
  EXPECT_THAT(k.reason("0x10001"), HasSubstr("guard"));
  EXPECT_EQ(k.class_of("0x10002"), Mark::kRedundant);
  EXPECT_EQ(k.class_of("0x10003"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10004"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10005"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x10006"), Mark::kVector);
  // The instruction writes its register under a guard, so no other writer of the register is marked.
  const std::uint32_t reg = k.program.code[k.record("0x10001")].dst;
  EXPECT_GE(reg, k.program.renamed_registers);
}

// --- Joins -----------------------------------------------------------------------------------------------------------

/// Both sides of a branch on `condition` define %r20 from redundant operands. Returns the class of the use behind the
/// branch.
Mark behind_diamond(const std::string& condition, isa::MarkRule rule = isa::MarkRule::kSound) {
  isa::MarkOptions options;
  options.rule = rule;
  const Marked k = marked("mov.u32 %r30, " + condition +
                              "; setp.lt.u32 %p1, %r30, 2; @%p1 bra A; mov.u32 %r20, 5; st.global.u32 [%rd1], %r20;"
                              "bra B; A: mov.u32 %r20, 6; st.global.u32 [%rd1+4], %r20; B: add.u32 %r3, %r20, 0x77777;",
                          options);
  return k.class_of("0x77777");
}

TEST(Marks, WhereSidesOfABranchMeetTheConditionCounts) {
  EXPECT_EQ(behind_diamond("%ctaid.x"), Mark::kRedundant);
  EXPECT_EQ(behind_diamond("%tid.x"), Mark::kConditional);
  EXPECT_EQ(behind_diamond("%tid.y"), Mark::kVector);
  EXPECT_EQ(behind_diamond("%tid.y", isa::MarkRule::kSource), Mark::kRedundant);
}

TEST(Marks, WhatNoSideDefinesStaysAsItWas) {
  const Marked k = marked(
      "mov.u32 %r30, %tid.y; mov.u32 %r20, 5; setp.lt.u32 %p1, %r30, 2; @%p1 bra A; st.global.u32 [%rd1], %r30;"
      "A: add.u32 %r3, %r20, 0x77777;");
  EXPECT_EQ(k.class_of("0x77777"), Mark::kRedundant);
}

TEST(Marks, InsideASideTheClassStays) {
  const Marked k = marked(
      "mov.u32 %r30, %tid.y; setp.lt.u32 %p1, %r30, 2; @%p1 bra A; add.u32 %r20, %r1, 0x77777; add.u32 %r21, %r20, 1;"
      "st.global.u32 [%rd1], %r21; A: add.u32 %r3, %r30, 1;");
  EXPECT_EQ(k.mark_of("0x77777"), Mark::kRedundant);
}

TEST(Marks, BehindALoopThatWarpsLeaveAtDifferentTimesItsValuesDiffer) {
  const std::string body =
      "mov.u32 %r30, %CONDITION; mov.u32 %r20, 0; L: add.u32 %r20, %r20, 0x22222; add.u32 %r21, %r20, 0x33333;"
      "st.global.u32 [%rd1], %r21; setp.lt.u32 %p1, %r20, %r30; @%p1 bra L; add.u32 %r3, %r20, 0x77777;";
  const auto with = [&](const std::string& condition) {
    std::string text = body;
    return marked(text.replace(text.find("%CONDITION"), 10, condition));
  };
  const Marked vector = with("%tid.y");
  EXPECT_EQ(vector.mark_of("0x22222"), Mark::kRedundant);  // all warps in the loop have the same count
  EXPECT_EQ(vector.mark_of("0x33333"), Mark::kRedundant);
  EXPECT_EQ(vector.class_of("0x77777"), Mark::kVector);
  EXPECT_THAT(vector.reason("0x77777"), HasSubstr("meet at"));
  EXPECT_EQ(with("%tid.x").class_of("0x77777"), Mark::kConditional);
  EXPECT_EQ(with("%ctaid.x").class_of("0x77777"), Mark::kRedundant);
}

TEST(Marks, AnEarlyExitOfTheKernelIsNoMeeting) {
  const Marked k = marked(
      "mov.u32 %r30, %tid.y; setp.gt.u32 %p1, %r30, %r1; mov.u32 %r20, 5; @%p1 exit; add.u32 %r20, %r20, 0x22222;"
      "add.u32 %r3, %r20, 0x77777;");
  EXPECT_EQ(k.class_of("0x77777"), Mark::kRedundant);
}

TEST(Marks, ASwitchIsABranchOfManySides) {
  const auto with = [](const std::string& condition) {
    return marked("mov.u32 %r30, " + condition + R"(; and.b32 %r30, %r30, 1;
      T: .branchtargets A, B; brx.idx %r30, T;
      A: mov.u32 %r20, 5; st.global.u32 [%rd1], %r20; bra C;
      B: mov.u32 %r20, 6; st.global.u32 [%rd1+4], %r20;
      C: add.u32 %r3, %r20, 0x77777;)")
        .class_of("0x77777");
  };
  EXPECT_EQ(with("%tid.y"), Mark::kVector);
  EXPECT_EQ(with("%ctaid.x"), Mark::kRedundant);
}

TEST(Marks, CallsWriteWhatTheirCalleesWrite) {
  const std::string before =
      ".func (.param .u32 r) f(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, 0x44444;"
      " st.param.u32 [r], %r2; ret; }\n";
  const Marked k = marked(
      "add.u32 %r25, %r1, 0x22222; { .param .u32 a; .param .u32 r; st.param.u32 [a], %r1; call.uni (r), f, (a);"
      " ld.param.u32 %r20, [r]; } add.u32 %r3, %r20, 0x77777; add.u32 %r3, %r3, %r25; add.u32 %r26, %r25, 0x33333;"
      " add.u32 %r3, %r3, %r26;",
      {}, before);
  EXPECT_EQ(k.class_of("0x77777"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x44444"), Mark::kVector);  // the arguments of a function are unknown inside it
  EXPECT_EQ(k.class_of("0x33333"), Mark::kRedundant);
}

// --- Renamed registers -----------------------------------------------------------------------------------------------

/// Checks that records are equal except for register numbers. The map of the numbers must be one to one and keep pairs.
void expect_renumbered(const isa::Program& before, const isa::Program& after) {
  ASSERT_EQ(before.code.size(), after.code.size());
  EXPECT_LE(after.registers, before.registers);
  std::vector<int> number(256, -1);
  std::vector<int> back(256, -1);
  const auto same = [&](isa::OperandIndex from, isa::OperandIndex to, unsigned count) {
    EXPECT_TRUE(count != 0 || from == to);
    EXPECT_TRUE(count < 2 || from % 2 == to % 2);
    for (unsigned i = 0; i < count; ++i) {
      if (number[from + i] < 0) number[from + i] = static_cast<int>(to + i);
      if (back[to + i] < 0) back[to + i] = static_cast<int>(from + i);
      EXPECT_EQ(number[from + i], static_cast<int>(to + i));
      EXPECT_EQ(back[to + i], static_cast<int>(from + i));
    }
  };
  for (std::size_t pc = 0; pc < before.code.size(); ++pc) {
    isa::Record a = before.code[pc];
    const isa::Record& b = after.code[pc];
    same(a.dst, b.dst, before.uses[pc].dst);
    for (unsigned s = 0; s < 4; ++s) same(a.src[s], b.src[s], before.uses[pc].src[s]);
    a.dst = b.dst;
    std::copy(std::begin(b.src), std::end(b.src), std::begin(a.src));
    EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << pc;
    EXPECT_EQ(std::memcmp(&before.uses[pc], &after.uses[pc], sizeof before.uses[pc]), 0) << pc;
  }
}

TEST(Marks, RenumberingKeepsTheProgram) {
  const Marked k = marked(
      "mov.u32 %r20, %tid.x; mul.wide.u32 %rd20, %r20, 8; add.s64 %rd21, %rd1, %rd20; ld.global.v2.u32 {%r21, %r22}, "
      "[%rd21]; ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; add.f32 %f5, %f1, %f4; cvt.rzi.u32.f32 %r23, %f5;"
      "add.u32 %r3, %r21, %r22; add.u32 %r3, %r3, %r23; st.global.v2.u32 [%rd21], {%r23, %r3};");
  expect_renumbered(k.before, k.program);
  EXPECT_GT(k.report.marked, 5U);
  // A result of four registers is never renamed, one of two is.
  EXPECT_EQ(k.mark_of("ld.global.v4"), Mark::kVector);
  EXPECT_THAT(k.reason("ld.global.v4"), HasSubstr("writes 4 registers"));
  EXPECT_EQ(k.mark_of("ld.global.v2"), Mark::kConditional);
  EXPECT_THAT(k.program.spellings[k.record("ld.global.v2")],
              HasSubstr("{R" + std::to_string(k.program.code[k.record("ld.global.v2")].dst) + ","));
}

TEST(Marks, InnermostLoopsGetTheirRegistersFirst) {
  const std::string body =
      "mov.u32 %r20, 0; add.u32 %r30, %r1, 0x11111; add.u32 %r31, %r1, 0x22222; add.u32 %r32, %r1, 0x33333;"
      "L: add.u32 %r21, %r20, 0x44444; st.global.u32 [%rd1], %r21; add.u32 %r20, %r20, 1;"
      "setp.lt.u32 %p1, %r20, %r1; @%p1 bra L;"
      "add.u32 %r3, %r30, %r31; add.u32 %r3, %r3, %r32; add.u32 %r3, %r3, %r2;";
  isa::MarkOptions two;
  two.most_renamed = 2;
  const Marked k = marked(body, two);
  EXPECT_EQ(k.program.renamed_registers, 2U);
  EXPECT_EQ(k.mark_of("0x44444"), Mark::kRedundant);
  EXPECT_EQ(k.mark_of("0x11111"), Mark::kVector);
  EXPECT_EQ(k.class_of("0x11111"), Mark::kRedundant);
  EXPECT_THAT(k.reason("0x11111"), HasSubstr("is not renamed"));
  expect_renumbered(k.before, k.program);
}

TEST(Marks, AtMostThirtyTwoRegistersAreRenamed) {
  std::string body;
  for (unsigned i = 20; i < 80; ++i)
    body += "mad.lo.u32 %r" + std::to_string(i) + ", %r1, " + std::to_string(i) + ", " + std::to_string(i * i) + ";";
  body += "bar.sync 0;";
  for (unsigned i = 20; i < 80; ++i) body += "xor.b32 %r3, %r3, %r" + std::to_string(i) + ";";
  const Marked k = marked(body);
  EXPECT_EQ(k.program.renamed_registers, 32U);
  expect_renumbered(k.before, k.program);
}

// --- Check of the loader ---------------------------------------------------------------------------------------------

isa::Program loadable() {
  return marked(
             "mov.u32 %r20, %tid.y; add.u32 %r21, %r1, 0x11111; @%p1 add.u32 %r3, %r1, 0x22222;"
             "setp.lt.u32 %p2, %r1, 0x33333; @%p2 bra A; bar.sync 0; A: ld.global.v4.u32 {%r24, %r25, %r26, %r27}, "
             "[%rd1]; ld.u32 %r28, [%rd1]; ld.volatile.global.u32 %r29, [%rd1]; st.local.u32 [64], %r1; "
             "ld.local.u32 %r30, [64]; atom.global.add.u32 %r31, [%rd1], %r21; membar.gl;"
             "red.global.add.u32 [%rd1], %r21; add.u32 %r3, %r3, %r20; add.u32 %r3, %r3, %r24; add.u32 %r3, %r3, %r25;"
             "add.u32 %r3, %r3, %r26; add.u32 %r3, %r3, %r27; add.u32 %r3, %r3, %r28; add.u32 %r3, %r3, %r29;"
             "add.u32 %r3, %r3, %r30; add.u32 %r3, %r3, %r31;",
             {}, {})
      .program;
}

std::uint32_t record_of(const isa::Program& program, const std::string& text) {
  for (std::uint32_t i = 0; i < program.spellings.size(); ++i)
    if (program.spellings[i].find(text) != std::string::npos) return i;
  ADD_FAILURE() << text;
  return 0;
}

/// Returns the message with which a device refuses a program, with file and line; an empty string if the device accepts
/// it.
std::string refusal(const isa::Program& program) {
  try {
    (void)device().load(std::make_shared<const isa::Program>(program));
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where().file, "test.ptx");
    return std::to_string(error.where().line) + ": " + error.message();
  }
  return "";
}

TEST(MarksAtTheLoader, AreTakenAsTheCompilerMakesThem) {
  const isa::Program program = loadable();
  EXPECT_GT(std::count(program.marks.begin(), program.marks.end(), 2), 0);
  EXPECT_EQ(refusal(program), "");
}

TEST(MarksAtTheLoader, AreRefusedWhereNoMachineCanHonourThem) {
  const struct {
    const char* record;
    const char* what;
  } cases[] = {{"st.global", "a store carries mark DR"},
               {"bra", "a branch"},
               {"bar.sync", "a barrier"},
               {"atom.global", "an atomic"},
               {"red.global", "a reduction"},
               {"membar", "a fence"},
               {"ld.local", "a load from local memory"},
               {"ld.volatile", "a volatile load"},
               {"ld.u32", "a load from a generic address"},
               {"0x22222", "an instruction with a guard"},
               {"0x33333", "an instruction that writes a predicate"},
               {"ld.global.v4", "an instruction that writes 4 registers"},
               {"ret", "an exit"}};
  for (const auto& [text, what] : cases) {
    isa::Program program = loadable();
    const std::uint32_t pc = record_of(program, text);
    program.marks[pc] = 2;
    const std::string message = refusal(program);
    EXPECT_THAT(message, HasSubstr(what)) << text;
    EXPECT_THAT(message, HasSubstr("record " + std::to_string(pc) + " of kernel 'k'"));
    EXPECT_EQ(message.substr(0, message.find(':')), std::to_string(program.lines[pc].line)) << text;
  }
}

TEST(MarksAtTheLoader, HaveThreeValuesAndOneForEachRecord) {
  isa::Program program = loadable();
  const std::uint32_t pc = record_of(program, "0x11111");
  program.marks[pc] = 3;
  EXPECT_THAT(refusal(program), HasSubstr("mark 3 does not exist"));
  program = loadable();
  program.marks.pop_back();
  EXPECT_THAT(refusal(program), HasSubstr("marks for"));
}

TEST(MarksAtTheLoader, AreOfRenamedRegistersAlone) {
  isa::Program program = loadable();
  const std::uint32_t pc = record_of(program, "0x11111");
  ASSERT_EQ(program.marks[pc], 2);
  program.renamed_registers = program.code[pc].dst;
  std::fill(program.marks.begin(), program.marks.end(), 0);
  EXPECT_EQ(refusal(program), "");
  program.marks[pc] = 1;
  EXPECT_THAT(refusal(program), HasSubstr("mark CR, but R"));
  program = loadable();
  program.renamed_registers = program.registers + 1;
  EXPECT_THAT(refusal(program), HasSubstr("registers are renamed"));
}

TEST(MarksAtTheLoader, WantNoMergingWritesOfRenamedRegisters) {
  isa::Program program = loadable();
  program.renamed_registers = std::min(program.registers, 32U);
  const std::string message = refusal(program);
  EXPECT_TRUE(message.find("written under a guard") != std::string::npos ||
              message.find("together with 3 others") != std::string::npos)
      << message;
  // Applies the two rules one after the other.
  std::fill(program.marks.begin(), program.marks.end(), 0);
  for (const char* text : {"0x22222", "ld.global.v4"}) {
    isa::Program one = loadable();
    const std::uint32_t pc = record_of(one, text);
    std::fill(one.marks.begin(), one.marks.end(), 0);
    for (std::uint32_t other = 0; other < one.code.size(); ++other)
      if (other != pc && (one.code[other].guard != isa::kNoGuard || one.uses[other].dst > 2)) {
        one.code[other].guard = isa::kNoGuard;
        one.uses[other].dst = std::min<std::uint8_t>(one.uses[other].dst, 2);
      }
    one.renamed_registers = std::min(one.registers, 32U);
    EXPECT_THAT(refusal(one), HasSubstr("record " + std::to_string(pc))) << text;
  }
}

TEST(MarksAtTheLoader, WantNoMoreSourcesThanTheMachineLooksUp) {
  // Four pairs of operands: fma of doubles reads three, so a wide one is made by hand.
  isa::Program program = marked(
                             "mul.wide.u32 %rd20, %r1, 0x11111; mul.wide.u32 %rd21, %r1, 7; st.global.u64 [%rd1], "
                             "%rd20; st.global.u64 [%rd1+8], %rd21;")
                             .program;
  EXPECT_EQ(refusal(program), "");
  const std::uint32_t pc = record_of(program, "0x11111");
  program.registers = 16;
  program.renamed_registers = 16;
  for (unsigned s = 0; s < 4; ++s) {
    program.code[pc].src[s] = static_cast<isa::OperandIndex>(2 * s);
    program.uses[pc].src[s] = 2;
  }
  EXPECT_THAT(refusal(program), HasSubstr("8 renamed registers are read at once"));
}

// --- Lists of marks --------------------------------------------------------------------------------------------------

TEST(MarkLists, ReadBackGiveTheSameMarks) {
  const Marked k = marked("mov.u32 %r20, %tid.x; add.u32 %r21, %r20, %r1; add.u32 %r3, %r21, 0x11111;");
  const std::string text = "# a comment\n\n" + marks_text(k.program, k.report);
  isa::Program blank = k.program;
  std::fill(blank.marks.begin(), blank.marks.end(), 0);
  blank.renamed_registers = 0;
  MarkList::parse(text, "k.marks").apply(blank);
  EXPECT_EQ(blank.marks, k.program.marks);
  EXPECT_EQ(blank.renamed_registers, k.program.renamed_registers);
}

TEST(MarkLists, EditedLinesCount) {
  const Marked k = marked("mov.u32 %r20, %tid.y; add.u32 %r3, %r20, 0x11111;");
  const std::uint32_t pc = k.record("0x11111");
  std::string text = marks_text(k.program, k.report);
  const std::size_t line = text.find("\n" + std::string(5 - std::to_string(pc).size(), ' ') + std::to_string(pc)) + 1;
  text.replace(line + 7, 2, "DR");
  isa::Program program = k.program;
  const MarkList list = MarkList::parse(text, "k.marks");
  list.apply(program);
  EXPECT_EQ(program.marks[pc], 2);
  // Lines that are left out keep the compiler's mark.
  isa::Program again = k.program;
  MarkList::parse("kernel k, " + std::to_string(k.program.code.size()) + " records, renamed 7\n" +
                      text.substr(line, text.find('\n', line) - line) + "\n",
                  "k.marks")
      .apply(again);
  EXPECT_EQ(again.renamed_registers, 7U);
  EXPECT_EQ(again.marks[pc], 2);
  again.marks[pc] = k.program.marks[pc];
  EXPECT_EQ(again.marks, k.program.marks);
  // Another kernel is not touched.
  isa::Program other = k.program;
  other.kernel = "other";
  list.apply(other);
  EXPECT_EQ(other.marks, k.program.marks);
}

std::string list_error(const std::string& text, const isa::Program* program = nullptr) {
  try {
    const MarkList list = MarkList::parse(text, "k.marks");
    isa::Program copy;
    if (program != nullptr) copy = *program;
    list.apply(copy);
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where().file, "k.marks");
    return std::to_string(error.where().line) + ": " + error.message();
  }
  return "";
}

TEST(MarkLists, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(list_error("kernel k\n"), HasSubstr("1: expected 'kernel NAME"));
  EXPECT_THAT(list_error("# x\n  3 DR DR add.u32\n"), HasSubstr("2: a record stands before"));
  EXPECT_THAT(list_error("kernel k, 2 records, renamed 1\n 5 DR DR add.u32\n"),
              HasSubstr("2: kernel 'k' has 2 records"));
  EXPECT_THAT(list_error("kernel k, 2 records, renamed 1\n 1 XY DR add.u32\n"), HasSubstr("2: expected a record's"));
  const Marked k = marked("add.u32 %r3, %r1, 0x11111;");
  EXPECT_THAT(list_error("kernel k, 2 records, renamed 1\n", &k.program), HasSubstr("1: kernel 'k' has "));
  const std::string head = "kernel k, " + std::to_string(k.program.code.size()) + " records, renamed 1\n";
  EXPECT_THAT(list_error(head + "0 DR DR sub.u32 R1, R2, R3\n", &k.program), HasSubstr("2: record 0 is '"));
  // Numbers may differ: the same program, loaded elsewhere.
  const std::uint32_t pc = k.record("0x11111");
  std::string other = k.program.spellings[pc];
  other.replace(other.find("0x11111"), 7, "0x5");
  EXPECT_EQ(list_error(head + std::to_string(pc) + " DR DR " + other + "  ; line 1\n", &k.program), "");
}

}  // namespace
}  // namespace castor::compiler::test

// Tests of the properties of a compiled program, of register limits, and of errors.

#include "compiler_shadow.h"
#include "compiler_support.h"
#include "tests/common/sanitized.h"

namespace castor::compiler::test::compiler_program_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

isa::Program compiled(const std::string& text, const isa::LinkOptions& options = {}) {
  return inspect(module_of(text), "k", options);
}

const char* const kVectorAdd = R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra END;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
END:
  ret;
}
)";

TEST(Program, VectorAddNeedsFewRegisters) {
  const isa::Program program = compiled(kVectorAdd);
  // At the point of highest pressure three pointers and four numbers are live: 3 x 2 + 4 registers. nvcc reports 12 for
  // this kernel.
  EXPECT_GE(program.registers, 9U);
  EXPECT_LE(program.registers, 12U);
  EXPECT_EQ(program.predicates, 1U);
  EXPECT_EQ(program.local_bytes, 0U);
  EXPECT_EQ(program.parameter_bytes, 28U);
  // Address conversions of global pointers cost nothing.
  EXPECT_THAT(program.spellings, Not(Contains(HasSubstr("cvta"))));
  EXPECT_EQ(program.code.size(), 19U);
}

TEST(Program, SideTablesAreAsLongAsTheCode) {
  const isa::Program program = compiled(kVectorAdd);
  EXPECT_EQ(program.uses.size(), program.code.size());
  EXPECT_EQ(program.lines.size(), program.code.size());
  EXPECT_EQ(program.spellings.size(), program.code.size());
  EXPECT_EQ(program.lines[0].line, 3U + 8U);
}

TEST(Program, UsesNameWhatRecordsTouch) {
  const isa::Program program = compiled(kernel(R"(
    setp.eq.u32 %p1, %r2, 3;
    mul.wide.u32 %rd4, %r2, 8;
    add.u64 %rd4, %rd4, %rd1;
    @%p1 ld.global.v2.u32 {%r4, %r5}, [%rd4];
    @%p1 add.u32 %r3, %r4, %r5;
)"));
  const auto at = [&](const std::string& text) {
    for (std::size_t i = 0; i < program.spellings.size(); ++i)
      if (program.spellings[i].find(text) != std::string::npos) return i;
    ADD_FAILURE() << text;
    return std::size_t{0};
  };
  const isa::RegisterUse& wide = program.uses[at("mul.wide")];
  EXPECT_EQ(wide.dst, 2);
  EXPECT_EQ(wide.src[0], 1);
  EXPECT_EQ(wide.src[1], 0);  // a constant
  const isa::RegisterUse& load = program.uses[at("ld.global.v2")];
  EXPECT_EQ(load.dst, 2);
  EXPECT_EQ(load.src[0], 2);
  EXPECT_EQ(load.predicates_read, 1);
  const isa::Record& record = program.code[at("ld.global.v2")];
  EXPECT_EQ(record.dst % 2, 0);
  EXPECT_EQ(record.guard, 0);
  EXPECT_EQ(program.uses[at("setp")].predicates_written, 1);
}

TEST(Program, ConstantsAreSharedByBitsAndWidth) {
  const isa::Program program = compiled(kernel(R"(
    add.u32 %r3, %r2, 1234;
    xor.b32 %r3, %r3, 1234;
    add.u64 %rd4, %rd1, 1234;
    add.u64 %rd5, %rd4, 1234;
    st.global.u64 [%rd5], %rd4;
)"));
  unsigned narrow = 0;
  unsigned wide = 0;
  std::uint32_t rows = 0;
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    EXPECT_EQ(program.constant_row[i], rows);
    rows += program.constants[i].wide ? 2 : 1;
    if (program.constants[i].bits == 1234) ++(program.constants[i].wide ? wide : narrow);
  }
  EXPECT_EQ(narrow, 1U);
  EXPECT_EQ(wide, 1U);
  EXPECT_EQ(program.constant_rows, rows);
}

TEST(Program, AbsoluteAddressesNeedNoRegister) {
  const isa::Module module = module_of(kernel("ld.global.u32 %r3, [cell+8];\n", ".global .align 4 .u32 cell[4];\n"));
  isa::LinkOptions options;
  options.symbols["cell"] = 0x123456000;
  const auto program = compile(module, "k", options);
  bool found = false;
  for (const isa::Record& record : program->code)
    if (record.kind == isa::Kind::kMemory && record.memory.space == isa::Space::kGlobal &&
        record.memory.kind == isa::MemoryKind::kLoad) {
      found = true;
      EXPECT_EQ(record.src[0], isa::kNoOperand);
      EXPECT_EQ(record.imm, 0x123456008U);
    }
  EXPECT_TRUE(found);
}

TEST(Program, BarriersAreCounted) {
  EXPECT_EQ(compiled(kernel("")).barriers, 0U);
  EXPECT_EQ(compiled(kernel("bar.sync 0;")).barriers, 1U);
  EXPECT_EQ(compiled(kernel("bar.sync 5, 64;\n bar.arrive 3, 64;")).barriers, 6U);
  EXPECT_EQ(compiled(kernel("and.b32 %r4, %r1, 7;\n bar.sync %r4;")).barriers, 16U);
  EXPECT_EQ(compiled(kernel("bar.warp.sync 0xffffffff;")).barriers, 0U);
}

TEST(Program, KeepsLaunchBounds) {
  std::string text = kernel("");
  text.replace(text.find("\n{"), 2, "\n.maxntid 128, 2, 1\n.minnctapersm 2\n{");
  const isa::Program program = compiled(text);
  EXPECT_EQ(program.max_threads, 256U);
  EXPECT_EQ(program.min_blocks, 2U);
}

// Limits.

std::string hungry() {
  std::string body;
  for (int i = 0; i < 80; ++i)
    body += "  ld.global.u32 %r" + std::to_string(100 + i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 80; ++i) body += "  mad.lo.u32 %r3, %r3, 5, %r" + std::to_string(100 + i) + ";\n";
  return body;
}

TEST(Limits, WithoutACapNothingIsSpilled) {
  const isa::Program program = compiled(kernel(hungry()));
  EXPECT_GE(program.registers, 82U);
  EXPECT_LE(program.registers, 86U);
  EXPECT_EQ(program.spill_bytes, 0U);
}

TEST(Limits, TheOptionsCapHolds) {
  isa::LinkOptions options;
  options.max_registers = 32;
  const isa::Program program = compiled(kernel(hungry()), options);
  EXPECT_LE(program.registers, 32U);
  EXPECT_GE(program.spill_bytes, 4U * (80 - 32));
  EXPECT_LE(program.spill_bytes, 4U * 80);
  EXPECT_EQ(program.local_bytes, program.spill_bytes);
}

TEST(Limits, SpillsShareSlots) {
  // Eight groups of thirty values, one after the other: no more than one group is ever in memory.
  std::string body;
  for (int group = 0; group < 8; ++group) {
    for (int i = 0; i < 30; ++i)
      body += "  ld.global.u32 %r" + std::to_string(100 + 30 * group + i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    for (int i = 0; i < 30; ++i) body += "  mad.lo.u32 %r3, %r3, 5, %r" + std::to_string(100 + 30 * group + i) + ";\n";
  }
  isa::LinkOptions options;
  options.max_registers = 16;
  const isa::Program program = compiled(kernel(body), options);
  EXPECT_LE(program.registers, 16U);
  EXPECT_GT(program.spill_bytes, 4U * 14);
  EXPECT_LE(program.spill_bytes, 4U * 36);
}

TEST(Limits, MaxnregHolds) {
  std::string text = kernel(hungry());
  text.replace(text.find("\n{"), 2, "\n.maxnreg 40\n{");
  EXPECT_LE(compiled(text).registers, 40U);
}

TEST(Limits, MinimumBlocksGiveACap) {
  // 1024 threads are 32 warps, 2 blocks 64: 65536 / 64 = 1024 registers per warp, 32 per thread.
  std::string text = kernel(hungry());
  text.replace(text.find("\n{"), 2, "\n.maxntid 1024, 1, 1\n.minnctapersm 2\n{");
  const isa::Program program = compiled(text);
  EXPECT_LE(program.registers, 32U);
  EXPECT_GT(program.spill_bytes, 0U);
  // 3 blocks of 320 threads: 65536 / 30 = 2184, in units of 256 per warp 2048, 64 per thread.
  text.replace(text.find("1024, 1, 1"), 10, "320, 1, 1");
  text.replace(text.find("minnctapersm 2"), 14, "minnctapersm 3");
  EXPECT_LE(compiled(text).registers, 64U);
  EXPECT_GT(compiled(text).registers, 32U);
}

TEST(Limits, MaximumThreadsGiveACap) {
  std::string text = kernel(hungry());
  text.replace(text.find("\n{"), 2, "\n.maxntid 1024, 1, 1\n{");
  EXPECT_LE(compiled(text).registers, 64U);
  text.replace(text.find("maxntid 1024"), 12, "reqntid 1024");
  EXPECT_LE(compiled(text).registers, 64U);
  text.replace(text.find("reqntid 1024"), 12, "maxntid 512");
  EXPECT_EQ(compiled(text).spill_bytes, 0U);
}

/// Returns a kernel that makes 40 addresses before a barrier and uses each after it, for the words out[40 t ...].
std::string far_addresses() {
  std::string body = "mul.wide.u32 %rd3, %r2, 160;\n add.s64 %rd4, %rd1, %rd3;\n";
  for (int i = 0; i < 40; ++i)
    body += " add.s64 %rd" + std::to_string(100 + i) + (i % 2 == 0 ? ", %rd4, " : ", 4, %rd") +
            std::to_string(i % 2 == 0 ? 4 * i : 99 + i) + ";\n";
  body += " bar.sync 0;\n";
  for (int i = 39; i >= 0; --i)
    body +=
        " add.u32 %r3, %r3, " + std::to_string(i) + ";\n st.global.u32 [%rd" + std::to_string(100 + i) + "], %r3;\n";
  return kernel(body + " ret;\n", {}, false);
}

TEST(Limits, AddressesAreOffsetsWhereRegistersAreShort) {
  std::string text = far_addresses();
  const isa::Program program = compiled(text);
  EXPECT_LE(program.registers, 16U);
  EXPECT_EQ(program.spill_bytes, 0U);
  text.replace(text.find("\n{"), 2, "\n.maxnreg 200\n{");
  EXPECT_GT(compiled(text).registers, 80U) << "where they are not, the program stays as it is written";
}

TEST(Limits, OffsetsReachTheSameWords) {
  const std::string text = far_addresses();
  const Outcome outcome = run(module_of(text), 255, 2, 80);
  EXPECT_EQ(outcome.fault, "");
  for (unsigned t = 0; t < 2; ++t)
    for (unsigned i = 0; i < 40; ++i) {
      unsigned sum = 0;
      for (unsigned k = i; k < 40; ++k) sum += k;
      EXPECT_EQ(outcome.words[40 * t + i], sum) << t << " " << i;
    }
}

TEST(Limits, BasesThatChangeKeepTheirSums) {
  // %rd5 is %rd4 + 4 with the value of %rd4 before its increment, and %rd6 is %rd5 + 4 of the previous iteration.
  std::string body;
  for (int i = 0; i < 40; ++i)
    body += "add.s64 %rd" + std::to_string(100 + i) + ", %rd1, " + std::to_string(64 + 4 * i) + ";\n";
  body +=
      "mov.u64 %rd4, %rd1;\n"
      "LOOP:\n add.s64 %rd5, %rd4, 4;\n add.s64 %rd4, %rd4, 8;\n st.global.u32 [%rd5], %r3;\n"
      " setp.ne.u32 %p2, %r3, 0;\n @%p2 st.global.u32 [%rd6], %r3;\n add.s64 %rd6, %rd5, 4;\n"
      " add.u32 %r3, %r3, 1;\n setp.lt.u32 %p1, %r3, 8;\n @%p1 bra LOOP;\n";
  for (int i = 0; i < 40; ++i)
    body += " st.global.u32 [%rd" + std::to_string(100 + i) + "], " + std::to_string(1000 + i) + ";\n";
  const std::string text = kernel(body + " ret;\n", {}, false);
  std::vector<std::uint32_t> expected = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
  for (unsigned i = 0; i < 40; ++i) expected.push_back(1000 + i);
  for (const unsigned limit : {24U, 255U}) {
    const Outcome outcome = run(module_of(text), limit, 1, 56);
    EXPECT_EQ(outcome.fault, "");
    EXPECT_EQ(outcome.words, expected) << limit;
    EXPECT_LE(outcome.program.registers, 24U) << "the 40 sums are offsets";
  }
}

TEST(Limits, ParametersAreComputedAgainRatherThanSpilled) {
  std::string text = ".visible .entry k(";
  for (int i = 0; i < 30; ++i) text += std::string(i == 0 ? "" : ", ") + ".param .u64 a" + std::to_string(i);
  text += ")\n{\n .reg .b64 %rd<99>;\n";
  for (int i = 0; i < 30; ++i) text += " ld.param.u64 %rd" + std::to_string(i) + ", [a" + std::to_string(i) + "];\n";
  for (int i = 1; i < 30; ++i)
    text += " st.global.u64 [%rd0+" + std::to_string(8 * i) + "], %rd" + std::to_string(i) + ";\n";
  text += " ret;\n}\n";
  isa::LinkOptions options;
  options.max_registers = 24;
  const isa::Program program = compiled(text, options);
  EXPECT_LE(program.registers, 24U);
  EXPECT_EQ(program.spill_bytes, 0U);
  EXPECT_THAT(program.spellings, Not(Contains(HasSubstr("local"))));
}

// Errors.

TEST(Errors, UnknownKernel) {
  const isa::Module module = module_of(kernel(""));
  try {
    (void)inspect(module, "nothing", {});
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no kernel called 'nothing'"));
  }
}

TEST(Errors, ADeviceFunctionIsNoKernel) {
  const isa::Module module = module_of(".func f () { ret; }\n" + kernel(""));
  EXPECT_THROW((void)inspect(module, "f", {}), base::InputError);
}

TEST(Errors, UnresolvedVariableNamesItsLine) {
  const isa::LinkOptions options;
  EXPECT_EQ(compile_error(kernel("mov.u64 %rd4, gone;", ".extern .global .u32 gone;\n"), &options),
            "15: 'gone' is not defined in this module");
}

TEST(Errors, MoreThan32764ParameterBytes) {
  EXPECT_THAT(compile_error(".visible .entry k(.param .u64 out, .param .align 8 .b8 big[32757]) { ret; }\n"),
              HasSubstr("the parameters of kernel 'k' take 32765 bytes; at most 32764 are supported"));
  EXPECT_EQ(compile_error(".visible .entry k(.param .u64 out, .param .align 8 .b8 big[32756]) { ret; }\n"), "no error");
}

TEST(Errors, SystemCallsWithWrongArguments) {
  EXPECT_EQ(compile_error(kernel("\n{ .param .b64 q; call.uni (q), malloc, (); }\n",
                                 ".extern .func (.param .b64 r) malloc ();\n")),
            "16: 'malloc' takes 1 arguments; this call has 0");
}

/// Generator of random kernels: loops, branches, guards, both widths, vectors. They must be sound with every register
/// limit, and have the same results.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string body;
    for (int i = 10; i < 26; ++i)
      body += "  mad.lo.u32 %r" + num(i) + ", %r2, " + num(pick(99)) + ", " + num(i) + ";\n";
    for (int i = 10; i < 20; ++i) body += "  mul.wide.u32 %rd" + num(i) + ", %r2, " + num(pick(9999)) + ";\n";
    for (int i = 1; i < 12; ++i)
      body += "  setp.gt.u32 %p" + num(i) + ", %r" + num(10 + i) + ", " + num(pick(500)) + ";\n";
    block(body, 3);
    for (int i = 10; i < 26; ++i) body += "  mad.lo.u32 %r3, %r3, 31, %r" + num(i) + ";\n";
    for (int i = 10; i < 20; ++i) {
      body += "  shr.u64 %rd50, %rd" + num(i) + ", 7;\n  cvt.u32.u64 %r50, %rd50;\n";
      body += "  mad.lo.u32 %r3, %r3, 31, %r50;\n";
    }
    return kernel(body, helper_);
  }

 private:
  static std::string num(unsigned v) { return std::to_string(v); }
  unsigned pick(unsigned n) { return random_() % n; }
  std::string word() { return "%r" + num(10 + pick(16)); }
  std::string wide() { return "%rd" + num(10 + pick(10)); }
  std::string predicate() { return "%p" + num(1 + pick(11)); }

  void block(std::string& body, unsigned depth) {
    for (unsigned i = 0, n = 4 + pick(8); i < n; ++i) statement(body, depth);
  }

  void statement(std::string& body, unsigned depth) {
    std::string guard = pick(4) == 0 ? "@" + std::string(pick(2) == 0 ? "!" : "") + predicate() + " " : "  ";
    switch (pick(depth > 0 ? 11 : 8)) {
      case 0:
        body += guard + "add.u32 " + word() + ", " + word() + ", " + word() + ";\n";
        break;
      case 1:
        body += guard + "mad.lo.u32 " + word() + ", " + word() + ", " + word() + ", " + word() + ";\n";
        break;
      case 2:
        body += guard + "add.u64 " + wide() + ", " + wide() + ", " + wide() + ";\n";
        break;
      case 3:
        body += guard + "mul.wide.u32 " + wide() + ", " + word() + ", " + word() + ";\n";
        break;
      case 4:
        body += guard + "cvt.u32.u64 " + word() + ", " + wide() + ";\n";
        break;
      case 5:
        body += guard + "setp.lt.u32 " + predicate() + "|" + predicate() + ", " + word() + ", " + word() + ";\n";
        break;
      case 6:
        body += guard + "mov.b64 " + wide() + ", {" + word() + ", " + word() + "};\n";
        break;
      case 7:
        body +=
            guard + (pick(2) == 0 ? "mov.u32 " + word() + ", " + word() : "mov.u64 " + wide() + ", " + wide()) + ";\n";
        break;
      case 8: {
        const std::string label = num(++labels_);
        body += "  @" + predicate() + " bra ELSE" + label + ";\n";
        block(body, depth - 1);
        body += "  bra END" + label + ";\nELSE" + label + ":\n";
        block(body, depth - 1);
        body += "END" + label + ":\n";
        break;
      }
      case 9: {
        const std::string label = num(++labels_);
        const std::string counter = "%r" + num(300 + labels_ % 90);
        body += "  and.b32 " + counter + ", " + word() + ", 3;\nLOOP" + label + ":\n";
        block(body, depth - 1);
        body += "  setp.eq.u32 %p60, " + counter + ", 0;\n  @%p60 bra OUT" + label + ";\n  sub.u32 " + counter + ", " +
                counter + ", 1;\n  bra LOOP" + label + ";\nOUT" + label + ":\n";
        break;
      }
      default:
        body += "  { .param .b32 a; .param .b64 b; .param .b32 q; st.param.b32 [a+0], " + word() +
                "; st.param.b64 [b+0], " + wide() + "; call.uni (q), helper, (a, b); ld.param.b32 " + word() +
                ", [q+0]; }\n";
        break;
    }
  }

  std::mt19937 random_;
  unsigned labels_ = 0;
  const std::string helper_ = R"(
.func (.param .b32 r) helper (.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  .reg .pred %p<3>;
  ld.param.u32 %x1, [a];
  ld.param.u64 %y1, [b];
  st.param.b32 [r+0], %x1;
  and.b32 %x2, %x1, 1;
  setp.eq.u32 %p1, %x2, 1;
  @%p1 ret;
  mul.lo.u64 %y2, %y1, 3;
  cvt.u32.u64 %x3, %y2;
  add.u32 %x4, %x3, %x1;
  st.param.b32 [r+0], %x4;
  ret;
}
)";
};

TEST(Random, ResultsDoNotDependOnTheLimit) {
  for (unsigned seed = 1; seed <= unless_sanitized(40U, 13U); ++seed) {
    const std::string text = RandomKernel(seed).text();
    const isa::Module module = module_of(text);
    std::vector<std::uint32_t> expected;
    for (const unsigned limit : {255U, 40U, 24U, 16U}) {
      const Outcome outcome = run(module, limit);
      ASSERT_EQ(outcome.fault, "") << "seed " << seed << ", limit " << limit;
      if (expected.empty()) expected = outcome.words;
      ASSERT_EQ(outcome.words, expected) << "seed " << seed << ", limit " << limit << "\n" << text;
      expect_sound(module, "k", limit, 2, 5000);
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace castor::compiler::test::compiler_program_test

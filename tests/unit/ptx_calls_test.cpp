#include "unit/ptx_support.h"

// Labels, tables of labels, and calls.
namespace castor::ptx::test::ptx_calls_test {
namespace {

using isa::Operand;
using testing::ElementsAre;
using testing::SizeIs;
using Kind = isa::Operand::Kind;

TEST(PtxLabels, BelongToTheirScope) {
  const isa::Module module = kernel("L: { bra L; L: ret; { bra L; bra M; } }\nbra L; M: bra N; N:");
  const isa::Function& f = only_kernel(module);
  const auto position = [&](std::size_t i) { return f.labels.at(f.body.at(i).operands.at(0).index).position; };
  EXPECT_EQ(position(0), 1U) << "the label of the inner scope";
  EXPECT_EQ(position(2), 1U);
  EXPECT_EQ(position(3), 5U);
  EXPECT_EQ(position(4), 0U);
  EXPECT_EQ(position(5), 6U) << "one past the end";
}

TEST(PtxLabels, TablesNameLabels) {
  const isa::Module module = kernel(
      ".reg .b32 r;\nts: .branchtargets A, B, A;\nbrx.idx r, ts;\nA: ret;\nB: brx.idx.uni r, later;\nlater: "
      ".branchtargets B;");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.tables, SizeIs(2));
  EXPECT_EQ(f.tables[0].name, "ts");
  ASSERT_THAT(f.tables[0].labels, SizeIs(3));
  EXPECT_EQ(f.labels[f.tables[0].labels[0]].name, "A");
  EXPECT_EQ(f.labels[f.tables[0].labels[1]].name, "B");
  EXPECT_EQ(f.labels[f.tables[0].labels[1]].position, 2U);
  EXPECT_EQ(f.body[0].operands[1].kind, Kind::kTable);
  EXPECT_EQ(f.body[0].operands[1].index, 0U);
  EXPECT_EQ(f.body[2].operands[1].index, 1U);
}

TEST(PtxLabels, RejectsUnknownRepeatedAndWrongOnes) {
  EXPECT_EQ(error_in("bra L;"), "1:5: unknown label 'L'");
  EXPECT_EQ(error_in("{ L: ret; }\nbra L;"), "2:5: unknown label 'L'");
  EXPECT_EQ(error_in("L: ret;\nL: ret;"), "2:1: 'L' is declared twice");
  EXPECT_EQ(error_in("bra 5;"), "1:5: expected a label, found '5'");
  EXPECT_EQ(error_in("L: .branchtargets M;\nM: bra L;"),
            "2:8: expected a label that stands before an instruction, found 'L'");
  EXPECT_EQ(error_in(".reg .b32 r;\nL: brx.idx r, L;"), "2:15: expected the name of a .branchtargets list, found 'L'");
  EXPECT_EQ(error_in(".reg .b32 r;\nL: brx.idx r, M;"), "2:15: unknown .branchtargets list 'M'");
  EXPECT_EQ(error_in("L: .branchtargets M;"), "1:19: unknown label 'M'");
  EXPECT_EQ(error_in("L: .branchtargets ;"), "1:19: expected a label in .branchtargets, found ';'");
}

const char* const kCallees =
    ".func (.param .b32 r) f(.param .b32 a, .param .b64 b) { ret; } .func g() { ret; }\n"
    ".func (.reg .b32 r) h(.reg .b32 a) { ret; }\n";

TEST(PtxCalls, KeepTargetResultsAndArguments) {
  const isa::Module module = module_of(
      std::string(kCallees) +
      kernel_text(
          ".reg .b32 r; .reg .b64 d; { .param .b32 p0; .param .b64 p1; .param .b32 q;\n"
          "call.uni (q), f, (p0, p1); }\ncall g; call g, (); call (r), h, (r); call (r), h, (-5); call (_), h, (r);\n"
          "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"
          "list: .calltargets f; { .param .b32 p0; .param .b64 p1; .param .b32 q; call (q), d, (p0, p1), proto;\n"
          "call (q), d, (p0, p1), list; }"));
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.calls, SizeIs(8));
  EXPECT_EQ(f.calls[0].target.kind, Kind::kSymbol);
  EXPECT_EQ(module.names.at(f.calls[0].target.index), "f");
  ASSERT_THAT(f.calls[0].results, SizeIs(1));
  ASSERT_THAT(f.calls[0].arguments, SizeIs(2));
  EXPECT_EQ(f.variables[f.calls[0].results[0].index].name, "q");
  EXPECT_EQ(f.variables[f.calls[0].arguments[1].index].name, "p1");
  EXPECT_THAT(f.calls[1].arguments, SizeIs(0));
  EXPECT_EQ(f.calls[3].arguments[0].kind, Kind::kRegister);
  EXPECT_EQ(f.calls[4].arguments[0].kind, Kind::kImmediate);
  EXPECT_EQ(f.calls[4].arguments[0].bits, 0xfffffffbU);
  EXPECT_EQ(f.calls[5].results[0].kind, Kind::kSink);
  EXPECT_EQ(f.calls[6].target.kind, Kind::kRegister);
  ASSERT_TRUE(f.calls[6].prototype.has_value());
  EXPECT_EQ(f.prototypes[*f.calls[6].prototype].name, "proto");
  EXPECT_EQ(f.prototypes[0].parameters[1].size, 8U);
  EXPECT_FALSE(f.calls[7].prototype.has_value());
  EXPECT_THAT(f.calls[7].candidates, ElementsAre("f"));
  EXPECT_EQ(f.body[0].call, 0U);
  EXPECT_EQ(f.body[7].call, 7U);
}

TEST(PtxCalls, MayPrecedeTheDefinitionOfTheCallee) {
  const isa::Module module = module_of(kernel_text("call late; ret;") + ".func late() { ret; }");
  EXPECT_EQ(module.names.at(only_kernel(module).calls.at(0).target.index), "late");
}

TEST(PtxCalls, RejectsWrongCalls) {
  const auto error = [](const std::string& body) {
    return error_in(".reg .b32 r; .reg .b64 d; .reg .f64 e; .param .b32 p0; .param .b64 p1; .local .b32 l;\n" + body,
                    std::string(kCallees));
  };
  const auto at = [](const char* column, const std::string& rest) { return std::string("4:") + column + ": " + rest; };
  EXPECT_EQ(error("call nobody;"), at("6", "unknown function 'nobody'"));
  EXPECT_EQ(error("call k;"), at("6", "'k' is a kernel and cannot be called"));
  EXPECT_EQ(error("call l;"), at("6", "'l' is a variable, not a function"));
  EXPECT_EQ(error("call (p0), f, (p0);"), at("12", "call of 'f' with 1 arguments, its declaration has 2"));
  EXPECT_EQ(error("call f, (p0, p1);"), at("6", "call of 'f' with 0 results, its declaration has 1"));
  EXPECT_EQ(error("call (p0), f, (p1, p1);"), at("12", "call of 'f': argument 1 has 8 bytes, the function expects 4"));
  EXPECT_EQ(error("call (r), h, (l);"),
            at("15", "'l' is no .param variable; a call passes .param variables and registers"));
  EXPECT_EQ(error("call (r), h, (x);"), at("15", "unknown argument 'x'"));
  EXPECT_EQ(error("call (x), h, (r);"), at("7", "unknown result 'x'"));
  EXPECT_EQ(error("call (1), h, (r);"), at("7", "expected a result of the call, found '1'"));
  EXPECT_EQ(error("call (r), h, (r;"), at("16", "expected ')' after arguments, found ';'"));
  EXPECT_EQ(error("call (r) h, (r);"), at("10", "expected ',' after the results of a call, found 'h'"));
  EXPECT_EQ(error("call d;"), at("7",
                                 "expected ',' and the name of a .callprototype or .calltargets; a call through a "
                                 "register needs one, found ';'"));
  EXPECT_EQ(error("call r, x;"), at("6", "an indirect call takes a 64-bit integer register, but 'r' is .b32"));
  EXPECT_EQ(error("call e, x;"), at("6", "an indirect call takes a 64-bit integer register, but 'e' is .f64"));
  EXPECT_EQ(error("call d, x;"), at("9", "expected the name of a .callprototype or .calltargets, found 'x'"));
  EXPECT_EQ(error("x: .callprototype _ (.param .b32 _); call d, x;"),
            at("46", "call of 'x' with 0 arguments, its declaration has 1"));
  EXPECT_EQ(error("x: .calltargets nobody; call d, x;"), at("17", "unknown function 'nobody'"));
  EXPECT_EQ(error("call %d;"), at("6", "unknown register '%d'"));
}

}  // namespace
}  // namespace castor::ptx::test::ptx_calls_test

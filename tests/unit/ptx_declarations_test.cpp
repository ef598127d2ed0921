#include "unit/ptx_support.h"

// Declarations: header, variables with initial values, functions, performance directives, debug information.
namespace castor::ptx::test::ptx_declarations_test {
namespace {

using isa::Linkage;
using isa::Space;
using isa::Type;
using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

const isa::Variable& variable(const isa::Module& module, const char* name) {
  const isa::Variable* const found = module.find_variable(name);
  if (found == nullptr) throw std::runtime_error(std::string("no variable ") + name);
  return *found;
}

TEST(PtxHeader, KeepsVersionTargetAndAddressSize) {
  const isa::Module module = parse(".version 8.12 .target sm_90a, texmode_independent .address_size 64", "a.ptx");
  EXPECT_EQ(module.version_major, 8U);
  EXPECT_EQ(module.version_minor, 12U);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.address_size, 64U);
  EXPECT_EQ(module.file, "a.ptx");
}

TEST(PtxHeader, IgnoresTrailingNulAndBothKindsOfComments) {
  const std::string text = std::string("/* two\n lines */ .version 6.0 // end\n.target sm_60\n") + std::string(3, '\0');
  EXPECT_EQ(parse(text, "a.ptx").target, "sm_60");
}

TEST(PtxHeader, RejectsWhatIsNoPtxText) {
  EXPECT_EQ(error_of_text(""), "1:1: expected PTX text that starts with .version, found end of file");
  EXPECT_EQ(error_of_text("\n int main() {}"), "2:2: expected PTX text that starts with .version, found 'int'");
  EXPECT_EQ(error_of_text("/* two\n lines */ int main() {}"),
            "2:11: expected PTX text that starts with .version, found 'int'");
  EXPECT_EQ(error_of_text("\x7f"
                          "ELF"),
            "1:1: unexpected character '\\x7f'");
  EXPECT_EQ(error_of_text(".version 6"), "1:10: expected a version such as 6.0 after .version, found '6'");
  EXPECT_EQ(error_of_text(".version 6.0\n.entry"), "2:1: expected .target after .version, found '.entry'");
  EXPECT_EQ(error_of_text(".version 6.0 .target gfx90"),
            "1:22: expected a target such as sm_60 after .target, found 'gfx90'");
  EXPECT_EQ(error_of_text(".version 6.0 .target sm_60 .address_size 32"),
            "1:42: address size 32 is not supported; only 64 is");
}

TEST(PtxHeader, NamesUnterminatedCommentAndString) {
  EXPECT_EQ(error_of_text("\n  /* no end"), "2:3: comment without its closing '*/'");
  EXPECT_EQ(error_of(".file 1 \"no end\n"), "1:9: string without its closing '\"'");
}

TEST(PtxVariables, KeepsSpaceLinkageTypeAlignmentAndSize) {
  const isa::Module module = module_of(
      ".visible .global .align 16 .b8 a[40];\n.const .f64 b;.weak .shared .u16 c[3][5];\n"
      ".extern .shared .align 8 .b8 d[];.common .global .s32 e;.extern .global .u64 f[];"
      ".global .v4 .f32 g[2];.global .attribute(.managed) .align 4 .u32 h;.global .u8 i, j[7];");
  EXPECT_EQ(variable(module, "a").linkage, Linkage::kVisible);
  EXPECT_EQ(variable(module, "a").space, Space::kGlobal);
  EXPECT_EQ(variable(module, "a").type, Type::kB8);
  EXPECT_EQ(variable(module, "a").align, 16U);
  EXPECT_EQ(variable(module, "a").size, 40U);
  EXPECT_EQ(variable(module, "a").where.line, 4U);
  EXPECT_EQ(variable(module, "a").where.column, 32U);
  EXPECT_EQ(variable(module, "b").space, Space::kConst);
  EXPECT_EQ(variable(module, "b").linkage, Linkage::kStatic);
  EXPECT_EQ(variable(module, "b").align, 8U);
  EXPECT_EQ(variable(module, "b").size, 8U);
  EXPECT_EQ(variable(module, "c").linkage, Linkage::kWeak);
  EXPECT_EQ(variable(module, "c").space, Space::kShared);
  EXPECT_EQ(variable(module, "c").size, 30U);
  EXPECT_TRUE(variable(module, "d").unsized);
  EXPECT_EQ(variable(module, "d").size, 0U);
  EXPECT_EQ(variable(module, "d").linkage, Linkage::kExtern);
  EXPECT_EQ(variable(module, "e").linkage, Linkage::kCommon);
  EXPECT_TRUE(variable(module, "f").unsized);
  EXPECT_EQ(variable(module, "g").size, 32U);
  EXPECT_EQ(variable(module, "g").align, 16U);
  EXPECT_EQ(variable(module, "h").size, 4U);
  EXPECT_EQ(variable(module, "i").size, 1U);
  EXPECT_EQ(variable(module, "j").size, 7U);
}

TEST(PtxVariables, ReadsEveryKindOfInitialValue) {
  const isa::Module module = module_of(
      ".global .u32 a = 0x01020304;.global .s16 b[4] = {-1, 2};.global .f32 c[2] = {1.5, 0fFF800001};"
      ".global .f64 d[2] = {-0.5, 0d4000000000000000};.const .b8 e[] = {104, 0b101, 017, 255, -128};"
      ".global .b16 f = 0x3C00;.global .f16 g[1] = {0xC000};.global .u64 h = 18446744073709551615;"
      ".global .s32 i[2][3] = {{1,2},{3,4,5}};.global .u8 j[2][2] = {1,2,3};.global .u32 l[][2]={{1},{2,3},{4}};"
      ".global .f32 m = 0;.global .u32 o = {7};.global .u8 p[2] = {257, -129};");
  EXPECT_THAT(variable(module, "a").data, ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(variable(module, "b").data, ElementsAre(0xff, 0xff, 2, 0));
  EXPECT_EQ(variable(module, "b").size, 8U);
  // 1.5f is 0x3fc00000.
  EXPECT_THAT(variable(module, "c").data, ElementsAre(0, 0, 0xc0, 0x3f, 1, 0, 0x80, 0xff));
  // -0.5 is 0xbfe0000000000000.
  EXPECT_THAT(variable(module, "d").data, ElementsAre(0, 0, 0, 0, 0, 0, 0xe0, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0x40));
  EXPECT_THAT(variable(module, "e").data, ElementsAre(104, 5, 15, 255, 0x80));
  EXPECT_EQ(variable(module, "e").size, 5U);
  EXPECT_FALSE(variable(module, "e").unsized);
  EXPECT_THAT(variable(module, "f").data, ElementsAre(0, 0x3c));
  EXPECT_THAT(variable(module, "g").data, ElementsAre(0, 0xc0));
  EXPECT_THAT(variable(module, "h").data, testing::Each(0xff));
  EXPECT_THAT(variable(module, "i").data,
              ElementsAre(1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0));
  EXPECT_THAT(variable(module, "j").data, ElementsAre(1, 2, 3));
  EXPECT_EQ(variable(module, "j").size, 4U);
  EXPECT_EQ(variable(module, "l").size, 24U);
  EXPECT_THAT(variable(module, "l").data, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0));
  EXPECT_THAT(variable(module, "m").data, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(variable(module, "o").data, ElementsAre(7, 0, 0, 0));
  EXPECT_THAT(variable(module, "p").data, ElementsAre(1, 0x7f));
}

TEST(PtxVariables, TurnsAddressesInInitialValuesIntoRelocations) {
  const isa::Module module = module_of(
      ".global .u32 t[8];.func f() { ret; }\n"
      ".global .u64 a[4] = {3, generic(t), t+8, f};.global .u64 b = generic(t)+4-1;.global .u64 c = generic(t+12);"
      ".global .u8 d[3] = {0xff(t), 0xff00(generic(t)+4), 0xff0000(t+1)};.global .u32 e=0xFFFFFFFF00000000(t);");
  const auto& a = variable(module, "a");
  ASSERT_THAT(a.relocations, SizeIs(3));
  EXPECT_EQ(a.data[0], 3);
  EXPECT_EQ(a.relocations[0].offset, 8U);
  EXPECT_EQ(a.relocations[0].symbol, "t");
  EXPECT_TRUE(a.relocations[0].generic);
  EXPECT_EQ(a.relocations[0].addend, 0);
  EXPECT_EQ(a.relocations[1].offset, 16U);
  EXPECT_FALSE(a.relocations[1].generic);
  EXPECT_EQ(a.relocations[1].addend, 8);
  EXPECT_EQ(a.relocations[2].symbol, "f");
  EXPECT_EQ(a.relocations[2].width, 8U);
  EXPECT_EQ(variable(module, "b").relocations.at(0).addend, 3);
  EXPECT_EQ(variable(module, "c").relocations.at(0).addend, 12);
  EXPECT_TRUE(variable(module, "c").relocations.at(0).generic);
  const auto& d = variable(module, "d").relocations;
  ASSERT_THAT(d, SizeIs(3));
  EXPECT_EQ(d[0].shift, 0U);
  EXPECT_EQ(d[0].width, 1U);
  EXPECT_EQ(d[1].shift, 8U);
  EXPECT_EQ(d[1].addend, 4);
  EXPECT_TRUE(d[1].generic);
  EXPECT_EQ(d[2].shift, 16U);
  EXPECT_EQ(d[2].offset, 2U);
  EXPECT_EQ(variable(module, "e").relocations.at(0).shift, 32U);
  EXPECT_EQ(variable(module, "e").relocations.at(0).width, 4U);
}

TEST(PtxVariables, LetsInitialValuesNameWhatFollows) {
  const isa::Module module = module_of(".global .u64 a = generic(later);.global .u32 later;");
  EXPECT_EQ(variable(module, "a").relocations.at(0).symbol, "later");
}

TEST(PtxVariables, MergesExternDeclarationWithDefinition) {
  const isa::Module module = module_of(".extern .global .u32 a;.visible .global .u32 a = 5;.extern .global .u32 a;");
  EXPECT_THAT(module.variables, SizeIs(1));
  EXPECT_EQ(variable(module, "a").linkage, Linkage::kVisible);
  EXPECT_EQ(variable(module, "a").data.at(0), 5);
}

TEST(PtxVariables, OfAModuleMayBeLocalToTheThread) {
  const isa::Module module = module_of(
      ".local .align 16 .b8 room[64];\n.func f () { .reg .b32 r; .reg .b64 d; ld.local.u32 r, [room+4]; mov.u32 r, "
      "room; "
      "mov.u64 d, room; ret; }");
  EXPECT_EQ(module.variables[0].space, isa::Space::kLocal);
  EXPECT_EQ(module.variables[0].size, 64U);
  EXPECT_EQ(error_of(".local .u32 x;\n.func f () { .reg .b32 r; ld.global.u32 r, [x]; ret; }"),
            "2:45: 'x' is a .local variable, but the instruction accesses .global");
}

TEST(PtxVariables, OfFunctionsThatLastAreTheModules) {
  const isa::Module module = module_of(
      ".func f () { .global .u32 x = 3; { .const .f32 x = 1.0; } ret; }\n.func g () { .global .u32 x; ret; }");
  ASSERT_THAT(module.variables, SizeIs(3));
  EXPECT_EQ(module.variables[0].name, "f.x");
  EXPECT_THAT(module.variables[0].data, ElementsAre(3, 0, 0, 0));
  EXPECT_EQ(module.variables[1].space, isa::Space::kConst);
  EXPECT_EQ(module.variables[2].name, "g.x");
  EXPECT_EQ(module.find_function("g")->variables[0].name, "g.x");
}

TEST(PtxVariables, RejectsWrongDeclarations) {
  EXPECT_EQ(error_of(".global .u32 a;\n.global .f32 a;"), "2:14: 'a' is declared twice");
  EXPECT_EQ(error_of(".extern .global .u32 a;\n.const .u32 a;"), "2:13: 'a' was declared in .global at line 4");
  EXPECT_EQ(error_of(".func f(){ret;}\n.global .f32 f;"), "2:14: 'f' is declared twice");
  EXPECT_EQ(error_of(".global .f32 f;\n.func f(){ret;}"), "2:7: 'f' is declared twice");
  EXPECT_EQ(error_of(".global a;"), "1:9: expected a type such as .b32, found 'a'");
  EXPECT_EQ(error_of(".global .u33 a;"), "1:9: expected a type such as .b32, found '.u33'");
  EXPECT_EQ(error_of(".global .u32 .u32 a;"), "1:14: a second type '.u32'");
  EXPECT_EQ(error_of(".global .u32;"), "1:13: expected the name of a variable, found ';'");
  EXPECT_EQ(error_of(".global .pred a;"), "1:9: a predicate cannot be a variable in memory");
  EXPECT_EQ(error_of(".global .align 3 .u32 a;"), "1:16: alignment 3 is no power of two");
  EXPECT_EQ(error_of(".global .align 2 .u32 a;"), "1:9: alignment 2 is less than the 4 bytes of .u32");
  EXPECT_EQ(error_of(".global .align 131072 .u32 a;"), "1:16: expected an alignment from 0 to 65536, found '131072'");
  EXPECT_EQ(error_of(".global .u32 a[];"),
            "1:14: array 'a' has no size; only .extern arrays and those with initial values may");
  EXPECT_EQ(error_of(".global .u32 a[2][];"), "1:19: only the first extent of an array may be left out");
  EXPECT_EQ(error_of(".global .u32 a[-1];"), "1:16: expected an array extent from 0 to 9223372036854775807, found '-'");
  EXPECT_EQ(error_of(".global .u32 a[18446744073709551617];"),
            "1:16: expected an array extent from 0 to 9223372036854775807, found '18446744073709551617'");
  EXPECT_EQ(error_of(".global .u32 a[0x4000000000][2];"), "1:14: variable 'a' takes more than 1099511627776 bytes");
  EXPECT_EQ(error_of(".global .u32 a[0x7fffffffffffffff][0x7fffffffffffffff];"),
            "1:14: variable 'a' takes more than 1099511627776 bytes");
  EXPECT_EQ(error_of(".global .u32 a = 1 .global"), "1:20: expected ';' after a variable, found '.global'");
  EXPECT_EQ(error_of(".common .shared .u32 a;"), "1:1: .common is for .global variables");
  EXPECT_EQ(error_of(".visible .extern .u32 a;"), "1:10: a second linkage '.extern'");
  EXPECT_EQ(error_of(".global .texref t;"), "1:9: directive '.texref' is refused here: textures are not supported");
  EXPECT_EQ(error_of(".tex .u32 t;"), "1:1: directive '.tex' is refused here: textures are not supported");
  EXPECT_THAT(error_of(".reg .u32 t;"), StartsWith("1:11: register 't' is declared outside of functions: declare it"));
  EXPECT_EQ(error_of(".extern .local .u32 t;"), "1:1: a .local variable belongs to one module and cannot be .extern");
  EXPECT_EQ(error_of(".local .u32 t = 3;"), "1:15: a .local variable has no initial value");
  EXPECT_EQ(error_of(".visible .pragma \"x\";"), "1:10: unknown directive '.pragma'");
  EXPECT_EQ(error_of(".wombat 3"), "1:1: unknown directive '.wombat'");
  EXPECT_EQ(error_of("add"), "1:1: expected a directive such as .entry, .func or .global, found 'add'");
}

TEST(PtxVariables, RejectsWrongInitialValues) {
  EXPECT_EQ(error_of(".global .u32 a = 1.0;"), "1:18: a floating-point constant for .u32");
  EXPECT_THAT(error_of(".global .f32 a = 1;"), StartsWith("1:18: an integer constant for .f32"));
  EXPECT_EQ(error_of(".global .u32 a[2] = {1,2,3};"), "1:26: more initial values than 'a' has elements");
  EXPECT_EQ(error_of(".global .u32 a[2][2] = {{1,2,3}};"), "1:30: more initial values than 'a' has elements");
  EXPECT_EQ(error_of(".global .u32 a[2][2] = {1,{2,3}};"), "1:27: a braced list in the middle of a row");
  EXPECT_EQ(error_of(".global .u32 a[2] = {{1}};"),
            "1:22: expected a value; the array has no more dimensions, found '{'");
  EXPECT_EQ(error_of(".global .u32 a[2] = 1;"), "1:21: expected '{' before the initial values of an array, found '1'");
  EXPECT_EQ(error_of(".global .u32 a[2] = {1;"), "1:23: expected '}' after initial values, found ';'");
  EXPECT_EQ(error_of(".global .b8 a[2] = \"x\";"),
            "1:20: expected '{' before the initial values of an array, found string \"x\"");
  EXPECT_EQ(error_of(".global .b8 a[2] = {\"x\"};"),
            "1:21: expected a number; a string is written as its bytes, found string \"x\"");
  EXPECT_EQ(error_of(".shared .u32 a = 1;"), "1:16: a .shared variable has no initial value");
  EXPECT_EQ(error_of(".extern .global .u32 a = 1;"), "1:24: an .extern variable has no initial value");
  EXPECT_EQ(error_of(".global .u64 a = nobody;"), "1:18: unknown name 'nobody'");
  EXPECT_EQ(error_of(".global .u32 t;.global .u32 a = t;"),
            "1:33: the address of .global variable 't' takes 64 bits, not 32");
  EXPECT_EQ(error_of(".global .u32 t;.global .f64 a = t;"), "1:33: an address is no .f64 value");
  EXPECT_EQ(error_of(".global .u32 t;.global .u8 a = 0x1ff(t);"),
            "1:32: mask '0x1ff' does not choose 1 neighbouring bytes of an address");
  EXPECT_EQ(error_of(".global .u8 a[4][0x10000000] = {{1}, {2}};"),
            "1:39: the initial values of this file take more than 67108864 bytes");
}

TEST(PtxFunctions, KeepsSignatures) {
  const isa::Module module = module_of(
      ".visible .entry a(.param .u64 .ptr .global .align 16 x, .param .align 8 .b8 y[40], .param .f32 z)\n"
      "{ ret; }\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
      ".weak .func (.reg .u32 %r) b(.reg .u64 %a, .reg .pred %p) { mov.u32 %r, 1; ret; }\n"
      ".func c .noreturn { trap; }\n.entry d() { ret; }\n.entry e { ret; }");
  const isa::Function& a = *module.find_function("a");
  EXPECT_TRUE(a.entry);
  EXPECT_TRUE(a.defined);
  EXPECT_EQ(a.linkage, Linkage::kVisible);
  EXPECT_EQ(a.where.line, 4U);
  EXPECT_EQ(a.where.column, 17U);
  ASSERT_THAT(a.parameters, SizeIs(3));
  EXPECT_EQ(a.parameters[0].align, 8U) << "alignment of the pointee is not that of the parameter";
  EXPECT_EQ(a.parameters[1].align, 8U);
  EXPECT_EQ(a.parameters[1].size, 40U);
  EXPECT_EQ(a.parameters[2].type, Type::kF32);
  EXPECT_EQ(a.parameters[2].space, Space::kParam);
  ASSERT_THAT(a.variables, SizeIs(3));
  EXPECT_EQ(a.variables[1].name, "y");

  const isa::Function& vprintf = *module.find_function("vprintf");
  EXPECT_FALSE(vprintf.defined);
  EXPECT_FALSE(vprintf.entry);
  EXPECT_EQ(vprintf.linkage, Linkage::kExtern);
  EXPECT_THAT(vprintf.results, SizeIs(1));
  EXPECT_THAT(vprintf.parameters, SizeIs(2));

  const isa::Function& b = *module.find_function("b");
  ASSERT_THAT(b.parameters, SizeIs(2));
  EXPECT_EQ(b.parameters[0].space, Space::kReg);
  ASSERT_THAT(b.parameter_registers, SizeIs(2));
  ASSERT_THAT(b.result_registers, SizeIs(1));
  EXPECT_EQ(b.registers[b.parameter_registers[0]].name, "%a");
  EXPECT_EQ(b.registers[b.parameter_registers[1]].type, Type::kPred);
  EXPECT_EQ(b.registers[b.result_registers[0]].name, "%r");
  EXPECT_EQ(b.body.at(0).operands.at(0).index, b.result_registers[0]);
  EXPECT_THAT(b.variables, SizeIs(3));

  EXPECT_TRUE(module.find_function("c")->noreturn);
  EXPECT_TRUE(module.find_function("d")->parameters.empty());
  EXPECT_TRUE(module.find_function("e")->entry);
}

TEST(PtxFunctions, MergesDeclarationAndDefinition) {
  const isa::Module module = module_of(
      ".visible .func (.param .b32 r) f\n(\n.param .b32 x\n)\n;\n.func (.param .b32 r0) f(.param .b32 x0) { ret; }\n"
      ".func (.param .b32 r0) f(.param .b32 x0);");
  ASSERT_THAT(module.functions, SizeIs(1));
  EXPECT_TRUE(module.functions[0].defined);
  EXPECT_EQ(module.functions[0].linkage, Linkage::kVisible);
  EXPECT_EQ(module.functions[0].parameters[0].name, "x0");
}

TEST(PtxFunctions, DeclarationsMayEndWithoutASemicolon) {
  const isa::Module module = module_of(
      ".func (.param .b32 r) f (.param .b32 x) .noreturn\n.extern .func g ()\n.global .u32 a;\n.func h ()\n"
      ".visible .func (.param .b32 r) f (.param .b32 x) { ret; }\n.entry k ()\n.entry k () { ret; }");
  EXPECT_THAT(module.functions, SizeIs(4));
  EXPECT_TRUE(module.find_function("f")->defined);
  EXPECT_FALSE(module.find_function("g")->defined);
  EXPECT_FALSE(module.find_function("h")->defined);
  EXPECT_TRUE(module.find_function("k")->defined);
  EXPECT_EQ(error_of(".func f ()"), "1:11: expected '{' or ';' after the head of 'f', found end of file");
  EXPECT_EQ(error_of(".func f () .wombat"), "1:12: unknown directive '.wombat'");
}

TEST(PtxFunctions, VectorsOfRegistersAreTheirElements) {
  const isa::Module module = module_of(
      ".func (.reg .v4 .f32 r, .reg .pred q) f (.reg .v2 .u32 a, .reg .b128 b, .reg .f32 c)\n"
      "{ mov.v4.f32 r, {c, c, c, c}; mov.b64 {a.x, a.y}, 3; mov.b128 b, b; ret; }\n"
      ".func g () { .reg .v4 .f32 v; .reg .v2 .u32 w; .reg .b128 x; .reg .f32 c; .reg .pred p;\n"
      "call (v, p), f, (w, x, c); call ({c, _, c, c}, _), f, ({1, w.y}, x, 1.0); ret; }");
  const isa::Function& f = *module.find_function("f");
  EXPECT_THAT(f.parameters, SizeIs(5));
  EXPECT_THAT(f.results, SizeIs(5));
  EXPECT_THAT(f.parameter_registers, ElementsAre(0, 1, 2, 3, 4));
  const isa::Function& g = *module.find_function("g");
  EXPECT_THAT(g.calls[0].arguments, SizeIs(5));
  EXPECT_THAT(g.calls[0].results, SizeIs(5));
  EXPECT_EQ(g.calls[1].arguments[0].bits, 1U);
  EXPECT_EQ(error_of(".func f (.reg .v2 .u32 a) { ret; }\n.func g () { .reg .v4 .u32 v; call f, (v); ret; }"),
            "2:36: call of 'f' with 4 arguments, its declaration has 2");
  EXPECT_EQ(error_of(".func f (.reg .v8 .u32 a) { ret; }"), "1:15: a register vector of more than 4 elements");
}

TEST(PtxFunctions, KeepsPerformanceDirectives) {
  const isa::Module module = module_of(
      ".entry a() .maxntid 128, 2, 1 .minnctapersm 3 .maxnreg 40 .pragma \"nounroll\"; { ret; }"
      ".entry b() .reqntid 64 .maxnctapersm 2 { ret; }");
  const isa::Function& a = *module.find_function("a");
  EXPECT_THAT(a.max_threads, ElementsAre(128, 2, 1));
  EXPECT_THAT(a.required_threads, ElementsAre(0, 0, 0));
  EXPECT_EQ(a.min_blocks, 3U);
  EXPECT_EQ(a.max_registers, 40U);
  const isa::Function& b = *module.find_function("b");
  EXPECT_THAT(b.required_threads, ElementsAre(64, 1, 1));
  EXPECT_EQ(b.min_blocks, 2U);
}

TEST(PtxFunctions, AliasIsASecondNameOfADefinition) {
  const isa::Module module = module_of(
      ".visible .func (.param .b32 r) two(.param .b32 x);\n.func (.param .b32 r) one(.param .b32 x) { ret; }\n"
      ".alias two, one;");
  const isa::Function& two = *module.find_function("two");
  EXPECT_TRUE(two.defined);
  EXPECT_EQ(two.linkage, Linkage::kVisible);
  EXPECT_THAT(two.body, SizeIs(1));
}

TEST(PtxFunctions, RejectsWrongFunctions) {
  EXPECT_EQ(error_of(".func f(){ret;}\n.func f(){ret;}"), "2:7: 'f' is declared twice");
  EXPECT_EQ(error_of(".func f(.param .b32 a);\n.func f(.param .b64 a){ret;}"),
            "2:7: 'f' was declared with other parameters or results at line 4");
  EXPECT_EQ(error_of(".entry f(.param .b32 a, .param .b32 a){ret;}"), "1:37: 'a' is declared twice");
  EXPECT_EQ(error_of(".entry (.param .b32 a) f(){ret;}"), "1:8: a kernel returns nothing");
  EXPECT_EQ(error_of(".entry f(.reg .b32 a){ret;}"), "1:10: expected .param, found '.reg'");
  EXPECT_EQ(error_of(".entry f(.param .b32 a[]){ret;}"),
            "1:22: parameter 'a' without a size (a variable number of arguments) is not supported");
  EXPECT_EQ(error_of(".func f(.reg .b32 a, .param .b32 b){ret;}"), "1:34: a list that mixes .reg and .param");
  EXPECT_EQ(error_of(".entry f"), "1:9: expected '{' or ';' after the head of 'f', found end of file");
  EXPECT_EQ(error_of(".entry 3"), "1:8: expected the name of a kernel, found '3'");
  EXPECT_EQ(error_of(".extern .func f() { ret; }"), "1:19: .extern 'f' cannot have a body");
  EXPECT_EQ(error_of(".entry f() .maxntid 0 {}"), "1:21: a thread block of 0 threads");
  EXPECT_EQ(error_of(".entry f() .maxntid 65536,65536 {}"), "1:21: a thread block of 4294967296 threads");
  EXPECT_EQ(error_of(".entry f() .maxnreg x {}"), "1:21: expected a number of registers, found 'x'");
  EXPECT_EQ(error_of(".entry f() .maxclusterrank 8 {}"),
            "1:12: directive '.maxclusterrank' is refused here: thread-block clusters are not supported");
  EXPECT_EQ(error_of(".entry f() .explicitcluster {}"),
            "1:12: directive '.explicitcluster' is refused here: thread-block clusters are not supported");
  EXPECT_EQ(error_of(".entry f() .reqnctapercluster 2 {}"),
            "1:12: directive '.reqnctapercluster' is refused here: thread-block clusters are not supported");
  EXPECT_EQ(error_of(".alias a, b;"), "1:11: .alias needs a function that is defined here, 'b' is none");
  EXPECT_EQ(error_of(".entry f() {\n ret;\n"), "3:1: expected '}' that ends 'f' (opened at line 4), found end of file");
  EXPECT_EQ(error_of(".common .func f();"), "1:1: .common is for variables");
}

TEST(PtxDebug, MapsLocationsToSourceFiles) {
  const isa::Module module = module_of(
      ".entry k() {\n.reg .b32 %r1;\nmov.u32 %r1, 0;\n.loc 2 15 3\n  mov.u32 %r1, 1;\n"
      ".loc 7 20 1, function_name $L__info_string0+4, inlined_at 2 15 3\nmov.u32 %r1, 2;\n.loc 9 1 0\nret;\n}\n"
      ".file 2 \"a.cu\"\n.file 7 \"b.h\", 1666, 33\n");
  EXPECT_THAT(module.source_files, ElementsAre("a.cu", "b.h"));
  const auto& body = only_kernel(module).body;
  ASSERT_THAT(body, SizeIs(4));
  EXPECT_EQ(body[0].where.source_file, 0U);
  EXPECT_EQ(body[1].where.source_file, 1U);
  EXPECT_EQ(body[1].where.source_line, 15U);
  EXPECT_EQ(body[1].where.line, 8U);
  EXPECT_EQ(body[1].where.column, 3U);
  EXPECT_EQ(body[2].where.source_file, 2U);
  EXPECT_EQ(body[2].where.source_line, 20U);
  EXPECT_EQ(body[3].where.source_file, 0U) << "a file that no .file names";
  EXPECT_EQ(body[3].where.source_line, 0U);
}

TEST(PtxDebug, SkipsSections) {
  const isa::Module module = module_of(
      ".section .debug_abbrev\n{\n.b8 1 // Abbreviation\n.b32 Ltmp1-Ltmp0\n{ }\n.b64 .debug_line\n}\n"
      ".section .debug_loc { }\n@@DWARF .byte 0x2b, \"unended\n.global .u32 a;");
  EXPECT_THAT(module.variables, SizeIs(1));
  EXPECT_EQ(error_of("\n.section .debug_str {"), "2:1: section without its closing '}'");
}

TEST(PtxDebug, RejectsFileNumberWithTwoNames) {
  EXPECT_EQ(error_of(".file 1 \"a\"\n.file 1 \"a\"\n.file 1 \"b\""), "3:7: file number 1 stands for two names");
  EXPECT_EQ(error_of(".file 1 a"), "1:9: expected a file name in quotes, found 'a'");
}

}  // namespace
}  // namespace castor::ptx::test::ptx_declarations_test

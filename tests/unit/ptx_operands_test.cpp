#include <set>

#include "unit/ptx_support.h"

// Instructions: operand forms, registers and their names, limits.
namespace castor::ptx::test::ptx_operands_test {
namespace {

using isa::Operand;
using isa::Type;
using testing::ElementsAre;
using testing::SizeIs;
using Kind = isa::Operand::Kind;

// ---- vectors of one element

TEST(PtxOperands, ARegisterInBracesIsTheRegister) {
  const isa::Module module = kernel(
      ".reg .b32 r, s; .reg .b64 d;\nld.global.b32 { r }, [d]; st.global.b32 [d], {s}; mov.b32 r, {s}; mov.b32 {r}, "
      "s;");
  const isa::Function& f = only_kernel(module);
  EXPECT_EQ(register_name(f, f.body[0].operands[0]), "r");
  EXPECT_EQ(register_name(f, f.body[1].operands[1]), "s");
  EXPECT_EQ(register_name(f, f.body[2].operands[1]), "s");
  EXPECT_EQ(register_name(f, f.body[3].operands[0]), "r");
  EXPECT_EQ(error_in(".reg .b32 r; .reg .b64 d;\nld.global.b32 {r, r}, [d];"),
            "2:17: expected '}' after 1 elements of operand 1 ('d') of 'ld.global.b32', found ','");
}

// ---- registers, scopes, names

TEST(PtxRegisters, FamiliesHoldOnlyMembersThatAreUsed) {
  const isa::Module module =
      kernel(".reg .b32 %r<1000>; .reg .f64 %fd1<5>, x;\nmov.u32 %r7, 1; mov.u32 %r0, %r7; mov.f64 %fd14, x;");
  const isa::Function& function = only_kernel(module);
  std::vector<std::string> names;
  for (const auto& reg : function.registers) names.push_back(reg.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("%r7", "%r0", "%fd14", "x"));
  EXPECT_EQ(register_name(function, function.body[1].operands[0]), "%r0");
  EXPECT_EQ(register_name(function, function.body[1].operands[1]), "%r7");
  EXPECT_EQ(function.body[0].operands[0].index, function.body[1].operands[1].index);
  EXPECT_EQ(function.registers[function.body[2].operands[0].index].type, Type::kF64);
}

TEST(PtxRegisters, InnerScopesHideOuterNames) {
  const isa::Module module = kernel(
      ".reg .b32 a, %r<4>;\nmov.u32 a, 1;\n{ .reg .b32 a; mov.u32 a, 2; { .reg .b32 %r<2>; mov.u32 %r1, a; mov.u32 "
      "%r3, a; "
      "} }\nmov.u32 %r1, a;");
  const isa::Function& f = only_kernel(module);
  const std::uint32_t outer = f.body[0].operands[0].index;
  const std::uint32_t inner = f.body[1].operands[0].index;
  EXPECT_NE(outer, inner);
  EXPECT_EQ(f.body[2].operands[1].index, inner);
  EXPECT_EQ(f.body[4].operands[1].index, outer);
  EXPECT_NE(f.body[2].operands[0].index, f.body[4].operands[0].index) << "%r1 of the inner family";
  EXPECT_EQ(f.registers[f.body[3].operands[0].index].name, "%r3") << "the inner family has no %r3";
}

TEST(PtxRegisters, RepeatedVariableNamesAreRenamedApart) {
  const isa::Module module = kernel(
      ".reg .b32 r;\n{ .param .b32 q; st.param.b32 [q], r; }\n{ .param .b32 q; st.param.b32 [q], r; }\n"
      ".shared .align 8 .b8 s[16];\n.local .f32 l; { .local .f64 l; }");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.variables, SizeIs(7)) << "two parameters come first";
  std::set<std::string> names;
  for (const auto& variable : f.variables) names.insert(variable.name);
  EXPECT_THAT(names, SizeIs(7));
  EXPECT_EQ(f.variables[2].name, "q");
  EXPECT_EQ(f.body[0].operands[0].elements[0].index, 2U);
  EXPECT_EQ(f.body[1].operands[0].elements[0].index, 3U);
  EXPECT_EQ(f.variables[4].space, isa::Space::kShared);
  EXPECT_EQ(f.variables[6].size, 8U);
}

TEST(PtxNames, MayEqualOpcodesTypesAndDirectives) {
  const isa::Module module = module_of(
      ".global .u32 global;.func ld(.param .b32 param) { ret; }\n"
      ".entry add(.param .u64 entry, .param .u32 u32) {\n"
      ".reg .u32 add, mov, reg, $x, _y, %z; .reg .pred pred; .shared .u32 shared[4];\n"
      "ld.param.u32 add, [u32]; mov: mov.u32 mov, add; add.u32 add, add, mov; @pred bra ret; @!pred bra exit;\n"
      "st.shared.u32 [shared], reg; st.global.u32 [global+4], reg; mov.u32 $x, _y; mov.u32 %z, $x;\n"
      "bra mov; ret: ret; exit: exit; bra: bra bra;\n}");
  const isa::Function& f = *module.find_function("add");
  EXPECT_TRUE(f.entry);
  std::vector<std::string> labels;
  for (const auto& label : f.labels) labels.push_back(label.name);
  EXPECT_THAT(labels, ElementsAre("ret", "exit", "mov", "bra"));
  EXPECT_EQ(f.labels[0].position, 10U);
  EXPECT_EQ(f.labels[2].position, 1U);
  EXPECT_EQ(f.body.back().match.spelling(), "bra");
  EXPECT_EQ(module.names.at(f.body[6].operands[0].elements[0].index), "global");
}

TEST(PtxNames, VectorRegistersHaveElements) {
  const isa::Module module = kernel(
      ".reg .v4 .f32 v; .reg .v2 .b32 w; .reg .f32 f; .reg .b64 d;\nmov.f32 f, v.y; mov.f32 v.a, f;\n"
      "ld.global.v4.f32 v, [d]; mov.b64 d, w; mov.b32 w.x, w.y;");
  const isa::Function& f = only_kernel(module);
  EXPECT_EQ(register_name(f, f.body[0].operands[1]), "v.y");
  EXPECT_EQ(register_name(f, f.body[1].operands[0]), "v.w");
  ASSERT_EQ(f.body[2].operands[0].kind, Kind::kList);
  ASSERT_THAT(f.body[2].operands[0].elements, SizeIs(4));
  EXPECT_EQ(register_name(f, f.body[2].operands[0].elements[2]), "v.z");
  EXPECT_THAT(f.body[3].operands[1].elements, SizeIs(2));
  EXPECT_EQ(error_in(".reg .v2 .b32 w; .reg .b32 r;\nadd.s32 r, w, r;"),
            "2:12: register vector 'w' where one register is expected; name an element");
  EXPECT_EQ(error_in(".reg .v2 .b32 w; .reg .b32 r;\nmov.b32 r, w.z;"), "2:13: 'w' has no element '.z'");
  EXPECT_EQ(error_in(".reg .b32 r;\nmov.b32 r, r.x;"), "2:13: 'r' is no vector and has no element '.x'");
}

TEST(PtxNames, SpecialRegistersHaveTheirWidth) {
  const isa::Module module = kernel(
      ".reg .b32 r; .reg .b64 d; .reg .b16 h;\nmov.u32 r, %tid.x; mov.u32 r, %nctaid.z; mov.u32 r, %lanemask_lt;\n"
      "mov.u64 d, %clock64; mov.u64 d, %globaltimer; mov.u32 r, %gridid; mov.u16 h, %ntid.y; mov.u32 r, "
      "%dynamic_smem_size; cvt.u64.u32 d, %ctaid.y; mov.u32 r, %clock_hi;");
  const isa::Function& f = only_kernel(module);
  const isa::SpecialRegister expected[] = {
      isa::SpecialRegister::kTidX,    isa::SpecialRegister::kNctaidZ,         isa::SpecialRegister::kLanemaskLt,
      isa::SpecialRegister::kClock64, isa::SpecialRegister::kGlobalTimer,     isa::SpecialRegister::kGridId,
      isa::SpecialRegister::kNtidY,   isa::SpecialRegister::kDynamicSmemSize, isa::SpecialRegister::kCtaidY,
      isa::SpecialRegister::kClockHi,
  };
  ASSERT_THAT(f.body, SizeIs(std::size(expected)));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(f.body[i].operands[1].kind, Kind::kSpecial);
    EXPECT_EQ(f.body[i].operands[1].special, expected[i]) << i;
  }
  const std::string r = ".reg .b32 r; .reg .b64 d;\n";
  EXPECT_EQ(error_in(r + "mov.u64 d, %tid.x;"),
            "2:12: operand 2 ('a') of 'mov.u64' is .u64, but special register %tid.x has 32 bits");
  EXPECT_EQ(error_in(r + "mov.u32 r, %clock64;"),
            "2:12: operand 2 ('a') of 'mov.u32' is .u32, but special register %clock64 has 64 bits");
  EXPECT_EQ(error_in(r + "mov.u32 r, %tid.v;"), "2:12: unknown register '%tid.v' as operand 2 ('a') of 'mov.u32'");
  EXPECT_EQ(error_in(r + "mov.u32 r, %tid;"), "2:12: unknown register '%tid' as operand 2 ('a') of 'mov.u32'");
  EXPECT_EQ(error_in(r + "mov.u32 r, %envreg3;"),
            "2:12: special register '%envreg3' is not supported: no driver sets it (%envreg0 to %envreg2 alone have a "
            "value); pass the value as a parameter");
  EXPECT_EQ(error_in(r + "mov.u32 r, %aggr_smem_size;"),
            "2:12: special register '%aggr_smem_size' is not supported: use %total_smem_size; no shared memory is set "
            "aside for the system");
  EXPECT_EQ(error_in(r + "mov.u32 %tid.x, r;"), "2:9: unknown register '%tid' as operand 1 ('d') of 'mov.u32'");
}

TEST(PtxNames, RejectsUnknownAndRepeatedOnes) {
  EXPECT_EQ(error_in(".reg .b32 r, r;"), "1:14: 'r' is declared twice");
  EXPECT_EQ(error_in(".reg .b32 %r<3>; .reg .f32 %r<2>;"), "1:28: '%r' is declared twice");
  EXPECT_EQ(error_in(".reg .b32 p;"), "1:11: 'p' is declared twice");
  EXPECT_EQ(error_in(".reg .b32 %r<3>, %r2;\nmov.u32 %r2, 1;"),
            "2:9: '%r2' is declared both by itself and as part of a register family");
  EXPECT_EQ(error_in("mov.u32 %r1, 1;"), "1:9: unknown register '%r1' as operand 1 ('d') of 'mov.u32'");
  EXPECT_EQ(error_in(".reg .b32 %r<3>;\nmov.u32 %r3, 1;"),
            "2:9: unknown register '%r3' as operand 1 ('d') of 'mov.u32'");
  EXPECT_EQ(error_in(".reg .b32 %r<3>;\nmov.u32 %r01, 1;"),
            "2:9: unknown register '%r01' as operand 1 ('d') of 'mov.u32'");
  EXPECT_EQ(error_in(".reg .b32 %r<3>;\nmov.u32 %r1, x;"), "2:14: unknown name 'x'");
  EXPECT_EQ(error_in("{ .reg .b32 r; }\nmov.u32 r, 1;"), "2:9: unknown register 'r' as operand 1 ('d') of 'mov.u32'");
  EXPECT_EQ(error_in(".reg .b32 %r<1000001>;"),
            "1:14: expected a number of registers from 0 to 1000000, found '1000001'");
  EXPECT_EQ(error_in(".reg .b32 %r<600000>, %s<600000>;"), "1:26: more than 1000000 registers in one function");
  EXPECT_EQ(error_in(".reg .b32 %r<x>;"), "1:14: expected the number of registers, found 'x'");
  EXPECT_EQ(error_in(".local .b32 r[4]"), "2:1: expected ';' after a variable, found '}'");
  EXPECT_EQ(error_in(".shared .b32 r[];"), "1:14: array 'r' has no size");
}

// ---- operands

TEST(PtxOperands, GuardsNameAPredicate) {
  const isa::Module module =
      kernel(".reg .pred p1, q; .reg .b32 r;\n@p1 mov.u32 r, 1; @!q mov.u32 r, 2; mov.u32 r, 3;");
  const isa::Function& f = only_kernel(module);
  ASSERT_TRUE(f.body[0].guard.has_value());
  EXPECT_EQ(f.registers[*f.body[0].guard].name, "p1");
  EXPECT_FALSE(f.body[0].guard_negated);
  EXPECT_EQ(f.registers[*f.body[1].guard].name, "q");
  EXPECT_TRUE(f.body[1].guard_negated);
  EXPECT_FALSE(f.body[2].guard.has_value());
  EXPECT_EQ(error_in("@p1 ret;"), "1:2: unknown register 'p1'");
  EXPECT_EQ(error_in(".reg .b32 r;\n@r ret;"), "2:2: a guard takes a predicate register, but 'r' is .b32");
  EXPECT_EQ(error_in(".reg .pred r;\n@r {"), "2:4: expected an instruction after a guard, found '{'");
  EXPECT_EQ(error_in("@1 ret;"), "1:2: expected a predicate register after '@', found '1'");
}

TEST(PtxOperands, PredicatesMayBePairedNegatedOrDropped) {
  const isa::Module module = kernel(
      ".reg .pred a, b, c; .reg .b32 r;\nsetp.eq.s32 a|b, r, 0; setp.eq.and.s32 a, r, 0, !c; setp.eq.s32 _|b, r, 0;\n"
      "mov.pred a, -1; mov.pred a, 0; shfl.sync.down.b32 r|a, r, 1, 31, -1;");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.body[0].operands, SizeIs(4));
  EXPECT_EQ(register_name(f, f.body[0].operands[0]), "a");
  EXPECT_EQ(register_name(f, f.body[0].operands[1]), "b");
  EXPECT_EQ(f.body[1].operands[1].kind, Kind::kNone);
  EXPECT_TRUE(f.body[1].operands[4].negated);
  EXPECT_EQ(f.body[2].operands[0].kind, Kind::kSink);
  EXPECT_EQ(f.body[3].operands[1].bits, 1U);
  EXPECT_EQ(f.body[4].operands[1].bits, 0U);
  EXPECT_EQ(register_name(f, f.body[5].operands[1]), "a");
  EXPECT_EQ(f.body[5].operands[5].bits, 0xffffffffU);
}

TEST(PtxOperands, OperandsInTheMiddleMayBeAbsent) {
  const isa::Module module = kernel(
      ".reg .pred p1; .reg .b32 r;\nbar.red.popc.u32 r, 0, p1; bar.red.popc.u32 r, 0, 64, !p1; bar.sync 0; bar.sync 1, "
      "r;");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.body[0].operands, SizeIs(4));
  EXPECT_EQ(f.body[0].operands[2].kind, Kind::kNone);
  EXPECT_EQ(register_name(f, f.body[0].operands[3]), "p1");
  EXPECT_EQ(f.body[1].operands[2].bits, 64U);
  EXPECT_TRUE(f.body[1].operands[3].negated);
  EXPECT_EQ(f.body[2].operands[1].kind, Kind::kNone);
  EXPECT_EQ(register_name(f, f.body[3].operands[1]), "r");
}

TEST(PtxOperands, AddressesHaveABaseAndAnOffset) {
  const isa::Module module = kernel(
      ".reg .b32 r; .reg .b64 d; .local .u32 l[8];\nld.global.u32 r, [d]; ld.global.u32 r, [d+4]; ld.global.u32 r, "
      "[d+-4];\n"
      "ld.global.u32 r, [d-8]; ld.global.u32 r, [g+4*2]; ld.local.u32 r, [l+4]; ld.param.u32 r, [n]; ld.shared.u32 r, "
      "[64];\n"
      "ld.shared.u32 r, [r]; ld.global.u32 r, g[3]; ld.u32 r, [g]; ld.local.u32 r, l[2];",
      ".global .u32 g[8];");
  const auto& body = only_kernel(module).body;
  const auto address = [&](std::size_t i) -> const Operand& {
    EXPECT_EQ(body.at(i).operands.at(1).kind, Kind::kAddress);
    return body[i].operands[1];
  };
  const std::int64_t offsets[] = {0, 4, -4, -8, 8, 4, 0, 0, 0, 12, 0, 8};
  const Kind bases[] = {Kind::kRegister, Kind::kRegister, Kind::kRegister, Kind::kRegister,
                        Kind::kSymbol,   Kind::kVariable, Kind::kVariable, Kind::kImmediate,
                        Kind::kRegister, Kind::kSymbol,   Kind::kSymbol,   Kind::kVariable};
  for (std::size_t i = 0; i < std::size(offsets); ++i) {
    EXPECT_EQ(address(i).offset, offsets[i]) << i;
    ASSERT_THAT(address(i).elements, SizeIs(1)) << i;
    EXPECT_EQ(address(i).elements[0].kind, bases[i]) << i;
    EXPECT_EQ(address(i).elements[0].offset, 0) << i;
  }
  EXPECT_EQ(address(7).elements[0].bits, 64U);
  EXPECT_EQ(address(6).elements[0].index, 1U) << "the second parameter";
  EXPECT_EQ(address(5).elements[0].index, 2U);
}

TEST(PtxOperands, AddressesOfVariablesAreValues) {
  const isa::Module module = kernel(
      ".reg .b32 r; .reg .b64 d; .shared .u32 s[4];\nmov.u64 d, g; mov.u64 d, g+16; mov.u32 r, s; mov.u64 d, f; "
      "cvta.shared.u64 d, s; mov.b64 d, p; mov.u32 r, t; mov.u64 d, g[2]; add.u64 d, d, g;",
      ".global .u32 g[8];.func f(){ret;}.extern .shared .b8 t[];");
  const isa::Function& f = only_kernel(module);
  EXPECT_EQ(f.body[0].operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(module.names.at(f.body[0].operands[1].index), "g");
  EXPECT_EQ(f.body[1].operands[1].offset, 16);
  EXPECT_EQ(f.body[2].operands[1].kind, Kind::kVariable);
  EXPECT_EQ(module.names.at(f.body[3].operands[1].index), "f");
  EXPECT_EQ(f.body[5].operands[1].index, 0U);
  EXPECT_EQ(f.body[7].operands[1].offset, 8);
  EXPECT_EQ(f.body[8].operands[2].kind, Kind::kSymbol);
}

TEST(PtxOperands, VectorsAndPacksAreLists) {
  const isa::Module module = kernel(
      ".reg .b32 a, b; .reg .b64 d; .reg .b16 h; .reg .f32 f;\nld.global.v2.u32 {a, b}, [d]; ld.global.v2.f32 {f, _}, "
      "[d];\n"
      "st.global.v4.u32 [d], {a, b, 1, -1}; mov.b64 d, {a, b}; mov.b64 {a, _}, d; mov.b32 a, {h, h}; mov.b64 "
      "{h,h,h,h}, d;\n"
      "mov.b64 d, {f, 0}; ld.global.v2.u8 {h, h}, [d]; mov.b64 {_, a}, d;");
  const auto& body = only_kernel(module).body;
  EXPECT_THAT(body[0].operands[0].elements, SizeIs(2));
  EXPECT_EQ(body[1].operands[0].elements[1].kind, Kind::kSink);
  EXPECT_EQ(body[2].operands[1].elements[3].bits, 0xffffffffU);
  EXPECT_EQ(body[3].operands[1].kind, Kind::kList);
  EXPECT_EQ(body[4].operands[0].elements[1].kind, Kind::kSink);
  EXPECT_THAT(body[6].operands[0].elements, SizeIs(4));
  EXPECT_EQ(body[7].operands[1].elements[1].kind, Kind::kImmediate);
  EXPECT_EQ(body[9].operands[0].elements[0].kind, Kind::kSink);
}

TEST(PtxOperands, SpellingMayHoldWhiteSpace) {
  const isa::Module module = kernel(".reg .b32 r; .reg .b64 d;\nld .global\n .u32 /* here */ r, [d];");
  EXPECT_EQ(only_kernel(module).body.at(0).match.spelling(), "ld.global.u32");
}

TEST(PtxOperands, LoadsStoresAndConversionsTakeWiderRegisters) {
  const isa::Module module = kernel(
      ".reg .b16 h; .reg .b32 r; .reg .b64 d;\nld.global.u8 h, [d]; ld.global.u8 r, [d]; ld.global.s16 d, [d]; "
      "st.global.u8 "
      "[d], h; cvt.u32.u8 r, h; cvt.u8.u32 h, r; cvt.u16.u32 r, d;");
  EXPECT_THAT(only_kernel(module).body, SizeIs(7));
  // Bit types match every register that is wide enough; floating-point types match bit types only.
  const std::string f = ".reg .b32 r; .reg .b64 d; .reg .f32 f; .reg .s64 s;\n";
  EXPECT_EQ(error_in(f + "st.global.b8 [d], f; ld.global.f32 d, [d]; st.global.f32 [d], d; cvt.rn.f16.f32 r, f; "
                         "cvt.f32.f16 f, r;"),
            "no error");
  EXPECT_EQ(error_in(f + "ld.global.f32 s, [d];"),
            "2:15: operand 1 ('d') of 'ld.global.f32' takes a .f32 register, but 's' is .s64");
  EXPECT_EQ(error_in(f + "st.global.u16 [d], f;"),
            "2:20: operand 2 ('b') of 'st.global.u16' takes a .u16 register, but 'f' is .f32");
}

TEST(PtxOperands, RejectsRegistersOfOtherTypes) {
  const std::string r = ".reg .b16 h; .reg .b32 r; .reg .u32 u; .reg .b64 d; .reg .f32 f; .reg .f64 e; .reg .pred q;\n";
  EXPECT_EQ(error_in(r + "add.s32 r, d, r;"),
            "2:12: operand 2 ('a') of 'add.s32' takes a .s32 register, but 'd' is .b64");
  EXPECT_EQ(error_in(r + "add.s32 h, r, r;"),
            "2:9: operand 1 ('d') of 'add.s32' takes a .s32 register, but 'h' is .b16");
  EXPECT_EQ(error_in(r + "add.s32 r, f, r;"),
            "2:12: operand 2 ('a') of 'add.s32' takes a .s32 register, but 'f' is .f32");
  EXPECT_EQ(error_in(r + "add.f32 f, f, u;"),
            "2:15: operand 3 ('b') of 'add.f32' takes a .f32 register, but 'u' is .u32");
  EXPECT_EQ(
      error_in(r + "add.s32 r, q, r;"),
      "2:12: operand 2 ('a') of 'add.s32' takes a .s32 register, but 'q' is a predicate; selp makes a number of a "
      "predicate, setp.ne a predicate of a number");
  EXPECT_EQ(
      error_in(r + "ld.global.u8 q, [d];"),
      "2:14: operand 1 ('d') of 'ld.global.u8' takes a .u8 register, but 'q' is a predicate; selp makes a number of "
      "a predicate, setp.ne a predicate of a number");
  EXPECT_EQ(error_in(r + "setp.eq.s32 r, r, r;"),
            "2:13: operand 1 ('p') of 'setp.eq.s32' takes a .pred register, but 'r' is .b32");
  EXPECT_EQ(error_in(r + "mul.wide.s32 r, r, r;"),
            "2:14: operand 1 ('d') of 'mul.wide.s32' takes a .s64 register, but 'r' is .b32");
  EXPECT_EQ(error_in(r + "ld.global.u64 r, [d];"),
            "2:15: operand 1 ('d') of 'ld.global.u64' takes a .u64 register, but 'r' is .b32");
  EXPECT_EQ(error_in(r + "ld.global.f32 e, [d];"),
            "2:15: operand 1 ('d') of 'ld.global.f32' takes a .f32 register, but 'e' is .f64");
  EXPECT_EQ(error_in(r + "ld.global.u16 f, [d];"),
            "2:15: operand 1 ('d') of 'ld.global.u16' takes a .u16 register, but 'f' is .f32");
}

TEST(PtxOperands, RejectsWrongOperands) {
  const std::string r = ".reg .b32 r; .reg .b64 d; .reg .b16 h; .reg .pred q; .reg .f32 f; .shared .u32 s;\n";
  EXPECT_EQ(error_in(r + "add.s32 r, r;"), "2:13: expected ',' and operand 3 ('b') of 'add.s32', found ';'");
  EXPECT_EQ(error_in(r + "add.s32 r, r, r, r;"), "2:16: too many operands: 'add.s32' takes 3");
  EXPECT_EQ(error_in(r + "add.s32;"), "2:8: expected operand 1 ('d') of 'add.s32', found ';'");
  EXPECT_EQ(error_in(r + "add.s32 r, r, r\nret;"), "3:1: expected ';' after 'add.s32', found 'ret'");
  EXPECT_EQ(error_in(r + "add.s32 1, r, r;"), "2:9: expected a register as operand 1 ('d') of 'add.s32', found '1'");
  EXPECT_EQ(error_in(r + "add.s32 r, _, r;"), "2:12: '_' cannot be read");
  EXPECT_EQ(error_in(r + "add.s32 r, [d], r;"),
            "2:12: expected a register or constant as operand 2 ('a') of 'add.s32', found '['");
  EXPECT_EQ(error_in(r + "setp.eq.and.s32 q, r, r, r;"),
            "2:26: operand 4 ('c') of 'setp.eq.and.s32' takes a .pred register, but 'r' is .b32");
  EXPECT_EQ(error_in(r + "setp.eq.and.s32 q, r, r, [d];"),
            "2:26: expected a predicate register as operand 4 ('c') of 'setp.eq.and.s32', found '['");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, d;"),
            "2:18: expected '[' before the address that is operand 2 ('a') of 'ld.global.u32', found 'd'");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, [d;"),
            "2:20: expected ']' after the address that is operand 2 ('a') of 'ld.global.u32', found ';'");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, [d+r];"), "2:21: expected a constant offset, found 'r'");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, [h];"),
            "2:19: an address is a 32-bit or 64-bit integer register, but 'h' is .b16");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, [s];"),
            "2:19: 's' is a .shared variable, but the instruction accesses .global");
  EXPECT_EQ(error_in(r + "ld.u32 r, [s];"),
            "2:12: 's' is a .shared variable, but the instruction accesses a generic address");
  EXPECT_EQ(error_in(r + "ld.shared.u32 r, [g];", ".global .u32 g;"),
            "2:19: 'g' is a .global variable, but the instruction accesses .shared");
  EXPECT_EQ(error_in(r + "ld.global.u32 r, [k];"), "2:19: 'k' is a function, not a variable");
  EXPECT_EQ(error_in(r + "mov.u32 r, g;", ".global .u32 g;"),
            "2:12: the address of .global variable 'g' takes 64 bits, not 32");
  EXPECT_EQ(error_in(r + "mov.u32 r, k;"), "2:12: the address of function 'k' takes 64 bits");
  EXPECT_EQ(error_in(r + "mov.f32 f, s;"), "2:12: the address of 's' is no .f32 value");
  EXPECT_EQ(error_in(r + "ld.global.v2.u32 r, [d];"),
            "2:18: expected '{' or a register vector as operand 1 ('d') of 'ld.global.v2.u32', found 'r'");
  EXPECT_EQ(error_in(r + "ld.global.v2.u32 {r}, [d];"),
            "2:20: expected ',' and element 2 of operand 1 ('d') of 'ld.global.v2.u32', found '}'");
  EXPECT_EQ(error_in(r + "ld.global.v2.u32 {r,r,r}, [d];"),
            "2:22: expected '}' after 2 elements of operand 1 ('d') of 'ld.global.v2.u32', found ','");
  EXPECT_EQ(error_in(r + "mov.b64 d, {r, h};"),
            "2:12: the parts of operand 2 ('a') of 'mov.b64' have 48 bits, its type .b64 has 64");
  EXPECT_EQ(error_in(r + "mov.b64 d, {q, r};"), "2:13: predicate 'q' in operand 2 ('a') of 'mov.b64'");
  EXPECT_EQ(error_in(r + "mov.b64 {r, 1}, d;"), "2:13: expected a register in operand 1 ('d') of 'mov.b64', found '1'");
  EXPECT_EQ(error_in(r + "pmevent r;"),
            "2:9: expected an integer constant as operand 1 ('event') of 'pmevent', found 'r'");
  EXPECT_EQ(error_in("ret: ret 3;"), "1:10: expected ';' after 'ret', found '3'");
}

TEST(PtxInstructions, RefusesUnknownAndUnsupportedOnes) {
  EXPECT_EQ(error_in("\n  frobnicate.s32 %r1;"), "2:3: unknown instruction 'frobnicate'");
  EXPECT_EQ(error_in("ad.s32 %r1, %r1;"), "1:1: unknown instruction 'ad'; did you mean 'add'?");
  EXPECT_THAT(error_in("add.q32 %r1;"), testing::StartsWith("1:1: expected "));
  EXPECT_THAT(
      error_in("tex.2d.v4.f32.s32 {a,b,c,d}, [t, {x, y}];"),
      testing::AllOf(testing::StartsWith("1:1: 'tex.2d.v4.f32.s32' is not supported"), testing::HasSubstr("texture")));
  EXPECT_THAT(error_in("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {a};"), testing::StartsWith("1:1: 'wmma."));
  EXPECT_EQ(error_in("3;"), "1:1: expected an instruction, a label or a directive, found '3'");
  EXPECT_EQ(error_in("]"), "1:1: expected an instruction, a label or a directive, found ']'");
  EXPECT_EQ(error_in(".global;"), "1:8: expected a type such as .b32, found ';'");
  EXPECT_EQ(error_in(".entry x"), "1:1: unknown directive '.entry'");
}

// ---- hostile texts

TEST(PtxLimits, AliasesCannotMultiplyALargeFunction) {
  std::string text = ".func f() {";
  for (int i = 0; i < 20000; ++i) text += "ret;";
  text += "}\n";
  for (int i = 0; i < 20000; ++i) text += ".alias a" + std::to_string(i) + ",f;";
  EXPECT_THAT(error_of(text), testing::HasSubstr("the aliases of this file take more memory than is allowed"));
}

TEST(PtxLimits, ListsOfTargetsCannotMultiply) {
  std::string text = ".func f() { ret; }\n.func g() { .reg .b64 d; t: .calltargets f";
  for (int i = 0; i < 20000; ++i) text += ",f";
  text += ";\n";
  for (int i = 0; i < 20000; ++i) text += "call d,t;";
  EXPECT_THAT(error_of(text + "}"), testing::HasSubstr("too many indirect calls with long .calltargets lists"));
}

TEST(PtxLimits, MessagesStayShort) {
  const std::string name(1'000'000, 'x');
  EXPECT_LT(error_in("bra " + name + ";").size(), 200U);
  EXPECT_LT(error_in(name + ";").size(), 300U);
  EXPECT_LT(error_in("mov.u32 " + name + ", 1;").size(), 300U);
  EXPECT_LT(error_in(".reg .u32 r;\nmov.u32 r, " + std::string(1'000'000, '1') + ";").size(), 200U);
  EXPECT_LT(error_of("." + name).size(), 200U);
}

TEST(PtxLimits, ManyNamesAndScopesAreFine) {
  std::string body = ".reg .b32 %r<1000000>;\n";
  for (int i = 0; i < 20000; ++i)
    body += "{ .reg .b32 t; .param .b32 q; mov.b32 t, %r" + std::to_string(i * 49) + "; }\n";
  const isa::Module module = kernel(body);
  EXPECT_THAT(only_kernel(module).body, SizeIs(20000));
  EXPECT_THAT(only_kernel(module).registers, SizeIs(40000));
  EXPECT_THAT(only_kernel(module).variables, SizeIs(20002));
}

}  // namespace
}  // namespace castor::ptx::test::ptx_operands_test

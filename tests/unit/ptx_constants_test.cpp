#include "unit/ptx_support.h"

// Constants and constant expressions as operands.
namespace castor::ptx::test::ptx_constants_test {
namespace {

using isa::Operand;
using Kind = isa::Operand::Kind;

/// Parses the only instruction, of the given spelling, with `text` as its last operand. Returns the immediate bits of
/// that operand.
std::uint64_t constant(const std::string& spelling, const std::string& text) {
  const std::string reg = spelling.substr(spelling.find('.'));
  const isa::Module module = kernel(".reg " + reg + " d; " + spelling + " d, " + text + ";");
  const Operand& operand = only_kernel(module).body.at(0).operands.at(1);
  EXPECT_EQ(operand.kind, Kind::kImmediate) << text;
  return operand.bits;
}

TEST(PtxConstants, ReadsEveryNotationOfIntegers) {
  EXPECT_EQ(constant("mov.u32", "10"), 10U);
  EXPECT_EQ(constant("mov.u32", "010"), 8U);
  EXPECT_EQ(constant("mov.u32", "0x1F"), 31U);
  EXPECT_EQ(constant("mov.u32", "0XfFU"), 255U);
  EXPECT_EQ(constant("mov.u32", "0b1011"), 11U);
  EXPECT_EQ(constant("mov.u32", "7U"), 7U);
  EXPECT_EQ(constant("mov.u32", "0"), 0U);
  EXPECT_EQ(constant("mov.u64", "0xFFFFFFFFFFFFFFFF"), ~std::uint64_t{0});
  EXPECT_EQ(constant("mov.s32", "-1"), 0xffffffffU);
  EXPECT_EQ(constant("mov.u16", "-1"), 0xffffU);
  EXPECT_EQ(constant("mov.u16", "65535"), 0xffffU);
  EXPECT_EQ(constant("mov.s32", "4294967295"), 0xffffffffU);
  EXPECT_EQ(constant("mov.s32", "-2147483648"), 0x80000000U);
  EXPECT_EQ(constant("mov.u32", "WARP_SZ"), 32U);
}

TEST(PtxConstants, RoundsAndKeepsFloatingPointPatterns) {
  EXPECT_EQ(constant("mov.f32", "1.0"), 0x3f800000U);
  EXPECT_EQ(constant("mov.f32", "0.1"), 0x3dcccccdU);
  EXPECT_EQ(constant("mov.f32", "-2.5e-1"), 0xbe800000U);
  EXPECT_EQ(constant("mov.f32", "1e3"), 0x447a0000U);
  EXPECT_EQ(constant("mov.f32", "0f7FA00001"), 0x7fa00001U) << "a signalling NaN with its payload";
  EXPECT_EQ(constant("mov.f32", "-0f3F800000"), 0xbf800000U);
  EXPECT_EQ(constant("mov.f32", "0d3FF0000000000000"), 0x3f800000U);
  EXPECT_EQ(constant("mov.f32", "0"), 0U);
  EXPECT_EQ(constant("mov.f64", "0.1"), 0x3fb999999999999aU);
  EXPECT_EQ(constant("mov.f64", "0d7FF4000000000001"), 0x7ff4000000000001U);
  EXPECT_EQ(constant("mov.f64", "0f3FC00000"), 0x3ff8000000000000U);
  EXPECT_EQ(constant("mov.b32", "0fBF800000"), 0xbf800000U);
  EXPECT_EQ(constant("mov.b64", "0dBFF0000000000000"), 0xbff0000000000000U);
}

TEST(PtxConstants, ComputesExpressionsAsTheLanguageSays) {
  EXPECT_EQ(constant("mov.s32", "2+3*4"), 14U);
  EXPECT_EQ(constant("mov.s32", "(2+3)*4"), 20U);
  EXPECT_EQ(constant("mov.s32", "10%4"), 2U);
  EXPECT_EQ(constant("mov.s32", "(10)%4"), 2U);
  EXPECT_EQ(constant("mov.s32", "10 % 4"), 2U);
  EXPECT_EQ(constant("mov.s32", "-7/2"), 0xfffffffdU) << "towards zero";
  EXPECT_EQ(constant("mov.s32", "-7%2"), 0xffffffffU);
  EXPECT_EQ(constant("mov.s32", "1<<4|3"), 19U);
  EXPECT_EQ(constant("mov.s32", "6&3^1"), 3U);
  EXPECT_EQ(constant("mov.s32", "~0"), 0xffffffffU);
  EXPECT_EQ(constant("mov.s32", "!5"), 0U);
  EXPECT_EQ(constant("mov.s32", "!0"), 1U);
  EXPECT_EQ(constant("mov.s32", "-8>>1"), 0xfffffffcU) << "signed: copies the sign";
  EXPECT_EQ(constant("mov.u64", "(.u64)-8>>1"), 0x7ffffffffffffffcU);
  EXPECT_EQ(constant("mov.u64", "(.s64)0xFFFFFFFFFFFFFFF8>>1"), 0xfffffffffffffffcU);
  EXPECT_EQ(constant("mov.s32", "1<<70"), 0U);
  EXPECT_EQ(constant("mov.s32", "-1>>70"), 0xffffffffU);
  EXPECT_EQ(constant("mov.s32", "-1<0"), 1U);
  EXPECT_EQ(constant("mov.s32", "-1<0U"), 0U) << "unsigned if one side is";
  EXPECT_EQ(constant("mov.s32", "3>=3 && 2!=2 || 1==1"), 1U);
  EXPECT_EQ(constant("mov.s32", "0?1:2?3:4"), 3U);
  EXPECT_EQ(constant("mov.f64", "1.5*2.0"), 0x4008000000000000U);
  EXPECT_EQ(constant("mov.s32", "1.5<2.0"), 1U);
  EXPECT_EQ(constant("mov.u64", "0x8000000000000000/-1"), 0U) << "unsigned: the divisor is 2^64 - 1";
  EXPECT_EQ(constant("mov.u64", "(.s64)0x8000000000000000/-1"), 0x8000000000000000U) << "wraps";
  EXPECT_EQ(constant("mov.s32", "WARP_SZ*2-1"), 63U);
  EXPECT_EQ(constant("mov.s32", "+5- -3"), 8U);
}

TEST(PtxConstants, RejectsWhatIsNoNumber) {
  const std::string r = ".reg .u32 r; .reg .f32 f;\n";
  EXPECT_EQ(error_in(r + "mov.u32 r, 09;"), "2:12: '09' is '9' is no digit of a number to base 8");
  EXPECT_EQ(error_in(r + "mov.u32 r, 0x;"), "2:12: '0x' is a number without digits");
  EXPECT_EQ(error_in(r + "mov.u32 r, 0b2;"), "2:12: '0b2' is '2' is no digit of a number to base 2");
  EXPECT_EQ(error_in(r + "mov.u32 r, 12abc;"), "2:12: '12abc' is 'a' is no digit of a number to base 10");
  EXPECT_EQ(error_in(r + "mov.f32 f, 0f3F80;"),
            "2:12: '0f3F80' is expected 8 hexadecimal digits in a floating-point pattern, found 4");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1.5x;"), "2:12: '1.5x' is a malformed floating-point number");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1e999;"), "2:12: '1e999' is a floating-point number outside the range of .f64");
  EXPECT_EQ(error_in(r + "mov.u32 r, 1/0;"), "2:13: division by zero in a constant expression");
  EXPECT_EQ(error_in(r + "mov.u32 r, 1%(1-1);"), "2:13: division by zero in a constant expression");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1.0/0.0;"), "2:15: division by zero in a constant expression");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1.0%2.0;"), "2:15: operator '%' needs integer constants");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1.0+2;"), "2:15: operator '+' between an integer and a floating-point constant");
  EXPECT_EQ(error_in(r + "mov.f32 f, ~1.0;"), "2:12: '~' needs an integer constant");
  EXPECT_EQ(error_in(r + "mov.u32 r, (.u32)1;"), "2:13: expected .s64 or .u64 in a cast, found '.u32'");
  EXPECT_EQ(error_in(r + "mov.u32 r, (1;"), "2:14: expected ')' after a constant expression, found ';'");
  EXPECT_EQ(error_in(r + "mov.u32 r, 1+;"), "2:14: expected a constant, found ';'");
  EXPECT_EQ(error_in(r + "mov.u32 r, 1?2;"), "2:15: expected ':' between the values of '?:', found ';'");
}

TEST(PtxConstants, IntegersAreCutToTheWidthOfTheType) {
  const isa::Module module = kernel(
      ".reg .u32 r; .reg .u16 h; .reg .u64 d;\nmov.u32 r, 4294967299; mov.s32 r, -4294967298; mov.u16 h, 100000; "
      "mov.u64 "
      "d, 18446744073709551617; mov.b64 d, 0x1ffffffffffffffff; mov.b32 r, 0x123456789abcdef; st.global.u8 [d], 300;");
  const isa::Function& f = only_kernel(module);
  const std::uint64_t expected[] = {3, 0xfffffffe, 34464, 1, ~std::uint64_t{0}, 0x89abcdef, 44};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(f.body[i].operands[1].bits, expected[i]) << i;
}

TEST(PtxConstants, RejectsValuesOfAnotherKind) {
  const std::string r = ".reg .u32 r; .reg .f32 f; .reg .u64 d;\n";
  EXPECT_EQ(error_in(r + "mov.u32 r, 1.0;"), "2:12: a floating-point constant for .u32");
  EXPECT_EQ(error_in(r + "mov.u64 d, 0d3FF0000000000000;"), "2:12: a floating-point constant for .u64");
  EXPECT_EQ(error_in(r + "mov.f32 f, 1;"),
            "2:12: an integer constant for .f32; write a floating-point constant such as 1.0 or 0f3F800000");
}

TEST(PtxConstants, RefusesToNestWithoutEnd) {
  const std::string r = ".reg .u32 r;\nmov.u32 r, ";
  EXPECT_THAT(error_in(r + std::string(100000, '(')), testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(error_in(r + std::string(100000, '~')), testing::HasSubstr("nested too deeply"));
  std::string ternary;
  for (int i = 0; i < 100000; ++i) ternary += "1?";
  EXPECT_THAT(error_in(r + ternary), testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(error_in(std::string(100000, '{')), testing::HasSubstr("scopes that are nested too deeply"));
}

}  // namespace
}  // namespace castor::ptx::test::ptx_constants_test

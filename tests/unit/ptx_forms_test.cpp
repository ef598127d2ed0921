// Forms of operands that are rare: special registers as vectors, 128 bits, parts of registers.

#include "unit/ptx_support.h"

namespace castor::ptx::test::ptx_forms_test {
namespace {

using testing::SizeIs;
using Kind = isa::Operand::Kind;

TEST(PtxNames, SpecialRegistersOfThreeElementsAreVectors) {
  const isa::Module module = kernel(
      ".reg .v4 .u32 v; .reg .v4 .u16 h; .reg .u32 r;\nmov.v4.u32 v, %ntid; mov.v4.u16 h, %tid; mov.u32 r, %ctaid.w;");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.body[0].operands[1].elements, SizeIs(4));
  EXPECT_EQ(f.body[0].operands[1].elements[1].special, isa::SpecialRegister::kNtidY);
  EXPECT_EQ(f.body[0].operands[1].elements[3].kind, Kind::kImmediate);
  EXPECT_EQ(f.body[2].operands[1].kind, Kind::kImmediate);
  EXPECT_EQ(f.body[2].operands[1].bits, 0U);
  EXPECT_EQ(error_in(".reg .v4 .u32 v;\nmov.v4.u32 v, %laneid;"),
            "2:15: unknown register '%laneid.x' as operand 2 ('a') of 'mov.v4.u32'");
}

TEST(PtxNames, RegistersOf128BitsAreTwoOf64) {
  const std::string q = ".reg .b128 q, s<4>; .reg .b64 d; .reg .v2 .b64 v; .reg .v4 .b32 w<2>;\n";
  const isa::Module module =
      kernel(q + "mov.b128 q, {d, 1}; mov.b128 s3, q; ld.global.b128 q, [d]; mov.v4.b32 w1, w0;");
  const isa::Function& f = only_kernel(module);
  ASSERT_THAT(f.body[1].operands[0].elements, SizeIs(2));
  EXPECT_EQ(register_name(f, f.body[1].operands[0].elements[1]), "s3.y");
  EXPECT_EQ(register_name(f, f.body[2].operands[0].elements[0]), "q.x");
  EXPECT_EQ(register_name(f, f.body[3].operands[1].elements[2]), "w0.z");
  EXPECT_EQ(
      error_in(q + "mov.b64 d, q;"),
      "2:12: 'q' is a .b128 register, which is only moved, loaded and stored; mov.b128 takes it apart into two .b64 "
      "registers");
  EXPECT_EQ(error_in(q + "mov.b128 q, v;"),
            "2:13: operand 2 ('a') of 'mov.b128' takes a .b128 register or two .b64 in braces, not 'v'");
  EXPECT_EQ(error_in(q + "mov.v2.b64 v, q;"),
            "2:15: operand 2 ('a') of 'mov.v2.b64' takes no .b128 register such as 'q'");
  EXPECT_EQ(error_in(".reg .v2 .b128 q;"), "1:6: a vector of .b128 registers");
  EXPECT_EQ(
      error_in(q + "atom.global.exch.b128 q, [d], q;"),
      "2:1: 'atom.global.exch.b128' is not supported: 128-bit values are only moved, loaded and stored here; use two "
      "64-bit ones");
}

TEST(PtxOperands, VideoInstructionsTakePartsOfTheirSources) {
  const std::string r = ".reg .u32 a, b; .reg .v2 .u32 v;\n";
  const isa::Module module =
      kernel(r + "vadd.u32.u32.s32 a, b.b3, b.h1; vset.u32.u32.lt a, b.b0, b; vadd.u32.u32.u32 v.x, v.y.h0, 1;");
  const isa::Function& f = only_kernel(module);
  EXPECT_EQ(f.body[0].operands[1].part_bits, 8U);
  EXPECT_EQ(f.body[0].operands[1].part_first, 24U);
  EXPECT_EQ(f.body[0].operands[2].part_bits, 16U);
  EXPECT_EQ(f.body[0].operands[2].part_first, 16U);
  EXPECT_EQ(f.body[1].operands[1].part_bits, 8U);
  EXPECT_EQ(f.body[1].operands[2].part_bits, 0U);
  EXPECT_EQ(f.body[2].operands[1].part_bits, 16U);
  EXPECT_EQ(
      error_in(r + "vadd.u32.u32.u32 a.b0, a, b, a;"),
      "2:19: writing a part of operand 1 ('d') of 'vadd.u32.u32.u32' is not supported: parts of destinations are not "
      "written; write all of it, and merge with bfi");
  EXPECT_EQ(
      error_in(r + "vadd2.u32.u32.u32 a, a.h32, b, a;"),
      "2:23: parts '.h32' of operand 2 ('a') of 'vadd2.u32.u32.u32' are not supported: the parts that vadd4, vadd2 "
      "and the like pick or write cannot be chosen; use prmt");
  EXPECT_EQ(error_in(r + "vadd.u32.u32.u32 a, a.b4, b;"), "2:22: 'a' is no vector and has no element '.b4'");
  EXPECT_EQ(error_in(r + "add.u32 a, a.b0, b;"), "2:13: 'a' is no vector and has no element '.b0'");
}

}  // namespace
}  // namespace castor::ptx::test::ptx_forms_test

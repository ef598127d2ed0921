// Tests of castor-cc's pass over copies of structures in LLVM text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "castor_cc/ir_copies.h"
#include "castor_cc/ir_types.h"

namespace castor::castor_cc::castor_cc_copies_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kTypes[] =
    "%struct.float4 = type { float, float, float, float }\n"
    "%struct.float3 = type { float, float, float }\n"
    "%struct.uchar4 = type { i8, i8, i8, i8 }\n"
    "%struct.mixed = type { float, i32, double, [2 x i64] }\n"
    "%\"class.ns::Box<int, {}>\" = type { %struct.float3, i8*, i32 (i32, i8*)** }\n"
    "%struct.closed = type opaque\n"
    "%struct.packed = type <{ i8, i64, i16 }>\n";

TEST(TypeTable, LaysTypesOutAsNvptxDoes) {
  const TypeTable types(kTypes);
  const auto size = [&](const char* type) {
    const auto layout = types.layout(type);
    return layout ? std::vector<std::uint64_t>{layout->size, layout->align} : std::vector<std::uint64_t>{};
  };
  EXPECT_THAT(size("i1"), ElementsAre(1, 1));
  EXPECT_THAT(size("half"), ElementsAre(2, 2));
  EXPECT_THAT(size("%struct.float4"), ElementsAre(16, 4));
  EXPECT_THAT(size("[3 x %struct.uchar4]"), ElementsAre(12, 1));
  EXPECT_THAT(size("%struct.mixed"), ElementsAre(32, 8));
  EXPECT_THAT(size("%\"class.ns::Box<int, {}>\""), ElementsAre(32, 8));
  EXPECT_THAT(size("%struct.packed"), ElementsAre(11, 1));
  EXPECT_THAT(size("<3 x float>"), ElementsAre(16, 16));
  EXPECT_THAT(size("{ i8, { i16, i8 }, double }"), ElementsAre(16, 8));
  EXPECT_THAT(size("%struct.closed*"), ElementsAre(8, 8));
  EXPECT_THAT(size("[0 x i32]"), ElementsAre(0, 4));
  for (const char* unknown : {"%struct.closed", "void", "void (i32)", "%struct.nobody", "[2 x void]", "x86_fp80", ""})
    EXPECT_THAT(size(unknown), IsEmpty()) << unknown;
}

TEST(TypeTable, SaysWhereNumbersAndPointersOf8BytesLie) {
  const TypeTable types(kTypes);
  const auto offsets = [&](const char* type, bool pointer) {
    std::vector<std::uint64_t> found;
    const auto layout = types.layout(type);
    for (const TypeLayout::Leaf& leaf : layout->leaves) {
      if (leaf.size == 8 && leaf.pointer == pointer) found.push_back(leaf.offset);
    }
    return found;
  };
  EXPECT_THAT(offsets("%struct.mixed", false), ElementsAre(8, 16, 24));
  EXPECT_THAT(offsets("%struct.mixed", true), IsEmpty());
  EXPECT_THAT(offsets("%\"class.ns::Box<int, {}>\"", true), ElementsAre(16, 24));
  EXPECT_THAT(offsets("[2 x i128]", false), ElementsAre(0, 8, 16, 24));
  EXPECT_EQ(offsets("[100 x i8*]", true).size(), 16U) << "as far as copies are rewritten";
}

TEST(TypeTable, ListsTheNumbersOfAType) {
  const TypeTable types(kTypes);
  std::vector<std::uint64_t> offsets, sizes;
  const auto layout = types.layout("{ i8, { i16, i8 }, double, i128 }");
  for (const TypeLayout::Leaf& leaf : layout->leaves) {
    offsets.push_back(leaf.offset);
    sizes.push_back(leaf.size);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 2, 4, 8, 16, 24));
  EXPECT_THAT(sizes, ElementsAre(1, 2, 1, 8, 8, 8));
}

TEST(TypeTable, FindsTheEndOfAType) {
  EXPECT_EQ(type_length("i32, i32"), 3U);
  EXPECT_EQ(type_length("%struct.a* %1"), 10U);
  EXPECT_EQ(type_length("[4 x { i8, i8 }]** %1"), 18U);
  EXPECT_EQ(type_length("i32 (i8*, ...)* %f"), 15U);
  EXPECT_EQ(type_length("i8 addrspace(3)* @s"), 16U);
  EXPECT_EQ(type_length("%\"a b{\"* %1"), 8U);
  EXPECT_EQ(type_length(", i32"), 0U);
}

/// Returns a function whose parameters %0, %1 are pointers, with two variables %2, %3 and elements %4 of %0, %5 of %1.
std::string function(const std::string& type, const std::string& body, bool kernel = true) {
  return std::string(kTypes) + "@init = private unnamed_addr constant " + type +
         " zeroinitializer, align 16\n@s = internal addrspace(3) global " + type +
         " undef, align 16\ndefine dso_local void @k(" + type + "* noundef %0, " + type +
         "* noundef %1, i64 %n) #0 {\n  %2 = alloca " + type + ", align 16\n  %3 = alloca " + type +
         ", align 16\n  %4 = getelementptr inbounds " + type + ", " + type +
         "* %0, i64 %n\n  %5 = getelementptr inbounds " + type + ", " + type + "* %1, i64 %n\n" + body +
         "  ret void\n}\n" +
         (kernel ? "!7 = !{void (" + type + "*, " + type + "*, i64)* @k, !\"kernel\", i32 1}\n" : "");
}

/// `to` and `from`: numbers of pointers to `type`.
std::string copy(const std::string& type, int to, int from, int size, int align = 16,
                 const std::string& last = "i1 false") {
  const std::string pointer = "i8* align " + std::to_string(align) + " %";
  return "  %8 = bitcast " + type + "* %" + std::to_string(to) + " to i8*\n  %9 = bitcast " + type + "* %" +
         std::to_string(from) + " to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(" + pointer + "8, " + pointer +
         "9, i64 " + std::to_string(size) + ", " + last + "), !tbaa.struct !24, !dbg !31\n";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

constexpr char kFloat4[] = "%struct.float4";

TEST(WidenCopies, FromMemoryToMemoryIsOneVector) {
  const std::string out = widen_copies(function(kFloat4, copy(kFloat4, 5, 4, 16)));
  EXPECT_THAT(out, Not(HasSubstr("memcpy")));
  EXPECT_THAT(out, HasSubstr("= load <4 x i32>, <4 x i32>* %castor.0.l0.t, align 16, !dbg !31\n"));
  EXPECT_THAT(out, HasSubstr("  store <4 x i32> %castor.0.v0, <4 x i32>* %castor.0.s0.t, align 16, !dbg !31\n"));
  EXPECT_THAT(out, HasSubstr("getelementptr inbounds i8, i8* %9, i64 0"));
  EXPECT_EQ(count(out, " load ") + count(out, "store "), 2U);
}

TEST(WidenCopies, VariablesAreReadAndWrittenInPieces) {
  const std::string to = widen_copies(function(kFloat4, copy(kFloat4, 2, 4, 16)));
  EXPECT_EQ(count(to, "= load <4 x i32>"), 1U);
  EXPECT_EQ(count(to, "= extractelement <4 x i32>"), 4U);
  EXPECT_EQ(count(to, "store i32 %castor.0.u"), 4U);
  EXPECT_THAT(to, HasSubstr("store i32 %castor.0.u2, i32* %castor.0.s8.t, align 8"));
  const std::string from = widen_copies(function(kFloat4, copy(kFloat4, 5, 3, 16)));
  EXPECT_EQ(count(from, "= load i32, "), 4U);
  EXPECT_EQ(count(from, "= insertelement <4 x i32>"), 4U);
  EXPECT_EQ(count(from, "store <4 x i32>"), 1U);
  const std::string between = function(kFloat4, copy(kFloat4, 2, 3, 16));
  EXPECT_EQ(widen_copies(between), between) << "the optimiser resolves these";
}

TEST(WidenCopies, PointersThatMayLeadToVariablesAreTakenInPieces) {
  // A parameter of a device function may refer to anything after inlining. An element selected at run time is in
  // memory.
  const std::string out = widen_copies(function(kFloat4, copy(kFloat4, 1, 4, 16), false));
  EXPECT_EQ(count(out, "= load <4 x i32>"), 1U);
  EXPECT_EQ(count(out, "store i32"), 4U);
  EXPECT_EQ(count(widen_copies(function(kFloat4, copy(kFloat4, 1, 4, 16))), "store <4 x i32>"), 1U) << "of a kernel";
}

TEST(WidenCopies, AddressesThatAreKnownWhenLinkingStayWhole) {
  // A whole variable, or element 0 of an array of it, in shared and constant memory: as clang writes them.
  const std::string shared =
      "i8* addrspacecast (i8 addrspace(3)* bitcast (%struct.float4 addrspace(3)* @s to i8 addrspace(3)*) to i8*)";
  const std::string element =
      "i8* bitcast ([4 x %struct.float4]* addrspacecast ([4 x %struct.float4] addrspace(4)* @c to [4 x "
      "%struct.float4]*) "
      "to i8*)";
  for (const std::string& pointer : {shared, element}) {
    const std::string attributes = "i8* noundef nonnull align 16 dereferenceable(16) " + pointer.substr(4);
    const std::string line = "  %8 = bitcast %struct.float4* %4 to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(" +
                             attributes + ", i8* align 16 %8, i64 16, i1 false)\n";
    const std::string out = widen_copies(function(kFloat4, line));
    EXPECT_EQ(count(out, "= load <4 x i32>, "), 1U) << out;
    EXPECT_EQ(count(out, "store <4 x i32>"), 1U) << out;
    EXPECT_THAT(out, HasSubstr("= getelementptr inbounds i8, " + pointer + ", i64 0\n"));
  }
}

TEST(WidenCopies, UnitsFollowTheType) {
  const std::string mixed = widen_copies(function("%struct.mixed", copy("%struct.mixed", 2, 4, 32)));
  EXPECT_EQ(count(mixed, "= load <2 x i64>"), 2U);
  EXPECT_EQ(count(mixed, "store i64"), 4U);
  const std::string by8 = widen_copies(function("%struct.mixed", copy("%struct.mixed", 5, 4, 32, 8)));
  EXPECT_EQ(count(by8, "= load <2 x i32>"), 1U);
  EXPECT_EQ(count(by8, "= load i64"), 3U);
  const std::string box = "%\"class.ns::Box<int, {}>\"";
  const std::string pointers = widen_copies(function(box, copy(box, 5, 4, 32, 8)));
  EXPECT_EQ(count(pointers, "= load i8*, "), 2U) << "a pointer stays one, so that its space can be found out";
  EXPECT_EQ(count(pointers, "= load <2 x i32>"), 2U);
  const std::string bytes = widen_copies(function("%struct.uchar4", copy("%struct.uchar4", 2, 4, 4, 4)));
  EXPECT_EQ(count(bytes, "= load i32, "), 1U);
  const std::string three = widen_copies(function("%struct.float3", copy("%struct.float3", 5, 4, 12, 4)));
  EXPECT_EQ(count(three, "= load i32, "), 3U);
}

TEST(WidenCopies, LeavesWhatItDoesNotKnow) {
  for (const std::string& body :
       {copy(kFloat4, 5, 4, 16, 16, "i1 true"), copy(kFloat4, 5, 4, 16, 2), copy(kFloat4, 5, 4, 14),
        copy(kFloat4, 5, 4, 144), copy("%struct.closed", 5, 4, 16), copy(kFloat4, 5, 4, 20, 4),
        std::string("  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %p, i8* align 16 %q, i64 16, i1 false)\n"),
        std::string("  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %p, i8* align 16 %q, i64 %n, i1 false)\n"),
        std::string("  call void @f(i8* bitcast (void ()* @llvm.memcpy.p0i8.p0i8.i64(i8* to i8*))\n")}) {
    const std::string text = function(kFloat4, body);
    EXPECT_EQ(widen_copies(text), text);
  }
  EXPECT_EQ(widen_copies(""), "");
}

TEST(WidenCopies, LeavesArgumentsOfCallsThatStay) {
  const auto calling = [](const char* attributes) {
    return function(kFloat4,
                    copy(kFloat4, 2, 4, 16) +
                        "  %a = call float @f(%struct.float4* noundef byval(%struct.float4) align 16 %2, i32 1) #3\n") +
           "define internal float @f(%struct.float4* byval(%struct.float4) align 16 %0, i32 %1) #2 {\n  ret float "
           "0.0\n}\n"
           "attributes #2 = { convergent " +
           attributes + "nounwind }\n";
  };
  EXPECT_EQ(widen_copies(calling("noinline ")), calling("noinline "));
  EXPECT_THAT(widen_copies(calling("")), Not(HasSubstr("memcpy")));
}

TEST(WidenCopies, ReadsVariablesOfTheModuleButNotInitialValues) {
  const auto from = [](const std::string& name) {
    return function(kFloat4,
                    "  %8 = bitcast %struct.float4* %2 to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %8, "
                    "i8* align 16 bitcast (" +
                        name + " to i8*), i64 16, i1 false)\n");
  };
  const std::string shared = "%struct.float4* addrspacecast (%struct.float4 addrspace(3)* @s to %struct.float4*)";
  EXPECT_EQ(count(widen_copies(from(shared)), "= load <4 x i32>"), 1U);
  EXPECT_THAT(widen_copies(from(shared)), HasSubstr("i8* bitcast (" + shared + " to i8*), i64 0"));
  const std::string initial = from("%struct.float4* @init");
  EXPECT_EQ(widen_copies(initial), initial);
}

}  // namespace
}  // namespace castor::castor_cc::castor_cc_copies_test

// Tests of the footprint of thread blocks: calls inserted before accesses, and the evaluation of their records.

#include <gtest/gtest.h>

#include <cstring>

#include "castor/base/error.h"
#include "workloads/laperm/footprint.h"

namespace castor::workloads::laperm::laperm_footprint_test {
namespace {

constexpr std::uint64_t kDevice = std::uint64_t{1} << 48U;

/// Returns a key of the footprint: grid as `%gridid`, thread block, and number of the memory block.
std::uint64_t key(std::uint64_t grid, std::uint64_t tb, std::uint64_t block) {
  return (grid >> 48U) << 63U | (grid & 0xffffU) << 47U | tb << 31U | block;
}

/// Returns the footprint of host kernel 3: TB 0 launches two grids, TB 1 one grid of two thread blocks, TB 2 none.
Footprint tree() {
  Footprint out;
  out.notes = {{3, 0, 0x10000, false},          {3, 0, 0x20000, false},          {3, 1, 0x30000, false},
               {kDevice + 7, 0, 0x20000, true}, {kDevice + 6, 0, 0x10000, true}, {kDevice + 8, 0, 0x30000, true}};
  const auto touch = [&](std::uint64_t grid, std::uint64_t tb, std::initializer_list<std::uint64_t> blocks) {
    for (const std::uint64_t block : blocks) out.touched.push_back(key(grid, tb, 0x100000 + block));
  };
  touch(3, 0, {1, 2, 3, 4});
  touch(3, 1, {4, 5});
  touch(3, 2, {5, 6, 7, 8});
  touch(kDevice + 6, 0, {1, 2, 20, 21});                // of TB 0
  touch(kDevice + 7, 0, {2, 30});                       // of TB 0
  touch(kDevice + 8, 0, {5, 40});                       // of TB 1
  touch(kDevice + 8, 1, {5, 40, 41, 42});               // of TB 1
  out.touched.push_back(key(3, 0, 0x10000 / 128));      // the parameter buffer
  out.touched.push_back(key(3, 0, 0x10000 / 128 - 1));  // and its record
  return out;
}

TEST(LapermFootprint, Sharing) {
  const Sharing s = sharing(tree());
  EXPECT_EQ(s.parents, 2U);
  EXPECT_EQ(s.children, 4U);
  EXPECT_EQ(s.families, 2U);
  EXPECT_EQ(s.neighbours, 2U);
  // TB 0: {1, 2} of {1, 2, 20, 21, 30}; TB 1: {5} of {5, 40, 41, 42}.
  EXPECT_DOUBLE_EQ(s.parent_child, (2.0 / 5 + 1.0 / 4) / 2);
  // {2} of {2, 30}, {2} of {1, 2, 20, 21}; {5, 40} of four, {5, 40} of two.
  EXPECT_DOUBLE_EQ(s.child_sibling, ((1.0 / 2 + 1.0 / 4) / 2 + (2.0 / 4 + 1) / 2) / 2);
  // {4} of {4, 5}, {5} of {5, 6, 7, 8}.
  EXPECT_DOUBLE_EQ(s.parent_parent, (1.0 / 2 + 1.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(s.child_blocks, 3);
  EXPECT_DOUBLE_EQ(s.parent_blocks, 3);
}

TEST(LapermFootprint, ABufferMayBeUsedAgain) {
  Footprint one = tree();
  one.notes.insert(one.notes.end(), {{3, 2, 0x10000, false}, {kDevice + 9, 0, 0x10000, true}});
  one.touched.push_back(key(kDevice + 9, 0, 0x100000 + 6));
  const Sharing s = sharing(one);
  EXPECT_EQ(s.parents, 3U);
  EXPECT_DOUBLE_EQ(s.parent_child, (2.0 / 5 + 1.0 / 4 + 1) / 3);
  one.notes.pop_back();
  EXPECT_THROW(static_cast<void>(sharing(one)), base::Error);
}

TEST(LapermFootprint, NothingIsLaunched) {
  const Sharing s = sharing({{key(1, 0, 5)}, {}});
  EXPECT_EQ(s.parents + s.children + s.families + s.neighbours, 0U);
}

TEST(LapermFootprint, IsRead) {
  const std::uint64_t words[] = {2, 1, key(3, 0, 1), key(3, 1, 2), kDevice + 4, 5, 0x700, 1};
  std::string bytes(sizeof words, '\0');
  std::memcpy(bytes.data(), words, sizeof words);
  const Footprint one = read_footprint(bytes);
  ASSERT_EQ(one.touched.size(), 2U);
  EXPECT_EQ(one.touched[1], key(3, 1, 2));
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_EQ(one.notes[0].grid, kDevice + 4);
  EXPECT_EQ(one.notes[0].block, 5U);
  EXPECT_EQ(one.notes[0].buffer, 0x700U);
  EXPECT_TRUE(one.notes[0].child);
  EXPECT_THROW(static_cast<void>(read_footprint(bytes.substr(1))), base::Error);
}

/// Calls in front of a line.
std::size_t calls(const std::string& body, const std::string& helper) {
  const std::string text =
      with_footprints(".address_size 64\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n" + body + "}\n");
  std::size_t out = 0;
  for (std::size_t at = text.find("call " + helper); at != std::string::npos;
       at = text.find("call " + helper, at + 1)) {
    ++out;
  }
  return out;
}

TEST(LapermFootprint, CallsStandInFrontOfAccesses) {
  for (const char* const line :
       {"\tld.global.u32 \t%r1, [%rd1];", "\tst.u32 \t[%rd1+8], %r1;", "\tatom.global.add.u32 \t%r1, [%rd1+-4], 1;",
        "\t@%p1 ld.global.cg.s32 %r1, [%rd1];", "\tst.v2.u32 \t[%rd1+40], {%r1, %r2};", "\tld.u64 \t%rd1, [%SP+0];",
        "\tred.global.add.u32 \t[counter+4], 1;"}) {
    EXPECT_EQ(calls(std::string(line) + "\n", "castor_touch"), 1U) << line;
  }
  for (const char* const line :
       {"\tld.param.u64 \t%rd1, [%rd2+8];", "\tst.shared.u32 \t[%rd1], %r1;", "\tld.local.u32 \t%r1, [%rd1];",
        "\tmov.u32 \t%r1, %r2;", "\tld.const.u32 \t%r1, [table];"}) {
    EXPECT_EQ(calls(std::string(line) + "\n", "castor_touch"), 0U) << line;
  }
}

TEST(LapermFootprint, KernelsAndBuffersAreNoted) {
  EXPECT_EQ(calls("\tret;\n", "castor_note"), 1U);
  EXPECT_EQ(calls("\tcall.uni (retval0), \n\tcudaGetParameterBuffer, \n\t(\n\tparam0, \n\tparam1\n\t);\n"
                  "\tld.param.b64 \t%rd40, [retval0+0];\n",
                  "castor_note"),
            2U);
  EXPECT_THROW(static_cast<void>(with_footprints("no PTX\n")), base::Error);
}

}  // namespace
}  // namespace castor::workloads::laperm::laperm_footprint_test

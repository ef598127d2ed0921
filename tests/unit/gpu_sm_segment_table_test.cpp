// Tables of read-only segments: which promises enter, and what their entries cover (docs/gpu/swapping.md, "Read-only
// segments").

#include <gtest/gtest.h>

#include <array>

#include "castor/gpu/sm/segment_table.h"

namespace castor::gpu::gpu_sm_segment_table_test {
namespace {

constexpr unsigned kShared = 2000;  // bytes of shared memory: 15 whole lines and a part of one
constexpr std::uint64_t kGlobal = 0x10000000;

struct Row {
  std::uint32_t shared, bytes;
  std::uint64_t address;
  unsigned first, lines;  ///< lines 0: the promise has no effect
};

TEST(SegmentTable, APromiseCoversItsWholeLines) {
  const Row rows[] = {
      {0, 128, kGlobal, 0, 1},
      {256, 384, kGlobal + 256, 2, 3},
      {128, 127, kGlobal, 0, 0},              // less than a line
      {4, 252, kGlobal + 4, 1, 1},            // bytes 4 to 255
      {4, 251, kGlobal + 4, 0, 0},            // up to byte 254
      {100, 300, kGlobal + 100 + 512, 1, 2},  // bytes 100 to 399: lines 1 and 2
      {127, 129, kGlobal + 127, 1, 1},
      {0, 0, kGlobal, 0, 0},
      {0, 256, kGlobal + 64, 0, 0},   // the lines of shared and of global memory are not aligned to each other
      {64, 256, kGlobal + 64, 1, 1},  // they are here
      {64, 256, kGlobal, 0, 0},
      {1792, 208, kGlobal, 14, 1},  // up to the end of shared memory, which is no whole line
      {1792, 209, kGlobal, 0, 0},   // beyond it
      {0xffffff80, 256, kGlobal, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << row.shared << ", " << row.bytes);
    SegmentTable table;
    const Maybe<unsigned> entry = table.enter({row.shared, row.bytes, row.address}, kShared, 4);
    ASSERT_EQ(entry.has_value(), row.lines != 0);
    EXPECT_EQ(table.empty(), row.lines == 0);
    if (!entry) continue;
    const ReadOnlySegment segment = table.segment(5, *entry);
    EXPECT_EQ(segment.slot, 5U);
    EXPECT_EQ(segment.first, row.first);
    EXPECT_EQ(segment.lines, row.lines);
    EXPECT_EQ(segment.address, row.address + row.first * 128 - row.shared);
    for (unsigned line = 0; line < 16; ++line) {
      const ReadOnlyPromise* const found = table.covering(line);
      ASSERT_EQ(found != nullptr, line >= row.first && line < row.first + row.lines) << line;
      if (found != nullptr) {
        EXPECT_EQ(found->address_of(line), segment.address + 128 * (line - row.first));
      }
    }
  }
}

TEST(SegmentTable, TheSameOrAnOverlappingPromiseDoesNotEnter) {
  SegmentTable table;
  EXPECT_EQ(table.enter({256, 256, kGlobal}, kShared, 4), Maybe<unsigned>(0));
  EXPECT_FALSE(table.enter({256, 256, kGlobal}, kShared, 4));
  EXPECT_FALSE(table.enter({384, 256, kGlobal + 128}, kShared, 4));
  EXPECT_FALSE(table.enter({128, 129, kGlobal - 128}, kShared, 4)) << "one byte is in both";
  EXPECT_EQ(table.enter({128, 128, kGlobal}, kShared, 4), Maybe<unsigned>(1));
  EXPECT_EQ(table.enter({512, 128, kGlobal}, kShared, 4), Maybe<unsigned>(2));
}

TEST(SegmentTable, AFullTableTakesNoMoreAndAFreedEntryIsUsedAgain) {
  SegmentTable table;
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(table.enter({256 * i, 128, kGlobal}, kShared, 3), Maybe<unsigned>(i));
  EXPECT_FALSE(table.enter({1024, 128, kGlobal}, kShared, 3));
  EXPECT_FALSE(table.drop(128)) << "no promise holds this byte";
  EXPECT_EQ(table.drop(256 + 127), Maybe<unsigned>(1));
  EXPECT_EQ(table.segment(2, 1).lines, 0U);
  EXPECT_FALSE(table.used(1));
  EXPECT_EQ(table.covering(2), nullptr);
  EXPECT_NE(table.covering(0), nullptr);
  EXPECT_EQ(table.enter({1024, 128, kGlobal}, kShared, 3), Maybe<unsigned>(1));
}

// The bytes of the promise count, not those of its whole lines.
TEST(SegmentTable, AByteBeforeTheFirstWholeLineEndsThePromise) {
  for (const std::uint32_t byte : {100U, 399U}) {
    SegmentTable table;
    ASSERT_TRUE(table.enter({100, 300, kGlobal + 100}, kShared, 4));
    EXPECT_FALSE(table.drop(99));
    EXPECT_FALSE(table.drop(400));
    EXPECT_TRUE(table.drop(byte));
    EXPECT_TRUE(table.empty());
  }
}

TEST(SegmentTable, ARangeTouchesASegmentIfItsLinesDo) {
  SegmentTable table;
  ASSERT_TRUE(table.enter({256, 256, kGlobal}, kShared, 4));
  EXPECT_EQ(table.covering(std::uint64_t{252}, 4), nullptr);
  EXPECT_NE(table.covering(std::uint64_t{252}, 8), nullptr);
  EXPECT_NE(table.covering(std::uint64_t{508}, 4), nullptr);
  EXPECT_EQ(table.covering(std::uint64_t{512}, 16), nullptr);
}

TEST(SegmentTable, ALineHoldsAWholeTable) {
  SegmentTable table, other;
  for (unsigned i = 0; i < SegmentTable::kMost; ++i) {
    ASSERT_TRUE(table.enter({128 * i, 128, kGlobal + 1024 * i}, kShared, SegmentTable::kMost));
  }
  table.drop(3 * 128);
  std::array<std::byte, kSwapLineBytes> line{};
  table.write(line.data());
  other.read(line.data());
  for (unsigned i = 0; i < SegmentTable::kMost; ++i) {
    EXPECT_EQ(other.used(i), i != 3);
    EXPECT_EQ(other.segment(0, i).address, table.segment(0, i).address);
    EXPECT_EQ(other.segment(0, i).first, table.segment(0, i).first);
  }
  other.clear();
  EXPECT_TRUE(other.empty());
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_segment_table_test

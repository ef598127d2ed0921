// Tests of a device's records of completed kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "castor/gpu/kernel_rows.h"

namespace castor::gpu {
namespace {

using testing::ElementsAre;
using testing::Pair;

KernelStatistics kernel(const std::string& name, Picoseconds start, Picoseconds end, unsigned level = 0) {
  KernelStatistics row;
  row.kernel = name;
  row.start = start;
  row.end = end;
  row.thread_blocks = 2;
  row.warp_instructions = 10;
  row.thread_instructions = 320;
  row.level = level;
  row.counts = {{"loads", 3}};
  if (level != 0) row.counts.emplace_back("level", level);
  return row;
}

TEST(KernelRows, LaterKernelsOfANameShareARow) {
  const base::Clock clock(1'000'000);  // a cycle is 1000 ps
  KernelRows rows(2, &clock);
  for (Picoseconds i = 0; i < 5; ++i) rows.add(kernel("a", 10'000 * i, 10'000 * i + 3000));
  rows.add(kernel("b", 90'000, 91'000));
  rows.add(kernel("a", 100'000, 107'000));
  ASSERT_EQ(rows.rows().size(), 4U);
  EXPECT_EQ(rows.rows()[0].sum.kernels, 0U) << "stands for itself";
  EXPECT_EQ(rows.rows()[1].start, 10'000U);
  const KernelStatistics& sum = rows.rows()[2];
  EXPECT_EQ(sum.kernel, "a");
  EXPECT_EQ(sum.sum.kernels, 4U);
  EXPECT_EQ(sum.start, 20'000U);
  EXPECT_EQ(sum.end, 107'000U);
  EXPECT_EQ(sum.sum.time, 16'000U) << "the times between them do not count";
  EXPECT_EQ(sum.sum.cycles, 16U);
  EXPECT_EQ(sum.thread_blocks, 8U);
  EXPECT_EQ(sum.warp_instructions, 40U);
  EXPECT_EQ(sum.thread_instructions, 1280U);
  EXPECT_THAT(sum.counts, ElementsAre(Pair("loads", 12)));
  EXPECT_EQ(rows.rows()[3].sum.kernels, 1U);
  EXPECT_EQ(rows.rows()[3].sum.cycles, 1U);
}

TEST(KernelRows, LevelsStayApart) {
  KernelRows rows(1);
  rows.add(kernel("a", 0, 1));
  for (const unsigned level : {1U, 2U, 1U, 0U}) rows.add(kernel("a", 0, 1, level));
  ASSERT_EQ(rows.rows().size(), 4U);
  EXPECT_EQ(rows.rows()[1].sum.kernels, 2U);
  EXPECT_THAT(rows.rows()[1].counts, ElementsAre(Pair("loads", 6), Pair("level", 1)));
  EXPECT_THAT(rows.rows()[2].counts, ElementsAre(Pair("loads", 3), Pair("level", 2)));
  EXPECT_EQ(rows.rows()[3].level, 0U);
}

TEST(KernelRows, MemoryDoesNotGrowWithLaunches) {
  KernelRows rows(10);
  for (unsigned i = 0; i < 100'000; ++i) rows.add(kernel("a", i, i + 1));
  EXPECT_EQ(rows.rows().size(), 11U);
  EXPECT_EQ(rows.rows().back().sum.kernels, 99'990U);
}

}  // namespace
}  // namespace castor::gpu

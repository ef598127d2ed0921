#include <cstdint>
#include <vector>

#include "castor/gpu/sm/l1_lines.h"
#include "unit/gpu_sm_parts_support.h"

// Lines of L1 and the MSHRs that will fill them, without a pipe.

namespace castor::gpu::gpu_sm_l1_lines_test {
namespace {

using namespace test;

constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint16_t kOwner = 1;

class L1LinesRules : public ::testing::Test {
 protected:
  /// Places a line, and opens an MSHR that will fill it.
  std::uint32_t miss(std::uint64_t line, std::uint16_t owner = L1Cache::kNobody) {
    const std::uint32_t slot = cache_.way_for(line);
    cache_.place(slot, line, owner);
    ++cache_.at(slot).claims;
    return mshrs_.open(line, 1, 0, slot);
  }
  [[nodiscard]] bool present(std::uint64_t line) const { return cache_.find(line) != L1Cache::kNone; }

  const Machine machine_ = part_machine();
  const std::uint64_t line_ = machine_.l1.line;
  L1Lines lines_{machine_};
  L1Cache& cache_ = lines_.cache();
  MshrFile& mshrs_ = lines_.mshrs();
};

TEST_F(L1LinesRules, AReplyFillsTheSectorsThatTheRequestAskedForAndKeepsNewerBytes) {
  const std::uint32_t entry = miss(kBase);
  const std::uint32_t slot = cache_.find(kBase);
  ByteMask stored;
  stored.set(4, 4);
  cache_.at(slot).valid.add(stored);
  cache_.at(slot).stamp = 90;
  cache_.data(slot)[4] = std::byte{7};
  TransactionPool pool;
  Transaction& reply = pool.get();
  reply.request.performed = 80;
  for (std::byte& byte : reply.request.data) byte = std::byte{1};
  lines_.install(mshrs_.at(entry), reply);
  EXPECT_EQ(cache_.at(slot).valid, ByteMask::of_sectors(1));
  EXPECT_EQ(cache_.data(slot)[3], std::byte{1});
  EXPECT_EQ(cache_.data(slot)[4], std::byte{7});
  EXPECT_EQ(cache_.at(slot).stamp, 80U);
  EXPECT_EQ(cache_.at(slot).claims, 0U);
  reply.release();
}

TEST_F(L1LinesRules, ClosedEntriesGiveTheirClaimsBack) {
  const std::uint32_t first = miss(kBase);
  const std::uint32_t slot = cache_.find(kBase);
  ++cache_.at(slot).claims;
  const std::uint32_t second = mshrs_.open(kBase, 2, 0, slot);
  const std::uint32_t other = miss(kBase + line_);
  lines_.close_entries(kBase);
  EXPECT_FALSE(mshrs_.at(first).open || mshrs_.at(second).open);
  EXPECT_TRUE(mshrs_.at(other).open);
  EXPECT_EQ(cache_.at(slot).claims, 0U);
  EXPECT_EQ(mshrs_.in_use(), 3U) << "their replies are still to come";
}

TEST_F(L1LinesRules, AFlushSparesOwnedLinesAndHappensOncePerAcquire) {
  const std::uint32_t entry = miss(kBase);
  miss(kBase + line_, kOwner);
  lines_.flush_for(5);
  EXPECT_FALSE(present(kBase) || mshrs_.at(entry).open);
  EXPECT_TRUE(present(kBase + line_));
  miss(kBase);
  lines_.flush_for(5);
  EXPECT_TRUE(present(kBase));
  lines_.flush_for(6);
  EXPECT_FALSE(present(kBase));
}

TEST_F(L1LinesRules, LinesOfATbAreDroppedWhereverTheyAre) {
  const std::uint32_t entry = miss(kBase, kOwner);
  miss(kBase + 3 * line_, kOwner);
  miss(kBase + line_);
  EXPECT_EQ(cache_.owned(kOwner), 2U);
  lines_.drop_owned(kOwner);
  EXPECT_EQ(cache_.owned(kOwner), 0U);
  EXPECT_FALSE(present(kBase) || present(kBase + 3 * line_) || mshrs_.at(entry).open);
  EXPECT_TRUE(present(kBase + line_));
}

TEST_F(L1LinesRules, ALineThatTakesTheSlotOfAnOwnedLineEndsItsOwnership) {
  miss(kBase, kOwner);
  cache_.place(cache_.find(kBase), kBase + line_ * machine_.l1.sets, L1Cache::kNobody);
  EXPECT_EQ(cache_.owned(kOwner), 0U);
}

TEST_F(L1LinesRules, ARangeEndsBeforeItsLastByte) {
  for (unsigned i = 0; i < 4; ++i) miss(kBase + i * line_);
  lines_.drop_range(kBase + line_, 2 * line_);
  EXPECT_TRUE(present(kBase) && present(kBase + 3 * line_));
  EXPECT_FALSE(present(kBase + line_) || present(kBase + 2 * line_));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_l1_lines_test

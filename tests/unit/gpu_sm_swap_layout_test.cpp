// Layout of the spare storage of an SM for the thread blocks of a kernel (docs/gpu/swapping.md, "Spare storage"). The
// rows are calculated by hand from the rules of that section.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "castor/gpu/sm/swap_layout.h"

namespace castor::gpu::gpu_sm_swap_layout_test {
namespace {

SwapStorage storage(unsigned register_homes, unsigned shared_homes, unsigned places, unsigned queue) {
  SwapStorage most;
  most.register_homes = static_cast<std::uint8_t>(register_homes);
  most.shared_homes = static_cast<std::uint8_t>(shared_homes);
  most.places = static_cast<std::uint8_t>(places);
  most.queue = static_cast<std::uint8_t>(queue);
  return most;
}
const SwapStorage kUsual = storage(64, 64, 24, 16);

/// Register homes, shared homes, places of both types, direction.
struct Expected {
  unsigned register_homes, shared_homes, in_place, copies;
  SwapDirection direction;
};
void check(const char* name, const SwapDemand& demand, const SwapStorage& most, const Expected& expected) {
  SCOPED_TRACE(name);
  const SwapLayout layout = swap_layout(demand, most);
  EXPECT_EQ(layout.register_homes, expected.register_homes);
  EXPECT_EQ(layout.shared_homes, expected.shared_homes);
  EXPECT_EQ(layout.in_place, expected.in_place);
  EXPECT_EQ(layout.copies, expected.copies);
  EXPECT_EQ(layout.direction, expected.direction);
}
// Members of a demand: register file, shared memory; slots; register home, shared home, SIMT lines, live registers.

TEST(SwapLayout, AKernelLimitedByTheNumberOfItsBlocksHasSpareHomes) {
  // 32 register homes fill the register file; 256 lines of shared memory are left, of which 24 places take 48.
  check("queue is full", {2048, 768, 4, 64, 16, 2, 20}, kUsual, {32, 32, 24, 0, SwapDirection::kNone});
  // 29 places take 58 lines of 256. Five copies of 38 lines fit into the rest; the queue has room for 3.
  check("copies too", {2048, 768, 4, 64, 16, 2, 20}, storage(64, 64, 40, 32),
        {32, 35, 29, 3, SwapDirection::kRegisters});
  check("no queue limit", {2048, 768, 4, 64, 16, 2, 20}, storage(64, 64, 40, 99),
        {32, 37, 29, 5, SwapDirection::kRegisters});
}

TEST(SwapLayout, AKernelLimitedByRegistersKeepsThemInSharedMemory) {
  // 512 lines of shared memory are left: three times 32 + 4 + 120.
  check("registers", {2048, 768, 8, 256, 32, 4, 120}, kUsual, {8, 11, 0, 3, SwapDirection::kRegisters});
  // One line less, and the third does not fit.
  check("one line less", {2048, 256 + 467, 8, 256, 32, 4, 120}, kUsual, {8, 10, 0, 2, SwapDirection::kRegisters});
  check("just enough", {2048, 256 + 468, 8, 256, 32, 4, 120}, kUsual, {8, 11, 0, 3, SwapDirection::kRegisters});
}

TEST(SwapLayout, AKernelLimitedBySharedMemoryKeepsItInRegisters) {
  // 1792 lines of registers are left: six times 64 + 2 + 192.
  check("shared", {2048, 768, 4, 64, 192, 2, 20}, kUsual, {10, 4, 0, 6, SwapDirection::kShared});
  check("one line less", {256 + 1547, 768, 4, 64, 192, 2, 20}, kUsual, {9, 4, 0, 5, SwapDirection::kShared});
  check("just enough", {256 + 1548, 768, 4, 64, 192, 2, 20}, kUsual, {10, 4, 0, 6, SwapDirection::kShared});
}

TEST(SwapLayout, WithoutSharedMemoryOnlyRegistersLimitTheHomes) {
  // 848 lines of registers are left, and 768 of shared memory: places are cut from registers, which are the scarce
  // part.
  check("more registers left", {2048, 768, 8, 100, 0, 3, 40}, storage(12, 12, 24, 16),
        {12, 12, 5, 0, SwapDirection::kNone});
  // 20 homes leave 48 lines of registers. 13 places of 3 lines leave 729 of shared memory, for 16 copies of 3 + 40.
  check("more shared memory left", {2048, 768, 8, 100, 0, 3, 40}, storage(64, 64, 64, 64),
        {20, 36, 13, 16, SwapDirection::kRegisters});
}

TEST(SwapLayout, PlacesNeedRoomForTheirLines) {
  check("nothing left", {2048, 768, 2, 512, 192, 2, 100}, kUsual, {4, 4, 0, 0, SwapDirection::kNone});
  check("one line left", {2049, 768, 2, 512, 192, 2, 100}, kUsual, {4, 4, 0, 0, SwapDirection::kNone});
  check("two lines left", {2050, 768, 2, 512, 192, 2, 100}, kUsual, {4, 4, 1, 0, SwapDirection::kNone});
  check("all resident", {2048, 768, 4, 512, 192, 2, 100}, kUsual, {4, 4, 0, 0, SwapDirection::kNone});
}

TEST(SwapLayout, TheEngineLimitsHomesAndPlaces) {
  const SwapDemand shared = {2048, 768, 4, 64, 192, 2, 20};  // six copies fit
  check("register homes", shared, storage(7, 64, 24, 16), {7, 4, 0, 3, SwapDirection::kShared});
  check("places", shared, storage(64, 64, 2, 16), {6, 4, 0, 2, SwapDirection::kShared});
  check("queue", shared, storage(64, 64, 24, 1), {5, 4, 0, 1, SwapDirection::kShared});
  check("shared homes", {2048, 768, 8, 256, 32, 4, 120}, storage(64, 9, 24, 16),
        {8, 9, 0, 1, SwapDirection::kRegisters});
  check("homes of blocks in place", {2048, 768, 4, 64, 16, 2, 20}, storage(64, 6, 24, 16),
        {6, 6, 3, 0, SwapDirection::kNone});
  check("nothing stays", {2048, 768, 4, 64, 16, 2, 20}, storage(0, 0, 0, 0), {4, 4, 0, 0, SwapDirection::kNone});
  check("homes without places", {2048, 768, 4, 64, 16, 2, 20}, storage(64, 64, 0, 16),
        {32, 32, 0, 0, SwapDirection::kNone});
}

// 160 lines of both are left.
TEST(SwapLayout, TheScarceStorageIsCopiedIfAsMuchIsLeftOfBoth) {
  check("shared memory is scarce", {200, 240, 2, 20, 40, 1, 20}, storage(8, 2, 24, 16),
        {4, 2, 0, 2, SwapDirection::kShared});
  check("registers are scarce", {240, 200, 2, 40, 20, 1, 40}, storage(2, 8, 24, 16),
        {2, 4, 0, 2, SwapDirection::kRegisters});
}

TEST(SwapLayout, HomesAndPlacesNeverExceedTheStorageOrTheLimits) {
  std::mt19937 random(7);
  const auto draw = [&random](unsigned from, unsigned to) {
    return std::uniform_int_distribution<unsigned>(from, to)(random);
  };
  unsigned directions = 0, in_place = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    SwapDemand demand = {
        draw(64, 4096), draw(64, 1024), 0, draw(8, 600), draw(0, 3) == 0 ? 0 : draw(1, 400), draw(1, 28), 0};
    demand.live = draw(1, demand.registers);
    const unsigned shared_limit = demand.shared == 0 ? 32 : demand.file_shared / demand.shared;
    const unsigned most_slots = std::min({demand.file_registers / demand.registers, shared_limit, 32U});
    if (most_slots == 0) continue;
    demand.slots = draw(1, most_slots);
    const SwapStorage most = storage(draw(0, 255), draw(0, 255), draw(0, 64), draw(0, 64));
    const SwapLayout layout = swap_layout(demand, most);
    ASSERT_GE(layout.register_homes, demand.slots);
    ASSERT_GE(layout.shared_homes, demand.slots);
    ASSERT_LE(layout.register_homes, std::max<unsigned>(demand.slots, most.register_homes));
    ASSERT_LE(layout.shared_homes, std::max<unsigned>(demand.slots, most.shared_homes));
    ASSERT_LE(layout.in_place + layout.copies, most.places);
    ASSERT_TRUE(layout.copies == 0 || layout.in_place + layout.copies <= most.queue);
    ASSERT_EQ(layout.copies == 0, layout.direction == SwapDirection::kNone);
    const unsigned homes = layout.register_homes * demand.registers + layout.shared_homes * demand.shared;
    const unsigned copy = demand.simt + (layout.direction == SwapDirection::kRegisters ? demand.live : demand.shared);
    ASSERT_LE(homes + layout.in_place * demand.simt + layout.copies * copy, demand.file_registers + demand.file_shared);
    directions |= 1U << static_cast<unsigned>(layout.direction);
    in_place += layout.in_place != 0 ? 1 : 0;
  }
  EXPECT_EQ(directions, 7U);
  EXPECT_GT(in_place, 1000U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_swap_layout_test

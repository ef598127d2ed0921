// Tests of the plan of a copy alone: its pieces, and the cycles in which they are due.
#include <cmath>
#include <numeric>

#include "castor/gpu/front_end/copy_plan.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_copy_plan_test {
namespace {

using test::load;

constexpr std::uint64_t kDevice = Store::kBase + 4096;

CopyPacket to_device(const std::byte* from, std::size_t width, std::uint64_t address = kDevice) {
  CopyPacket copy;
  copy.source = from;
  copy.destination = address;
  copy.width = width;
  return copy;
}

std::vector<CopyPlan::Piece> all(CopyPlan& plan) {
  std::vector<CopyPlan::Piece> pieces;
  while (const CopyPlan::Piece* const piece = plan.peek()) {
    EXPECT_EQ(plan.peek(), piece);
    pieces.push_back(*piece);
    plan.take();
  }
  return pieces;
}

TEST(CopyPlan, BeatKIsDueAtLatencyPlusKPlusOneBeatsOverTheBandwidth) {
  const Machine machine = load();
  CopyPlan plan(machine);
  std::vector<std::byte> host(4096);
  plan.start(to_device(host.data(), host.size()), 1, 1000);
  const double per_byte = machine.clock.core_mhz / (machine.link.gb_per_s * 1e3);
  const double latency = machine.link.latency_us * machine.clock.core_mhz;
  std::uint64_t pieces = 0;
  while (const CopyPlan::Piece* const piece = plan.peek()) {
    const double bytes = static_cast<double>((piece->beat + 1) * machine.link.beat);
    EXPECT_NEAR(static_cast<double>(plan.due()), 1000 + std::ceil(latency + bytes * per_byte), 1);
    EXPECT_EQ(piece->beat, (piece->device - kDevice) / machine.link.beat);
    ++pieces;
    plan.take();
  }
  EXPECT_EQ(pieces, host.size() / std::min(machine.link.beat, machine.l2.line));
  EXPECT_EQ(plan.bytes(), host.size());
  EXPECT_STREQ(plan.what(), "copy to device");
}

TEST(CopyPlan, PiecesLieInsideBlocksAndRows) {
  const Machine machine = load();
  const unsigned block = std::min(machine.link.beat, machine.l2.line);
  CopyPlan plan(machine);
  CopyPacket copy;
  std::vector<std::byte> host(4096);
  copy.source = kDevice + 20;
  copy.destination = host.data() + 4;
  copy.width = 300;
  copy.rows = 3;
  copy.source_pitch = 1000;
  copy.destination_pitch = 400;
  plan.start(copy, 1, 0);
  EXPECT_TRUE(plan.reads());
  std::vector<unsigned> rows(3, 0);
  for (const CopyPlan::Piece& piece : all(plan)) {
    const std::uint64_t row = (piece.device - kDevice - 20) / 1000;
    EXPECT_EQ(piece.column, rows[row]);
    EXPECT_EQ(piece.device, kDevice + 20 + 1000 * row + piece.column);
    EXPECT_EQ(piece.host, host.data() + 4 + 400 * row + piece.column);
    EXPECT_EQ(piece.device / block, (piece.device + piece.bytes - 1) / block);
    rows[row] += piece.bytes;
  }
  EXPECT_THAT(rows, testing::Each(300U));
  EXPECT_EQ(plan.row(), 3U);
}

TEST(CopyPlan, FillsAndCopiesInsideAreDueAtOnce) {
  const Machine machine = load();
  CopyPlan plan(machine);
  FillPacket fill;
  fill.address = kDevice + 2;
  fill.width = 9;
  fill.pattern = 0x44332211;
  fill.pattern_bytes = 4;
  plan.start(fill, 1, 77);
  ASSERT_NE(plan.peek(), nullptr);
  EXPECT_EQ(plan.due(), 77U);
  EXPECT_EQ(plan.bytes(), 8U);  // whole patterns
  std::byte bytes[8];
  plan.write_pattern(*plan.peek(), bytes);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bytes[i], static_cast<std::byte>(0x11 * (i % 4 + 1)));
  CopyPacket copy;
  copy.source = kDevice;
  copy.destination = kDevice + 8192 + 40;
  copy.width = 500;
  plan.start(copy, 2, 99);
  ASSERT_NE(plan.peek(), nullptr);
  EXPECT_EQ(plan.due(), 99U);
  unsigned moved = 0;
  for (const CopyPlan::Piece& piece : all(plan)) {
    EXPECT_EQ(piece.source - kDevice, moved);
    EXPECT_EQ(piece.device - kDevice - 8192 - 40, moved);
    moved += piece.bytes;
  }
  EXPECT_EQ(moved, 500U);
}

TEST(CopyPlan, ShuffledWordsComeOnceEachWithTheBeatThatWouldHoldThem) {
  const Machine machine = load({"link.shuffle=1"});
  CopyPlan plan(machine);
  std::vector<std::byte> host(1000);
  plan.start(to_device(host.data() + 1, 998, kDevice + 1), 5, 0);
  std::vector<unsigned> seen(1000, 0);
  std::vector<std::uint64_t> order;
  for (const CopyPlan::Piece& piece : all(plan)) {
    EXPECT_LE(piece.bytes, 4U);
    EXPECT_EQ(piece.device / 4, (piece.device + piece.bytes - 1) / 4);
    EXPECT_EQ(piece.beat, order.size() * 4 / machine.link.beat);
    for (unsigned i = 0; i < piece.bytes; ++i) ++seen[piece.device - kDevice + i];
    order.push_back(piece.device);
  }
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0U), 998U);
  EXPECT_THAT(std::vector<unsigned>(seen.begin() + 1, seen.begin() + 999), testing::Each(1U));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST(CopyPlan, WithUnifiedMemoryNothingWaitsForTheLink) {
  const Machine machine = load({}, "gcn_apu");
  ASSERT_TRUE(machine.memory.unified);
  CopyPlan plan(machine);
  std::vector<std::byte> host(1000);
  plan.start(to_device(host.data(), host.size()), 5, 12);
  ASSERT_NE(plan.peek(), nullptr);
  EXPECT_EQ(plan.due(), 12U);
}

TEST(CopyPlan, NothingToMoveHasNoPiece) {
  const Machine machine = load();
  CopyPlan plan(machine);
  std::vector<std::byte> host(4);
  plan.start(to_device(host.data(), 0), 5, 12);
  EXPECT_EQ(plan.peek(), nullptr);
  EXPECT_EQ(plan.bytes(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_copy_plan_test

// Tests of the address map: it is one to one and equals the documented formulas.

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "castor/gpu/memory/address_map.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_memory_map_test {
namespace {

Machine machine(unsigned channels, unsigned per_channel, const std::string& hash, unsigned banks, unsigned groups,
                const std::string& inner = "off") {
  const std::string slices = std::to_string(channels * per_channel);
  return platforms::load_machine(
             "kepler_k20c_study",
             {"dram.channels=" + std::to_string(channels), "l2.slices=" + slices,
              "l2.bytes=" + std::to_string(channels * per_channel * 128) + "KiB", "map.hash=" + hash,
              "dram.banks=" + std::to_string(banks), "dram.groups=" + std::to_string(groups), "l2.set_hash=" + inner,
              "map.bank_hash=" + inner})
      .machine;
}

struct Shape {
  unsigned channels, per_channel;
  const char* hash;
  unsigned banks, groups;
  const char* inner = "off";  ///< hash of sets and banks
};

class Map : public ::testing::TestWithParam<Shape> {};

TEST_P(Map, IsOneToOne) {
  const Shape shape = GetParam();
  const AddressMap map(machine(shape.channels, shape.per_channel, shape.hash, shape.banks, shape.groups, shape.inner));
  std::set<std::pair<unsigned, std::uint64_t>> channel_places;
  std::set<std::pair<unsigned, std::uint64_t>> slice_lines;
  // Whole rows of stripes: 2,048 of them, so that the hash turns through all its terms (q / 256 included).
  const std::uint64_t lines = std::uint64_t{2048} * shape.channels * 2;
  for (std::uint64_t line = 0; line < lines; ++line) {
    const std::uint64_t address = line * 128;
    const unsigned channel = map.channel(address);
    ASSERT_LT(channel, shape.channels);
    ASSERT_EQ(map.slice(address) / shape.per_channel, channel);
    EXPECT_TRUE(channel_places.emplace(channel, map.channel_address(address)).second) << address;
    EXPECT_TRUE(slice_lines.emplace(map.slice(address), map.line_in_slice(address)).second) << address;
    ASSERT_EQ(map.address(channel, map.channel_address(address)), address);
    ASSERT_EQ(map.dram_address(map.dram(map.channel_address(address))), map.channel_address(address));
    // A hash rotates the sets of one round by an offset that is the same in the whole round.
    const std::uint64_t line_in_slice = map.line_in_slice(address);
    const std::uint64_t q = line_in_slice / 64;
    const std::uint64_t turn = std::string(shape.inner) == "xor" ? (q ^ q / 16 ^ q / 256) : 0;
    ASSERT_EQ(map.set(address), (line_in_slice + turn) % 64);
  }
  // The map is onto: channels and slices have no holes.
  for (unsigned channel = 0; channel < shape.channels; ++channel) {
    for (std::uint64_t place = 0; place < 2048 * 256; place += 128) {
      ASSERT_EQ(channel_places.count({channel, place}), 1U);
    }
  }
  for (unsigned slice = 0; slice < shape.channels * shape.per_channel; ++slice) {
    for (std::uint64_t line = 0; line < 2048 * 2 / shape.per_channel; ++line) {
      ASSERT_EQ(slice_lines.count({slice, line}), 1U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Map,
                         ::testing::Values(Shape{1, 1, "off", 16, 4}, Shape{1, 2, "xor", 16, 4},
                                           Shape{2, 2, "off", 8, 2}, Shape{5, 2, "off", 16, 4},
                                           Shape{5, 2, "xor", 16, 4}, Shape{3, 4, "xor", 4, 1},
                                           Shape{12, 2, "xor", 16, 4}, Shape{16, 1, "off", 16, 16},
                                           Shape{5, 2, "xor", 16, 4, "xor"}, Shape{3, 1, "off", 12, 3, "xor"}));

TEST(AddressMap, FollowsItsFormulasWithoutHash) {
  const AddressMap map(machine(5, 2, "off", 16, 4));
  // Stripe 12,345: channel 12345 mod 5 = 0, q = 2469, slice 2469 mod 2 = 1 of channel 0.
  const std::uint64_t address = 12345 * 256 + 128;
  EXPECT_EQ(map.channel(address), 0U);
  EXPECT_EQ(map.slice(address), 1U);
  EXPECT_EQ(map.channel_address(address), 2469 * 256 + 128U);
  EXPECT_EQ(map.line_in_slice(address), 1234 * 2 + 1U);
  EXPECT_EQ(map.set(address), 2469U % 64);
  // Row of 2,048 bytes: 632,192 / 2048 = 308 remainder 1408; bank 308 mod 16 = 4, group 0, row 19.
  const AddressMap::DramPlace place = map.dram(map.channel_address(address));
  EXPECT_EQ(place.column, 1408U);
  EXPECT_EQ(place.bank, 4U);
  EXPECT_EQ(place.group, 0U);
  EXPECT_EQ(place.row, 19U);
}

TEST(AddressMap, HashTurnsTheChannelsByTheStripeRow) {
  const AddressMap map(machine(5, 2, "xor", 16, 4));
  // Stripe 12,345: q = 2469, q / 16 = 154, q / 256 = 9: 2469 ^ 154 ^ 9 = 2358; (12345 + 2358) mod 5 = 3.
  EXPECT_EQ(map.channel(12345 * 256), 3U);
  EXPECT_EQ(map.channel_address(12345 * 256), 2469 * 256U);
}

// Accesses to the columns of a matrix with rows of 4 KiB: without hashes they use few sets and banks.
TEST(AddressMap, HashesSpreadPowersOfTwo) {
  const auto met = [](const std::string& inner) {
    const AddressMap map(machine(4, 1, "off", 16, 4, inner));
    std::set<unsigned> sets;
    std::set<unsigned> banks;
    for (std::uint64_t row = 0; row < 1024; ++row) {
      const std::uint64_t address = row * 16384;
      sets.insert(map.set(address));
      banks.insert(map.dram(map.channel_address(address * 4)).bank);
    }
    return std::make_pair(sets.size(), banks.size());
  };
  EXPECT_EQ(met("off"), std::make_pair(std::size_t{2}, std::size_t{2}));
  EXPECT_EQ(met("xor"), std::make_pair(std::size_t{64}, std::size_t{16}));
}

TEST(AddressMap, NeighbouringRowsLieInDifferentBankGroups) {
  const AddressMap map(machine(2, 2, "off", 16, 4));
  for (std::uint64_t row = 0; row < 64; ++row) {
    EXPECT_NE(map.dram(row * 2048).group, map.dram((row + 1) * 2048).group);
  }
}

TEST(AddressMap, ServesTheLastAddressOfTheWindow) {
  const AddressMap map(machine(5, 2, "xor", 16, 4));
  const std::uint64_t last = (std::uint64_t{1} << 40) - 128;
  EXPECT_EQ(map.address(map.channel(last), map.channel_address(last)), last);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_map_test

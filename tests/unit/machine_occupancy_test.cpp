#include <gtest/gtest.h>

#include "castor/gpu/occupancy.h"
#include "platforms/machines.h"

namespace castor::gpu::machine_occupancy_test {
namespace {

/// Expected values are worked out by hand from the limits in the machine's file.
struct Row {
  const char* machine;
  TbDemand demand;
  unsigned tbs;
  Resource limit;
};

class OccupancyOf : public testing::TestWithParam<Row> {};

TEST_P(OccupancyOf, IsLimitedByTheScarcestResource) {
  const Row& row = GetParam();
  const Occupancy result = occupancy(platforms::load_machine(row.machine).machine, row.demand);
  EXPECT_EQ(result.tbs_per_sm, row.tbs);
  EXPECT_EQ(name(result.limit), name(row.limit));
}

INSTANTIATE_TEST_SUITE_P(
    Machines, OccupancyOf,
    testing::Values(
        // kepler: 64 warps, 16 slots, 65536 registers in units of 256, 48 KB in units of 256 bytes
        Row{"kepler_k20c", {256, 16, 0}, 8, Resource::kWarps},            // 8 warps each
        Row{"kepler_k20c", {64, 16, 0}, 16, Resource::kTbSlots},          // 2 warps each would allow 32
        Row{"kepler_k20c", {256, 37, 0}, 6, Resource::kRegisters},        // 37*32 = 1184 -> 5 units a warp, 40 of 256
        Row{"kepler_k20c", {256, 40, 0}, 6, Resource::kRegisters},        // 1280 = 5 units exactly
        Row{"kepler_k20c", {256, 41, 0}, 5, Resource::kRegisters},        // 6 units, 48 of 256
        Row{"kepler_k20c", {1024, 65, 0}, 0, Resource::kRegisters},       // 32 warps x 9 units = 288 > 256
        Row{"kepler_k20c", {128, 0, 12289}, 3, Resource::kSharedMemory},  // 49 units of 192
        Row{"kepler_k20c", {128, 0, 12288}, 4, Resource::kSharedMemory},  // 48 units
        Row{"kepler_k20c", {128, 0, 49152}, 1, Resource::kSharedMemory},
        Row{"kepler_k20c", {128, 0, 49153}, 0, Resource::kSharedMemory},
        Row{"kepler_k20c", {33, 0, 0}, 16, Resource::kTbSlots}, Row{"kepler_k20c", {1025, 0, 0}, 0, Resource::kThreads},
        Row{"kepler_k20c", {32, 256, 0}, 0, Resource::kRegisters},  // over 255 per thread
        // fermi: 48 warps, 8 slots, 32768 registers in units of 64
        Row{"fermi_gtx480", {192, 21, 0}, 7, Resource::kRegisters},  // 6 warps x 11 units, 512 / 66
        Row{"fermi_gtx480", {192, 20, 0}, 8, Resource::kTbSlots},    // 10 units, 512 / 60; warps would allow 8 too
        // turing: 32 warps, units of 128 registers
        Row{"turing_rtx2060", {256, 32, 0}, 4, Resource::kWarps},
        // gcn: 40 waves of 64, 65536 registers
        Row{"gcn_apu", {64, 24, 0}, 40, Resource::kTbSlots},     // 24*64 = 1536 = 6 units, 256 / 6 = 42
        Row{"gcn_apu", {256, 64, 0}, 4, Resource::kRegisters}),  // 4 waves x 16 units = 64 of 256
    [](const testing::TestParamInfo<Row>& info) {
      return std::string(info.param.machine) + '_' + std::to_string(info.index);
    });

TEST(Occupancy, ReportsUnitsAndShareOfWarps) {
  const Occupancy result = occupancy(platforms::load_machine("kepler_k20c").machine, {100, 20, 300});
  EXPECT_EQ(result.warps_per_tb, 4U);
  EXPECT_EQ(result.register_units, 12U);  // 4 warps x ceil(640 / 256)
  EXPECT_EQ(result.shared_units, 2U);
  EXPECT_EQ(result.tbs_per_sm, 16U);
  EXPECT_DOUBLE_EQ(result.warp_occupancy, 1.0);
}

TEST(Occupancy, RegisterCapLetsTheNumberOfTbsReside) {
  const Machine kepler = platforms::load_machine("kepler_k20c").machine;
  EXPECT_EQ(registers_for(kepler, 1024, 2), 32U);  // 65536 / 2048 threads
  EXPECT_EQ(registers_for(kepler, 1024, 1), 64U);
  EXPECT_EQ(registers_for(kepler, 256, 3), 80U);  // 256 units / 24 warps = 10 units = 2560 registers a warp
  EXPECT_EQ(registers_for(kepler, 32, 1), 255U);
  for (const unsigned threads : {32U, 96U, 256U, 1000U}) {
    for (const unsigned tbs : {1U, 2U}) {
      const unsigned cap = registers_for(kepler, threads, tbs);
      EXPECT_GE(occupancy(kepler, {threads, cap, 0}).tbs_per_sm, tbs);
      if (cap < 255) {
        EXPECT_LT(occupancy(kepler, {threads, cap + 1, 0}).tbs_per_sm, tbs);
      }
    }
  }
}

// A fetch filter gets the remaining registers, and never reduces the number of TBs.
TEST(Occupancy, FilterRowsAreWhatResidentTbsLeave) {
  const Machine pascal = platforms::load_machine("pascal_titanx").machine;
  const auto rows = [&](unsigned threads, unsigned registers) {
    const Occupancy fit = occupancy(pascal, {threads, registers, 0});
    return filter_rows(pascal, fit.tbs_per_sm, fit.register_units);
  };
  EXPECT_EQ(rows(256, 28), 0U);    // 64 warps of 32 registers take all 2048 rows
  EXPECT_EQ(rows(256, 24), 32U);   // 64 warps of 24: 512 rows for 8 TBs, of which each may have 32
  EXPECT_EQ(rows(64, 24), 16U);    // 32 TBs
  EXPECT_EQ(rows(1024, 40), 32U);  // one TB of 32 warps of 40
  EXPECT_EQ(rows(256, 56), 32U);   // 4 TBs of 448 rows: 256 left
  EXPECT_EQ(rows(256, 48), 25U);   // 5 of 384: 128 left, 25 each
  EXPECT_EQ(filter_rows(pascal, 0, 8), 0U);
}

}  // namespace
}  // namespace castor::gpu::machine_occupancy_test

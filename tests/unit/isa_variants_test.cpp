// Tests that both builds of the lane handlers give the same bits: every spelling of every row on registers, on random
// and edge values, for 32 and 64 lanes, full and partial masks.

#include "castor/isa/timing_class.h"
#include "unit/isa_harness.h"

namespace castor::test::isa_variants_test {
namespace {

TEST(Variants, ComputeTheSameBits) {
  const auto tables = all_tables();
  if (tables.size() < 2) GTEST_SKIP() << "this processor has no AVX2";
  const u64 seed = random_seed_or(1);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::size_t compared = 0;
  for (const auto& row : tables[0]->rows()) {
    if (row->kind != isa::Kind::kLane) continue;
    for (const std::string& spelling : all_spellings(*row)) {
      isa::LookupError error;
      isa::Match match[2];
      for (unsigned v = 0; v < 2; ++v)
        match[v] = row->opcode[0] == '$' ? tables[v]->internal(spelling) : tables[v]->find(spelling, error);
      ASSERT_EQ(match[0].valid(), match[1].valid()) << spelling;
      if (!match[0].valid()) continue;
      const Shape shape = shape_of(match[0]);
      std::mt19937_64 random(seed + std::hash<std::string>{}(spelling));
      for (unsigned round = 0; round < 8; ++round) {
        const unsigned lanes = round % 2 == 0 ? 32 : 64;
        isa::LaneMask mask = lanes == 64 ? ~isa::LaneMask{0} : 0xffffffffu;
        if (round % 4 == 3) mask &= random();
        Warp warps[2];
        std::memset(warps[0].rows, 0, sizeof warps[0].rows);
        for (isa::LaneMask& predicate : warps[0].predicates) predicate = random();
        for (std::size_t s = 0; s < shape.sources.size(); ++s)
          for (unsigned lane = 0; lane < lanes; ++lane)
            warps[0].put(static_cast<unsigned>(s) + 1, lane, isa::bits(shape.sources[s]) > 32,
                         pattern(random, shape.sources[s]));
        warps[0].fault = isa::LaneFault::kNone;
        warps[0].context.live = mask;
        // Special registers have a number, other immediates any bits.
        const u64 immediate =
            row->opcode == "$special" ? random() % static_cast<u64>(isa::SpecialRegister::kCount) : random();
        warps[1] = warps[0];
        for (unsigned v = 0; v < 2; ++v) execute(match[v], warps[v], lanes, mask, immediate, false);
        ASSERT_EQ(std::memcmp(warps[0].rows, warps[1].rows, sizeof warps[0].rows), 0) << spelling << " round " << round;
        ASSERT_EQ(std::memcmp(warps[0].predicates, warps[1].predicates, sizeof warps[0].predicates), 0)
            << spelling << " round " << round;
        ASSERT_EQ(warps[0].fault, warps[1].fault) << spelling;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000u);
  RecordProperty("spellings", static_cast<int>(compared));
}

}  // namespace
}  // namespace castor::test::isa_variants_test

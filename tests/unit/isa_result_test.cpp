// Tests the dependences of results that the table's rows declare: a row added as pure gives every lane a result that
// depends only on the lane's own operands, whichever lane, warp or clock executes it. Redundancy marks rely on this
// (docs/marks.md).

#include "tests/common/sanitized.h"
#include "unit/isa_harness.h"

namespace castor::test::isa_result_test {
namespace {

constexpr unsigned kLanes = 32;
constexpr u32 kAllLanes = 0xffffffffu;

/// Returns a warp context with random values in every field, so that two of them have nothing in common but the live
/// lanes.
isa::WarpContext random_context(std::mt19937_64& random) {
  isa::WarpContext context;
  for (auto& axis : context.tid)
    for (std::uint16_t& tid : axis) tid = static_cast<std::uint16_t>(random());
  for (unsigned d = 0; d < 3; ++d) {
    context.ntid[d] = static_cast<u32>(random());
    context.ctaid[d] = static_cast<u32>(random());
    context.nctaid[d] = static_cast<u32>(random());
  }
  context.first_warp = static_cast<u32>(random());
  context.warp_slots = static_cast<u32>(random());
  context.sm = static_cast<u32>(random());
  context.sms = static_cast<u32>(random());
  context.grid = random();
  context.clock = random();
  context.global_timer = random();
  context.dynamic_shared = static_cast<u32>(random());
  context.total_shared = static_cast<u32>(random());
  context.parameter_base = random();
  context.live = context.active = kAllLanes;
  return context;
}

isa::LaneMask rotated(isa::LaneMask mask, unsigned by) {
  const auto low = static_cast<u32>(mask);
  return by == 0 ? low : low << by | low >> (kLanes - by);
}

/// Returns true if `match` gives lane i of one warp the same result as lane i + `by` of another warp with the same
/// operands. The second warp executes only the lanes of `mask`.
bool gives_the_same(const isa::Match& match, std::mt19937_64& random, u64 immediate) {
  const Shape shape = shape_of(match);
  const unsigned by = static_cast<unsigned>(random()) % kLanes;
  const isa::LaneMask mask = random() % 2 == 0 ? kAllLanes : (random() & kAllLanes) | 1;
  Warp warps[2];
  for (Warp& warp : warps) {
    std::memset(warp.rows, 0, sizeof warp.rows);
    for (isa::LaneMask& predicate : warp.predicates) predicate = 0;
    warp.context = random_context(random);
    warp.fault = isa::LaneFault::kNone;
  }
  for (std::size_t s = 0; s < shape.sources.size(); ++s) {
    const bool wide = isa::bits(shape.sources[s]) > 32;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const u64 value = pattern(random, shape.sources[s]);
      warps[0].put(static_cast<unsigned>(s) + 1, lane, wide, value);
      warps[1].put(static_cast<unsigned>(s) + 1, (lane + by) % kLanes, wide, value);
    }
  }
  for (unsigned p = 0; p < 2; ++p) {
    // Also tries all lanes but one, and only one lane, since votes over many lanes otherwise rarely differ.
    const isa::LaneMask one = isa::LaneMask{1} << random() % kLanes;
    const isa::LaneMask masks[] = {random() & kAllLanes, one, ~one & kAllLanes, kAllLanes};
    warps[0].predicates[p] = masks[random() % 4];
    warps[1].predicates[p] = rotated(warps[0].predicates[p], by);
  }
  execute(match, warps[0], kLanes, kAllLanes, immediate, false);
  execute(match, warps[1], kLanes, mask, immediate, false);
  const bool wide = shape.destination != isa::Type::kNone && isa::bits(shape.destination) > 32;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned other = (lane + by) % kLanes;
    if ((mask >> other & 1) == 0) continue;
    if (shape.destination != isa::Type::kNone && warps[0].get(0, lane, wide) != warps[1].get(0, other, wide))
      return false;
    for (unsigned p = 2; p < 4; ++p)
      if ((warps[0].predicates[p] >> lane & 1) != (warps[1].predicates[p] >> other & 1)) return false;
  }
  return true;
}

bool depends_on_operands_alone(const isa::Match& match, std::mt19937_64& random, unsigned rounds,
                               bool special = false) {
  for (unsigned round = 0; round < rounds; ++round) {
    const u64 immediate = special ? random() % static_cast<u64>(isa::SpecialRegister::kCount) : random();
    if (!gives_the_same(match, random, immediate)) return false;
  }
  return true;
}

isa::Match match_of(const isa::InstructionTable& table, const isa::Row& row, const std::string& spelling) {
  isa::LookupError error;
  return row.opcode[0] == '$' ? table.internal(spelling) : table.find(spelling, error);
}

u64 seed() { return random_seed_or(1); }

TEST(Result, OfARowThatClaimsToBePureDependsOnTheLanesOperandsAlone) {
  SCOPED_TRACE("seed " + std::to_string(seed()));
  for (const isa::InstructionTable* table : all_tables()) {
    std::size_t spellings = 0;
    for (const auto& row : table->rows()) {
      if (row->result != isa::ResultOf::kOperands) continue;
      ASSERT_EQ(row->kind, isa::Kind::kLane) << row->syntax;
      for (const std::string& spelling : all_spellings(*row)) {
        const isa::Match match = match_of(*table, *row, spelling);
        if (!match.valid()) continue;
        std::mt19937_64 random(seed() + std::hash<std::string>{}(spelling));
        ASSERT_TRUE(depends_on_operands_alone(match, random, unless_sanitized(40U, 12U)))
            << spelling << " (" << table->variant() << ")";
        ++spellings;
      }
    }
    EXPECT_GT(spellings, 1000u) << table->variant();
  }
}

// Shows that the test above can fail: it fails for every row whose result depends on more than its lane's operands. A
// vote rarely differs, so this test takes many rounds and stops at the first difference.
TEST(Result, OfOperationsAcrossLanesAndOfSpecialRegistersDoesNot) {
  const isa::InstructionTable& table = isa::InstructionTable::instance();
  std::size_t seen = 0;
  for (const auto& row : table.rows()) {
    if (row->kind != isa::Kind::kLane || row->result == isa::ResultOf::kOperands) continue;
    if (row->opcode == "createpolicy")
      continue;  // instructions without operands are left out; results do not depend
                 // on cache policies
    const bool special = row->result == isa::ResultOf::kSpecialRegister;
    EXPECT_EQ(special, row->opcode == "$special");
    for (const std::string& spelling : all_spellings(*row)) {
      const isa::Match match = match_of(table, *row, spelling);
      if (!match.valid()) continue;
      std::mt19937_64 random(seed() + std::hash<std::string>{}(spelling));
      EXPECT_FALSE(depends_on_operands_alone(match, random, 4000, special)) << spelling;
      ++seen;
    }
  }
  EXPECT_GT(seen, 30u);
}

TEST(Result, OfEverythingButLaneOperationsIsAnything) {
  for (const auto& row : isa::InstructionTable::instance().rows()) {
    EXPECT_TRUE(row->kind == isa::Kind::kLane || row->result == isa::ResultOf::kAnything) << row->syntax;
  }
}

}  // namespace
}  // namespace castor::test::isa_result_test

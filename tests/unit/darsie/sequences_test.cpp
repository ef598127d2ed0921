#include "tb/darsie/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "castor/base/error.h"
#include "tb/darsie/cover/facts.h"
#include "tb/darsie/cover_points.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/literal.h"
#include "unit/darsie/parameter_sets.h"
#include "unit/darsie/run.h"

// The stimulus keeps its promises: the contract of the block's inputs, the same run for the same seed, all cover
// points. It runs against the literal machine of the rules, so these tests are independent of the block.

namespace castor::darsie::tb::sequences_test {
namespace {

using castor::tb::SequenceInfo;
using literal::Machine;

class DarsieSequences : public testing::TestWithParam<test::ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, DarsieSequences, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

// There are no errors, wrong results or violations of program order, and all inputs of the block keep the contract.
TEST_P(DarsieSequences, ContractIsKeptWherePromised) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    if (!info.keeps_contract) continue;
    for (std::uint64_t seed = 1; seed <= (info.name == "random" ? unless_sanitized(4U, 1U) : 1U); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Machine machine(params);
      const auto sequence = sequences().make(info.name, params, seed);
      EXPECT_EQ(test::run_beside_reference(machine, *sequence, unless_sanitized(2000U, 200U)), "");
    }
  }
}

TEST_P(DarsieSequences, PortsAreDrivenAsTheContractSays) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    if (!info.keeps_contract) continue;
    SCOPED_TRACE(info.name);
    Machine machine(params);
    const auto sequence = sequences().make(info.name, params, 2);
    test::run(
        machine, *sequence, unless_sanitized(1000, 300),
        [&](const Inputs& in, const Outputs& out) {
          const literal::State& was = machine.state();
          const U64 events = in.br | in.leave | in.exit;
          ASSERT_EQ(in.f_elig & events, 0U) << "a warp with an event is eligible";
          if (in.d_valid != 0) {
            ASSERT_FALSE(contains(in.f_elig, in.d_warp)) << "a warp that is decoded is eligible";
          }
          if (in.cp_ack != 0) {
            ASSERT_NE(out.cp_valid, 0);
            ASSERT_TRUE(contains(in.oc_idle, out.cp_warp)) << "a copy beside reads";
          }
          for (unsigned w = 0; w < params.NumWarps; ++w) {
            if (!contains(in.exit, w)) continue;
            ASSERT_NE(was.live[w], 0U);
            ASSERT_TRUE(was.stop[w] == 0 && was.lat[w] == 0 && was.cpy[w] == 0) << "warp " << w << " exits while held";
          }
        },
        [] {});
    if (HasFatalFailure()) return;
  }
}

template <class Field, class See>
void each_word(const Field& field, See see) {
  if constexpr (twin::is_lanes<Field>) {
    for (const auto element : field.elements) see(static_cast<U64>(element));
  } else {
    see(static_cast<U64>(field));
  }
}

TEST_P(DarsieSequences, InputsFitTheirPorts) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    SCOPED_TRACE(info.name);
    Machine machine(params);
    const auto sequence = sequences().make(info.name, params, 3);
    test::run(
        machine, *sequence, unless_sanitized(600, 200),
        [&](const Inputs& in, const Outputs&) {
          Block::each_input(
              [&](const twin::Port& port, auto member, auto) {
                unsigned i = 0;
                each_word(in.*member, [&](U64 word) {
                  const U64 limit = i++ < port.shape.elements ? twin::mask(port.shape.bits) : 0;
                  ASSERT_EQ(word & ~limit, 0U) << port.name;
                });
              },
              params);
        },
        [] {});
    if (HasFatalFailure()) return;
  }
}

/// Returns a digest of the inputs of a run.
std::uint64_t digest(std::string_view name, const Params& params, std::uint64_t seed) {
  Machine machine(params);
  const auto sequence = sequences().make(name, params, seed);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  test::run(
      machine, *sequence, 300,
      [&](const Inputs& in, const Outputs&) {
        Block::each_input(
            [&](const twin::Port&, auto member, auto) {
              each_word(in.*member, [&hash](U64 word) { hash = (hash ^ word) * 0x100000001b3ULL; });
            },
            params);
      },
      [] {});
  return hash;
}

TEST_P(DarsieSequences, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  for (const SequenceInfo& info : sequences().infos()) {
    const std::uint64_t first = digest(info.name, GetParam().params, 7);
    EXPECT_EQ(first, digest(info.name, GetParam().params, 7)) << info.name;
    EXPECT_NE(first, digest(info.name, GetParam().params, 8)) << info.name;
  }
}

TEST(DarsieSequence, UnknownNameIsRefusedWithTheListOfNames) {
  try {
    static_cast<void>(sequences().make("nonsense", Params{}, 1));
    FAIL() << "no exception";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.hint()).find("random"), std::string::npos);
  }
}

TEST(DarsieSequence, EveryProbeIsInATableOfMeetingsOrHasAReason) {
  EXPECT_THAT(SimultaneousPoints::forgotten(), testing::IsEmpty());
}

/// Returns the points that no sequence of this length reaches. The default run reaches them.
std::set<std::string> missing_points(const Params& params, unsigned seeds, unsigned cycles) {
  std::map<std::string, std::uint64_t> hits;
  const std::string_view first = sequences().infos().front().name;  // half of a medley
  for (const SequenceInfo& info : sequences().infos()) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Machine machine(params);
      auto cover = std::make_unique<castor::tb::Cover>();
      auto points = std::make_unique<CoverPoints>(*cover, params);
      const auto count = [&] {
        for (const castor::tb::Cover::Point& point : cover->points()) {
          if (point.waiver.empty()) hits[point.name] += point.hits;
        }
        EXPECT_THAT(cover->impossible(), testing::IsEmpty());
      };
      const auto sequence = sequences().make(info.name, params, seed);
      test::run(
          machine, *sequence, info.name == first ? 20 * cycles : cycles,
          [&](const Inputs& in, const Outputs& out) { points->sample(in, out, machine.probes()); },
          [&] {
            count();
            cover = std::make_unique<castor::tb::Cover>();
            points = std::make_unique<CoverPoints>(*cover, params);
          });
      count();
    }
  }
  std::set<std::string> missing;
  for (const auto& [name, count] : hits) {
    if (count == 0) missing.insert(name);
  }
  return missing;
}

TEST_P(DarsieSequences, CoverPointsAreReached) {
  const std::set<std::string> missing = missing_points(GetParam().params, 1, unless_sanitized(4000, 300));
  if (kSanitized) return;  // an eighth of the length does not reach every point
  // Nearly all points are reached here. The default run covers rare ones (castor coverage darsie --missing).
  EXPECT_LE(missing.size(), 40U) << testing::PrintToString(missing);
}

}  // namespace
}  // namespace castor::darsie::tb::sequences_test

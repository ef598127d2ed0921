#include "tb/saws/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "castor/base/error.h"
#include "tb/saws/cover_points.h"
#include "tests/common/sanitized.h"
#include "unit/saws/parameter_sets.h"
#include "unit/saws/reference_machine.h"

// The stimulus keeps its promises: the contract of the block's inputs, the same run for the same seed, all cover
// points. It runs against the plain machine, so these tests are independent of the block.

namespace castor::saws::tb::sequences_test {
namespace {

using castor::tb::SequenceInfo;
using reference::Machine;

/// Runs `cycles` cycles; `watch` sees each: inputs of the edge, outputs, registers before it.
template <class Watch>
void run(Machine& machine, Sequence& sequence, const Params& params, unsigned cycles, Watch watch) {
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const WarpBits ready = in.w_ready;
    const Outputs out = machine.settle(in);
    sequence.react(in, out);
    ASSERT_TRUE(in.w_ready == ready) << "a level moved behind settle in cycle " << cycle;
    watch(cycle, in, out);
    machine.clock(in);
    if (testing::Test::HasFatalFailure()) return;
  }
}

class SawsSequences : public testing::TestWithParam<test::ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, SawsSequences, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(SawsSequences, ContractIsKeptWherePromised) {
  constexpr unsigned kCycles = unless_sanitized(2000U, 500U);
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    if (!info.keeps_contract) continue;
    for (std::uint64_t seed = 1; seed <= (info.name == "random" ? unless_sanitized(6U, 2U) : 1U); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Machine machine(params);
      const auto sequence = sequences().make(info.name, params, seed);
      run(machine, *sequence, params, kCycles, [&](unsigned cycle, const Inputs& in, const Outputs& out) {
        SCOPED_TRACE("cycle " + std::to_string(cycle));
        const Probes was = machine.probes();
        ASSERT_EQ(out.err, 0);
        if (in.kernel_start != 0) {
          ASSERT_EQ(was.cta_used, 0U) << "kernel_start with CTAs resident";
          return;
        }
        ASSERT_EQ(in.wev_valid & ~out.wev_ready, 0) << "event without room";
        ASSERT_EQ(in.issue_ack & ~out.issue_valid, 0);
        ASSERT_TRUE(in.unblock.without(was.blocked).none()) << "unblocked warps that did not wait";
        ASSERT_TRUE(in.w_ready.without(was.live).none()) << "a dead warp is ready";
        ASSERT_TRUE((in.w_ready & was.blocked).none()) << "a blocked warp is ready";
        WarpBits live = was.live, blocked = was.blocked.without(in.unblock);
        for (unsigned s = 0; s < params.NumSched; ++s) {
          if ((in.wev_valid >> s & 1U) == 0) continue;
          const unsigned w = in.wev_idx[s] * params.NumSched + s;
          ASSERT_TRUE(was.live[w] && !was.blocked[w]) << "event of warp " << w;
          ASSERT_FALSE(in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == was.warp_cta[w]) << "freed too early";
          (in.wev_exit >> s & 1U) != 0 ? live.clear(w) : blocked.set(w);
        }
        // A warp that completes a barrier is not reported as blocked, so a warp of each CTA can always proceed.
        for (unsigned c = 0; c < params.MaxCta; ++c) {
          if ((was.cta_used >> c & 1U) == 0) continue;
          unsigned alive = 0, waiting = 0;
          for (unsigned w = 0; w < params.NumWarps; ++w) {
            if (!live[w] || was.warp_cta[w] != c) continue;
            ++alive;
            waiting += blocked[w] ? 1 : 0;
          }
          ASSERT_TRUE(alive == 0 || waiting < alive) << "all warps of CTA " << c << " wait";
        }
      });
      if (HasFatalFailure()) return;
      EXPECT_TRUE(machine.problems().empty()) << machine.problems().front();
    }
  }
}

TEST_P(SawsSequences, InputsFitTheirPorts) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    SCOPED_TRACE(info.name);
    Machine machine(params);
    const auto sequence = sequences().make(info.name, params, 3);
    run(machine, *sequence, params, 800, [&](unsigned cycle, const Inputs& in, const Outputs&) {
      Block::each_input(
          [&](const twin::Port& port, auto member, auto) {
            const auto& field = in.*member;
            using Field = std::decay_t<decltype(field)>;
            if constexpr (twin::is_bits<Field>) {
              ASSERT_TRUE(field.without(Field::ones(port.shape.bits)).none()) << port.name << ", cycle " << cycle;
            } else if constexpr (twin::is_lanes<Field>) {
              for (unsigned i = 0; i < Field::kElements; ++i) {
                const twin::U64 limit = i < port.shape.elements ? twin::mask(port.shape.bits) : 0;
                ASSERT_EQ(field[i] & ~limit, 0U) << port.name << ", cycle " << cycle;
              }
            } else {
              ASSERT_EQ(field & ~twin::mask(port.shape.bits), 0U) << port.name << ", cycle " << cycle;
            }
          },
          params);
    });
    if (HasFatalFailure()) return;
  }
}

/// Returns a digest of the inputs of a run.
std::uint64_t digest(std::string_view name, const Params& params, std::uint64_t seed) {
  Machine machine(params);
  const auto sequence = sequences().make(name, params, seed);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto fold = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ULL; };
  run(machine, *sequence, params, 500, [&](unsigned, const Inputs& in, const Outputs&) {
    Block::each_input(
        [&](const twin::Port&, auto member, auto) {
          const auto& field = in.*member;
          using Field = std::decay_t<decltype(field)>;
          if constexpr (twin::is_bits<Field>) {
            fold(field.word(0));
          } else if constexpr (twin::is_lanes<Field>) {
            for (const auto element : field.elements) fold(element);
          } else {
            fold(field);
          }
        },
        params);
  });
  return hash;
}

TEST_P(SawsSequences, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  for (const SequenceInfo& info : sequences().infos()) {
    const std::uint64_t first = digest(info.name, GetParam().params, 7);
    EXPECT_EQ(first, digest(info.name, GetParam().params, 7)) << info.name;
    EXPECT_NE(first, digest(info.name, GetParam().params, 8)) << info.name;
  }
}

TEST(SawsSequence, UnknownNameIsRefusedWithTheListOfNames) {
  try {
    static_cast<void>(sequences().make("nonsense", Params{}, 1));
    FAIL() << "no exception";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.hint()).find("random"), std::string::npos);
  }
}

// Kernels end and new ones begin: nothing hangs.
TEST_P(SawsSequences, KernelsComeToTheirEnd) {
  const Params& params = GetParam().params;
  for (const char* name : {"busy", "groups", "exits", "switches", "in_step"}) {
    Machine machine(params);
    const auto sequence = sequences().make(name, params, 1);
    unsigned kernels = 0;
    run(machine, *sequence, params, 15000,
        [&](unsigned, const Inputs& in, const Outputs&) { kernels += in.kernel_start; });
    EXPECT_GT(kernels, 2U) << name;
  }
}

TEST(SawsSequence, EveryProbeIsInATableOfMeetingsOrHasAReason) {
  EXPECT_THAT(SimultaneousPoints::forgotten(), testing::IsEmpty());
}

TEST_P(SawsSequences, CoverPointsAreReached) {
  const Params& params = GetParam().params;
  std::map<std::string, std::uint64_t> hits;
  Machine::Seen seen;
  for (const SequenceInfo& info : sequences().infos()) {
    for (std::uint64_t seed = 1; seed <= unless_sanitized<std::uint64_t>(2, 1); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Machine machine(params);
      castor::tb::Cover cover;
      CoverPoints points(cover, params);
      const auto sequence = sequences().make(info.name, params, seed);
      run(machine, *sequence, params, unless_sanitized(6000, 1500),
          [&](unsigned, const Inputs& in, const Outputs& out) { points.sample(in, out, machine.probes()); });
      for (const castor::tb::Cover::Point& point : cover.points()) {
        if (point.waiver.empty()) hits[point.name] += point.hits;
      }
      EXPECT_THAT(cover.impossible(), testing::IsEmpty());
      seen.add(machine.seen());
    }
  }
  std::set<std::string> missing;
  for (const auto& [name, count] : hits) {
    if (count == 0) missing.insert(name);
  }
  if (!kSanitized) {  // an eighth does not come by every point
    EXPECT_EQ(missing, std::set<std::string>{});
  }
  // The points follow the messages in their own way; both ways count the same.
  const auto sum = [&hits](std::initializer_list<const char*> names) {
    std::uint64_t total = 0;
    for (const char* name : names) total += hits.count(name) != 0 ? hits[name] : 0;
    return total;
  };
  EXPECT_EQ(sum({"switch"}), seen.switches);
  EXPECT_EQ(sum({"message of a freed CTA"}), seen.killed);
  EXPECT_EQ(
      sum({"message of scheduler 0", "message of scheduler 1", "message of scheduler 2", "message of scheduler 3"}),
      seen.messages);
  EXPECT_EQ(sum({"1st hit"}), seen.hits);
  EXPECT_EQ(sum({"last local warp blocks", "exit leaves only blocked warps"}), seen.all_blocked);
  EXPECT_EQ(sum({"error: message lost"}), seen.lost);
}

}  // namespace
}  // namespace castor::saws::tb::sequences_test

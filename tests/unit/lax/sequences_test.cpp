#include "tb/lax/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "castor/base/error.h"
#include "castor/lax/engine.h"
#include "castor/twin/twin.h"
#include "tb/lax/bench.h"
#include "tb/lax/cover_points.h"
#include "tb/lax/register_driver.h"
#include "tests/common/sanitized.h"
#include "unit/lax/parameter_sets.h"

// The stimulus keeps its promises: the contract of the block's inputs, the same run for the same seed, all cover
// points.

namespace castor::lax::tb::sequences_test {
namespace {

using Model = twin::Model<Block>;
using castor::tb::SequenceInfo;

/// Runs `cycles` cycles; `watch` sees each: inputs of the edge, outputs, registers before it.
template <class Watch>
void run(Model& model, Sequence& sequence, base::Cycle cycles, Watch watch) {
  Inputs in;
  for (base::Cycle cycle = 0; cycle < cycles; ++cycle) {
    sequence.drive(in);
    const Outputs out = model.settle(in);
    sequence.react(in, out);
    watch(cycle, in, out);
    model.clock(in);
  }
}

class EverySet : public testing::TestWithParam<test::ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(LaxSequences, EverySet, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EverySet, ContractIsKeptWherePromised) {
  // Errors that only violations of the contract can raise: underflow, no slot, in flight, time, beat, grant.
  constexpr U32 kBroken = 1U << 0U | 1U << 2U | 1U << 3U | 1U << 5U | 1U << 6U | 1U << 7U;
  for (const SequenceInfo& info : sequences().infos()) {
    if (!info.keeps_contract) continue;
    for (std::uint64_t seed = 1; seed <= (info.name == "random" ? unless_sanitized(12U, 2U) : 1U); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      Model model(GetParam().params);
      const auto sequence = sequences().make(info.name, GetParam().params, seed);
      run(model, *sequence, unless_sanitized(20000, 5000), [&](base::Cycle cycle, const Inputs&, const Outputs&) {
        ASSERT_EQ(model.peek(reg::kErrStat).value() & kBroken, 0U) << "cycle " << cycle;
      });
      if (HasFatalFailure()) return;
    }
  }
}

/// Returns a digest of the inputs of a run.
std::uint64_t digest(std::string_view name, const Params& params, std::uint64_t seed) {
  Model model(params);
  const auto sequence = sequences().make(name, params, seed);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  run(model, *sequence, unless_sanitized(3000, 1000), [&](base::Cycle, const Inputs& in, const Outputs&) {
    Block::each_input(
        [&](const twin::Port&, auto member, auto) {
          const auto fold = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ULL; };
          if constexpr (twin::is_bits<std::decay_t<decltype(in.*member)>>) {
            for (unsigned w = 0; w < QueueBits::kWords; ++w) fold((in.*member).word(w));
          } else {
            fold(in.*member);
          }
        },
        params);
  });
  return hash;
}

TEST_P(EverySet, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  for (const SequenceInfo& info : sequences().infos()) {
    const std::uint64_t first = digest(info.name, GetParam().params, 7);
    EXPECT_EQ(first, digest(info.name, GetParam().params, 7)) << info.name;
    EXPECT_NE(first, digest(info.name, GetParam().params, 8)) << info.name;
  }
}

// Inputs fit the widths of their ports, payloads are stable while their valid waits, and a register access is held.
TEST_P(EverySet, PortRulesAreKeptEvenByStimulusWithoutRules) {
  const Params& params = GetParam().params;
  for (const SequenceInfo& info : sequences().infos()) {
    Model model(params);
    const auto sequence = sequences().make(info.name, params, 3);
    Inputs was;
    Outputs was_out;
    bool first = true;
    run(model, *sequence, unless_sanitized(5000, 1500), [&](base::Cycle cycle, const Inputs& in, const Outputs& out) {
      if (HasFatalFailure()) return;
      SCOPED_TRACE(std::string(info.name) + ", cycle " + std::to_string(cycle));
      Block::each_input(
          [&](const twin::Port& port, auto member, auto) {
            if constexpr (twin::is_bits<std::decay_t<decltype(in.*member)>>) {
              ASSERT_TRUE((in.*member).without(QueueBits::ones(port.shape.bits)).none()) << port.name;
            } else {
              ASSERT_EQ(in.*member & ~twin::mask(port.shape.bits), 0U) << port.name;
            }
          },
          params);
      if (!first && was.js_valid != 0 && was_out.js_ready == 0 && in.js_valid != 0) {
        ASSERT_EQ(in.js_qid, was.js_qid);
        ASSERT_EQ(in.js_start, was.js_start);
        ASSERT_EQ(in.js_deadline, was.js_deadline);
        ASSERT_EQ(in.js_nkt, was.js_nkt);
      }
      if (!first && was.wl_valid != 0 && was_out.wl_ready == 0 && in.wl_valid != 0) {
        ASSERT_EQ(in.wl_kid, was.wl_kid);
        ASSERT_EQ(in.wl_numwg, was.wl_numwg);
      }
      if (!first && was.reg_req != 0 && was_out.reg_ack == 0) {
        ASSERT_TRUE(out.reg_ack != 0 || in.reg_req != 0);
        if (out.reg_ack == 0) {
          ASSERT_EQ(in.reg_addr, was.reg_addr);
          ASSERT_EQ(in.reg_wdata, was.reg_wdata);
          ASSERT_EQ(in.reg_we, was.reg_we);
        }
      }
      first = false;
      was = in;
      was_out = out;
    });
    if (HasFatalFailure()) return;
  }
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(EverySet, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (const char* name : {"sleepy", "random"}) {
    for (std::uint64_t seed = 1; seed <= unless_sanitized(3, 1); ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      std::vector<U32> ends[2];
      for (const bool skip : {false, true}) {
        Model model(params);
        const auto sequence = lax::Bench::make(name, params, seed);
        const base::Cycle skipped = castor::tb::run<Block>(
            model, *sequence, 60000, skip, [](const Inputs&, const Outputs&, const auto&) {}, [](base::Cycle) {});
        if (skip && std::string(name) == "sleepy") {
          EXPECT_GT(skipped, 1000U);
        }
        for (unsigned n = 0; n < 16; ++n) ends[skip].push_back(model.peek(static_cast<U16>(0x30 + 4 * n)).value());
        for (unsigned q = 0; q < params.NumQueues; ++q) {
          ends[skip].push_back(model.peek(static_cast<U16>(reg::kQueueState + 4 * q)).value());
          for (unsigned word = 0; word < 8; ++word) {
            ends[skip].push_back(model.peek(static_cast<U16>(reg::kJob + 128 * q + 4 * word)).value());
          }
        }
      }
      EXPECT_EQ(ends[0], ends[1]);
    }
  }
}

TEST(LaxSequences, UnknownNameIsRefusedWithTheListOfNames) {
  try {
    static_cast<void>(sequences().make("nonsense", Params{}, 1));
    FAIL() << "no exception";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.hint()).find("random"), std::string::npos);
  }
}

TEST(LaxSequences, EveryProbeIsInATableOfMeetingsOrHasAReason) {
  EXPECT_THAT(SimultaneousPoints::forgotten(), testing::IsEmpty());
}

/// Cover points and their hits over several runs, and arcs that were taken although they are impossible.
struct Reached {
  std::map<std::string, std::uint64_t> hits;
  std::set<std::string> impossible;

  void run_once(const SequenceInfo& info, const Params& params, std::uint64_t seed) {
    Model model(params);
    castor::tb::Cover cover;
    CoverPoints points(cover, params, [&](U16 address) { return model.peek(address); });
    const auto sequence = sequences().make(info.name, params, seed);
    run(model, *sequence, unless_sanitized(40000, 10000),
        [&](base::Cycle, const Inputs& in, const Outputs& out) { points.sample(in, out, model.probes()); });
    for (const castor::tb::Cover::Point& point : cover.points()) {
      if (!point.long_run && point.waiver.empty()) hits[point.name] += point.hits;
    }
    for (const std::string& arc : cover.impossible()) impossible.insert(std::string(info.name) + ": " + arc);
  }

  [[nodiscard]] std::set<std::string> missing() const {
    // A preemption request that is pending while another event arrives. With some parameter sets a run of this length
    // reaches it only by chance.
    const std::set<std::string> seldom = {
        "kernel ends meets soft reset on preempted", "ranking ends meets kernel ends on preempted",
        "ranking ends meets soft reset on preempted", "request is ranked meets kernel ends on preempted",
        "request is ranked meets soft reset on preempted"};
    std::set<std::string> found;
    for (const auto& [name, count] : hits) {
      if (count == 0 && seldom.count(name) == 0) found.insert(name);
    }
    return found;
  }
};

// Runs every sequence with one seed, and with another one if points are still missing.
TEST_P(EverySet, CoverPointsAreReached) {
  Reached reached;
  for (std::uint64_t seed = 1; seed <= unless_sanitized(3, 1); ++seed) {
    for (const SequenceInfo& info : sequences().infos()) reached.run_once(info, GetParam().params, seed);
    if (reached.missing().empty()) break;
  }
  EXPECT_EQ(reached.impossible, std::set<std::string>{});
  if (kSanitized) return;  // a quarter of the length, of one seed out of three, does not reach every point
  EXPECT_EQ(reached.missing(), std::set<std::string>{});
}

}  // namespace
}  // namespace castor::lax::tb::sequences_test

#include <gtest/gtest.h>

#include <map>

#include "castor/lax/engine.h"
#include "tb/lax/environment.h"
#include "tb/lax/register_driver.h"
#include "tb/lax/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/sanitized.h"
#include "unit/lax/follower.h"
#include "unit/lax/parameter_sets.h"

// The engine against the reference algorithm, in every cycle of random and directed runs.

namespace castor::lax::reference::reference_engine_test {
namespace {

using Model = twin::Model<Block>;

/// Runs `cycles` cycles of a sequence on engine and reference, or up to the first jump of the time counter, since the
/// reference counts cycles. Fails at the first difference. Returns what the follower has seen, and adds the number of
/// cycles to `followed`.
Follower::Seen follow(const Params& params, tb::Sequence& sequence, unsigned cycles, std::uint64_t& followed) {
  Model model(params);
  Follower follower(params, model);
  Inputs in;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    const U64 next = (in.now + 1) & twin::mask(48);
    sequence.drive(in);
    if (cycle > 0 && in.now != next) break;
    const Outputs out = model.settle(in);
    sequence.react(in, out);
    follower.step(in, out);
    if (!follower.problems().empty()) {
      for (const std::string& problem : follower.problems()) ADD_FAILURE() << problem;
      return {};
    }
    model.clock(in);
    ++followed;
  }
  return follower.seen();
}

class LaxAgainstReference : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("every value in every cycle against the reference"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, LaxAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(LaxAgainstReference, EveryValueInEveryCycleOfEverySequence) {
  Follower::Seen all;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds =
        info.name == "random" || info.name == "rules" || info.name == "chaos" ? unless_sanitized(8U, 2U) : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, GetParam().params, seed);
      const Follower::Seen seen = follow(GetParam().params, *sequence, 8000, compared.cycles);
      if (HasFailure()) return;
      all.rates += seen.rates;
      all.updates += seen.updates;
      all.verdicts += seen.verdicts;
      all.ends += seen.ends;
      all.passes += seen.passes;
      all.rankings += seen.rankings;
      all.drops += seen.drops;
      all.literal += seen.literal;
      all.sweeps += seen.sweeps;
      all.appends += seen.appends;
      all.lengths += seen.lengths;
      ++compared.runs;
    }
  }
  ++compared.sets;
  // All compared events occurred.
  EXPECT_GT(all.rates, 100U);
  EXPECT_GT(all.updates, 100U);
  EXPECT_GT(all.verdicts, 100U);
  EXPECT_GT(all.ends, 100U);
  EXPECT_GT(all.passes, 1000U);
  EXPECT_GT(all.rankings, 3U);
  EXPECT_GT(all.drops, 0U);
  EXPECT_GT(all.literal, 10U);
  EXPECT_GT(all.sweeps, 100U);
  EXPECT_GT(all.appends, 10U);
  EXPECT_GT(all.lengths, 30U);
}

/// Returns a register as a bench reads it at the end of a run.
U32 look(const Model& model, unsigned address) { return model.peek(static_cast<U16>(address)).value(); }

TEST_P(LaxAgainstReference, EveryAcceptedJobEndsOnceSubmissionsStop) {
  for (unsigned policy = 0; policy < 10; ++policy) {
    SCOPED_TRACE("policy " + std::to_string(policy));
    tb::Knobs knobs;
    knobs.policy = policy;
    knobs.random_control = false;
    knobs.last_submission = 4000;
    knobs.soft_reset = knobs.reconfigure = 0;
    knobs.submit = 8000;
    knobs.slots = 6;
    const auto sequence = std::make_unique<tb::Environment>(GetParam().params, knobs, policy + 1);
    Model model(GetParam().params);
    Inputs in;
    unsigned ends = 0, cycle = 0;
    QueueBits working;
    for (; cycle < 400000; ++cycle) {
      sequence->drive(in);
      const Outputs out = model.settle(in);
      sequence->react(in, out);
      ends += out.jd_valid;
      model.clock(in);
      const Probes probes = model.probes();
      working = (probes.job_state0 | probes.job_state1).without(probes.job_state2);
      if (cycle > 4200 && working.none() && probes.pend_count == 0) break;
    }
    EXPECT_TRUE(working.none()) << working.count() << " jobs are still Init, Ready or Running";
    EXPECT_GT(ends, 0U);
    // Accepted headers are jobs that ended, and appends. In these runs jobs end in no other way.
    EXPECT_LE(look(model, 0x4C), look(model, 0x44));
  }
}

TEST_P(LaxAgainstReference, CountersAddUp) {
  for (const char* name : {"random", "rules", "expiry", "appends", "chaos"}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(name, GetParam().params, seed);
      Model model(GetParam().params);
      Inputs in;
      for (unsigned cycle = 0; cycle < 10000; ++cycle) {
        sequence->drive(in);
        const Outputs out = model.settle(in);
        sequence->react(in, out);
        model.clock(in);
      }
      const auto counter = [&](unsigned n) { return look(model, 0x40 + 4 * n); };
      const Probes probes = model.probes();
      const unsigned taken = counter(0), accepted = counter(1), refused = counter(2);
      // Without verdict: the header in the submit machine, and jobs that are not judged.
      const QueueBits init = probes.job_state0.without(probes.job_state1).without(probes.job_state2);
      const unsigned submitting = probes.submit_state == SubmitState::kIdle ? 0 : 1;
      EXPECT_EQ(taken, accepted + refused + init.count() + submitting);
      EXPECT_EQ(counter(3), counter(4) + counter(5));
      EXPECT_LE(counter(8), counter(7));
    }
  }
}

TEST_P(LaxAgainstReference, ReadingControlRegistersChangesNothing) {
  const auto sequence = tb::sequences().make("busy", GetParam().params, 5);
  Model model(GetParam().params);
  Inputs in;
  for (unsigned cycle = 0; cycle < unless_sanitized(6000U, 1000U); ++cycle) {
    sequence->drive(in);
    const Outputs out = model.settle(in);
    sequence->react(in, out);
    model.clock(in);
    if (cycle % 200 != 199) continue;
    // Runs the same future twice, once with a read in its third cycle.
    for (unsigned address = 0; address < 0x80; address += 4) {
      Engine without = model.engine(), with = model.engine();
      Inputs next = in;
      twin::make_idle<Block>(next, GetParam().params);
      for (unsigned ahead = 0; ahead < 40; ++ahead) {
        twin::advance_time<Block>(next, GetParam().params, 1);
        Inputs reading = next;
        reading.reg_req = ahead == 2 ? 1 : 0;
        reading.reg_addr = ahead == 2 ? static_cast<U16>(address) : U16{0};
        const Outputs left = without.settle(next);
        const Outputs right = with.settle(reading);
        Block::each_output(
            [&](const twin::Port& port, auto member, auto) {
              if (port.name.substr(0, 4) == "reg_") return;
              ASSERT_TRUE(left.*member == right.*member) << port.name << " after reading " << address;
            },
            GetParam().params);
        if (HasFatalFailure()) return;
        without.clock(next);
        with.clock(reading);
      }
      const Probes left = without.probes(), right = with.probes();
      Block::each_probe(
          [&](const twin::Port& port, auto member, auto) {
            if (port.name == "rest") return;  // a register access makes the engine busy
            ASSERT_TRUE(left.*member == right.*member) << port.name << " after reading " << address;
          },
          GetParam().params);
    }
  }
}

/// One job with 5 thread blocks of a known rate in queue 0, read after its first update.
struct Updated {
  Integer remaining, duration;
  Rank key;
};
Updated after_update(const Params& params, U32 control, U32 deadline) {
  Model model(params);
  Inputs in;
  U64 now = 100;
  const auto cycle = [&] {
    in.now = now++;
    const Outputs out = model.settle(in);
    model.clock(in);
    return out;
  };
  const auto write = [&](U16 address, U32 data) {
    in.reg_req = in.reg_we = 1;
    in.reg_addr = address;
    in.reg_wdata = data;
    while (cycle().reg_ack == 0) {
    }
    in.reg_req = in.reg_we = 0;
  };
  in.adm_ready = 1;
  write(tb::reg::kUpdatePeriod, 1000);
  write(tb::reg::kProfile, 12901);  // 50 and 101/256 cycles
  write(tb::reg::kControl, control);
  in.js_valid = 1;
  in.js_deadline = deadline;
  in.js_start = 90;
  in.js_nkt = 1;
  static_cast<void>(cycle());
  in.js_valid = 0;
  in.wl_valid = in.wl_last = 1;
  in.wl_numwg = 5;
  static_cast<void>(cycle());
  in.wl_valid = 0;
  while (look(model, 0x58) == 0) static_cast<void>(cycle());  // N_UPD
  return {look(model, 0x800C), look(model, 0x8010), {look(model, 0x0800) >> 3U & 3U, look(model, 0x8018)}};
}

// The visit comes in the same cycle whatever the deadline, so deadlines can be placed at every boundary and beside it.
TEST(LaxBorders, LevelsAndClassesChangeWhereTheReferenceChangesThem) {
  std::map<std::pair<unsigned, Integer>, unsigned> seen;
  for (const U32 control :
       {0x00301561U, 0x00301581U, 0x00300581U}) {  // MLFQ; LAX with and without classes; all admitted
    Rules rules;
    rules.policy = static_cast<Policy>(control >> 4U & 15U);
    rules.classes = (control >> 12U & 1U) != 0;
    const Updated first = after_update(Params{}, control, 1000000);
    ASSERT_EQ(first.remaining, 251);  // 5 * 12901 / 256
    ASSERT_GT(first.duration, 100);
    const auto age = first.duration.convert_to<U32>();
    for (const U32 border : {3 * age, 3 * age / 2, age, age + 251}) {
      for (U32 deadline = border - 2; deadline <= border + 2; ++deadline) {
        SCOPED_TRACE("control " + std::to_string(control) + ", deadline " + std::to_string(deadline));
        const Updated job = after_update(Params{}, control, deadline);
        ASSERT_EQ(job.duration, age);
        Job expected;
        expected.deadline = deadline;
        EXPECT_EQ(job.key, rank(rules, expected, 251, age, false));
        ++seen[{control, job.key.first}];
      }
    }
  }
  EXPECT_EQ(seen.size(), 2U + 3U + 1U);  // both levels, classes 0, 1 and 3, and no class
}

}  // namespace
}  // namespace castor::lax::reference::reference_engine_test

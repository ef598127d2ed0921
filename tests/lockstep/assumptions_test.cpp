// Assumptions of the properties are checked by every RTL object of a block, in lockstep as on a machine: inputs that
// break one end the run with its name.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "castor/darsie/engine.h"
#include "castor/dtbl/engine.h"
#include "castor/laperm/engine.h"
#include "tests/common/rtl.h"

namespace castor::tests {
namespace {

/// Clocks `in` as often as `cycles` says, in lockstep at the set `minimum`, with the assumptions `excused`. Returns
/// what was thrown; empty: nothing.
template <class Block, class Change>
std::string message_of(bool checked, unsigned cycles, Change change, const std::vector<std::string>& excused = {}) {
  twin::RtlBuilder source;
  const auto both = twin::make_twin<Block>(twin::Kind::kLockstep, parameter_set<Block>("minimum"), source);
  both->check_assumptions(checked);
  for (const std::string& name : excused) both->excuse_assumption(name);
  typename Block::Inputs in;
  try {
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      change(in, cycle);
      both->clock(in);
    }
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

template <class Block, class Change>
void expect_broken(const std::string& name, unsigned cycle, Change change) {
  const std::string said = message_of<Block>(true, cycle + 1, change);
  EXPECT_NE(said.find(std::string(Block::kBlock) + ": the inputs of cycle " + std::to_string(cycle) +
                      " break the assumption " + name + " of the RTL's properties"),
            std::string::npos)
      << said;
  EXPECT_EQ(message_of<Block>(false, cycle + 1, change), "");
}

TEST(Assumptions, DarsieIsToldOfALeaderThatWasNeverElected) {
  expect_broken<darsie::Block>("u_properties.leaders_issue_once_with_their_tags", 3,
                               [](darsie::Inputs& in, unsigned cycle) {
                                 in.i_valid = cycle == 3 ? 1 : 0;
                                 in.i_lead = in.i_valid;
                                 in.i_dv[0] = static_cast<darsie::U8>(in.i_valid);
                               });
}

TEST(Assumptions, DarsieIsToldOfTwoEventsOfAWarp) {
  expect_broken<darsie::Block>("u_properties.one_event_per_warp", 2, [](darsie::Inputs& in, unsigned cycle) {
    in.lnch_valid = cycle == 0 ? 1 : 0;
    in.lnch_en = in.lnch_valid;
    in.lnch_warps = in.lnch_full = cycle == 0 ? 1 : 0;
    in.br = in.exit = cycle == 2 ? 1 : 0;
  });
}

// The inputs of one cycle break two assumptions. Whichever is excused, the other is reported.
TEST(Assumptions, OneIsExcusedAndTheOthersStayChecked) {
  const std::string leaders = "u_properties.leaders_issue_once_with_their_tags",
                    events = "u_properties.one_event_per_warp";
  const auto both = [](darsie::Inputs& in, unsigned cycle) {
    in.lnch_valid = cycle == 0 ? 1 : 0;
    in.lnch_en = in.lnch_valid;
    in.lnch_warps = in.lnch_full = cycle == 0 ? 1 : 0;
    in.br = in.exit = cycle == 3 ? 1 : 0;
    in.i_valid = in.i_lead = cycle == 3 ? 1 : 0;
    in.i_dv[0] = static_cast<darsie::U8>(in.i_valid);
  };
  const auto says = [&both](const std::vector<std::string>& excused) {
    return message_of<darsie::Block>(true, 4, both, excused);
  };
  EXPECT_NE(says({leaders}).find("break the assumption " + events + " "), std::string::npos) << says({leaders});
  EXPECT_NE(says({events}).find("break the assumption " + leaders + " "), std::string::npos) << says({events});
  EXPECT_EQ(says({leaders, events}), "");
  EXPECT_NE(says({"u_properties.of_another_name"}), "");
}

TEST(Assumptions, DtblIsToldOfAGroupWithoutThreadBlocks) {
  expect_broken<dtbl::Block>("u_launch.u_properties.a_group_has_thread_blocks", 4,
                             [](dtbl::Inputs& in, unsigned cycle) { in.agg_valid = cycle == 4 ? 1 : 0; });
}

// The entry of the group that attached is held until the group is taken.
TEST(Assumptions, DtblIsToldOfAHeldEntryThatIsGivenToAnotherKernel) {
  const auto beats = [](dtbl::Inputs& in) {
    in.agg_valid = in.agg_first = in.agg_last = 1;
    in.agg_cnt = 1;
  };
  expect_broken<dtbl::Block>("u_launch.u_properties.a_held_entry_keeps_its_key", 2,
                             [&beats](dtbl::Inputs& in, unsigned cycle) {
                               beats(in);
                               in.key_valid = 1;
                               in.key_rd = dtbl::Key(cycle == 2 ? 1 : 0);
                             });
  // Its kernel may be stopped: the entry is not valid then.
  EXPECT_EQ(message_of<dtbl::Block>(true, 8,
                                    [&beats](dtbl::Inputs& in, unsigned cycle) {
                                      beats(in);
                                      in.key_valid = cycle < 2 ? 1 : 0;
                                    }),
            "");
}

TEST(Assumptions, LapermIsToldOfAPolicyThatChangesAsAnItemComes) {
  expect_broken<laperm::Block>("u_properties.a_settings_stay_while_something_waits", 5,
                               [](laperm::Inputs& in, unsigned cycle) {
                                 in.policy = cycle < 5 ? 1 : 2;
                                 in.push_valid = cycle < 5 ? 0 : 1;
                                 in.push_cnt = 1;
                               });
}

}  // namespace
}  // namespace castor::tests

// Jobs of a synchronisation agent that a test drives by hand (docs/gpu/swapping.md, "Jobs of an agent"): order and
// times of jobs, contexts that are kept, stopped kernels, and rules for agent and engine.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "common/hook_fails.h"
#include "gpu_sm_agent_support.h"

namespace castor::gpu::gpu_sm_agent_jobs_test {
namespace {

using namespace agent_jobs_test;

// --- Order and times -------------------------------------------------------------------------------------------------

// The agent takes the result of the engine at once, or after some ticks. The thread block leaves in the tick behind
// that, and not before.
TEST(AgentJobs, ATbLeavesInTheTickBehindThatInWhichTheAgentTakesItAndTheNextStartsBehindEnter) {
  for (const Cycle delay : {0, 1, 2, 37}) {
    SCOPED_TRACE(delay);
    AgentRig one;
    one.place_and_stall(0);
    const Cycle offered = one.rig.now + 1;
    one.agent.jobs.push_back(out_job(0, 0, 1));
    one.agent.park_delay = delay;
    ASSERT_TRUE(one.until([&] { return one.agent.starts.size() == 2; })) << one.rig.sm.waiting();
    ASSERT_EQ(one.agent.taken.size(), 1U);
    EXPECT_EQ(one.agent.taken[0].first, offered);
    const auto first = std::find_if(one.engine.ticks.begin(), one.engine.ticks.end(),
                                    [](const SeenEngine::Tick& tick) { return tick.in.job.has_value(); });
    ASSERT_NE(first, one.engine.ticks.end());
    EXPECT_EQ(first->now, offered) << "the engine sees the job in the tick of the agent's offer";
    ASSERT_EQ(one.agent.parked.size(), 1U);
    EXPECT_EQ(one.agent.parked[0].taken, one.agent.parked[0].first + delay);
    ASSERT_EQ(one.rig.log.retired.size(), 1U);
    EXPECT_EQ(one.rig.log.retired[0].cycle, one.agent.parked[0].taken + 1);
    EXPECT_EQ(one.rig.log.retired[0].swapped, SwapReason::kSynchronisation);
    ASSERT_EQ(one.enters().size(), 1U);
    EXPECT_GE(one.enters()[0], one.agent.parked[0].taken + 2);
    EXPECT_EQ(one.agent.starts[1].first, one.enters()[0] + 1);
    EXPECT_EQ(one.agent.starts[1].second.gid, 1U);
    EXPECT_EQ(one.agent.starts[1].second.tb, 0U);
    EXPECT_EQ(one.away.size(), 1U);
    ASSERT_TRUE(one.until([&] { return one.retired(1); }));
    EXPECT_EQ(one.wrong(1), 0U);
  }
}

// Three thread blocks go out while the engine does the first job. Their contexts are offered in every order; the engine
// gets the jobs in that order, and so they come back, each into the context of another one.
TEST(AgentJobs, JobsAreDoneInTheOrderInWhichTheAgentOffersThem) {
  std::vector<unsigned> order = {0, 1, 2};
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    AgentRig one;
    for (const unsigned gid : {0U, 1U, 2U}) one.place_and_stall(gid);
    for (const unsigned slot : order) one.agent.jobs.push_back(out_job(slot, slot, 10 + slot));
    ASSERT_TRUE(one.until([&] { return one.retired(3); })) << one.rig.sm.waiting();
    std::map<unsigned, SwapEntry> entries;
    for (const unsigned slot : order) entries[slot] = one.entry_of(slot);
    for (const unsigned slot : order) one.agent.jobs.push_back(in_job(slot, (slot + 1) % 3, entries[(slot + 1) % 3]));
    ASSERT_TRUE(one.until([&] { return one.retired(6); })) << one.rig.sm.waiting();
    std::vector<unsigned> seen;
    for (const SeenEngine::Tick& tick : one.engine.ticks) {
      if (tick.in.job && tick.out.job_ready) seen.push_back(tick.in.job->slot);
    }
    std::vector<unsigned> twice = order;
    twice.insert(twice.end(), order.begin(), order.end());
    EXPECT_EQ(seen, twice);
    for (const unsigned gid : {0U, 1U, 2U, 10U, 11U, 12U}) EXPECT_EQ(one.wrong(gid), 0U) << gid;
    EXPECT_EQ(one.granted, 3U);
    EXPECT_EQ(one.returned, 3U);
    one.run_for(10);
    EXPECT_EQ(one.away.size(), 0U);
    EXPECT_TRUE(one.rig.sm.idle());
  } while (std::next_permutation(order.begin(), order.end()));
}

// A job for a context whose job is not over waits with the agent. The first one is over when its stores are in memory.
TEST(AgentJobs, AJobForAContextWaitsForTheStoresOfTheJobBefore) {
  AgentRig one;
  one.place_and_stall(0);
  one.rig.network.latency = 1500;
  one.agent.releases = false;
  one.agent.jobs = {out_job(0, 0, 1), out_job(0, 1, 2)};
  ASSERT_TRUE(one.until([&] { return one.agent.starts.size() == 2; }));
  const Cycle started = one.rig.now;
  Cycle last = 0;
  for (const SeenEngine::Tick& tick : one.engine.ticks) {
    if (tick.in.access_taken && tick.out.access->store && !tick.out.access->local) last = tick.now;
  }
  ASSERT_GT(last + 1500, started + 100);
  ASSERT_TRUE(one.until([&] { return one.agent.taken.size() == 2; }));
  EXPECT_GE(one.agent.taken[1].first, last + 1500);
  EXPECT_LT(one.agent.taken[1].first, last + 1500 + 200);
  one.agent.stall = 0;
  one.agent.releases = true;
}

// --- Arrival gate ----------------------------------------------------------------------------------------------------

// Stores of a job are in flight for a long time. The thread block that has come in is not quiesced for the agent before
// they are in memory, and it does not retire, although it ends at once.
TEST(AgentJobs, AContextWithStoresInFlightIsNotQuiescedAndItsTbDoesNotRetire) {
  for (const unsigned next : {1U, 100U}) {
    SCOPED_TRACE(next);
    AgentRig one;
    one.place_and_stall(0);
    one.rig.network.latency = 2500;
    one.agent.releases = next == 100;
    one.agent.jobs.push_back(out_job(0, 0, next));
    ASSERT_TRUE(one.until([&] { return one.agent.starts.size() == 2; }));
    Cycle last = 0;
    for (const SeenEngine::Tick& tick : one.engine.ticks) {
      if (tick.in.access_taken && tick.out.access->store && !tick.out.access->local) last = tick.now;
    }
    const Cycle in_memory = last + one.rig.network.latency;
    ASSERT_GT(in_memory, one.rig.now + 1000);
    ASSERT_TRUE(one.until([&] { return (one.agent.quiesced & 1) != 0 || one.retired(1); }));
    EXPECT_GE(one.rig.now, in_memory);
    EXPECT_LT(one.rig.now, in_memory + 200);
    if (next == 1) {
      EXPECT_FALSE(one.retired(1)) << "TB 1 is stalled";
      continue;
    }
    ASSERT_TRUE(one.until([&] { return one.retired(1); }));
    EXPECT_LT(one.agent.exits.front().first, in_memory - 1000);
  }
}

// --- Contexts --------------------------------------------------------------------------------------------------------

// A context that a thread block has left belongs to the agent, with its warp slots, until a kernel starts that does not
// own the machine.
TEST(AgentJobs, AContextThatWasLeftIsKeptUntilTheKernelEnds) {
  AgentRig one;
  one.place_and_stall(0);
  const WarpMask slots = one.agent.warps(0);
  one.agent.jobs.push_back(out_job(0, 0));
  ASSERT_TRUE(one.until([&] { return one.enters().size() == 1; }));
  one.place(1);
  ASSERT_TRUE(one.until([&] { return one.retired(1); }));
  EXPECT_EQ(one.rig.log.started.back().context, 1U);
  EXPECT_EQ(one.agent.warps(1) & slots, 0U);
  // The context of a thread block that has ended is kept, too.
  one.place(2);
  ASSERT_TRUE(one.until([&] { return one.retired(2); }));
  EXPECT_EQ(one.rig.log.started.back().context, 2U);
  one.agent.jobs.push_back(in_job(1, 0, one.entry_of(0)));
  ASSERT_TRUE(one.until([&] { return one.retired(3); }));
  EXPECT_EQ(one.rig.log.started.back().context, 1U);
  EXPECT_EQ(one.wrong(0) + one.wrong(1) + one.wrong(2), 0U);
  const test::Kernel& plain = one.load(32);
  one.rig.start(plain, 3);
  ASSERT_TRUE(one.until([&] { return one.retired(4); }));
  EXPECT_EQ(one.rig.log.started.back().context, 0U);
  EXPECT_EQ(one.wrong(3, 32), 0U);
}

// A job for the context of a thread block that has ended is offered in each tick from the end of its warps on. It is
// taken when the thread block has retired.
TEST(AgentJobs, AJobForTheContextOfATbThatHasEndedWaitsUntilItHasRetired) {
  for (Cycle delay = 0; delay < 24; ++delay) {
    for (const bool fresh : {true, false}) {
      SCOPED_TRACE(testing::Message() << delay << (fresh ? ", fresh" : ", comes back"));
      AgentRig one;
      one.place_and_stall(0);
      one.agent.jobs.push_back(out_job(0, 0, 1));
      ASSERT_TRUE(one.until([&] { return one.agent.starts.size() == 2; }));
      ASSERT_TRUE(one.until([&] { return one.agent.exits.size() == 2; }));
      one.run_for(delay);
      const Cycle offered = one.rig.now + 1;
      one.agent.jobs.push_back(fresh ? fresh_job(0, 2) : in_job(0, 0, one.entry_of(0)));
      ASSERT_TRUE(one.until([&] { return one.retired(2); })) << one.rig.sm.waiting();
      ASSERT_EQ(one.agent.taken.size(), 2U);
      ASSERT_GE(one.agent.retired.size(), 1U);
      EXPECT_EQ(one.agent.taken[1].first, std::max(offered, one.agent.retired[0].first + 1));
      EXPECT_EQ(one.wrong(1) + one.wrong(fresh ? 2 : 0), 0U);
      EXPECT_EQ(one.returned, fresh ? 0U : 1U);
    }
  }
}

// On the SM that a thread block leaves, others start and retire in so many ticks that it cannot leave for long. The
// engine of another SM has moved it in by then, and must wait with `enter`.
TEST(AgentJobs, ATbComesBackWhenItHasLeft) {
  constexpr unsigned kBeside = 62;
  AgentRig from(quick(), 64), to(quick(), 64, &from.away);
  from.rig.network.latency = to.rig.network.latency = 1;
  from.kernel = to.kernel = &from.load(32);
  test::own_machine(*from.kernel, 64);
  const auto until = [&](const std::function<bool()>& holds) {
    for (const Cycle end = from.rig.now + 10'000; !holds() && from.rig.now < end;) {
      to.cycle();
      from.cycle();
    }
    return holds();
  };
  to.place(100);
  from.place(0);
  ASSERT_TRUE(until([&] { return to.retired(1) && from.rig.now > 200; }));
  from.stall(0);
  ASSERT_TRUE(until([&] { return (from.agent.quiesced & 1) != 0; }));
  from.agent.jobs = {out_job(0, 0)};
  ASSERT_TRUE(until([&] { return !from.agent.parked.empty(); }));
  to.images = from.images;
  to.agent.jobs = {in_job(0, 0, from.entry_of(0))};
  for (unsigned i = 0; i < kBeside; ++i) {
    from.place(101 + i);
    to.cycle();
    from.cycle();
  }
  ASSERT_TRUE(until([&] { return to.retired(2) && from.retired(kBeside); })) << to.rig.sm.waiting();
  const auto left = std::find_if(from.rig.log.retired.begin(), from.rig.log.retired.end(),
                                 [](const Observer::Tb& tb) { return tb.swapped.has_value(); });
  ASSERT_NE(left, from.rig.log.retired.end());
  EXPECT_GT(left->cycle, from.agent.parked[0].taken + kBeside);
  const auto entered = std::find_if(to.engine.ticks.begin(), to.engine.ticks.end(),
                                    [](const SeenEngine::Tick& tick) { return tick.out.enter.has_value(); });
  ASSERT_NE(entered, to.engine.ticks.end());
  EXPECT_LT(entered->now, left->cycle) << "the engine did not wait";
  EXPECT_EQ(to.enters().back(), left->cycle + 1);
  EXPECT_EQ(from.wrong(0, 32), 0U) << "the kernel's buffer is that of the first SM";
  EXPECT_EQ(from.away.size(), 0U);
}

TEST(AgentJobs, TheEngineHearsWhetherTheAgentHasLocalRoom) {
  AgentRig one;
  one.place_and_stall(0);
  std::map<Cycle, bool> room;
  one.agent.see = [&](const AgentIn& in) { room[in.now] = one.agent.local_room; };
  one.agent.jobs.push_back(out_job(0, 0, 1));
  while (one.agent.starts.size() < 2 && one.rig.now < 5000) {
    one.agent.local_room = one.rig.now / 7 % 2 != 0;
    one.cycle();
  }
  unsigned seen[2] = {};
  for (const SeenEngine::Tick& tick : one.engine.ticks) {
    const auto found = room.find(tick.now);
    if (found == room.end()) continue;
    EXPECT_EQ(tick.in.local_room, found->second) << tick.now;
    ++seen[found->second ? 1 : 0];
  }
  EXPECT_GT(std::min(seen[0], seen[1]), 5U);
}

// --- Stopped kernels -------------------------------------------------------------------------------------------------

/// A thread block is moved out and a fresh one comes in, which ends; then the first one comes back. Another one is
/// stalled beside them.
class Scenario {
 public:
  Scenario() {
    one.place_and_stall(0);
    one.place_and_stall(1);
    from_ = one.rig.now;
    one.agent.jobs.push_back(out_job(0, 0, 2));
  }
  /// Runs to a cycle of the scenario. Returns false if it is over before.
  bool run_to(Cycle cycle) {
    while (one.rig.now < from_ + cycle) {
      if (one.retired(1) && !ended_) {
        ended_ = true;
        one.agent.jobs.push_back(in_job(0, 0, one.entry_of(0)));
      }
      if (one.retired(2)) return false;
      one.cycle();
    }
    return true;
  }
  /// Returns the cycles in which something happens, and those around them.
  [[nodiscard]] std::set<Cycle> events() const {
    std::set<Cycle> seen;
    for (const auto& [now, job] : one.agent.taken) seen.insert(now);
    for (const HandAgent::Parked& parked : one.agent.parked) seen.insert({parked.first, parked.taken});
    for (const auto& [now, start] : one.agent.starts) seen.insert(now);
    for (const auto& [now, context] : one.agent.exits) seen.insert(now);
    for (const auto& [now, context] : one.agent.retired) seen.insert(now);
    for (const Cycle now : one.enters()) seen.insert(now);
    std::set<Cycle> around;
    for (const Cycle now : seen) {
      for (Cycle cycle = std::max(now, from_ + 2) - 2; cycle < now + 4; ++cycle) around.insert(cycle - from_);
    }
    for (Cycle cycle = 0; from_ + cycle < *seen.rbegin(); cycle += 79) around.insert(cycle);
    return around;
  }
  AgentRig one;

 private:
  Cycle from_ = 0;
  bool ended_ = false;  ///< the fresh thread block has retired
};

/// Stops the kernel of the scenario in a cycle.
void stop_in(Cycle cycle) {
  Scenario scenario;
  AgentRig& one = scenario.one;
  ASSERT_TRUE(scenario.run_to(cycle));
  const std::size_t before = one.rig.retired.size();
  one.grants = false;
  one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
  one.cycle();
  const std::uint64_t accesses = one.accesses();
  const std::size_t parked = one.agent.parked.size();
  // TB 1 retires, and so does the thread block of context 0, or the one that a job brings, if there is one.
  const bool vacant = before != 0 && one.agent.taken.size() == 1;
  const std::size_t ends = before + (vacant ? 1 : 2);
  ASSERT_TRUE(one.until([&] { return one.retired(ends); }, 10'000))
      << before << " and " << one.rig.retired.size() << " of " << ends << " have retired\n"
      << one.rig.sm.waiting();
  one.run_for(500);
  EXPECT_EQ(one.rig.retired.size(), ends) << "one retirement per context";
  EXPECT_TRUE(one.rig.sm.idle());
  EXPECT_EQ(one.agent.retired.size(), one.rig.retired.size());
  for (const auto& [context, times] : one.agent.stopped) EXPECT_EQ(times, 1U) << context;
  EXPECT_TRUE(one.engine.ticks.back().out.job_ready) << "the engine has no job";
  EXPECT_EQ(one.accesses(), accesses) << "the engine reaches memory behind the stop";
  EXPECT_EQ(one.agent.parked.size(), parked) << "the agent sees the result of a job of a stopped kernel";
  // A later kernel finds all contexts, and the engine serves it.
  one.away.clear();
  one.images.clear();
  one.grants = true;
  one.agent.stall = 0;
  const std::size_t pages = one.granted;
  test::Kernel& next = one.load(kThreads);
  test::own_machine(next, 8);
  one.kernel = &next;
  one.place_and_stall(30);
  EXPECT_EQ(one.agent.starts.back().second.tb, 0U);
  one.agent.jobs.push_back(out_job(0, 30, 31));
  ASSERT_TRUE(one.until([&] { return one.retired(ends + 1); }));
  one.agent.jobs.push_back(in_job(0, 30, one.entry_of(0)));
  ASSERT_TRUE(one.until([&] { return one.retired(ends + 2); })) << one.rig.sm.waiting();
  EXPECT_EQ(one.wrong(30) + one.wrong(31), 0U);
  EXPECT_EQ(one.granted, pages + 1);
}

TEST(AgentJobs, AKernelThatIsStoppedInAnyTickLeavesACleanSm) {
  std::set<Cycle> cycles;
  {
    Scenario dry;
    ASSERT_FALSE(dry.run_to(10'000));
    EXPECT_EQ(dry.one.wrong(0) + dry.one.wrong(2), 0U);
    cycles = dry.events();
  }
  cycles.erase(cycles.lower_bound(*cycles.rbegin() - 3), cycles.end());  // the scenario is over
  EXPECT_GT(cycles.size(), 50U);
  for (const Cycle cycle : cycles) {
    stop_in(cycle);
    ASSERT_FALSE(HasFailure()) << "stopped in cycle " << cycle << " of the scenario";
  }
}

// --- Rules -----------------------------------------------------------------------------------------------------------

using AgentJobsDeathTest = testing::Test;

void run_with(const std::function<void(AgentRig&)>& change) {
  AgentRig one;
  one.place_and_stall(0);
  one.place_and_stall(1);
  one.agent.jobs = {out_job(0, 0, 10), out_job(1, 1, 11)};
  static_cast<void>(one.until([&] { return one.retired(2); }));
  change(one);
  static_cast<void>(one.until([&] { return one.retired(4); }));
}

TEST(AgentJobsDeathTest, WhatComesBackIsCheckedAgainstWhatWasSwappedOut) {
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) { one.agent.jobs = {in_job(0, 0, one.entry_of(1))}; }),
                    "swap engine of SM 0: loads a line of TB context 0 at 0x[0-9a-f]*, outside its image");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) { one.agent.jobs = {in_job(0, 5, one.entry_of(0))}; }),
                    "sync_agent of SM 0 brings back TB 5, which is not swapped out");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) {
                      const SwapEntry entry = one.entry_of(0);
                      one.agent.jobs = {in_job(0, 0, entry)};
                      static_cast<void>(one.until([&] { return one.retired(3); }));
                      one.agent.jobs = {in_job(0, 0, entry)};
                    }),
                    "sync_agent of SM 0 brings back TB 0, which is not swapped out");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) {
                      one.engine.change = [](SwapOut& out) {
                        if (out.enter) out.enter->free.reset();
                      };
                      one.agent.jobs = {in_job(0, 0, one.entry_of(0))};
                    }),
                    "does not give back the image of TB 0");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) {
                      const std::uint64_t other = one.entry_of(1).word[0], own = one.entry_of(0).word[0];
                      one.engine.change = [=](SwapOut& out) {
                        if (out.access && !out.access->local) out.access->address += other - own;
                      };
                      one.agent.jobs = {in_job(0, 0, one.entry_of(0))};
                    }),
                    "loads a line of TB context 0 at 0x[0-9a-f]*, outside its image");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) {
                      one.engine.change = [](SwapOut& out) {
                        if (out.enter) ++out.enter->gid;
                      };
                      one.agent.jobs = {in_job(0, 0, one.entry_of(0))};
                    }),
                    "enters TB 1 into TB context 0, where TB 0 comes in");
}

TEST(AgentJobsDeathTest, JobsOfAnAgentAreChecked) {
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) { one.agent.jobs = {fresh_job(7, 20)}; }),
                    "gives a job for TB context 7, which no TB has left to it");
  // A thread block that a job has started is in the context.
  EXPECT_HOOK_FAILS(
      {
        AgentRig one;
        one.place_and_stall(0);
        one.agent.jobs = {out_job(0, 0, 1)};
        static_cast<void>(one.until([&] { return one.agent.starts.size() == 2; }));
        one.agent.jobs = {fresh_job(0, 20)};
        one.run_for(500);
      },
      "gives a job for TB context 0, which no TB has left to it");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) { one.agent.jobs = {fresh_job(63, 20)}; }),
                    "gives a job for TB context 63, which does not exist");
  EXPECT_HOOK_FAILS(run_with([](AgentRig& one) { one.agent.jobs = {out_job(0, 0)}; }),
                    "moves out TB 0 of TB context 0, which is not there");
  const auto stalled = [](bool stalls, unsigned gid) {
    return [=](AgentRig& one) {
      one.place(12);
      one.run_for(100);
      if (stalls) {
        one.stall(2);
        one.run_for(300);
      }
      one.agent.jobs = {out_job(2, gid)};
    };
  };
  EXPECT_HOOK_FAILS(run_with(stalled(false, 12)), "moves out TB 12, which is not stalled and quiesced");
  EXPECT_HOOK_FAILS(run_with(stalled(true, 13)), "moves out TB 13 of TB context 2, which is not there");
}

// The agent offers a job while another one has been moved out: it settles twice in S0, with the job in both.
TEST(AgentJobsDeathTest, AnAgentThatChangesItsJobInTheSecondSettleIsNamed) {
  const std::vector<std::function<void(SwapJob&)>> changes = {[](SwapJob& job) { job.slot ^= 1U; },
                                                              [](SwapJob& job) { job.out = !job.out; },
                                                              [](SwapJob& job) { ++job.gid; },
                                                              [](SwapJob& job) { job.site = 3; },
                                                              [](SwapJob& job) { job.fresh = !job.fresh; },
                                                              [](SwapJob& job) { ++job.in_gid; },
                                                              [](SwapJob& job) { job.entry.word[2] = 1; }};
  const auto run = [](const std::function<void(SwapJob&)>& change) {
    AgentRig one;
    one.place_and_stall(0);
    one.place_and_stall(1);
    one.agent.change = [&](unsigned settle, AgentOut& out) {
      if (settle == 2 && out.job) change(*out.job);
    };
    one.agent.jobs = {out_job(0, 0), out_job(0, 5)};
    static_cast<void>(one.until([&] { return !one.agent.parked.empty(); }));
  };
  run([](SwapJob&) {});
  for (const auto& change : changes) {
    EXPECT_HOOK_FAILS(run(change), "sync_agent of SM 0 changes an output after settle that may depend on its state");
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_agent_jobs_test

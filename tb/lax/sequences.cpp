#include "tb/lax/sequences.h"

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/lax/changes.h"
#include "tb/lax/chaos.h"
#include "tb/lax/environment.h"
#include "tb/lax/ranges.h"

namespace castor::lax::tb {
namespace {

/// Draws a mix of traffic: short or long jobs, idle or full devices, fast or slow hosts.
Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x6C61785F6B6E6F62ULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.queues = pick({0, 0, 2, params.NumQueues / 2 + 1});
  knobs.kernel_types = pick({0, 1, 4, 16});
  knobs.submit = pick({200, 2000, 10000, kAlways});
  knobs.append = pick({0, 300, 5000});
  knobs.append_race = pick({0, 16384, kAlways});
  knobs.resubmit = pick({0, 500, 20000});
  knobs.kernels = pick({1, 3, 8});
  knobs.groups = pick({1, 4, 16, 100});
  knobs.huge = pick({0, 0, 0, 200});
  knobs.deadline_bits = pick({8, 13, 15, 17, 22});
  knobs.no_deadline = pick({0, 6000, 40000});
  knobs.age_bits = pick({0, 4, 10, 14});
  knobs.adm_ready = pick({2000, 30000, kAlways});
  knobs.adm_stall = pick({0, 20, 100});
  knobs.slots = pick({1, 4, 24, 200});
  knobs.service = pick({0, 1, 40, 300, 3000});
  knobs.service_swings = rng.below(4) == 0;
  knobs.rest = pick({0, 60, 400});
  knobs.rest_cycles = pick({20, 300, 4000});
  knobs.parse_lanes = pick({1, params.ParseLanes});
  knobs.parse_latency = pick({0, 5, 100});
  knobs.parse_grant = pick({2000, 40000, kAlways});
  knobs.dispatch_grant = pick({5000, 40000, kAlways});
  knobs.event = pick({4000, 30000, kAlways});
  knobs.access = pick({500, 8000, 40000});
  knobs.update_period = pick({1000, 1001, 2500, 10000});
  knobs.prema_period = pick({1000, 1777, 4000});
  knobs.min_groups = pick({1, 1, 2, 20});
  knobs.prema_priority = pick({1, 3, 9});
  // In some runs, one of the periods is long only because of one upper bit.
  if (rng.below(8) == 0) (rng.below(2) == 0 ? knobs.update_period : knobs.prema_period) |= 1U << (13 + rng.below(11));
  // Start time: half of the runs start near a limit of the 48 bits, often shortly before the time wraps.
  castor::tb::Edges edges(seed, castor::tb::EdgeMode::kEnds);
  knobs.now = rng.below(2) == 0 ? rng.below(1U << 20U) : edges.start(48, 20000, 0);
  return knobs;
}

using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;

/// Odd seeds use policy LAX only and jobs without deadline, so that the start times decide.
std::unique_ptr<Sequence> made_borders(const Params& params, std::uint64_t seed) {
  if (seed % 2 == 1) return With::changed<changes::best_effort>(params, seed);
  return With::changed<changes::borders>(params, seed);
}

/// Odd seeds measure rates by instance time, whose product with the window saturates.
std::unique_ptr<Sequence> made_long_times(const Params& params, std::uint64_t seed) {
  if (seed % 2 == 1) return With::changed<changes::instance_times>(params, seed);
  return With::changed<changes::long_times>(params, seed);
}

template <twin::Cycle kCycles>
twin::Cycle cycles(const Params& /*params*/) {
  return kCycles;
}

/// Returns the number of cycles until all of 256 queues are live. The number of live queues and the sum of their work
/// then have their highest bit set.
twin::Cycle full_table_run(const Params& params) { return params.NumQueues == 256 ? 16000 : 0; }

/// Returns whether a run can contain 2^15 parse grants. Each grant takes two passes of the selection. With more than 5
/// groups of queues, the grants would take nearly a million cycles.
bool numbers_fit(const Params& params) { return params.groups() <= 5; }

/// Returns the cycles for 2^15 arrivals of 11 cycles each, and some updates that show their numbers.
twin::Cycle numbers_run(const Params& params) { return numbers_fit(params) ? 11 * (twin::Cycle{1} << 15U) + 8000 : 0; }

/// Returns the cycles for several soft resets at each targeted moment, at about 2500 cycles each. Parameter sets
/// without the long `numbers` run get more cycles.
twin::Cycle rankings_run(const Params& params) { return numbers_fit(params) ? 40000 : 100000; }

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract, castor::tb::made_of;
  static const Sequences all = {
      {"random", "surroundings with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, and stimuli that must be ignored or refused", kBreaksContract,
       With::drawn_and_changed<changes::rules>, 4000},
      {"chaos", "inputs without sense or order", kBreaksContract, made_of<Block, Chaos>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"completions", "a TB completes in every cycle while submissions wait", kKeepsContract,
       With::changed<changes::completions>},
      {"one_slot", "completions of one kernel type back to back", kKeepsContract, With::changed<changes::one_slot>},
      {"instant", "kernels that start, are issued, complete and end in one cycle", kKeepsContract,
       With::changed<changes::instant>},
      {"headers", "headers as fast as they are taken", kKeepsContract, With::changed<changes::headers>},
      {"equal_keys", "round robin: only ties decide", kKeepsContract, With::changed<changes::equal_keys>},
      {"all_late", "every job past its deadline", kKeepsContract, With::changed<changes::all_late>},
      {"deadlines", "deadlines 1 and 2^32-2", kKeepsContract, With::changed<changes::deadlines>},
      {"time_wrap", "time wraps during windows, jobs start before", kKeepsContract, With::changed<changes::time_wrap>},
      {"saturation", "full lists of 2^24-1 TBs at the largest rate", kKeepsContract,
       With::changed<changes::saturation>},
      {"fastest", "rates of 1/256 cycle", kKeepsContract, With::changed<changes::fastest>},
      {"verdict_stall", "verdicts wait for a long time", kKeepsContract, With::changed<changes::verdict_stall>},
      {"poll", "tables are read without pause", kKeepsContract, With::changed<changes::poll>},
      {"acknowledge", "a queue is freed and used again in the same cycles", kKeepsContract,
       With::changed<changes::acknowledge>},
      {"reconfigure", "policies, modes and periods change with live jobs; resets", kKeepsContract,
       With::changed<changes::reconfigure>},
      {"resets", "soft resets during updates, rankings and submissions, and with update ticks", kKeepsContract,
       With::changed<changes::resets>},
      {"border", "deadlines within a cycle of the estimate", kBreaksContract, With::changed<changes::border>},
      {"overrun", "updates of PREMA that last longer than their period", kKeepsContract,
       With::changed<changes::overrun>, 6000},
      {"sleepy", "short work, then long rest", kKeepsContract, With::changed<changes::sleepy>},
      {"published", "one number per job, equal deadlines, unknown rates cost nothing", kKeepsContract,
       With::changed<changes::published>},
      {"frozen", "no updates", kKeepsContract, With::changed<changes::frozen>},
      {"back_to_back", "updates without pause while jobs wait for admission", kKeepsContract,
       With::changed<changes::back_to_back>},
      {"swings", "rates change by 1000 between windows", kKeepsContract, With::changed<changes::swings>},
      {"bursts_before", "bursts a little faster than the updates", kKeepsContract,
       With::changed<changes::bursts_before>},
      {"bursts_with", "bursts in step with the updates", kKeepsContract, With::changed<changes::bursts_with>},
      {"bursts_after", "bursts a little slower than the updates", kKeepsContract, With::changed<changes::bursts_after>},
      {"prema", "tokens, thresholds, preemption", kKeepsContract, With::changed<changes::prema>},
      {"expiry", "jobs are dropped when they are late", kKeepsContract, With::changed<changes::expiry>},
      {"bypass", "admission goes by what fits at once", kKeepsContract, With::changed<changes::bypass>},
      {"appends", "work is added before, while and after a job's last kernel", kKeepsContract,
       With::changed<changes::appends>},
      {"arrivals", "many short jobs, so that the arrival numbers wrap in a long run", kKeepsContract,
       With::changed<changes::arrivals>, 0, full_table_run},
      {"leaps", "now jumps ahead: the longest times", kBreaksContract, With::changed<changes::leaps>},
      {"long_job", "jobs of very many TBs, one completes in every cycle: large counts", kKeepsContract,
       With::changed<changes::long_job>, 0, cycles<24000>},
      {"long_times", "jumps of every size, policies change, tables are read: all bits of times", kBreaksContract,
       made_long_times, 0, cycles<16000>},
      {"tokens", "PREMA with tokens that grow slowly: they decide, below the threshold too", kKeepsContract,
       With::changed<changes::tokens>},
      {"borders", "now jumps to shortly before multiples of powers of two: starts on both sides", kBreaksContract,
       made_borders},
      {"waits", "PREMA with jumps of powers of two: tokens of one high bit", kBreaksContract,
       With::changed<changes::waits>},
      {"long_waits", "... of so many cycles that their product with the priority is limited", kBreaksContract,
       With::changed<changes::long_waits>, 4000},
      {"rankings", "PREMA with few rankings, and MLFQ after it: tokens below the threshold for long", kKeepsContract,
       With::changed<changes::rankings>},
      {"foreign", "completions of kernel types that have not started", kBreaksContract,
       With::changed<changes::foreign>},
      {"products", "lists and rates of every size, tables read", kKeepsContract, With::changed<changes::products>},
      {"powers", "... and both powers of two: sums of one high bit", kKeepsContract, With::changed<changes::powers>,
       8000},
      {"crowd", "bursts of short jobs that drift past the updates: as many wait as there can be", kKeepsContract,
       With::changed<changes::crowd>},
      {"append_races", "jobs end between list and verdict of an append", kKeepsContract,
       With::changed<changes::append_races>},
      {"close_deadlines", "deadlines as short as the jobs", kKeepsContract, With::changed<changes::close_deadlines>},
      {"reset_by_turn", "round robin, soft resets, the high half of the time", kKeepsContract,
       With::changed<changes::reset_by_turn>},
      {"reset_turn", "soft resets in updates; then the first submission and the first update tick wait for a ranking",
       kKeepsContract, With::changed<changes::reset_turn>, 4000},
      {"aimed_resets", "soft resets in the very cycles of what they have met least", kBreaksContract,
       With::changed<changes::aimed_resets>, 16000, cycles<40000>},
      {"aimed_rankings", "soft resets as before, under PREMA with requests to make room", kKeepsContract,
       With::changed<changes::aimed_rankings>, 16000, rankings_run},
      {"aimed_ticks", "ticks in the cycles in which the tick before is taken", kKeepsContract,
       With::changed<changes::aimed_ticks>, 16000},
      {"clearings", "errors, interrupts and kernel types are cleared without pause", kBreaksContract,
       With::changed<changes::clearings>, 4000},
      {"equal_tokens", "PREMA with tokens that do not grow, of three priorities", kKeepsContract,
       With::changed<changes::equal_tokens>, 12000},
      {"visited_ends", "jobs end while an update visits them, and their records are read", kKeepsContract,
       With::changed<changes::visited_ends>, 8000},
      {"sampled_ends", "kernels end while the window of their type is sampled", kKeepsContract,
       With::changed<changes::sampled_ends>, 4000},
      {"ranked_ends", "kernels end while a ranking looks at their job", kKeepsContract,
       With::changed<changes::ranked_ends>, 16000, cycles<20000>},
      {"early", "kernels start, are issued and end in the cycle in which their job is judged", kBreaksContract,
       With::changed<changes::early>},
      {"work_ahead", "live jobs of the longest time each, and admission after a policy without it", kKeepsContract,
       With::changed<changes::work_ahead>, 0, full_table_run},
      {"full_tokens", "PREMA with tokens that grow to their limit", kKeepsContract, With::changed<changes::full_tokens>,
       8000},
      {"equal_low_tokens", "PREMA with tokens whose lower bits are small, and whose upper bits differ", kKeepsContract,
       With::changed<changes::equal_low_tokens>, 8000},
      {"demoted", "MLFQ with jobs that wait through the middle of their deadlines", kKeepsContract,
       With::changed<changes::demoted>, 8000},
      {"external", "priorities of live jobs are written while they decide", kKeepsContract,
       With::changed<changes::external>, 4000},
      {"seldom_granted", "round robin with few parse grants between soft resets, and updates that show their numbers",
       kKeepsContract, With::changed<changes::seldom_granted>, 8000, cycles<24000>},
      {"pops", "verdicts are popped by register while others are made", kKeepsContract, With::changed<changes::pops>,
       4000},
      {"in_flight", "a kernel of one type in each queue, all in flight at once", kKeepsContract,
       With::changed<changes::in_flight>, 0, full_table_run},
      {"numbers", "arrivals and parse grants until their numbers are in the upper half; ties decide by them",
       kKeepsContract, With::changed<changes::numbers>, 0, numbers_run},
      {"ranges", "values at the ends of their ranges, and counts in their upper bits", kBreaksContract, made_ranges, 0,
       nullptr, castor::tb::kAlone}};
  return all;
}

}  // namespace castor::lax::tb

#include "tb/lax/sequences.h"

#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/base/rng.h"
#include "tb/common/sequence_table.h"
#include "tb/lax/chaos.h"
#include "tb/lax/environment.h"

namespace castor::lax::tb {
namespace {

using base::Xoshiro256;

constexpr U32 kControlLax = 0x00301583;   // reset value and ENABLE: LAX, admission, active rates
constexpr U32 kControlOpen = 0x00301581;  // without admission test

/// Mixes of traffic: short and long jobs, idle and full devices, fast and slow hosts.
Knobs drawn(const Params& params, std::uint64_t seed) {
  Xoshiro256 rng(seed ^ 0x6C61785F6B6E6F62ULL);
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
  knobs.now = rng.below(2) == 0 ? rng.below(1U << 20U) : twin::mask(48) - rng.below(20000);
  return knobs;
}

struct Entry {
  SequenceInfo info;
  /// Changes to drawn knobs, or to the defaults if `from_defaults`.
  void (*change)(Knobs& knobs, const Params& params);
  bool from_defaults = true;
};

void enough_work(Knobs& knobs) {
  knobs.rest = 0;
  knobs.random_control = false;
  knobs.control = kControlOpen;
  knobs.submit = kAlways;
  knobs.access = 30000;
  knobs.soft_reset = 0;
  knobs.reconfigure = 0;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"random", "surroundings with knobs drawn from the seed", true}, [](Knobs&, const Params&) {}, false},
      {{"rules", "random, and stimuli that must be ignored or refused", false},
       [](Knobs& k, const Params&) {
         k.break_rule = 6000;
         k.lie = 3000;
         k.illegal_access = 10000;
         k.future_start = 3000;
       },
       false},
      {{"chaos", "inputs without sense or order", false}, nullptr, false},
      {{"busy", "default traffic", true}, [](Knobs&, const Params&) {}},
      {{"completions", "a TB completes in every cycle while submissions wait", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.groups = 2000;
         k.service = 1;
         k.slots = 2000;
         k.dispatch_grant = k.event = kAlways;
         k.kernels = 1;
       }},
      {{"one_slot", "completions of one kernel type back to back", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.queues = k.kernel_types = 1;
         k.groups = 3000;
         k.kernels = 1;
         k.service = 1;
         k.dispatch_grant = k.parse_grant = k.event = kAlways;
       }},
      {{"instant", "kernels that start, are issued, complete and end in one cycle", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.groups = 1;
         k.service = 0;
         k.parse_latency = 0;
         k.dispatch_grant = k.parse_grant = k.event = kAlways;
       }},
      {{"headers", "headers as fast as they are taken", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.beat = k.adm_ready = kAlways;
         k.adm_stall = 0;
         k.resubmit = kAlways;
         k.acknowledge = kAlways;
       }},
      {{"equal_keys", "round robin: only ties decide", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 0;
       }},
      {{"all_late", "every job past its deadline", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.deadline_bits = 4;
         k.no_deadline = k.extreme_deadline = 0;
         k.update_period = 1000;
       }},
      {{"deadlines", "deadlines 1 and 2^32-2", true},
       [](Knobs& k, const Params&) {
         k.extreme_deadline = kAlways;
         k.no_deadline = 0;
       }},
      {{"time_wrap", "time wraps during windows, jobs start before", true},
       [](Knobs& k, const Params&) {
         k.now = twin::mask(48) - 6000;
         k.age_bits = 13;
         k.access = 30000;
       }},
      {{"saturation", "full lists of 2^24-1 TBs at the largest rate", true},
       [](Knobs& k, const Params&) {
         k.huge = kAlways;
         k.preload = kAlways;
         k.preload_value = ~U32{0};
         k.deadline_bits = 32;
       }},
      {{"fastest", "rates of 1/256 cycle", true},
       [](Knobs& k, const Params&) {
         k.preload = kAlways;
         k.preload_value = 1;
         k.service = 0;
         k.min_groups = 60;
       }},
      {{"verdict_stall", "verdicts wait for a long time", true},
       [](Knobs& k, const Params&) {
         k.adm_stall = 300;
         k.adm_stall_cycles = 20000;
         k.submit = kAlways;
       }},
      {{"poll", "tables are read without pause", true},
       [](Knobs& k, const Params&) {
         k.poll_tables = true;
         k.acknowledge = 8000;
       }},
      {{"acknowledge", "a queue is freed and used again in the same cycles", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.queues = 2;
         k.resubmit = kAlways;
         k.access = k.acknowledge = kAlways;
         k.groups = k.kernels = 1;
         k.service = 3;
       }},
      {{"reconfigure", "policies, modes and periods change with live jobs; resets", true},
       [](Knobs& k, const Params&) {
         k.access = 20000;
         k.write = 40000;
         k.reconfigure = 12000;
         k.soft_reset = 800;
       }},
      {{"resets", "soft resets during updates, rankings and submissions, and with update ticks", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.append = 20000;
         k.update_period = k.prema_period = 1000;
         k.reset_after_update = 40000;
         k.access = 1500;
         k.acknowledge = 60000;
         k.submit = 20000;
         k.reset_at_tick = true;
         k.adm_ready = 8000;
         k.groups = 30;
       }},
      {{"border", "deadlines within a cycle of the estimate", false},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.control = kControlLax | 8U;
         k.aim = k.preload = kAlways;
         k.preload_value = 64 * 256;
         k.kernel_types = 0;
         k.no_deadline = 0;
         k.extreme_deadline = 0;
         k.append = 0;
         k.write = 0;
         k.adm_ready = kAlways;
         k.adm_stall = 0;
         k.submit = 3000;
       }},
      {{"overrun", "updates of PREMA that last longer than their period", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.kernel_types = 0;
         k.full_list = kAlways / 2;
         k.update_period = k.prema_period = 1000;
         k.slots = 8;
         k.groups = 40;
       }},
      {{"sleepy", "short work, then long rest", true},
       [](Knobs& k, const Params&) {
         k.rest = 2000;
         k.rest_cycles = 6000;
         k.adm_ready = kAlways;
         k.adm_stall = 0;
         k.access = 1000;
       }},
      {{"published", "one number per job, equal deadlines, unknown rates cost nothing", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.control = 0x00300183;
         k.deadline = 6000;
         k.update_period = 1000;
         k.slots = 4;
         k.service = 600;
       }},
      {{"frozen", "no updates", true},
       [](Knobs& k, const Params&) {
         k.random_control = false;
         k.control = kControlLax | 8U;
         k.reconfigure = 300;
       }},
      {{"back_to_back", "updates without pause while jobs wait for admission", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.control = kControlLax;
         k.kernel_types = 0;
         k.update_period = 1000;
         k.access = 3000;
         k.deadline_bits = 30;
         k.kernels = 16;
         k.groups = 400;
         k.slots = 200;
         k.service = 1000;
       }},
      {{"swings", "rates change by 1000 between windows", true},
       [](Knobs& k, const Params&) {
         k.service_swings = true;
         k.service = 4000;
         k.groups = 50;
         k.slots = 200;
       }},
      {{"bursts_before", "bursts a little faster than the updates", true},
       [](Knobs& k, const Params&) {
         k.burst_period = 990;
         k.update_period = 1000;
         k.submit = 20000;
       }},
      {{"bursts_with", "bursts in step with the updates", true},
       [](Knobs& k, const Params&) {
         k.burst_period = k.update_period = 1000;
         k.submit = 20000;
       }},
      {{"bursts_after", "bursts a little slower than the updates", true},
       [](Knobs& k, const Params&) {
         k.burst_period = 1010;
         k.update_period = 1000;
         k.submit = 20000;
       }},
      {{"prema", "tokens, thresholds, preemption", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.slots = 3;
         k.groups = 12;
         k.service = 1500;
         k.update_period = 1000;
         k.prema_period = 1300;
         k.deadline_bits = 28;
         k.submit = 4000;
       }},
      {{"expiry", "jobs are dropped when they are late", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.control = kControlOpen | 1U << 16U;
         k.deadline_bits = 11;
         k.no_deadline = 0;
         k.slots = 2;
         k.update_period = 1000;
       }},
      {{"bypass", "admission goes by what fits at once", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.control = kControlLax | 1U << 15U;
         k.submit = 600;
         k.deadline_bits = 13;
         k.update_period = 1000;
       }},
      {{"appends", "work is added before, while and after a job's last kernel", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.submit = 1000;
         k.append = 20000;
         k.append_race = 40000;
         k.full_list = 16000;
         k.kernel_types = 0;
         k.kernels = 2;
         k.groups = 3;
         k.service = 20;
       }},
      {{"arrivals", "many short jobs, so that the arrival numbers wrap in a long run", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.kernels = k.groups = 1;
         k.service = 1;
         k.parse_latency = 0;
         k.submit = k.beat = k.adm_ready = k.parse_grant = k.dispatch_grant = k.event = kAlways;
         k.adm_stall = 0;
         k.append = 0;
         k.access = k.acknowledge = kAlways;
         k.update_period = 100000;
       }},
      {{"leaps", "now jumps ahead: the longest times", false},
       [](Knobs& k, const Params&) {
         k.leap = 200;
         k.deadline_bits = 32;
       }},
      {{"long_job", "jobs of very many TBs, one completes in every cycle: large counts", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.queues = k.kernel_types = k.kernels = 1;
         k.groups = 15000;
         k.service = 1;
         k.slots = 2000;
         k.dispatch_grant = k.parse_grant = k.event = kAlways;
         k.no_deadline = kAlways;
         k.append = k.resubmit = 0;
         k.update_period = 9000;
       }},
      {{"long_times", "jumps of every size, policies change, tables are read: all bits of times", false},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.random_control = true;
         k.leap = 300;
         k.leap_bits = 37;
         k.leap_kind = Leap::kAny;
         k.deadline_bits = 31;
         k.age_bits = 24;
         k.no_deadline = 3000;
         k.submit = 8000;
         k.kernel_types = 4;
         k.groups = 12;
         k.slots = 6;
         k.update_period = 1000;
         k.prema_period = 1100;
         k.access = 60000;
         k.write = 8000;
         k.reconfigure = 800;
       }},
      {{"tokens", "PREMA with tokens that grow slowly: they decide, below the threshold too", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.isolated = 120 * 256;
         k.deadline_bits = 14;
         k.submit = 8000;
         k.prema_priority = 1;
         k.slots = 2;
         k.service = 1500;
         k.groups = 12;
         k.update_period = 1000;
         k.prema_period = 1300;
         k.poll_tables = true;
         k.acknowledge = 8000;
       }},
      {{"borders", "now jumps to shortly before multiples of powers of two: starts on both sides", false},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policies = 1U << 1U | 1U << 2U | 1U << 8U;
         k.leap = 400;
         k.leap_bits = 47;
         k.leap_kind = Leap::kBorder;
         k.no_deadline = 55000;
         k.deadline_bits = 31;
         k.age_bits = 1;
         k.groups = 4;
         k.slots = 2;
         k.service = 200;
         k.update_period = 1000;
         k.write = 8000;
         k.reconfigure = 4000;
       }},
      {{"waits", "PREMA with jumps of powers of two: tokens of one high bit", false},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.isolated = 256 * 256;
         k.kernels = k.groups = 1;
         k.full_list = 0;
         k.append = 0;
         k.no_deadline = kAlways;
         k.slots = 1;
         k.service = 1500;
         k.leap = 200;
         k.leap_bits = 24;
         k.leap_kind = Leap::kPower;
         k.update_period = k.prema_period = 1000;
         k.write = 0;
       }},
      {{"rankings", "PREMA with few rankings, and MLFQ after it: tokens below the threshold for long", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.policy = 7;
         k.policies = 1U << 6U | 1U << 7U;
         k.parse_grant = 300;
         k.deadline_bits = 16;
         k.no_deadline = 0;
         k.submit = 8000;
         k.slots = 1;
         k.service = 900;
         k.groups = 12;
         k.update_period = 1000;
         k.prema_period = 7000;
         k.write = 8000;
         k.reconfigure = 1500;
       }},
      {{"foreign", "completions of kernel types that have not started", false},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.kernel_types = 0;
         k.full_list = kAlways / 2;
         k.foreign = 4000;
         k.access = 40000;
         k.write = 30000;
         k.soft_reset = 300;
         k.update_period = 1000;
       }},
      {{"products", "lists and rates of every size, tables read", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.huge = 24000;
         k.preload = kAlways;
         k.update_period = 1000;
         k.deadline_bits = 32;
         k.write = 20000;
         k.access = 60000;
       }},
      {{"crowd", "bursts of short jobs that drift past the updates: as many wait as there can be", true},
       [](Knobs& k, const Params&) {
         enough_work(k);
         k.burst_period = 950;
         k.update_period = 1000;
         k.kernel_types = 0;
         k.kernels = k.groups = 1;
         k.service = 700;
         k.parse_latency = 0;
         k.beat = k.adm_ready = k.parse_grant = k.dispatch_grant = k.event = kAlways;
         k.adm_stall = 0;
         k.append = 0;
         k.access = k.acknowledge = kAlways;
       }}};
  return all;
}

const Entry& entry(std::string_view name) { return castor::tb::find_sequence(entries(), "lax", name); }

}  // namespace

const std::vector<SequenceInfo>& sequences() {
  static const std::vector<SequenceInfo> infos = castor::tb::sequence_infos(entries());
  return infos;
}

Knobs knobs_of(std::string_view name, const Params& params, std::uint64_t seed) {
  const Entry& found = entry(name);
  if (found.change == nullptr) {
    throw base::InputError("lax: the sequence '" + std::string(name) + "' has no knobs", "choose another sequence");
  }
  Knobs knobs = found.from_defaults ? Knobs{} : drawn(params, seed);
  found.change(knobs, params);
  return knobs;
}

std::unique_ptr<Sequence> make_sequence(std::string_view name, const Params& params, std::uint64_t seed) {
  if (entry(name).change == nullptr) return std::make_unique<Chaos>(params, seed);
  return make_environment(params, knobs_of(name, params, seed), seed);
}

std::unique_ptr<Sequence> make_environment(const Params& params, const Knobs& knobs, std::uint64_t seed) {
  return std::make_unique<Environment>(params, knobs, seed);
}

}  // namespace castor::lax::tb

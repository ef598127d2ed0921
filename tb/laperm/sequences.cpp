#include "tb/laperm/sequences.h"

#include "castor/base/rng.h"
#include "tb/laperm/environment.h"

namespace castor::laperm::tb {
namespace {

constexpr unsigned kRing = 8;       // log2 of the number of slots of a ring in memory
constexpr unsigned kRingLists = 3;  // number of lists in memory at once

/// Returns the number of items that fill the on-chip banks and the memory rings of kRingLists lists, plus a margin.
unsigned ring_items(const Params& params) { return kRingLists * (params.BankDepth + (2U << kRing) + 20); }

/// Draws a mix of traffic: few or many launches, one or all SMs launching, free or full SMs, fast or slow memory.
Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x6C61'7065'726DULL ^ 0x5FULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.ovf_log2 = pick({0, 1, 2, 5, params.OvfW, 31});
  knobs.no_memory = pick({0, 8192, 30000});
  knobs.settings = pick({300, 8192, kAlways});
  knobs.kernel = pick({300, 3000, 30000});
  knobs.grid = pick({1, 4, 40});
  knobs.orphan = pick({0, 3000, 30000, kAlways});
  knobs.launch = pick({3000, 20000, 50000});
  knobs.fan = pick({1, 3, 12, 40});
  knobs.volume = pick({1, 2, 8, 300});
  knobs.level = pick({1, params.LvlMax, 15});
  knobs.bind = pick({1, 2, 32});
  knobs.alive = pick({3, 20, 100, 600});
  knobs.burst = pick({0, 0, params.BankDepth + 1, 2 * params.BankDepth + 5});
  knobs.push = pick({5000, 50000, kAlways});
  knobs.slots = pick({1, 2, 4, 16});
  knobs.need = pick({0, 1, 4, 8});
  knobs.time = pick({1, 10, 60, 500});
  knobs.take = pick({10000, 60000, kAlways});
  knobs.stray = pick({0, 0, 20000});
  knobs.open = pick({10000, 62000, kAlways});
  knobs.reopen = pick({300, 4096, kAlways});
  knobs.quota = pick({20000, 62000, kAlways});
  knobs.requota = pick({300, 2048, kAlways});
  knobs.memory = pick({2000, 30000, kAlways});
  knobs.answer = pick({2000, 60000, kAlways});
  knobs.delay = pick({1, 3, 20, 200});
  knobs.rest = pick({0, 20, 1000});
  knobs.sizes = rng.below(4) == 0;
  if (rng.below(8) == 0) {
    knobs.tall = 8000;
    knobs.over = 400;
    knobs.rest = 0;  // a reset within an idle period would depend on whether the period is skipped
  }
  return knobs;
}

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void rules(Knobs& knobs) {
  knobs.break_push = 8000;
  knobs.break_reply = 2000;
  knobs.stray = 20000;
}

void resets(Knobs& knobs) {
  knobs.over = 600;
  knobs.rest = 0;
  knobs.huge = 2000;
  knobs.sizes = true;
}

/// Refused pushes whose needs differ from those of their kernel, while items of the kernel wait for SMs in use.
void other_needs(Knobs& knobs) {
  knobs.kernel = 20000;
  knobs.slots = 16;
  knobs.time = 100;
  knobs.rest = 0;
  knobs.break_push = 20000;
}

/// More items of one kernel than its counter can count.
void crowded(Knobs& knobs, const Params& params) {
  knobs.orphan = knobs.push = kAlways;
  knobs.level = params.LvlMax;
  knobs.alive = 1000;
  if (params.QcntW > 6) {  // else the items of all kernels reach the limit, one after another
    knobs.kernels = 1;
    knobs.kernel = 0;
    knobs.ovf_log2 = knobs.ovf_least = params.OvfW;
  }
  knobs.take = 1500;
  knobs.break_push = 3000;
}

/// Free resources on every SM, and all partners respond at once.
void hot(Knobs& knobs) {
  knobs.push = knobs.take = knobs.open = knobs.quota = knobs.memory = knobs.answer = kAlways;
  knobs.time = 2;
  knobs.need = 0;
  knobs.rest = 0;
}

/// Items of one thread block: lists become empty again and again.
void tails(Knobs& knobs) {
  hot(knobs);
  knobs.volume = knobs.grid = knobs.fan = 1;
  knobs.launch = 40000;
  knobs.kernel = 6000;
  knobs.orphan = 20000;
  knobs.alive = 6;
}

/// More items than a set has entries arrive before any thread block is placed.
void full(Knobs& knobs, const Params& params) {
  hot(knobs);
  knobs.burst = params.BankDepth + 1;
  knobs.alive = 3 * params.BankDepth;
  knobs.volume = 2;
  knobs.launch = 6000;
  knobs.bind = 1;
  knobs.level = params.LvlMax;
  knobs.delay = 3;
}

/// `full` on the last SM, where numbers of sets and lists are greatest.
void full_last(Knobs& knobs, const Params& params) {
  full(knobs, params);
  knobs.policy = 2;
  knobs.last_sms = true;
}

/// `full` with more items than all sets together hold.
void all_full(Knobs& knobs, const Params& params) {
  full(knobs, params);
  knobs.bind = 32;
  knobs.burst = params.sets() * params.BankDepth + 4;
  knobs.alive = 2 * knobs.burst;
  knobs.policy = 1;
  knobs.kernel = 0;  // a full queue 0 would hold up all further pushes
}

/// Returns the cycles of a long episode. At most one item is pushed every other cycle. After the last push all items
/// leave again; each has at most two thread blocks.
base::Cycle until_all_is_full(const Params& params) {
  const base::Cycle slots = params.sets() * params.BankDepth;
  return slots > 256 ? 5 * slots + 2'000 : 0;
}

/// Every set is full, and so are the lists in memory; pushes must wait.
void no_memory(Knobs& knobs, const Params& params) {
  full(knobs, params);
  knobs.no_memory = 40000;
  knobs.ovf_log2 = 1;
  knobs.orphan = 20000;
}

void overflow(Knobs& knobs, const Params& params) {
  knobs.ovf_log2 = params.OvfW;
  knobs.orphan = kAlways;
  knobs.alive = 500;
  knobs.bind = 2;
  knobs.volume = 2;
  knobs.slots = 8;
  knobs.time = 4;
  knobs.need = 0;
}

void slow_memory(Knobs& knobs, const Params& params) {
  overflow(knobs, params);
  knobs.memory = 1500;
  knobs.delay = 300;
  knobs.take = knobs.open = kAlways;
}

void quick_memory(Knobs& knobs, const Params& params) {
  overflow(knobs, params);
  hot(knobs);
  knobs.delay = 1;
  knobs.volume = 1;
}

void stuck_memory(Knobs& knobs, const Params& params) {
  overflow(knobs, params);
  knobs.memory = 60;
  knobs.answer = 600;
}

/// A set becomes empty while the rest of its items is still in memory.
void starving(Knobs& knobs, const Params& params) {
  full(knobs, params);
  knobs.policy = 3;
  knobs.level = 1;
  knobs.volume = 1;
  knobs.launch = 0;
  knobs.slots = 16;
  knobs.memory = 60;
}

/// All work is bound to the first SM; the policy decides whether other SMs may take it.
void one_set(Knobs& knobs) {
  hot(knobs);
  knobs.bind = 1;
  knobs.time = 30;
  knobs.slots = 2;
  knobs.launch = 40000;
}

/// Two SMs launch: backup sets become empty and change.
void thieves(Knobs& knobs) {
  one_set(knobs);
  knobs.policy = 3;
  knobs.bind = 2;
  knobs.volume = 3;
  knobs.kernel = 500;
  knobs.orphan = 6000;
}

void nested(Knobs& knobs) {
  hot(knobs);
  knobs.launch = 60000;
  knobs.fan = 2;
  knobs.volume = 2;
  knobs.kernel = 200;
  knobs.alive = 200;
  knobs.time = 12;
}

/// Heads of lists that do not fit while other items would.
void big(Knobs& knobs) {
  knobs.need = 8;
  knobs.slots = 3;
  knobs.kernel = 10000;
  knobs.time = 100;
}

void reluctant(Knobs& knobs) {
  knobs.take = 1500;
  knobs.stray = 30000;
  knobs.kernel = 10000;
}

void governed(Knobs& knobs) {
  knobs.open = 12000;
  knobs.reopen = 20000;
  knobs.quota = 30000;
  knobs.requota = 20000;
  knobs.kernel = 10000;
}

/// Only host kernels: queue 0 becomes full.
void hosts(Knobs& knobs) {
  knobs.kernel = kAlways;
  knobs.launch = 500;
  knobs.alive = 400;
  knobs.time = 100;
  knobs.grid = 3;
}

/// Short work, with changes of the settings between.
void policies(Knobs& knobs, const Params& params) {
  hot(knobs);
  knobs.settings = kAlways;
  knobs.kernel = 1500;
  knobs.launch = 12000;
  knobs.volume = knobs.grid = 3;
  knobs.ovf_log2 = 3;
  knobs.bind = 1;
  knobs.burst = params.BankDepth + 7;
  knobs.alive = params.BankDepth + 10;
}

void large(Knobs& knobs) {
  knobs.volume = knobs.grid = 4000;
  knobs.slots = 32;
  knobs.take = kAlways;
  knobs.sizes = true;
}

/// A list in memory with indices of more than 16 bits, and a host kernel with more than 2^16 thread blocks.
void deep(Knobs& knobs) {
  hot(knobs);
  knobs.policy = 2;
  knobs.ovf_log2 = knobs.ovf_least = 31;
  knobs.settings = 0;
  knobs.kernel = 8;
  knobs.grid_least = 65'600;
  knobs.orphan = kAlways;
  knobs.launch = 0;
  knobs.volume = knobs.level = knobs.bind = knobs.closed = 1;
  knobs.alive = 200'000;
  knobs.backlog = 4;
  knobs.slots = 16;
}

/// Returns the cycles of a long episode. An entry is written to memory every second cycle.
base::Cycle until_deep(const Params& params) { return params.OvfW > 16 || params.CntW > 16 ? 138'000 : 0; }

/// Dynamic items without a parent under one policy, and free resources on every SM.
void orphans_alone(Knobs& knobs, unsigned policy) {
  hot(knobs);
  knobs.policy = policy;
  knobs.settings = 0;
  knobs.kernel = knobs.launch = 0;
  knobs.orphan = kAlways;
  knobs.slots = 16;
}

/// Lists of three SMs in memory. Rings of 256 or more slots become full, become empty and fill again, with the maximum
/// number of reads in flight.
void rings(Knobs& knobs, const Params& params) {
  orphans_alone(knobs, 2);
  knobs.ovf_least = kRing;
  knobs.ovf_log2 = kRing + 1;
  knobs.orphan = 0;
  knobs.volume = knobs.level = 1;
  knobs.bind = kRingLists;
  knobs.burst = ring_items(params);
  knobs.alive = 20;
  knobs.delay = 400;
}

/// Returns the cycles of a long episode. One item arrives every second cycle, and one leaves in each rotation over the
/// SMs.
base::Cycle until_rings_are_empty(const Params& params) {
  return params.OvfW > kRing ? 2 * ring_items(params) + ring_items(params) / kRingLists * (params.NumSm + 2) * 3 / 2
                             : 0;
}

/// `rings` with rings of 32 to 128 slots.
void small_rings(Knobs& knobs, const Params& params) {
  rings(knobs, params);
  knobs.ovf_least = 5;
  knobs.ovf_log2 = 7;
  knobs.burst = kRingLists * (params.BankDepth + 150);
  knobs.settings = 1000;
}

/// Many sets fill and become empty: more than 255 slots are released and allocated again.
void given_back(Knobs& knobs) {
  orphans_alone(knobs, 1);
  knobs.orphan = 9000;
  knobs.volume = 1;
  knobs.level = 2;
  knobs.burst = 900;
  knobs.alive = 700;
}

/// Returns the cycles of a long episode, in which many slots are released and allocated again.
base::Cycle until_given_back(const Params& params) { return params.sets() * params.BankDepth > 512 ? 12'000 : 0; }

/// Items with more thread blocks than 12 bits can count, all of which are placed.
void long_items(Knobs& knobs) {
  orphans_alone(knobs, 1);
  knobs.alive = 2;
  knobs.volume_least = 4'097;
  knobs.volume = 5'000;
}

/// Returns the cycles of a long episode, in which several such items finish.
base::Cycle until_long_items_end(const Params& params) { return params.CntW > 12 ? 24'000 : 0; }

/// Items and host kernels whose numbers of thread blocks are small except for one upper bit. A reset ends them.
void high_bits(Knobs& knobs) {
  orphans_alone(knobs, 1);
  knobs.over = 120;
  knobs.tall = 20000;
  knobs.kernel = 6000;
  knobs.orphan = 3000;
  knobs.volume = knobs.grid = 2;
}

void sleepy(Knobs& knobs) {
  hot(knobs);
  knobs.kernel = 1000;
  knobs.launch = 6000;
  knobs.volume = knobs.grid = 2;
  knobs.time = 20;
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  static const Sequences all = {
      {"random", "a GPU with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, and inputs that must be refused or survived", kBreaksContract, With::drawn_and_changed<rules>},
      {"resets", "random, with resets in the middle of everything and items that do not end", kKeepsContract,
       With::drawn_and_changed<resets>},
      {"other_needs", "pushes that must be refused and have other needs than the items that wait", kBreaksContract,
       With::changed<other_needs>},
      {"crowded", "as many items as can be counted, and more", kBreaksContract, With::changed<crowded>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"tails", "items of one thread block: lists run empty as the next comes", kKeepsContract, With::changed<tails>},
      {"full", "more groups of one SM than its set holds before any is placed", kKeepsContract, With::changed<full>},
      {"full_last", "... of the last SM", kKeepsContract, With::changed<full_last>},
      {"all_full", "... more than all sets hold, under TB-Pri", kKeepsContract, With::changed<all_full>, 0,
       until_all_is_full},
      {"no_memory", "... with no memory behind them, or next to none", kKeepsContract, With::changed<no_memory>},
      {"overflow", "lists in memory that hardly run empty", kKeepsContract, With::changed<overflow>},
      {"slow_memory", "... and memory that takes its time", kKeepsContract, With::changed<slow_memory>},
      {"quick_memory", "... and memory that answers at once", kKeepsContract, With::changed<quick_memory>},
      {"stuck_memory", "... and memory that hardly ever takes anything", kKeepsContract, With::changed<stuck_memory>},
      {"starving", "... while sets have run empty", kKeepsContract, With::changed<starving>},
      {"one_set", "all work is bound to one SM", kKeepsContract, With::changed<one_set>},
      {"thieves", "two SMs launch, all others take what they can", kKeepsContract, With::changed<thieves>},
      {"nested", "launches deeper than there are levels", kKeepsContract, With::changed<nested>},
      {"big", "heads that do not fit", kKeepsContract, With::changed<big>},
      {"reluctant", "offers that are hardly ever taken", kKeepsContract, With::changed<reluctant>},
      {"governed", "SMs and kernels that are closed half the time", kKeepsContract, With::changed<governed>},
      {"hosts", "as many kernels of the host as there are entries", kKeepsContract, With::changed<hosts>},
      {"policies", "short work, policy and memory change in between", kKeepsContract, With::changed<policies>},
      {"large", "items of thousands of thread blocks", kKeepsContract, With::changed<large>},
      {"deep", "a list in memory and a kernel that need more than 16 bits", kKeepsContract, With::changed<deep>, 0,
       until_deep},
      {"rings", "lists in memory that fill their rings and empty them", kKeepsContract, With::changed<rings>, 0,
       until_rings_are_empty},
      {"small_rings", "... small rings", kKeepsContract, With::changed<small_rings>},
      {"given_back", "sets that fill and empty: slots are given back and out again", kKeepsContract,
       With::changed<given_back>, 0, until_given_back},
      {"long_items", "items of more than 4096 thread blocks, to their end", kKeepsContract, With::changed<long_items>,
       0, until_long_items_end},
      {"high_bits", "numbers of thread blocks that are small except for one high bit, and resets", kKeepsContract,
       With::changed<high_bits>},
      {"sleepy", "short work, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::laperm::tb

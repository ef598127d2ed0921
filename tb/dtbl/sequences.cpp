#include "tb/dtbl/sequences.h"

#include "castor/base/rng.h"
#include "tb/dtbl/environment.h"

namespace castor::dtbl::tb {
namespace {

/// Draws a mix of traffic: few or many kernels and groups, fast or slow memory, busy or idle SMs.
Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x6474'626C'5F6BULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.launch = pick({1000, 16000, kAlways});
  knobs.lanes = pick({1, 3, 8, 32});
  knobs.sms = pick({1, 13, 32});
  knobs.warps = pick({1, 2, 8, 64});
  knobs.groups = pick({2, 10, 60, 400});
  knobs.volume = pick({1, 1, 2, 5});
  knobs.solid = pick({0, 8192, kAlways});
  knobs.keys = pick({1, 2, 4, 12});
  knobs.mixed = pick({0, 8192, kAlways});
  knobs.kernel = pick({300, 2000, 20000});
  knobs.grid = pick({1, 3, 8});
  knobs.release = pick({100, 5000, kAlways});
  knobs.fits = pick({6000, 30000, 65000});
  knobs.refit = pick({500, 10000, kAlways});
  knobs.take = pick({10000, 50000, kAlways});
  knobs.time = pick({1, 8, 100, 1500});
  knobs.done = pick({10000, 60000, kAlways});
  knobs.memory = pick({3000, 30000, kAlways});
  knobs.delay = pick({1, 5, 60, 400});
  knobs.fallback = pick({3000, 30000, kAlways});
  knobs.rest = pick({0, 20, 1000});
  knobs.tall = pick({0, 0, 0, 2000});
  if (params.NumKde == 1) knobs.keys = pick({1, 2});
  // In some runs, kernels and groups have dimensions of any size; a reset ends those that would never finish.
  if (rng.below(4) == 0) {
    knobs.wide = 12000;
    knobs.over = 300;
    knobs.rest = 0;  // a reset within an idle period would depend on whether the period is skipped
  }
  return knobs;
}

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void rules(Knobs& knobs) {
  knobs.break_rule = 16000;
  knobs.withdraw = 1500;
  knobs.frame = 6000;
  knobs.empty = 8000;
}

void resets(Knobs& knobs) {
  knobs.over = 600;
  knobs.rest = 0;
  knobs.huge = knobs.tall = 4000;
}

void hot(Knobs& knobs) {
  knobs.launch = knobs.take = knobs.done = knobs.memory = knobs.fallback = kAlways;
  knobs.fits = 65000;
  knobs.time = 2;
  knobs.rest = 0;
}

/// One kernel and one thread block per group: the pool becomes empty again and again.
void tails(Knobs& knobs) {
  hot(knobs);
  knobs.launch = 20000;
  knobs.keys = 1;
  knobs.lanes = 3;
  knobs.volume = knobs.grid = 1;
  knobs.solid = 0;
  knobs.kernel = 1000;
  knobs.delay = 2;
}

/// Kernel entries are released as early as allowed, while searches find them.
void retire(Knobs& knobs) {
  hot(knobs);
  knobs.launch = 12000;
  knobs.volume = knobs.grid = knobs.time = 1;
  knobs.solid = 0;
  knobs.kernel = 20000;
  knobs.keys = 2;
  knobs.lanes = 2;
}

void chain(Knobs& knobs) {
  hot(knobs);
  knobs.keys = 1;
  knobs.lanes = 32;
  knobs.volume = 1;
  knobs.solid = 0;
  knobs.groups = 2000;
  knobs.time = 8;
  knobs.release = 0;
}

/// The group table is filled to its last entry and emptied again.
void full_table(Knobs& knobs) {
  hot(knobs);
  knobs.whole_warps = knobs.fill = true;
  knobs.keys = 1;
  knobs.mixed = 0;
  knobs.volume = 1;
  knobs.solid = 0;
  knobs.groups = ~0U;
  knobs.release = 0;
}

/// Cycles for some thousand groups, one per cycle, and as many completions.
constexpr base::Cycle kUntilFull = 24'000;

/// Every group of a thread except the first is in memory.
void in_memory(Knobs& knobs) {
  knobs.keys = 2;
  knobs.warps = 1;
  knobs.lanes = 2;
  knobs.launch = kAlways;
  knobs.time = 200;
  knobs.delay = 6;
  knobs.groups = 100;
}

void slow_memory(Knobs& knobs) {
  in_memory(knobs);
  knobs.memory = 600;
  knobs.delay = 400;
  knobs.take = kAlways;
  knobs.fits = 65000;
}

void quick_memory(Knobs& knobs) {
  in_memory(knobs);
  knobs.memory = kAlways;
  knobs.delay = 1;
  knobs.take = kAlways;
  knobs.volume = 1;
  knobs.solid = 0;
}

void no_kernel(Knobs& knobs) {
  knobs.kernel = 20;
  knobs.release = kAlways;
  knobs.lanes = 32;
  knobs.launch = kAlways;
}

/// The ordinals of fallbacks exceed the number of lanes of a warp.
void endless_commands(Knobs& knobs) {
  no_kernel(knobs);
  knobs.endless = 60000;
  knobs.mixed = 2000;
}

void full_commands(Knobs& knobs) {
  knobs.lanes = 32;
  knobs.launch = kAlways;
  knobs.mixed = 0;
  knobs.groups = 600;
  knobs.volume = 1;
  knobs.take = kAlways;
}

void two_keys(Knobs& knobs) {
  knobs.keys = 2;
  knobs.mixed = kAlways;
  knobs.lanes = 32;
  knobs.launch = kAlways;
  knobs.kernel = 6000;
}

void near_keys(Knobs& knobs) {
  knobs.keys = 40;
  knobs.kernel = 10000;
  knobs.release = 3000;
  knobs.launch = kAlways;
  knobs.lanes = 2;
}

/// All SMs launch from threads with the same number.
void same_thread(Knobs& knobs) {
  knobs.sms = 32;
  knobs.warps = 1;
  knobs.lanes = 1;
  knobs.launch = kAlways;
  knobs.keys = 1;
  knobs.groups = 400;
  knobs.time = 60;
}

void many_kernels(Knobs& knobs, const Params& params) {
  knobs.keys = params.NumKde + 2;
  knobs.kernel = 30000;
  knobs.time = 100;
  knobs.grid = 6;
  knobs.launch = kAlways;
  knobs.lanes = 4;
  knobs.fits = 40000;
}

void solid(Knobs& knobs) {
  knobs.solid = kAlways;
  knobs.volume = knobs.grid = 4;
  knobs.take = kAlways;
}

/// Long items that finish: carries and counts of many bits.
void rows(Knobs& knobs) {
  hot(knobs);
  knobs.row = 40000;
  knobs.keys = 2;
  knobs.lanes = 4;
  knobs.warps = 1;
  knobs.groups = 8;
  knobs.volume = knobs.grid = 2;
  knobs.memory = 30000;
}

void long_rows(Knobs& knobs) {
  rows(knobs);
  knobs.row = kAlways;
  knobs.long_row = kAlways;
}

/// Items of 2^17 thread blocks, one after another.
void longest_row(Knobs& knobs) {
  long_rows(knobs);
  knobs.long_bits = 17;
}

/// Items of 2^15 rows of one thread block, one after another.
void long_planes(Knobs& knobs) {
  long_rows(knobs);
  knobs.long_y = true;
  knobs.long_bits = 15;
  knobs.keys = 1;
}

/// Returns the cycles of a long episode. At most one thread block is placed per cycle, so some items of 2^15 or more
/// thread blocks finish, or one of 2^17.
base::Cycle until_rows_end(const Params& /*params*/) { return 150'000; }

/// Sizes of all bit lengths, from kernels, group table and memory; a reset ends items that would never finish.
void wide(Knobs& knobs) {
  hot(knobs);
  knobs.over = 200;
  knobs.wide = 20000;
  knobs.time = 40;
  knobs.keys = 2;
  knobs.lanes = 3;
  knobs.warps = 1;
  knobs.volume = knobs.grid = 2;
  knobs.kernel = 20000;
  knobs.delay = 4;
}

/// Numbers of thread blocks that are small except for one high bit, while thread blocks end at once.
void high_bits(Knobs& knobs) {
  wide(knobs);
  knobs.wide = 0;
  knobs.over = 150;
  knobs.tall = 40000;
  knobs.time = 1;
}

void completions(Knobs& knobs) {
  hot(knobs);
  knobs.keys = 1;
  knobs.lanes = 32;
  knobs.volume = 2;
  knobs.groups = 300;
  knobs.time = 30;
  knobs.release = 0;
}

void stuck(Knobs& knobs) {
  knobs.memory = knobs.fallback = 600;
  knobs.launch = kAlways;
  knobs.warps = 1;
  knobs.kernel = 1000;
}

void sleepy(Knobs& knobs) {
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
  knobs.launch = 500;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  static const Sequences all = {
      {"random", "a GPU with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, and inputs that must be refused or survived", kBreaksContract, With::drawn_and_changed<rules>},
      {"resets", "random, with resets in the middle of everything and groups that do not end", kKeepsContract,
       With::drawn_and_changed<resets>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"tails", "groups of one thread block: attached as the pool runs empty", kKeepsContract, With::changed<tails>},
      {"retire", "kernels end while searches find them and groups are on their way", kKeepsContract,
       With::changed<retire>},
      {"chain", "long pools of groups of one thread block", kKeepsContract, With::changed<chain>},
      {"full_table", "the table of groups filled to its last entry", kKeepsContract, With::changed<full_table>,
       kUntilFull},
      {"in_memory", "threads that launch again and again: groups in memory", kKeepsContract, With::changed<in_memory>},
      {"slow_memory", "... and memory that takes its time", kKeepsContract, With::changed<slow_memory>},
      {"quick_memory", "... and memory that answers at once", kKeepsContract, With::changed<quick_memory>},
      {"no_kernel", "hardly a kernel is resident: everything falls back", kKeepsContract, With::changed<no_kernel>},
      {"endless_commands", "... from commands that do not end after 32 groups", kBreaksContract,
       With::changed<endless_commands>},
      {"full_commands", "commands of up to 32 groups", kKeepsContract, With::changed<full_commands>},
      {"two_keys", "commands whose groups alternate between two kernels", kKeepsContract, With::changed<two_keys>},
      {"near_keys", "many kernels whose keys differ in one bit", kKeepsContract, With::changed<near_keys>},
      {"same_thread", "all SMs launch from threads of the same number", kKeepsContract, With::changed<same_thread>},
      {"many_kernels", "as many kernels as there are entries", kKeepsContract, With::changed<many_kernels>},
      {"solid", "kernels and groups of three dimensions", kKeepsContract, With::changed<solid>},
      {"rows", "kernels and groups of one long dimension", kKeepsContract, With::changed<rows>},
      {"long_rows", "... of up to 65,535 thread blocks", kKeepsContract, With::changed<long_rows>, 0, until_rows_end},
      {"longest_row", "... of 131,072 and a few", kKeepsContract, With::changed<longest_row>, 0, until_rows_end},
      {"long_planes", "... of 32,768 rows of one thread block", kKeepsContract, With::changed<long_planes>, 0,
       until_rows_end},
      {"high_bits", "groups whose numbers of thread blocks are small except for one high bit, and resets",
       kKeepsContract, With::changed<high_bits>},
      {"wide", "kernels and groups of all sizes, and resets as most do not end", kKeepsContract, With::changed<wide>},
      {"completions", "a completion in every cycle while groups are accepted", kKeepsContract,
       With::changed<completions>},
      {"stuck", "memory and launcher that hardly ever take anything", kKeepsContract, With::changed<stuck>},
      {"sleepy", "short work, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::dtbl::tb

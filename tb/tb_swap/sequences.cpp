#include "tb/tb_swap/sequences.h"

#include <algorithm>

#include "castor/base/rng.h"
#include "tb/tb_swap/environment.h"

namespace castor::tb_swap::tb {
namespace {

/// Draws a mix: short or long contexts, much or little storage, fast or slow memory, few or many jobs.
Knobs draw(const Params& /*params*/, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x7462'7377'6170ULL ^ 0x5FULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.warps = pick({1, 2, 4});
  knobs.regs = pick({1, 3, 8, 20});
  knobs.simt = pick({1, 2, 5});
  knobs.smem = pick({1, 3, 8, 30});
  knobs.no_smem = pick({0, 8192, 30000});
  knobs.slots = pick({1, 2, 4, 64});
  knobs.spare_rhomes = knobs.spare_shomes = pick({0, 1, 4});
  knobs.in_place = pick({0, 1, 3, 64});
  knobs.copies = pick({0, 1, 4, 64});
  knobs.live = pick({0, 49152, kAlways});
  knobs.read_only = pick({0, 32768, kAlways});
  knobs.jobs = pick({1, 10, 60});
  knobs.empty_mask = pick({2000, 30000});
  knobs.full_mask = pick({2000, 30000});
  knobs.job = pick({3000, 30000, kAlways});
  knobs.time = pick({0, 20, 200});
  knobs.ends = pick({2000, 12000, 50000});
  knobs.back = pick({20000, 60000});
  knobs.local_first = pick({0, 40000, kAlways});
  knobs.parked = pick({1, 5, 40});
  knobs.foreign = pick({0, 2000, 20000});
  knobs.depth = pick({0, 1, 4, 64});
  knobs.shut = pick({0, 6000, 40000});
  knobs.segment = pick({1000, 10000});
  knobs.parked_ready = pick({2000, 50000, kAlways});
  knobs.enter_ready = pick({2000, 50000, kAlways});
  knobs.access = pick({3000, 30000, kAlways});
  knobs.page = pick({3000, kAlways});
  knobs.page_delay = pick({0, 1, 100});
  knobs.delay = pick({0, 5, 60});
  knobs.busy = pick({0, 20000, 50000});
  knobs.retarget = pick({500, 5000, 40000});
  knobs.rest = pick({0, 20, 500});
  return knobs;
}

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void rules(Knobs& knobs) {
  knobs.break_rule = 8000;
  knobs.stray_load = 2000;
  knobs.early_load = 6000;
  knobs.restart = 100;
}

/// Jobs without pause, for contexts that already have one: all of the FIFO is used.
void crowded(Knobs& knobs) {
  knobs.break_rule = 40000;
  knobs.stray_load = 0;
  knobs.restart = 100;
  knobs.warps = knobs.simt = 1;
  knobs.regs = knobs.smem = 2;
  knobs.access = knobs.parked_ready = knobs.enter_ready = kAlways;
  knobs.depth = 1000;
  knobs.read_only = 50000;
  knobs.no_smem = 4000;
  knobs.rest = 0;
}

void crowded_copies(Knobs& knobs) {
  crowded(knobs);
  knobs.in_place = 0;
  knobs.copies = 64;
  knobs.no_smem = 20000;
}

void resets(Knobs& knobs) {
  knobs.over = 300;
  knobs.rest = 0;
}

/// Every handshake is ready, and contexts are short.
void hot(Knobs& knobs) {
  knobs.job = knobs.parked_ready = knobs.enter_ready = knobs.access = knobs.page = kAlways;
  knobs.warps = knobs.simt = 1;
  knobs.regs = knobs.smem = 3;
  knobs.time = knobs.page_delay = knobs.delay = 0;
  knobs.busy = 0;
  knobs.rest = 0;
}

/// Loads are performed before they have been accepted, and a context is filled with one on the port.
void early_loads(Knobs& knobs) {
  hot(knobs);
  knobs.regs = knobs.smem = 2;
  knobs.access = 20000;
  knobs.early_load = 30000;
  knobs.busy = 30000;
  knobs.retarget = 20000;
  knobs.restart = 200;
}

/// Segments that overlap, and that end behind the shared memory.
void far_segments(Knobs& knobs) {
  hot(knobs);
  knobs.slots = 3;
  knobs.in_place = 0;
  knobs.copies = 2;
  knobs.direction = 2;
  knobs.read_only = 60000;
  knobs.no_smem = 2000;
  knobs.smem = 20;
  knobs.jobs = 100;
  knobs.far_segment = 8000;
}

/// Kernels of a few dozen cycles: the next one starts in each state of both machines.
void restarts(Knobs& knobs) {
  hot(knobs);
  knobs.restart = 2500;
  knobs.sites = 1;
  knobs.regs = knobs.smem = 4;
  knobs.parked_ready = knobs.enter_ready = 30000;
  knobs.page = knobs.access = 50000;
  knobs.delay = 4;
  knobs.busy = 20000;
  knobs.foreign = 20000;
  knobs.ends = 20000;
}

/// Contexts of one line or a few: jobs end as the next ones begin.
void many_small(Knobs& knobs) {
  hot(knobs);
  knobs.regs = knobs.smem = 1;
  knobs.empty_mask = 40000;
  knobs.live = kAlways;
  knobs.jobs = 300;
}

/// More new thread blocks than there is storage on chip: it fills, and empties at the end of the kernel.
void filling(Knobs& knobs, const Params& params) {
  hot(knobs);
  knobs.back = 4000;
  knobs.ends = 0;
  knobs.parked = 120;
  knobs.jobs = 200;
  knobs.all_storage = true;
  knobs.slots = 1 + params.MaxTb / 4;
  knobs.spare_rhomes = knobs.spare_shomes = 64;
  knobs.in_place = 64;
  knobs.depth = 1000;
  knobs.shut = 0;
}

void filling_copies(Knobs& knobs, const Params& params) {
  filling(knobs, params);
  knobs.in_place = 1 + params.NumPlaces / 4;
  knobs.copies = 64;
  knobs.no_smem = 16384;
}

/// Thread blocks change places: one comes back for each that leaves, and few homes or places are free.
void exchanges(Knobs& knobs) {
  hot(knobs);
  knobs.back = 56000;
  knobs.all_storage = true;
  knobs.slots = 4;
  knobs.spare_rhomes = knobs.spare_shomes = 2;
  knobs.in_place = 3;
  knobs.copies = 2;
  knobs.parked = 5;
  knobs.ends = 1000;
  knobs.jobs = 200;
  knobs.depth = 1000;
  knobs.shut = 0;
}

/// No thread block stays in place: the registers, or the shared memory, go to the place.
void registers_to_places(Knobs& knobs) {
  exchanges(knobs);
  knobs.direction = 1;
  knobs.in_place = 0;
  knobs.copies = 4;
  knobs.spare_shomes = 3;
  knobs.no_smem = 20000;
}

void shared_to_places(Knobs& knobs) {
  registers_to_places(knobs);
  knobs.direction = 2;
  knobs.spare_rhomes = 3;
}

/// The commander keeps no local entry, or one.
void no_room(Knobs& knobs) {
  exchanges(knobs);
  knobs.all_storage = false;
  knobs.depth = 1;
  knobs.shut = 30000;
  knobs.reopen = 20000;
}

void to_memory(Knobs& knobs) {
  hot(knobs);
  knobs.in_place = knobs.copies = 0;
  knobs.jobs = 200;
  knobs.page = 40000;
  knobs.page_delay = 3;
}

/// Images come late: nothing else moves out meanwhile.
void late_pages(Knobs& knobs) {
  to_memory(knobs);
  knobs.page = 600;
  knobs.page_delay = 400;
  knobs.stray_page = 20000;
}

/// Requests of the SM are near the threshold, so accesses to memory pause and resume.
void throttled(Knobs& knobs) {
  exchanges(knobs);
  knobs.busy = 50000;
  knobs.retarget = 20000;
  knobs.shut = 30000;
  knobs.reopen = 6000;
  knobs.regs = knobs.smem = 8;
  knobs.jobs = 100;
  knobs.rest = 0;
}

/// The last store of a thread block is not accepted for a long time.
void last_store_waits(Knobs& knobs) {
  hot(knobs);
  knobs.last_stall = 100;
  knobs.parked_ready = 40000;
  knobs.jobs = 100;
}

void slow_port(Knobs& knobs) {
  knobs.access = 2000;
  knobs.local_access = 20000;
  knobs.smem = 3;
  knobs.regs = 3;
}

/// The commander accepts nothing for long.
void slow_commander(Knobs& knobs) {
  hot(knobs);
  knobs.parked_ready = knobs.enter_ready = 1500;
  knobs.jobs = 100;
}

void read_only(Knobs& knobs) {
  exchanges(knobs);
  knobs.in_place = 1;
  knobs.read_only = kAlways;
  knobs.no_smem = 0;
  knobs.smem = 12;
  knobs.segment = 30000;
  knobs.time = 60;
  knobs.delay = 6;
}

/// Loads take long: thread blocks wait for them.
void slow_loads(Knobs& knobs) {
  to_memory(knobs);
  knobs.delay = 200;
  knobs.read_only = 50000;
  knobs.back = 60000;
}

/// Warps and registers of a large thread block: registers beyond 64 and 128.
void many_registers(Knobs& knobs) {
  hot(knobs);
  knobs.regs = 256;
  knobs.warps = 4;
  knobs.full_mask = 2000;
  knobs.empty_mask = 2000;
  knobs.live = 60000;
  knobs.all_registers = 1000;
  knobs.time = 50;
}

/// Contexts of tens to hundreds of lines.
void long_contexts(Knobs& knobs) {
  hot(knobs);
  knobs.warps = 32;
  knobs.regs = 12;
  knobs.simt = 63;
  knobs.smem = 300;
  knobs.time = 50;
}

/// Contexts as long as they can be; no load is performed before the last one is requested.
void longest_contexts(Knobs& knobs) {
  long_contexts(knobs);
  knobs.longest = knobs.hold = true;
  knobs.regs = 256;
  knobs.smem = 2047;
  knobs.no_smem = 2000;
  knobs.read_only = 0;
  knobs.back = 60000;
  knobs.full_mask = 40000;
  knobs.empty_mask = 1000;
}

/// Cycles for two contexts out and in again at these parameters, with as many performed loads.
base::Cycle until_longest_end(const Params& params) { return 8 * (2110 + 32 * base::Cycle{params.NumRegs}); }

/// Many sites, and jobs that name all of them and some that do not exist.
void sites(Knobs& knobs) {
  hot(knobs);
  knobs.live = kAlways;
  knobs.sites = 200;
  knobs.regs = 10;
  knobs.all_registers = 2000;
  knobs.jobs = 150;
  knobs.in_place = 0;
}

void sleepy(Knobs& knobs) {
  hot(knobs);
  knobs.job = 800;
  knobs.segment = 300;
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
  knobs.time = 10;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  static const Sequences all = {
      {"random", "an SM with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, and inputs that make no sense", kBreaksContract, With::drawn_and_changed<rules>},
      {"crowded", "jobs for contexts that have one, in every other cycle", kBreaksContract, With::changed<crowded>},
      {"crowded_copies", "... with places for copies alone", kBreaksContract, With::changed<crowded_copies>},
      {"early_loads", "loads that are performed before they are accepted", kBreaksContract, With::changed<early_loads>},
      {"far_segments", "segments that overlap or end behind the shared memory", kBreaksContract,
       With::changed<far_segments>},
      {"restarts", "kernels that start while thread blocks move", kBreaksContract, With::changed<restarts>},
      {"resets", "random, with resets in the middle of everything", kKeepsContract, With::drawn_and_changed<resets>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"many_small", "contexts of a few lines, one after another", kKeepsContract, With::changed<many_small>},
      {"filling", "homes and places fill, then empty", kKeepsContract, With::changed<filling>},
      {"filling_copies", "... most of them places for copies", kKeepsContract, With::changed<filling_copies>},
      {"exchanges", "one comes back for each that leaves, with little storage", kKeepsContract,
       With::changed<exchanges>},
      {"registers_to_places", "... registers go to places", kKeepsContract, With::changed<registers_to_places>},
      {"shared_to_places", "... shared memory goes to places", kKeepsContract, With::changed<shared_to_places>},
      {"no_room", "... and the commander keeps hardly a local entry", kKeepsContract, With::changed<no_room>},
      {"to_memory", "all contexts go to memory", kKeepsContract, With::changed<to_memory>},
      {"late_pages", "... and images come late", kKeepsContract, With::changed<late_pages>},
      {"throttled", "requests of the SM near the threshold", kKeepsContract, With::changed<throttled>},
      {"last_store_waits", "the last store is not accepted for 100 cycles", kKeepsContract,
       With::changed<last_store_waits>},
      {"slow_port", "accesses that are hardly ever accepted", kKeepsContract, With::changed<slow_port>},
      {"slow_commander", "entries and contexts that are hardly ever accepted", kKeepsContract,
       With::changed<slow_commander>},
      {"read_only", "read-only segments at both ends, adjacent, of one line and of all", kKeepsContract,
       With::changed<read_only>},
      {"slow_loads", "loads that take long", kKeepsContract, With::changed<slow_loads>},
      {"many_registers", "all registers of a thread", kKeepsContract, With::changed<many_registers>},
      {"long_contexts", "contexts of hundreds of lines", kKeepsContract, With::changed<long_contexts>},
      {"longest_contexts", "... of thousands, with all loads outstanding", kKeepsContract,
       With::changed<longest_contexts>, 0, until_longest_end},
      {"sites", "many sites, named and not", kKeepsContract, With::changed<sites>},
      {"sleepy", "few jobs, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::tb_swap::tb

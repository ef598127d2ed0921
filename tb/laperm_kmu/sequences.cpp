#include "tb/laperm_kmu/sequences.h"

#include "castor/base/rng.h"
#include "tb/laperm_kmu/environment.h"

namespace castor::laperm_kmu::tb {
namespace {

/// Draws a mix of traffic: few or many launches, one or all SMs launching, fast or slow parse lanes, small or large
/// table.
Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x6B6D'75ULL ^ 0x5FULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.launch = pick({0, 300, 8000, 40000, kAlways});
  knobs.level = pick({1, 2, params.LvlMax, 15});
  knobs.bind = pick({1, 2, 32});
  knobs.burst = pick({0, 0, 5, 80});
  knobs.alive = pick({1, 10, 100, 1000});
  knobs.host = pick({0, 300, 8000, kAlways});
  knobs.queues = pick({1, 2, 8, 128});
  knobs.suspend = pick({0, 100, 2000, 20000});
  knobs.entries = pick({1, 2, 8, 32});
  knobs.time = pick({1, 10, 100, 1000});
  knobs.lane = pick({3000, 50000, kAlways});
  knobs.interval = pick({1, 1, 7, 60});
  knobs.drop = pick({0, 0, 500, 20000});
  knobs.take_back = pick({0, 0, 3000});
  knobs.drop_found = pick({0, 0, 5000});
  knobs.rest = pick({0, 20, 1000});
  knobs.all_queues = pick({0, 0, 300});
  return knobs;
}

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void rules(Knobs& knobs) {
  knobs.stray = 20000;
  knobs.glitch = 12000;
}

void resets(Knobs& knobs) {
  knobs.over = 300;
  knobs.rest = 0;
}

/// A parse lane and a kernel table entry are always free.
void hot(Knobs& knobs) {
  knobs.launch = knobs.lane = kAlways;
  knobs.entries = 64;
  knobs.time = 20;
  knobs.rest = 0;
}

/// Launches from all SMs and levels.
void wide(Knobs& knobs) {
  hot(knobs);
  knobs.burst = 200;
  knobs.alive = 400;
}

/// One launch at a time: most levels of the SM are empty.
void lone(Knobs& knobs) {
  hot(knobs);
  knobs.launch = 6000;
  knobs.alive = 2;
  knobs.host = 4000;
}

/// The table is full most of the time, and launches of higher levels arrive meanwhile.
void full_table(Knobs& knobs) {
  hot(knobs);
  knobs.entries = 2;
  knobs.time = 60;
  knobs.alive = 200;
  knobs.burst = 20;
  knobs.bind = 3;
}

void one_sm(Knobs& knobs) {
  hot(knobs);
  knobs.bind = 1;
}

/// Lists become empty during the search, and offered sources disappear.
void vanishing(Knobs& knobs) {
  knobs.launch = 40000;
  knobs.alive = 12;
  knobs.drop = 50000;
  knobs.drop_found = 20000;
  knobs.take_back = 20000;
  knobs.suspend = 3000;
  knobs.host = 20000;
  knobs.lane = 20000;
  knobs.rest = 0;
}

/// Offers wait for a parse lane.
void slow_lanes(Knobs& knobs) {
  knobs.interval = 80;
  knobs.alive = 30;
  knobs.take_back = 500;
}

/// Host queues only, apart from few launches.
void hosts(Knobs& knobs) {
  hot(knobs);
  knobs.launch = 200;
  knobs.host = kAlways;
  knobs.all_queues = 600;
}

void few_hosts(Knobs& knobs) {
  hosts(knobs);
  knobs.host = 6000;
  knobs.take_back = 10000;
}

/// Two ready host queues at a time, any distance apart.
void two_hosts(Knobs& knobs) {
  hot(knobs);
  knobs.launch = knobs.host = 0;
  knobs.pairs = 12000;
}

/// Suspended thread blocks, which have priority, together with launches and host queues.
void suspended(Knobs& knobs) {
  hot(knobs);
  knobs.suspend = 30000;
  knobs.host = 30000;
  knobs.launch = 20000;
}

void sleepy(Knobs& knobs) {
  knobs.launch = knobs.host = 2000;
  knobs.time = 10;
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  static const Sequences all = {
      {"random", "a launcher with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, with grants of nothing and sources that come and go", kBreaksContract,
       With::drawn_and_changed<rules>},
      {"resets", "random, with resets in the middle of everything", kKeepsContract, With::drawn_and_changed<resets>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"wide", "launches of all SMs and levels, taken at once", kKeepsContract, With::changed<wide>},
      {"lone", "launches that come alone", kKeepsContract, With::changed<lone>},
      {"full_table", "a small table that is full as higher levels arrive", kKeepsContract, With::changed<full_table>},
      {"one_sm", "all launches are of one SM", kKeepsContract, With::changed<one_sm>},
      {"vanishing", "sources that go while they are looked for or offered", kKeepsContract, With::changed<vanishing>},
      {"slow_lanes", "offers that wait for a parse lane", kKeepsContract, With::changed<slow_lanes>},
      {"hosts", "queues of the host, nearly alone", kKeepsContract, With::changed<hosts>},
      {"few_hosts", "... few of them ready at a time", kKeepsContract, With::changed<few_hosts>},
      {"two_hosts", "... two at a time, any distance apart", kKeepsContract, With::changed<two_hosts>},
      {"suspended", "suspended blocks, launches and queues together", kKeepsContract, With::changed<suspended>},
      {"sleepy", "little to do, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::laperm_kmu::tb

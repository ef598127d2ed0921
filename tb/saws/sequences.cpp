#include "tb/saws/sequences.h"

#include <algorithm>

#include "castor/base/rng.h"
#include "tb/saws/environment.h"
#include "tb/saws/scripts.h"

namespace castor::saws::tb {
namespace {

/// Draws a mix of traffic: few or many CTAs, dense or rare barriers, busy or stalled warps.
Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x736177735F6BULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  knobs.mode = pick({kRandom, kRandom, 0, 1, 2});
  knobs.kernel_ctas = pick({4, 20, 200});
  knobs.place = pick({2000, 20000, kAlways});
  knobs.free = pick({2000, 20000, kAlways});
  knobs.ctas = pick({1, 3, 64, 64});
  knobs.most_warps = pick({1, 2, 5, 8, params.NumWarps});
  knobs.least_warps = pick({1, 1, 2, knobs.most_warps});
  knobs.scattered = pick({0, 8192, kAlways});
  knobs.swap = pick({0, 0, 200, 2000});
  knobs.swap_issuing = pick({0, 0, 500});
  knobs.burst = pick({0, 0, 100});
  knobs.barriers = pick({1, 6, 30});
  knobs.work = pick({0, 3, 20});
  knobs.named = pick({0, 8192, 40000});
  knobs.arrive = pick({0, 16384, kAlways});
  knobs.early_exit = pick({0, 8192, 30000});
  knobs.sleeper = pick({0, 0, 8000});
  knobs.stall = pick({0, 12000, 50000});
  knobs.stall_cycles = pick({2, 30, 300});
  knobs.acknowledge = pick({10000, 60000, kAlways});
  knobs.late = pick({0, 8192, 30000});
  knobs.in_step = pick({1, 1, 4, 16});
  knobs.rest = pick({0, 20, 1000});
  return knobs;
}

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void barrier_after_barrier(Knobs& knobs) {
  knobs.work = 0;
  knobs.barriers = 60;
  knobs.early_exit = knobs.named = 0;
  knobs.stall = 0;
  knobs.acknowledge = kAlways;
}

void rules(Knobs& knobs) {
  knobs.break_rule = 16000;
  knobs.restart = 60;
  knobs.ignore_ready = 16000;
  knobs.free_with_event = 3000;
  knobs.swap = std::max(knobs.swap, 300U);
}

void storm(Knobs& knobs) { barrier_after_barrier(knobs); }

void one_cta(Knobs& knobs, const Params& params) {
  barrier_after_barrier(knobs);
  knobs.least_warps = knobs.most_warps = params.NumWarps;
}

void two_ctas(Knobs& knobs, const Params& params) {
  barrier_after_barrier(knobs);
  knobs.least_warps = knobs.most_warps = std::max(1U, params.NumWarps / 2);
  knobs.kernel_ctas = 8;
}

void small_ctas(Knobs& knobs, const Params& params) {
  barrier_after_barrier(knobs);
  knobs.least_warps = knobs.most_warps = std::min(2U, params.NumWarps);
  knobs.scattered = 0;
  knobs.kernel_ctas = 200;
  knobs.place = kAlways;
  knobs.free = 6000;
}

void single_warps(Knobs& knobs) {
  knobs.least_warps = knobs.most_warps = 1;
  knobs.place = kAlways;
  knobs.free = 8000;
  knobs.kernel_ctas = 400;
  knobs.work = 20;
}

void odd_ctas(Knobs& knobs, const Params& params) {
  knobs.least_warps = 1;
  knobs.most_warps = std::min(5U, params.NumWarps);
  knobs.scattered = kAlways;
}

void in_step(Knobs& knobs) {
  knobs.in_step = 12;
  knobs.work = 1;
  knobs.stall = 0;
  knobs.early_exit = 16000;
  knobs.acknowledge = kAlways;
}

void exits(Knobs& knobs) {
  knobs.early_exit = 40000;
  knobs.work = 1;
  knobs.in_step = 4;
  knobs.place = kAlways;
}

void groups(Knobs& knobs, const Params& params) {
  knobs.named = 50000;
  knobs.arrive = 30000;
  knobs.most_warps = std::max(1U, params.NumWarps / 2);
  knobs.barriers = 20;
}

void no_barriers(Knobs& knobs) {
  knobs.barriers = 0;
  knobs.work = 200;
  knobs.mode = 1;
  knobs.late = 0;
}

void toggling(Knobs& knobs) {
  barrier_after_barrier(knobs);
  knobs.work = 3;
  knobs.mode = 1;
  knobs.toggle = 1;
  knobs.kernel_ctas = 1000;
}

void not_toggling(Knobs& knobs) {
  barrier_after_barrier(knobs);
  knobs.work = 3;
  knobs.mode = 1;
  knobs.toggle = 0;
  knobs.kernel_ctas = 1000;
}

void starvation(Knobs& knobs) {
  barrier_after_barrier(knobs);
  knobs.sleeper = 22000;
  knobs.ctas = 3;
  knobs.kernel_ctas = 30;
  knobs.mode = 1;
}

void late(Knobs& knobs) {
  knobs.late = 40000;
  knobs.work = 40;
  knobs.named = 30000;
  knobs.mode = 1;
  knobs.kernel_ctas = 6;
}

void no_greedy(Knobs& knobs) {
  knobs.late = 20000;
  knobs.acknowledge = 0;
  knobs.mode = 1;
  knobs.kernel_ctas = 6;
}

void switches(Knobs& knobs) {
  knobs.mode = 1;
  knobs.kernel_ctas = 3;
  knobs.before = kAlways;
  knobs.place = kAlways;
  knobs.free = kAlways;
  knobs.barriers = 2;
  knobs.work = 3;
  knobs.acknowledge = kAlways;
  knobs.swap_issuing = 3000;
  knobs.late = 4000;
}

void swaps(Knobs& knobs) {
  knobs.swap = 3000;
  knobs.swap_issuing = 6000;
  knobs.place = kAlways;
  knobs.acknowledge = kAlways;
  knobs.stall = 2000;
  knobs.work = 12;
}

void bursts(Knobs& knobs, const Params& params) {
  barrier_after_barrier(knobs);
  knobs.mode = 1;
  knobs.work = 1;
  knobs.burst = 3000;
  knobs.kernel_ctas = 400;
  knobs.most_warps = std::max(2U, params.NumWarps / 8);
  knobs.most_warps = std::min(knobs.most_warps, params.NumWarps);
  knobs.late = 30000;
}

void gto(Knobs& knobs) {
  barrier_after_barrier(knobs);
  knobs.mode = 0;
}

void always(Knobs& knobs) {
  knobs.mode = 2;
  knobs.kernel_ctas = 8;
}

void restarts(Knobs& knobs) {
  knobs.restart = 1500;
  knobs.late = 30000;
  knobs.place = kAlways;
  knobs.burst = 300;
}

void overflow(Knobs& knobs) {
  barrier_after_barrier(knobs);
  knobs.ignore_ready = kAlways;
  knobs.late = 50000;
  knobs.burst = 2000;
  knobs.mode = 1;
  knobs.kernel_ctas = 400;
}

/// CTAs with a warp on every scheduler reach their first barrier, some of them late, so the promotion register reaches
/// its maximum. Afterwards the warps resume, wait in groups and exit, and the CTAs are freed.
void all_promoted(Knobs& knobs, const Params& params) {
  small_ctas(knobs, params);
  knobs.mode = 2;
  knobs.toggle = 0;
  knobs.before = 0;
  knobs.least_warps = knobs.most_warps = std::min(params.NumWarps, std::max(params.NumSched, 2U));
  knobs.named = 30000;
  knobs.absent = kAlways;
  knobs.free = 6000;
  knobs.late = 0;
  knobs.stall = kAlways;
  knobs.stall_cycles = 100;
}

void sleepy(Knobs& knobs) {
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract, castor::tb::made_of;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  static const Sequences all = {
      {"random", "an SM with knobs drawn from the seed", kKeepsContract, With::drawn},
      {"rules", "random, and inputs that must be refused or survived", kBreaksContract, With::drawn_and_changed<rules>},
      {"chaos", "inputs without sense or order", kBreaksContract, made_of<Block, Chaos>},
      {"example", "the worked example of two schedulers, without and with toggling", kBreaksContract,
       made_of<Block, Example>},
      {"busy", "default traffic", kKeepsContract, With::defaults},
      {"storm", "every instruction is a barrier", kKeepsContract, With::changed<storm>},
      {"one_cta", "one CTA of all warps, barrier after barrier", kKeepsContract, With::changed<one_cta>},
      {"two_ctas", "two CTAs of half the warps each, barrier after barrier", kKeepsContract, With::changed<two_ctas>},
      {"small_ctas", "CTAs of two warps, barrier after barrier", kKeepsContract, With::changed<small_ctas>},
      {"single_warps", "CTAs of one warp: the longest lists", kKeepsContract, With::changed<single_warps>},
      {"odd_ctas", "CTAs of 1, 3 and 5 warps", kKeepsContract, With::changed<odd_ctas>},
      {"in_step", "all schedulers issue their barriers and exits in the same cycles", kKeepsContract,
       With::changed<in_step>},
      {"exits", "warps exit while others wait", kKeepsContract, With::changed<exits>},
      {"groups", "named barriers of groups, and warps that only arrive", kKeepsContract, With::changed<groups>},
      {"no_barriers", "kernels without a barrier", kKeepsContract, With::changed<no_barriers>},
      {"toggling", "long kernels, every other barrier promotes", kKeepsContract, With::changed<toggling>},
      {"not_toggling", "long kernels, every barrier promotes", kKeepsContract, With::changed<not_toggling>},
      {"starvation", "CTAs that wait for memory beside others that go from barrier to barrier", kKeepsContract,
       With::changed<starvation>},
      {"late", "barriers are reported of warps that are not picked", kKeepsContract, With::changed<late>},
      {"no_greedy", "nothing is ever acknowledged: the switch finds no greedy warp", kKeepsContract,
       With::changed<no_greedy>},
      {"switches", "short kernels that switch while warps issue and CTAs come and go", kKeepsContract,
       With::changed<switches>},
      {"swaps", "CTAs are freed in the cycles in which their warps issue, and placed again", kKeepsContract,
       With::changed<swaps>},
      {"bursts", "CTA operations in many consecutive cycles while messages wait", kKeepsContract,
       With::changed<bursts>},
      {"gto", "plain GTO under barriers", kKeepsContract, With::changed<gto>},
      {"always", "SAWS from the start", kKeepsContract, With::changed<always>},
      {"restarts", "kernels start in the middle of everything", kBreaksContract, With::changed<restarts>},
      {"overflow", "barriers and exits although wev_ready is 0", kBreaksContract, With::changed<overflow>},
      {"all_promoted", "every thread block is promoted before one leaves", kKeepsContract, With::changed<all_promoted>},
      {"sleepy", "short work, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::saws::tb

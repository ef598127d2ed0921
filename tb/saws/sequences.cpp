#include "tb/saws/sequences.h"

#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/base/rng.h"
#include "tb/common/sequence_table.h"
#include "tb/saws/environment.h"
#include "tb/saws/scripts.h"

namespace castor::saws::tb {
namespace {

/// Mixes of traffic: few and many CTAs, dense and rare barriers, busy and stalled warps.
Knobs drawn(const Params& params, std::uint64_t seed) {
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

struct Entry {
  SequenceInfo info;
  /// Changes to drawn knobs, or to the defaults if `from_defaults`.
  void (*change)(Knobs& knobs, const Params& params);
  bool from_defaults = true;
};

void barrier_after_barrier(Knobs& knobs) {
  knobs.work = 0;
  knobs.barriers = 60;
  knobs.early_exit = knobs.named = 0;
  knobs.stall = 0;
  knobs.acknowledge = kAlways;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"random", "an SM with knobs drawn from the seed", true}, [](Knobs&, const Params&) {}, false},
      {{"rules", "random, and inputs that must be refused or survived", false},
       [](Knobs& k, const Params&) {
         k.break_rule = 16000;
         k.restart = 60;
         k.ignore_ready = 16000;
         k.free_with_event = 3000;
         k.swap = std::max(k.swap, 300U);
       },
       false},
      {{"chaos", "inputs without sense or order", false}, nullptr},
      {{"example", "the worked example of two schedulers, without and with toggling", false}, nullptr},
      {{"busy", "default traffic", true}, [](Knobs&, const Params&) {}},
      {{"storm", "every instruction is a barrier", true}, [](Knobs& k, const Params&) { barrier_after_barrier(k); }},
      {{"one_cta", "one CTA of all warps, barrier after barrier", true},
       [](Knobs& k, const Params& p) {
         barrier_after_barrier(k);
         k.least_warps = k.most_warps = p.NumWarps;
       }},
      {{"two_ctas", "two CTAs of half the warps each, barrier after barrier", true},
       [](Knobs& k, const Params& p) {
         barrier_after_barrier(k);
         k.least_warps = k.most_warps = std::max(1U, p.NumWarps / 2);
         k.kernel_ctas = 8;
       }},
      {{"small_ctas", "CTAs of two warps, barrier after barrier", true},
       [](Knobs& k, const Params& p) {
         barrier_after_barrier(k);
         k.least_warps = k.most_warps = std::min(2U, p.NumWarps);
         k.scattered = 0;
         k.kernel_ctas = 200;
         k.place = kAlways;
         k.free = 6000;
       }},
      {{"single_warps", "CTAs of one warp: the longest lists", true},
       [](Knobs& k, const Params&) {
         k.least_warps = k.most_warps = 1;
         k.place = kAlways;
         k.free = 8000;
         k.kernel_ctas = 400;
         k.work = 20;
       }},
      {{"odd_ctas", "CTAs of 1, 3 and 5 warps", true},
       [](Knobs& k, const Params& p) {
         k.least_warps = 1;
         k.most_warps = std::min(5U, p.NumWarps);
         k.scattered = kAlways;
       }},
      {{"in_step", "all schedulers issue their barriers and exits in the same cycles", true},
       [](Knobs& k, const Params&) {
         k.in_step = 12;
         k.work = 1;
         k.stall = 0;
         k.early_exit = 16000;
         k.acknowledge = kAlways;
       }},
      {{"exits", "warps exit while others wait", true},
       [](Knobs& k, const Params&) {
         k.early_exit = 40000;
         k.work = 1;
         k.in_step = 4;
         k.place = kAlways;
       }},
      {{"groups", "named barriers of groups, and warps that only arrive", true},
       [](Knobs& k, const Params& p) {
         k.named = 50000;
         k.arrive = 30000;
         k.most_warps = std::max(1U, p.NumWarps / 2);
         k.barriers = 20;
       }},
      {{"no_barriers", "kernels without a barrier", true},
       [](Knobs& k, const Params&) {
         k.barriers = 0;
         k.work = 200;
         k.mode = 1;
         k.late = 0;
       }},
      {{"toggling", "long kernels, every other barrier promotes", true},
       [](Knobs& k, const Params&) {
         barrier_after_barrier(k);
         k.work = 3;
         k.mode = 1;
         k.toggle = 1;
         k.kernel_ctas = 1000;
       }},
      {{"not_toggling", "long kernels, every barrier promotes", true},
       [](Knobs& k, const Params&) {
         barrier_after_barrier(k);
         k.work = 3;
         k.mode = 1;
         k.toggle = 0;
         k.kernel_ctas = 1000;
       }},
      {{"starvation", "CTAs that wait for memory beside others that go from barrier to barrier", true},
       [](Knobs& k, const Params&) {
         barrier_after_barrier(k);
         k.sleeper = 22000;
         k.ctas = 3;
         k.kernel_ctas = 30;
         k.mode = 1;
       }},
      {{"late", "barriers are reported of warps that are not picked", true},
       [](Knobs& k, const Params&) {
         k.late = 40000;
         k.work = 40;
         k.named = 30000;
         k.mode = 1;
         k.kernel_ctas = 6;
       }},
      {{"no_greedy", "nothing is ever acknowledged: the switch finds no greedy warp", true},
       [](Knobs& k, const Params&) {
         k.late = 20000;
         k.acknowledge = 0;
         k.mode = 1;
         k.kernel_ctas = 6;
       }},
      {{"switches", "short kernels that switch while warps issue and CTAs come and go", true},
       [](Knobs& k, const Params&) {
         k.mode = 1;
         k.kernel_ctas = 3;
         k.before = kAlways;
         k.place = kAlways;
         k.free = kAlways;
         k.barriers = 2;
         k.work = 3;
         k.acknowledge = kAlways;
         k.swap_issuing = 3000;
         k.late = 4000;
       }},
      {{"swaps", "CTAs are freed in the cycles in which their warps issue, and placed again", true},
       [](Knobs& k, const Params&) {
         k.swap = 3000;
         k.swap_issuing = 6000;
         k.place = kAlways;
         k.acknowledge = kAlways;
         k.stall = 2000;
         k.work = 12;
       }},
      {{"bursts", "CTA operations in many consecutive cycles while messages wait", true},
       [](Knobs& k, const Params& p) {
         barrier_after_barrier(k);
         k.mode = 1;
         k.work = 1;
         k.burst = 3000;
         k.kernel_ctas = 400;
         k.most_warps = std::max(2U, p.NumWarps / 8);
         k.most_warps = std::min(k.most_warps, p.NumWarps);
         k.late = 30000;
       }},
      {{"gto", "plain GTO under barriers", true},
       [](Knobs& k, const Params&) {
         barrier_after_barrier(k);
         k.mode = 0;
       }},
      {{"always", "SAWS from the start", true},
       [](Knobs& k, const Params&) {
         k.mode = 2;
         k.kernel_ctas = 8;
       }},
      {{"restarts", "kernels start in the middle of everything", false},
       [](Knobs& k, const Params&) {
         k.restart = 1500;
         k.late = 30000;
         k.place = kAlways;
         k.burst = 300;
       }},
      {{"overflow", "barriers and exits although wev_ready is 0", false},
       [](Knobs& k, const Params&) {
         barrier_after_barrier(k);
         k.ignore_ready = kAlways;
         k.late = 50000;
         k.burst = 2000;
         k.mode = 1;
         k.kernel_ctas = 400;
       }},
      {{"sleepy", "short work, then long rest", true}, [](Knobs& k, const Params&) {
         k.rest = 3000;
         k.rest_cycles = 400;
       }}};
  return all;
}

const Entry& entry(std::string_view name) { return castor::tb::find_sequence(entries(), "saws", name); }

}  // namespace

const std::vector<SequenceInfo>& sequences() {
  static const std::vector<SequenceInfo> infos = castor::tb::sequence_infos(entries());
  return infos;
}

std::unique_ptr<Sequence> make_sequence(std::string_view name, const Params& params, std::uint64_t seed) {
  const Entry& found = entry(name);
  if (name == "chaos") return std::make_unique<Chaos>(params, seed);
  if (name == "example") return std::make_unique<Example>(params, seed);
  Knobs knobs = found.from_defaults ? Knobs{} : drawn(params, seed);
  found.change(knobs, params);
  return make_environment(params, knobs, seed);
}

std::unique_ptr<Sequence> make_environment(const Params& params, const Knobs& knobs, std::uint64_t seed) {
  return std::make_unique<Environment>(params, knobs, seed);
}

}  // namespace castor::saws::tb

#include "tb/darsie/knobs.h"

#include <initializer_list>

#include "castor/base/rng.h"

namespace castor::darsie::tb {

Knobs draw(const Params& params, std::uint64_t seed) {
  base::Xoshiro256 rng(seed ^ 0x6461727369655FULL);
  const auto pick = [&rng](std::initializer_list<unsigned> values) { return values.begin()[rng.below(values.size())]; };
  Knobs knobs;
  Style& style = knobs.style;
  style.instructions = pick({20, 40, 80, 120});
  style.sources = pick({1, 2, 4, 6});
  style.registers = pick({4, 8, 12, 40});
  style.vector = pick({4, 30, 70, 120});
  style.leak = pick({0, 10, 60});
  style.guarded = pick({0, 12, 40});
  style.guard_leak = pick({0, 64});
  style.pair = pick({0, 20, 120});
  style.load = pick({0, 30, 80});
  style.store = pick({0, 6, 30});
  style.add = pick({0, 3, 12});
  style.fence = pick({0, 2});
  style.litmus = pick({0, 0, 20, 60});
  style.branch = pick({0, 4, 20, 50});
  style.loop = pick({0, 4, 14, 30});
  style.divergent = pick({0, 60, 200});
  style.jump_out = pick({0, 60});
  style.barrier = pick({0, 8, 30});
  style.publish = pick({0, 6});
  style.named = pick({0, 2, 10});
  style.exit = pick({0, 3, 10});
  style.straight = pick({0, 0, 0, 200});
  knobs.kernels = pick({1, 3, 6});
  knobs.place = pick({500, 9000, kAlways});
  knobs.most_warps = pick({2, 4, 8, 16, params.NumWarps});
  knobs.least_warps = pick({1, 2, knobs.most_warps});
  knobs.most_tbs = pick({1, 2, 32, 32});
  knobs.two_dimensional = pick({10000, 40000, kAlways});
  knobs.enabled = pick({30000, 60000, kAlways});
  knobs.most_rows = pick({2, 4, 8, 32, 32});
  knobs.least_rows = pick({0, 1, knobs.most_rows});
  knobs.fewer_slots = pick({0, 4000, 30000});
  knobs.scattered = pick({0, 20000, kAlways});
  knobs.retire = pick({1000, 20000, kAlways});
  knobs.fetch = pick({20000, kAlways, kAlways});
  knobs.fetch_cycles = pick({0, 4, 20});
  knobs.ahead = pick({0, 30000, kAlways});
  knobs.issue = pick({10000, 50000, kAlways});
  knobs.collect_late = pick({0, 16000, 60000});
  knobs.collect_cycles = pick({1, 6, 30});
  knobs.write_cycles = pick({0, 8, 30});
  knobs.slow_write = pick({0, 2000, 12000});
  knobs.slow_cycles = pick({40, 200, 1000});
  knobs.resolve_cycles = pick({0, 4, 30});
  knobs.named_cycles = pick({4, 40});
  knobs.acknowledge = pick({4000, 30000, kAlways});
  knobs.hidden = pick({0, 2000, 30000});
  knobs.laggard = pick({0, 16000, kAlways});
  knobs.leave = pick({0, 10, 300});
  knobs.rest = pick({0, 30, 600});
  knobs.scribble = pick({0, 20000, kAlways});
  return knobs;
}

}  // namespace castor::darsie::tb

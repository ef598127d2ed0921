#include "tb/darsie/sequences.h"

#include <algorithm>

#include "castor/base/rng.h"
#include "tb/darsie/chaos.h"
#include "tb/darsie/environment.h"
#include "tb/darsie/scripts.h"

namespace castor::darsie::tb {
namespace {

constexpr unsigned kHigh = 1000;  // rate in 1/256 that exceeds 100 %

/// Sequence that runs the Environment and resets the block at random times.
class Resets final : public Sequence {
 public:
  Resets(const Params& params, std::uint64_t seed) : params_(params), random_(seed ^ 0x7265736574ULL) { anew(); }
  void begin(Inputs& /*in*/) override { anew(); }
  void drive(Inputs& in) override {
    --left_;
    inner_->drive(in);
  }
  void react(Inputs& in, const Outputs& out) override { inner_->react(in, out); }
  [[nodiscard]] bool over() override { return left_ == 0; }

 private:
  void anew() {
    Knobs knobs = draw(params_, random_());
    knobs.rest = 0;
    knobs.place = std::max(knobs.place, 9000U);
    left_ = 20 + static_cast<unsigned>(random_.below(800));
    inner_ = std::make_unique<Environment>(params_, knobs, random_());
  }

  Params params_;
  base::Xoshiro256 random_;
  std::unique_ptr<Environment> inner_;
  unsigned left_ = 0;
};

// Knob settings of the directed sequences: one function per sequence, and shared helpers.

void random(Knobs& knobs) { knobs.redraw = 4000; }

void rules(Knobs& knobs) {
  knobs.break_rule = 6000;
  knobs.check = false;
  knobs.redraw = 4000;
}

/// Nearly all instructions are redundant, and no instruction ends the region.
void dense(Style& style) {
  style.vector = 4;
  style.leak = style.guarded = style.fence = style.named = style.exit = style.branch = style.loop = 0;
  style.barrier = style.publish = style.store = style.add = style.load = 0;
  style.instructions = 120;
}

void versions(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.straight = kHigh;
  knobs.style.registers = 4;
  knobs.least_rows = 32;
  knobs.least_warps = 3;
  knobs.laggard = knobs.enabled = knobs.two_dimensional = kAlways;
  knobs.issue = kAlways;
  knobs.fetch_cycles = 1;
  knobs.leave = 0;
}

void few_rows(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.registers = 6;
  knobs.style.branch = 6;
  knobs.least_rows = 1;
  knobs.most_rows = 3;
  knobs.least_warps = 2;
  knobs.enabled = knobs.two_dimensional = kAlways;
}

void evictions(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.registers = 16;
  knobs.style.pair = 20;
  knobs.least_rows = 32;
  knobs.least_warps = 3;
  knobs.laggard = knobs.two_dimensional = knobs.enabled = kAlways;
  knobs.leave = 0;
}

void all_rows(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.registers = 40;
  knobs.style.load = 110;
  knobs.style.store = 6;
  knobs.style.instructions = 250;
  knobs.least_rows = 32;
  knobs.least_warps = 3;
  knobs.most_tbs = 4;
  knobs.laggard = knobs.two_dimensional = knobs.enabled = kAlways;
  knobs.fewer_slots = knobs.leave = 0;
}

void slow_loads(Knobs& knobs) {
  knobs.style.load = 90;
  knobs.style.litmus = 50;
  knobs.style.store = 12;
  knobs.style.branch = knobs.style.loop = 4;
  knobs.slow_write = 20000;
  knobs.slow_cycles = 1000;
  knobs.least_warps = 3;
  knobs.two_dimensional = kAlways;
}

void litmus(Knobs& knobs) {
  knobs.style.litmus = 140;
  knobs.style.branch = knobs.style.loop = 6;
  knobs.style.guarded = 0;
  knobs.style.fence = 8;
  knobs.write_cycles = 20;
  knobs.least_warps = 3;
  knobs.two_dimensional = knobs.enabled = kAlways;
}

void storms(Knobs& knobs) {
  litmus(knobs);
  knobs.style.store = 60;
  knobs.style.load = 60;
  knobs.style.add = 10;
  knobs.issue = kAlways;
  knobs.laggard = 0;
  knobs.fetch_cycles = 0;
  knobs.hidden = 0;
}

void sides(Knobs& knobs) {
  knobs.style.branch = 60;
  knobs.style.loop = 10;
  knobs.style.divergent = 256;
  knobs.style.vector = 10;
  knobs.style.guarded = 0;
  knobs.style.barrier = 20;
  knobs.two_dimensional = kAlways;
  knobs.least_warps = 2;
}

void loops(Knobs& knobs) {
  knobs.style.loop = 50;
  knobs.style.jump_out = 160;
  knobs.style.barrier = 16;
  knobs.style.vector = 20;
  knobs.two_dimensional = kAlways;
  knobs.least_warps = 2;
}

void uniform_loops(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.loop = 50;
  knobs.style.branch = 20;
  knobs.style.divergent = 0;
  knobs.style.barrier = 6;
  knobs.two_dimensional = knobs.enabled = kAlways;
  knobs.least_warps = 2;
  knobs.laggard = kAlways;
}

void guards(Knobs& knobs) {
  knobs.style.guarded = 60;
  knobs.style.guard_leak = 128;
  knobs.style.vector = 20;
}

void pairs(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.pair = kHigh;
  knobs.style.registers = 10;
  knobs.style.branch = 5;
  knobs.style.load = 40;
  knobs.least_rows = 3;
  knobs.most_rows = 7;
  knobs.least_warps = 2;
  knobs.two_dimensional = kAlways;
}

void stale_pairs(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.pair = kHigh;
  knobs.style.registers = 8;
  knobs.style.load = 110;
  knobs.style.store = 30;
  knobs.style.litmus = 20;
  knobs.style.branch = 4;
  knobs.least_rows = 4;
  knobs.most_rows = 6;
  knobs.least_warps = 3;
  knobs.slow_write = 6000;
  knobs.two_dimensional = knobs.enabled = kAlways;
}

void exits(Knobs& knobs) {
  knobs.style.exit = 30;
  knobs.style.branch = 20;
  knobs.style.instructions = 40;
  knobs.least_warps = 3;
  knobs.most_rows = 4;
}

void named(Knobs& knobs) {
  knobs.style.named = 30;
  knobs.style.barrier = 20;
  knobs.style.divergent = 0;
  knobs.named_cycles = 10;
}

void same_pcs(Knobs& knobs) {
  knobs.one_base = kAlways;
  knobs.kernels = 6;
  knobs.place = kAlways;
  knobs.most_warps = 4;
}

void atomics(Knobs& knobs) {
  knobs.style.add = 24;
  knobs.style.fence = 8;
  knobs.style.load = 60;
  knobs.style.litmus = 30;
  knobs.most_warps = 4;
  knobs.place = kAlways;
}

void off(Knobs& knobs) { knobs.enabled = 0; }

void unmarked(Knobs& knobs) { knobs.style.marks.limit = 0; }

void ties(Knobs& knobs) {
  knobs.style.branch = 80;
  knobs.style.divergent = 256;
  knobs.style.barrier = 40;
  knobs.style.instructions = 60;
  knobs.least_warps = 2;
  knobs.most_warps = 4;
  knobs.leave = 0;
}

void leaves(Knobs& knobs) {
  knobs.leave = 3000;
  knobs.style.barrier = 40;
  knobs.style.divergent = 0;
  knobs.acknowledge = 20000;
  knobs.collect_late = 40000;
}

void meetings(Knobs& knobs) {
  knobs.style.branch = 60;
  knobs.style.divergent = 0;
  knobs.style.instructions = 50;
  knobs.least_warps = 1;
  knobs.most_warps = 2;
  knobs.place = knobs.retire = knobs.issue = kAlways;
  knobs.resolve_cycles = 12;
}

void full(Knobs& knobs, const Params& params) {
  dense(knobs.style);
  knobs.style.branch = 4;
  knobs.style.barrier = 2;
  knobs.style.registers = 40;
  knobs.least_warps = 1;
  knobs.most_warps = std::max(1U, params.NumWarps / params.NumTbs);
  knobs.least_rows = 32;
  knobs.place = knobs.retire = knobs.enabled = knobs.scattered = kAlways;
  knobs.new_kernel = 2000;
}

void one_block(Knobs& knobs, const Params& params) {
  dense(knobs.style);
  knobs.style.branch = 8;
  knobs.style.barrier = 6;
  knobs.style.load = 20;
  knobs.least_warps = knobs.most_warps = params.NumWarps;
  knobs.least_rows = 32;
  knobs.enabled = knobs.two_dimensional = kAlways;
}

/// Loads of one warp take all rows, and become stale before the other warps execute them.
void stragglers(Knobs& knobs) {
  all_rows(knobs);
  knobs.style.load = 200;
  knobs.style.store = 10;
  knobs.style.instructions = 80;
  knobs.most_warps = 4;
  knobs.stragglers = knobs.full_warps = knobs.lowest_tb = kAlways;
  knobs.place = knobs.retire = kAlways;
}

/// The maximum number of thread blocks, with all warps at the same PC.
void together(Knobs& knobs, const Params& params) {
  dense(knobs.style);
  knobs.style.instructions = 30;
  knobs.style.barrier = 16;
  knobs.style.store = 2;
  knobs.kernels = 1;
  knobs.new_kernel = knobs.laggard = knobs.leave = knobs.hidden = knobs.fewer_slots = knobs.rest = 0;
  knobs.least_warps = knobs.most_warps = std::max(1U, params.NumWarps / params.NumTbs);
  knobs.least_rows = 32;
  knobs.place = knobs.retire = knobs.enabled = knobs.full_warps = knobs.issue = kAlways;
  knobs.together = 1500;
  knobs.barrier_cycles = 20;
  knobs.leave_all = 400;
}

void halves(Knobs& knobs, const Params& params) {
  together(knobs, params);
  knobs.style.branch = 20;
  knobs.style.halves = 200;
  knobs.least_warps = knobs.most_warps = params.NumWarps;
}

/// Returns the cycles of a long episode. With the widest ports, it takes more cycles until every warp slot, TB slot and
/// row is in use.
base::Cycle full_table_run(const Params& params) { return params.NumWarps == 64 && params.NumRows == 32 ? 20'000 : 0; }

void late_reads(Knobs& knobs) {
  dense(knobs.style);
  knobs.style.vector = 60;
  knobs.style.branch = 6;
  knobs.collect_late = 50000;
  knobs.collect_cycles = 60;
  knobs.most_rows = 6;
  knobs.least_rows = 2;
  knobs.least_warps = 2;
  knobs.two_dimensional = knobs.enabled = kAlways;
}

void sleepy(Knobs& knobs) {
  knobs.rest = 3000;
  knobs.rest_cycles = 400;
}

}  // namespace

const Sequences& sequences() {
  using castor::tb::kBreaksContract, castor::tb::kKeepsContract, castor::tb::made_of;
  using With = castor::tb::WithKnobs<Block, Environment, Knobs, draw>;
  // A medley runs the first sequence in every other episode.
  static const Sequences all = {
      {"chaos", "inputs without sense or order, out of range ones included", kBreaksContract, made_of<Block, Chaos>},
      {"random", "an SM with knobs drawn anew every few thousand cycles", kKeepsContract,
       With::drawn_and_changed<random>},
      {"rules", "random, and inputs that must be refused or survived", kBreaksContract, With::drawn_and_changed<rules>},
      {"golden", "the golden traces", kBreaksContract, golden_script},
      {"corners", "events that meet in one cycle, as texts", kBreaksContract, corner_script},
      {"programs", "structured kernels, default traffic", kKeepsContract, With::defaults},
      {"versions", "one register written again and again, a warp that is slow", kKeepsContract,
       With::changed<versions>},
      {"few_rows", "one to three rows: synchronisation points, and regions without elections", kKeepsContract,
       With::changed<few_rows>},
      {"evictions", "more elections than a skip table holds behind a slow warp", kKeepsContract,
       With::changed<evictions>},
      {"all_rows", "loads into all rows of a thread block, stores that make them stale", kKeepsContract,
       With::changed<all_rows>, 16000},
      {"slow_loads", "loads that take long while other warps store", kKeepsContract, With::changed<slow_loads>},
      {"litmus", "everybody stores and loads the same cells", kKeepsContract, With::changed<litmus>},
      {"storms", "the same without a pause: stores in the cycles of skips, waits and elections", kKeepsContract,
       With::changed<storms>},
      {"sides", "branches by warp and lane, both sides redundant, and barriers", kKeepsContract, With::changed<sides>},
      {"loops", "loops that warps leave at different turns", kKeepsContract, With::changed<loops>},
      {"uniform_loops", "loops that all leave together: the same PCs again and again", kKeepsContract,
       With::changed<uniform_loops>},
      {"guards", "guarded writes to registers next to the renamed ones", kKeepsContract, With::changed<guards>},
      {"pairs", "two results each, and an odd number of rows", kKeepsContract, With::changed<pairs>},
      {"stale_pairs", "loads of two registers that stores make stale, and few rows", kKeepsContract,
       With::changed<stale_pairs>},
      {"exits", "warps exit while others wait", kKeepsContract, With::changed<exits>},
      {"named", "barriers of some warps inside the common path", kKeepsContract, With::changed<named>},
      {"same_pcs", "thread blocks of different kernels at the same PCs", kKeepsContract, With::changed<same_pcs>},
      {"atomics", "global communication of one thread block while others have loads before them", kKeepsContract,
       With::changed<atomics>},
      {"off", "thread blocks without the block", kKeepsContract, With::changed<off>},
      {"unmarked", "kernels without marks", kKeepsContract, With::changed<unmarked>},
      {"ties", "two to four warps that part at branches", kKeepsContract, With::changed<ties>},
      {"leaves", "warps are taken out of the majority wherever they are", kKeepsContract, With::changed<leaves>},
      {"meetings", "many small thread blocks whose meetings complete together", kKeepsContract,
       With::changed<meetings>},
      {"full", "every warp slot, TB slot and row in use", kKeepsContract, With::changed<full>},
      {"one_block", "one thread block of all warps", kKeepsContract, With::changed<one_block>},
      {"stragglers", "loads of one warp into all rows, stale before all others come", kKeepsContract,
       With::changed<stragglers>, 8000, full_table_run},
      {"together", "barriers, exits, write-backs and leaves of all warps, each kind in one cycle", kKeepsContract,
       With::changed<together>, 8000, full_table_run},
      {"halves", "... of one thread block, whose branches part it into sides of one size", kKeepsContract,
       With::changed<halves>, 8000, full_table_run},
      {"late_reads", "operands are read long after the issue, few rows", kKeepsContract, With::changed<late_reads>},
      {"resets", "reset in the middle of everything", kKeepsContract, made_of<Block, Resets>},
      {"sleepy", "short work, then long rest", kKeepsContract, With::changed<sleepy>}};
  return all;
}

}  // namespace castor::darsie::tb

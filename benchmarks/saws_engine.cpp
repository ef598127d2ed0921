// Measures the host time of one cycle (settle and clock) of the SAWS warp scheduler at its default parameters, 4
// schedulers of 16 warps. The stimulus is generated before the measurement, for 4096 cycles that repeat.

#include <benchmark/benchmark.h>

#include <vector>

#include "castor/base/rng.h"
#include "castor/saws/engine.h"

namespace {

using namespace castor::saws;  // NOLINT(google-build-using-namespace): a program of its own
using castor::base::Xoshiro256;

constexpr unsigned kCtas = 8;  // thread blocks of 8 warps, two warps on each scheduler

/// A SAWS engine whose warp slots are all filled with thread blocks (CTAs), and its inputs.
class Rig {
 public:
  explicit Rig(unsigned mode_sel, unsigned ctas = kCtas) {
    in.kernel_start = 1;
    in.mode_sel = static_cast<U8>(mode_sel);
    in.toggle_en = 1;
    cycle();
    in.kernel_start = 0;
    const unsigned warps = 64 / ctas;
    for (unsigned c = 0; c < ctas; ++c) {
      in.cta_valid = 1;
      in.cta_id = static_cast<U8>(c);
      in.cta_wmask = WarpBits(castor::twin::mask(warps) << warps * c);
      cycle();
    }
    in.cta_valid = 0;
    in.issue_ack = 15;
  }

  void cycle() {
    benchmark::DoNotOptimize(engine.settle(in));
    engine.clock(in);
  }

  Engine engine{Params{}};
  Inputs in;
};

/// Returns 4096 words of ready warps, in which each bit is set with the probability `eighths` / 8.
std::vector<U64> ready_words(unsigned eighths) {
  Xoshiro256 random(1);
  std::vector<U64> words(4096);
  for (U64& word : words) {
    for (unsigned w = 0; w < 64; ++w) word |= U64{random.below(8) < eighths} << w;
  }
  return words;
}

void run(benchmark::State& state, Rig& rig, const std::vector<U64>& words) {
  std::size_t i = 0;
  for (auto _ : state) {
    rig.in.w_ready.set_word(0, words[i++ % words.size()]);
    rig.cycle();
  }
  state.SetItemsProcessed(state.iterations());
}

/// Cycles in which no input changes. Argument: mode_sel, 0 GTO, 2 SAWS.
void resting_cycle(benchmark::State& state) {
  Rig rig(static_cast<unsigned>(state.range(0)));
  run(state, rig, {0x8421'8421'8421'8421U});
}
BENCHMARK(resting_cycle)->Arg(0)->Arg(2);

/// Cycles in which the set of ready warps is random and every warp that is picked issues. Arguments: mode_sel; how many
/// of 8 warps are ready on average; number of thread blocks.
void issuing_cycle(benchmark::State& state) {
  Rig rig(static_cast<unsigned>(state.range(0)), static_cast<unsigned>(state.range(2)));
  run(state, rig, ready_words(static_cast<unsigned>(state.range(1))));
}
BENCHMARK(issuing_cycle)
    ->Args({0, 1, kCtas})
    ->Args({0, 4, kCtas})
    ->Args({2, 1, kCtas})
    ->Args({2, 4, kCtas})
    ->Args({2, 1, 16})
    ->Args({2, 0, 16});

/// Cycles in which one warp of the SM becomes ready or stops being ready, as is usual in a GPU. Argument: mode_sel.
void one_warp_moves(benchmark::State& state) {
  Rig rig(static_cast<unsigned>(state.range(0)));
  Xoshiro256 random(1);
  std::vector<U64> words(4096);
  U64 word = 0x0123'4567'89ab'cdefU;
  for (U64& w : words) {
    word ^= U64{1} << random.below(64);
    w = word;
  }
  run(state, rig, words);
}
BENCHMARK(one_warp_moves)->Arg(0)->Arg(2);

/// All thread blocks run from barrier to barrier. One warp arrives per cycle, and a barrier clears with its eighth
/// arrival. Of 64 arrivals, four promote their thread block, and 24 leave a scheduler with all warps blocked.
void barrier_storm(benchmark::State& state) {
  Rig rig(2);
  const std::vector<U64> words = ready_words(4);
  struct Event {
    U8 scheduler, index;
    U64 unblock;
  };
  // Arrivals in an order in which the thread blocks take turns. The last arrival of each block clears its barrier and
  // is no event of its own.
  std::vector<Event> events;
  for (unsigned nth = 0; nth < 8; ++nth) {
    for (unsigned c = 0; c < kCtas; ++c) {
      const unsigned w = 8 * c + (3 * nth + c) % 8;
      events.push_back({static_cast<U8>(w % 4), static_cast<U8>(w / 4), nth == 7 ? U64{0xff} << 8 * c : 0});
    }
  }
  std::size_t i = 0;
  U64 errors = 0;
  for (auto _ : state) {
    const Event& e = events[i % events.size()];
    rig.in.w_ready.set_word(0, words[i++ % words.size()]);
    rig.in.unblock.set_word(0, e.unblock);
    rig.in.wev_valid = static_cast<U8>(e.unblock != 0 ? 0 : 1U << e.scheduler);
    rig.in.wev_idx[e.scheduler] = e.index;
    rig.cycle();
    errors |= rig.engine.state().err;
  }
  state.counters["errors"] = static_cast<double>(errors);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(barrier_storm);

}  // namespace

BENCHMARK_MAIN();

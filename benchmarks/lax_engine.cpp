// Measures the host time of one cycle (settle and clock) of the laxity engine at its default parameters, 128 queues.
// The stimulus of busy cycles is generated before the measurement, for 4096 cycles that repeat.

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "castor/base/rng.h"
#include "castor/lax/engine.h"
#include "castor/lax/register_map.h"

namespace {

using namespace castor::lax;  // NOLINT(google-build-using-namespace): a program of its own

constexpr unsigned kQueues = 128;

/// A laxity engine with its inputs and a cycle counter.
class Rig {
 public:
  explicit Rig(Policy policy = Policy::kLax, std::uint32_t period = 150'000) {
    write(reg::kUpdPeriod, period);
    for (unsigned k = 0; k < 64; ++k) write(reg::kKpt + 32 * k, (1'000 + k) << 8U);
    write(reg::kCtrl, (reg::kCtrlReset & ~0xf2U) | static_cast<std::uint32_t>(policy) << 4U | 1U);
  }

  void cycle() {
    in.now = now++;
    benchmark::DoNotOptimize(engine->settle(in));
    engine->clock(in);
  }
  void write(std::uint32_t address, std::uint32_t data) {
    in.reg_req = 1;
    in.reg_we = 1;
    in.reg_addr = static_cast<U16>(address);
    in.reg_wdata = data;
    do {
      cycle();
    } while (engine->state().response.ack == 0);
    in.reg_req = 0;
    cycle();
  }
  /// Submits one job per queue, with a work list of eight kernel types; admission accepts every job. Afterwards every
  /// queue is eligible for parsing and for dispatch.
  void fill() {
    for (unsigned q = 0; q < kQueues; ++q) {
      in.js_valid = 1;
      in.js_qid = static_cast<U8>(q);
      in.js_deadline = 100'000'000 + q;
      in.js_start = now;
      in.js_nkt = 8;
      while (engine->settle(in).js_ready == 0) {
        in.js_valid = 0;
        cycle();
        in.js_valid = 1;
      }
      cycle();
      in.js_valid = 0;
      for (unsigned beat = 0; beat < 8; ++beat) {
        in.wl_valid = 1;
        in.wl_kid = static_cast<U8>((q + 7 * beat) % 64);
        in.wl_numwg = 0xff'ffff;
        in.wl_last = beat == 7;
        cycle();
      }
      in.wl_valid = 0;
      for (unsigned i = 0; i < 64; ++i) cycle();
    }
    in.pe_vec = QueueBits::ones(kQueues);
    in.de_vec = QueueBits::ones(kQueues);
    for (unsigned i = 0; i < 10'000; ++i) cycle();
  }

  std::unique_ptr<Engine> engine = std::make_unique<Engine>(Params{});
  Inputs in;
  std::uint64_t now = 0;
};

Rig make_rig(bool filled) {
  Rig rig;
  rig.in.adm_ready = 1;
  if (filled) rig.fill();
  return rig;
}

void empty_cycle(benchmark::State& state) {
  Rig rig = make_rig(false);
  for (auto _ : state) rig.cycle();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(empty_cycle);

/// Cycles without an event, with a job in every queue: each selection pass compares all queues.
void waiting_cycle(benchmark::State& state) {
  Rig rig = make_rig(true);
  for (auto _ : state) rig.cycle();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(waiting_cycle);

/// Cycles with the shortest update period, so that updates follow each other without a gap. Every cycle has a TB
/// completion, and every queue that the engine selects is granted. Argument: the policy.
void busy_cycle(benchmark::State& state) {
  Rig rig(static_cast<Policy>(state.range(0)), 1'000);
  rig.in.adm_ready = 1;
  rig.fill();
  for (unsigned q = 0; q < kQueues; ++q) {
    rig.in.ks_valid = 1;
    rig.in.ks_qid = static_cast<U8>(q);
    rig.in.ks_kid = static_cast<U8>(q % 64);
    rig.cycle();
  }
  rig.in.ks_valid = 0;
  castor::base::Xoshiro256 random(1);
  struct Completion {
    U8 q, kid;
  };
  std::vector<Completion> stimulus(4096);
  for (Completion& c : stimulus) {
    c.q = static_cast<U8>(random.below(kQueues));
    c.kid = static_cast<U8>((c.q + 7 * random.below(8)) % 64);
  }
  std::size_t i = 0;
  rig.in.wgc_valid = 1;
  for (auto _ : state) {
    const Completion& c = stimulus[i++ % stimulus.size()];
    rig.in.wgc_qid = c.q;
    rig.in.wgc_kid = c.kid;
    rig.in.now = rig.now++;
    const Outputs& out = rig.engine->settle(rig.in);
    rig.in.psel_grant = out.psel_valid;
    rig.in.dsel_grant = out.dsel_valid;
    rig.engine->clock(rig.in);
  }
  const auto& n = rig.engine->state().n;
  state.counters["updates"] = n[static_cast<unsigned>(Count::kUpdate)];
  state.counters["grants"] = n[static_cast<unsigned>(Count::kParse)];
  state.counters["completions"] = n[static_cast<unsigned>(Count::kTbs)];
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(busy_cycle)->Arg(0)->Arg(7)->Arg(8);

/// Applies 100,000 idle cycles, which include updates, with as few calls of idle() as possible.
void idle_stretch(benchmark::State& state) {
  Rig rig = make_rig(true);
  constexpr std::uint64_t kStretch = 100'000;
  for (auto _ : state) {
    for (std::uint64_t left = kStretch; left > 0;) {
      const std::uint64_t n = std::min(rig.engine->quiet(), left);
      if (n > 0) {
        rig.engine->idle(n);
        rig.now += n;
        left -= n;
      } else {
        rig.cycle();
        --left;
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * kStretch);
}
BENCHMARK(idle_stretch);

}  // namespace

BENCHMARK_MAIN();

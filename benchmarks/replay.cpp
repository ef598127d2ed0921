// Measures long replay runs: the host time of a simulated cycle when few events happen (docs/gpu/replay.md, "Replay
// tier").

#include <benchmark/benchmark.h>

#include <string>

#include "platforms/machines.h"
#include "tests/unit/gpu_replay_support.h"

namespace {

using namespace castor::gpu;

void replay(benchmark::State& state, const char* rate, const std::string& pulse) {
  const Machine machine =
      castor::platforms::load_machine("gcn_apu_replay", {std::string("replay.rate=") + rate, "replay.w0=100"}).machine;
  const ReplayFile file = ReplayFile::parse(
      "castor-replay 1\nkernel k\nthreads 256\nregisters 32\ntbs 1\nservice exponential 1000000\n" + pulse,
      "benchmark");
  const auto tbs = static_cast<unsigned>(state.range(0));
  std::uint64_t cycles = 0, ticks = 0;
  unsigned run = 0;
  for (auto _ : state) {
    ReplayBench bench(machine, file,
                      std::string(rate) + std::to_string(state.range(0)) + "_" + std::to_string(run++) +
                          (pulse.empty() ? "_" : "p_"));
    ReplayBench::Options options;
    options.limit = kForever - 1;
    const ReplayRun result = bench.run({{"k", tbs, 0}}, options);
    cycles += result.cycles;
    ticks += result.ticks;
  }
  state.counters["cycles_per_run"] = static_cast<double>(cycles) / static_cast<double>(state.iterations());
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["sm_ticks"] = static_cast<double>(ticks) / static_cast<double>(state.iterations());
}

BENCHMARK_CAPTURE(replay, rate_1, "none", std::string())->Arg(4000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, gpu, "gpu", std::string())->Arg(4000)->Arg(40000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, gpu_pulses, "gpu", std::string("pulse lanes 64 outstanding 2\n"))
    ->Arg(40)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

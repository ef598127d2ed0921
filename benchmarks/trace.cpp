// Measures the host time of observing a run: wave file per signal and sample, timeline per thread block, progress
// display per update.

#include <benchmark/benchmark.h>

#include <vector>

#include "castor/gpu/trace/progress.h"
#include "castor/gpu/trace/timeline.h"
#include "castor/gpu/trace/wave_file.h"
#include "platforms/machines.h"

namespace {

using namespace castor::gpu;

/// Samples 200 signals of 32 bits, of which state.range(0) change in each cycle.
void waves_sample(benchmark::State& state) {
  std::vector<std::uint32_t> values(200);
  WaveFile waves("/dev/null", {});
  for (std::size_t i = 0; i < values.size(); ++i) waves.add("gpu", "s" + std::to_string(i), 32, &values[i]);
  Cycle cycle = 0;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i) ++values[(cycle * 7 + static_cast<Cycle>(i)) % values.size()];
    waves.sample(cycle, cycle * 1000);
    ++cycle;
  }
  state.counters["ns_per_signal"] = benchmark::Counter(static_cast<double>(state.iterations()) * 200 * 1e-9,
                                                       benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(waves_sample)->Arg(0)->Arg(20)->Arg(200);

void timeline_thread_block(benchmark::State& state) {
  const Machine machine = castor::platforms::load_machine("kepler_k20c_study").machine;
  castor::isa::Program program;
  program.kernel = "matmul";
  KernelContext kernel;
  kernel.program = &program;
  Timeline timeline("/dev/null", machine);
  Cycle cycle = 0;
  for (auto _ : state) {
    timeline.tb_started({cycle, 3, 5, &kernel, cycle, kNoGroup});
    timeline.tb_retired({cycle + 900, 3, 5, &kernel, cycle, kNoGroup});
    cycle += 1000;
  }
}
BENCHMARK(timeline_thread_block);

void progress_update(benchmark::State& state) {
  Progress progress({}, state.range(0) != 0 ? Progress::Sink([](std::string_view) {}) : Progress::Sink(),
                    [] { return std::chrono::steady_clock::now().time_since_epoch(); });
  Cycle cycle = 0;
  for (auto _ : state) {
    progress.update(cycle, cycle, cycle);
    ++cycle;
  }
}
BENCHMARK(progress_update)->ArgName("terminal")->Arg(0)->Arg(1);

}  // namespace

BENCHMARK_MAIN();

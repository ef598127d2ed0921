// Measures the timing model of a whole GPU (kepler_k20c_study) with three kernels: tiled matrix multiply, breadth-first
// search, and pointer chasing by one warp. Only host time inside the simulation counts.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"
#include "runtime/module.h"

namespace {

using namespace castor;

const char* const kChase = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .entry chase(.param .u64 start, .param .u32 steps) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .pred %p<2>;
  ld.param.u64 %rd0, [start];
  ld.param.u32 %r0, [steps];
AGAIN:
  ld.global.u64 %rd0, [%rd0];
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra AGAIN;
  st.global.u64 [%rd0+8], %rd0;
  ret;
}
)";

// Returns the device that all benchmarks share, because SystemC elaborates only once per process.
gpu::TimingDevice& device() {
  static gpu::TimingDevice the_device(platforms::load_machine("kepler_k20c_study").machine, {});
  return the_device;
}

std::string text_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

template <class T>
std::uint64_t buffer(const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  const std::uint64_t address = *device().store().allocate(bytes, gpu::AllocationKind::kHeap);
  std::memcpy(device().store().host(address), values.data(), bytes);
  return address;
}

// The parameter bytes of a kernel launch. Each parameter has natural alignment, as PTX requires.
class Parameters {
 public:
  template <class T>
  Parameters& add(T value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value + sizeof value);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

void launch(const runtime::LoadedKernel& kernel, gpu::Dim3 grid, gpu::Dim3 block, const Parameters& parameters) {
  gpu::KernelPacket packet;
  packet.program = kernel.handle;
  packet.grid = grid;
  packet.block = block;
  packet.parameters = parameters.bytes();
  device().advance_until(device().submit(0, std::move(packet)));
  if (device().fault()) throw std::runtime_error(device().fault()->message);
}

// Reports the warp instructions and cycles simulated during its lifetime as rates over host time, and the peak memory
// of the process in MB.
class Meter {
 public:
  explicit Meter(benchmark::State& state)
      : state_(state), instructions_(device().gpu().warp_instructions()), cycles_(device().gpu().now()) {}
  ~Meter() {
    using benchmark::Counter;
    const auto rate = [](std::uint64_t count) { return Counter(static_cast<double>(count), Counter::kIsRate); };
    state_.counters["warp_instructions/s"] = rate(device().gpu().warp_instructions() - instructions_);
    state_.counters["cycles/s"] = rate(device().gpu().now() - cycles_);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state_.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

 private:
  benchmark::State& state_;
  std::uint64_t instructions_, cycles_;
};

// Argument: rows and columns of the square matrices.
void tiled_matrix_multiply(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  static runtime::Module module("matmul.ptx", text_of(CASTOR_MATMUL_PTX));
  const runtime::LoadedKernel& kernel = *module.kernel(device(), "_Z8multiplyILi16EEvPKfS1_Pfiii");
  const std::vector<float> ones(std::size_t{n} * n, 1.0F);
  const std::uint64_t a = buffer(ones), b = buffer(ones), c = buffer(ones);
  const Meter meter(state);
  for (auto _ : state) {
    launch(kernel, {n / 16, n / 16, 1}, {16, 16, 1}, Parameters().add(a).add(b).add(c).add(n).add(n).add(n));
  }
  for (const std::uint64_t address : {a, b, c}) device().store().free(address);
}
BENCHMARK(tiled_matrix_multiply)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond)->Iterations(1);

// Argument: base-2 logarithm of the number of nodes. Each node has four edges.
void breadth_first_search(benchmark::State& state) {
  const auto nodes = std::uint32_t{1} << state.range(0);
  static runtime::Module module("bfs.ptx", text_of(CASTOR_BFS_PTX));
  const runtime::LoadedKernel& kernel = *module.kernel(device(), "_Z6expandPKiS0_S0_jPiS1_i");
  const std::uint64_t next_size = module.symbol(device(), "next_size")->address;
  base::Xoshiro256 random(1);
  std::vector<std::uint32_t> first(nodes + 1), target(std::size_t{4} * nodes), level(nodes, ~0U), queue(nodes);
  for (std::uint32_t i = 0; i <= nodes; ++i) first[i] = 4 * i;
  for (std::uint32_t& node : target) node = static_cast<std::uint32_t>(random.below(nodes));
  level[0] = 0;
  std::uint64_t addresses[] = {buffer(first), buffer(target), buffer(queue), buffer(queue), buffer(level)};
  auto& [first_edge, targets, frontier, next, levels] = addresses;
  const Meter meter(state);
  for (auto _ : state) {
    std::uint32_t depth = 0;
    for (std::uint32_t size = 1; size > 0;) {
      std::memset(device().store().host(next_size), 0, sizeof size);
      launch(kernel, {(size + 127) / 128, 1, 1}, {128, 1, 1},
             Parameters().add(first_edge).add(targets).add(frontier).add(size).add(next).add(levels).add(++depth));
      std::memcpy(&size, device().store().host(next_size), sizeof size);
      std::swap(frontier, next);
    }
  }
  for (const std::uint64_t address : addresses) device().store().free(address);
}
BENCHMARK(breadth_first_search)->Arg(10)->Arg(13)->Arg(16)->Unit(benchmark::kMillisecond)->Iterations(1);

// Arguments: number of loads; size in KB of the buffer that the pointer chain visits in strides of 4 KB (the L1 holds
// 16 KB, the L2 1280 KB).
void pointer_chase(benchmark::State& state) {
  const auto steps = static_cast<std::uint32_t>(state.range(0));
  static runtime::Module module("chase.ptx", kChase);
  const runtime::LoadedKernel& kernel = *module.kernel(device(), "chase");
  constexpr std::size_t kStride = 4096 / 8;
  std::vector<std::uint64_t> chain(static_cast<std::size_t>(state.range(1)) * 128);
  const std::uint64_t start = buffer(chain);
  for (std::size_t i = 0; i < chain.size(); i += kStride) chain[i] = start + 8 * ((i + kStride) % chain.size());
  std::memcpy(device().store().host(start), chain.data(), chain.size() * 8);
  const Meter meter(state);
  for (auto _ : state) launch(kernel, {1, 1, 1}, {32, 1, 1}, Parameters().add(start).add(steps));
  device().store().free(start);
}
BENCHMARK(pointer_chase)
    ->Args({20000, 16})
    ->Args({20000, 1024})
    ->Args({20000, 65536})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();

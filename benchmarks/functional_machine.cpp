// Measures the functional machine: warp instructions per second in the tiled matrix multiply, time to open a device,
// and time to compile PTX.

#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "castor/gpu/device.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "runtime/module.h"
#include "runtime/open_device.h"

namespace {

using namespace castor;

std::string matmul_text() {
  std::ifstream file(CASTOR_MATMUL_PTX);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<gpu::Device> open(const std::string& platform) {
  runtime::DeviceOptions options;
  options.platform = platform;
  options.overrides = {"run.functional=1"};
  return runtime::open_device(options);
}

// Arguments: matrix size, tile.
void tiled_matrix_multiply(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  const auto tile = static_cast<std::uint32_t>(state.range(1));
  const auto device = open("pascal_titanx_study");
  runtime::Module module("matmul.ptx", matmul_text());
  const std::string name =
      "_Z8multiplyILi" + std::to_string(tile) + "EEvPKfS1_Pfiii";  // template <int Tile> void multiply(...)
  const runtime::LoadedKernel* const kernel = module.kernel(*device, name);
  if (kernel == nullptr) {
    state.SkipWithError("no such kernel");
    return;
  }
  const std::uint64_t bytes = std::uint64_t{n} * n * sizeof(float);
  std::uint64_t matrix[3];
  for (std::uint64_t& address : matrix) address = *device->store().allocate(bytes, gpu::AllocationKind::kHeap);
  gpu::KernelPacket packet;
  packet.program = kernel->handle;
  packet.grid = {n / tile, n / tile, 1};
  packet.block = {tile, tile, 1};
  packet.parameters.resize(kernel->program->parameter_bytes);
  std::memcpy(packet.parameters.data(), matrix, sizeof matrix);
  for (unsigned i = 0; i < 3; ++i) std::memcpy(packet.parameters.data() + sizeof matrix + 4 * i, &n, sizeof n);
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    device->advance_until(device->submit(0, packet));
    instructions += device->kernels().back().warp_instructions;
  }
  if (device->fault()) state.SkipWithError(device->fault()->message.c_str());
  state.counters["warp_instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(tiled_matrix_multiply)->Args({512, 16})->Args({512, 32})->Unit(benchmark::kMillisecond);

// Measures opening a device: reading the machine file, mapping device memory, building the device.
void open_device(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(open("pascal_titanx_study"));
}
BENCHMARK(open_device)->Unit(benchmark::kMillisecond);

// Measures compilation of PTX text to a program with allocated physical registers.
void parse_and_compile(benchmark::State& state) {
  const auto device = open("pascal_titanx_study");
  const std::string text = matmul_text();
  for (auto _ : state) {
    runtime::Module module("matmul.ptx", text);
    for (const std::string& kernel : module.kernels(*device)) {
      benchmark::DoNotOptimize(module.kernel(*device, kernel));
    }
    module.unload(*device);
  }
}
BENCHMARK(parse_and_compile)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

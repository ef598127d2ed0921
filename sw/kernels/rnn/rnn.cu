// Recurrent network: a time step needs the state of all units after the step before it, so all thread blocks meet
// between two time steps. The systems differ in how they meet, and with it in where the weights are:
//   relaunch   a kernel per time step, which reads all weights from memory
//   barrier    one cooperative kernel with CUDA's grid barrier; the weights stay in registers
//   atomic     the same with a counter as barrier
//   flags      the same with flags as barrier
#include <cuda_runtime.h>

#include "../barriers/grid_barrier.h"
#include "../common/program.h"
#include "cells.h"
#include "layer.h"

using namespace kernels;

constexpr unsigned kMostThreads = 512;
constexpr int kFewColumns = 4 * kLanes, kMostColumns = 12 * kLanes;

__device__ int unit_of_warp() { return static_cast<int>(rank_in_grid()) / kLanes; }
__device__ int lane_of_thread() { return static_cast<int>(threadIdx.x) % kLanes; }

template <class Cell, int kPerLane>
__global__ void __launch_bounds__(kMostThreads) time_step(Layer layer, int step) {
  if (unit_of_warp() >= layer.hidden) return;
  UnitOfWarp<Cell, kPerLane>(layer, unit_of_warp(), lane_of_thread()).run(layer, step);
}

template <class Barrier, class Cell, int kPerLane>
__global__ void __launch_bounds__(kMostThreads) all_steps(BarrierMemory memory, Layer layer) {
  Barrier barrier(memory);
  const bool has_unit = unit_of_warp() < layer.hidden;
  const UnitOfWarp<Cell, kPerLane> unit(layer, has_unit ? unit_of_warp() : 0, lane_of_thread());
  for (int step = 0; step < layer.steps; ++step) {
    if (has_unit) unit.run(layer, step);
    barrier.sync();
  }
}

unsigned blocks_of(const Layer& layer, unsigned block) {
  return blocks_for(static_cast<long>(layer.hidden) * kLanes, block);
}

template <class Barrier, class Cell, int kPerLane>
void meet(const Layer& layer, unsigned block) {
  run_with_barriers<Barrier>(&all_steps<Barrier, Cell, kPerLane>, blocks_of(layer, block), block, layer);
}

template <class Cell, int kPerLane>
void run(const std::string& system, const Layer& layer, unsigned block) {
  if (system == "barrier") return meet<CooperativeBarrier, Cell, kPerLane>(layer, block);
  if (system == "atomic") return meet<AtomicBarrier, Cell, kPerLane>(layer, block);
  if (system == "flags") return meet<FlagBarrier, Cell, kPerLane>(layer, block);
  for (int step = 0; step < layer.steps; ++step) {
    time_step<Cell, kPerLane><<<blocks_of(layer, block), block>>>(layer, step);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

std::vector<float> random_values(Random& random, long count, double largest) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.real(-largest, largest));
  return values;
}

int main(int argc, char** argv) {
  using Cell = BasicCell;
  long hidden = 256, inputs = 64, steps = 16, block = 128, seed = 1;
  System system({"relaunch", "barrier", "atomic", "flags"});
  Options options("rnn", "recurrent network, between whose time steps all thread blocks meet");
  system.add(options);
  options.add("hidden", &hidden, 1, kMostColumns - 1, "hidden units");
  options.add("inputs", &inputs, 1, kMostColumns - 1, "inputs of a time step");
  options.add("steps", &steps, 1, 10000, "time steps");
  options.add("block", &block, kLanes, kMostThreads, "threads of a block, a multiple of 32");
  options.add("seed", &seed, 0, INT32_MAX, "seed of inputs and weights");
  options.parse(argc, argv);
  system.check(options);
  if (block % kLanes != 0) options.fail("option 'block' wants a multiple of 32");
  if (hidden + inputs > kMostColumns) {
    options.fail("options 'hidden' and 'inputs' make " + std::to_string(hidden + inputs) + " columns, allowed are " +
                 std::to_string(kMostColumns));
  }

  Random random(seed);
  const long rows = Cell::kGates * hidden, columns = hidden + inputs;
  const std::vector<float> weight = random_values(random, rows * columns, 1.5 / std::sqrt(columns));
  const std::vector<float> bias = random_values(random, rows, 0.25);
  const std::vector<float> input = random_values(random, steps * kBatch * inputs, 1);
  std::vector<float> state((steps + 1) * kBatch * hidden);
  const DeviceArray<float> device_weight(weight), device_bias(bias), device_input(input), device_state(state);
  Layer layer{static_cast<int>(inputs), static_cast<int>(hidden), static_cast<int>(steps), device_weight.get(),
              device_bias.get(),        device_input.get(),       device_state.get()};
  const auto chosen = columns <= kFewColumns ? &run<Cell, kFewColumns / kLanes> : &run<Cell, kMostColumns / kLanes>;
  chosen(system.name, layer, static_cast<unsigned>(block));

  layer.weight = weight.data();
  layer.bias = bias.data();
  layer.input = input.data();
  layer.state = state.data();
  run_on_host<Cell>(layer);
  Verdict verdict(options);
  verdict.equal("states", device_state.download(), state);
  return verdict.finish();
}

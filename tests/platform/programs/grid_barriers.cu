// Barriers of a whole grid: rounds in which every thread reads what threads of other blocks wrote in the round before,
// against the same rounds on the host; from one block to as many as the device holds, and launches with one more.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

constexpr unsigned kRounds = 4, kStores = 8;

__host__ __device__ unsigned mixed(unsigned own, unsigned next, unsigned last, unsigned round) {
  return 3 * own + 5 * next + 7 * last + round;
}

// values[0]: of the round before, values[1]: of this round; a barrier ends each.
__global__ void with_sync(unsigned* before, unsigned* after, unsigned* valid) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned all = static_cast<unsigned>(grid.size()), self = static_cast<unsigned>(grid.thread_rank());
  const unsigned block = all / static_cast<unsigned>(grid.num_blocks());
  for (unsigned round = 0; round < kRounds; ++round) {
    after[self] = mixed(before[self], before[(self + block) % all], before[all - 1 - self], round);
    grid.sync();
    unsigned* const swapped = before;
    before = after;
    after = swapped;
  }
  if (self == 0) *valid = grid.is_valid() ? 1 : 2;
}

// The same with arrival and wait apart. Between them a thread writes what nobody else reads.
__global__ void with_arrival(unsigned* before, unsigned* after, unsigned* own) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned all = static_cast<unsigned>(grid.size()), self = static_cast<unsigned>(grid.thread_rank());
  const unsigned block = all / static_cast<unsigned>(grid.num_blocks());
  for (unsigned round = 0; round < kRounds; ++round) {
    after[self] = mixed(before[self], before[(self + block) % all], before[all - 1 - self], round);
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    own[self] += round + 1;
    grid.barrier_wait(std::move(token));
    unsigned* const swapped = before;
    before = after;
    after = swapped;
  }
}

// Returns whether the threads of a block read what block 0 wrote: in odd rounds all, in even ones the last third.
__host__ __device__ bool reads_first(unsigned block, unsigned blocks, unsigned round) {
  return round % 2 == 1 || block >= blocks / 3 * 2;
}

// Words that are read lie beside words that are written: pairs[2 * i + 0], pairs[2 * i + 1]. In even rounds the first
// third of the blocks arrives early; then the last third brings lines into the L1 of their SMs to which block 0 writes
// afterwards; in odd rounds all read these lines.
__global__ void in_pairs(unsigned* pairs, unsigned*, unsigned*) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned all = static_cast<unsigned>(grid.size()), self = static_cast<unsigned>(grid.thread_rank());
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned* const before = pairs + round % 2;
    unsigned* const after = pairs + (round + 1) % 2;
    const bool first = reads_first(blockIdx.x, gridDim.x, round);
    const long long late = round % 2 == 1 ? 0 : blockIdx.x == 0 ? 12000 : first ? 6000 : 0;
    for (const long long begin = clock64(); clock64() - begin < late;) {
    }
    after[2 * self] = mixed(before[2 * self], first ? before[2 * threadIdx.x] : 1, before[2 * (all - 1 - self)], round);
    grid.sync();
  }
}

// All warps of block 0 but the first store to many lines of few memory channels just before the barrier; the other
// block reads what was stored last.
__global__ void scattered(unsigned* words, unsigned stride, unsigned* wrong) {
  const cg::grid_group grid = cg::this_grid();
  for (unsigned round = 1; round <= kRounds; ++round) {
    for (unsigned i = 0; i < kStores && blockIdx.x == 0 && threadIdx.x >= 32; ++i)
      words[((threadIdx.x - 32) * kStores + i) * stride] = round;
    grid.sync();
    for (unsigned i = kStores; i-- > 0 && blockIdx.x != 0 && threadIdx.x < 32;) {
      if (words[((blockDim.x - 64 + threadIdx.x) * kStores + i) * stride] != round) atomicAdd(wrong, 1u);
    }
    grid.sync();
  }
}

__device__ __noinline__ void meet(const cg::grid_group& grid) { cg::sync(grid); }
typedef void (*Meet)(const cg::grid_group&);
__device__ Meet meeting = meet;

// The barrier in a function, and in one that is called through a pointer.
__global__ void with_calls(unsigned* before, unsigned* after, unsigned*) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned all = static_cast<unsigned>(grid.size()), self = static_cast<unsigned>(grid.thread_rank());
  const unsigned block = all / static_cast<unsigned>(grid.num_blocks());
  for (unsigned round = 0; round < kRounds; ++round) {
    after[self] = mixed(before[self], before[(self + block) % all], before[all - 1 - self], round);
    if (round % 2 == 0) {
      meet(grid);
    } else {
      meeting(grid);
    }
    unsigned* const swapped = before;
    before = after;
    after = swapped;
  }
}

__global__ void without_barrier(unsigned* before, unsigned*, unsigned* valid) {
  *valid = cg::this_grid().is_valid() ? 1 : 2;
  before[0] = 0;
}

typedef void (*Kernel)(unsigned*, unsigned*, unsigned*);

unsigned* device[3];
cudaDeviceProp properties;

std::vector<unsigned> on_host(unsigned block, unsigned all, bool pairs = false) {
  std::vector<unsigned> before(all), after(all);
  for (unsigned i = 0; i < all; ++i) before[i] = i * 2654435761u;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (unsigned i = 0; i < all; ++i) {
      unsigned next = before[(i + block) % all];
      if (pairs) next = reads_first(i / block, all / block, round) ? before[i % block] : 1;
      after[i] = mixed(before[i], next, before[all - 1 - i], round);
    }
    std::swap(before, after);
  }
  return before;
}

bool run(Kernel kernel, dim3 grid, dim3 block, bool cooperative) {
  const unsigned threads = block.x * block.y * block.z, all = grid.x * grid.y * grid.z * threads;
  for (unsigned*& memory : device) cudaMalloc(&memory, all * sizeof(unsigned));
  std::vector<unsigned> values(all), expected = on_host(threads, all);
  for (unsigned i = 0; i < all; ++i) values[i] = i * 2654435761u;
  cudaMemcpy(device[0], values.data(), all * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(device[2], 0, all * sizeof(unsigned));
  if (cooperative) {
    void* arguments[] = {&device[0], &device[1], &device[2]};
    cudaLaunchCooperativeKernel(kernel, grid, block, arguments);
  } else {
    kernel<<<grid, block>>>(device[0], device[1], device[2]);
  }
  const cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
  cudaMemcpy(values.data(), device[0], all * sizeof(unsigned), cudaMemcpyDeviceToHost);
  bool good = launched == cudaSuccess && ended == cudaSuccess && values == expected;
  cudaMemcpy(values.data(), device[2], all * sizeof(unsigned), cudaMemcpyDeviceToHost);
  if (kernel == with_sync) good = good && values[0] == (cooperative ? 1u : 2u);
  for (unsigned i = 0; kernel == with_arrival && i < all; ++i) good = good && values[i] == kRounds * (kRounds + 1) / 2;
  for (unsigned* memory : device) cudaFree(memory);
  return good;
}

unsigned most_blocks(Kernel kernel, unsigned threads) {
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0);
  return static_cast<unsigned>(blocks * properties.multiProcessorCount);
}

void sizes(const char* name, Kernel kernel, const std::vector<unsigned>& blocks) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  const unsigned largest = static_cast<unsigned>(attributes.maxThreadsPerBlock);
  for (const unsigned wanted : blocks) {
    const unsigned threads = wanted == 0 || wanted > largest ? largest : wanted;
    const unsigned most = most_blocks(kernel, threads);
    const bool one = run(kernel, 1, threads, true), two = run(kernel, 2, threads, true);
    const bool all = run(kernel, most, threads, true), plain = run(kernel, most, threads, false);
    void* arguments[] = {&device[0], &device[1], &device[2]};
    const cudaError_t refused = cudaLaunchCooperativeKernel(kernel, most + 1, threads, arguments);
    kernel<<<most + 1, threads>>>(device[0], device[1], device[2]);
    const cudaError_t plainly = cudaGetLastError();
    std::printf("%s, blocks of ", name);
    if (wanted == 0) {
      std::printf("the largest size: ");
    } else {
      std::printf("%u: ", wanted);
    }
    std::printf("1 %s, 2 %s, most %s, most in a plain launch %s, one more: %s, plainly: %s\n", one ? "right" : "WRONG",
                two ? "right" : "WRONG", all ? "right" : "WRONG", plain ? "right" : "WRONG", cudaGetErrorName(refused),
                cudaGetErrorName(plainly));
  }
}

// Returns whether `in_pairs` gives what the host gives, with three blocks of 64 threads per SM.
bool run_in_pairs() {
  const unsigned threads = 64, blocks = 3 * static_cast<unsigned>(properties.multiProcessorCount),
                 all = blocks * threads;
  cudaMalloc(&device[0], 2 * all * sizeof(unsigned));
  std::vector<unsigned> values(2 * all), expected = on_host(threads, all, true);
  for (unsigned i = 0; i < all; ++i) values[2 * i] = i * 2654435761u;
  cudaMemcpy(device[0], values.data(), 2 * all * sizeof(unsigned), cudaMemcpyHostToDevice);
  void* arguments[] = {&device[0], &device[1], &device[2]};
  cudaLaunchCooperativeKernel(in_pairs, blocks, threads, arguments);
  bool good = cudaDeviceSynchronize() == cudaSuccess;
  cudaMemcpy(values.data(), device[0], 2 * all * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < all; ++i) good = good && values[2 * i] == expected[i];
  cudaFree(device[0]);
  return good;
}

bool run_scattered(unsigned stride) {
  unsigned wrong = 1;
  cudaMalloc(&device[0], 256 * kStores * stride * sizeof(unsigned));
  cudaMalloc(&device[1], sizeof(unsigned));
  cudaMemset(device[1], 0, sizeof(unsigned));
  void* arguments[] = {&device[0], &stride, &device[1]};
  cudaLaunchCooperativeKernel(scattered, 2, 256, arguments);
  const bool ended = cudaDeviceSynchronize() == cudaSuccess;
  cudaMemcpy(&wrong, device[1], sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(device[0]);
  cudaFree(device[1]);
  return ended && wrong == 0;
}

int main() {
  cudaGetDeviceProperties(&properties, 0);
  int attribute = 0;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrCooperativeLaunch, 0);
  std::printf("cooperative launches: %d %d\n", properties.cooperativeLaunch, attribute);
  sizes("sync", with_sync, {1, 33, 256, 0});  // 0: the largest
  sizes("arrive and wait", with_arrival, {33, 0});
  sizes("in functions", with_calls, {33, 0});
  const bool shaped =
      run(with_sync, dim3(2, 2, 1), dim3(4, 3, 2), true) && run(with_sync, dim3(1, 2, 2), dim3(2, 8), false);
  std::printf("in pairs: %s\n", run_in_pairs() ? "right" : "WRONG");
  std::printf("scattered stores: %s\n", run_scattered(512) && run_scattered(1024) ? "right" : "WRONG");
  std::printf("grids and blocks of several dimensions: %s\n", shaped ? "right" : "WRONG");

  // Without a barrier a plain launch may have any number of blocks, a cooperative one only as many as fit.
  unsigned* value = nullptr;
  cudaMalloc(&value, 2 * sizeof *value);
  unsigned *second = value + 1, valid[2] = {};
  const unsigned most = most_blocks(without_barrier, 32);
  without_barrier<<<most + 1, 32>>>(value, value, second);
  cudaMemcpy(&valid[0], second, sizeof *second, cudaMemcpyDeviceToHost);
  void* arguments[] = {&value, &value, &second};
  cudaLaunchCooperativeKernel(without_barrier, most, 32, arguments);
  cudaMemcpy(&valid[1], second, sizeof *second, cudaMemcpyDeviceToHost);
  std::printf("without a barrier: is_valid %u %u, one more: %s\n", valid[0], valid[1],
              cudaGetErrorName(cudaLaunchCooperativeKernel(without_barrier, most + 1, 32, arguments)));
  std::printf("last error: %s, then %s\n", cudaGetErrorName(cudaGetLastError()),
              cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

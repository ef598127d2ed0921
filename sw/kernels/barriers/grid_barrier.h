// Barriers of a whole grid: CUDA's own, for cooperative launches, and two in software. The software barriers work only
// if all thread blocks of the grid are resident at once: blocks that wait keep their resources, so a block that has not
// started would never arrive.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <string>
#include <type_traits>
#include <vector>

#include "../common/program.h"

namespace kernels {

/// Memory of the software barriers of one launch, zero at the start of the launch.
struct BarrierMemory {
  unsigned* arrivals;      ///< counter: arrivals of thread blocks at all barriers
  volatile unsigned* in;   ///< in[b]: number of barriers at which block b has arrived
  volatile unsigned* out;  ///< out[b]: number of barriers that block b may leave
};

__device__ inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned rank_of_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__device__ inline unsigned blocks_of_grid() { return gridDim.x * gridDim.y * gridDim.z; }
/// Returns the thread's number in the grid; the threads of block 0 come first.
__device__ inline unsigned rank_in_grid() { return rank_of_block() * threads_of_block() + rank_in_block(); }
__device__ inline unsigned threads_of_grid() { return blocks_of_grid() * threads_of_block(); }

/// CUDA's barrier of a cooperative launch.
class CooperativeBarrier {
 public:
  explicit __device__ CooperativeBarrier(const BarrierMemory&) {}
  __device__ void sync() { cooperative_groups::this_grid().sync(); }
};

/// Barrier of one counter: the first thread of each block adds 1, then polls until all blocks of the grid have added.
/// The counter is never reset, so the goal grows by the number of blocks with each barrier.
class AtomicBarrier {
 public:
  explicit __device__ AtomicBarrier(const BarrierMemory& memory) : arrivals_(memory.arrivals) {}

  __device__ void sync() {
    goal_ += blocks_of_grid();
    __threadfence();
    __syncthreads();
    if (rank_in_block() == 0) {
      atomicAdd(arrivals_, 1u);
      const volatile unsigned* const polled = arrivals_;
      while (static_cast<int>(*polled - goal_) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  unsigned* arrivals_;
  unsigned goal_ = 0;
};

/// Barrier without atomic operations (Xiao and Feng 2010). The first thread of each block writes the number of the
/// barrier to `in` and polls `out`. Block 0 is the checker: its threads poll the `in` of all blocks, then write `out`.
class FlagBarrier {
 public:
  explicit __device__ FlagBarrier(const BarrierMemory& memory) : in_(memory.in), out_(memory.out) {}

  __device__ void sync() {
    ++goal_;
    __threadfence();
    __syncthreads();
    const bool first = rank_in_block() == 0;
    if (first) in_[rank_of_block()] = goal_;
    if (rank_of_block() == 0) check();
    if (first) {
      while (out_[rank_of_block()] != goal_) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  __device__ void check() {
    for (unsigned block = rank_in_block(); block < blocks_of_grid(); block += threads_of_block()) {
      while (in_[block] != goal_) {
      }
    }
    __threadfence();
    __syncthreads();
    for (unsigned block = rank_in_block(); block < blocks_of_grid(); block += threads_of_block()) out_[block] = goal_;
  }

  volatile unsigned *in_, *out_;
  unsigned goal_ = 0;
};

/// Returns the number of thread blocks of `kernel` that the device holds at one time.
template <class... Parameters>
unsigned resident_blocks(void (*kernel)(Parameters...), unsigned threads) {
  int blocks = 0, processors = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<unsigned>(blocks * processors);
}

/// Launches a kernel whose thread blocks meet at barriers of type `Barrier`, and waits for its end.
template <class Barrier, class... Parameters>
void run_with_barriers(void (*kernel)(BarrierMemory, Parameters...), dim3 grid, dim3 block, Parameters... parameters) {
  const std::size_t blocks = static_cast<std::size_t>(grid.x) * grid.y * grid.z;
  DeviceArray<unsigned> words(1 + 2 * blocks);
  words.fill_bytes(0);
  BarrierMemory memory{words.get(), words.get() + 1, words.get() + 1 + blocks};
  if (std::is_same<Barrier, CooperativeBarrier>::value) {
    void* arguments[] = {&memory, &parameters...};
    CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, 0, nullptr));
  } else {
    kernel<<<grid, block>>>(memory, parameters...);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// The option that chooses how the thread blocks of a program meet between two iterations.
class System {
 public:
  /// `known`: the program's systems; the first one is the default.
  explicit System(std::vector<std::string> known) : name(known.front()), known_(std::move(known)) {}

  void add(Options& options) {
    help_ = "how thread blocks meet: ";
    for (const std::string& word : known_) help_ += word + (word == known_.back() ? "" : ", ");
    options.add_text("system", &name, help_.c_str());
  }
  void check(const Options& options) const {
    for (const std::string& word : known_) {
      if (word == name) return;
    }
    options.fail("option 'system' is '" + name + "'; " + help_);
  }

  std::string name;

 private:
  std::vector<std::string> known_;
  std::string help_;
};

}  // namespace kernels

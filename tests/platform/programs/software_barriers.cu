// The barriers of sw/kernels/barriers: rounds in which threads read what threads of other blocks stored just before the
// barrier, so that fences are needed. The writer is the block that checks flags, or another one.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "../../../sw/kernels/barriers/grid_barrier.h"

using namespace kernels;

constexpr unsigned kRounds = 4, kStores = 8, kThreads = 64;

__host__ __device__ unsigned mixed(unsigned own, unsigned next, unsigned last, unsigned round) {
  return 3 * own + 5 * next + 7 * last + round;
}

// Returns whether the threads of a block read what the writer wrote: in odd rounds all, in even ones the last third.
__host__ __device__ bool reads_first(unsigned block, unsigned blocks, unsigned round) {
  return round % 2 == 1 || block >= blocks / 3 * 2;
}

// Words that are read lie beside words that are written: pairs[2 * i + 0], pairs[2 * i + 1]. In even rounds the first
// third of the blocks arrives early; then the last third brings lines into the L1 of their SMs to which the writer
// writes afterwards; in odd rounds all read these lines.
template <class Barrier>
__global__ void in_pairs(BarrierMemory memory, unsigned* pairs, unsigned writer) {
  Barrier barrier(memory);
  const unsigned all = threads_of_grid(), self = rank_in_grid();
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned* const before = pairs + round % 2;
    unsigned* const after = pairs + (round + 1) % 2;
    const bool first = reads_first(blockIdx.x, gridDim.x, round);
    const long long late = round % 2 == 1 ? 0 : blockIdx.x == writer ? 12000 : first ? 6000 : 0;
    for (const long long begin = clock64(); clock64() - begin < late;) {
    }
    const unsigned next = first ? before[2 * (writer * blockDim.x + threadIdx.x)] : 1;
    after[2 * self] = mixed(before[2 * self], next, before[2 * (all - 1 - self)], round);
    barrier.sync();
  }
}

// All warps of the writer but the first store to many lines of few memory channels just before the barrier; the other
// block reads what was stored last.
template <class Barrier>
__global__ void scattered(BarrierMemory memory, unsigned* words, unsigned stride, unsigned writer, unsigned* wrong) {
  Barrier barrier(memory);
  for (unsigned round = 1; round <= kRounds; ++round) {
    for (unsigned i = 0; i < kStores && blockIdx.x == writer && threadIdx.x >= 32; ++i) {
      words[((threadIdx.x - 32) * kStores + i) * stride] = round;
    }
    barrier.sync();
    for (unsigned i = kStores; i-- > 0 && blockIdx.x != writer && threadIdx.x < 32;) {
      if (words[((blockDim.x - 64 + threadIdx.x) * kStores + i) * stride] != round) atomicAdd(wrong, 1u);
    }
    barrier.sync();
  }
}

unsigned number_at(unsigned thread) { return thread * 2654435761u; }

template <class Barrier>
bool run_in_pairs(unsigned writer) {
  int processors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const unsigned blocks = 3 * static_cast<unsigned>(processors), all = blocks * kThreads;
  std::vector<unsigned> before(all), after(all), pairs(2 * all);
  for (unsigned i = 0; i < all; ++i) pairs[2 * i] = before[i] = number_at(i);
  DeviceArray<unsigned> device(pairs);
  run_with_barriers<Barrier>(&in_pairs<Barrier>, blocks, kThreads, device.get(), writer);
  for (unsigned round = 0; round < kRounds; ++round) {
    for (unsigned i = 0; i < all; ++i) {
      const unsigned next = reads_first(i / kThreads, blocks, round) ? before[writer * kThreads + i % kThreads] : 1;
      after[i] = mixed(before[i], next, before[all - 1 - i], round);
    }
    std::swap(before, after);
  }
  pairs = device.download();
  for (unsigned i = 0; i < all; ++i) {
    if (pairs[2 * i] != before[i]) return false;
  }
  return true;
}

template <class Barrier>
bool run_scattered(unsigned stride, unsigned writer) {
  DeviceArray<unsigned> words(256 * kStores * stride), wrong(1);
  wrong.fill_bytes(0);
  run_with_barriers<Barrier>(&scattered<Barrier>, 2, 256, words.get(), stride, writer, wrong.get());
  return wrong.download()[0] == 0;
}

template <class Barrier>
void check(const char* name) {
  for (const unsigned writer : {0u, 1u}) {
    const bool scattered = run_scattered<Barrier>(512, writer) && run_scattered<Barrier>(1024, writer);
    std::printf("%s, block %u writes: in pairs %s, scattered %s\n", name, writer,
                run_in_pairs<Barrier>(writer) ? "right" : "WRONG", scattered ? "right" : "WRONG");
  }
}

int main() {
  check<CooperativeBarrier>("cooperative");
  check<AtomicBarrier>("atomic");
  check<FlagBarrier>("flags");
  return 0;
}

// Exit policy shrink: thread blocks end in every round, some at once, and the barriers wait for the others only. The
// number of barriers that is printed is that of the thread blocks that stay longest.
#include "grid.h"

constexpr int kThreads = 64, kSteps = 5;

__host__ __device__ inline unsigned rounds(unsigned block) {
  return block % 7 == 3 ? kSteps : block * 5 % (kSteps + 1);
}

__global__ void shrink(unsigned* live, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = i;
  for (unsigned step = 0; step < rounds(blockIdx.x); ++step) {
    if (threadIdx.x == 0) atomicAdd(live + step, 1U);
    __globalSync();
    sum = sum * 3 + *(volatile unsigned*)(live + step);
  }
  out[i] = sum;
}

int main(int, char** argv) {
  const Grid grid("shrink", shrink, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned *const out = managed<unsigned>(n), *const live = managed<unsigned>(kSteps);
  for (int step = 0; step < kSteps; ++step) live[step] = 0;
  castorSyncOptions options = castorSyncDefaults;
  options.exit = castorSyncExitShrink;
  check(castorSetSyncOptions((const void*)shrink, &options));
  shrink<<<grid.blocks, kThreads>>>(live, out);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n), stays(kSteps);
  for (int b = 0; b < grid.blocks; ++b) {
    for (unsigned step = 0; step < rounds(b); ++step) ++stays[step];
  }
  for (int i = 0; i < n; ++i) {
    host[i] = i;
    for (unsigned step = 0; step < rounds(i / kThreads); ++step) host[i] = host[i] * 3 + stays[step];
  }
  return grid.compare(out, host, kSteps);
}

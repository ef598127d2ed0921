// printf by one thread block per round, so that the order of the lines is known; and by all of them before the last
// barrier, in any order.
#include "grid.h"

constexpr int kThreads = 32, kRounds = 6;

__global__ void speak(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double value = 0.25 * i;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (blockIdx.x == round * 7 % gridDim.x && threadIdx.x == round)
      printf("round %u: block %u, thread %u, %.2f %s\n", round, blockIdx.x, threadIdx.x, value,
             round % 2 != 0 ? "odd" : "even");
    __globalSync();
  }
  if (threadIdx.x == 5) printf("block %u has passed %u barriers\n", blockIdx.x, kRounds);
  __globalSync();
  out[i] = printf("%s", "") + i;
}

int main(int, char** argv) {
  const Grid grid("prints", speak, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned* const out = managed<unsigned>(n);
  speak<<<grid.blocks, kThreads>>>(out);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; ++i) host[i] = i + 1;
  return grid.compare(out, host, kRounds + 1);
}

// A stencil that ends when no cell changes: the number of barriers follows from the data, and every thread block must
// see the flag of the same round.
#include "grid.h"

constexpr int kThreads = 64, kMostRounds = 100;

__global__ void relax(int* a, int* b, int n, int* changed, int* rounds) {
  __shared__ int any;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int round = 0;
  for (; round < kMostRounds; ++round) {
    if (threadIdx.x == 0) any = 0;
    __syncthreads();
    const int left = i > 0 ? a[i - 1] : a[i], right = i + 1 < n ? a[i + 1] : a[i];
    const int next = max(a[i], max(left, right) - 1);
    b[i] = next;
    if (next != a[i]) any = 1;
    __syncthreads();
    if (threadIdx.x == 0 && any != 0) atomicAdd(changed + round, 1);
    __globalSync();
    int* const t = a;
    a = b;
    b = t;
    if (*(volatile int*)(changed + round) == 0) break;
  }
  if (i == 0) *rounds = round;
}

int main(int, char** argv) {
  const Grid grid("stencil", relax, kThreads, argv);
  const int n = grid.blocks * kThreads;
  int *const a = managed<int>(n), *const b = managed<int>(n), *const changed = managed<int>(kMostRounds + 1);
  std::vector<int> host(n), next(n);
  for (int i = 0; i < n; ++i) host[i] = a[i] = i % 97 == 0 ? 13 + i % 5 : 0;
  for (int i = 0; i <= kMostRounds; ++i) changed[i] = 0;
  relax<<<grid.blocks, kThreads>>>(a, b, n, changed, changed + kMostRounds);
  check(cudaDeviceSynchronize());
  int round = 0;
  for (bool change = true; change; ++round) {
    change = false;
    for (int i = 0; i < n; ++i) {
      next[i] = std::max(host[i], std::max(host[std::max(i - 1, 0)], host[std::min(i + 1, n - 1)]) - 1);
      change = change || next[i] != host[i];
    }
    host.swap(next);
  }
  if (changed[kMostRounds] + 1 != round) {
    std::printf("%d rounds, not %d\n", changed[kMostRounds] + 1, round);
    return 1;
  }
  return grid.compare(round % 2 != 0 ? b : a, host, round);
}

// A sum over the grid in rounds: in each, half of the thread blocks add what the other half holds.
#include "grid.h"

constexpr int kThreads = 96;

__global__ void sum(const unsigned* in, unsigned* partial, unsigned* total) {
  __shared__ unsigned words[kThreads];
  const unsigned b = blockIdx.x, t = threadIdx.x;
  words[t] = in[b * kThreads + t];
  __syncthreads();
  if (t < 32) words[t] += words[t + 32] + words[t + 64];
  __syncthreads();
  for (unsigned half = 16; half != 0; half /= 2) {
    if (t < half) words[t] += words[t + half];
    __syncthreads();
  }
  if (t == 0) partial[b] = words[0];
  for (unsigned left = gridDim.x; left > 1; left = (left + 1) / 2) {
    __globalSync();
    const unsigned half = (left + 1) / 2;
    if (t == 0 && b < half && b + half < left) partial[b] += *(volatile unsigned*)(partial + b + half);
  }
  __globalSync();
  total[b * kThreads + t] = *(volatile unsigned*)partial + words[0] + b * kThreads + t;
}

int main(int, char** argv) {
  const Grid grid("rounds", sum, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned *const in = managed<unsigned>(n), *const partial = managed<unsigned>(grid.blocks),
                  *const total = managed<unsigned>(n);
  unsigned all = 0;
  std::vector<unsigned> own(grid.blocks), host(n);
  for (int i = 0; i < n; ++i) {
    in[i] = i * 2654435761U >> 7U;
    all += in[i];
    own[i / kThreads] += in[i];
  }
  sum<<<grid.blocks, kThreads>>>(in, partial, total);
  check(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) host[i] = all + own[i / kThreads] + i;
  int barriers = 1;
  for (int left = grid.blocks; left > 1; left = (left + 1) / 2) ++barriers;
  return grid.compare(total, host, barriers);
}

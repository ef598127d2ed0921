// Shared memory that lives over all barriers: a transposed tile, a count per warp, and a part that only warp 1 writes.
#include "grid.h"

constexpr int kThreads = 128, kSteps = 4;

__global__ void keep(unsigned* out) {
  __shared__ unsigned tile[kThreads];
  __shared__ unsigned char bytes[333];
  __shared__ double sums[kThreads / 32];
  const unsigned b = blockIdx.x, t = threadIdx.x;
  tile[t] = b * kThreads + t;
  if (t < kThreads / 32) sums[t] = b + t * 0.5;
  for (unsigned i = t; i < sizeof bytes; i += kThreads) bytes[i] = static_cast<unsigned char>(b + 3 * i);
  __syncthreads();
  for (int step = 0; step < kSteps; ++step) {
    __globalSync();
    const unsigned other = tile[(t * 37 + step) % kThreads];
    __syncthreads();
    tile[t] = tile[t] * 5 + other;
    if (t / 32 == 1) bytes[100 + t] = static_cast<unsigned char>(bytes[100 + t] + other);
    if (t % 32 == 0) sums[t / 32] += step;
    __syncthreads();
  }
  __globalSync();
  unsigned sum = 0;
  for (unsigned i = t; i < sizeof bytes; i += kThreads) sum = sum * 31 + bytes[i];
  out[b * kThreads + t] = tile[t] + sum * 7 + static_cast<unsigned>(2 * sums[t / 32]);
}

int main(int, char** argv) {
  const Grid grid("shared", keep, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned* const out = managed<unsigned>(n);
  keep<<<grid.blocks, kThreads>>>(out);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n);
  for (unsigned b = 0; b < unsigned(grid.blocks); ++b) {
    unsigned tile[kThreads], next[kThreads];
    unsigned char bytes[333];
    for (unsigned t = 0; t < kThreads; ++t) tile[t] = b * kThreads + t;
    for (unsigned i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(b + 3 * i);
    double sums[kThreads / 32];
    for (int w = 0; w < kThreads / 32; ++w) sums[w] = b + w * 0.5;
    for (int step = 0; step < kSteps; ++step) {
      for (unsigned t = 0; t < kThreads; ++t) {
        const unsigned other = tile[(t * 37 + step) % kThreads];
        next[t] = tile[t] * 5 + other;
        if (t / 32 == 1) bytes[100 + t] = static_cast<unsigned char>(bytes[100 + t] + other);
        if (t % 32 == 0) sums[t / 32] += step;
      }
      std::copy(next, next + kThreads, tile);
    }
    for (unsigned t = 0; t < kThreads; ++t) {
      unsigned sum = 0;
      for (unsigned i = t; i < sizeof bytes; i += kThreads) sum = sum * 31 + bytes[i];
      host[b * kThreads + t] = tile[t] + sum * 7 + static_cast<unsigned>(2 * sums[t / 32]);
    }
  }
  return grid.compare(out, host, kSteps + 1);
}

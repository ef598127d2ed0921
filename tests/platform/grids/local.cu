// Local arrays with indices that are known at run time alone, so that they lie in local memory: it travels with the
// thread block.
#include "grid.h"

constexpr int kThreads = 64, kSteps = 3, kWords = 24;

__host__ __device__ inline unsigned next(unsigned* array, unsigned at, unsigned step) {
  array[(at * 7 + step) % kWords] += at * step + 1;
  return (at + array[(at + step) % kWords]) % kWords;
}
__host__ __device__ inline unsigned digest(const unsigned* array) {
  unsigned sum = 0;
  for (int i = 0; i < kWords; ++i) sum = sum * 33 + array[i];
  return sum;
}

__global__ void walk(unsigned* out, const unsigned* starts) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned array[kWords];
  for (unsigned k = 0; k < kWords; ++k) array[(k * 5 + starts[i]) % kWords] = i + k;
  unsigned at = starts[i];
  for (unsigned step = 0; step < kSteps; ++step) {
    __globalSync();
    for (unsigned k = 0; k < 6; ++k) at = next(array, at, step + k);
  }
  __globalSync();
  out[i] = digest(array) + at;
}

int main(int, char** argv) {
  const Grid grid("local", walk, kThreads, argv);
  const int n = grid.blocks * kThreads;
  unsigned *const out = managed<unsigned>(n), *const starts = managed<unsigned>(n);
  for (int i = 0; i < n; ++i) starts[i] = i * 11 % kWords;
  walk<<<grid.blocks, kThreads>>>(out, starts);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; ++i) {
    unsigned array[kWords], at = starts[i];
    for (unsigned k = 0; k < kWords; ++k) array[(k * 5 + starts[i]) % kWords] = i + k;
    for (unsigned step = 0; step < kSteps; ++step) {
      for (unsigned k = 0; k < 6; ++k) at = next(array, at, step + k);
    }
    host[i] = digest(array) + at;
  }
  return grid.compare(out, host, kSteps + 1);
}

// assert on the device: the text names file, function, block and thread, and the error stays.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void check(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

int main() {
  check<<<2, 8>>>(8);
  std::printf("holds: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  check<<<1, 8>>>(7);
  std::printf("fails: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("stays: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}

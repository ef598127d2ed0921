// __trap ends the kernel with an error; threads that do not reach it do not matter.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void maybe_trap(int thread) {
  if (static_cast<int>(threadIdx.x) == thread) __trap();
}

int main() {
  maybe_trap<<<1, 32>>>(32);
  std::printf("no thread: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  maybe_trap<<<1, 32>>>(5);
  std::printf("one thread: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

// One good kernel, then one that never ends. Static objects whose destructors use the device stand in the way of the
// program's end.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void good(int* p) { *p = 1; }
__global__ void endless(volatile int* p) {
  while (*p == 1) {
  }
}

struct Memory {
  int* data = nullptr;
  ~Memory() { cudaFree(data); }
} memory;

int main() {
  cudaMalloc(&memory.data, 4);
  good<<<1, 1>>>(memory.data);
  cudaDeviceSynchronize();
  endless<<<1, 32>>>(memory.data);
  std::printf("spinning\n");
  std::fflush(stdout);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return 3;
}

// A kernel that uses memory which the host has given back.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void use(int* p) { p[threadIdx.x] += 1; }

int main() {
  int* p = nullptr;
  cudaMalloc(&p, 32 * sizeof(int));
  use<<<1, 32>>>(p);
  std::printf("before: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(p);
  use<<<1, 32>>>(p);
  std::printf("after: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

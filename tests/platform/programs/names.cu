// Kernels, functions and variables that are called like instructions, registers or directives.
#include <cuda_runtime.h>

#include <cstdio>

extern "C" {
__device__ int mov = 1, ld = 2, reg = 4;
__constant__ int entry = 8;
__device__ int bra(int x) { return x + mov; }
__device__ __noinline__ int exit_(int x) { return bra(x) + ld; }
__global__ void add(int* out) { out[0] = exit_(10); }
__global__ void ret(int* out) { out[1] = reg + entry; }
__global__ void bar(int* out) {
  __shared__ int shared, local, param;
  shared = 1;
  local = 2;
  param = 3;
  __syncthreads();
  out[2] = shared + local + param;
}
__global__ void exit4(int* global, int func) { global[3] = func; }
}

int main() {
  int *device = nullptr, host[4] = {};
  cudaMalloc(&device, sizeof host);
  add<<<1, 1>>>(device);
  ret<<<1, 1>>>(device);
  bar<<<1, 32>>>(device);
  exit4<<<1, 1>>>(device, 55);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  return 0;
}

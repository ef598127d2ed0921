// new and delete, malloc and free on the device: blocks are distinct, aligned, survive the kernel, and can be used
// again.
#include <cuda_runtime.h>

#include <cstdio>

struct Pair {
  __device__ Pair(int a, int b) : first(a), second(b) {}
  int first, second;
};

__device__ Pair* kept[64];

__global__ void build() {
  kept[threadIdx.x] = new Pair(threadIdx.x, 1000 - threadIdx.x);
  char* bytes = static_cast<char*>(malloc(threadIdx.x + 1));
  bytes[threadIdx.x] = 1;
  free(bytes);
}

__global__ void use(int* out) {
  const Pair* pair = kept[threadIdx.x];
  atomicAdd(&out[0], pair->first + pair->second);
  atomicAdd(&out[1], reinterpret_cast<unsigned long long>(pair) % 16 == 0);
  for (int i = 0; i < threadIdx.x; ++i) atomicAdd(&out[2], kept[i] == pair);
  delete pair;
}

int main() {
  int *device = nullptr, host[3];
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  build<<<1, 64>>>();
  use<<<1, 64>>>(device);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("sum %d, aligned %d, equal pairs %d\n", host[0], host[1], host[2]);
  return 0;
}

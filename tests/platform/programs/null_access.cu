// A store through a null pointer by one thread of many.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store(int* p) {
  if (threadIdx.x == 17) *p = 1;
}

int main() {
  store<<<1, 32>>>(nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

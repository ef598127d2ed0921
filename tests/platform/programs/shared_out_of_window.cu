// A store behind the shared memory of the block, through an index the compiler cannot know.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void store(int index, int* out) {
  __shared__ int part[32];
  part[threadIdx.x] = 0;
  __syncthreads();
  part[index] = 1;
  __syncthreads();
  *out = part[0];
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 4);
  store<<<1, 32>>>(31, out);
  std::printf("inside: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  store<<<1, 32>>>(1 << 20, out);
  std::printf("outside: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

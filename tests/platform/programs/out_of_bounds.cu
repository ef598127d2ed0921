// A load one element behind an allocation. The kernel, the thread and the address are named on standard error.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void read_past_the_end(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}

int main() {
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 250 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  read_past_the_end<<<5, 50>>>(in, out);
  std::printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("synchronize: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 3;
}

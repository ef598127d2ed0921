// A child that does what it may not stops the whole tree of launches: a recursion without end, and blocks that wait.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void bad(int* out) { out[100] = 1; }
__global__ void forever(int* counter) {
  atomicAdd(counter, 1);
  forever<<<1, 1>>>(counter);
}
__global__ void parent(int* out) {
  forever<<<1, 1>>>(out);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  bad<<<1, 1, 0, stream>>>(out);
  cudaDeviceSynchronize();
  out[1] = 1;
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 8);
  cudaMemset(out, 0, 8);
  parent<<<1, 1>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  cudaMalloc(&out, 8);
  std::printf("after a reset: %s\n", cudaGetErrorName(cudaMemset(out, 0, 8)));
  return 0;
}

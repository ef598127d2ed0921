// A barrier with a count that is never reached: the kernel is stopped with an error instead of hanging.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void wait_for_nobody() {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
}

int main() {
  wait_for_nobody<<<1, 64>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", error == cudaSuccess ? "no error" : "stopped with an error");
  std::printf("%s\n", cudaGetLastError() == error ? "it stays" : "it is gone");
  return 0;
}

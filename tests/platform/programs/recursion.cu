// Recursion has no place on a machine without a call stack: a kernel that reaches it is refused with the chain of
// calls, the other kernels of the file work.
#include <cuda_runtime.h>

#include <cstdio>

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__global__ void recursive(int* out) { *out = ackermann(2, 3); }
__global__ void plain(int* out) { *out = 5; }

int main() {
  int *device = nullptr, host = 0;
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  recursive<<<1, 1>>>(device);
  std::printf("recursive: %s\n", cudaGetLastError() == cudaSuccess ? "accepted" : "refused");
  plain<<<1, 1>>>(device);
  std::printf("plain: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("value %d\n", host);
  return 0;
}

// An illegal access stops the kernel and stays: every later call returns it, until the device is reset.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void write(int* p, long index) { p[index] = 1; }

int main() {
  int *p = nullptr, value = 0;
  cudaMalloc(&p, 4);
  write<<<1, 1>>>(p, 1l << 32);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("synchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost)));
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
  write<<<1, 1>>>(p, 0);
  std::printf("next launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
  write<<<1, 1>>>(p, 0);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost)));
  std::printf("value: %d\n", value);
  return 0;
}

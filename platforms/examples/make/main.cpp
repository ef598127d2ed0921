#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "saxpy.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = 1.0f;
  }
  float *device_x = nullptr, *device_y = nullptr;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy(n, 2.0f, device_x, device_y);
  cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.0f * static_cast<float>(i % 1000) + 1.0f;
  std::printf("%d of %d elements wrong, %s\n", wrong, n, cudaGetErrorString(cudaGetLastError()));
  cudaFree(device_x);
  cudaFree(device_y);
  return wrong == 0 ? 0 : 1;
}

// Division by zero: no trap for whole numbers (their result is unspecified), infinities and NaN for real ones.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void divide(int zero, float real_zero, int* whole, float* real, double* wide) {
  whole[0] = 7 / zero + static_cast<int>(7u % static_cast<unsigned>(zero)) + static_cast<int>(7ll / zero);
  real[0] = 1.0f / real_zero;
  real[1] = -1.0f / real_zero;
  real[2] = real_zero / real_zero;
  real[3] = 1.0f / -real_zero;
  real[4] = fmodf(1.0f, real_zero);
  real[5] = rsqrtf(real_zero);
  wide[0] = 1.0 / real_zero;
  wide[1] = static_cast<double>(real_zero) / real_zero;
}

int main() {
  int* whole = nullptr;
  float *real = nullptr, host[6];
  double *wide = nullptr, host_wide[2];
  cudaMalloc(&whole, 4);
  cudaMalloc(&real, sizeof host);
  cudaMalloc(&wide, sizeof host_wide);
  divide<<<1, 1>>>(0, 0.0f, whole, real, wide);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(host, real, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(host_wide, wide, sizeof host_wide, cudaMemcpyDeviceToHost);
  for (float x : host) std::printf(x != x ? "nan\n" : "%f\n", x);
  for (double x : host_wide) std::printf(x != x ? "nan\n" : "%f\n", x);
  return 0;
}

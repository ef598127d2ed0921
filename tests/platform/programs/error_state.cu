// Errors that do not stay: peek leaves them, get takes them away, and successful calls do not clear them.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}

const char* name(cudaError_t error) { return cudaGetErrorName(error); }

int main() {
  int* p = nullptr;
  std::printf("at start: %s\n", name(cudaGetLastError()));
  nothing<<<1, 4096>>>();
  std::printf("peek: %s\n", name(cudaPeekAtLastError()));
  std::printf("a good call: %s\n", name(cudaMalloc(&p, 16)));
  std::printf("peek: %s\n", name(cudaPeekAtLastError()));
  std::printf("synchronize: %s\n", name(cudaDeviceSynchronize()));
  std::printf("get: %s\n", name(cudaGetLastError()));
  std::printf("get: %s\n", name(cudaGetLastError()));
  nothing<<<0, 1>>>();
  std::printf("no blocks: %s\n", name(cudaGetLastError()));
  nothing<<<1, dim3(1, 1, 65)>>>();
  std::printf("z of a block: %s\n", name(cudaGetLastError()));
  nothing<<<dim3(1, 65536, 1), 1>>>();
  std::printf("y of a grid: %s\n", name(cudaGetLastError()));
  std::printf("null result: %s\n", name(cudaMalloc(nullptr, 16)));
  std::printf("kept: %s\n", name(cudaGetLastError()));
  std::printf("free of a foreign address: %s\n", name(cudaFree(p + 1)));
  std::printf("free: %s\n", name(cudaFree(p)));
  std::printf("free of null: %s\n", name(cudaFree(nullptr)));
  std::printf("get: %s\n", name(cudaGetLastError()));
  std::printf("get: %s\n", name(cudaGetLastError()));
  nothing<<<1, 1>>>();
  std::printf("good launch: %s\n", name(cudaDeviceSynchronize()));
  return 0;
}

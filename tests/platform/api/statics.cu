// Device use before main and after it, and the place of device printing among the host's.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__device__ int cell = 3;

__global__ void say(const char* what, int n) { printf("  device %s %d, cell %d\n", "says", n, cell++); }

// Uses the device in constructor and destructor.
struct User {
  int number;
  int* memory = nullptr;
  explicit User(int n) : number(n) {
    const bool good = cudaMalloc(&memory, 400) == cudaSuccess && cudaMemset(memory, n, 400) == cudaSuccess;
    std::printf("constructor %d: %s\n", n, good ? "good" : "bad");
  }
  ~User() {
    int value = 0;
    cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost);
    say<<<1, 1>>>(nullptr, number);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("destructor %d: byte %d, %s, %s\n", number, value & 0xff, cudaGetErrorName(error),
                cudaGetErrorName(cudaFree(memory)));
  }
};

User first(1);
User second(2);

int main() {
  std::printf("main\n");
  say<<<1, 1>>>(nullptr, 10);
  std::printf("launched\n");
  cudaDeviceSynchronize();
  std::printf("synchronized\n");
  static User inside(3);
  say<<<1, 1>>>(nullptr, 11);
  int value = 0;
  cudaMemcpyFromSymbol(&value, cell, 4);  // a copy waits for what is before it
  std::printf("copied %d\n", value);
  say<<<1, 1>>>(nullptr, 12);  // nobody waits for it but the end
  std::printf("leaving\n");
  return 0;
}

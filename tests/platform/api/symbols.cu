// Device variables by their names, with every qualifier, and the asynchronous forms.
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"

struct Pair {
  int a;
  float b;
};
__device__ int plain[8];
__device__ volatile int changing[8];
__device__ volatile int one;
__device__ volatile float grid[2][3];
__constant__ int fixed[4];
__device__ volatile unsigned long long last;
__device__ int* volatile pointer;
__device__ Pair pair;

__global__ void touch() {
  const int i = threadIdx.x;
  changing[i] = changing[i] + plain[i] + fixed[i % 4];
  if (i != 0) return;
  one = one + 1;
  grid[1][2] = grid[1][2] * 2;
  last = last + 1;
  pointer = plain + 3;
  pair.a += 1;
}

int main() {
  int in[8], out[8] = {};
  for (int i = 0; i < 8; ++i) in[i] = 10 * i;
  const int constants[4] = {1, 2, 3, 4};
  cudaStream_t stream;
  GOOD(cudaStreamCreate(&stream));
  GOOD(cudaMemcpyToSymbol(plain, in, sizeof in));
  GOOD(cudaMemcpyToSymbolAsync(changing, in, sizeof in, 0, cudaMemcpyHostToDevice, stream));
  GOOD(cudaMemcpyToSymbol(fixed, constants, sizeof constants));
  const int seven = 7;
  GOOD(cudaMemcpyToSymbol(one, &seven, sizeof seven));
  const float half = 0.5f;
  GOOD(cudaMemcpyToSymbol(grid, &half, sizeof half, 5 * sizeof half));
  const unsigned long long many = ~0ull - 1;
  GOOD(cudaMemcpyToSymbolAsync(last, &many, sizeof many, 0, cudaMemcpyHostToDevice, stream));
  const Pair start = {1, 2.5f};
  GOOD(cudaMemcpyToSymbol(pair, &start, sizeof start));
  touch<<<1, 8, 0, stream>>>();
  GOOD(cudaMemcpyFromSymbolAsync(out, changing, sizeof out, 0, cudaMemcpyDeviceToHost, stream));
  GOOD(cudaStreamSynchronize(stream));
  for (int i = 0; i < 8; ++i) CHECK(out[i] == 20 * i + constants[i % 4]);
  int eight = 0;
  GOOD(cudaMemcpyFromSymbol(&eight, one, sizeof eight));
  CHECK(eight == 8);
  float whole = 0;
  GOOD(cudaMemcpyFromSymbolAsync(&whole, grid, sizeof whole, 5 * sizeof whole));
  GOOD(cudaDeviceSynchronize());
  CHECK(whole == 1);
  unsigned long long most = 0;
  GOOD(cudaMemcpyFromSymbol(&most, last, sizeof most));
  CHECK(most == ~0ull);
  Pair end = {0, 0};
  GOOD(cudaMemcpyFromSymbol(&end, pair, sizeof end));
  CHECK(end.a == 2 && end.b == 2.5f);

  size_t size = 0;
  GOOD(cudaGetSymbolSize(&size, changing));
  CHECK(size == sizeof in);
  GOOD(cudaGetSymbolSize(&size, one));
  CHECK(size == sizeof(int));
  GOOD(cudaGetSymbolSize(&size, pointer));
  CHECK(size == sizeof(int*));
  void* address = nullptr;
  int* third = nullptr;
  GOOD(cudaGetSymbolAddress(&address, plain));
  GOOD(cudaMemcpyFromSymbol(&third, pointer, sizeof third));
  CHECK(third == static_cast<int*>(address) + 3);
  GOOD(cudaGetSymbolAddress(&address, changing));
  GOOD(cudaMemcpy(out, address, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(out[7] == 140 + 4);
  RETURNS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(out, changing, sizeof out, 4));
  volatile int host_only = 0;
  RETURNS(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(out, host_only, 4));
  RETURNS(cudaErrorInvalidSymbol, cudaGetLastError());
  GOOD(cudaStreamDestroy(stream));
  return verdict();
}

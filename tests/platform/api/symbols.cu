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

// Seen by this file alone: static, in a namespace without a name, in one inside another, with values of their own, and
// of a class that has no name outside.
static __device__ int static_global[4] = {1, 2, 3, 4};
static __constant__ int static_constant = 5;
namespace {
__device__ int local_global = 6;
__device__ int local_array[4];
__constant__ int local_constant[2] = {7, 8};
__constant__ const int local_fixed = 9;
__device__ Pair local_pair = {10, 11.5f};
namespace inner {
__device__ unsigned char local_byte = 12;
}  // namespace inner
struct Held {
  static __device__ int member;
};
__device__ int Held::member = 13;
template <class T>
__device__ T local_template = T(14);
}  // namespace

__global__ void read_local(int* out) {
  out[0] = static_global[threadIdx.x];
  out[1] = static_constant;
  out[2] = local_global;
  out[3] = local_array[1 + threadIdx.x];
  out[4] = local_constant[1 - threadIdx.x];
  out[5] = local_fixed;
  out[6] = local_pair.a;
  out[7] = inner::local_byte;
  out[8] = Held::member;
  out[9] = local_template<int>;
}

void check_local() {
  int* seen = nullptr;
  int got[10] = {};
  GOOD(cudaMalloc(&seen, sizeof got));
  const auto look = [&] {
    read_local<<<1, 1>>>(seen);
    GOOD(cudaMemcpy(got, seen, sizeof got, cudaMemcpyDeviceToHost));
  };
  look();
  const int before[10] = {1, 5, 6, 0, 8, 9, 10, 12, 13, 14};
  CHECK(std::memcmp(got, before, sizeof got) == 0);
  const int given[4] = {101, 102, 103, 104};
  GOOD(cudaMemcpyToSymbol(static_global, given, sizeof given));
  GOOD(cudaMemcpyToSymbol(static_constant, given, sizeof(int)));
  GOOD(cudaMemcpyToSymbol(local_global, given + 1, sizeof(int)));
  GOOD(cudaMemcpyToSymbol(local_array, given, sizeof given));
  GOOD(cudaMemcpyToSymbol(local_constant, given + 2, 2 * sizeof(int)));
  GOOD(cudaMemcpyToSymbol(local_pair, given + 3, sizeof(int)));
  const unsigned char byte = 105;
  GOOD(cudaMemcpyToSymbol(inner::local_byte, &byte, 1));
  GOOD(cudaMemcpyToSymbol(Held::member, given, sizeof(int)));
  GOOD(cudaMemcpyToSymbol(local_template<int>, given + 1, sizeof(int)));
  look();
  const int after[10] = {101, 101, 102, 102, 104, 9, 104, 105, 101, 102};
  CHECK(std::memcmp(got, after, sizeof got) == 0);
  int value = 0;
  GOOD(cudaMemcpyFromSymbol(&value, local_fixed, sizeof value));
  CHECK(value == 9);
  void* address = nullptr;
  std::size_t size = 0;
  GOOD(cudaGetSymbolAddress(&address, local_array));
  GOOD(cudaGetSymbolSize(&size, local_array));
  CHECK(address != nullptr && size == sizeof given);
  GOOD(cudaFree(seen));
}

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
  check_local();
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

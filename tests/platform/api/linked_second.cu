// The other file of linked_first.cu.
#include "check.h"
#include "linked.h"

__device__ int counter = 7;
__constant__ int factors[4];
__device__ int add(int x) { return x + counter; }
__device__ int Shape::area() const { return side * side; }

namespace {
__device__ int hidden = 22;
__global__ void local(int* out) {
  out[0] = hidden + scaled(1);
  out[1] = counter;
}
}  // namespace

void run_second(int* out) {
  const int table[2] = {2, 4};
  GOOD(cudaMemcpyToSymbol(local_table, table, sizeof table));
  local<<<1, 1>>>(out);
  GOOD(cudaDeviceSynchronize());
  int value = 0;
  GOOD(cudaMemcpyFromSymbol(&value, hidden, sizeof value));
  CHECK(value == 22);
}

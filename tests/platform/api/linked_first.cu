// Device code over two files: functions, variables and constants of the other one, symbols set by the host of either,
// and kernels and variables of the same local name.
#include "check.h"
#include "linked.h"

namespace {
__device__ int hidden = 11;
__global__ void local(int* out) { *out = hidden + scaled(1); }
}  // namespace

// After its use by the device, and from another file than its definition.
__global__ void use(int* out) {
  Shape shape;
  shape.side = 6;
  const Shape* base = &shape;
  out[0] = add(1) + scaled(2) + factors[1];
  out[1] = base->area();
  atomicAdd(&counter, 5);
}

int main() {
  int* out = nullptr;
  GOOD(cudaMallocManaged(&out, 4 * sizeof(int)));
  const int table[2] = {1, 3};
  GOOD(cudaMemcpyToSymbol(local_table, table, sizeof table));
  const int four[4] = {10, 20, 30, 40};
  GOOD(cudaMemcpyToSymbol(factors, four, sizeof four));
  use<<<1, 1>>>(out);
  GOOD(cudaDeviceSynchronize());
  CHECK(out[0] == 1 + 7 + 2 * 3 + 20);
  CHECK(out[1] == 36);
  local<<<1, 1>>>(out);
  GOOD(cudaDeviceSynchronize());
  CHECK(out[0] == 11 + 3);
  run_second(out);
  CHECK(out[0] == 22 + 4);
  CHECK(out[1] == 12);
  int value = 0;
  GOOD(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 12);
  GOOD(cudaMemcpyFromSymbol(&value, hidden, sizeof value));
  CHECK(value == 11);
  GOOD(cudaFree(out));
  return verdict();
}

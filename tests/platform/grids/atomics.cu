// Atomics on global and shared memory on both sides of barriers: tickets that each thread draws once, sums, largest
// values, a lock-free maximum of floats, and a count per round that all thread blocks must see complete.
#include "grid.h"

constexpr int kThreads = 64, kSteps = 4;

struct Counters {
  unsigned tickets, wrong;
  unsigned long long sum;
  int largest;
  float top;
  unsigned round[kSteps];
};

__device__ void raise(float* top, float value) {
  int seen = __float_as_int(*(volatile float*)top);
  while (__int_as_float(seen) < value) {
    const int before = atomicCAS(reinterpret_cast<int*>(top), seen, __float_as_int(value));
    if (before == seen) return;
    seen = before;
  }
}

__global__ void count(Counters* counters, unsigned* drawn, unsigned* out) {
  __shared__ unsigned own;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  const unsigned ticket = atomicAdd(&counters->tickets, 1U);
  atomicAdd(drawn + ticket % n, 1U);
  for (unsigned step = 0; step < kSteps; ++step) {
    atomicAdd(counters->round + step, 1U);
    atomicAdd(&counters->sum, (unsigned long long)i << 20U);
    atomicMax(&counters->largest, int(i * 37 % 1009) - 500);
    raise(&counters->top, 0.5f * (i * 53 % 701));
    atomicAdd(&own, ticket % 2 + 1);
    __globalSync();
    if (*(volatile unsigned*)(counters->round + step) != n) atomicAdd(&counters->wrong, 1U);
    __globalSync();
  }
  // All have drawn another ticket below n.
  out[i] = (ticket < n ? 1 : 0) + (*(volatile unsigned*)(drawn + i) == 1 ? 2 : 0);
  atomicExch(&own, own);
}

int main(int, char** argv) {
  const Grid grid("atomics", count, kThreads, argv);
  const int n = grid.blocks * kThreads;
  Counters* const counters = managed<Counters>(1);
  unsigned *const drawn = managed<unsigned>(n), *const out = managed<unsigned>(n + 4);
  *counters = {};
  counters->largest = -10000;
  for (int i = 0; i < n; ++i) drawn[i] = 0;
  count<<<grid.blocks, kThreads>>>(counters, drawn, out);
  check(cudaDeviceSynchronize());
  std::vector<unsigned> host(n, 3U);
  int largest = -10000;
  float top = 0;
  unsigned long long sum = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max(largest, i * 37 % 1009 - 500);
    top = std::max(top, 0.5f * (i * 53 % 701));
    sum += (unsigned long long)kSteps * i << 20U;
  }
  out[n] = counters->wrong;
  out[n + 1] = counters->largest;
  out[n + 2] = unsigned(2 * counters->top);
  out[n + 3] = unsigned(counters->sum >> 20U);
  host.insert(host.end(), {0U, unsigned(largest), unsigned(2 * top), unsigned(sum >> 20U)});
  return grid.compare(out, host, 2 * kSteps);
}

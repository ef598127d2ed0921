// 64-bit integers and double precision: values in pairs of registers over all barriers, with division and square root,
// whose results are pending for a long time when the thread arrives.
#include "grid.h"

constexpr int kThreads = 64, kSteps = 3;

struct State {
  unsigned long long x;
  long long y;
  double u, v;
};
__host__ __device__ inline State first(unsigned i) {
  return {i * 0x9e3779b97f4a7c15ULL + 1, -static_cast<long long>(i) * 1234567891011LL, 1.0 + i / 3.0, 1e-3 * i};
}
// No product is added to anything, so that host and device round alike.
__host__ __device__ inline void advance(State* state, double left, unsigned step) {
  state->x = (state->x ^ state->x >> 31U) * 0xbf58476d1ce4e5b9ULL / (step + 3) + state->x % (step * 1000003ULL + 7);
  state->y = state->y / static_cast<long long>(step + 5) - static_cast<long long>(state->x >> 40U);
  state->u = sqrt(state->u + left) / (1.5 + step);
  state->v = state->v - left / (state->u + 2.0);
}
__host__ __device__ inline unsigned long long digest(const State& state) {
  return state.x + static_cast<unsigned long long>(state.y) * 3 +
         static_cast<unsigned long long>(static_cast<long long>(state.u * 1e12)) +
         static_cast<unsigned long long>(static_cast<long long>(state.v * 1e9));
}

__global__ void wide(double* a, double* b, unsigned long long* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  State state = first(i);
  for (unsigned step = 0; step < kSteps; ++step) {
    a[i] = state.u;
    __globalSync();
    advance(&state, *(volatile double*)(a + (i + blockDim.x) % n), step);
    double* const t = a;
    a = b;
    b = t;
  }
  __globalSync();
  out[i] = digest(state);
}

int main(int, char** argv) {
  const Grid grid("wide", wide, kThreads, argv);
  const int n = grid.blocks * kThreads;
  double *const a = managed<double>(n), *const b = managed<double>(n);
  auto* const out = managed<unsigned long long>(n);
  wide<<<grid.blocks, kThreads>>>(a, b, out);
  check(cudaDeviceSynchronize());
  std::vector<State> states(n);
  std::vector<double> u(n);
  std::vector<unsigned long long> host(n);
  for (int i = 0; i < n; ++i) states[i] = first(i);
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < n; ++i) u[i] = states[i].u;
    for (int i = 0; i < n; ++i) advance(&states[i], u[(i + kThreads) % n], step);
  }
  for (int i = 0; i < n; ++i) host[i] = digest(states[i]);
  return grid.compare(out, host, kSteps + 1);
}

// Cooperative groups, bfloat16, and functions of both sides.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <math_constants.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

namespace cg = cooperative_groups;

__host__ __device__ float both_sides(float x, int n) {
  return sinf(x) + std::cos(x) + powf(x, 2.0f) + rsqrtf(x) + max(x, 2.0f) + min(n, 3) + std::max(n, 2) + fabsf(x) +
         static_cast<float>(std::numeric_limits<float>::max()) + normcdff(x);
}

__global__ void tiles(int* out, float* f, double2* d) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = out[block.thread_rank()];
  v = cg::reduce(tile, v, cg::plus<int>());
  double2 wide = tile.shfl(d[block.thread_rank()], 3);
  if (tile.thread_rank() == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    v += active.size() + active.ballot(v > 2) + active.shfl(v, 0);
  }
  block.sync();
  cg::sync(tile);
  out[block.thread_rank()] = v + tile.any(v == 1) + tile.all(v) + tile.meta_group_rank();
  f[block.thread_rank()] = both_sides(f[block.thread_rank()], v) + CUDART_PI_F;
  d[block.thread_rank()] = wide;
}

__global__ void brain(__nv_bfloat16* a) {
  __nv_bfloat16 v = a[threadIdx.x];
  a[threadIdx.x] = v * v + __float2bfloat16(1.0f);
}

template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(static_cast<int>(threadIdx.x));
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 128);
  int k = 5;
  apply<<<1, 32>>>(p, [=] __device__(int i) { return i * k; });
  apply<<<dim3(1, 1), dim3(32), 0, cudaStreamPerThread>>>(p, [] __host__ __device__(int i) { return i + 1; });
  return static_cast<int>(both_sides(1.0f, 2)) + static_cast<int>(cudaDeviceSynchronize());
}

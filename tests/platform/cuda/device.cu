// Functions of device code: warps, atomics, integers, maths, short floating point, groups, random numbers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>

#include "feature.h"
namespace cg = cooperative_groups;

__global__ void warps(int* out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  int r[16];
  r[0] = __shfl_sync(all, lane, 7);
  r[1] = __shfl_up_sync(all, lane, 1);
  r[2] = __shfl_down_sync(all, lane, 2);
  r[3] = __shfl_xor_sync(all, lane, 31);
  r[4] = __popc(__ballot_sync(all, lane < 10));
  r[5] = __any_sync(all, lane == 3) + 2 * __all_sync(all, lane < 32);
  r[6] = __popc(__match_any_sync(all, lane / 4));
  int same;
  __match_all_sync(all, 1, &same);
  r[7] = same;
  r[8] = __popc(__activemask());
  __syncwarp();
  r[9] = __syncthreads_count(lane < 20);
  r[10] = __syncthreads_and(1) + 2 * __syncthreads_or(lane == 5);
  r[11] = static_cast<int>(__shfl_sync(all, 2.5 * lane, 2));
  if (lane == 4)
    for (int i = 0; i < 12; ++i) out[i] = r[i];
}
__global__ void reduces(int* out) {
#if __CUDA_ARCH__ >= 800
  const unsigned sum = __reduce_add_sync(0xffffffffu, threadIdx.x);
  if (threadIdx.x == 0) *out = sum;
#endif
}
__global__ void atomics(int* v, unsigned long long* wide, float* f, double* d, __half* h, __nv_bfloat16* b) {
  atomicAdd(v, 1);
  atomicSub(v + 1, 1);
  atomicMax(v + 2, static_cast<int>(threadIdx.x));
  atomicMin(v + 3, -static_cast<int>(threadIdx.x));
  atomicOr(v + 4, 1 << threadIdx.x);
  atomicXor(v + 5, 3);
  atomicInc(reinterpret_cast<unsigned*>(v + 6), 9);
  atomicCAS(v + 7, 0, 5);
  atomicExch(v + 8, 6);
  atomicAdd(wide, 1ull << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
  atomicAdd_block(v + 9, 2);
  atomicAdd_system(v + 10, 2);
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, 3);
  __syncthreads();
  v[11] = s;
}
__global__ void maths(int* out, float x) {
  out[0] = fabsf(sinf(x) - 0.84147098f) < 1e-6f && fabsf(expf(x) - 2.7182818f) < 1e-6f;
  out[1] = fabsf(__sinf(x) - 0.84147f) < 1e-4f && fabsf(__expf(x) - 2.71828f) < 1e-4f;
  out[2] = __clz(1) * 100 + __ffs(8) * 10 + (__brev(1) == 0x80000000u);
  out[3] = __byte_perm(0x01020304, 0, 0x0123) == 0x04030201;
  out[4] = __mul24(1000, 1000) + __umulhi(0x80000000u, 4u);
  out[5] = __fmaf_rn(2.0f, 3.0f, 1.0f) == 7.0f && __fadd_rz(1.0f, 1e-8f) == 1.0f;
  out[6] = __dp4a(0x01010101, 0x02020202, 1);
  out[7] = __vadd4(0x01020304u, 0x01010101u) == 0x02030405u;
  out[8] = __float2int_rn(2.5f) + __double2int_rd(3.9) + __float_as_int(0.0f);
  out[9] = fabs(pow(2.0, 10.0) - 1024) < 1e-9 && fabs(erf(0.0)) < 1e-12;
  out[10] = __funnelshift_l(0x80000000u, 1u, 1) == 3u;
  const __half2 two = __hadd2(__floats2half2_rn(1.f, 2.f), __floats2half2_rn(3.f, 4.f));
  out[11] = static_cast<int>(__low2float(two)) * 10 + static_cast<int>(__high2float(two));
  out[12] = static_cast<int>(__bfloat162float(__float2bfloat16(2.0f) * __float2bfloat16(3.0f)));
  float4 v = make_float4(1, 2, 3, 4);
  out[13] = static_cast<int>(v.x + v.w);
  out[14] = isnan(nanf("")) != 0;
  out[15] = rsqrtf(4.0f) == 0.5f;
}
__global__ void groups(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  const int before = cg::exclusive_scan(tile, 1, cg::plus<int>());
  const int shuffled = tile.shfl(static_cast<int>(threadIdx.x), 3);
  block.sync();
  tile.sync();
  if (block.thread_rank() == 9) {
    out[0] = block.size();
    out[1] = tile.meta_group_rank() * 10 + tile.thread_rank();
    out[2] = sum;
    out[3] = before;
    out[4] = shuffled;
  }
  if (threadIdx.x < 5) {
    const cg::coalesced_group some = cg::coalesced_threads();
    if (some.thread_rank() == 0) out[5] = some.size();
  }
  if (cg::this_grid().thread_rank() == 40) out[6] = cg::this_grid().size();
}
__global__ void whole_grid(int* out) {
  const cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] = grid.thread_rank();
  grid.sync();
  out[128 + grid.thread_rank()] = out[grid.size() - 1 - grid.thread_rank()];
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));
  if (grid.thread_rank() == 5) out[256] = grid.is_valid() + out[128 + 64] * 10;
}
__global__ void parts_of_groups(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const int t = block.thread_rank();
  const auto tile = cg::tiled_partition<4>(cg::tiled_partition<16>(block));
  const cg::thread_block_tile<4> untyped = tile;
  const auto big = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(big, t, cg::plus<int>()) + big.shfl(t, 40);
  const cg::coalesced_group halves = cg::binary_partition(cg::tiled_partition<32>(block), t % 32 < 10);
  const cg::coalesced_group thirds = cg::labeled_partition(cg::tiled_partition<32>(block), t % 3);
  const cg::coalesced_group pairs = cg::tiled_partition(thirds, 2);
  const int answer = cg::invoke_one_broadcast(tile, [&] { return t * 2; });
  __shared__ int met[128], copied[128];
  met[t] = t;
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  cg::memcpy_async(block, copied, out + 100, sizeof(copied));
  cg::wait(block);
  if (t == 75) {
    out[0] = untyped.meta_group_rank() * 10 + untyped.meta_group_size();
    out[1] = sum;
    out[2] = halves.meta_group_rank() * 10 + halves.meta_group_size() + halves.size() * 100;
    out[3] = thirds.meta_group_rank() * 10 + thirds.meta_group_size() + thirds.size() * 100;
    out[4] = pairs.meta_group_rank() * 10 + pairs.meta_group_size() + pairs.size() * 100;
    out[5] = answer;
    out[6] = copied[127];
    out[7] = block.dim_threads().x + cg::this_grid().dim_threads().x + cg::group_size(tile);
    out[8] = met[(t + 40) % 128];
  }
}
__global__ void dynamic_programming(int* out) {
  bool first;
  out[0] = __viaddmax_s32(2, 3, 4) == 5 && __vimax3_s32(1, 9, 4) == 9 && __viaddmin_s32_relu(-9, 1, 4) == 0 &&
           __vibmin_u32(3, 3, &first) == 3 && first;
  out[1] = __viaddmax_s16x2(0x7fff0001u, 0x00010002u, 0xfff00000u) == 0xfff00003u;
}
template <class State>
__global__ void random_numbers(int* out) {
  State state;
  curand_init(1, threadIdx.x, 0, &state);
  const float u = curand_uniform(&state), n = curand_normal(&state);
  out[threadIdx.x] = u > 0 && u <= 1 && n > -9 && n < 9;
}
__global__ void speak(int v) { printf("from the device: %d %s\n", v, "text"); }

int main() {
  Out o;
  warps<<<1, 32>>>(o.v);
  FEATURE("Warps", "`__shfl_sync`", o.is(0, 7));
  FEATURE("Warps", "`__shfl_up_sync`", o.is(1, 3));
  FEATURE("Warps", "`__shfl_down_sync`", o.is(2, 6));
  FEATURE("Warps", "`__shfl_xor_sync`", o.is(3, 27));
  FEATURE("Warps", "`__ballot_sync`", o.is(4, 10));
  FEATURE("Warps", "`__any_sync`, `__all_sync`", o.is(5, 3));
  FEATURE("Warps", "`__match_any_sync`", o.is(6, 4));
  FEATURE("Warps", "`__match_all_sync`", o.is(7, 1));
  FEATURE("Warps", "`__activemask`, `__syncwarp`", o.is(8, 32));
  FEATURE("Warps", "`__syncthreads_count`", o.is(9, 20));
  FEATURE("Warps", "`__syncthreads_and`, `__syncthreads_or`", o.is(10, 3));
  FEATURE("Warps", "shuffles of 64-bit values", o.is(11, 5));
#ifdef REDUCES
  reduces<<<1, 32>>>(o.v);
  FEATURE("Warps", "`__reduce_add_sync` (compiled with `-arch=sm_80`)", o.is(0, 496));
#endif
  o.clear();
  int* v = o.v;
  atomics<<<1, 32>>>(v, reinterpret_cast<unsigned long long*>(v + 100), reinterpret_cast<float*>(v + 102),
                     reinterpret_cast<double*>(v + 104), reinterpret_cast<__half*>(v + 106),
                     reinterpret_cast<__nv_bfloat16*>(v + 107));
  FEATURE("Atomics", "`atomicAdd` on `int`", o.is(0, 32));
  FEATURE("Atomics", "`atomicSub`", o.is(1, -32));
  FEATURE("Atomics", "`atomicMax`, `atomicMin`", o.is(2, 31) && o.is(3, -31));
  FEATURE("Atomics", "`atomicOr`, `atomicXor`", o.is(4, -1) && o.is(5, 0));
  FEATURE("Atomics", "`atomicInc`", o.is(6, 2));
  FEATURE("Atomics", "`atomicCAS`", o.is(7, 5));
  FEATURE("Atomics", "`atomicExch`", o.is(8, 6));
  FEATURE("Atomics", "`atomicAdd` on `unsigned long long`", o.is(101, 64));
  FEATURE("Atomics", "`atomicAdd` on `float`", *reinterpret_cast<float*>(v + 102) == 16.0f);
  FEATURE("Atomics", "`atomicAdd` on `double`", *reinterpret_cast<double*>(v + 104) == 8.0);
  FEATURE("Atomics", "`atomicAdd` on `__half`", __half2float(*reinterpret_cast<__half*>(v + 106)) == 32.0f);
  FEATURE("Atomics", "`atomicAdd` on `__nv_bfloat16`",
          __bfloat162float(*reinterpret_cast<__nv_bfloat16*>(v + 107)) == 32.0f);
  FEATURE("Atomics", "`_block` and `_system` scopes", o.is(9, 64) && o.is(10, 64));
  FEATURE("Atomics", "on shared memory", o.is(11, 96));
  maths<<<1, 1>>>(v, 1.0f);
  FEATURE("Device functions", "`sinf`, `expf` ...: single-precision maths", o.is(0, 1));
  FEATURE("Device functions", "`__sinf`, `__expf` ...: fast approximations", o.is(1, 1));
  FEATURE("Device functions", "`__clz`, `__ffs`, `__brev`", o.is(2, 3141));
  FEATURE("Device functions", "`__byte_perm`", o.is(3, 1));
  FEATURE("Device functions", "`__mul24`, `__umulhi`", o.is(4, 1000002));
  FEATURE("Device functions", "`__fmaf_rn`, `__fadd_rz` ...: rounding by name", o.is(5, 1));
  FEATURE("Device functions", "`__dp4a`", o.is(6, 9));
  FEATURE("Device functions", "`__vadd4` ...: SIMD in a word", o.is(7, 1));
  FEATURE("Device functions", "conversions with rounding, `__float_as_int`", o.is(8, 5));
  FEATURE("Device functions", "`pow`, `erf` ...: double-precision maths", o.is(9, 1));
  FEATURE("Device functions", "`__funnelshift_l`", o.is(10, 1));
  FEATURE("Device functions", "vector types, `make_float4`", o.is(13, 5));
  FEATURE("Device functions", "`isnan`, `nanf`", o.is(14, 1));
  FEATURE("Device functions", "`rsqrtf`", o.is(15, 1));
  FEATURE("Headers and libraries", "`cuda_fp16.h`: `__half`, `__half2`", o.is(11, 46));
  FEATURE("Headers and libraries", "`cuda_bf16.h`: `__nv_bfloat16`", o.is(12, 6));
  groups<<<2, 32>>>(v);
  FEATURE("Cooperative groups", "`this_thread_block()`", o.is(0, 32));
  FEATURE("Cooperative groups", "`tiled_partition<N>`, `meta_group_rank()`", o.is(1, 11));
  FEATURE("Cooperative groups", "`reduce`", o.is(2, 92));
  FEATURE("Cooperative groups", "`exclusive_scan`", o.is(3, 1));
  FEATURE("Cooperative groups", "`shfl` of tiles", o.is(4, 11));
  FEATURE("Cooperative groups", "`coalesced_threads()`", o.is(5, 5));
  FEATURE("Cooperative groups", "`this_grid()`: ranks and sizes", o.is(6, 64));
  void* whole[] = {&v};
  cudaLaunchCooperativeKernel(whole_grid, 4, 32, whole);
  FEATURE("Cooperative groups", "`this_grid()`: `sync()`, `is_valid()`", o.is(128, 127) && o.is(256, 631));
  FEATURE("Cooperative groups", "`grid_group::barrier_arrive`, `barrier_wait`", o.is(256, 631));
  o.clear();
  v[227] = 8;
  parts_of_groups<<<1, 128>>>(v);
  FEATURE("Cooperative groups", "`meta_group_rank()` of tiles of tiles and of tiles without their parent's type",
          o.is(0, 24));
  FEATURE("Cooperative groups", "tiles of 64 to 1024 threads, `block_tile_memory`", o.is(1, 6216));
  FEATURE("Cooperative groups", "`binary_partition`", o.is(2, 2202));
  FEATURE("Cooperative groups", "`labeled_partition`", o.is(3, 1023));
  FEATURE("Cooperative groups", "`tiled_partition(group, n)` of coalesced groups", o.is(4, 215));
  FEATURE("Cooperative groups", "`invoke_one`, `invoke_one_broadcast`", o.is(5, 144));
  FEATURE("Cooperative groups", "`thread_block::barrier_arrive`, `barrier_wait`: arrival takes place in the wait",
          o.is(8, 115));
  FEATURE("Cooperative groups", "`memcpy_async`, `wait`, `wait_prior`: copies are made at once, through registers",
          o.is(6, 8));
  FEATURE("Cooperative groups", "`num_threads`, `dim_threads`, `group_size`", o.is(7, 260));
  dynamic_programming<<<1, 1>>>(v);
  FEATURE("Device functions", "`__viaddmax_s32`, `__vimax3_s16x2_relu` ...: DPX, in integer code; sums wrap",
          o.is(0, 1) && o.is(1, 1));
  random_numbers<curandState><<<1, 4>>>(v);
  FEATURE("Headers and libraries", "`curand_kernel.h`: XORWOW", o.is(3, 1));
  o.clear();
  random_numbers<curandStatePhilox4_32_10_t><<<1, 4>>>(v);
  FEATURE("Headers and libraries", "`curand_kernel.h`: Philox4_32_10", o.is(3, 1));
  o.clear();
  random_numbers<curandStateMRG32k3a><<<1, 4>>>(v);
  FEATURE("Headers and libraries", "`curand_kernel.h`: MRG32k3a", o.is(3, 1));
  speak<<<1, 1>>>(42);
  FEATURE("C++ in device code", "`printf`", GOOD(cudaDeviceSynchronize()));
  return missing != 0;
}

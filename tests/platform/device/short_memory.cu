// Loads and stores with cache hints, shuffles and atomic sums of half, bfloat16 and small vectors; ranks of a grid.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

namespace {

constexpr unsigned kThreads = 64;

/// Eleven ways through memory: each load with a hint, and each store.
template <class T>
__global__ void copies(const T* in, T* out, unsigned n) {
  const unsigned i = threadIdx.x;
  out[i] = __ldg(in + i);
  out[n + i] = __ldca(in + i);
  out[2 * n + i] = __ldcg(in + i);
  out[3 * n + i] = __ldcs(in + i);
  out[4 * n + i] = __ldlu(in + i);
  out[5 * n + i] = __ldcv(in + i);
  __stwb(out + 6 * n + i, in[i]);
  __stcg(out + 7 * n + i, in[i]);
  __stcs(out + 8 * n + i, in[i]);
  __stwt(out + 9 * n + i, in[i]);
}

template <class T>
void check_copies(const char* type) {
  Shared<T> in(kThreads);
  Shared<T> out(10 * kThreads);
  Random random{5};
  auto* bytes = reinterpret_cast<unsigned char*>(in.get());
  for (size_t i = 0; i < kThreads * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random.next());
  copies<<<1, kThreads>>>(in.get(), out.get(), kThreads);
  CUDA_OK(cudaDeviceSynchronize());
  for (unsigned way = 0; way < 10; ++way) {
    if (std::memcmp(out.get() + way * kThreads, in.get(), kThreads * sizeof(T)) == 0) continue;
    std::printf("copies of %s differ, way %u\n", type, way);
    ++failures();
  }
}

template <class T>
__device__ unsigned bits_of(T v) {
  unsigned u = 0;
  std::memcpy(&u, &v, sizeof(T));
  return u;
}
template <class T>
__device__ T of_bits(unsigned u) {
  T v;
  std::memcpy(&v, &u, sizeof(T));
  return v;
}

template <class T>
__global__ void shuffles(unsigned* out) {
  const unsigned lane = threadIdx.x;
  const T mine = of_bits<T>(0x3c01u * (lane + 1) + 0x10001u * lane);
  out[lane] = bits_of(__shfl_sync(~0u, mine, 3));
  out[32 + lane] = bits_of(__shfl_up_sync(~0u, mine, 2u, 8));
  out[64 + lane] = bits_of(__shfl_down_sync(~0u, mine, 5u));
  out[96 + lane] = bits_of(__shfl_xor_sync(~0u, mine, 9));
  out[128 + lane] = bits_of(__shfl(mine, 31 - lane));
}
template <class T>
void check_shuffles(const char* type) {
  Shared<unsigned> out(160);
  shuffles<T><<<1, 32>>>(out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned from[] = {3, lane % 8 >= 2 ? lane - 2 : lane, lane + 5 < 32 ? lane + 5 : lane, lane ^ 9, 31 - lane};
    for (unsigned way = 0; way < 5; ++way) {
      unsigned want = 0x3c01u * (from[way] + 1) + 0x10001u * from[way];
      if (sizeof(T) == 2) want &= 0xffffu;
      EXPECT_SAME(type, out[32 * way + lane], want);
    }
  }
}

// Sums of small whole numbers are exact in any order. The neighbours in the same word must stay.
template <class T, class T2>
__global__ void sums(T* single, T2* pairs) {
  const float f = static_cast<float>(threadIdx.x % 3);
  atomicAdd(single + 1, T(f));
  atomicAdd(single + 2, T(-f));
  atomicAdd(pairs, T2(T(f), T(1.0f)));
}
template <class T>
__global__ void returns(T* single, unsigned* order) {
  order[static_cast<int>(static_cast<float>(atomicAdd(single, T(1.0f))))] += 1;
}
template <class T, class T2>
void check_sums() {
  Shared<T> single(4);
  Shared<T2> pairs(1);
  Shared<unsigned> order(128);
  single[0] = T(7.0f);
  single[3] = T(9.0f);
  sums<<<2, 48>>>(single.get(), pairs.get());
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT_SAME("left neighbour", static_cast<float>(single[0]), 7.0f);
  EXPECT_SAME("sum", static_cast<float>(single[1]), 96.0f);
  EXPECT_SAME("sum of negatives", static_cast<float>(single[2]), -96.0f);
  EXPECT_SAME("right neighbour", static_cast<float>(single[3]), 9.0f);
  EXPECT_SAME("sum of x", static_cast<float>(pairs[0].x), 96.0f);
  EXPECT_SAME("sum of y", static_cast<float>(pairs[0].y), 96.0f);
  single[0] = T(0.0f);
  returns<<<1, 128>>>(single.get(), order.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 128; ++i) EXPECT_SAME("each value once", order[i], 1u);
}

namespace cg = cooperative_groups;

__global__ void ranks(unsigned long long* out, unsigned long long* sizes) {
  const cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] += 1 + 2 * grid.block_rank() +
                             1000 * (grid.block_index().z * 100 + grid.block_index().y * 10 + grid.block_index().x);
  if (cg::thread_rank(grid) == 0) {
    sizes[0] = grid.size();
    sizes[1] = grid.num_threads();
    sizes[2] = grid.num_blocks();
    sizes[3] = grid.dim_blocks().x * 100 + grid.dim_blocks().y * 10 + grid.group_dim().z;
    sizes[4] = grid.is_valid();
    sizes[5] = cg::group_size(grid);
  }
}
void check_grid() {
  const dim3 blocks(3, 4, 2), threads(5, 2, 3);
  const unsigned per_block = 30, count = 24;
  Shared<unsigned long long> out(per_block * count);
  Shared<unsigned long long> sizes(6);
  ranks<<<blocks, threads>>>(out.get(), sizes.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < per_block * count; ++i) {
    const unsigned block = i / per_block;
    const unsigned long long index = block / 12 * 100 + block / 3 % 4 * 10 + block % 3;
    EXPECT_SAME("rank of a thread", out[i], 1 + 2 * block + 1000 * index);
  }
  const unsigned long long want[] = {720, 720, 24, 342, 0, 720};
  for (unsigned i = 0; i < 6; ++i) EXPECT_SAME("size of the grid", sizes[i], want[i]);
}

}  // namespace

int main() {
  check_copies<__half>("half");
  check_copies<__half2>("half2");
  check_copies<__nv_bfloat16>("bfloat16");
  check_copies<__nv_bfloat162>("bfloat162");
  check_copies<char>("char");
  check_copies<signed char>("signed char");
  check_copies<unsigned char>("unsigned char");
  check_copies<char2>("char2");
  check_copies<char4>("char4");
  check_copies<uchar2>("uchar2");
  check_copies<uchar4>("uchar4");
  check_copies<short4>("short4");
  check_copies<int>("int");
  check_copies<unsigned long long>("unsigned long long");
  check_copies<longlong2>("longlong2");
  check_copies<float4>("float4");
  check_copies<double2>("double2");
  check_shuffles<__half>("shuffle of half");
  check_shuffles<__half2>("shuffle of half2");
  check_shuffles<__nv_bfloat16>("shuffle of bfloat16");
  check_shuffles<__nv_bfloat162>("shuffle of bfloat162");
  check_sums<__half, __half2>();
  check_sums<__nv_bfloat16, __nv_bfloat162>();
  check_grid();
  return verdict();
}

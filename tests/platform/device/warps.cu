// Shuffles of every type, match, warp reductions, cooperative groups and half precision against sequential code.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffffu;

struct Wide {
  double a;
  int b;
  short c;
};

template <class T>
__global__ void shuffles(const T* in, T* out) {
  int t = threadIdx.x;
  out[t] = __shfl_sync(kAll, in[t], (t * 7) & 31);
  out[32 + t] = __shfl_up_sync(kAll, in[t], 3);
  out[64 + t] = __shfl_down_sync(kAll, in[t], 5);
  out[96 + t] = __shfl_xor_sync(kAll, in[t], 6);
  out[128 + t] = __shfl_sync(kAll, in[t], 5, 8);
  out[160 + t] = __shfl_up_sync(kAll, in[t], 1, 4);
  out[192 + t] = __shfl_down_sync(kAll, in[t], 2, 16);
  out[224 + t] = __shfl_xor(in[t], 1, 2);
}

template <class T>
void check_shuffles(const char* name) {
  Shared<T> in(32), out(256);
  for (int i = 0; i < 32; ++i) in[i] = static_cast<T>(i * 1.0e9 + 12345 * i + 3);
  shuffles<<<1, 32>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int t = 0; t < 32; ++t) {
    EXPECT_SAME(name, out[t], in[(t * 7) & 31]);
    EXPECT_SAME(name, out[32 + t], in[t >= 3 ? t - 3 : t]);
    EXPECT_SAME(name, out[64 + t], in[t + 5 < 32 ? t + 5 : t]);
    EXPECT_SAME(name, out[96 + t], in[t ^ 6]);
    EXPECT_SAME(name, out[128 + t], in[(t & ~7) + 5]);
    EXPECT_SAME(name, out[160 + t], in[(t & 3) >= 1 ? t - 1 : t]);
    EXPECT_SAME(name, out[192 + t], in[(t & 15) + 2 < 16 ? t + 2 : t]);
    EXPECT_SAME(name, out[224 + t], in[t ^ 1]);
  }
}

__global__ void votes(const int* in, unsigned* out) {
  int t = threadIdx.x;
  int v = in[t], equal;
  unsigned* r = out + 13 * t;
  r[0] = __match_any_sync(kAll, v);
  r[1] = __match_any_sync(kAll, static_cast<long long>(v) << 33);
  r[2] = __match_all_sync(kAll, 9, &equal) + equal;
  r[3] = __match_all_sync(kAll, v, &equal) + equal;
  r[4] = __reduce_add_sync(kAll, v);
  r[5] = __reduce_min_sync(kAll, v);
  r[6] = __reduce_max_sync(kAll, static_cast<unsigned>(v));
  r[7] = __reduce_xor_sync(kAll, static_cast<unsigned>(v));
  r[8] = __ballot_sync(kAll, v & 1);
  r[9] = __all_sync(kAll, v > -100) * 2 + __any_sync(kAll, v == 1000);
  r[10] = __fns(0x88442211u, 4, 3);
  r[11] = t % 3 == 0 ? __activemask() : 0;
  r[12] = __fns(0x88442211u, 20, -2);
}

__global__ void groups(const int* in, int* out, const Wide* wide_in, Wide* wide_out) {
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank();
  auto tile = cg::tiled_partition<8>(block);
  cg::thread_block_tile<4> small = cg::tiled_partition<4>(tile);
  int* r = out + 12 * t;
  r[0] = cg::reduce(tile, in[t], cg::plus<int>());
  r[1] = cg::reduce(small, in[t], cg::greater<int>());
  r[2] = cg::inclusive_scan(tile, in[t]);
  r[3] = cg::exclusive_scan(tile, in[t]);
  r[4] = tile.ballot(in[t] & 1);
  r[5] = tile.shfl(in[t], 2) + tile.shfl_xor(in[t], 1);
  r[6] = tile.any(in[t] > 90) * 2 + tile.all(in[t] > -1000);
  r[7] = tile.meta_group_rank() * 100 + tile.thread_rank();
  wide_out[t] = tile.shfl(wide_in[t], 5);
  r[8] = r[9] = r[10] = 0;
  if (in[t] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    r[8] = active.size() * 100 + active.thread_rank();
    r[9] = cg::reduce(active, in[t], cg::plus<int>());
    r[10] = active.shfl_down(in[t], 1);
  }
  cg::thread_group any = tile;
  r[11] = any.size() * 100 + any.thread_rank();
  block.sync();
}

__global__ void halves(const unsigned short* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half a = __ushort_as_half(in[2 * i]), b = __ushort_as_half(in[2 * i + 1]);
  float* r = out + 12 * i;
  r[0] = __half2float(a);
  r[1] = __half2float(a + b);
  r[2] = __half2float(a - b);
  r[3] = __half2float(a * b);
  r[4] = __half2float(a / b);
  r[5] = __half2float(__hfma(a, b, a));
  r[6] = (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != b) + 16 * __hltu(a, b);
  __half2 p = __hadd2(__halves2half2(a, b), __half2half2(a));
  r[7] = __low2float(p);
  r[8] = __high2float(p);
  r[9] = __half2float(__float2half_rz(r[0] * 1.0009765625f));
  r[10] = __bfloat162float(__float2bfloat16(r[0] * 1.003f));
  r[11] = __half2int_rn(a);
}

float half_value(unsigned short h) {
  const int exponent = (h >> 10) & 31, mantissa = h & 1023;
  float v = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent     ? std::ldexp(1.0f + mantissa / 1024.0f, exponent - 15)
                           : std::ldexp(static_cast<float>(mantissa), -24);
  return (h & 0x8000) ? -v : v;
}
// Nearest value with 11 significant bits and the range of half; from the exact double.
float to_half(double v) {
  if (v != v || v == 0 || std::isinf(v)) return static_cast<float>(v);
  int exponent;
  std::frexp(v, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
  const double rounded = std::nearbyint(v / unit) * unit;
  return std::fabs(rounded) > 65504 ? std::copysign(INFINITY, static_cast<float>(v)) : static_cast<float>(rounded);
}

// Nearest value with 8 significant bits; overflow does not occur here.
float to_bfloat(float v) {
  if (v != v || v == 0 || std::isinf(v)) return v;
  int exponent;
  std::frexp(v, &exponent);
  const double unit = std::ldexp(1.0, exponent - 8);
  return static_cast<float>(std::nearbyint(v / unit) * unit);
}

int main() {
  check_shuffles<int>("shuffle of int");
  check_shuffles<unsigned>("shuffle of unsigned");
  check_shuffles<float>("shuffle of float");
  check_shuffles<long long>("shuffle of long long");
  check_shuffles<unsigned long long>("shuffle of unsigned long long");
  check_shuffles<unsigned long>("shuffle of unsigned long");
  check_shuffles<double>("shuffle of double");

  {
    Shared<int> in(32);
    Shared<unsigned> out(32 * 13);
    for (int i = 0; i < 32; ++i) in[i] = (i * i) % 7 - 2;
    votes<<<1, 32>>>(in.get(), out.get());
    CUDA_OK(cudaDeviceSynchronize());
    int sum = 0, low = 100;
    unsigned high = 0, exclusive = 0, odd = 0, thirds = 0;
    for (int i = 0; i < 32; ++i) {
      sum += in[i], low = std::min(low, in[i]), high = std::max(high, static_cast<unsigned>(in[i]));
      exclusive ^= static_cast<unsigned>(in[i]), odd |= static_cast<unsigned>(in[i] & 1) << i;
      thirds |= (i % 3 == 0 ? 1u : 0u) << i;
    }
    for (int t = 0; t < 32; ++t) {
      const unsigned* r = &out[13 * t];
      unsigned same = 0;
      for (int i = 0; i < 32; ++i) same |= (in[i] == in[t] ? 1u : 0u) << i;
      EXPECT_SAME("match_any", r[0], same);
      EXPECT_SAME("match_any of long long", r[1], same);
      EXPECT_SAME("match_all of equal values", r[2], kAll + 1);
      EXPECT_SAME("match_all of other values", r[3], 0u);
      EXPECT_SAME("reduce_add", r[4], static_cast<unsigned>(sum));
      EXPECT_SAME("reduce_min", r[5], static_cast<unsigned>(low));
      EXPECT_SAME("reduce_max", r[6], high);
      EXPECT_SAME("reduce_xor", r[7], exclusive);
      EXPECT_SAME("ballot", r[8], odd);
      EXPECT_SAME("all and any", r[9], 2u);
      EXPECT_SAME("fns up", r[10], 13u);
      EXPECT_SAME("activemask", r[11], t % 3 == 0 ? thirds : 0u);
      EXPECT_SAME("fns down", r[12], 13u);
    }
  }
  {
    Shared<int> in(64), out(64 * 12);
    Shared<Wide> wide(64), moved(64);
    for (int i = 0; i < 64; ++i) in[i] = (i * 37) % 101, wide[i] = Wide{i * 0.5, i, static_cast<short>(-i)};
    groups<<<1, 64>>>(in.get(), out.get(), wide.get(), moved.get());
    CUDA_OK(cudaDeviceSynchronize());
    for (int t = 0; t < 64; ++t) {
      const int* r = &out[12 * t];
      const int tile = t & ~7;
      int sum = 0, scan = 0, ballot = 0, any = 0, all = 1, most = 0;
      for (int i = tile; i < tile + 8; ++i) {
        sum += in[i];
        if (i <= t) scan += in[i];
        ballot |= (in[i] & 1) << (i - tile);
        any |= in[i] > 90;
        all &= in[i] > -1000;
      }
      for (int i = t & ~3; i < (t & ~3) + 4; ++i) most = std::max(most, in[i]);
      EXPECT_SAME("tile reduce", r[0], sum);
      EXPECT_SAME("tile of a tile", r[1], most);
      EXPECT_SAME("inclusive scan", r[2], scan);
      EXPECT_SAME("exclusive scan", r[3], scan - in[t]);
      EXPECT_SAME("tile ballot", r[4], ballot);
      EXPECT_SAME("tile shuffle", r[5], in[tile + 2] + in[t ^ 1]);
      EXPECT_SAME("tile vote", r[6], any * 2 + all);
      EXPECT_SAME("tile ranks", r[7], t / 8 * 100 + t % 8);
      EXPECT_SAME("struct shuffle a", moved[t].a, wide[tile + 5].a);
      EXPECT_SAME("struct shuffle b", moved[t].b, wide[tile + 5].b);
      EXPECT_SAME("struct shuffle c", moved[t].c, wide[tile + 5].c);
      int members = 0, rank = 0, total = 0, next = in[t];
      for (int i = t & ~31; i < (t & ~31) + 32; ++i) {
        if (in[i] % 3 != 0) continue;
        ++members;
        total += in[i];
        if (i < t) ++rank;
        if (i > t && next == in[t]) next = in[i];
      }
      const bool member = in[t] % 3 == 0;
      EXPECT_SAME("coalesced ranks", r[8], member ? members * 100 + rank : 0);
      EXPECT_SAME("coalesced reduce", r[9], member ? total : 0);
      EXPECT_SAME("coalesced shuffle", r[10], member ? next : 0);
      EXPECT_SAME("thread group", r[11], 800 + t % 8);
    }
  }
  {
    constexpr int kCount = 2000;
    Shared<unsigned short> in(2 * kCount);
    Shared<float> out(12 * kCount);
    Random random{3};
    const unsigned short edges[] = {0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
    for (int i = 0; i < 2 * kCount; ++i) {
      in[i] = i < 288 ? edges[(i & 1) ? i / 24 : i / 2 % 12] : static_cast<unsigned short>(random.next());
    }
    halves<<<(kCount + 127) / 128, 128>>>(in.get(), out.get(), kCount);
    CUDA_OK(cudaDeviceSynchronize());
    for (int i = 0; i < kCount; ++i) {
      const float* r = &out[12 * i];
      const double a = half_value(in[2 * i]), b = half_value(in[2 * i + 1]);
      EXPECT_SAME("half to float", r[0], static_cast<float>(a));
      EXPECT_SAME("half add", r[1], to_half(a + b));
      EXPECT_SAME("half sub", r[2], to_half(a - b));
      EXPECT_SAME("half mul", r[3], to_half(a * b));
      EXPECT_SAME("half div", r[4], to_half(a / b));
      if (!std::isinf(a) && !std::isinf(b)) EXPECT_SAME("half fma", r[5], to_half(std::fma(a, b, a)));
      EXPECT_SAME("half compare", r[6],
                  static_cast<float>((a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != b) + 16 * !(a >= b)));
      EXPECT_SAME("half2 low", r[7], to_half(a + a));
      EXPECT_SAME("half2 high", r[8], to_half(b + a));
      if (a == a && std::fabs(a) < 60000) {
        EXPECT_SAME("half to int", r[11], static_cast<float>(std::nearbyint(a)) + 0.0f);
        const double v = static_cast<float>(a) * 1.0009765625f;
        int exponent;
        std::frexp(v, &exponent);
        const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
        const float cut = static_cast<float>(std::trunc(v / unit) * unit);
        EXPECT_SAME("half towards zero", r[9], cut);
      }
      // The host version of the same conversions.
      EXPECT_SAME("host half", __half2float(__float2half(static_cast<float>(a + b))),
                  to_half(static_cast<float>(a + b)));
      const float scaled = static_cast<float>(a) * 1.003f;
      EXPECT_SAME("bfloat16", r[10], to_bfloat(scaled));
    }
  }
  return verdict();
}

// Integer intrinsics: dot products of packed bytes (dp4a), funnel shifts, byte permutes, bit fields, counting and
// reversing bits, high halves of products, sums of absolute differences, saturating conversions.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kTests = 24;

__device__ int dot_bytes(unsigned a, unsigned b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

__device__ unsigned extract_field(unsigned x, unsigned first, unsigned length) {
  unsigned d;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(first), "r"(length));
  return d;
}

__device__ unsigned insert_field(unsigned x, unsigned into, unsigned first, unsigned length) {
  unsigned d;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(x), "r"(into), "r"(first), "r"(length));
  return d;
}

__device__ unsigned majority(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

__global__ void compute(const uint3* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = in[i].x, b = in[i].y, c = in[i].z;
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  const unsigned r[kTests] = {
      static_cast<unsigned>(dot_bytes(a, b, static_cast<int>(c))),
      __funnelshift_l(a, b, c & 63),
      __funnelshift_r(a, b, c & 63),
      __funnelshift_lc(a, b, c & 63),
      __funnelshift_rc(a, b, c & 63),
      __byte_perm(a, b, c & 0x7777),
      static_cast<unsigned>(__popc(a) * 100 + __popcll(wide)),
      static_cast<unsigned>(__clz(static_cast<int>(a >> (b & 31))) * 100 + __clzll(wide >> (c & 63))),
      static_cast<unsigned>(__ffs(static_cast<int>(a << (b & 31))) * 100 + __ffsll(wide << (c & 63))),
      __brev(a),
      static_cast<unsigned>(__brevll(wide) >> 16),
      __umulhi(a, b),
      static_cast<unsigned>(__mulhi(static_cast<int>(a), static_cast<int>(b))),
      static_cast<unsigned>(__umul64hi(wide, wide ^ c)),
      __umul24(a, b),
      static_cast<unsigned>(__mul24(static_cast<int>(a), static_cast<int>(b))),
      __usad(a, b, c),
      __sad(static_cast<int>(a), static_cast<int>(b), c),
      __uhadd(a, b) ^ __urhadd(a, c),
      static_cast<unsigned>(__hadd(static_cast<int>(a), static_cast<int>(b))),
      extract_field(a, b & 31, c & 31),
      insert_field(a, b, c & 31, a >> 27),
      majority(a, b, c),
      static_cast<unsigned>(__float2int_rz(__uint_as_float(a))) ^ __float2uint_rn(__int_as_float(b))};
  for (int t = 0; t < kTests; ++t) out[t * n + i] = r[t];
}

// Returns `x` converted to an integer in [low, high] as PTX defines it: NaN gives 0, values outside the range saturate.
long saturated(float x, long low, long high, bool truncate) {
  if (std::isnan(x)) return 0;
  const double whole = truncate ? std::trunc(static_cast<double>(x)) : std::nearbyint(static_cast<double>(x));
  return whole <= static_cast<double>(low) ? low : whole >= static_cast<double>(high) ? high : static_cast<long>(whole);
}

float as_float(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

int lowest(std::uint64_t x) {  // position of the lowest set bit, counted from 1; 0 if x is 0
  for (int i = 0; i < 64; ++i) {
    if (x >> i & 1) return i + 1;
  }
  return 0;
}
int leading(std::uint64_t x, int bits) {
  int zeros = 0;
  while (zeros < bits && !(x >> (bits - 1 - zeros) & 1)) ++zeros;
  return zeros;
}
std::uint64_t reversed(std::uint64_t x, int bits) {
  std::uint64_t r = 0;
  for (int i = 0; i < bits; ++i) r |= (x >> i & 1) << (bits - 1 - i);
  return r;
}
int ones(std::uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}

void expect(uint3 in, unsigned* r) {
  const unsigned a = in.x, b = in.y, c = in.z;
  const int sa = static_cast<int>(a), sb = static_cast<int>(b);
  const std::uint64_t wide = static_cast<std::uint64_t>(a) << 32 | b, pair = static_cast<std::uint64_t>(b) << 32 | a;
  const unsigned shift = c & 31, clamped = std::min(c & 63, 32u);
  int dot = static_cast<int>(c);
  unsigned bytes = 0;
  for (int i = 0; i < 4; ++i) {
    dot = static_cast<int>(static_cast<unsigned>(dot) +
                           static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i));
    const unsigned selector = c >> 4 * i & 7;
    bytes |= (static_cast<unsigned>(pair >> 8 * selector) & 255) << 8 * i;
  }
  const std::int64_t a24 = static_cast<std::int32_t>(a << 8) >> 8, b24 = static_cast<std::int32_t>(b << 8) >> 8;
  const unsigned field = c & 31, first = b & 31;
  const unsigned field_mask = field == 0 ? 0 : ~0u >> (32 - field);
  const unsigned place = c & 31, length = a >> 27;
  const unsigned place_mask = (length == 0 ? 0 : ~0u >> (32 - length)) << place;
  r[0] = static_cast<unsigned>(dot);
  r[1] = static_cast<unsigned>(pair << shift >> 32);
  r[2] = static_cast<unsigned>(pair >> shift);
  r[3] = static_cast<unsigned>(pair << clamped >> 32);
  r[4] = static_cast<unsigned>(pair >> clamped);
  r[5] = bytes;
  r[6] = ones(a) * 100 + ones(wide);
  r[7] = leading(a >> (b & 31), 32) * 100 + leading(wide >> (c & 63), 64);
  r[8] = lowest(a << (b & 31)) * 100 + lowest(wide << (c & 63));
  r[9] = static_cast<unsigned>(reversed(a, 32));
  r[10] = static_cast<unsigned>(reversed(wide, 64) >> 16);
  r[11] = static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
  r[12] = static_cast<unsigned>(static_cast<std::uint64_t>(static_cast<std::int64_t>(sa) * sb) >> 32);
  r[13] = static_cast<unsigned>(static_cast<std::uint64_t>(static_cast<unsigned __int128>(wide) * (wide ^ c) >> 64));
  r[14] = (a & 0xffffff) * (b & 0xffffff);
  r[15] = static_cast<unsigned>(a24 * b24);
  r[16] = (a > b ? a - b : b - a) + c;
  r[17] = (sa > sb ? a - b : b - a) + c;
  r[18] = static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) / 2) ^
          static_cast<unsigned>((static_cast<std::uint64_t>(a) + c + 1) / 2);
  r[19] = static_cast<unsigned>((static_cast<std::int64_t>(sa) + sb) >> 1);
  r[20] = a >> first & field_mask;
  r[21] = (b & ~place_mask) | (a << place & place_mask);
  r[22] = (a & b) | (a & c) | (b & c);
  r[23] = static_cast<unsigned>(saturated(as_float(a), INT32_MIN, INT32_MAX, true)) ^
          static_cast<unsigned>(saturated(as_float(b), 0, UINT32_MAX, false));
}

int main(int argc, char** argv) {
  long n = 2000, seed = 1;
  Options options("bit_tricks", "integer intrinsics against plain host code");
  options.add("n", &n, 1, 1 << 20, "triples of words");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  Random random(seed);
  const unsigned edges[] = {0,          1,          2,          31,         32,         0x7fffffff,
                            0x80000000, 0xffffffff, 0x7f800000, 0x7fc00001, 0x4f000000, 0xcf000000};
  std::vector<uint3> in(n);
  std::vector<unsigned> expected(kTests * n);
  for (long i = 0; i < n; ++i) {
    for (unsigned* word : {&in[i].x, &in[i].y, &in[i].z}) {
      *word = random.range(0, 2) == 0 ? edges[random.range(0, 11)] : static_cast<unsigned>(random.next());
    }
    unsigned r[kTests];
    expect(in[i], r);
    for (int t = 0; t < kTests; ++t) expected[t * n + i] = r[t];
  }
  DeviceArray<uint3> device_in(in);
  DeviceArray<unsigned> out(expected.size());
  compute<<<blocks_for(n, 128), 128>>>(device_in.get(), out.get(), n);
  CUDA_CHECK(cudaGetLastError());
  Verdict verdict(options);
  verdict.equal("words", out.download(), expected);
  return verdict.finish();
}

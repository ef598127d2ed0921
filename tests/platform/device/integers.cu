// Integer, bit and SIMD-in-a-word intrinsics against plain loops over bits and lanes.
#include "check.h"

constexpr int kScalar = 26;
constexpr int kSimd = 42;

__global__ void scalar(const unsigned* in, unsigned long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  int sa = static_cast<int>(a), sb = static_cast<int>(b);
  unsigned long long w = (static_cast<unsigned long long>(a) << 32) | b;
  unsigned long long v = (static_cast<unsigned long long>(c) << 32) | a;
  unsigned long long* r = out + kScalar * i;
  int k = 0;
  r[k++] = __clz(sa);
  r[k++] = __clzll(w);
  r[k++] = __ffs(sa);
  r[k++] = __ffsll(w);
  r[k++] = __popc(a);
  r[k++] = __popcll(w);
  r[k++] = __brev(a);
  r[k++] = __brevll(w);
  r[k++] = __byte_perm(a, b, c);
  r[k++] = __funnelshift_l(a, b, c);
  r[k++] = __funnelshift_r(a, b, c);
  r[k++] = __funnelshift_lc(a, b, c & 63);
  r[k++] = __funnelshift_rc(a, b, c & 63);
  r[k++] = static_cast<unsigned>(__mulhi(sa, sb));
  r[k++] = __umulhi(a, b);
  r[k++] = static_cast<unsigned long long>(__mul64hi(w, v));
  r[k++] = __umul64hi(w, v);
  r[k++] = static_cast<unsigned>(__mul24(sa, sb));
  r[k++] = __umul24(a, b);
  r[k++] = static_cast<unsigned>(__hadd(sa, sb));
  r[k++] = static_cast<unsigned>(__rhadd(sa, sb));
  r[k++] = __uhadd(a, b);
  r[k++] = __urhadd(a, b);
  r[k++] = __sad(sa, sb, c);
  r[k++] = __usad(a, b, c);
  r[k++] = static_cast<unsigned>(__dp4a(sa, sb, static_cast<int>(c)));
}

__global__ void simd(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[3 * i], b = in[3 * i + 1];
  unsigned* r = out + kSimd * i;
  int k = 0;
#define BOTH(f) r[k++] = f##2(a, b), r[k++] = f##4(a, b);
  BOTH(__vadd)
  BOTH(__vaddss)
  BOTH(__vaddus)
  BOTH(__vsub)
  BOTH(__vsubss)
  BOTH(__vsubus)
  BOTH(__vabsdiffs)
  BOTH(__vabsdiffu)
  BOTH(__vavgu)
  BOTH(__vhaddu)
  BOTH(__vmaxs)
  BOTH(__vmaxu)
  BOTH(__vmins)
  BOTH(__vminu)
  BOTH(__vcmpeq)
  BOTH(__vcmpgts)
  BOTH(__vcmpleu)
  BOTH(__vsetltu)
  BOTH(__vsadu)
  BOTH(__vsads)
  r[k++] = __vabsss2(a);
  r[k++] = __vneg4(a);
}

unsigned long long low_bits(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

void check_scalar(unsigned a, unsigned b, unsigned c, const unsigned long long* r) {
  unsigned long long w = (static_cast<unsigned long long>(a) << 32) | b;
  unsigned long long v = (static_cast<unsigned long long>(c) << 32) | a;
  auto leading = [](unsigned long long x, int width) {
    int n = 0;
    while (n < width && !((x >> (width - 1 - n)) & 1)) ++n;
    return n;
  };
  auto first = [](unsigned long long x, int width) {
    for (int n = 0; n < width; ++n) {
      if ((x >> n) & 1) return n + 1;
    }
    return 0;
  };
  auto ones = [](unsigned long long x) {
    int n = 0;
    for (; x != 0; x &= x - 1) ++n;
    return n;
  };
  auto reversed = [](unsigned long long x, int width) {
    unsigned long long y = 0;
    for (int n = 0; n < width; ++n) y |= ((x >> n) & 1) << (width - 1 - n);
    return y;
  };
  long long sa = static_cast<int>(a), sb = static_cast<int>(b);
  int k = 0;
  auto expect = [&](const char* what, unsigned long long want) { EXPECT_SAME(what, r[k++], want); };
  expect("clz", leading(a, 32));
  expect("clzll", leading(w, 64));
  expect("ffs", first(a, 32));
  expect("ffsll", first(w, 64));
  expect("popc", ones(a));
  expect("popcll", ones(w));
  expect("brev", reversed(a, 32));
  expect("brevll", reversed(w, 64));
  unsigned permuted = 0;
  unsigned long long bytes = (static_cast<unsigned long long>(b) << 32) | a;
  for (int n = 0; n < 4; ++n) {
    unsigned selector = (c >> (4 * n)) & 0xf;
    unsigned byte = (bytes >> (8 * (selector & 7))) & 0xff;
    if (selector & 8) byte = (byte & 0x80) ? 0xff : 0;
    permuted |= byte << (8 * n);
  }
  expect("byte_perm", permuted);
  unsigned long long pair = (static_cast<unsigned long long>(b) << 32) | a;
  expect("funnelshift_l", (pair << (c & 31)) >> 32);
  expect("funnelshift_r", (pair >> (c & 31)) & low_bits(32));
  unsigned s = (c & 63) > 32 ? 32 : (c & 63);
  expect("funnelshift_lc", (pair << s) >> 32);
  expect("funnelshift_rc", (pair >> s) & low_bits(32));
  expect("mulhi", static_cast<unsigned>((sa * sb) >> 32));
  expect("umulhi", (static_cast<unsigned long long>(a) * b) >> 32);
  expect("mul64hi", static_cast<unsigned long long>(
                        (static_cast<__int128>(static_cast<long long>(w)) * static_cast<long long>(v)) >> 64));
  expect("umul64hi", static_cast<unsigned long long>((static_cast<unsigned __int128>(w) * v) >> 64));
  long long ta = static_cast<int>(a << 8) >> 8, tb = static_cast<int>(b << 8) >> 8;
  expect("mul24", static_cast<unsigned>(ta * tb));
  expect("umul24", static_cast<unsigned>(static_cast<unsigned long long>(a & 0xffffff) * (b & 0xffffff)));
  expect("hadd", static_cast<unsigned>((sa + sb) >> 1));
  expect("rhadd", static_cast<unsigned>((sa + sb + 1) >> 1));
  expect("uhadd", (static_cast<unsigned long long>(a) + b) >> 1);
  expect("urhadd", (static_cast<unsigned long long>(a) + b + 1) >> 1);
  expect("sad", static_cast<unsigned>((sa > sb ? sa - sb : sb - sa) + c));
  expect("usad", static_cast<unsigned>((a > b ? a - b : b - a) + c));
  int dot = static_cast<int>(c);
  for (int n = 0; n < 4; ++n) {
    dot = static_cast<int>(static_cast<unsigned>(dot) + static_cast<unsigned>(static_cast<signed char>(a >> (8 * n)) *
                                                                              static_cast<signed char>(b >> (8 * n))));
  }
  expect("dp4a", static_cast<unsigned>(dot));
}

template <class F>
unsigned lanes(unsigned a, unsigned b, int count, F f) {
  int bits = 32 / count;
  unsigned r = 0;
  for (int i = 0; i < count; ++i) {
    unsigned ua = (a >> (bits * i)) & low_bits(bits), ub = (b >> (bits * i)) & low_bits(bits);
    int half = 1 << (bits - 1), full = 1 << bits;
    int sa = static_cast<int>(ua) >= half ? static_cast<int>(ua) - full : static_cast<int>(ua);
    int sb = static_cast<int>(ub) >= half ? static_cast<int>(ub) - full : static_cast<int>(ub);
    r |= (static_cast<unsigned>(f(sa, sb, static_cast<int>(ua), static_cast<int>(ub), half - 1, full - 1)) &
          static_cast<unsigned>(low_bits(bits)))
         << (bits * i);
  }
  return r;
}
int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

void check_simd(unsigned a, unsigned b, const unsigned* r) {
  int k = 0;
#define LANES(what, expr)                                           \
  for (int count = 2; count <= 4; count += 2) {                     \
    auto f = [](int sa, int sb, int ua, int ub, int top, int all) { \
      (void)sa, (void)sb, (void)ua, (void)ub, (void)top, (void)all; \
      return expr;                                                  \
    };                                                              \
    EXPECT_SAME(what, r[k++], lanes(a, b, count, f));               \
  }
  LANES("vadd", sa + sb)
  LANES("vaddss", clamp(sa + sb, -top - 1, top))
  LANES("vaddus", clamp(ua + ub, 0, all))
  LANES("vsub", sa - sb)
  LANES("vsubss", clamp(sa - sb, -top - 1, top))
  LANES("vsubus", clamp(ua - ub, 0, all))
  LANES("vabsdiffs", std::abs(sa - sb))
  LANES("vabsdiffu", std::abs(ua - ub))
  LANES("vavgu", (ua + ub + 1) / 2)
  LANES("vhaddu", (ua + ub) / 2)
  LANES("vmaxs", sa > sb ? sa : sb)
  LANES("vmaxu", ua > ub ? ua : ub)
  LANES("vmins", sa < sb ? sa : sb)
  LANES("vminu", ua < ub ? ua : ub)
  LANES("vcmpeq", ua == ub ? all : 0)
  LANES("vcmpgts", sa > sb ? all : 0)
  LANES("vcmpleu", ua <= ub ? all : 0)
  LANES("vsetltu", ua < ub ? 1 : 0)
#undef LANES
  for (int is_signed = 0; is_signed < 2; ++is_signed) {
    for (int count = 2; count <= 4; count += 2) {
      unsigned sum = 0;
      int bits = 32 / count;
      for (int i = 0; i < count; ++i) {
        long long x = (a >> (bits * i)) & low_bits(bits), y = (b >> (bits * i)) & low_bits(bits);
        if (is_signed) {
          if (x >> (bits - 1)) x -= 1ll << bits;
          if (y >> (bits - 1)) y -= 1ll << bits;
        }
        sum += static_cast<unsigned>(x > y ? x - y : y - x);
      }
      EXPECT_SAME("vsad", r[k++], sum);
    }
  }
  EXPECT_SAME("vabsss2", r[k++],
              lanes(a, 0, 2, [](int sa, int, int, int, int top, int) { return clamp(std::abs(sa), -top - 1, top); }));
  EXPECT_SAME("vneg4", r[k++], lanes(a, 0, 4, [](int sa, int, int, int, int, int) { return -sa; }));
}

int main() {
  constexpr int kCount = 300;
  Shared<unsigned> in(3 * kCount);
  Shared<unsigned long long> out(kScalar * kCount);
  Shared<unsigned> words(kSimd * kCount);
  Random random{7};
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f7f7f7f, 0x80808080, 0x00ff00ff};
  for (size_t i = 0; i < in.size(); ++i) in[i] = i < 192 ? edges[(i / 3 >> (3 * (i % 3))) & 7] : random.next();
  scalar<<<(kCount + 63) / 64, 64>>>(in.get(), out.get(), kCount);
  simd<<<(kCount + 63) / 64, 64>>>(in.get(), words.get(), kCount);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
    check_scalar(in[3 * i], in[3 * i + 1], in[3 * i + 2], &out[kScalar * i]);
    check_simd(in[3 * i], in[3 * i + 1], &words[kSimd * i]);
  }
  return verdict();
}

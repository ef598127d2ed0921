// Half and bfloat16: conversions, arithmetic and comparisons, bit by bit, on the device and on the host; elementary
// functions for every value.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "check.h"
#include "short_values.h"

namespace {

const Format kHalf(5);
const Format kBfloat(8);

// Names of the two types' functions.
struct Half {
  typedef __half T;
  typedef __half2 T2;
  static const Format& format() { return kHalf; }
  static const char* name() { return "half"; }
  static __host__ __device__ T of(unsigned bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
  static __host__ __device__ unsigned bits(T v) { return __half_as_ushort(v); }
  static __host__ __device__ float to_float(T v) { return __half2float(v); }
  static __host__ __device__ T from(float f, int d) {
    return d == 0 ? __float2half_rn(f) : d == 1 ? __float2half_rz(f) : d == 2 ? __float2half_rd(f) : __float2half_ru(f);
  }
  static __host__ __device__ T from_double(double d) { return __double2half(d); }
#define OF_INTEGER(type, short_name)                        \
  static __host__ __device__ T from(type v, int d) {        \
    return d == 0   ? __##short_name##2half_rn(v)           \
           : d == 1 ? __##short_name##2half_rz(v)           \
           : d == 2 ? __##short_name##2half_rd(v)           \
                    : __##short_name##2half_ru(v);          \
  }                                                         \
  static __host__ __device__ void to(T v, int d, type& r) { \
    r = d == 0   ? __half2##short_name##_rn(v)              \
        : d == 1 ? __half2##short_name##_rz(v)              \
        : d == 2 ? __half2##short_name##_rd(v)              \
                 : __half2##short_name##_ru(v);             \
  }
  OF_INTEGER(int, int)
  OF_INTEGER(unsigned, uint)
  OF_INTEGER(short, short)
  OF_INTEGER(unsigned short, ushort)
  OF_INTEGER(long long, ll)
  OF_INTEGER(unsigned long long, ull)
#undef OF_INTEGER
  static __host__ __device__ signed char to_char(T v) { return __half2char_rz(v); }
  static __host__ __device__ unsigned char to_uchar(T v) { return __half2uchar_rz(v); }
};
struct Bfloat {
  typedef __nv_bfloat16 T;
  typedef __nv_bfloat162 T2;
  static const Format& format() { return kBfloat; }
  static const char* name() { return "bfloat16"; }
  static __host__ __device__ T of(unsigned bits) { return __ushort_as_bfloat16(static_cast<unsigned short>(bits)); }
  static __host__ __device__ unsigned bits(T v) { return __bfloat16_as_ushort(v); }
  static __host__ __device__ float to_float(T v) { return __bfloat162float(v); }
  static __host__ __device__ T from(float f, int d) {
    return d == 0   ? __float2bfloat16_rn(f)
           : d == 1 ? __float2bfloat16_rz(f)
           : d == 2 ? __float2bfloat16_rd(f)
                    : __float2bfloat16_ru(f);
  }
  static __host__ __device__ T from_double(double d) { return __double2bfloat16(d); }
#define OF_INTEGER(type, short_name)                        \
  static __host__ __device__ T from(type v, int d) {        \
    return d == 0   ? __##short_name##2bfloat16_rn(v)       \
           : d == 1 ? __##short_name##2bfloat16_rz(v)       \
           : d == 2 ? __##short_name##2bfloat16_rd(v)       \
                    : __##short_name##2bfloat16_ru(v);      \
  }                                                         \
  static __host__ __device__ void to(T v, int d, type& r) { \
    r = d == 0   ? __bfloat162##short_name##_rn(v)          \
        : d == 1 ? __bfloat162##short_name##_rz(v)          \
        : d == 2 ? __bfloat162##short_name##_rd(v)          \
                 : __bfloat162##short_name##_ru(v);         \
  }
  OF_INTEGER(int, int)
  OF_INTEGER(unsigned, uint)
  OF_INTEGER(short, short)
  OF_INTEGER(unsigned short, ushort)
  OF_INTEGER(long long, ll)
  OF_INTEGER(unsigned long long, ull)
#undef OF_INTEGER
  static __host__ __device__ signed char to_char(T v) { return __bfloat162char_rz(v); }
  static __host__ __device__ unsigned char to_uchar(T v) { return __bfloat162uchar_rz(v); }
};

/// Runs a function of an index on the device or on the host.
template <class F>
__global__ void for_each_kernel(F f, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
void for_each(F f, unsigned n, bool device) {
  if (device) {
    for_each_kernel<<<(n + 255) / 256, 256>>>(f, n);
    CUDA_OK(cudaDeviceSynchronize());
  } else {
    for (unsigned i = 0; i < n; ++i) f(i);
  }
}

void expect_bits(const std::string& what, unsigned long long input, unsigned long long got, unsigned long long want) {
  if (got != want && failures()++ < 20)
    std::printf("%s of %llx: got %llx, want %llx\n", what.c_str(), input, got, want);
}

// Floats and doubles near the values of a format, half way between them, and anywhere.
template <class S>
std::vector<double> numbers() {
  std::vector<double> v;
  Random random{7};
  for (unsigned bits = 0; bits < 65536; bits += 37) {
    if (S::format().is_nan(bits) || (bits & 0x7fffu) == S::format().infinity()) continue;
    const double here = S::format().value(bits);
    const double next = (bits & 0x7fffu) + 1 < S::format().infinity() ? S::format().value(bits + 1) : here * 1.001;
    const double middle = (here + next) / 2;
    for (double x : {here, middle, std::nextafter(middle, here), std::nextafter(middle, next),
                     here + (next - here) * (random.next() / 4294967296.0)}) {
      v.push_back(x);
    }
  }
  for (double x : {0.0, -0.0, 65504.0, 65519.99, 65520.0, -65536.0, 1e39, -1e39, 3.3895314e38, 3.3961775e38, 1e-45,
                   -1e-60, 6e-8, 2.98e-8, 1e308, 5e-324}) {
    v.push_back(x);
  }
  v.push_back(std::numeric_limits<double>::infinity());
  v.push_back(std::numeric_limits<double>::quiet_NaN());
  return v;
}

template <class S>
void conversions(bool device) {
  const std::string side = std::string(S::name()) + (device ? " on the device, " : " on the host, ");
  const std::vector<double> values = numbers<S>();
  const unsigned n = static_cast<unsigned>(values.size());
  Shared<double> in(n);
  Shared<unsigned> out(5 * n);
  std::copy(values.begin(), values.end(), in.get());
  const double* x = in.get();
  unsigned* o = out.get();
  for_each(
      [=] __host__ __device__(unsigned i) {
        for (int d = 0; d < 4; ++d) o[5 * i + d] = S::bits(S::from(static_cast<float>(x[i]), d));
        o[5 * i + 4] = S::bits(S::from_double(x[i]));
      },
      n, device);
  for (unsigned i = 0; i < n; ++i) {
    const float f = static_cast<float>(values[i]);
    for (int d = 0; d < 4; ++d) {
      expect_bits(side + "from float, direction " + std::to_string(d), i, out[5 * i + d],
                  S::format().rounded(f, static_cast<Direction>(d)));
    }
    expect_bits(side + "from double", i, out[5 * i + 4], S::format().rounded(values[i]));
  }
}

template <class S, class I>
void integers(bool device, const char* type) {
  const std::string side = std::string(S::name()) + (device ? " on the device, " : " on the host, ") + type;
  constexpr bool kSigned = static_cast<I>(-1) < static_cast<I>(0);
  Shared<I> to(4 * 65536);
  I* t = to.get();
  for_each(
      [=] __host__ __device__(unsigned i) {
        for (int d = 0; d < 4; ++d) S::to(S::of(i), d, t[4 * i + d]);
      },
      65536, device);
  for (unsigned i = 0; i < 65536; ++i) {
    for (int d = 0; d < 4; ++d) {
      const int bits = static_cast<int>(sizeof(I)) * 8;
      const unsigned long long mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
      expect_bits(side + " direction " + std::to_string(d), i, static_cast<unsigned long long>(to[4 * i + d]) & mask,
                  integer_of(S::format().value(i), static_cast<Direction>(d), bits, kSigned));
    }
  }
  std::vector<I> values;
  Random random{11};
  for (int shift = 0; shift < static_cast<int>(sizeof(I)) * 8; ++shift) {
    const unsigned long long one = 1ull << shift;
    // Close to values of the format, to the middles between them, and anywhere of this size.
    for (unsigned long long v :
         {one, one + 1, one - 1, one + (one >> 8), one + (one >> 8) + 1, one + (one >> 9) - 1, one + (one >> 11),
          one + (one >> 12) + 1, one + (one >> 8) + (one >> 40) + 1,
          one + ((static_cast<unsigned long long>(random.next()) << 32 | random.next()) & (one - 1))}) {
      values.push_back(static_cast<I>(v));
      values.push_back(static_cast<I>(0 - v));
    }
  }
  const unsigned n = static_cast<unsigned>(values.size());
  Shared<I> in(n);
  Shared<unsigned> out(4 * n);
  std::copy(values.begin(), values.end(), in.get());
  const I* x = in.get();
  unsigned* o = out.get();
  for_each(
      [=] __host__ __device__(unsigned i) {
        for (int d = 0; d < 4; ++d) o[4 * i + d] = S::bits(S::from(x[i], d));
      },
      n, device);
  for (unsigned i = 0; i < n; ++i) {
    for (int d = 0; d < 4; ++d) {
      expect_bits(side + " to it, direction " + std::to_string(d), static_cast<unsigned long long>(values[i]),
                  out[4 * i + d], S::format().rounded(static_cast<long double>(values[i]), static_cast<Direction>(d)));
    }
  }
}

template <class S>
__host__ __device__ unsigned both(typename S::T2 v) {
  return S::bits(v.x) | S::bits(v.y) << 16;
}

// What each operation gives, and the exact result.
constexpr unsigned kResults = 30;
template <class S>
__host__ __device__ void operate(unsigned a_bits, unsigned b_bits, unsigned c_bits, unsigned* r) {
  typedef typename S::T T;
  typedef typename S::T2 T2;
  const T a = S::of(a_bits), b = S::of(b_bits), c = S::of(c_bits);
  const T2 p(a, c), q(b, b);
  r[0] = S::bits(__hadd(a, b));
  r[1] = S::bits(__hsub(a, b));
  r[2] = S::bits(__hmul(a, b));
  r[3] = S::bits(__hdiv(a, b));
  r[4] = S::bits(__hfma(a, b, c));
  r[5] = S::bits(__hadd_sat(a, b));
  r[6] = S::bits(__hmul_sat(a, b));
  r[7] = S::bits(__hfma_relu(a, b, c));
  r[8] = both<S>(__hadd2(p, q));
  r[9] = both<S>(__hmul2(p, q));
  r[10] = both<S>(__h2div(p, q));
  r[11] = both<S>(__hfma2(p, q, p));
  r[12] = S::bits(__hmax(a, b));
  r[13] = S::bits(__hmin(a, b));
  r[14] = S::bits(__hmax_nan(a, b));
  r[15] = both<S>(__hmin2(p, q));
  r[16] = S::bits(__hneg(a)) | S::bits(__habs(a)) << 16;
  r[17] = __hisnan(a) | (__hisinf(a) & 3) << 1;
  r[18] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5;
  r[19] =
      __hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 | __hleu(a, b) << 3 | __hgtu(a, b) << 4 | __hgeu(a, b) << 5;
  r[20] = __hbeq2(p, q) | __hbne2(p, q) << 1 | __hblt2(p, q) << 2 | __hbltu2(p, q) << 3 | __hbgeu2(p, q) << 4;
  r[21] = both<S>(__hlt2(p, q));
  r[22] = __hle2_mask(p, q);
  r[23] = both<S>(__hneg2(p));
  r[24] = both<S>(__habs2(p));
  r[25] = both<S>(__hcmadd(p, T2(c, b), q));
  r[26] = both<S>(__hsub2_sat(p, q));
  r[27] = both<S>(__hisnan2(p));
#if defined(__CUDA_ARCH__)
  r[28] = __CUDA_ARCH__;
#else
  r[28] = 0;
#endif
  T step = a;
  step++;
  r[29] = S::bits(step);
}

template <class S>
void operations(bool device) {
  const Format& f = S::format();
  std::vector<unsigned> in;
  Random random{3};
  const unsigned special[] = {0,      0x8000,           1,      0x8001, f.infinity(), f.infinity() | 0x8000, 0x7fff,
                              0xfe00, f.infinity() - 1, 0x3c00, 0x3f80};
  for (unsigned a : special) {
    for (unsigned b : special) in.insert(in.end(), {a, b, special[random.next() % 11]});
  }
  for (int i = 0; i < 20000; ++i) {
    const unsigned a = random.next() & 0xffff;
    // Often of like size, so that bits meet.
    const unsigned near = (a + (random.next() & 0xfff) - 0x800) & 0xffff;
    in.insert(in.end(), {a, i % 2 ? near : random.next() & 0xffff, i % 3 ? (near ^ 0x8000) : random.next() & 0xffff});
  }
  const unsigned n = static_cast<unsigned>(in.size() / 3);
  Shared<unsigned> inputs(in.size());
  Shared<unsigned> out(n * kResults);
  std::copy(in.begin(), in.end(), inputs.get());
  const unsigned* x = inputs.get();
  unsigned* o = out.get();
  for_each([=] __host__ __device__(unsigned i) { operate<S>(x[3 * i], x[3 * i + 1], x[3 * i + 2], o + kResults * i); },
           n, device);
  const std::string side = std::string(S::name()) + (device ? " on the device, " : " on the host, ") + "operation ";
  for (unsigned i = 0; i < n; ++i) {
    const unsigned* r = o + kResults * i;
    const unsigned abits = in[3 * i], bbits = in[3 * i + 1], cbits = in[3 * i + 2];
    const auto expect = [&](int which, unsigned got, unsigned want) {
      expect_bits(side + std::to_string(which), static_cast<unsigned long long>(abits) << 32 | bbits << 16 | cbits, got,
                  want);
    };
    const auto add = [&](unsigned u, unsigned v) {
      const Sum s = exact_sum(f.value(u), f.value(v));
      return f.rounded(s.value, kNearest, s.rest);
    };
    const auto mul = [&](unsigned u, unsigned v) { return f.rounded(f.value(u) * f.value(v)); };
    const auto div = [&](unsigned u, unsigned v) {
      return f.rounded(static_cast<long double>(f.value(u)) / static_cast<long double>(f.value(v)));
    };
    const bool fused = S::format().infinity() == kHalf.infinity() || (device && r[28] >= 800);
    const auto fma = [&](unsigned u, unsigned v, unsigned w) {
      if (!fused) {
        return f.rounded(
            std::fmaf(static_cast<float>(f.value(u)), static_cast<float>(f.value(v)), static_cast<float>(f.value(w))));
      }
      const Sum s = exact_sum(f.value(u) * f.value(v), f.value(w));
      return f.rounded(s.value, kNearest, s.rest);
    };
    const auto nan_or = [&](unsigned bits) { return f.is_nan(bits) ? 0x7fffu : bits; };
    const auto saturated = [&](unsigned bits) {
      if (f.is_nan(bits) || (bits & 0x8000u)) return 0u;
      return std::min(bits, f.rounded(1.0));
    };
    const auto relu = [&](unsigned bits) { return f.is_nan(bits) ? 0x7fffu : (bits & 0x8000u) ? 0u : bits; };
    const auto pair = [](unsigned low, unsigned high) { return low | high << 16; };
    const double a = f.value(abits), b = f.value(bbits), c = f.value(cbits);
    const auto greater = [&](unsigned u, unsigned v) {
      if (f.is_nan(u) || f.is_nan(v)) return f.is_nan(u) ? nan_or(v) : u;
      if (f.value(u) == f.value(v)) return (u & 0x8000u) ? v : u;
      return f.value(u) > f.value(v) ? u : v;
    };
    const auto lesser = [&](unsigned u, unsigned v) {
      if (f.is_nan(u) || f.is_nan(v)) return greater(u, v);
      return greater(u, v) == u ? v : u;
    };
    const unsigned one = f.rounded(1.0);
    expect(0, r[0], add(abits, bbits));
    expect(1, r[1], add(abits, bbits ^ 0x8000u));
    expect(2, r[2], mul(abits, bbits));
    expect(3, r[3], div(abits, bbits));
    expect(4, r[4], fma(abits, bbits, cbits));
    expect(5, r[5], saturated(add(abits, bbits)));
    expect(6, r[6], saturated(mul(abits, bbits)));
    expect(7, r[7], relu(fma(abits, bbits, cbits)));
    expect(8, r[8], pair(add(abits, bbits), add(cbits, bbits)));
    expect(9, r[9], pair(mul(abits, bbits), mul(cbits, bbits)));
    expect(10, r[10], pair(div(abits, bbits), div(cbits, bbits)));
    expect(11, r[11], pair(fma(abits, bbits, abits), fma(cbits, bbits, cbits)));
    expect(12, r[12], greater(abits, bbits));
    expect(13, r[13], lesser(abits, bbits));
    expect(14, r[14], std::isnan(a) || std::isnan(b) ? 0x7fffu : greater(abits, bbits));
    expect(15, r[15], pair(lesser(abits, bbits), lesser(cbits, bbits)));
    expect(16, r[16], pair(abits ^ 0x8000u, abits & 0x7fffu));
    expect(17, r[17], static_cast<unsigned>(std::isnan(a)) | (std::isinf(a) ? (a > 0 ? 2u : 6u) : 0u));
    const unsigned ordered =
        (a == b) | (a < b || a > b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5;
    expect(18, r[18], ordered);
    expect(19, r[19], std::isnan(a) || std::isnan(b) ? 63u : ordered);
    const bool nan1 = std::isnan(a) || std::isnan(b), nan2 = std::isnan(c) || std::isnan(b);
    expect(20, r[20],
           (a == b && c == b) | ((a < b || a > b) && (c < b || c > b)) << 1 | (a < b && c < b) << 2 |
               ((a < b || nan1) && (c < b || nan2)) << 3 | ((a >= b || nan1) && (c >= b || nan2)) << 4);
    expect(21, r[21], pair(a < b ? one : 0, c < b ? one : 0));
    expect(22, r[22], pair(a <= b ? 0xffffu : 0, c <= b ? 0xffffu : 0));
    expect(23, r[23], pair(abits ^ 0x8000u, cbits ^ 0x8000u));
    expect(24, r[24], pair(abits & 0x7fffu, cbits & 0x7fffu));
    expect(25, r[25],
           pair(fma(cbits ^ 0x8000u, bbits, fma(abits, cbits, bbits)), fma(cbits, cbits, fma(abits, bbits, bbits))));
    expect(26, r[26], pair(saturated(add(abits, bbits ^ 0x8000u)), saturated(add(cbits, bbits ^ 0x8000u))));
    expect(27, r[27], pair(std::isnan(a) ? one : 0, std::isnan(c) ? one : 0));
    expect(29, r[29], add(abits, one));
  }
}

constexpr int kFunctions = 16;
template <class S>
__device__ typename S::T apply(int which, typename S::T h) {
  switch (which) {
    case 0:
      return hsqrt(h);
    case 1:
      return hrsqrt(h);
    case 2:
      return hrcp(h);
    case 3:
      return hexp(h);
    case 4:
      return hexp2(h);
    case 5:
      return hexp10(h);
    case 6:
      return hlog(h);
    case 7:
      return hlog2(h);
    case 8:
      return hlog10(h);
    case 9:
      return hsin(h);
    case 10:
      return hcos(h);
    case 11:
      return htanh(h);
    case 12:
      return hfloor(h);
    case 13:
      return hceil(h);
    case 14:
      return htrunc(h);
    default:
      return hrint(h);
  }
}
template <class S>
__global__ void functions_kernel(unsigned* o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int f = 0; f < kFunctions; ++f) o[f * 65536 + i] = S::bits(apply<S>(f, S::of(i)));
}
double exactly(int which, double x) {
  switch (which) {
    case 0:
      return std::sqrt(x);
    case 1:
      return 1 / std::sqrt(x);
    case 2:
      return 1 / x;
    case 3:
      return std::exp(x);
    case 4:
      return std::exp2(x);
    case 5:
      return std::pow(10.0, x);
    case 6:
      return std::log(x);
    case 7:
      return std::log2(x);
    case 8:
      return std::log10(x);
    case 9:
      return std::sin(x);
    case 10:
      return std::cos(x);
    case 11:
      return std::tanh(x);
    case 12:
      return std::floor(x);
    case 13:
      return std::ceil(x);
    case 14:
      return std::trunc(x);
    default:
      return std::rint(x);
  }
}

// Every value. A result may be the neighbour only where the exact one lies so close to the middle of two values that
// single precision cannot tell.
template <class S>
void functions() {
  constexpr double kSingle = 1.0 / (1 << 21);
  Shared<unsigned> out(kFunctions * 65536);
  functions_kernel<S><<<256, 256>>>(out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int f = 0; f < kFunctions; ++f) {
    int neighbours = 0;
    for (unsigned i = 0; i < 65536; ++i) {
      const double y = exactly(f, S::format().value(i));
      const unsigned want = S::format().rounded(y);
      const unsigned got = out[f * 65536 + i];
      if (got == want) continue;
      ++neighbours;
      if (got != S::format().rounded(y * (1 - kSingle)) && got != S::format().rounded(y * (1 + kSingle))) {
        expect_bits(std::string(S::name()) + " function " + std::to_string(f), i, got, want);
      }
    }
    if (neighbours > 8 && failures()++ < 20) std::printf("%s function %d: %d neighbours\n", S::name(), f, neighbours);
  }
}

template <class S>
void all() {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    EXPECT_SAME("as a float", static_cast<double>(S::to_float(S::of(bits))), S::format().value(bits));
  }
  for (bool device : {true, false}) {
    conversions<S>(device);
    integers<S, int>(device, "int");
    integers<S, unsigned>(device, "unsigned");
    integers<S, short>(device, "short");
    integers<S, unsigned short>(device, "unsigned short");
    integers<S, long long>(device, "long long");
    integers<S, unsigned long long>(device, "unsigned long long");
    operations<S>(device);
  }
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double v = S::format().value(bits);
    expect_bits("to char", bits, static_cast<unsigned char>(S::to_char(S::of(bits))), integer_of(v, kZero, 8, true));
    expect_bits("to uchar", bits, S::to_uchar(S::of(bits)), integer_of(v, kZero, 8, false));
  }
  functions<S>();
}

}  // namespace

int main() {
  all<Half>();
  all<Bfloat>();
  return verdict();
}

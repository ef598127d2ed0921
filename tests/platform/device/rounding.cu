// Rounded arithmetic and conversions in all four modes against the host's own rounding modes, at edge values.
#include <cfenv>
#include <cstdint>

#include "check.h"

constexpr int kFloat = 15;
constexpr int kDouble = 14;

#define MODES(op) op(rn, 0) op(rz, 1) op(rd, 2) op(ru, 3)

__global__ void singles(const float* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
#define SINGLE(mode, m)                                               \
  {                                                                   \
    double* r = out + (4 * i + m) * kFloat;                           \
    int k = 0;                                                        \
    r[k++] = __fadd_##mode(a, b);                                     \
    r[k++] = __fsub_##mode(a, b);                                     \
    r[k++] = __fmul_##mode(a, b);                                     \
    r[k++] = __fdiv_##mode(a, b);                                     \
    r[k++] = __fmaf_##mode(a, b, c);                                  \
    r[k++] = __frcp_##mode(a);                                        \
    r[k++] = __fsqrt_##mode(a);                                       \
    r[k++] = __float2int_##mode(a);                                   \
    r[k++] = __float2uint_##mode(a);                                  \
    r[k++] = static_cast<double>(__float2ll_##mode(a) >> 20);         \
    r[k++] = static_cast<double>(__float2ull_##mode(a) >> 20);        \
    r[k++] = __int2float_##mode(__float_as_int(a));                   \
    r[k++] = __uint2float_##mode(__float_as_uint(a));                 \
    r[k++] = __ll2float_##mode((long long)__float_as_int(a) * 65537); \
    r[k++] = __double2float_##mode((double)a * b);                    \
  }
  MODES(SINGLE)
}

__global__ void doubles(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
#define DOUBLE(mode, m)                                                        \
  {                                                                            \
    double* r = out + (4 * i + m) * kDouble;                                   \
    int k = 0;                                                                 \
    r[k++] = __dadd_##mode(a, b);                                              \
    r[k++] = __dsub_##mode(a, b);                                              \
    r[k++] = __dmul_##mode(a, b);                                              \
    r[k++] = __ddiv_##mode(a, b);                                              \
    r[k++] = __fma_##mode(a, b, c);                                            \
    r[k++] = __drcp_##mode(a);                                                 \
    r[k++] = __dsqrt_##mode(a);                                                \
    r[k++] = __double2int_##mode(a);                                           \
    r[k++] = __double2uint_##mode(a);                                          \
    r[k++] = static_cast<double>(__double2ll_##mode(a) >> 20);                 \
    r[k++] = static_cast<double>(__double2ull_##mode(a) >> 20);                \
    r[k++] = __ll2double_##mode(__double_as_longlong(a));                      \
    r[k++] = __ull2double_##mode((unsigned long long)__double_as_longlong(a)); \
    r[k++] = __double2float_##mode(a);                                         \
  }
  MODES(DOUBLE)
}

const int kHostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// The conversion as PTX defines it: values out of range give the nearest one that fits; NaN gives 0 between types of 32
// bits, else the value with only the highest bit set.
template <class I, class F>
I to_integer(F a) {
  if (a != a) {
    if (sizeof(F) == 4 && sizeof(I) == 4) return 0;
    return static_cast<I>(1ull << (8 * sizeof(I) - 1));
  }
  volatile F v = a;
  F r = std::nearbyint(v);
  const F low = static_cast<F>(std::numeric_limits<I>::min());
  const F high = std::ldexp(F(1), std::numeric_limits<I>::digits);
  if (r < low) return std::numeric_limits<I>::min();
  if (r >= high) return std::numeric_limits<I>::max();
  return static_cast<I>(r);
}

template <class F>
void arithmetic(F a, F b, F c, const double*& r) {
  volatile F x = a, y = b, z = c, v;
  v = x + y;
  EXPECT_SAME("add", static_cast<F>(*r++), static_cast<F>(v));
  v = x - y;
  EXPECT_SAME("sub", static_cast<F>(*r++), static_cast<F>(v));
  v = x * y;
  EXPECT_SAME("mul", static_cast<F>(*r++), static_cast<F>(v));
  v = x / y;
  EXPECT_SAME("div", static_cast<F>(*r++), static_cast<F>(v));
  v = std::fma(static_cast<F>(x), static_cast<F>(y), static_cast<F>(z));
  EXPECT_SAME("fma", static_cast<F>(*r++), static_cast<F>(v));
  volatile F one = 1;
  v = one / x;
  EXPECT_SAME("rcp", static_cast<F>(*r++), static_cast<F>(v));
  v = std::sqrt(static_cast<F>(x));
  EXPECT_SAME("sqrt", static_cast<F>(*r++), static_cast<F>(v));
  EXPECT_SAME("to int", *r++, static_cast<double>(to_integer<int>(a)));
  EXPECT_SAME("to unsigned", *r++, static_cast<double>(to_integer<unsigned>(a)));
  EXPECT_SAME("to long long", *r++, static_cast<double>(to_integer<long long>(a) >> 20));
  EXPECT_SAME("to unsigned long long", *r++, static_cast<double>(to_integer<unsigned long long>(a) >> 20));
}

template <class F, class B>
F of_bits(B bits) {
  F f;
  std::memcpy(&f, &bits, sizeof(f));
  return f;
}

int main() {
  constexpr int kCount = 600;
  Shared<float> f(3 * kCount);
  Shared<double> d(3 * kCount), fr(4 * kFloat * kCount), dr(4 * kDouble * kCount);
  Random random{11};
  const float edges[] = {0.0f,           -0.0f,    1.0f,      -1.5f, 2.5f,          1e-45f,         -1.17549421e-38f,
                         3.40282347e38f, INFINITY, -INFINITY, NAN,   2147483648.0f, -2147483904.0f, 4294967296.0f,
                         0.5f,           -0.5f};
  const double wide_edges[] = {0.0,
                               -0.0,
                               1.0,
                               -1.5,
                               2.5,
                               5e-324,
                               -2.2250738585072009e-308,
                               1.7976931348623157e308,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               2147483647.5,
                               -9223372036854775808.0,
                               1.8446744073709552e19,
                               0.49999999999999994,
                               4503599627370497.5};
  for (size_t i = 0; i < f.size(); ++i) {
    const bool edge = i < 3 * 256;
    const unsigned pick = i % 3 == 0 ? (i / 3) & 15 : i % 3 == 1 ? (i / 48) & 15 : random.next() & 15;
    f[i] = edge ? edges[pick] : of_bits<float>(0x30000000u + (random.next() & 0xa0ffffffu) % 0x80000000u);
    d[i] =
        edge
            ? wide_edges[pick]
            : of_bits<double>((static_cast<uint64_t>(0x3c000000u + random.next() % 0x08000000u) << 32) | random.next());
    if (!edge && (random.next() & 1)) f[i] = -f[i], d[i] = -d[i];
  }
  singles<<<(kCount + 63) / 64, 64>>>(f.get(), fr.get(), kCount);
  doubles<<<(kCount + 63) / 64, 64>>>(d.get(), dr.get(), kCount);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; ++i) {
    for (int mode = 0; mode < 4; ++mode) {
      std::fesetround(kHostModes[mode]);
      const double* r = &fr[(4 * i + mode) * kFloat];
      const float a = f[3 * i], b = f[3 * i + 1];
      arithmetic(a, b, f[3 * i + 2], r);
      int bits;
      std::memcpy(&bits, &a, sizeof(bits));
      volatile int vb = bits;
      volatile unsigned vu = static_cast<unsigned>(bits);
      volatile long long vl = static_cast<long long>(bits) * 65537;
      volatile float v = static_cast<float>(vb);
      EXPECT_SAME("int to float", static_cast<float>(*r++), static_cast<float>(v));
      v = static_cast<float>(vu);
      EXPECT_SAME("unsigned to float", static_cast<float>(*r++), static_cast<float>(v));
      v = static_cast<float>(vl);
      EXPECT_SAME("long long to float", static_cast<float>(*r++), static_cast<float>(v));
      std::fesetround(FE_TONEAREST);
      volatile double product = static_cast<double>(a) * b;
      std::fesetround(kHostModes[mode]);
      v = static_cast<float>(product);
      EXPECT_SAME("double to float", static_cast<float>(*r++), static_cast<float>(v));

      r = &dr[(4 * i + mode) * kDouble];
      const double x = d[3 * i];
      arithmetic(x, d[3 * i + 1], d[3 * i + 2], r);
      long long wide_bits;
      std::memcpy(&wide_bits, &x, sizeof(wide_bits));
      volatile long long vw = wide_bits;
      volatile unsigned long long vwu = static_cast<unsigned long long>(wide_bits);
      volatile double w = static_cast<double>(vw);
      EXPECT_SAME("long long to double", *r++, static_cast<double>(w));
      w = static_cast<double>(vwu);
      EXPECT_SAME("unsigned long long to double", *r++, static_cast<double>(w));
      volatile double vx = x;
      v = static_cast<float>(vx);
      EXPECT_SAME("double to float", static_cast<float>(*r++), static_cast<float>(v));
      std::fesetround(FE_TONEAREST);
    }
  }
  return verdict();
}

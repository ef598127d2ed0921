// Every function of CUDA's maths library in every binade and at special values, against references of 113 bits.
//
//   maths_accuracy [DENSITY]    prints a line for each row and precision; exit code 1 if one is beyond CUDA's bound
//
// The lines are fields with tabs between them: row, arguments, precision, CUDA's bound, n, largest error, results
// beyond the bound, the worst call. tests/platform/device/maths_document.py makes docs/maths.md from them.
#include "maths_accuracy.h"

// glibc's, which its headers declare for other compilers alone.
extern "C" {
#define WIDE1(name) Wide name##f128(Wide) noexcept;
#define WIDE2(name) Wide name##f128(Wide, Wide) noexcept;
WIDE1(sin)
WIDE1(cos)
WIDE1(tan) WIDE1(asin) WIDE1(acos) WIDE1(atan) WIDE1(sinh) WIDE1(cosh) WIDE1(tanh) WIDE1(asinh) WIDE1(acosh)
    WIDE1(atanh) WIDE1(exp) WIDE1(exp2) WIDE1(exp10) WIDE1(expm1) WIDE1(log) WIDE1(log2) WIDE1(log10) WIDE1(log1p)
        WIDE1(cbrt) WIDE1(sqrt) WIDE1(erf) WIDE1(erfc) WIDE1(tgamma) WIDE1(lgamma) WIDE1(j0) WIDE1(j1) WIDE1(y0)
            WIDE1(y1) WIDE1(fabs) WIDE2(atan2) WIDE2(hypot) WIDE2(pow) WIDE2(copysign) Wide jnf128(int, Wide) noexcept;
Wide ynf128(int, Wide) noexcept;
}

Wide pi() { return 4 * atanf128(1); }
Wide sqrt_pi() { return sqrtf128(pi()); }

Wide sinpi_wide(double a) {
  const double r = std::fmod(a, 2);
  if (r == std::trunc(r)) return std::copysign(0.0, a);
  return sinf128(r * pi());
}
Wide cospi_wide(double a) {
  const double r = std::fmod(std::fabs(a), 2);
  return r == 0.5 || r == 1.5 ? 0 : cosf128(r * pi());
}
Wide erfcx_wide(double a) {
  const Wide x = a;
  if (x < 50) return expf128(x * x) * erfcf128(x);
  Wide sum = 1;
  for (int k = 20; k > 0; --k) sum = 1 - (2 * k - 1) / (2 * x * x) * sum;
  return sum / (x * sqrt_pi());
}
Wide normcdf_wide(Wide x) { return erfcf128(-x / sqrtf128(2)) / 2; }
/// Inverse of erfc for y <= 1: Newton's iteration for the logarithm, from above.
Wide erfcinv_wide(Wide y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return INFINITY;
  if (y == 1) return 0;
  if (y > 1) return -erfcinv_wide(2 - y);
  Wide x = y > 0.5 ? (1 - y) * sqrt_pi() / 2 : sqrtf128(-logf128(y));
  for (int i = 0; i < 100; ++i) {
    const Wide c = erfcf128(x);
    const Wide step = y > 0.5 ? (c - y) * sqrt_pi() / 2 * expf128(x * x)
                              : (logf128(c) - logf128(y)) * c * sqrt_pi() / 2 * expf128(x * x);
    x += step;
    if (fabsf128(step) < 1e-33 * fabsf128(x)) break;
  }
  return x;
}
Wide erfinv_wide(double a) {
  if (!(std::fabs(a) <= 1)) return NAN;
  if (std::fabs(a) == 1 || a == 0) return a == 0 ? a : std::copysign(INFINITY, a);
  const Wide y = std::fabs(a);
  if (y > 0.5) return copysignf128(erfcinv_wide(1 - y), a);
  Wide x = y * sqrt_pi() / 2;
  for (int i = 0; i < 50; ++i) {
    const Wide step = (y - erff128(x)) * sqrt_pi() / 2 * expf128(x * x);
    x += step;
    if (fabsf128(step) <= 1e-33 * x) break;
  }
  return copysignf128(x, a);
}
Wide bessel_i_wide(int n, double a) {
  const Wide x = std::fabs(a);
  if (!(x < 11000)) return n == 0 ? x * INFINITY : a * Wide(INFINITY);
  Wide sum = 1, term = 1;
  if (x < 100) {
    for (int k = 1; term > sum * 1e-36; ++k) sum += term *= x * x / (4 * Wide(k) * (k + n));
    return n == 0 ? sum : sum * a / 2;
  }
  for (int k = 1; fabsf128(term) > 1e-36; ++k) sum += term *= -(4 * n - Wide(2 * k - 1) * (2 * k - 1)) / (8 * k * x);
  return copysignf128(sum * expf128(x) / sqrtf128(2 * pi() * x), n == 0 ? 1 : a);
}
Wide square_sum(double a, double b, double c, double d) {
  return Wide(a) * a + Wide(b) * b + Wide(c) * c + Wide(d) * d;
}
bool any_is_infinite(double a, double b, double c, double d) {
  return std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d);
}
Wide norm_wide(double a, double b, double c, double d) {
  return any_is_infinite(a, b, c, d) ? Wide(INFINITY) : sqrtf128(square_sum(a, b, c, d));
}
Wide rnorm_wide(double a, double b, double c, double d) { return 1 / norm_wide(a, b, c, d); }
double least(double a, double b) {
  if (a == b) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
int quotient_of(double a, double b) {
  int q;
  std::remquo(a, b, &q);
  return std::isinf(a) || b == 0 || a != a || b != b ? 0 : q < 0 ? -(-q & 7) : q & 7;
}
int exponent_of(double a) {
  int e;
  std::frexp(a, &e);
  return std::isinf(a) || a != a ? 0 : e;
}
double whole_of(double a) {
  double whole;
  std::modf(a, &whole);
  return whole;
}
double fraction_of(double a) {
  double whole;
  return std::modf(a, &whole);
}
int integer(double b) { return static_cast<int>(b); }

constexpr int kThreads = 128;
template <class F, class T>
__global__ void evaluate(const T* arguments, T* results, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T* v = arguments + kMostArguments * i;
  if (i < n) results[i] = F::on_device(v[0], v[1], v[2], v[3]);
}
template <class F, class T>
void run(const Arguments<T>* arguments, T* results, int n) {
  Shared<Arguments<T>> values(n);
  Shared<T> found(n);
  std::copy(arguments, arguments + n, values.get());
  evaluate<F, T><<<(n + kThreads - 1) / kThreads, kThreads>>>(values[0].data(), found.get(), n);
  CUDA_OK(cudaDeviceSynchronize());
  std::copy(found.get(), found.get() + n, results);
}

constexpr Second kNone = Second::kNone, kReal = Second::kReal;

using std::abs;
using std::floor;
bool add(const Row& row) {
  rows().push_back(row);
  return true;
}
#define INPUTS(type) type x, [[maybe_unused]] type y, [[maybe_unused]] type z, [[maybe_unused]] type t
/// A row: name, condition on the arguments that are compared, number of arguments, second one, period, ordinary range
/// of the first, CUDA's bounds, single and double device code, reference.
#define ROW(id, name, where, arity, second, period, low, high, f_bound, d_bound, f_code, d_code, expected)    \
  struct id {                                                                                                 \
    static __device__ float on_device(INPUTS(float)) { return f_code; }                                       \
    static __device__ double on_device(INPUTS(double)) { return d_code; }                                     \
    static Wide reference(INPUTS(double), [[maybe_unused]] bool is_single) { return expected; }               \
    static bool is_compared([[maybe_unused]] double x, [[maybe_unused]] double y) { return where; }           \
    static double bound([[maybe_unused]] double x, [[maybe_unused]] double y, bool is_single) {               \
      return is_single ? f_bound : d_bound;                                                                   \
    }                                                                                                         \
  };                                                                                                          \
  const bool added_##id = add({name, #where, arity, second, period, low, high, #f_bound, #d_bound, id::bound, \
                               id::is_compared, id::reference, run<id, float>, run<id, double>});
/// One with a single version alone.
#define SINGLE(id, name, where, arity, second, low, high, bound, code, expected) \
  ROW(id, name, where, arity, second, 0, low, high, bound, 0, code, 0, expected) \
  const bool single_##id = (rows().back().run_wide = nullptr, true);
#define ONE(name, period, low, high, f_bound, d_bound, expected) \
  ROW(r_##name, #name, true, 1, kNone, period, low, high, f_bound, d_bound, name##f(x), name(x), expected)
#define TWO(name, f_bound, d_bound, expected) \
  ROW(r_##name, #name, true, 2, kReal, 0, -9, 9, f_bound, d_bound, name##f(x, y), name(x, y), expected)
#define WITH_INTEGER(name, second, f_bound, d_bound, expected) \
  ROW(r_##name, #name, true, 2, second, 0, -9, 9, f_bound, d_bound, name##f(x, int(y)), name(x, int(y)), expected)

// Results through pointers, as functions.
#define SECOND_OUTPUT(name, call)                                 \
  template <class T>                                              \
  __device__ T name([[maybe_unused]] T a, [[maybe_unused]] T b) { \
    call                                                          \
  }
SECOND_OUTPUT(sine_of, T s; T c; sincos(a, &s, &c); return s;)
SECOND_OUTPUT(cosine_of, T s; T c; sincos(a, &s, &c); return c;)
SECOND_OUTPUT(sinepi_of, T s; T c; sincospi(a, &s, &c); return s;)
SECOND_OUTPUT(cosinepi_of, T s; T c; sincospi(a, &s, &c); return c;)
SECOND_OUTPUT(mantissa_by_frexp, int e; return frexp(a, &e);)
SECOND_OUTPUT(exponent_by_frexp, int e; frexp(a, &e); return e;)
SECOND_OUTPUT(remainder_by_remquo, int q; return remquo(a, b, &q);)
SECOND_OUTPUT(quotient_by_remquo, int q; remquo(a, b, &q); return q;)
__device__ float fraction_by_modf(float a) {
  float w;
  return modff(a, &w);
}
__device__ double fraction_by_modf(double a) {
  double w;
  return modf(a, &w);
}
__device__ float whole_by_modf(float a) {
  float w;
  modff(a, &w);
  return w;
}
__device__ double whole_by_modf(double a) {
  double w;
  modf(a, &w);
  return w;
}
__device__ float fast_sine(float a) {
  float s, c;
  __sincosf(a, &s, &c);
  return s;
}
__device__ float fast_cosine(float a) {
  float s, c;
  __sincosf(a, &s, &c);
  return c;
}
__device__ float norm_of(float a, float b, float c, float d) {
  const float v[] = {a, b, c, d};
  return normf(4, v);
}
__device__ double norm_of(double a, double b, double c, double d) {
  const double v[] = {a, b, c, d};
  return norm(4, v);
}
__device__ float rnorm_of(float a, float b, float c, float d) {
  const float v[] = {a, b, c, d};
  return rnormf(4, v);
}
__device__ double rnorm_of(double a, double b, double c, double d) {
  const double v[] = {a, b, c, d};
  return rnorm(4, v);
}

ONE(sin, M_PI_2, -40, 40, 2, 2, sinf128(x))
ONE(cos, M_PI_2, -40, 40, 2, 2, cosf128(x))
ONE(tan, M_PI_2, -40, 40, 4, 2, tanf128(x))
ROW(sincos_s, "sincos, sine", true, 1, kNone, M_PI_2, -40, 40, 2, 2, sine_of(x, y), sine_of(x, y), sinf128(x))
ROW(sincos_c, "sincos, cosine", true, 1, kNone, M_PI_2, -40, 40, 2, 2, cosine_of(x, y), cosine_of(x, y), cosf128(x))
ONE(sinpi, 0.5, -5, 5, 1, 2, sinpi_wide(x))
ONE(cospi, 0.5, -5, 5, 1, 2, cospi_wide(x))
ROW(sincospi_s, "sincospi, sine", true, 1, kNone, 0.5, -5, 5, 1, 2, sinepi_of(x, y), sinepi_of(x, y), sinpi_wide(x))
ROW(sincospi_c, "sincospi, cosine", true, 1, kNone, 0.5, -5, 5, 1, 2, cosinepi_of(x, y), cosinepi_of(x, y),
    cospi_wide(x))
ONE(asin, 0, -1, 1, 2, 2, asinf128(x))
ONE(acos, 0, -1, 1, 2, 2, acosf128(x))
ONE(atan, 0, -9, 9, 2, 2, atanf128(x))
TWO(atan2, 3, 2, atan2f128(x, y))
ONE(sinh, 0, -9, 9, 3, 2, sinhf128(x))
ONE(cosh, 0, -9, 9, 2, 1, coshf128(x))
ONE(tanh, 0, -9, 9, 2, 1, tanhf128(x))
ONE(asinh, 0, -9, 9, 3, 3, asinhf128(x))
ONE(acosh, 0, 1, 9, 4, 3, acoshf128(x))
ONE(atanh, 0, -1, 1, 3, 2, atanhf128(x))
ONE(exp, 0, -80, 80, 2, 1, expf128(x))
ONE(exp2, 0, -120, 120, 2, 1, exp2f128(x))
ONE(exp10, 0, -37, 37, 2, 1, exp10f128(x))
ONE(expm1, 0, -9, 9, 1, 1, expm1f128(x))
ONE(log, 0, 0.1, 9, 1, 1, logf128(x))
ONE(log2, 0, 0.1, 9, 1, 1, log2f128(x))
ONE(log10, 0, 0.1, 9, 2, 1, log10f128(x))
ONE(log1p, 0, -1, 9, 1, 1, log1pf128(x))
ROW(r_pow, "pow", true, 2, Second::kPower, 0, -9, 9, 4, 2, powf(x, y), pow(x, y), powf128(x, y))
WITH_INTEGER(powi, Second::kInteger, 4, 2, powf128(x, integer(y)))
ONE(sqrt, 0, 0, 9, 0, 0, is_single ? std::sqrt(static_cast<float>(x)) : std::sqrt(x))
ONE(rsqrt, 0, 0, 9, 2, 1, 1 / sqrtf128(x))
ONE(cbrt, 0, -9, 9, 1, 1, cbrtf128(x))
ONE(rcbrt, 0, -9, 9, 1, 1, 1 / cbrtf128(x))
TWO(hypot, 3, 2, hypotf128(x, y))
TWO(rhypot, 2, 1, 1 / hypotf128(x, y))
ROW(r_norm3d, "norm3d", true, 3, kReal, 0, -9, 9, 3, 2, norm3df(x, y, z), norm3d(x, y, z), norm_wide(x, y, z, 0))
ROW(r_rnorm3d, "rnorm3d", true, 3, kReal, 0, -9, 9, 2, 1, rnorm3df(x, y, z), rnorm3d(x, y, z), rnorm_wide(x, y, z, 0))
ROW(r_norm4d, "norm4d", true, 4, kReal, 0, -9, 9, 3, 2, norm4df(x, y, z, t), norm4d(x, y, z, t), norm_wide(x, y, z, t))
ROW(r_rnorm4d, "rnorm4d", true, 4, kReal, 0, -9, 9, 2, 1, rnorm4df(x, y, z, t), rnorm4d(x, y, z, t),
    rnorm_wide(x, y, z, t))
ROW(r_norm, "norm", true, 4, kReal, 0, -9, 9, 3, 2, norm_of(x, y, z, t), norm_of(x, y, z, t), norm_wide(x, y, z, t))
ROW(r_rnorm, "rnorm", true, 4, kReal, 0, -9, 9, 2, 1, rnorm_of(x, y, z, t), rnorm_of(x, y, z, t),
    rnorm_wide(x, y, z, t))
ONE(erf, 0, -6, 6, 2, 2, erff128(x))
ONE(erfc, 0, -6, 27, 4, 5, erfcf128(x))
ONE(erfinv, 0, -1, 1, 2, 5, erfinv_wide(x))
ONE(erfcinv, 0, 0, 2, 4, 6, erfcinv_wide(x))
ONE(erfcx, 0, -9, 60, 4, 4, erfcx_wide(x))
ONE(normcdf, 0, -38, 9, 5, 5, normcdf_wide(x))
ONE(normcdfinv, 0, 0, 1, 5, 8, x == 0.5 ? 0 : -sqrtf128(2) * erfcinv_wide(2 * Wide(x)))
ONE(tgamma, 0.5, -30, 171, 5, 10, tgammaf128(x))
ROW(r_lgamma, "lgamma", !(x > -23.0001 && x < -2.2637), 1, kNone, 0.5, -2, 60, 6, 4, lgammaf(x), lgamma(x),
    lgammaf128(x))
ROW(r_lgamma_inside, "lgamma", x > -23.0001 && x < -2.2637, 1, kNone, 0.5, -23, -2.2637, INFINITY, INFINITY, lgammaf(x),
    lgamma(x), lgammaf128(x))
#define BESSEL(name, expected)                                                                     \
  ROW(r_##name##_near, #name, abs(x) < 8, 1, kNone, 0, -8, 8, 9, 7, name##f(x), name(x), expected) \
  ROW(r_##name##_far, #name, !(abs(x) < 8), 1, kNone, 0, 8, 100, -2.2e-6, -5e-12, name##f(x), name(x), expected)
BESSEL(j0, j0f128(x))
BESSEL(j1, j1f128(x))
BESSEL(y0, y0f128(x))
BESSEL(y1, y1f128(x))
ROW(r_jn, "jn", true, 2, Second::kOrder, 0, -200, 200, -2.2e-6, -5e-12, jnf(int(y), x), jn(int(y), x),
    jnf128(integer(y), x))
ROW(r_yn_near, "yn", x < y, 2, Second::kOrder, 0, 0, 30, 2 + 2.5 * y, INFINITY, ynf(int(y), x), yn(int(y), x),
    ynf128(integer(y), x))
ROW(r_yn_far, "yn", !(x <= 1.5 * y), 2, Second::kOrder, 0, 0, 200, -2.2e-6, -5e-12, ynf(int(y), x), yn(int(y), x),
    ynf128(integer(y), x))
ONE(cyl_bessel_i0, 0, -40, 40, 6, 6, bessel_i_wide(0, x))
ONE(cyl_bessel_i1, 0, -40, 40, 6, 6, bessel_i_wide(1, x))
ROW(r_fma, "fma", true, 3, kReal, 0, -9, 9, 0, 0, fmaf(x, y, z), fma(x, y, z),
    is_single ? std::fma(float(x), float(y), float(z)) : std::fma(x, y, z))
TWO(fmod, 0, 0, std::fmod(x, y))
TWO(remainder, 0, 0, std::remainder(x, y))
ROW(remquo_r, "remquo, remainder", true, 2, kReal, 0, -9, 9, 0, 0, remainder_by_remquo(x, y), remainder_by_remquo(x, y),
    std::remainder(x, y))
ROW(remquo_q, "remquo, quotient", true, 2, kReal, 0, -9, 9, 0, 0, quotient_by_remquo(x, y), quotient_by_remquo(x, y),
    quotient_of(x, y))
TWO(fdim, 0, 0, std::isnan(x) || std::isnan(y) ? Wide(NAN) : x > y ? Wide(x) - y : Wide(0))
TWO(fmin, 0, 0, least(x, y))
TWO(fmax, 0, 0, -least(-x, -y))
TWO(copysign, 0, 0, std::copysign(x, y))
TWO(nextafter, 0, 0, is_single ? std::nextafter(float(x), float(y)) : std::nextafter(x, y))
WITH_INTEGER(ldexp, Second::kExponent, 0, 0, std::isnan(x) || std::isinf(x) || x == 0 ? Wide(x) : Wide(x) * exp2f128(y))
WITH_INTEGER(scalbn, Second::kExponent, 0, 0,
             std::isnan(x) || std::isinf(x) || x == 0 ? Wide(x) : Wide(x) * exp2f128(y))
ROW(r_scalbln, "scalbln", true, 2, Second::kExponent, 0, -9, 9, 0, 0, scalblnf(x, long(y) * 1000000000L),
    scalbln(x, long(y) * 1000000000L),
    std::isnan(x) || std::isinf(x) || x == 0 || y == 0 ? Wide(x)
    : y > 0                                            ? Wide(x) * HUGE_VAL
                                                       : Wide(x) * 0)
ROW(frexp_m, "frexp, mantissa", true, 1, kNone, 0, -9, 9, 0, 0, mantissa_by_frexp(x, y), mantissa_by_frexp(x, y),
    std::frexp(x, std::vector<int>(1).data()))
ROW(frexp_e, "frexp, exponent", true, 1, kNone, 0, -9, 9, 0, 0, exponent_by_frexp(x, y), exponent_by_frexp(x, y),
    exponent_of(x))
ROW(modf_f, "modf, fraction", true, 1, kNone, 0.5, -9, 9, 0, 0, fraction_by_modf(x), fraction_by_modf(x),
    fraction_of(x))
ROW(modf_w, "modf, whole", true, 1, kNone, 0.5, -9, 9, 0, 0, whole_by_modf(x), whole_by_modf(x), whole_of(x))
ONE(logb, 0, -9, 9, 0, 0, std::logb(x))
ONE(ilogb, 0, -9, 9, 0, 0, std::ilogb(x))
ONE(fabs, 0, -9, 9, 0, 0, std::fabs(x))
ONE(floor, 0.5, -9, 9, 0, 0, std::floor(x))
ONE(ceil, 0.5, -9, 9, 0, 0, std::ceil(x))
ONE(trunc, 0.5, -9, 9, 0, 0, std::trunc(x))
ONE(round, 0.5, -9, 9, 0, 0, std::round(x))
ONE(rint, 0.5, -9, 9, 0, 0, std::rint(x))
ONE(nearbyint, 0.5, -9, 9, 0, 0, std::rint(x))
#define TO_INTEGER(name, expected) \
  ROW(r_##name, #name, abs(x) < 0x1p63, 1, kNone, 0.5, -9, 9, 0, 0, name##f(x), name(x), expected)
TO_INTEGER(lrint, std::rint(x) + 0.0)
TO_INTEGER(llrint, std::rint(x) + 0.0)
TO_INTEGER(lround, std::round(x) + 0.0)
TO_INTEGER(llround, std::round(x) + 0.0)
#define IS(name, expected) \
  ROW(r_##name, #name, true, 1, kNone, 0, -9, 9, 0, 0, name(x) ? 1 : 0, name(x) ? 1 : 0, expected)
IS(isnan, std::isnan(x))
IS(isinf, std::isinf(x))
IS(isfinite, std::isfinite(x))
IS(signbit, std::signbit(x))

// The intrinsics.
SINGLE(f_fdividef, "__fdividef", abs(y) >= 0x1p-126 && abs(y) <= 0x1p126, 2, kReal, -9, 9, 2, __fdividef(x, y),
       Wide(x) / y)
SINGLE(f_expf, "__expf", true, 1, kNone, -80, 80, 2 + floor(abs(1.173 * x)), __expf(x), expf128(x))
SINGLE(f_exp10f, "__exp10f", true, 1, kNone, -37, 37, 2 + floor(abs(2.97 * x)), __exp10f(x), exp10f128(x))
SINGLE(f_logf_near, "__logf", x >= 0.5 && x <= 2, 1, kNone, 0.5, 2, -exp2(-21.41), __logf(x), logf128(x))
SINGLE(f_logf_far, "__logf", !(x >= 0.5 && x <= 2), 1, kNone, 2, 99, 3, __logf(x), logf128(x))
SINGLE(f_log2f_near, "__log2f", x >= 0.5 && x <= 2, 1, kNone, 0.5, 2, -exp2(-22), __log2f(x), log2f128(x))
SINGLE(f_log2f_far, "__log2f", !(x >= 0.5 && x <= 2), 1, kNone, 2, 99, 2, __log2f(x), log2f128(x))
SINGLE(f_log10f_near, "__log10f", x >= 0.5 && x <= 2, 1, kNone, 0.5, 2, -exp2(-24), __log10f(x), log10f128(x))
SINGLE(f_log10f_far, "__log10f", !(x >= 0.5 && x <= 2), 1, kNone, 2, 99, 3, __log10f(x), log10f128(x))
SINGLE(f_sinf, "__sinf", abs(x) <= 3.1415927, 1, kNone, -3.1415, 3.1415, -exp2(-21.41), __sinf(x), sinf128(x))
SINGLE(f_cosf, "__cosf", abs(x) <= 3.1415927, 1, kNone, -3.1415, 3.1415, -exp2(-21.41), __cosf(x), cosf128(x))
SINGLE(f_sincosf_s, "__sincosf, sine", abs(x) <= 3.1415927, 1, kNone, -3.1415, 3.1415, -exp2(-21.41), fast_sine(x),
       sinf128(x))
SINGLE(f_sincosf_c, "__sincosf, cosine", abs(x) <= 3.1415927, 1, kNone, -3.1415, 3.1415, -exp2(-21.41), fast_cosine(x),
       cosf128(x))
SINGLE(f_frsqrt_rn, "__frsqrt_rn", true, 1, kNone, 0, 9, 0, __frsqrt_rn(x), 1 / sqrtf128(x))
SINGLE(f_saturatef, "__saturatef", true, 1, kNone, -1, 2, 0, __saturatef(x),
       std::isnan(x) ? 0 : std::fmax(0.0, std::fmin(x, 1.0)))

void report(const Row& row, const char* precision, const char* bound, const Finding& found) {
  if (found.beyond != 0) ++failures();
  std::printf("%s\t%s\t%s\t%s\t%zu\t%.3g\t%zu\t%s\n", row.name, row.domain, precision, bound, found.n, found.largest,
              found.beyond, found.worst.c_str());
  std::fflush(stdout);
}

int main(int count, char** words) {
  const int density = count > 1 ? std::atoi(words[1]) : 1;
  for (const Row& row : rows()) {
    if (count > 2 && std::strcmp(row.name, words[2]) != 0) continue;
    report(row, "float", row.single_bound, measure<float>(row, density, row.run_single));
    if (row.run_wide != nullptr) report(row, "double", row.wide_bound, measure<double>(row, density, row.run_wide));
  }
  return failures() == 0 ? 0 : 1;
}

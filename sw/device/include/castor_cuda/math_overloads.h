// Mathematical functions that CUDA adds to the C library. Host versions make __host__ __device__ functions work on both
// sides. The global namespace gets the min, max and single-precision overloads.
#pragma once

#pragma push_macro("CASTOR_H")
#define CASTOR_H static inline __attribute__((host))

CASTOR_H double rsqrt(double x) { return 1.0 / ::sqrt(x); }
CASTOR_H float rsqrtf(float x) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x))); }
CASTOR_H double rcbrt(double x) { return 1.0 / ::cbrt(x); }
CASTOR_H float rcbrtf(float x) { return static_cast<float>(1.0 / ::cbrt(static_cast<double>(x))); }
CASTOR_H double castor_sinpi(double x) {
  double r = ::fmod(::fabs(x), 2.0);
  double s = r == ::floor(r) ? 0.0 : ::sin((r > 1.0 ? r - 2.0 : r) * 3.14159265358979323846);
  return ::copysign(1.0, x) * s;
}
CASTOR_H double castor_cospi(double x) {
  double r = ::fmod(::fabs(x), 2.0);
  if (r > 1.0) r = 2.0 - r;
  return r == 0.5 ? 0.0 : ::cos(r * 3.14159265358979323846);
}
CASTOR_H double sinpi(double x) { return castor_sinpi(x); }
CASTOR_H float sinpif(float x) { return static_cast<float>(castor_sinpi(x)); }
CASTOR_H double cospi(double x) { return castor_cospi(x); }
CASTOR_H float cospif(float x) { return static_cast<float>(castor_cospi(x)); }
CASTOR_H void sincospi(double x, double* s, double* c) {
  *s = castor_sinpi(x);
  *c = castor_cospi(x);
}
CASTOR_H void sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(castor_sinpi(x));
  *c = static_cast<float>(castor_cospi(x));
}
CASTOR_H double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
CASTOR_H float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
CASTOR_H double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
CASTOR_H float rhypotf(float x, float y) {
  return static_cast<float>(1.0 / ::hypot(static_cast<double>(x), static_cast<double>(y)));
}
CASTOR_H double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
CASTOR_H float norm3df(float a, float b, float c) {
  return static_cast<float>(norm3d(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}
CASTOR_H double norm4d(double a, double b, double c, double d) { return ::hypot(::hypot(a, b), ::hypot(c, d)); }
CASTOR_H float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(
      norm4d(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c), static_cast<double>(d)));
}
CASTOR_H double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
CASTOR_H float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
CASTOR_H double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
CASTOR_H float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
CASTOR_H double fdivide(double a, double b) { return a / b; }
CASTOR_H float fdividef(float a, float b) { return a / b; }

CASTOR_H int min(int a, int b) { return a < b ? a : b; }
CASTOR_H int max(int a, int b) { return a > b ? a : b; }
CASTOR_H unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
CASTOR_H unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
CASTOR_H long long llmin(long long a, long long b) { return a < b ? a : b; }
CASTOR_H long long llmax(long long a, long long b) { return a > b ? a : b; }
CASTOR_H unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
CASTOR_H unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#pragma pop_macro("CASTOR_H")

#define CASTOR_MIN_MAX(type, lo, hi)                                        \
  static inline __host__ __device__ type min(type a, type b) { return lo; } \
  static inline __host__ __device__ type max(type a, type b) { return hi; }
CASTOR_MIN_MAX(unsigned int, a<b ? a : b, a> b ? a : b)
CASTOR_MIN_MAX(long, a<b ? a : b, a> b ? a : b)
CASTOR_MIN_MAX(unsigned long, a<b ? a : b, a> b ? a : b)
CASTOR_MIN_MAX(long long, a<b ? a : b, a> b ? a : b)
CASTOR_MIN_MAX(unsigned long long, a<b ? a : b, a> b ? a : b)
CASTOR_MIN_MAX(float, ::fminf(a, b), ::fmaxf(a, b))
CASTOR_MIN_MAX(double, ::fmin(a, b), ::fmax(a, b))
#undef CASTOR_MIN_MAX

// Mixed operands are converted as in CUDA: an unsigned operand makes the result unsigned, a double operand makes it
// double.
#define CASTOR_MIN_MAX_MIXED(a_type, b_type, type)                                                 \
  static inline __host__ __device__ type min(a_type a, b_type b) { return min((type)a, (type)b); } \
  static inline __host__ __device__ type min(b_type a, a_type b) { return min((type)a, (type)b); } \
  static inline __host__ __device__ type max(a_type a, b_type b) { return max((type)a, (type)b); } \
  static inline __host__ __device__ type max(b_type a, a_type b) { return max((type)a, (type)b); }
CASTOR_MIN_MAX_MIXED(int, unsigned int, unsigned int)
CASTOR_MIN_MAX_MIXED(long, unsigned long, unsigned long)
CASTOR_MIN_MAX_MIXED(long long, unsigned long long, unsigned long long)
CASTOR_MIN_MAX_MIXED(float, double, double)
#undef CASTOR_MIN_MAX_MIXED

static __device__ __forceinline__ float remquo(float a, float b, int* quotient) { return remquof(a, b, quotient); }
static inline __host__ __device__ float rsqrt(float a) { return rsqrtf(a); }
static inline __host__ __device__ float rcbrt(float a) { return rcbrtf(a); }
static inline __host__ __device__ float sinpi(float a) { return sinpif(a); }
static inline __host__ __device__ float cospi(float a) { return cospif(a); }
static inline __host__ __device__ void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }
static inline __host__ __device__ float normcdf(float a) { return normcdff(a); }
static inline __host__ __device__ float rhypot(float a, float b) { return rhypotf(a, b); }
static inline __host__ __device__ void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
static __device__ __forceinline__ float erfinv(float a) { return erfinvf(a); }
static __device__ __forceinline__ float erfcinv(float a) { return erfcinvf(a); }
static __device__ __forceinline__ float erfcx(float a) { return erfcxf(a); }
static __device__ __forceinline__ float normcdfinv(float a) { return normcdfinvf(a); }
static __device__ __forceinline__ float saturate(float a) { return __saturatef(a); }

// Single-precision overloads that clang declares but expects the CUDA toolkit to define.
#define CASTOR_F1(result, name) \
  static __device__ __forceinline__ result name(float a) { return name##f(a); }
#define CASTOR_F2(name) \
  static __device__ __forceinline__ float name(float a, float b) { return name##f(a, b); }
CASTOR_F1(float, acosh)
CASTOR_F1(float, asinh)
CASTOR_F1(float, atanh)
CASTOR_F1(float, cbrt)
CASTOR_F1(float, erf)
CASTOR_F1(float, erfc)
CASTOR_F1(float, exp2)
CASTOR_F1(float, exp10)
CASTOR_F1(float, expm1)
CASTOR_F1(float, lgamma)
CASTOR_F1(float, log1p)
CASTOR_F1(float, log2)
CASTOR_F1(float, logb)
CASTOR_F1(float, nearbyint)
CASTOR_F1(float, rint)
CASTOR_F1(float, round)
CASTOR_F1(float, tgamma)
CASTOR_F1(float, trunc)
CASTOR_F1(int, ilogb)
CASTOR_F1(long, lrint)
CASTOR_F1(long, lround)
CASTOR_F1(long long, llrint)
CASTOR_F1(long long, llround)
CASTOR_F2(copysign)
CASTOR_F2(fdim)
CASTOR_F2(fmax)
CASTOR_F2(fmin)
CASTOR_F2(hypot)
CASTOR_F2(nextafter)
CASTOR_F2(remainder)
#undef CASTOR_F1
#undef CASTOR_F2
static __device__ __forceinline__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ __forceinline__ float scalbn(float a, int n) { return scalbnf(a, n); }
// Limits the exponent: beyond 10000 every result is infinite or 0.
static __device__ __forceinline__ int castor_scale(long n) { return n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n; }
static __device__ __forceinline__ double scalbln(double a, long n) { return __nv_scalbn(a, castor_scale(n)); }
static __device__ __forceinline__ float scalblnf(float a, long n) { return __nv_scalbnf(a, castor_scale(n)); }
static __device__ __forceinline__ float scalbln(float a, long n) { return scalblnf(a, n); }
static __device__ __forceinline__ double nan(const char* tag) {
  return __nv_nan(reinterpret_cast<const signed char*>(tag));
}
static __device__ __forceinline__ float nanf(const char* tag) {
  return __nv_nanf(reinterpret_cast<const signed char*>(tag));
}

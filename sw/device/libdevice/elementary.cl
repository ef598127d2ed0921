// Elementary functions: functions of libclc under CUDA's names, and functions of the C library that operate on
// exponents and mantissas.
#include "common.h"

#define FORWARD(name)                                \
  float __nv_##name##f(float a) { return name(a); }  \
  double __nv_##name(double a) { return name(a); }
// For functions whose single-precision version is in single.cl.
#define FORWARD_D(name) \
  double __nv_##name(double a) { return name(a); }
// For functions whose double-precision version in libclc loses the sign of zero.
#define FORWARD_KEEPING_ZERO(name)                   \
  float __nv_##name##f(float a) { return name(a); }  \
  double __nv_##name(double a) { return a == 0.0 ? a : name(a); }
#define FORWARD2(name)                                                 \
  float __nv_##name##f(float a, float b) { return name(a, b); }        \
  double __nv_##name(double a, double b) { return name(a, b); }

FORWARD(acos)
FORWARD(acosh)
FORWARD(asin)
FORWARD(asinh)
FORWARD_KEEPING_ZERO(atan)
FORWARD(atanh)
FORWARD(cbrt)
FORWARD_KEEPING_ZERO(erf)
FORWARD_D(exp)
FORWARD_D(exp10)
FORWARD_D(exp2)
FORWARD_KEEPING_ZERO(expm1)
FORWARD_D(log)
FORWARD_D(log10)
FORWARD(log1p)
FORWARD_D(log2)
FORWARD(tanh)
FORWARD2(atan2)
FORWARD2(hypot)
FORWARD2(pow)

double __nv_fmod(double a, double b) { return fmod(a, b); }
// libclc's single-precision fmod treats subnormal divisors as 0; converted to double, they are normal.
float __nv_fmodf(float a, float b) {
  if (__builtin_fabsf(b) < 0x1p-126f) return (float)fmod((double)a, (double)b);
  return fmod(a, b);
}
double __nv_erfc(double a) { return erfc(a); }
// libclc's single-precision erfc has an error of more than 10 ulp in the tail.
float __nv_erfcf(float a) { return (float)erfc((double)a); }
float __nv_powif(float a, int b) { return pown(a, b); }
double __nv_powi(double a, int b) { return pow(a, (double)b); }
float __nv_tanf(float a) { return tan(a); }

double __nv_lgamma(double a) { return lgamma(a); }
// libclc's single-precision lgamma is wrong by many bits at the zeros, all but two of which are negative. It returns
// -inf for -inf.
float __nv_lgammaf(float a) { return a < 0.0f ? (float)lgamma((double)a) : lgamma(a); }

// Hyperbolic sine and cosine. libclc's double-precision versions read past the end of a table for arguments at which
// they overflow.
//
// Returns exp(a) / 2 for a >= 709, where exp itself would overflow, as exp(a - k) 2^1023 (1 + d). Here k is 1024 ln(2),
// rounded, and 1 + d = exp(k) / 2^1024.
static double half_exp_large(double a) {
  double v = exp(fmin(a, 800.0) - 709.782712893383973);
  return fma(v, -2.37470393737858274e-14, v) * 0x1p1023;
}
float __nv_sinhf(float a) { return sinh(a); }
float __nv_coshf(float a) { return cosh(a); }
double __nv_sinh(double x) {
  double a = fabs(x);
  if (a >= 709.0) return copysign(half_exp_large(a), x);
  if (a < 0x1p-28) return x;
  double t = expm1(a);
  double v = a < 1.0 ? 2.0 * t - t * t / (t + 1.0) : t + t / (t + 1.0);
  return copysign(0.5 * v, x);
}
double __nv_cosh(double x) {
  double a = fabs(x);
  if (a >= 709.0) return half_exp_large(a);
  double e = exp(a);
  return fma(0.5, e, 0.5 / e);
}

// Returns NaN if either operand is NaN, and 0 if a does not exceed b.
float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }

float __nv_modff(float a, float* whole) {
  float t = __builtin_truncf(a);
  *whole = t;
  float rest = (as_uint(a) & ABS_MASK_F) == 0x7f800000u ? 0.0f : a - t;
  return __builtin_copysignf(rest, a);
}
double __nv_modf(double a, double* whole) {
  double t = __builtin_trunc(a);
  *whole = t;
  double rest = (as_ulong(a) & ABS_MASK_D) == 0x7ff0000000000000UL ? 0.0 : a - t;
  return __builtin_copysign(rest, a);
}

// Returns the exponent of a finite nonzero value; subnormal values are scaled first.
static int exponent_f(float a) {
  int e = (int)(as_uint(a) >> 23) & 0xff;
  return e != 0 ? e - 127 : ((int)(as_uint(a * 0x1p24f) >> 23) & 0xff) - 151;
}
static int exponent_d(double a) {
  int e = (int)(as_ulong(a) >> 52) & 0x7ff;
  return e != 0 ? e - 1023 : ((int)(as_ulong(a * 0x1p54) >> 52) & 0x7ff) - 1077;
}
static int special_f(float a) { return a == 0.0f || (as_uint(a) & 0x7f800000u) == 0x7f800000u; }
static int special_d(double a) { return a == 0.0 || (as_ulong(a) & 0x7ff0000000000000UL) == 0x7ff0000000000000UL; }

int __nv_ilogbf(float a) {
  if (a == 0.0f || a != a) return (int)0x80000000u;
  if ((as_uint(a) & ABS_MASK_F) == 0x7f800000u) return 0x7fffffff;
  return exponent_f(a);
}
int __nv_ilogb(double a) {
  if (a == 0.0 || a != a) return (int)0x80000000u;
  if ((as_ulong(a) & ABS_MASK_D) == 0x7ff0000000000000UL) return 0x7fffffff;
  return exponent_d(a);
}
float __nv_logbf(float a) {
  if (a == 0.0f) return -INFINITY;
  return special_f(a) ? a * a : (float)exponent_f(a);
}
double __nv_logb(double a) {
  if (a == 0.0) return -INFINITY;
  return special_d(a) ? a * a : (double)exponent_d(a);
}

// Scales by representable powers of two, so that at most the last product rounds. Below the normal range, the first
// factors keep the intermediate result normal.
float __nv_ldexpf(float a, int n) {
  if (n > 127) {
    a *= 0x1p127f;
    n = n - 127 > 127 ? (a *= 0x1p127f, n - 254) : n - 127;
    n = n > 127 ? 127 : n;
  } else if (n < -126) {
    a *= 0x1p-102f;
    n = n + 102 < -126 ? (a *= 0x1p-102f, n + 204) : n + 102;
    n = n < -126 ? -126 : n;
  }
  return a * as_float((uint)(n + 127) << 23);
}
double __nv_ldexp(double a, int n) {
  if (n > 1023) {
    a *= 0x1p1023;
    n = n - 1023 > 1023 ? (a *= 0x1p1023, n - 2046) : n - 1023;
    n = n > 1023 ? 1023 : n;
  } else if (n < -1022) {
    a *= 0x1p-969;
    n = n + 969 < -1022 ? (a *= 0x1p-969, n + 1938) : n + 969;
    n = n < -1022 ? -1022 : n;
  }
  return a * as_double((ulong)(n + 1023) << 52);
}
float __nv_scalbnf(float a, int n) { return __nv_ldexpf(a, n); }
double __nv_scalbn(double a, int n) { return __nv_ldexp(a, n); }

float __nv_frexpf(float a, int* exponent) {
  if (special_f(a)) {
    *exponent = 0;
    return a;
  }
  int e = exponent_f(a) + 1;
  *exponent = e;
  return __nv_ldexpf(a, -e);
}
double __nv_frexp(double a, int* exponent) {
  if (special_d(a)) {
    *exponent = 0;
    return a;
  }
  int e = exponent_d(a) + 1;
  *exponent = e;
  return __nv_ldexp(a, -e);
}

float __nv_nextafterf(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0.0f) return as_float((as_uint(b) & 0x80000000u) | 1u);
  return as_float(as_uint(a) + (((a < b) == (a > 0.0f)) ? 1u : 0xffffffffu));
}
double __nv_nextafter(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0.0) return as_double((as_ulong(b) & 0x8000000000000000UL) | 1UL);
  return as_double(as_ulong(a) + (((a < b) == (a > 0.0)) ? 1UL : ~0UL));
}

// Computes the remainder to the nearest multiple (ties to the even one) and the low bits of that multiple. All
// differences are exact.
#define REMQUO(name, type, suffix, huge_divisor, is_special)                    \
  type name(type a, type b, int* quotient) {                                    \
    *quotient = 0;                                                              \
    if (a != a || b != b || b == 0 || (is_special(a) && a != 0)) return (a - a) / (b - b); \
    if (is_special(b)) return a;                                                \
    type m = __builtin_fabs##suffix(a), d = __builtin_fabs##suffix(b);          \
    int q = 0;                                                                  \
    if (d < huge_divisor) m = __nv_fmod##suffix(m, (type)8 * d);                             \
    if (m >= 4 * d) m -= 4 * d, q += 4;                                         \
    if (m >= 2 * d) m -= 2 * d, q += 2;                                         \
    if (m >= d) m -= d, q += 1;                                                 \
    if (m > d - m || (m == d - m && (q & 1))) m -= d, q += 1;                   \
    *quotient = (a < 0) != (b < 0) ? -(q & 7) : q & 7;                          \
    if (m == 0) return __builtin_copysign##suffix(m, a);                        \
    return a < 0 ? -m : m;                                                      \
  }
REMQUO(__nv_remquof, float, f, 0x1p125f, special_f)
REMQUO(__nv_remquo, double, , 0x1p1021, special_d)
float __nv_remainderf(float a, float b) {
  int q;
  return __nv_remquof(a, b, &q);
}
double __nv_remainder(double a, double b) {
  int q;
  return __nv_remquo(a, b, &q);
}

#undef FORWARD
#undef FORWARD_D
#undef FORWARD_KEEPING_ZERO
#undef FORWARD2
#undef REMQUO

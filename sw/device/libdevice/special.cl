// Functions that libclc lacks or computes inaccurately: roots and norms, the gamma function, error functions and their
// inverses, Bessel functions.
//
// Single-precision versions are computed in double precision, so their error is the final rounding; these functions are
// rare in kernels. Formulas are from Abramowitz and Stegun, "Handbook of Mathematical Functions" (A&S).
#include "common.h"

#define PI 3.14159265358979323846
#define SQRT_PI 1.77245385090551602730
#define TWO_OVER_SQRT_PI 1.12837916709551257390
#define SQRT_2 1.41421356237309504880
#define SQRT_HALF_HI 0.70710678118654752440
#define SQRT_HALF_LO -4.83364665672645672553e-17
#define EULER_GAMMA 0.57721566490153286061

#define IS_NAN(a) ((a) != (a))

double __nv_fabs(double a);
double __nv_ldexp(double a, int n);
int __nv_ilogb(double a);

// Computes 1/sqrt with one Newton step whose residual is exact: the result is within 1 ulp.
double __nv_rsqrt(double a) {
  double r = 1.0 / __nvvm_sqrt_rn_d(a);
  if (!(a > 0x1p-1000 && a < 0x1p1000)) return r;
  double h = a * r;
  double l = fma(a, r, -h);
  double e = fma(-h, r, 1.0) - l * r;
  return fma(0.5 * r, e, r);
}
double __nv_rcbrt(double a) {
  double r = 1.0 / cbrt(a);
  if (!(fabs(a) > 0x1p-900 && fabs(a) < 0x1p900)) return r;
  double s = r * r;
  double sl = fma(r, r, -s);
  double c = s * r;
  double cl = fma(s, r, -c) + sl * r;
  double e = fma(-a, c, 1.0) - a * cl;
  return fma(r * (1.0 / 3.0), e, r);
}
float __nv_rcbrtf(float a) { return (float)(1.0 / cbrt((double)a)); }

// Computes the sum of squares in double-double arithmetic, scaled by the largest magnitude so that nothing overflows.
static double scaled_square_sum(const double* v, int n, int* exponent) {
  double m = 0.0;
  for (int i = 0; i < n; ++i) m = fmax(m, fabs(v[i]));
  *exponent = m == 0.0 ? 0 : __nv_ilogb(m);
  double hi = 0.0;
  double lo = 0.0;
  for (int i = 0; i < n; ++i) {
    double a = __nv_ldexp(v[i], -*exponent);
    double p = a * a;
    double t = hi + p;
    double bb = t - hi;
    lo += fma(a, a, -p) + ((hi - (t - bb)) + (p - bb));
    hi = t;
  }
  return hi + lo;
}
static double norm_of(const double* v, int n) {
  int infinite = 0;
  int nan = 0;
  for (int i = 0; i < n; ++i) {
    infinite |= fabs(v[i]) == INFINITY;
    nan |= IS_NAN(v[i]);
  }
  if (infinite) return INFINITY;
  if (nan) return NAN;
  int e;
  double s = scaled_square_sum(v, n, &e);
  return __nv_ldexp(__nvvm_sqrt_rn_d(s), e);
}
static double rnorm_of(const double* v, int n) {
  int infinite = 0;
  int nan = 0;
  for (int i = 0; i < n; ++i) {
    infinite |= fabs(v[i]) == INFINITY;
    nan |= IS_NAN(v[i]);
  }
  if (infinite) return 0.0;
  if (nan) return NAN;
  int e;
  double s = scaled_square_sum(v, n, &e);
  if (s == 0.0) return INFINITY;
  return __nv_ldexp(__nv_rsqrt(s), -e);
}
double __nv_rhypot(double a, double b) {
  double v[2] = {a, b};
  return rnorm_of(v, 2);
}
double __nv_norm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return norm_of(v, 3);
}
double __nv_norm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return norm_of(v, 4);
}
double __nv_rnorm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return rnorm_of(v, 3);
}
double __nv_rnorm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return rnorm_of(v, 4);
}
double __nv_norm(int n, const double* v) { return norm_of(v, n); }
double __nv_rnorm(int n, const double* v) { return rnorm_of(v, n); }

// The square of a float is exact in double precision and cannot overflow.
static float finish_norm_f(double s, int infinite) { return infinite ? INFINITY : (float)__nvvm_sqrt_rn_d(s); }
static float finish_rnorm_f(double s, int infinite) { return infinite ? 0.0f : (float)(1.0 / __nvvm_sqrt_rn_d(s)); }
#define SQ(a) ((double)(a) * (double)(a))
#define INF(a) (fabs(a) == INFINITY)
float __nv_rhypotf(float a, float b) { return finish_rnorm_f(SQ(a) + SQ(b), INF(a) | INF(b)); }
float __nv_norm3df(float a, float b, float c) {
  return finish_norm_f(SQ(a) + SQ(b) + SQ(c), INF(a) | INF(b) | INF(c));
}
float __nv_norm4df(float a, float b, float c, float d) {
  return finish_norm_f(SQ(a) + SQ(b) + SQ(c) + SQ(d), INF(a) | INF(b) | INF(c) | INF(d));
}
float __nv_rnorm3df(float a, float b, float c) {
  return finish_rnorm_f(SQ(a) + SQ(b) + SQ(c), INF(a) | INF(b) | INF(c));
}
float __nv_rnorm4df(float a, float b, float c, float d) {
  return finish_rnorm_f(SQ(a) + SQ(b) + SQ(c) + SQ(d), INF(a) | INF(b) | INF(c) | INF(d));
}
static double square_sum_f(const float* v, int n, int* infinite) {
  double s = 0.0;
  *infinite = 0;
  for (int i = 0; i < n; ++i) {
    s += SQ(v[i]);
    *infinite |= INF(v[i]);
  }
  return s;
}
float __nv_normf(int n, const float* v) {
  int infinite;
  double s = square_sum_f(v, n, &infinite);
  return finish_norm_f(s, infinite);
}
float __nv_rnormf(int n, const float* v) {
  int infinite;
  double s = square_sum_f(v, n, &infinite);
  return finish_rnorm_f(s, infinite);
}

// Gamma function. From -20 to 30, the recurrence leads to Gamma(1 + t) with 0 <= t < 1, for which a polynomial is used.
// From 30 on, Stirling's series is used (A&S 6.1.37), with the power split in two so that it does not overflow before
// the result does. Below -20, reflection is used (A&S 6.1.17).
static double gamma_12(double x);
// Returns the logarithm of Gamma(x) / (sqrt(2 pi / x) (x / e)^x).
static double stirling_series(double x) {
  double w = 1.0 / x;
  double w2 = w * w;
  double s = fma(w2, 1.0 / 1188.0, -1.0 / 1680.0);
  s = fma(w2, s, 1.0 / 1260.0);
  s = fma(w2, s, -1.0 / 360.0);
  return fma(w2, s, 1.0 / 12.0) * w;
}
// Returns x^e for e = x/2 + add. The rounding error of e is applied as a factor.
static double half_power(double x, double add) {
  double e = 0.5 * x + add;
  double lost = (0.5 * x - e) + add;
  double p = pow(x, e);
  return fma(p, lost * log(x), p);
}
static double gamma_stirling(double x) {
  double p = half_power(x, -0.25);
  return (p * (2.50662827463100050242 * exp(-x))) * p * exp(stirling_series(x));
}
double __nv_tgamma(double x) {
  if (IS_NAN(x)) return x;
  if (fabs(x) < 0x1p-60) return 1.0 / x;
  double f = floor(x);
  if (x < 0.0 && (f == x || x == -INFINITY)) return NAN;
  if (x > 171.7) return INFINITY;
  if (x >= 30.0) return gamma_stirling(x);
  if (x >= -20.0) {
    // Gamma(x) = (x-1)(x-2)...(1+t) Gamma(1+t), where t is the fraction; below 1, division by x (x+1)... replaces the
    // product. Up to thirty factors enter, so the product is kept in double-double arithmetic. The factors are computed
    // from x, since t has lost bits of x near an integer.
    int n = (int)f;
    double t = x - f;
    double hi = 1.0;
    double lo = 0.0;
    int first = n >= 1 ? 1 - n : 0;
    int end = n >= 1 ? 0 : 1 - n;
    for (int k = first; k < end; ++k) {
      // x + k with its rounding error.
      double a = x + k;
      double b = a - x;
      double al = (x - (a - b)) + (k - b);
      double p = hi * a;
      lo = fma(hi, a, -p) + fma(hi, al, lo * a);
      hi = p + lo;
      lo = lo - (hi - p);
    }
    double g = gamma_12(t);
    if (n >= 1) return fma(g, hi, g * lo);
    double q = g / hi;
    return q + (fma(-q, hi, g) - q * lo) / hi;
  }
  // |Gamma| is below the smallest subnormal long before -200.
  if (x < -200.0) return ((long)f & 1) ? -0.0 : 0.0;
  double s = __nv_sinpi(x);
  double y = -x;
  // Gamma(-y) = -pi / (y sin(pi y) Gamma(y)), and sin(pi x) = -sin(pi y).
  double p = half_power(y, 0.25);
  return (PI / (2.50662827463100050242 * s * exp(stirling_series(y)))) * exp(y) / p / p;
}
float __nv_tgammaf(float x) { return (float)__nv_tgamma((double)x); }

// Computes erfcx(x) = exp(x^2) erfc(x). From 9 on, the asymptotic series is used (A&S 7.1.23), whose terms fall below
// 1e-17 there.
static double square_low(double x, double h) { return fma(x, x, -h); }
double __nv_erfcx(double x) {
  if (x >= 9.0) {
    if (x > 1e8) return (1.0 / x) * (1.0 / SQRT_PI);
    double u = 1.0 / (2.0 * x * x);
    double s = 1.0;
    for (int k = 17; k >= 1; --k) s = fma(-(2 * k - 1) * u, s, 1.0);
    return s / (x * SQRT_PI);
  }
  double h = x * x;
  if (x < -26.63) return INFINITY;
  double e = exp(h);
  double c = erfc(x);
  return e * c + e * c * square_low(x, h);
}
float __nv_erfcxf(float x) { return (float)__nv_erfcx((double)x); }

// Returns the inverse of erfc for 0 < y < 2. The start value is after Winitzki. Newton steps with the second-order
// (Halley) correction follow, on the side where erfc keeps relative accuracy.
static double erfcinv_small(double y) {
  double l = log(y * (2.0 - y));
  double b = 2.0 / (PI * 0.147) + 0.5 * l;
  double x = sqrt(sqrt(b * b - l / 0.147) - b);
  if (y < 1e-3) {
    // Asymptotic start value for small y: erfc(x) ~ exp(-x^2) / (x sqrt(pi)).
    double t = -log(y * SQRT_PI);
    x = sqrt(t - 0.5 * log(t));
  }
  for (int i = 0; i < 4; ++i) {
    // erfc(x) = erfcx(x) exp(-x^2), so f / f' is computed without underflow.
    double h = x * x;
    double e = exp(h);
    double f;
    if (y < 1e-280) {
      double root = exp(0.5 * h);
      f = (__nv_erfcx(x) - y * root * root) / TWO_OVER_SQRT_PI;
    } else {
      f = (erfc(x) - y) * (e + e * square_low(x, h)) / TWO_OVER_SQRT_PI;
    }
    double step = f / (1.0 + x * f);
    x += step;
    if (fabs(step) < 1e-17 * fabs(x)) break;
  }
  return x;
}
double __nv_erfinv(double x) {
  double a = fabs(x);
  if (!(a < 1.0)) return a == 1.0 ? copysign((double)INFINITY, x) : (double)NAN;
  if (a > 0.5) return copysign(erfcinv_small(1.0 - a), x);
  if (a < 1e-8) return x * (0.5 * SQRT_PI);
  double l = log1p(-a * a);
  double b = 2.0 / (PI * 0.147) + 0.5 * l;
  double z = sqrt(sqrt(b * b - l / 0.147) - b);
  for (int i = 0; i < 3; ++i) {
    double f = (a - erf(z)) * exp(z * z) / TWO_OVER_SQRT_PI;
    z += f / (1.0 - z * f);
  }
  return copysign(z, x);
}
double __nv_erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return NAN;
  if (y == 0.0) return INFINITY;
  if (y == 2.0) return -INFINITY;
  if (y >= 0.5 && y <= 1.5) return __nv_erfinv(1.0 - y);
  return y < 1.0 ? erfcinv_small(y) : -erfcinv_small(2.0 - y);
}
float __nv_erfinvf(float x) { return (float)__nv_erfinv((double)x); }
float __nv_erfcinvf(float y) { return (float)__nv_erfcinv((double)y); }

// Normal distribution. The argument of erfc is kept in two parts: for large |x|, its last bit changes many bits of the
// result.
double __nv_normcdf(double x) {
  if (x > 40.0) return 1.0;
  if (x < -40.0) return 0.0;
  double h = -x * SQRT_HALF_HI;
  double l = fma(-x, SQRT_HALF_HI, -h) - x * SQRT_HALF_LO;
  double c = erfc(h);
  // erfc(h + l) = erfc(h) - l (2 / sqrt(pi)) exp(-h^2)
  return 0.5 * fma(-l * TWO_OVER_SQRT_PI, exp(-h * h), c);
}
float __nv_normcdff(float x) { return (float)__nv_normcdf((double)x); }
double __nv_normcdfinv(double p) { return p == 0.5 ? 0.0 : -SQRT_2 * __nv_erfcinv(2.0 * p); }
float __nv_normcdfinvf(float p) { return (float)__nv_normcdfinv((double)p); }

// Returns Gamma(1 + t) for 0 <= t < 1 by the polynomial of gamma_series.inc.
#include "gamma_series.inc"
static double gamma_12(double t) {
  double c = t - 0.5;
  double s = kGammaSeries[GAMMA_TERMS - 1];
  for (int i = GAMMA_TERMS - 2; i >= 0; --i) s = fma(s, c, kGammaSeries[i]);
  return s;
}

#undef PI
#undef SQ
#undef INF
#undef IS_NAN
#undef EULER_GAMMA

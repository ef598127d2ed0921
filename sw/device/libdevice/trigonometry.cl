// Sine, cosine and tangent in double precision; sine and cosine of multiples of pi.
//
// The argument is reduced to x = quadrant * pi / 2 + r, with |r| <= pi / 4 or slightly more, and r in two parts. Up to
// LARGE, Cody and Waite's method subtracts pi / 2 in three parts with fused multiply-adds. Above LARGE, Payne and
// Hanek's method multiplies x by the bits of 2 / pi that affect the result, as integers. Polynomials follow, which are
// Chebyshev fits computed for this library.
#include "common.h"

#define LARGE 0x1p30
#define TWO_OVER_PI 0.63661977236758134308
#define HALF_PI_HIGH 1.57079632679489655800
#define HALF_PI_MIDDLE 6.12323399573676603587e-17
#define HALF_PI_LOW -1.49738490485916983294e-33
#define PI 3.14159265358979311600
#define PI_LOW 1.22464679914735320717e-16

/// Number as the sum of two doubles.
typedef struct {
  double high, low;
} two_part;

/// 2 / pi in words of 64 bits; the first word is the integer part, 0.
static __constant ulong kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/// Returns 64 bits of 2 / pi, from bit `start` of kTwoOverPi on.
static ulong bits_of_two_over_pi(int start) {
  int word = start >> 6;
  int shift = start & 63;
  return (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> 1 >> (63 - shift));
}

/// Reduces |x| >= LARGE; returns NaN for infinities and NaN.
static two_part reduce_large(double x, int* quadrant) {
  two_part r = {x - x, 0.0};
  *quadrant = 0;
  ulong bits = as_ulong(x) & ABS_MASK_D;
  int exponent = (int)(bits >> 52);
  if (exponent == 0x7ff) return r;
  // |x| = m * 2^(exponent - 1075) is multiplied by 192 bits of 2 / pi; the upper two bits of the product count
  // quadrants. All higher bits are multiples of 4, and bits below the 192 would add less than 2^-137. No double is
  // nearer to a multiple of pi / 2 than 2^-61 of pi / 2, so at least 75 bits are right.
  ulong m = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
  int start = exponent - 1075 + 62;
  ulong w1 = bits_of_two_over_pi(start + 64);
  ulong w2 = bits_of_two_over_pi(start + 128);
  ulong low = m * w2;
  ulong middle = m * w1;
  ulong high = m * bits_of_two_over_pi(start) + mul_hi(m, w1);
  ulong carry = mul_hi(m, w2);
  middle += carry;
  high += middle < carry;
  int q = (int)(high >> 62);
  high = (high << 2) | (middle >> 62);
  middle = (middle << 2) | (low >> 62);
  low <<= 2;
  // Maps the fraction from [0, 1) to [-1/2, 1/2): a negative fraction is stored as complement and sign.
  int is_negative = (int)(high >> 63);
  ulong flip = (ulong)0 - (ulong)is_negative;
  high ^= flip, middle ^= flip, low ^= flip;
  q += is_negative;
  int zeros = (int)clz(high);
  high = (high << zeros) | (middle >> (64 - zeros));
  middle = (middle << zeros) | (low >> (64 - zeros));
  double scale = as_double((ulong)(1023 - 64 - zeros) << 52);
  if (is_negative != (x < 0.0)) scale = -scale;
  double f = (double)(high & ~0x7ffUL) * scale;
  double f_low = (double)((high << 53) | (middle >> 11)) * (0x1p-53 * scale) * 0x1p-11;
  r.high = f * HALF_PI_HIGH;
  r.low = fma(f, HALF_PI_HIGH, -r.high) + fma(f, HALF_PI_MIDDLE, f_low * HALF_PI_HIGH);
  *quadrant = x < 0.0 ? -q : q;
  return r;
}

static two_part reduce(double x, int* quadrant) {
  if (!(fabs(x) < LARGE)) return reduce_large(x, quadrant);
  double j = rint(x * TWO_OVER_PI);
  *quadrant = (int)j;
  // The first difference is exact, since |r| < 2. The second one is kept in two parts.
  double a = fma(j, -HALF_PI_HIGH, x);
  double t = j * HALF_PI_MIDDLE;
  double t_low = fma(j, HALF_PI_LOW, fma(j, HALF_PI_MIDDLE, -t));
  two_part r;
  r.high = a - t;
  double b = r.high - a;
  r.low = ((a - (r.high - b)) - (t + b)) - t_low;
  return r;
}

/// Returns sin(r) - r.high.
static double sine_correction(two_part r) {
  double z = r.high * r.high;
  double p = fma(z, -7.58657658817107246e-13, 1.60585295722678764e-10);
  p = fma(z, p, -2.50521062195218942e-8);
  p = fma(z, p, 2.75573192193019187e-6);
  p = fma(z, p, -1.98412698412650170e-4);
  p = fma(z, p, 8.33333333333333145e-3);
  p = fma(z, p, -0.166666666666666667);
  return fma(z * r.high, p, fma(-0.5 * z, r.low, r.low));
}
/// Returns cos(r) as the sum of two parts.
static two_part cosine_parts(two_part r) {
  double z = r.high * r.high;
  double p = fma(z, 4.74580488976067417e-14, -1.14704597496756064e-11);
  p = fma(z, p, 2.08767557838940384e-9);
  p = fma(z, p, -2.75573192213821156e-7);
  p = fma(z, p, 2.48015873015846198e-5);
  p = fma(z, p, -1.38888888888888779e-3);
  p = fma(z, p, 4.16666666666666667e-2);
  double h = 0.5 * z;
  two_part c;
  c.high = 1.0 - h;
  // The square z is rounded too; z_low is its rounding error.
  double z_low = fma(r.high, r.high, -z);
  c.low = ((1.0 - c.high) - h) + fma(z * z, p, -fma(0.5, z_low, r.high * r.low));
  return c;
}
static double sine_of_quadrant(two_part r, int quadrant) {
  double v;
  if (quadrant & 1) {
    two_part c = cosine_parts(r);
    v = c.high + c.low;
  } else {
    v = r.high + sine_correction(r);
  }
  return quadrant & 2 ? -v : v;
}

double __nv_sin(double x) {
  int q;
  two_part r = reduce(x, &q);
  return x == 0.0 ? x : sine_of_quadrant(r, q);
}
double __nv_cos(double x) {
  int q;
  two_part r = reduce(x, &q);
  return sine_of_quadrant(r, q + 1);
}
void __nv_sincos(double x, double* s, double* c) {
  int q;
  two_part r = reduce(x, &q);
  *s = x == 0.0 ? x : sine_of_quadrant(r, q);
  *c = sine_of_quadrant(r, q + 1);
}
double __nv_tan(double x) {
  int q;
  two_part r = reduce(x, &q);
  two_part c = cosine_parts(r);
  two_part s = {r.high, sine_correction(r)};
  two_part a = q & 1 ? c : s;
  two_part b = q & 1 ? s : c;
  // Divides the sums, with one correction step.
  double d = b.high + b.low;
  double d_low = (b.high - d) + b.low;
  double n = a.high + a.low;
  double n_low = (a.high - n) + a.low;
  double inverse = 1.0 / d;
  double v = n * inverse;
  v = fma(inverse, fma(-v, d, n) + fma(-v, d_low, n_low), v);
  if (q & 1) v = -v;
  return x == 0.0 ? x : v;
}

// Splits pi x = quadrant * pi / 2 + r; all differences are exact.
static two_part reduce_turns(double x, int* quadrant) {
  double y = x - 2.0 * rint(0.5 * x);
  double j = rint(2.0 * y);
  double t = fma(j, -0.5, y);
  *quadrant = (int)j;
  two_part r;
  r.high = t * PI;
  r.low = fma(t, PI, -r.high) + t * PI_LOW;
  return r;
}
// A zero of the sine has the sign of x; a zero of the cosine is positive (IEEE 754-2019, 9.2).
double __nv_sinpi(double x) {
  int q;
  two_part r = reduce_turns(x, &q);
  double v = sine_of_quadrant(r, q);
  return v == 0.0 ? copysign(v, x) : v;
}
double __nv_cospi(double x) {
  int q;
  two_part r = reduce_turns(x, &q);
  return sine_of_quadrant(r, q + 1) + 0.0;
}
void __nv_sincospi(double x, double* s, double* c) {
  *s = __nv_sinpi(x);
  *c = __nv_cospi(x);
}

#undef LARGE
#undef TWO_OVER_PI
#undef HALF_PI_HIGH
#undef HALF_PI_MIDDLE
#undef HALF_PI_LOW
#undef PI
#undef PI_LOW

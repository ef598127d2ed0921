// Bessel functions.
//
// J and Y of integer order, up to 25: Miller's backward recurrence for all J_k, normalised by J_0 + 2 sum J_2k = 1
// (Abramowitz and Stegun, A&S 9.12), and Y_0, Y_1 from the Neumann series of these J_k (A&S 9.1.88). Above 25: Hankel's
// asymptotic expansions (A&S 9.2.5). The absolute error is bounded, as CUDA documents it. I_0 and I_1: the power
// series, whose terms are all positive (A&S 9.6.10), and the asymptotic series (A&S 9.7.1).
#include "common.h"

#define TWO_OVER_PI 0.63661977236758134308
#define EULER_GAMMA 0.57721566490153286061
#define LN_2 0.69314718055994530942
#define SERIES_LIMIT 25.0

typedef struct {
  double j0, j1, y0, y1;
} bessel01;

static bessel01 bessel_miller(double x) {
  bessel01 r;
  // J_m(x) is below 1e-20 for m > 1.5 x + 24.
  int m = 2 * (int)(0.75 * x + 14.0);
  double above = 0.0;
  double here = 1e-300;
  double norm = 0.0;
  double y0 = 0.0;
  double y1 = 0.0;
  double two_over_x = 2.0 / x;
  for (int k = m; k > 0; --k) {
    // `here` is proportional to J_k.
    if ((k & 1) == 0) {
      norm += 2.0 * here;
      double sign = (k & 2) ? -1.0 : 1.0;
      y0 = fma(sign / (0.5 * k), here, y0);
    } else if (k >= 3) {
      double i = (k - 1) / 2;
      double sign = ((k - 1) & 2) ? -1.0 : 1.0;
      y1 = fma(sign * k / (i * (i + 1.0)), here, y1);
    }
    double below = fma(k * two_over_x, here, -above);
    above = here;
    here = below;
    if (fabs(here) > 1e200) {
      here *= 1e-200, above *= 1e-200, norm *= 1e-200, y0 *= 1e-200, y1 *= 1e-200;
    }
  }
  double scale = 1.0 / (norm + here);
  r.j0 = here * scale;
  r.j1 = above * scale;
  double l = log(0.5 * x) + EULER_GAMMA;
  r.y0 = TWO_OVER_PI * (l * r.j0 - 2.0 * y0 * scale);
  r.y1 = TWO_OVER_PI * ((l - 1.0) * r.j1 - 1.0 / x * r.j0 - y1 * scale);
  return r;
}

// Computes P and Q of Hankel's expansion for order n; terms are summed while they decrease.
static void hankel(int n, double x, double* p, double* q) {
  double mu = 4.0 * n * n;
  double term = 1.0;
  double ps = 1.0;
  double qs = 0.0;
  double u = 1.0 / (8.0 * x);
  for (int k = 1; k < 30; ++k) {
    double odd = 2 * k - 1;
    double next = term * (mu - odd * odd) / k * u;
    if (fabs(next) > fabs(term) || fabs(next) < 1e-18) break;
    term = next;
    switch (k & 3) {
      case 1: qs += term; break;
      case 2: ps -= term; break;
      case 3: qs -= term; break;
      default: ps += term; break;
    }
  }
  *p = ps;
  *q = qs;
}
static bessel01 bessel_hankel(double x) {
  bessel01 r;
  double p, q;
  double s, c;
  __nv_sincos(x, &s, &c);
  // cos(x - pi/4) and sin(x - pi/4), each times sqrt(2).
  double c0 = c + s;
  double s0 = s - c;
  double f = 1.0 / sqrt(3.14159265358979323846 * x);
  hankel(0, x, &p, &q);
  r.j0 = f * (p * c0 - q * s0);
  r.y0 = f * (p * s0 + q * c0);
  hankel(1, x, &p, &q);
  // The phase of order 1 lags by another quarter turn: cos becomes s0, sin becomes -c0.
  r.j1 = f * (p * s0 + q * c0);
  r.y1 = f * (q * s0 - p * c0);
  return r;
}
// Zeros of J0, J1, Y0 and Y1 up to about 8, as sums of two doubles, with the function's slope at each zero. Near a
// zero, the result is computed from the distance to the zero, to keep its relative error small.
typedef struct {
  double zero, zero_low, slope;
} bessel_zero;
static __constant bessel_zero kZerosJ0[] = {
    {2.40482555769577289, -1.17669165153089412e-16, -0.519147497289466788},
    {5.52007811028631057, 8.08859714614672231e-17, 0.340264806558368149},
    {8.65372791291101251, -2.92812607320778988e-16, -0.27145229992838192},
};
static __constant bessel_zero kZerosJ1[] = {
    {3.83170597020751247, -1.52691840900880675e-16, -0.402759395702552972},
    {7.01558666981561885, -9.4141656534103891e-17, 0.300115752526132563},
};
static __constant bessel_zero kZerosY0[] = {
    {0.893576966279167495, 2.65962315397203846e-17, 0.879420802497194771},
    {3.95767841931485798, -1.07643406975627058e-16, -0.402542671775024236},
    {7.08605106030177279, -8.83528572308540811e-17, 0.300097614910475186},
};
static __constant bessel_zero kZerosY1[] = {
    {2.19714132603101708, -4.82598358764549658e-17, 0.520786412402267511},
    {5.42968104079413472, 4.16251402667037697e-16, -0.340318045523440558},
    {8.59600586833116864, 2.84158383400636661e-16, 0.271459877311533545},
};
// Evaluates Taylor's series around a zero r of a function of order n, if x is near one of the `count` zeros. The
// coefficients follow from Bessel's equation x^2 y'' + x y' + (x^2 - n^2) y = 0 with x = r + d.
static int is_near_zero(__constant bessel_zero* zeros, int count, int n, double x, double* result) {
  for (int i = 0; i < count; ++i) {
    double r = zeros[i].zero;
    double d = (x - r) - zeros[i].zero_low;
    if (!(fabs(d) < fmin(1.6, 0.4 * r))) continue;
    double a[4] = {0.0, 0.0, 0.0, zeros[i].slope};  // coefficients of d^(k-2) to d^(k+1)
    double power = d;
    double sum = a[3] * d;
    for (int k = 0; k < 48; ++k) {
      double next = r * ((k + 1) * (2 * k + 1)) * a[3] + (k * k - n * n + r * r) * a[2] + 2.0 * r * a[1] + a[0];
      a[0] = a[1], a[1] = a[2], a[2] = a[3];
      a[3] = -next / (r * r * ((k + 2) * (k + 1)));
      power *= d;
      sum = fma(a[3], power, sum);
    }
    *result = sum;
    return 1;
  }
  return 0;
}

static bessel01 bessel(double x) { return x < SERIES_LIMIT ? bessel_miller(x) : bessel_hankel(x); }

double __nv_j0(double x) {
  double a = fabs(x);
  if (x != x) return x;
  if (a == INFINITY) return 0.0;
  double near;
  if (is_near_zero(kZerosJ0, 3, 0, a, &near)) return near;
  return a < 1e-8 ? 1.0 : bessel(a).j0;
}
double __nv_j1(double x) {
  double a = fabs(x);
  if (x != x) return x;
  if (a == INFINITY) return copysign(0.0, x);
  double near;
  if (is_near_zero(kZerosJ1, 2, 1, a, &near)) return x < 0.0 ? -near : near;
  return a < 1e-8 ? 0.5 * x : copysign(1.0, x) * bessel(a).j1;
}
double __nv_y0(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -INFINITY : NAN;
  if (x == INFINITY) return 0.0;
  double near;
  if (is_near_zero(kZerosY0, 3, 0, x, &near)) return near;
  return x < 1e-8 ? TWO_OVER_PI * (log(x) + (EULER_GAMMA - LN_2)) : bessel(x).y0;
}
double __nv_y1(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -INFINITY : NAN;
  if (x == INFINITY) return 0.0;
  double near;
  if (is_near_zero(kZerosY1, 3, 1, x, &near)) return near;
  return x < 1e-10 ? -TWO_OVER_PI / x : bessel(x).y1;
}
double __nv_jn(int n, double x) {
  if (n < 0) return NAN;
  if (n == 0) return __nv_j0(x);
  if (n == 1) return __nv_j1(x);
  if (x != x) return x;
  double a = fabs(x);
  double sign = x < 0.0 && (n & 1) ? -1.0 : 1.0;
  if (a == 0.0 || a == INFINITY) return sign * 0.0;
  if (a < 1e-8) {
    // First term of the power series.
    double v = sign;
    for (int k = 1; k <= n && v != 0.0; ++k) v *= 0.5 * a / k;
    return v;
  }
  if ((double)n < a) {
    // Below the turning point, the upward recurrence is stable.
    bessel01 b = bessel(a);
    double low = b.j0;
    double here = b.j1;
    for (int k = 1; k < n; ++k) {
      double next = 2.0 * k / a * here - low;
      low = here;
      here = next;
    }
    return sign * here;
  }
  // Downward recurrence from an order whose J is negligible compared with J_n, normalised as in bessel_miller.
  int m = n + 20 + (int)(2.0 * sqrt(10.0 * n));
  m += m & 1;
  double above = 0.0;
  double here = 1e-300;
  double norm = 0.0;
  double result = 0.0;
  for (int k = m; k > 0; --k) {
    if (k == n) result = here;
    if ((k & 1) == 0) norm += 2.0 * here;
    double below = 2.0 * k / a * here - above;
    above = here;
    here = below;
    if (fabs(here) > 1e200) here *= 1e-200, above *= 1e-200, norm *= 1e-200, result *= 1e-200;
  }
  return sign * (result / (norm + here));
}
double __nv_yn(int n, double x) {
  if (n < 0) return NAN;
  if (n == 0) return __nv_y0(x);
  if (n == 1) return __nv_y1(x);
  if (!(x > 0.0)) return x == 0.0 ? -INFINITY : NAN;
  if (x == INFINITY) return 0.0;
  double low = __nv_y0(x);
  double here = __nv_y1(x);
  for (int k = 1; k < n; ++k) {
    double next = 2.0 * k / x * here - low;
    low = here;
    here = next;
    if (here == -INFINITY) break;
  }
  return here;
}

static double bessel_i(int n, double x) {
  double a = fabs(x);
  if (a < 30.0) {
    // Terms in double-double arithmetic: the k-th term is a product of k factors, so plain rounding errors would
    // accumulate.
    double h = 0.5 * a;
    double q = h * h;
    double q_low = fma(h, h, -q);
    double term = 1.0;
    double term_low = 0.0;
    double sum = 1.0;
    double sum_low = 0.0;
    for (int k = 1; k < 80 && term > 1e-18 * sum; ++k) {
      double d = (double)k * (k + n);
      double p = term * q;
      double p_low = fma(term, q, -p) + (term * q_low + term_low * q);
      double t = p / d;
      term_low = (fma(-t, d, p) + p_low) / d;
      term = t;
      double s = sum + t;
      double v = s - sum;
      sum_low += ((sum - (s - v)) + (t - v)) + term_low;
      sum = s;
    }
    sum += sum_low;
    return n == 0 ? sum : 0.5 * x * sum;
  }
  if (a > 720.0) return n != 0 ? copysign((double)INFINITY, x) : (double)INFINITY;
  double mu = 4.0 * n * n;
  double term = 1.0;
  double sum = 0.0;  // sum of all terms except the first, which is 1
  for (int k = 1; k < 40; ++k) {
    double odd = 2 * k - 1;
    double next = -term * (mu - odd * odd) / (8.0 * k * a);
    if (fabs(next) > fabs(term) || fabs(next) < 1e-18) break;
    term = next;
    sum += term;
  }
  double scaled = (1.0 + sum) / sqrt(6.28318530717958647693 * a);
  // exp overflows before I does; exp is then applied to half the argument twice, with twice the error.
  double e = exp(a < 700.0 ? a : 0.5 * a);
  double r = a < 700.0 ? e * scaled : e * scaled * e;
  return n != 0 && x < 0.0 ? -r : r;
}
double __nv_cyl_bessel_i0(double x) { return bessel_i(0, x); }
double __nv_cyl_bessel_i1(double x) { return bessel_i(1, x); }

float __nv_j0f(float x) { return (float)__nv_j0((double)x); }
float __nv_j1f(float x) { return (float)__nv_j1((double)x); }
float __nv_jnf(int n, float x) { return (float)__nv_jn(n, (double)x); }
float __nv_y0f(float x) { return (float)__nv_y0((double)x); }
float __nv_y1f(float x) { return (float)__nv_y1((double)x); }
float __nv_ynf(int n, float x) { return (float)__nv_yn(n, (double)x); }
float __nv_cyl_bessel_i0f(float x) { return (float)bessel_i(0, (double)x); }
float __nv_cyl_bessel_i1f(float x) { return (float)bessel_i(1, (double)x); }

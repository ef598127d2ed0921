// Single-precision exponentials, logarithms, sine and cosine, short enough for a GPU; libclc's versions use divisions
// and table look-ups. Errors are within CUDA's documented bounds. The coefficients are Chebyshev fits computed for this
// library.
#include "common.h"

#define LOG2_E_F 1.44269502f
#define LOG2_E_LOW_F 1.92596303e-8f

// Returns v 2^t for an integer t from -300 to 300, in two steps, so that neither factor overflows.
static INLINE float times_power(float v, float t) {
  int i = (int)t;
  int h = i >> 1;
  return v * as_float((h + 127) << 23) * as_float((i - h + 127) << 23);
}

INLINE float __nv_exp2f(float x) { return __nvvm_ex2_approx_f(x); }

// Computes exp(x) = 2^t exp(r) with t = rint(x log2 e) and |r| <= ln(2) / 2, by the hardware's exponential.
float __nv_expf(float x) {
  float y = __builtin_fmaxf(__builtin_fminf(x, 89.0f), -104.5f);
  float t = __builtin_rintf(y * LOG2_E_F);
  float r = __nvvm_fma_rn_f(t, -0.693145752f, y);
  r = __nvvm_fma_rn_f(t, -1.42860677e-6f, r);
  float v = times_power(__nvvm_ex2_approx_f(r * LOG2_E_F), t);
  return x != x ? x : v;
}
float __nv_exp10f(float x) {
  float y = __builtin_fmaxf(__builtin_fminf(x, 39.0f), -46.0f);
  float t = __builtin_rintf(y * 3.32192802f);
  // x log2(10) - t, with the product as a sum of two parts.
  float f = __nvvm_fma_rn_f(y, 3.32192802f, -t);
  f = __nvvm_fma_rn_f(y, 7.05953696e-8f, f);
  float v = times_power(__nvvm_ex2_approx_f(f), t);
  return x != x ? x : v;
}

// Splits x = 2^e m with m in [2/3, 4/3). Sets f = m - 1 and returns log(1 + f) - f.
static INLINE float log_parts(float x, float* e, float* f) {
  float bias = 0.0f;
  if (x < 0x1p-126f) {
    x *= 0x1p23f;
    bias = -23.0f;
  }
  int i = as_int(x);
  int d = (i - 0x3f2aaaab) & 0xff800000;
  *e = bias + (float)(d >> 23);
  float g = as_float(i - d) - 1.0f;
  *f = g;
  float p = 0.1133061739f;
  p = __nvvm_fma_rn_f(p, g, -0.1242220058f);
  p = __nvvm_fma_rn_f(p, g, 0.1091565479f);
  p = __nvvm_fma_rn_f(p, g, -0.1228872161f);
  p = __nvvm_fma_rn_f(p, g, 0.1429186718f);
  p = __nvvm_fma_rn_f(p, g, -0.1667331625f);
  p = __nvvm_fma_rn_f(p, g, 0.1999994835f);
  p = __nvvm_fma_rn_f(p, g, -0.2499994419f);
  p = __nvvm_fma_rn_f(p, g, 0.3333333333f);
  return (g * g) * __nvvm_fma_rn_f(g, p, -0.5f);
}
// Returns the logarithm of special values: zero, negative numbers, infinity, NaN; other values return `v`.
static INLINE float log_special(float x, float v) {
  v = x < 0.0f ? as_float(0x7fffffff) : v;
  v = x == 0.0f ? -INFINITY : v;
  return x < INFINITY ? v : x + x;
}
float __nv_logf(float x) {
  float e, f;
  float t = log_parts(x, &e, &f);
  return log_special(x, __nvvm_fma_rn_f(e, 0.693147182f, f + t));
}
// Computes (f + t) L + e, with L = log2 e. The product f L and its sum with e are kept in two parts, since near 1 the
// result is smaller than both.
float __nv_log2f(float x) {
  float e, f;
  float t = log_parts(x, &e, &f);
  float h = f * LOG2_E_F;
  float l = __nvvm_fma_rn_f(f, LOG2_E_F, -h) + __nvvm_fma_rn_f(f, LOG2_E_LOW_F, t * LOG2_E_F);
  float v = e + h;
  l += (e - v) + h;
  return log_special(x, v + l);
}
float __nv_log10f(float x) {
  float e, f;
  float t = log_parts(x, &e, &f);
  float h = f * 0.434294492f;
  float l = __nvvm_fma_rn_f(f, 0.434294492f, -h) + __nvvm_fma_rn_f(f, -1.01030500e-8f, t * 0.434294492f);
  float g = e * 0.301029995f;
  float v = g + h;
  l += ((g - v) + h) + __nvvm_fma_rn_f(e, 0.301029995f, -g);
  l = __nvvm_fma_rn_f(e, 1.54813335e-8f, l);
  return log_special(x, v + l);
}

#define TRIG_LIMIT 105615.0f

// Returns x - quadrant * pi / 2, by three parts of pi / 2; the first difference is exact up to TRIG_LIMIT.
static INLINE float reduce_quarter(float x, int* quadrant) {
  float j = __builtin_rintf(x * 0.636619772f);
  *quadrant = (int)j;
  float r = __nvvm_fma_rn_f(j, -1.57079637f, x);
  r = __nvvm_fma_rn_f(j, 4.37113883e-8f, r);
  return __nvvm_fma_rn_f(j, 1.71512451e-15f, r);
}
// Returns sin(r + quadrant * pi / 2): sine or cosine of r, with a sign. One polynomial serves both; the quadrant
// selects its coefficients.
static INLINE float sine_of_quarter(float r, int quadrant) {
  int odd = quadrant & 1;
  float z = r * r;
  float p = odd ? 2.45454191e-5f : -1.95853732e-4f;
  p = __nvvm_fma_rn_f(p, z, odd ? -1.38882913e-3f : 8.33273656e-3f);
  p = __nvvm_fma_rn_f(p, z, odd ? 4.16666646e-2f : -1.66666646e-1f);
  float base = odd ? __nvvm_fma_rn_f(-0.5f, z, 1.0f) : r;
  float v = __nvvm_fma_rn_f(p, z * (odd ? z : r), base);
  return quadrant & 2 ? -v : v;
}
float __nv_sinf(float x) {
  if (!(__builtin_fabsf(x) <= TRIG_LIMIT)) return (float)__nv_sin((double)x);
  int q;
  float r = reduce_quarter(x, &q);
  return x == 0.0f ? x : sine_of_quarter(r, q);
}
float __nv_cosf(float x) {
  if (!(__builtin_fabsf(x) <= TRIG_LIMIT)) return (float)__nv_cos((double)x);
  int q;
  float r = reduce_quarter(x, &q);
  return sine_of_quarter(r, q + 1);
}
void __nv_sincosf(float x, float* s, float* c) {
  if (!(__builtin_fabsf(x) <= TRIG_LIMIT)) {
    double wide_s, wide_c;
    __nv_sincos((double)x, &wide_s, &wide_c);
    *s = (float)wide_s;
    *c = (float)wide_c;
    return;
  }
  int q;
  float r = reduce_quarter(x, &q);
  *s = x == 0.0f ? x : sine_of_quarter(r, q);
  *c = sine_of_quarter(r, q + 1);
}

// Splits pi x = quadrant * pi / 2 + r; all differences are exact. Zeros have the same signs as in double precision.
static INLINE float reduce_turns_f(float x, int* quadrant) {
  float y = __nvvm_fma_rn_f(-2.0f, __builtin_rintf(0.5f * x), x);
  float j = __builtin_rintf(2.0f * y);
  float t = __nvvm_fma_rn_f(j, -0.5f, y);
  *quadrant = (int)j;
  return __nvvm_fma_rn_f(t, 3.14159274f, t * -8.74227766e-8f);
}
static INLINE float with_sign_if_zero(float v, float x) { return v == 0.0f ? __builtin_copysignf(v, x) : v; }
float __nv_sinpif(float x) {
  int q;
  float r = reduce_turns_f(x, &q);
  return with_sign_if_zero(sine_of_quarter(r, q), x);
}
float __nv_cospif(float x) {
  int q;
  float r = reduce_turns_f(x, &q);
  return sine_of_quarter(r, q + 1) + 0.0f;
}
void __nv_sincospif(float x, float* s, float* c) {
  int q;
  float r = reduce_turns_f(x, &q);
  *s = with_sign_if_zero(sine_of_quarter(r, q), x);
  *c = sine_of_quarter(r, q + 1) + 0.0f;
}

#undef LOG2_E_F
#undef LOG2_E_LOW_F
#undef TRIG_LIMIT

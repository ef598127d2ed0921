// Kernels of opencl_maths.cu: each function of its table for one argument each, and through vectors.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SCALAR(type, prefix, name)                                                        \
  __kernel void prefix##name(__global const type* x, __global type* out, int n) {         \
    int i = get_global_id(0);                                                             \
    if (i < n) out[i] = name(x[i]);                                                       \
  }
// The same by 16, 8, 4, 3, 2 and 1 in turn: 34 values each work-item.
#define VECTOR(type, prefix, name)                                                        \
  __kernel void prefix##name##_v(__global const type* x, __global type* out, int n) {     \
    int i = get_global_id(0) * 34;                                                        \
    if (i + 34 > n) return;                                                               \
    vstore16(name(vload16(0, x + i)), 0, out + i);                                        \
    vstore8(name(vload8(0, x + i + 16)), 0, out + i + 16);                                \
    vstore4(name(vload4(0, x + i + 24)), 0, out + i + 24);                                \
    vstore3(name(vload3(0, x + i + 28)), 0, out + i + 28);                                \
    vstore2(name(vload2(0, x + i + 31)), 0, out + i + 31);                                \
    out[i + 33] = name(x[i + 33]);                                                        \
  }
#define BOTH(type, prefix, name) SCALAR(type, prefix, name) VECTOR(type, prefix, name)
#define EVERY(name) BOTH(float, f_, name) BOTH(double, d_, name)

#define SINCOS(type)                                                                                    \
  __attribute__((overloadable)) type sine(type x) { type c; return sincos(x, &c); }                     \
  __attribute__((overloadable)) type cosine(type x) { type c; sincos(x, &c); return c; }
SINCOS(float)
SINCOS(double)
float sign_of_gamma(float x) { int sign; lgamma_r(x, &sign); return sign; }

EVERY(acos) EVERY(acosh) EVERY(acospi) EVERY(asin) EVERY(asinh) EVERY(asinpi) EVERY(atan) EVERY(atanh) EVERY(atanpi)
EVERY(cbrt) EVERY(cos) EVERY(cosh) EVERY(cospi) EVERY(erf) EVERY(erfc) EVERY(exp) EVERY(exp2) EVERY(exp10) EVERY(expm1)
EVERY(lgamma) EVERY(log) EVERY(log2) EVERY(log10) EVERY(log1p) EVERY(rsqrt) EVERY(sin) EVERY(sinh) EVERY(sinpi)
EVERY(sqrt) EVERY(tan) EVERY(tanh) EVERY(tanpi) EVERY(tgamma)
SCALAR(float, f_, sine) SCALAR(float, f_, cosine) SCALAR(float, f_, sign_of_gamma)
SCALAR(double, d_, sine) SCALAR(double, d_, cosine)

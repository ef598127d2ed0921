// Every maths function of a kind in one kernel: single and double precision, rounded and fast intrinsics.
#include <cmath>

__global__ void single_maths(float* a, int* q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], y = a[i + n];
  float s, c;
  float r = sinf(x) + cosf(x) + tanf(x) + asinf(x) + acosf(x) + atanf(x) + atan2f(x, y);
  r += sinhf(x) + coshf(x) + tanhf(x) + asinhf(x) + acoshf(x) + atanhf(x);
  r += expf(x) + exp2f(x) + exp10f(x) + expm1f(x) + logf(x) + log2f(x) + log10f(x) + log1pf(x);
  r += powf(x, y) + sqrtf(x) + rsqrtf(x) + cbrtf(x) + rcbrtf(x) + hypotf(x, y) + norm3df(x, y, r);
  r += erff(x) + erfcf(x) + erfinvf(x) + erfcxf(x) + lgammaf(x) + tgammaf(x) + normcdff(x) + j0f(x) + y1f(x);
  r += floorf(x) + ceilf(x) + truncf(x) + rintf(x) + roundf(x) + fmodf(x, y) + remainderf(x, y) + fdimf(x, y);
  r += fminf(x, y) + fmaxf(x, y) + copysignf(x, y) + fabsf(x) + nextafterf(x, y) + ldexpf(x, 3) + fmaf(x, y, r);
  sincosf(x, &s, &c);
  r += s * c + frexpf(x, q + i) + logbf(x) + modff(x, a + i);
  r += __sinf(x) + __cosf(y) + __expf(x) + __logf(x) + __powf(x, y) + __fdividef(x, y) + __saturatef(x);
  r += __fadd_rz(x, y) + __fmul_ru(x, y) + __fdiv_rd(x, y) + __frcp_rn(x) + __fsqrt_rz(x) + __fmaf_rd(x, y, r);
  r += __int2float_rz(i) + __float2int_rn(x) + __float2uint_ru(y) + __float2ll_rd(x) + __double2float_rd(double(x));
  r += std::sin(x) + std::max(x, y) + std::pow(x, 2) + max(x, y) + min(i, 3);
  q[i] += isnan(x) + isinf(y) + signbit(x) + ilogbf(x) + lroundf(x);
  a[i] = r;
}

__global__ void double_maths(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i], y = a[i + n], s, c;
  double r = sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan2(x, y) + sinh(x) + tanh(x) + exp(x) + log(x);
  r += pow(x, y) + sqrt(x) + rsqrt(x) + cbrt(x) + hypot(x, y) + erf(x) + erfc(x) + tgamma(x) + lgamma(x);
  r += floor(x) + round(x) + fmod(x, y) + fma(x, y, r) + __dadd_ru(x, y) + __ddiv_rz(x, y) + __dsqrt_rd(x);
  sincos(x, &s, &c);
  a[i] = r + s + c + normcdfinv(x) + cyl_bessel_i0(x) + erfcinv(x) + jn(3, x) + __hiloint2double(i, n);
}

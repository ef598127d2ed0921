// Rounded arithmetic, conversions and bit casts: one PTX instruction each.
//
// PTX modes: rn nearest even, rz towards zero, rm (CUDA's rd) down, rp (CUDA's ru) up.
#include "common.h"

#define ROUNDED(op)       \
  op(rn, rn) op(rz, rz) op(rd, rm) op(ru, rp)

#define BINARY(cuda, ptx)                                                                                \
  INLINE float __nv_fadd_##cuda(float a, float b) { return __nvvm_add_##ptx##_f(a, b); }                 \
  INLINE float __nv_fsub_##cuda(float a, float b) { return __nvvm_add_##ptx##_f(a, -b); }                \
  INLINE float __nv_fmul_##cuda(float a, float b) { return __nvvm_mul_##ptx##_f(a, b); }                 \
  INLINE float __nv_fdiv_##cuda(float a, float b) { return __nvvm_div_##ptx##_f(a, b); }                 \
  INLINE float __nv_frcp_##cuda(float a) { return __nvvm_rcp_##ptx##_f(a); }                             \
  INLINE float __nv_fsqrt_##cuda(float a) { return __nvvm_sqrt_##ptx##_f(a); }                           \
  INLINE float __nv_fmaf_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); }     \
  INLINE float __nv_fmaf_ieee_##cuda(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
  INLINE double __nv_dadd_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, b); }              \
  INLINE double __nv_dsub_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, -b); }             \
  INLINE double __nv_dmul_##cuda(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); }              \
  INLINE double __nv_ddiv_##cuda(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }              \
  INLINE double __nv_drcp_##cuda(double a) { return __nvvm_rcp_##ptx##_d(a); }                           \
  INLINE double __nv_dsqrt_##cuda(double a) { return __nvvm_sqrt_##ptx##_d(a); }                         \
  INLINE double __nv_fma_##cuda(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }
ROUNDED(BINARY)

// Inline PTX instead of clang's builtins. The builtins for 64-bit integers have the type long long, which has 128 bits
// in OpenCL C. LLVM treats the rz builtins as C conversions, which round to nearest and leave out-of-range values
// undefined.
#define CONVERT(name, to, from, ptx, out, in) \
  INLINE to name(from a) {                     \
    to r;                                      \
    __asm__(ptx " %0, %1;" : out(r) : in(a));  \
    return r;                                  \
  }
#define CONVERSIONS(cuda, ptx)                                                                         \
  CONVERT(__nv_double2float_##cuda, float, double, "cvt." #ptx ".f32.f64", "=f", "d")                 \
  CONVERT(__nv_double2int_##cuda, int, double, "cvt." #ptx "i.s32.f64", "=r", "d")                    \
  CONVERT(__nv_double2uint_##cuda, uint, double, "cvt." #ptx "i.u32.f64", "=r", "d")                  \
  CONVERT(__nv_float2int_##cuda, int, float, "cvt." #ptx "i.s32.f32", "=r", "f")                      \
  CONVERT(__nv_float2uint_##cuda, uint, float, "cvt." #ptx "i.u32.f32", "=r", "f")                    \
  CONVERT(__nv_int2float_##cuda, float, int, "cvt." #ptx ".f32.s32", "=f", "r")                       \
  CONVERT(__nv_uint2float_##cuda, float, uint, "cvt." #ptx ".f32.u32", "=f", "r")                     \
  CONVERT(__nv_double2ll_##cuda, long, double, "cvt." #ptx "i.s64.f64", "=l", "d")                    \
  CONVERT(__nv_double2ull_##cuda, ulong, double, "cvt." #ptx "i.u64.f64", "=l", "d")                  \
  CONVERT(__nv_float2ll_##cuda, long, float, "cvt." #ptx "i.s64.f32", "=l", "f")                      \
  CONVERT(__nv_float2ull_##cuda, ulong, float, "cvt." #ptx "i.u64.f32", "=l", "f")                    \
  CONVERT(__nv_ll2float_##cuda, float, long, "cvt." #ptx ".f32.s64", "=f", "l")                       \
  CONVERT(__nv_ull2float_##cuda, float, ulong, "cvt." #ptx ".f32.u64", "=f", "l")                     \
  CONVERT(__nv_ll2double_##cuda, double, long, "cvt." #ptx ".f64.s64", "=d", "l")                     \
  CONVERT(__nv_ull2double_##cuda, double, ulong, "cvt." #ptx ".f64.u64", "=d", "l")
ROUNDED(CONVERSIONS)

INLINE double __nv_int2double_rn(int a) { return __nvvm_i2d_rn(a); }
INLINE double __nv_uint2double_rn(uint a) { return __nvvm_ui2d_rn(a); }
INLINE ushort __nv_float2half_rn(float a) { return __nvvm_f2h_rn(a); }
INLINE float __nv_half2float(ushort h) {
  float r;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
  return r;
}
/// Returns the reciprocal of the upper word of a double, as a start value for iterations.
INLINE double __nv_rcp64h(double a) {
  double r;
  __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
  return r;
}

INLINE int __nv_float_as_int(float a) { return as_int(a); }
INLINE uint __nv_float_as_uint(float a) { return as_uint(a); }
INLINE float __nv_int_as_float(int a) { return as_float(a); }
INLINE float __nv_uint_as_float(uint a) { return as_float(a); }
INLINE ulong __nv_double_as_longlong(double a) { return as_ulong(a); }
INLINE double __nv_longlong_as_double(long a) { return as_double(a); }
INLINE int __nv_double2hiint(double a) { return (int)(as_ulong(a) >> 32); }
INLINE int __nv_double2loint(double a) { return (int)as_ulong(a); }
INLINE double __nv_hiloint2double(int hi, int lo) { return as_double(((ulong)(uint)hi << 32) | (uint)lo); }

INLINE float __nv_fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
INLINE double __nv_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
INLINE float __nv_sqrtf(float a) { return __builtin_sqrtf(a); }
INLINE double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
INLINE float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
/// Returns the reciprocal square root, computed in double precision and rounded once.
INLINE float __nv_frsqrt_rn(float a) {
  return (float)(1.0 / __nvvm_sqrt_rn_d((double)a));
}
INLINE float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
INLINE float __nv_fabsf(float a) { return __builtin_fabsf(a); }
INLINE double __nv_fabs(double a) { return __builtin_fabs(a); }
INLINE float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
INLINE double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
INLINE float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
INLINE double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
INLINE float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
INLINE double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
INLINE float __nv_floorf(float a) { return __builtin_floorf(a); }
INLINE double __nv_floor(double a) { return __builtin_floor(a); }
INLINE float __nv_ceilf(float a) { return __builtin_ceilf(a); }
INLINE double __nv_ceil(double a) { return __builtin_ceil(a); }
INLINE float __nv_truncf(float a) { return __builtin_truncf(a); }
INLINE double __nv_trunc(double a) { return __builtin_trunc(a); }
INLINE float __nv_rintf(float a) { return __builtin_rintf(a); }
INLINE double __nv_rint(double a) { return __builtin_rint(a); }
INLINE float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
INLINE double __nv_nearbyint(double a) { return __builtin_rint(a); }
INLINE long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
INLINE long __nv_llrint(double a) { return __nv_double2ll_rn(a); }

// Rounds half away from zero: truncates the magnitude, and adds 1 if at least a half was cut off.
float __nv_roundf(float a) {
  float t = __builtin_truncf(a);
  float step = __builtin_fabsf(a - t) >= 0.5f ? 1.0f : 0.0f;
  return t + __builtin_copysignf(step, a);
}
double __nv_round(double a) {
  double t = __builtin_trunc(a);
  double step = __builtin_fabs(a - t) >= 0.5 ? 1.0 : 0.0;
  return t + __builtin_copysign(step, a);
}
long __nv_llroundf(float a) { return __nv_float2ll_rz(__nv_roundf(a)); }
long __nv_llround(double a) { return __nv_double2ll_rz(__nv_round(a)); }

INLINE int __nv_isfinited(double a) { return (as_ulong(a) & ABS_MASK_D) < 0x7ff0000000000000UL; }
INLINE int __nv_isinfd(double a) { return (as_ulong(a) & ABS_MASK_D) == 0x7ff0000000000000UL; }
INLINE int __nv_isnand(double a) { return a != a; }
INLINE int __nv_finitef(float a) { return (as_uint(a) & ABS_MASK_F) < 0x7f800000u; }
INLINE int __nv_isinff(float a) { return (as_uint(a) & ABS_MASK_F) == 0x7f800000u; }
INLINE int __nv_isnanf(float a) { return a != a; }
INLINE int __nv_signbitd(double a) { return (int)(as_ulong(a) >> 63); }
INLINE int __nv_signbitf(float a) { return (int)(as_uint(a) >> 31); }
INLINE double __nv_nan(const char* tag) { return as_double(0x7ff8000000000000UL); }
INLINE float __nv_nanf(const char* tag) { return as_float(0x7fffffffu); }

#undef ROUNDED
#undef BINARY
#undef CONVERSIONS
#undef CONVERT

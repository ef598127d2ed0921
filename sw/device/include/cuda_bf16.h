// The bfloat16 type: conversions on both sides; arithmetic through single precision, rounded once per operation.
#pragma once
#define __CUDA_BF16_H__

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"

#define CASTOR_HD static inline __host__ __device__

struct __nv_bfloat16_raw {
  unsigned short x;
};

CASTOR_HD unsigned short castor_to_bfloat(float f) {
  unsigned int u;
  memcpy(&u, &f, sizeof(u));
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  // Nearest even: add just under a half, and one more if the last kept bit is odd.
  return static_cast<unsigned short>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
CASTOR_HD float castor_from_bfloat(unsigned short h) {
  unsigned int u = static_cast<unsigned int>(h) << 16;
  float f;
  memcpy(&f, &u, sizeof(f));
  return f;
}

/// The upper half of a binary32 value.
struct __align__(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw& r) : __x(r.x) {}
  __host__ __device__ __nv_bfloat16(float f) : __x(castor_to_bfloat(f)) {}
  __host__ __device__ __nv_bfloat16(double f) : __x(castor_to_bfloat(static_cast<float>(f))) {}
  __host__ __device__ __nv_bfloat16(int v) : __x(castor_to_bfloat(static_cast<float>(v))) {}
  __host__ __device__ operator float() const { return castor_from_bfloat(__x); }
  __host__ __device__ __nv_bfloat16& operator=(float f) {
    __x = castor_to_bfloat(f);
    return *this;
  }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x;
  __nv_bfloat16 y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

CASTOR_HD __nv_bfloat16 castor_bfloat_of_bits(unsigned short bits) {
  __nv_bfloat16_raw r = {bits};
  return __nv_bfloat16(r);
}
CASTOR_HD __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
CASTOR_HD __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
CASTOR_HD __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
CASTOR_HD float __bfloat162float(__nv_bfloat16 h) { return castor_from_bfloat(h.__x); }
CASTOR_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
CASTOR_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return castor_bfloat_of_bits(v); }
CASTOR_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
CASTOR_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
CASTOR_HD __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162(f, f); }
CASTOR_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
CASTOR_HD __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __nv_bfloat162(f.x, f.y); }
CASTOR_HD float2 __bfloat1622float2(__nv_bfloat162 h) {
  return make_float2(__bfloat162float(h.x), __bfloat162float(h.y));
}
CASTOR_HD float __low2float(__nv_bfloat162 h) { return __bfloat162float(h.x); }
CASTOR_HD float __high2float(__nv_bfloat162 h) { return __bfloat162float(h.y); }
CASTOR_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
CASTOR_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
CASTOR_HD bool __hisnan(__nv_bfloat16 h) { return (h.__x & 0x7fffu) > 0x7f80u; }
CASTOR_HD __nv_bfloat16 __hneg(__nv_bfloat16 h) { return castor_bfloat_of_bits(h.__x ^ 0x8000u); }
CASTOR_HD __nv_bfloat16 __habs(__nv_bfloat16 h) { return castor_bfloat_of_bits(h.__x & 0x7fffu); }

// Sums and products of two bfloat16 values in single precision round to the same bfloat16 as the exact result, since 24
// bits are more than 2 * 8 + 2.
#define CASTOR_BF_OP(name, op)                                                                                      \
  CASTOR_HD __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                             \
    return __nv_bfloat16(__bfloat162float(a) op __bfloat162float(b));                                               \
  }                                                                                                                 \
  CASTOR_HD __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                       \
    return __nv_bfloat162(__h##name(a.x, b.x), __h##name(a.y, b.y));                                                \
  }                                                                                                                 \
  CASTOR_HD __nv_bfloat16 operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __h##name(a, b); }   \
  CASTOR_HD __nv_bfloat16& operator op##=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = __h##name(a, b); } \
  CASTOR_HD __nv_bfloat162 operator op(const __nv_bfloat162& a, const __nv_bfloat162& b) { return __h##name##2(a, b); }
CASTOR_BF_OP(add, +)
CASTOR_BF_OP(sub, -)
CASTOR_BF_OP(mul, *)
CASTOR_BF_OP(div, /)
#undef CASTOR_BF_OP
CASTOR_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}
CASTOR_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#define CASTOR_BF_CMP(name, op)                                                                                     \
  CASTOR_HD bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) op __bfloat162float(b); } \
  CASTOR_HD bool operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __h##name(a, b); }
CASTOR_BF_CMP(eq, ==)
CASTOR_BF_CMP(ne, !=)
CASTOR_BF_CMP(lt, <)
CASTOR_BF_CMP(le, <=)
CASTOR_BF_CMP(gt, >)
CASTOR_BF_CMP(ge, >=)
#undef CASTOR_BF_CMP
CASTOR_HD __nv_bfloat16 operator-(const __nv_bfloat16& a) { return __hneg(a); }
CASTOR_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fmaxf(__bfloat162float(a), __bfloat162float(b)));
}
CASTOR_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fminf(__bfloat162float(a), __bfloat162float(b)));
}

#undef CASTOR_HD

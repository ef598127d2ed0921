// Half precision: __half and __half2, conversions on both sides, arithmetic and comparison on the device.
//
// Arithmetic is PTX f16 and f16x2 instructions; elementary functions go through single precision, which is more
// accurate than CUDA documents. On the host only conversions, comparisons through float and the constructors are
// available.
#pragma once
#define __CUDA_FP16_H__

#include <string.h>

#include "cuda_runtime.h"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)

#define CASTOR_HD static inline __host__ __device__
#if defined(__CUDA__) && defined(__clang__)
#define CASTOR_D static __device__ __forceinline__
#endif

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x;
  unsigned short y;
};

// Host side of the conversions: round to nearest even in integers.
static inline unsigned short castor_float_to_half_bits(float f) {
  unsigned int u;
  memcpy(&u, &f, sizeof(u));
  unsigned int sign = (u >> 16) & 0x8000u;
  unsigned int m = u & 0x7fffffffu;
  if (m > 0x7f800000u) return 0x7fffu;
  if (m >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);
  unsigned int value;
  unsigned int rest;
  unsigned int half_ulp;
  if (m >= 0x38800000u) {
    value = (m - 0x38000000u) >> 13;
    rest = m & 0x1fffu;
    half_ulp = 0x1000u;
  } else {
    unsigned int exponent = m >> 23;
    if (exponent < 102u) return static_cast<unsigned short>(sign);
    unsigned int shift = 126u - exponent;
    unsigned int mantissa = (m & 0x7fffffu) | 0x800000u;
    value = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1u);
    half_ulp = 1u << (shift - 1u);
  }
  if (rest > half_ulp || (rest == half_ulp && (value & 1u))) ++value;
  return static_cast<unsigned short>(sign | value);
}
static inline float castor_half_bits_to_float(unsigned short h) {
  unsigned int sign = (static_cast<unsigned int>(h) & 0x8000u) << 16;
  unsigned int exponent = (h >> 10) & 0x1fu;
  unsigned int mantissa = h & 0x3ffu;
  unsigned int u;
  if (exponent == 31u) {
    u = sign | 0x7f800000u | (mantissa << 13);
  } else if (exponent != 0u) {
    u = sign | ((exponent + 112u) << 23) | (mantissa << 13);
  } else {
    float tiny = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    memcpy(&u, &tiny, sizeof(u));
    u |= sign;
  }
  float f;
  memcpy(&f, &u, sizeof(f));
  return f;
}

CASTOR_HD unsigned short castor_to_half(float f) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  return castor_float_to_half_bits(f);
#endif
}
CASTOR_HD float castor_from_half(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  return castor_half_bits_to_float(h);
#endif
}

/// An IEEE 754 binary16 value.
struct __align__(2) __half {
  unsigned short __x;

  __half() = default;
  __host__ __device__ constexpr __half(const __half_raw& r) : __x(r.x) {}
  __host__ __device__ __half(float f) : __x(castor_to_half(f)) {}
  __host__ __device__ __half(double f) : __x(castor_to_half(static_cast<float>(f))) {}
  __host__ __device__ __half(int v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ __half(unsigned int v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ __half(short v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ __half(unsigned short v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ __half(long long v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ __half(unsigned long long v) : __x(castor_to_half(static_cast<float>(v))) {}
  __host__ __device__ operator float() const { return castor_from_half(__x); }
  __host__ __device__ operator __half_raw() const {
    __half_raw r = {__x};
    return r;
  }
  __host__ __device__ __half& operator=(float f) {
    __x = castor_to_half(f);
    return *this;
  }
  __host__ __device__ __half& operator=(double f) { return *this = static_cast<float>(f); }
  __host__ __device__ __half& operator=(int v) { return *this = static_cast<float>(v); }
  __host__ __device__ explicit operator bool() const { return (__x & 0x7fffu) != 0; }
};
typedef __half half;
typedef __half nv_half;

/// Two half values in one 32-bit word, x in the lower half.
struct __align__(4) __half2 {
  __half x;
  __half y;

  __half2() = default;
  __host__ __device__ __half2(const __half& a, const __half& b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 nv_half2;

CASTOR_HD __half castor_half_of_bits(unsigned short bits) {
  __half_raw r = {bits};
  return __half(r);
}
CASTOR_HD __half __float2half(float f) { return __half(f); }
CASTOR_HD __half __float2half_rn(float f) { return __half(f); }
CASTOR_HD __half __double2half(double f) { return __half(static_cast<float>(f)); }
CASTOR_HD float __half2float(__half h) { return castor_from_half(h.__x); }
CASTOR_HD __half __ushort_as_half(unsigned short v) { return castor_half_of_bits(v); }
CASTOR_HD __half __short_as_half(short v) { return castor_half_of_bits(static_cast<unsigned short>(v)); }
CASTOR_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
CASTOR_HD short __half_as_short(__half h) { return static_cast<short>(h.__x); }
CASTOR_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
CASTOR_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
CASTOR_HD __half2 __half2half2(__half a) { return __half2(a, a); }
CASTOR_HD __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
CASTOR_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
CASTOR_HD __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
CASTOR_HD float2 __half22float2(__half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
CASTOR_HD __half __low2half(__half2 h) { return h.x; }
CASTOR_HD __half __high2half(__half2 h) { return h.y; }
CASTOR_HD float __low2float(__half2 h) { return __half2float(h.x); }
CASTOR_HD float __high2float(__half2 h) { return __half2float(h.y); }
CASTOR_HD __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
CASTOR_HD __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
CASTOR_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
CASTOR_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
CASTOR_HD __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
CASTOR_HD bool __hisnan(__half h) { return (h.__x & 0x7fffu) > 0x7c00u; }
CASTOR_HD int __hisinf(__half h) { return h.__x == 0x7c00u ? 1 : h.__x == 0xfc00u ? -1 : 0; }
CASTOR_HD __half __hneg(__half h) { return castor_half_of_bits(h.__x ^ 0x8000u); }
CASTOR_HD __half __habs(__half h) { return castor_half_of_bits(h.__x & 0x7fffu); }
CASTOR_HD int __half2int_rz(__half h) { return static_cast<int>(__half2float(h)); }
CASTOR_HD unsigned int __half2uint_rz(__half h) { return static_cast<unsigned int>(__half2float(h)); }
CASTOR_HD __half __int2half_rn(int v) { return __half(v); }
CASTOR_HD __half __uint2half_rn(unsigned int v) { return __half(v); }
CASTOR_HD __half __short2half_rn(short v) { return __half(v); }
CASTOR_HD __half __ushort2half_rn(unsigned short v) { return __half(v); }
CASTOR_HD __half __ll2half_rn(long long v) { return __half(v); }

#if defined(__CUDA__) && defined(__clang__)

CASTOR_D unsigned castor_word(__half2 h) { return h.x.__x | (static_cast<unsigned>(h.y.__x) << 16); }
CASTOR_D __half2 castor_half2_of(unsigned w) {
  return __half2(castor_half_of_bits(static_cast<unsigned short>(w)),
                 castor_half_of_bits(static_cast<unsigned short>(w >> 16)));
}

#define CASTOR_H_FROM_F(name, mode)                         \
  CASTOR_D __half name(float f) {                           \
    unsigned short h;                                       \
    asm("cvt." mode ".f16.f32 %0, %1;" : "=h"(h) : "f"(f)); \
    return castor_half_of_bits(h);                          \
  }
CASTOR_H_FROM_F(__float2half_rz, "rz")
CASTOR_H_FROM_F(__float2half_rd, "rm")
CASTOR_H_FROM_F(__float2half_ru, "rp")
#undef CASTOR_H_FROM_F
#define CASTOR_INT_FROM_H(name, type, ptx, mode, con)                  \
  CASTOR_D type name(__half h) {                                       \
    type v;                                                            \
    asm("cvt." mode "." ptx ".f16 %0, %1;" : "=" con(v) : "h"(h.__x)); \
    return v;                                                          \
  }
CASTOR_INT_FROM_H(__half2int_rn, int, "s32", "rni", "r")
CASTOR_INT_FROM_H(__half2int_rd, int, "s32", "rmi", "r")
CASTOR_INT_FROM_H(__half2int_ru, int, "s32", "rpi", "r")
CASTOR_INT_FROM_H(__half2uint_rn, unsigned, "u32", "rni", "r")
CASTOR_INT_FROM_H(__half2ll_rn, long long, "s64", "rni", "l")
CASTOR_INT_FROM_H(__half2short_rn, short, "s16", "rni", "h")
CASTOR_INT_FROM_H(__half2ushort_rn, unsigned short, "u16", "rni", "h")
#undef CASTOR_INT_FROM_H

#define CASTOR_H2OP(name1, name2, op)                                                  \
  CASTOR_D __half name1(__half a, __half b) {                                          \
    unsigned short r;                                                                  \
    asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                     \
    return castor_half_of_bits(r);                                                     \
  }                                                                                    \
  CASTOR_D __half2 name2(__half2 a, __half2 b) {                                       \
    unsigned r;                                                                        \
    asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(castor_word(a)), "r"(castor_word(b))); \
    return castor_half2_of(r);                                                         \
  }
CASTOR_H2OP(__hadd, __hadd2, "add")
CASTOR_H2OP(__hsub, __hsub2, "sub")
CASTOR_H2OP(__hmul, __hmul2, "mul")
CASTOR_H2OP(__hadd_rn, __hadd2_rn, "add.rn")
CASTOR_H2OP(__hsub_rn, __hsub2_rn, "sub.rn")
CASTOR_H2OP(__hmul_rn, __hmul2_rn, "mul.rn")
CASTOR_H2OP(__hadd_sat, __hadd2_sat, "add.sat")
CASTOR_H2OP(__hsub_sat, __hsub2_sat, "sub.sat")
CASTOR_H2OP(__hmul_sat, __hmul2_sat, "mul.sat")
#undef CASTOR_H2OP
#define CASTOR_H3OP(name1, name2, op)                                                                           \
  CASTOR_D __half name1(__half a, __half b, __half c) {                                                         \
    unsigned short r;                                                                                           \
    asm(op ".f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                              \
    return castor_half_of_bits(r);                                                                              \
  }                                                                                                             \
  CASTOR_D __half2 name2(__half2 a, __half2 b, __half2 c) {                                                     \
    unsigned r;                                                                                                 \
    asm(op ".f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(castor_word(a)), "r"(castor_word(b)), "r"(castor_word(c))); \
    return castor_half2_of(r);                                                                                  \
  }
CASTOR_H3OP(__hfma, __hfma2, "fma.rn")
CASTOR_H3OP(__hfma_sat, __hfma2_sat, "fma.rn.sat")
#undef CASTOR_H3OP
CASTOR_D __half __hdiv(__half a, __half b) { return __half(__half2float(a) / __half2float(b)); }
CASTOR_D __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
CASTOR_D __half2 __hneg2(__half2 a) { return castor_half2_of(castor_word(a) ^ 0x80008000u); }
CASTOR_D __half2 __habs2(__half2 a) { return castor_half2_of(castor_word(a) & 0x7fff7fffu); }

// Every half is exactly a float, so comparisons through float are those of half.
#define CASTOR_HCMP(suffix, ordered, unordered)                                                               \
  CASTOR_D bool __h##suffix(__half a, __half b) {                                                             \
    float x = __half2float(a), y = __half2float(b);                                                           \
    return ordered;                                                                                           \
  }                                                                                                           \
  CASTOR_D bool __h##suffix##u(__half a, __half b) {                                                          \
    float x = __half2float(a), y = __half2float(b);                                                           \
    return unordered;                                                                                         \
  }                                                                                                           \
  CASTOR_D __half2 __h##suffix##2(__half2 a, __half2 b) {                                                     \
    return __half2(__half(__h##suffix(a.x, b.x) ? 1.0f : 0.0f), __half(__h##suffix(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                                           \
  CASTOR_D bool __hb##suffix##2(__half2 a, __half2 b) { return __h##suffix(a.x, b.x) && __h##suffix(a.y, b.y); }
CASTOR_HCMP(eq, x == y, !(x < y || x > y))
CASTOR_HCMP(ne, x<y || x> y, x != y)
CASTOR_HCMP(lt, x < y, !(x >= y))
CASTOR_HCMP(le, x <= y, !(x > y))
CASTOR_HCMP(gt, x > y, !(x <= y))
CASTOR_HCMP(ge, x >= y, !(x < y))
#undef CASTOR_HCMP
CASTOR_D __half __hmax(__half a, __half b) { return __half(fmaxf(__half2float(a), __half2float(b))); }
CASTOR_D __half __hmin(__half a, __half b) { return __half(fminf(__half2float(a), __half2float(b))); }
CASTOR_D __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
CASTOR_D __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
CASTOR_D __half2 __hisnan2(__half2 a) {
  return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f));
}

#define CASTOR_HFUNC(name, function)                                              \
  CASTOR_D __half h##name(__half a) { return __half(function(__half2float(a))); } \
  CASTOR_D __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
CASTOR_HFUNC(sqrt, sqrtf)
CASTOR_HFUNC(rsqrt, rsqrtf)
CASTOR_HFUNC(rcp, 1.0f /)
CASTOR_HFUNC(exp, expf)
CASTOR_HFUNC(exp2, exp2f)
CASTOR_HFUNC(exp10, exp10f)
CASTOR_HFUNC(log, logf)
CASTOR_HFUNC(log2, log2f)
CASTOR_HFUNC(log10, log10f)
CASTOR_HFUNC(sin, sinf)
CASTOR_HFUNC(cos, cosf)
CASTOR_HFUNC(floor, floorf)
CASTOR_HFUNC(ceil, ceilf)
CASTOR_HFUNC(trunc, truncf)
CASTOR_HFUNC(rint, rintf)
#undef CASTOR_HFUNC

CASTOR_D __half2 __shfl_sync(unsigned mask, __half2 v, int lane, int width = 32) {
  return castor_half2_of(__shfl_sync(mask, castor_word(v), lane, width));
}
CASTOR_D __half2 __shfl_up_sync(unsigned mask, __half2 v, unsigned delta, int width = 32) {
  return castor_half2_of(__shfl_up_sync(mask, castor_word(v), delta, width));
}
CASTOR_D __half2 __shfl_down_sync(unsigned mask, __half2 v, unsigned delta, int width = 32) {
  return castor_half2_of(__shfl_down_sync(mask, castor_word(v), delta, width));
}
CASTOR_D __half2 __shfl_xor_sync(unsigned mask, __half2 v, int lane_mask, int width = 32) {
  return castor_half2_of(__shfl_xor_sync(mask, castor_word(v), lane_mask, width));
}
#define CASTOR_HSHFL(name, type)                                                      \
  CASTOR_D __half name(unsigned mask, __half v, type o, int width = 32) {             \
    unsigned w = v.__x;                                                               \
    return castor_half_of_bits(static_cast<unsigned short>(name(mask, w, o, width))); \
  }
CASTOR_HSHFL(__shfl_sync, int)
CASTOR_HSHFL(__shfl_up_sync, unsigned)
CASTOR_HSHFL(__shfl_down_sync, unsigned)
CASTOR_HSHFL(__shfl_xor_sync, int)
#undef CASTOR_HSHFL

CASTOR_D __half __ldg(const __half* p) {
  return castor_half_of_bits(__ldg(reinterpret_cast<const unsigned short*>(p)));
}
CASTOR_D __half2 __ldg(const __half2* p) { return castor_half2_of(__ldg(reinterpret_cast<const unsigned*>(p))); }

// Compare-and-swap loops on the aligned word, so that they work on every target.
CASTOR_D __half2 atomicAdd(__half2* p, __half2 v) {
  unsigned* word = reinterpret_cast<unsigned*>(p);
  unsigned seen = *reinterpret_cast<volatile unsigned*>(word);
  unsigned expected;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, castor_word(__hadd2(castor_half2_of(expected), v)));
  } while (seen != expected);
  return castor_half2_of(seen);
}
CASTOR_D __half atomicAdd(__half* p, __half v) {
  size_t at = reinterpret_cast<size_t>(p);
  unsigned* word = reinterpret_cast<unsigned*>(at & ~static_cast<size_t>(3));
  unsigned shift = (at & 2) ? 16u : 0u;
  unsigned seen = *reinterpret_cast<volatile unsigned*>(word);
  unsigned expected;
  do {
    expected = seen;
    __half old = castor_half_of_bits(static_cast<unsigned short>(expected >> shift));
    unsigned sum = __hadd(old, v).__x;
    seen = atomicCAS(word, expected, (expected & ~(0xffffu << shift)) | (sum << shift));
  } while (seen != expected);
  return castor_half_of_bits(static_cast<unsigned short>(seen >> shift));
}

#if !defined(__CUDA_NO_HALF_OPERATORS__)
CASTOR_D __half operator+(const __half& a, const __half& b) { return __hadd(a, b); }
CASTOR_D __half operator-(const __half& a, const __half& b) { return __hsub(a, b); }
CASTOR_D __half operator*(const __half& a, const __half& b) { return __hmul(a, b); }
CASTOR_D __half operator/(const __half& a, const __half& b) { return __hdiv(a, b); }
CASTOR_D __half& operator+=(__half& a, const __half& b) { return a = __hadd(a, b); }
CASTOR_D __half& operator-=(__half& a, const __half& b) { return a = __hsub(a, b); }
CASTOR_D __half& operator*=(__half& a, const __half& b) { return a = __hmul(a, b); }
CASTOR_D __half& operator/=(__half& a, const __half& b) { return a = __hdiv(a, b); }
CASTOR_D __half operator+(const __half& a) { return a; }
CASTOR_D __half operator-(const __half& a) { return __hneg(a); }
CASTOR_D bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
CASTOR_D bool operator!=(const __half& a, const __half& b) { return __hneu(a, b); }
CASTOR_D bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
CASTOR_D bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
CASTOR_D bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
CASTOR_D bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }
CASTOR_D __half2 operator+(const __half2& a, const __half2& b) { return __hadd2(a, b); }
CASTOR_D __half2 operator-(const __half2& a, const __half2& b) { return __hsub2(a, b); }
CASTOR_D __half2 operator*(const __half2& a, const __half2& b) { return __hmul2(a, b); }
CASTOR_D __half2 operator/(const __half2& a, const __half2& b) { return __h2div(a, b); }
CASTOR_D __half2& operator+=(__half2& a, const __half2& b) { return a = __hadd2(a, b); }
CASTOR_D __half2& operator-=(__half2& a, const __half2& b) { return a = __hsub2(a, b); }
CASTOR_D __half2& operator*=(__half2& a, const __half2& b) { return a = __hmul2(a, b); }
CASTOR_D __half2& operator/=(__half2& a, const __half2& b) { return a = __h2div(a, b); }
CASTOR_D __half2 operator-(const __half2& a) { return __hneg2(a); }
CASTOR_D bool operator==(const __half2& a, const __half2& b) { return __hbeq2(a, b); }
#endif
#endif

#undef CASTOR_HD
#ifdef CASTOR_D
#undef CASTOR_D
#endif

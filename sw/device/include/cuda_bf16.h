// The bfloat16 type: __nv_bfloat16 and __nv_bfloat162, conversions, arithmetic, comparison, functions, loads, shuffles
// and atomics.
//
// Arithmetic is done in single precision and rounds once per operation. A fused multiply-add rounds once if the code is
// compiled for sm_80 or newer, which has an instruction for it. For older targets, as in CUDA, it rounds to single
// precision first. Elementary functions exist on the device only and are computed in single precision.
#pragma once
#define __CUDA_BF16_H__

#include <math.h>
#include <string.h>

#include <type_traits>

#include "castor_cuda/short_float_rounding.h"
#include "cuda_runtime.h"

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)

#define CASTOR_HD static inline __host__ __device__
#if defined(__CUDA__) && defined(__clang__)
#define CASTOR_D static __device__ __forceinline__
#endif

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x;
  unsigned short y;
};

CASTOR_HD unsigned short castor_to_bfloat(float f) {
  unsigned int u;
  memcpy(&u, &f, sizeof(u));
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  // Rounds to nearest even: adds just under a half, and one more if the last kept bit is odd.
  return static_cast<unsigned short>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
/// Rounds towards zero; with `away`, rounds away from zero if bits are lost.
CASTOR_HD unsigned short castor_bfloat_towards(float f, bool away) {
  unsigned int u = castor_float_bits(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  return static_cast<unsigned short>((u + (away ? 0xffffu : 0u)) >> 16);
}
CASTOR_HD float castor_from_bfloat(unsigned short h) {
  unsigned int u = static_cast<unsigned int>(h) << 16;
  float f;
  memcpy(&f, &u, sizeof(f));
  return f;
}

/// bfloat16 value: the upper half of a binary32 value.
struct __align__(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw& r) : __x(r.x) {}
  __host__ __device__ __nv_bfloat16(float f) : __x(castor_to_bfloat(f)) {}
  __host__ __device__ __nv_bfloat16(double f) : __x(castor_to_bfloat(castor_odd_float(f))) {}
  // A 16-bit integer is exactly a float; a longer one may not be, and is rounded to odd first.
#define CASTOR_BFLOAT_OF(type, as_float)                                         \
  __host__ __device__ __nv_bfloat16(type v) : __x(castor_to_bfloat(as_float)) {} \
  __host__ __device__ __nv_bfloat16& operator=(type v) {                         \
    __x = castor_to_bfloat(as_float);                                            \
    return *this;                                                                \
  }
  CASTOR_BFLOAT_OF(short, static_cast<float>(v))
  CASTOR_BFLOAT_OF(unsigned short, static_cast<float>(v))
  CASTOR_BFLOAT_OF(int, castor_odd_float(v))
  CASTOR_BFLOAT_OF(unsigned int, castor_odd_float(v))
  CASTOR_BFLOAT_OF(long, castor_odd_float_of(static_cast<long long>(v)))
  CASTOR_BFLOAT_OF(unsigned long, castor_odd_float_of(static_cast<unsigned long long>(v)))
  CASTOR_BFLOAT_OF(long long, castor_odd_float_of(v))
  CASTOR_BFLOAT_OF(unsigned long long, castor_odd_float_of(v))
#undef CASTOR_BFLOAT_OF
  __host__ __device__ operator float() const { return castor_from_bfloat(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw r = {__x};
    return r;
  }
  __host__ __device__ operator __nv_bfloat16_raw() const volatile {
    __nv_bfloat16_raw r = {__x};
    return r;
  }
  __host__ __device__ __nv_bfloat16& operator=(const __nv_bfloat16_raw& r) {
    __x = r.x;
    return *this;
  }
  __host__ __device__ __nv_bfloat16& operator=(float f) {
    __x = castor_to_bfloat(f);
    return *this;
  }
  __host__ __device__ __nv_bfloat16& operator=(double f) {
    __x = castor_to_bfloat(castor_odd_float(f));
    return *this;
  }
  __host__ __device__ explicit operator bool() const { return (__x & 0x7fffu) != 0; }
};
typedef __nv_bfloat16 nv_bfloat16;

/// Two bfloat16 values in one 32-bit word, x in the lower half.
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x;
  __nv_bfloat16 y;

  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw& r)
      : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y}) {}
  __host__ __device__ __nv_bfloat162& operator=(const __nv_bfloat162_raw& r) {
    x = __nv_bfloat16_raw{r.x};
    y = __nv_bfloat16_raw{r.y};
    return *this;
  }
  __host__ __device__ operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw r = {x.__x, y.__x};
    return r;
  }
};
typedef __nv_bfloat162 nv_bfloat162;

CASTOR_HD __nv_bfloat16 castor_bfloat_of_bits(unsigned short bits) {
  __nv_bfloat16_raw r = {bits};
  return __nv_bfloat16(r);
}
CASTOR_HD __nv_bfloat162 castor_bfloat2_of(unsigned w) {
  return __nv_bfloat162(castor_bfloat_of_bits(static_cast<unsigned short>(w)),
                        castor_bfloat_of_bits(static_cast<unsigned short>(w >> 16)));
}
CASTOR_HD unsigned castor_bits(__nv_bfloat162 h) { return h.x.__x | (static_cast<unsigned>(h.y.__x) << 16); }

CASTOR_HD __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
CASTOR_HD __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
CASTOR_HD __nv_bfloat16 __float2bfloat16_rz(float f) { return castor_bfloat_of_bits(castor_bfloat_towards(f, false)); }
CASTOR_HD __nv_bfloat16 __float2bfloat16_rd(float f) {
  return castor_bfloat_of_bits(castor_bfloat_towards(f, (castor_float_bits(f) >> 31) != 0));
}
CASTOR_HD __nv_bfloat16 __float2bfloat16_ru(float f) {
  return castor_bfloat_of_bits(castor_bfloat_towards(f, (castor_float_bits(f) >> 31) == 0));
}
CASTOR_HD __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
CASTOR_HD float __bfloat162float(__nv_bfloat16 h) { return castor_from_bfloat(h.__x); }
CASTOR_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
CASTOR_HD short __bfloat16_as_short(__nv_bfloat16 h) { return static_cast<short>(h.__x); }
CASTOR_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return castor_bfloat_of_bits(v); }
CASTOR_HD __nv_bfloat16 __short_as_bfloat16(short v) { return castor_bfloat_of_bits(static_cast<unsigned short>(v)); }
CASTOR_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
CASTOR_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
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
CASTOR_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
CASTOR_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
CASTOR_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
CASTOR_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
CASTOR_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }

// Conversions to integers and back. Conversions to 8-bit integers exist only with rounding towards zero.
#define CASTOR_BFLOAT_AND(short_name, type, as_float)                                                    \
  CASTOR_HD type __bfloat162##short_name##_rn(__nv_bfloat16 h) {                                         \
    return castor_integer<type>(__bfloat162float(h), castor_rn);                                         \
  }                                                                                                      \
  CASTOR_HD type __bfloat162##short_name##_rz(__nv_bfloat16 h) {                                         \
    return castor_integer<type>(__bfloat162float(h), castor_rz);                                         \
  }                                                                                                      \
  CASTOR_HD type __bfloat162##short_name##_rd(__nv_bfloat16 h) {                                         \
    return castor_integer<type>(__bfloat162float(h), castor_rd);                                         \
  }                                                                                                      \
  CASTOR_HD type __bfloat162##short_name##_ru(__nv_bfloat16 h) {                                         \
    return castor_integer<type>(__bfloat162float(h), castor_ru);                                         \
  }                                                                                                      \
  CASTOR_HD __nv_bfloat16 __##short_name##2bfloat16_rn(type v) { return __nv_bfloat16(v); }              \
  CASTOR_HD __nv_bfloat16 __##short_name##2bfloat16_rz(type v) { return __float2bfloat16_rz(as_float); } \
  CASTOR_HD __nv_bfloat16 __##short_name##2bfloat16_rd(type v) { return __float2bfloat16_rd(as_float); } \
  CASTOR_HD __nv_bfloat16 __##short_name##2bfloat16_ru(type v) { return __float2bfloat16_ru(as_float); }
CASTOR_BFLOAT_AND(int, int, castor_odd_float(v))
CASTOR_BFLOAT_AND(uint, unsigned int, castor_odd_float(v))
CASTOR_BFLOAT_AND(short, short, castor_odd_float(v))
CASTOR_BFLOAT_AND(ushort, unsigned short, castor_odd_float(v))
CASTOR_BFLOAT_AND(ll, long long, castor_odd_float_of(v))
CASTOR_BFLOAT_AND(ull, unsigned long long, castor_odd_float_of(v))
#undef CASTOR_BFLOAT_AND
CASTOR_HD signed char __bfloat162char_rz(__nv_bfloat16 h) {
  return castor_integer<signed char>(__bfloat162float(h), castor_rz);
}
CASTOR_HD unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  return castor_integer<unsigned char>(__bfloat162float(h), castor_rz);
}

CASTOR_HD __nv_bfloat16 castor_saturated(__nv_bfloat16 h);
CASTOR_HD __nv_bfloat16 castor_rectified(__nv_bfloat16 h);

// Sums, products and quotients of two bfloat16 values in single precision round to the same bfloat16 as the exact
// result, since 24 bits are more than 2 * 8 + 2.
#define CASTOR_BFLOAT_OP(name1, name2, op)                             \
  CASTOR_HD __nv_bfloat16 name1(__nv_bfloat16 a, __nv_bfloat16 b) {    \
    return __nv_bfloat16(__bfloat162float(a) op __bfloat162float(b));  \
  }                                                                    \
  CASTOR_HD __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return __nv_bfloat162(name1(a.x, b.x), name1(a.y, b.y));           \
  }
CASTOR_BFLOAT_OP(__hadd, __hadd2, +)
CASTOR_BFLOAT_OP(__hsub, __hsub2, -)
CASTOR_BFLOAT_OP(__hmul, __hmul2, *)
CASTOR_BFLOAT_OP(__hadd_rn, __hadd2_rn, +)
CASTOR_BFLOAT_OP(__hsub_rn, __hsub2_rn, -)
CASTOR_BFLOAT_OP(__hmul_rn, __hmul2_rn, *)
CASTOR_BFLOAT_OP(__hdiv, __h2div, /)
#undef CASTOR_BFLOAT_OP

/// Returns a * b + c; the top of this file describes the rounding.
CASTOR_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return castor_bfloat_of_bits(r);
#else
  return __nv_bfloat16(fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
#endif
}
CASTOR_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

CASTOR_HD __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return castor_saturated(__hadd(a, b)); }
CASTOR_HD __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return castor_saturated(__hsub(a, b)); }
CASTOR_HD __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return castor_saturated(__hmul(a, b)); }
CASTOR_HD __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return castor_saturated(__hfma(a, b, c));
}
CASTOR_HD __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return castor_rectified(__hfma(a, b, c));
}
CASTOR_HD __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
CASTOR_HD __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
CASTOR_HD __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
CASTOR_HD __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
CASTOR_HD __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
CASTOR_HD __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return castor_bfloat2_of(castor_bits(a) ^ 0x80008000u); }
CASTOR_HD __nv_bfloat162 __habs2(__nv_bfloat162 a) { return castor_bfloat2_of(castor_bits(a) & 0x7fff7fffu); }
/// Returns a * b + c of complex numbers (x: real part), with two fused operations per part.
CASTOR_HD __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  __nv_bfloat16 real = __hfma(a.x, b.x, c.x);
  __nv_bfloat16 imaginary = __hfma(a.x, b.y, c.y);
  __nv_bfloat16 negative = castor_bfloat_of_bits(static_cast<unsigned short>(a.y.__x ^ 0x8000u));
  return __nv_bfloat162(__hfma(negative, b.y, real), __hfma(a.y, b.x, imaginary));
}

#define CASTOR_T __nv_bfloat16
#define CASTOR_T2 __nv_bfloat162
#define CASTOR_FLOAT(x) __bfloat162float(x)
#define CASTOR_SHORT(f) __nv_bfloat16(f)
#define CASTOR_OF_BITS(u) castor_bfloat_of_bits(u)
#define CASTOR_PAIR_OF(w) castor_bfloat2_of(w)
#define CASTOR_INFINITY_BITS 0x7f80u
#if !defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define CASTOR_OP CASTOR_HD
#endif
#include "castor_cuda/short_float_functions.inc"
#undef CASTOR_T
#undef CASTOR_T2
#undef CASTOR_FLOAT
#undef CASTOR_SHORT
#undef CASTOR_OF_BITS
#undef CASTOR_PAIR_OF
#undef CASTOR_INFINITY_BITS
#undef CASTOR_OP

#undef CASTOR_HD
#ifdef CASTOR_D
#undef CASTOR_D
#endif

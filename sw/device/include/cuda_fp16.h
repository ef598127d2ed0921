// Half precision: __half and __half2, conversions, arithmetic, comparison, functions, loads, shuffles and atomics.
//
// On the device, arithmetic uses PTX f16 and f16x2 instructions; on the host, other code gives the same results.
// Elementary functions exist on the device only. They are computed in single precision, which is more accurate than
// CUDA documents. Operators exist on the device; on the host, a half in an expression is converted to float.
#pragma once
#define __CUDA_FP16_H__

#include <string.h>

#include <type_traits>

#include "castor_cuda/short_float_rounding.h"
#include "cuda_runtime.h"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
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

// Conversions on the host: round to nearest even, in integer arithmetic.
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

/// Returns the bits of |f| rounded towards zero; with `away`, rounded away from zero if bits are lost. For finite
/// values.
static inline unsigned short castor_half_towards(float f, bool away) {
  unsigned short h = castor_float_to_half_bits(f);
  float back = fabsf(castor_half_bits_to_float(h));
  float wanted = fabsf(f);
  if (wanted != wanted || back == wanted) return h;
  if (away && back < wanted) return static_cast<unsigned short>(h + 1u);
  if (!away && back > wanted) return static_cast<unsigned short>(h - 1u);
  return h;
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

CASTOR_HD unsigned short castor_double_to_half(double d) {
#if defined(__CUDA_ARCH__)
  // A double constant that is exactly a float is converted like a float.
  if (__builtin_constant_p(d == static_cast<double>(static_cast<float>(d))) &&
      d == static_cast<double>(static_cast<float>(d))) {
    return castor_to_half(static_cast<float>(d));
  }
  unsigned short h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(d));
  return h;
#else
  return castor_to_half(castor_odd_float(d));
#endif
}

/// An IEEE 754 binary16 value.
struct __align__(2) __half {
  unsigned short __x;

  __half() = default;
  __host__ __device__ constexpr __half(const __half_raw& r) : __x(r.x) {}
  __host__ __device__ __half(float f) : __x(castor_to_half(f)) {}
  __host__ __device__ __half(double f) : __x(castor_double_to_half(f)) {}
  // Integers of more than 24 bits exceed the largest half, so a conversion by way of float rounds once.
#define CASTOR_HALF_OF(type)                                                         \
  __host__ __device__ __half(type v) : __x(castor_to_half(static_cast<float>(v))) {} \
  __host__ __device__ __half& operator=(type v) {                                    \
    __x = castor_to_half(static_cast<float>(v));                                     \
    return *this;                                                                    \
  }
  CASTOR_HALF_OF(int)
  CASTOR_HALF_OF(unsigned int)
  CASTOR_HALF_OF(short)
  CASTOR_HALF_OF(unsigned short)
  CASTOR_HALF_OF(long)
  CASTOR_HALF_OF(unsigned long)
  CASTOR_HALF_OF(long long)
  CASTOR_HALF_OF(unsigned long long)
#undef CASTOR_HALF_OF
  __host__ __device__ operator float() const { return castor_from_half(__x); }
  __host__ __device__ operator __half_raw() const {
    __half_raw r = {__x};
    return r;
  }
  __host__ __device__ operator __half_raw() const volatile {
    __half_raw r = {__x};
    return r;
  }
  __host__ __device__ __half& operator=(const __half_raw& r) {
    __x = r.x;
    return *this;
  }
  __host__ __device__ __half& operator=(float f) {
    __x = castor_to_half(f);
    return *this;
  }
  __host__ __device__ __half& operator=(double f) {
    __x = castor_double_to_half(f);
    return *this;
  }
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
  __host__ __device__ __half2(const __half2_raw& r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
  __host__ __device__ __half2& operator=(const __half2_raw& r) {
    x = __half_raw{r.x};
    y = __half_raw{r.y};
    return *this;
  }
  __host__ __device__ operator __half2_raw() const {
    __half2_raw r = {x.__x, y.__x};
    return r;
  }
};
typedef __half2 half2;
typedef __half2 nv_half2;

CASTOR_HD __half castor_half_of_bits(unsigned short bits) {
  __half_raw r = {bits};
  return __half(r);
}
CASTOR_HD __half2 castor_half2_of(unsigned w) {
  return __half2(castor_half_of_bits(static_cast<unsigned short>(w)),
                 castor_half_of_bits(static_cast<unsigned short>(w >> 16)));
}
CASTOR_HD __half __float2half(float f) { return __half(f); }
CASTOR_HD __half __float2half_rn(float f) { return __half(f); }
CASTOR_HD __half __double2half(double f) { return __half(f); }
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

#if defined(__CUDA_ARCH__)
#define CASTOR_HALF_FROM_FLOAT(name, mode, away)            \
  CASTOR_HD __half name(float f) {                          \
    unsigned short h;                                       \
    asm("cvt." mode ".f16.f32 %0, %1;" : "=h"(h) : "f"(f)); \
    return castor_half_of_bits(h);                          \
  }
#else
#define CASTOR_HALF_FROM_FLOAT(name, mode, away) \
  CASTOR_HD __half name(float f) { return castor_half_of_bits(castor_half_towards(f, away)); }
#endif
CASTOR_HALF_FROM_FLOAT(__float2half_rz, "rz", false)
CASTOR_HALF_FROM_FLOAT(__float2half_rd, "rm", signbit(f) != 0)
CASTOR_HALF_FROM_FLOAT(__float2half_ru, "rp", signbit(f) == 0)
#undef CASTOR_HALF_FROM_FLOAT

// Conversions to integers and back. Conversions to 8-bit integers exist only with rounding towards zero.
#if defined(__CUDA_ARCH__)
#define CASTOR_INTEGER_OF_HALF(name, type, mode, ptx, direction, con)       \
  CASTOR_HD type name(__half h) {                                           \
    type v;                                                                 \
    asm("cvt." direction "." ptx ".f16 %0, %1;" : "=" con(v) : "h"(h.__x)); \
    return v;                                                               \
  }
#else
#define CASTOR_INTEGER_OF_HALF(name, type, mode, ptx, direction, con) \
  CASTOR_HD type name(__half h) { return castor_integer<type>(__half2float(h), castor_##mode); }
#endif
#define CASTOR_HALF_AND(short_name, type, ptx, con)                                                    \
  CASTOR_INTEGER_OF_HALF(__half2##short_name##_rn, type, rn, ptx, "rni", con)                          \
  CASTOR_INTEGER_OF_HALF(__half2##short_name##_rd, type, rd, ptx, "rmi", con)                          \
  CASTOR_INTEGER_OF_HALF(__half2##short_name##_ru, type, ru, ptx, "rpi", con)                          \
  CASTOR_HD __half __##short_name##2half_rn(type v) { return __half(v); }                              \
  CASTOR_HD __half __##short_name##2half_rz(type v) { return __float2half_rz(static_cast<float>(v)); } \
  CASTOR_HD __half __##short_name##2half_rd(type v) { return __float2half_rd(static_cast<float>(v)); } \
  CASTOR_HD __half __##short_name##2half_ru(type v) { return __float2half_ru(static_cast<float>(v)); }
CASTOR_HALF_AND(int, int, "s32", "r")
CASTOR_HALF_AND(uint, unsigned int, "u32", "r")
CASTOR_HALF_AND(short, short, "s16", "h")
CASTOR_HALF_AND(ushort, unsigned short, "u16", "h")
CASTOR_HALF_AND(ll, long long, "s64", "l")
CASTOR_HALF_AND(ull, unsigned long long, "u64", "l")
#undef CASTOR_HALF_AND
CASTOR_INTEGER_OF_HALF(__half2short_rz, short, rz, "s16", "rzi", "h")
CASTOR_INTEGER_OF_HALF(__half2ushort_rz, unsigned short, rz, "u16", "rzi", "h")
CASTOR_INTEGER_OF_HALF(__half2ll_rz, long long, rz, "s64", "rzi", "l")
CASTOR_INTEGER_OF_HALF(__half2ull_rz, unsigned long long, rz, "u64", "rzi", "l")
#undef CASTOR_INTEGER_OF_HALF
#if defined(__CUDA_ARCH__)
CASTOR_HD int __half2int_rz(__half h) { return static_cast<int>(__half2float(h)); }
CASTOR_HD unsigned int __half2uint_rz(__half h) { return static_cast<unsigned int>(__half2float(h)); }
#else
CASTOR_HD int __half2int_rz(__half h) { return castor_integer<int>(__half2float(h), castor_rz); }
CASTOR_HD unsigned int __half2uint_rz(__half h) { return castor_integer<unsigned int>(__half2float(h), castor_rz); }
#endif
CASTOR_HD signed char __half2char_rz(__half h) { return castor_integer<signed char>(__half2float(h), castor_rz); }
CASTOR_HD unsigned char __half2uchar_rz(__half h) { return castor_integer<unsigned char>(__half2float(h), castor_rz); }

#if defined(__CUDA_ARCH__)
#define CASTOR_HALF_OP2(name1, name2, op, on_host)                                     \
  CASTOR_HD __half name1(__half a, __half b) {                                         \
    unsigned short r;                                                                  \
    asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                     \
    return castor_half_of_bits(r);                                                     \
  }                                                                                    \
  CASTOR_HD __half2 name2(__half2 a, __half2 b) {                                      \
    unsigned r;                                                                        \
    asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(castor_bits(a)), "r"(castor_bits(b))); \
    return castor_half2_of(r);                                                         \
  }
#define CASTOR_HALF_OP3(name1, name2, op, on_host)                                                              \
  CASTOR_HD __half name1(__half a, __half b, __half c) {                                                        \
    unsigned short r;                                                                                           \
    asm(op ".f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                              \
    return castor_half_of_bits(r);                                                                              \
  }                                                                                                             \
  CASTOR_HD __half2 name2(__half2 a, __half2 b, __half2 c) {                                                    \
    unsigned r;                                                                                                 \
    asm(op ".f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(castor_bits(a)), "r"(castor_bits(b)), "r"(castor_bits(c))); \
    return castor_half2_of(r);                                                                                  \
  }
#else
// Single precision has 24 bits, more than 2 * 11 + 2, so its sums and products round to the same half as the exact
// results. A product plus a sum of half values is exact in double precision, unless the result is infinite.
#define CASTOR_HALF_OP2(name1, name2, op, on_host)  \
  CASTOR_HD __half name1(__half p, __half q) {      \
    float a = __half2float(p), b = __half2float(q); \
    return on_host;                                 \
  }                                                 \
  CASTOR_HD __half2 name2(__half2 p, __half2 q) { return __half2(name1(p.x, q.x), name1(p.y, q.y)); }
#define CASTOR_HALF_OP3(name1, name2, op, on_host)                        \
  CASTOR_HD __half name1(__half p, __half q, __half r) {                  \
    double a = __half2float(p), b = __half2float(q), c = __half2float(r); \
    return on_host;                                                       \
  }                                                                       \
  CASTOR_HD __half2 name2(__half2 p, __half2 q, __half2 r) {              \
    return __half2(name1(p.x, q.x, r.x), name1(p.y, q.y, r.y));           \
  }
#endif
CASTOR_HD unsigned castor_bits(__half2 h) { return h.x.__x | (static_cast<unsigned>(h.y.__x) << 16); }
CASTOR_HD __half castor_saturated(__half h);
CASTOR_HD __half castor_rectified(__half h);
CASTOR_HALF_OP2(__hadd, __hadd2, "add", __half(a + b))
CASTOR_HALF_OP2(__hsub, __hsub2, "sub", __half(a - b))
CASTOR_HALF_OP2(__hmul, __hmul2, "mul", __half(a* b))
CASTOR_HALF_OP2(__hadd_rn, __hadd2_rn, "add.rn", __half(a + b))
CASTOR_HALF_OP2(__hsub_rn, __hsub2_rn, "sub.rn", __half(a - b))
CASTOR_HALF_OP2(__hmul_rn, __hmul2_rn, "mul.rn", __half(a* b))
CASTOR_HALF_OP2(__hadd_sat, __hadd2_sat, "add.sat", castor_saturated(__half(a + b)))
CASTOR_HALF_OP2(__hsub_sat, __hsub2_sat, "sub.sat", castor_saturated(__half(a - b)))
CASTOR_HALF_OP2(__hmul_sat, __hmul2_sat, "mul.sat", castor_saturated(__half(a* b)))
CASTOR_HALF_OP3(__hfma, __hfma2, "fma.rn", __half(a* b + c))
CASTOR_HALF_OP3(__hfma_sat, __hfma2_sat, "fma.rn.sat", castor_saturated(__half(a* b + c)))
CASTOR_HALF_OP3(__hfma_relu, __hfma2_relu, "fma.rn.relu", castor_rectified(__half(a* b + c)))
#undef CASTOR_HALF_OP2
#undef CASTOR_HALF_OP3
CASTOR_HD __half __hdiv(__half a, __half b) { return __half(__half2float(a) / __half2float(b)); }
CASTOR_HD __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
CASTOR_HD __half2 __hneg2(__half2 a) { return castor_half2_of(castor_bits(a) ^ 0x80008000u); }
CASTOR_HD __half2 __habs2(__half2 a) { return castor_half2_of(castor_bits(a) & 0x7fff7fffu); }
/// Returns a * b + c of complex numbers (x: real part), with two fused operations per part.
CASTOR_HD __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  __half real = __hfma(a.x, b.x, c.x);
  __half imaginary = __hfma(a.x, b.y, c.y);
  __half negative = castor_half_of_bits(static_cast<unsigned short>(a.y.__x ^ 0x8000u));
  return __half2(__hfma(negative, b.y, real), __hfma(a.y, b.x, imaginary));
}

#define CASTOR_T __half
#define CASTOR_T2 __half2
#define CASTOR_FLOAT(x) __half2float(x)
#define CASTOR_SHORT(f) __half(f)
#define CASTOR_OF_BITS(u) castor_half_of_bits(u)
#define CASTOR_PAIR_OF(w) castor_half2_of(w)
#define CASTOR_INFINITY_BITS 0x7c00u
#if !defined(__CUDA_NO_HALF_OPERATORS__)
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

#if !defined(__CUDA_NO_HALF_OPERATORS__)
// On the host, an operation of a half and another number converts the half to float. (On the device CUDA finds it
// ambiguous.)
#define CASTOR_MIXED(op)                                                                            \
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>           \
  inline __host__ auto operator op(const __half& a, T b)->decltype(1.0f op b) {                     \
    return __half2float(a) op b;                                                                    \
  }                                                                                                 \
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>           \
  inline __host__ auto operator op(T a, const __half& b)->decltype(a op 1.0f) {                     \
    return a op __half2float(b);                                                                    \
  }
CASTOR_MIXED(+)
CASTOR_MIXED(-)
CASTOR_MIXED(*)
CASTOR_MIXED(/)
CASTOR_MIXED(==)
CASTOR_MIXED(!=)
CASTOR_MIXED(<)
CASTOR_MIXED(<=)
CASTOR_MIXED(>)
CASTOR_MIXED(>=)
#undef CASTOR_MIXED
#endif

#undef CASTOR_HD
#ifdef CASTOR_D
#undef CASTOR_D
#endif

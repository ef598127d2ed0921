// Loads and stores with cache hints (__ldcg, __stcs ...) for scalars and the vector types of up to 16 bytes.
//
// __ldg is clang's own; the other functions are inline PTX. Chars are loaded into two-byte registers, since PTX has no
// byte register.
#pragma once

#define CASTOR_LD1(fn, op, type, suffix, con)                                  \
  static __device__ __forceinline__ type fn(const type* p) {                   \
    type v;                                                                    \
    asm volatile(op "." suffix " %0, [%1];" : "=" con(v) : "l"(p) : "memory"); \
    return v;                                                                  \
  }
#define CASTOR_LD8(fn, op, type, suffix)                                    \
  static __device__ __forceinline__ type fn(const type* p) {                \
    short v;                                                                \
    asm volatile(op "." suffix " %0, [%1];" : "=h"(v) : "l"(p) : "memory"); \
    return static_cast<type>(v);                                            \
  }
#define CASTOR_LD2(fn, op, type, suffix, con)                                                           \
  static __device__ __forceinline__ type fn(const type* p) {                                            \
    type v;                                                                                             \
    asm volatile(op ".v2." suffix " {%0, %1}, [%2];" : "=" con(v.x), "=" con(v.y) : "l"(p) : "memory"); \
    return v;                                                                                           \
  }
#define CASTOR_LD4(fn, op, type, suffix, con)                             \
  static __device__ __forceinline__ type fn(const type* p) {              \
    type v;                                                               \
    asm volatile(op ".v4." suffix " {%0, %1, %2, %3}, [%4];"              \
                 : "=" con(v.x), "=" con(v.y), "=" con(v.z), "=" con(v.w) \
                 : "l"(p)                                                 \
                 : "memory");                                             \
    return v;                                                             \
  }
// Vectors of two or four bytes are loaded as one integer.
#define CASTOR_LD_AS(fn, type, as)                           \
  static __device__ __forceinline__ type fn(const type* p) { \
    as word = fn(reinterpret_cast<const as*>(p));            \
    type v;                                                  \
    __builtin_memcpy(&v, &word, sizeof(v));                  \
    return v;                                                \
  }
#define CASTOR_LOADS(fn, op)                         \
  CASTOR_LD8(fn, op, char, "s8")                     \
  CASTOR_LD8(fn, op, signed char, "s8")              \
  CASTOR_LD8(fn, op, unsigned char, "u8")            \
  CASTOR_LD1(fn, op, short, "s16", "h")              \
  CASTOR_LD1(fn, op, unsigned short, "u16", "h")     \
  CASTOR_LD1(fn, op, int, "s32", "r")                \
  CASTOR_LD1(fn, op, unsigned int, "u32", "r")       \
  CASTOR_LD1(fn, op, long, "s64", "l")               \
  CASTOR_LD1(fn, op, unsigned long, "u64", "l")      \
  CASTOR_LD1(fn, op, long long, "s64", "l")          \
  CASTOR_LD1(fn, op, unsigned long long, "u64", "l") \
  CASTOR_LD1(fn, op, float, "f32", "f")              \
  CASTOR_LD1(fn, op, double, "f64", "d")             \
  CASTOR_LD2(fn, op, short2, "s16", "h")             \
  CASTOR_LD2(fn, op, ushort2, "u16", "h")            \
  CASTOR_LD2(fn, op, int2, "s32", "r")               \
  CASTOR_LD2(fn, op, uint2, "u32", "r")              \
  CASTOR_LD2(fn, op, longlong2, "s64", "l")          \
  CASTOR_LD2(fn, op, ulonglong2, "u64", "l")         \
  CASTOR_LD2(fn, op, float2, "f32", "f")             \
  CASTOR_LD2(fn, op, double2, "f64", "d")            \
  CASTOR_LD4(fn, op, short4, "s16", "h")             \
  CASTOR_LD4(fn, op, ushort4, "u16", "h")            \
  CASTOR_LD4(fn, op, int4, "s32", "r")               \
  CASTOR_LD4(fn, op, uint4, "u32", "r")              \
  CASTOR_LD4(fn, op, float4, "f32", "f")             \
  CASTOR_LD_AS(fn, char2, unsigned short)            \
  CASTOR_LD_AS(fn, uchar2, unsigned short)           \
  CASTOR_LD_AS(fn, char4, unsigned int)              \
  CASTOR_LD_AS(fn, uchar4, unsigned int)

CASTOR_LOADS(__ldca, "ld.global.ca")
CASTOR_LOADS(__ldcg, "ld.global.cg")
CASTOR_LOADS(__ldcs, "ld.global.cs")
CASTOR_LOADS(__ldlu, "ld.global.lu")
CASTOR_LOADS(__ldcv, "ld.global.cv")

#define CASTOR_ST1(fn, op, type, suffix, con)                               \
  static __device__ __forceinline__ void fn(type* p, type v) {              \
    asm volatile(op "." suffix " [%0], %1;" : : "l"(p), con(v) : "memory"); \
  }
#define CASTOR_ST8(fn, op, type, suffix)                                                        \
  static __device__ __forceinline__ void fn(type* p, type v) {                                  \
    asm volatile(op "." suffix " [%0], %1;" : : "l"(p), "h"(static_cast<short>(v)) : "memory"); \
  }
#define CASTOR_ST2(fn, op, type, suffix, con)                                                    \
  static __device__ __forceinline__ void fn(type* p, type v) {                                   \
    asm volatile(op ".v2." suffix " [%0], {%1, %2};" : : "l"(p), con(v.x), con(v.y) : "memory"); \
  }
#define CASTOR_ST4(fn, op, type, suffix, con)                     \
  static __device__ __forceinline__ void fn(type* p, type v) {    \
    asm volatile(op ".v4." suffix " [%0], {%1, %2, %3, %4};"      \
                 :                                                \
                 : "l"(p), con(v.x), con(v.y), con(v.z), con(v.w) \
                 : "memory");                                     \
  }
#define CASTOR_ST_AS(fn, type, as)                             \
  static __device__ __forceinline__ void fn(type* p, type v) { \
    as word;                                                   \
    __builtin_memcpy(&word, &v, sizeof(word));                 \
    fn(reinterpret_cast<as*>(p), word);                        \
  }
#define CASTOR_STORES(fn, op)                        \
  CASTOR_ST8(fn, op, char, "s8")                     \
  CASTOR_ST8(fn, op, signed char, "s8")              \
  CASTOR_ST8(fn, op, unsigned char, "u8")            \
  CASTOR_ST1(fn, op, short, "s16", "h")              \
  CASTOR_ST1(fn, op, unsigned short, "u16", "h")     \
  CASTOR_ST1(fn, op, int, "s32", "r")                \
  CASTOR_ST1(fn, op, unsigned int, "u32", "r")       \
  CASTOR_ST1(fn, op, long, "s64", "l")               \
  CASTOR_ST1(fn, op, unsigned long, "u64", "l")      \
  CASTOR_ST1(fn, op, long long, "s64", "l")          \
  CASTOR_ST1(fn, op, unsigned long long, "u64", "l") \
  CASTOR_ST1(fn, op, float, "f32", "f")              \
  CASTOR_ST1(fn, op, double, "f64", "d")             \
  CASTOR_ST2(fn, op, short2, "s16", "h")             \
  CASTOR_ST2(fn, op, ushort2, "u16", "h")            \
  CASTOR_ST2(fn, op, int2, "s32", "r")               \
  CASTOR_ST2(fn, op, uint2, "u32", "r")              \
  CASTOR_ST2(fn, op, longlong2, "s64", "l")          \
  CASTOR_ST2(fn, op, ulonglong2, "u64", "l")         \
  CASTOR_ST2(fn, op, float2, "f32", "f")             \
  CASTOR_ST2(fn, op, double2, "f64", "d")            \
  CASTOR_ST4(fn, op, short4, "s16", "h")             \
  CASTOR_ST4(fn, op, ushort4, "u16", "h")            \
  CASTOR_ST4(fn, op, int4, "s32", "r")               \
  CASTOR_ST4(fn, op, uint4, "u32", "r")              \
  CASTOR_ST4(fn, op, float4, "f32", "f")             \
  CASTOR_ST_AS(fn, char2, unsigned short)            \
  CASTOR_ST_AS(fn, uchar2, unsigned short)           \
  CASTOR_ST_AS(fn, char4, unsigned int)              \
  CASTOR_ST_AS(fn, uchar4, unsigned int)

CASTOR_STORES(__stwb, "st.global.wb")
CASTOR_STORES(__stcg, "st.global.cg")
CASTOR_STORES(__stcs, "st.global.cs")
CASTOR_STORES(__stwt, "st.global.wt")

#undef CASTOR_LD1
#undef CASTOR_LD8
#undef CASTOR_LD2
#undef CASTOR_LD4
#undef CASTOR_LD_AS
#undef CASTOR_LOADS
#undef CASTOR_ST1
#undef CASTOR_ST8
#undef CASTOR_ST2
#undef CASTOR_ST4
#undef CASTOR_ST_AS
#undef CASTOR_STORES

// CUDA's atomic functions: device scope, and the _block and _system variants.
#pragma once

// As in CUDA, the scoped variants and atomicAdd on double exist from compute capability 6.0 on. For older targets,
// programs define their own.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define CASTOR_SCOPED_ATOMICS 1
#else
#define CASTOR_SCOPED_ATOMICS 0
#endif

#define CASTOR_ATOMIC_DEVICE(name, type, impl) \
  static __device__ __forceinline__ type name(type* p, type v) { return impl(p, v); }
#define CASTOR_ATOMIC_CAST_DEVICE(name, type, as)                                 \
  static __device__ __forceinline__ type name(type* p, type v) {                  \
    return static_cast<type>(name(reinterpret_cast<as*>(p), static_cast<as>(v))); \
  }

#if CASTOR_SCOPED_ATOMICS
#define CASTOR_ATOMIC2(name, type, impl)                                                              \
  CASTOR_ATOMIC_DEVICE(name, type, impl)                                                              \
  static __device__ __forceinline__ type name##_block(type* p, type v) { return impl##_block(p, v); } \
  static __device__ __forceinline__ type name##_system(type* p, type v) { return impl##_system(p, v); }
#define CASTOR_ATOMIC_CAST(name, type, as)                                                 \
  CASTOR_ATOMIC_CAST_DEVICE(name, type, as)                                                \
  static __device__ __forceinline__ type name##_block(type* p, type v) {                   \
    return static_cast<type>(name##_block(reinterpret_cast<as*>(p), static_cast<as>(v)));  \
  }                                                                                        \
  static __device__ __forceinline__ type name##_system(type* p, type v) {                  \
    return static_cast<type>(name##_system(reinterpret_cast<as*>(p), static_cast<as>(v))); \
  }
#else
#define CASTOR_ATOMIC2 CASTOR_ATOMIC_DEVICE
#define CASTOR_ATOMIC_CAST CASTOR_ATOMIC_CAST_DEVICE
#endif

CASTOR_ATOMIC2(atomicAdd, int, __iAtomicAdd)
CASTOR_ATOMIC2(atomicAdd, unsigned int, __uAtomicAdd)
CASTOR_ATOMIC2(atomicAdd, unsigned long long, __ullAtomicAdd)
CASTOR_ATOMIC2(atomicAdd, float, __fAtomicAdd)
#if CASTOR_SCOPED_ATOMICS
CASTOR_ATOMIC2(atomicAdd, double, __dAtomicAdd)
#endif
CASTOR_ATOMIC2(atomicExch, int, __iAtomicExch)
CASTOR_ATOMIC2(atomicExch, unsigned int, __uAtomicExch)
CASTOR_ATOMIC2(atomicExch, unsigned long long, __ullAtomicExch)
CASTOR_ATOMIC2(atomicExch, float, __fAtomicExch)
CASTOR_ATOMIC2(atomicMin, int, __iAtomicMin)
CASTOR_ATOMIC2(atomicMin, unsigned int, __uAtomicMin)
CASTOR_ATOMIC2(atomicMin, long long, __illAtomicMin)
CASTOR_ATOMIC2(atomicMin, unsigned long long, __ullAtomicMin)
CASTOR_ATOMIC2(atomicMax, int, __iAtomicMax)
CASTOR_ATOMIC2(atomicMax, unsigned int, __uAtomicMax)
CASTOR_ATOMIC2(atomicMax, long long, __illAtomicMax)
CASTOR_ATOMIC2(atomicMax, unsigned long long, __ullAtomicMax)
CASTOR_ATOMIC2(atomicAnd, int, __iAtomicAnd)
CASTOR_ATOMIC2(atomicAnd, unsigned int, __uAtomicAnd)
CASTOR_ATOMIC2(atomicAnd, unsigned long long, __ullAtomicAnd)
CASTOR_ATOMIC2(atomicOr, int, __iAtomicOr)
CASTOR_ATOMIC2(atomicOr, unsigned int, __uAtomicOr)
CASTOR_ATOMIC2(atomicOr, unsigned long long, __ullAtomicOr)
CASTOR_ATOMIC2(atomicXor, int, __iAtomicXor)
CASTOR_ATOMIC2(atomicXor, unsigned int, __uAtomicXor)
CASTOR_ATOMIC2(atomicXor, unsigned long long, __ullAtomicXor)
CASTOR_ATOMIC2(atomicInc, unsigned int, __uAtomicInc)
CASTOR_ATOMIC2(atomicDec, unsigned int, __uAtomicDec)

#define CASTOR_ATOMIC_SUB(suffix, type, bits)                                 \
  static __device__ __forceinline__ type atomicSub##suffix(type* p, type v) { \
    return atomicAdd##suffix(p, (type)(0 - (bits)v));                         \
  }
CASTOR_ATOMIC_SUB(, int, unsigned)
CASTOR_ATOMIC_SUB(, unsigned int, unsigned)
#if CASTOR_SCOPED_ATOMICS
CASTOR_ATOMIC_SUB(_block, int, unsigned)
CASTOR_ATOMIC_SUB(_block, unsigned int, unsigned)
CASTOR_ATOMIC_SUB(_system, int, unsigned)
CASTOR_ATOMIC_SUB(_system, unsigned int, unsigned)
#endif
#undef CASTOR_ATOMIC_SUB

#define CASTOR_ATOMIC_CAS(suffix)                                                                            \
  static __device__ __forceinline__ int atomicCAS##suffix(int* p, int compare, int v) {                      \
    return __iAtomicCAS##suffix(p, compare, v);                                                              \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned atomicCAS##suffix(unsigned* p, unsigned compare, unsigned v) {  \
    return static_cast<unsigned>(                                                                            \
        __iAtomicCAS##suffix(reinterpret_cast<int*>(p), static_cast<int>(compare), static_cast<int>(v)));    \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned long long atomicCAS##suffix(                                    \
      unsigned long long* p, unsigned long long compare, unsigned long long v) {                             \
    return __ullAtomicCAS##suffix(p, compare, v);                                                            \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned long atomicCAS##suffix(unsigned long* p, unsigned long compare, \
                                                                    unsigned long v) {                       \
    return __ullAtomicCAS##suffix(reinterpret_cast<unsigned long long*>(p), compare, v);                     \
  }
CASTOR_ATOMIC_CAS()
#if CASTOR_SCOPED_ATOMICS
CASTOR_ATOMIC_CAS(_block)
CASTOR_ATOMIC_CAS(_system)
#endif
#undef CASTOR_ATOMIC_CAS

/// Compares and swaps 16 bits; the address must be even.
static __device__ __forceinline__ unsigned short atomicCAS(unsigned short* p, unsigned short compare,
                                                           unsigned short v) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(compare), "h"(v) : "memory");
  return r;
}

// size_t is unsigned long here: it has the size of unsigned long long, but is another type.
CASTOR_ATOMIC_CAST(atomicAdd, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicExch, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicMin, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicMax, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicAnd, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicOr, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicXor, unsigned long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicAnd, long long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicOr, long long, unsigned long long)
CASTOR_ATOMIC_CAST(atomicXor, long long, unsigned long long)

#undef CASTOR_ATOMIC2
#undef CASTOR_ATOMIC_CAST
#undef CASTOR_ATOMIC_DEVICE
#undef CASTOR_ATOMIC_CAST_DEVICE
#undef CASTOR_SCOPED_ATOMICS

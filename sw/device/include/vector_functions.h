// make_<type><n>() constructors of CUDA's vector types, for both sides.
#pragma once
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#if defined(__cplusplus)
#define CASTOR_MAKE_VECTOR(name, type)                                                           \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
    name##1 r = {x};                                                                             \
    return r;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
    name##2 r = {x, y};                                                                          \
    return r;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
    name##3 r = {x, y, z};                                                                       \
    return r;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 r = {x, y, z, w};                                                                    \
    return r;                                                                                    \
  }

CASTOR_MAKE_VECTOR(char, signed char)
CASTOR_MAKE_VECTOR(uchar, unsigned char)
CASTOR_MAKE_VECTOR(short, short)
CASTOR_MAKE_VECTOR(ushort, unsigned short)
CASTOR_MAKE_VECTOR(int, int)
CASTOR_MAKE_VECTOR(uint, unsigned int)
CASTOR_MAKE_VECTOR(long, long int)
CASTOR_MAKE_VECTOR(ulong, unsigned long int)
CASTOR_MAKE_VECTOR(longlong, long long int)
CASTOR_MAKE_VECTOR(ulonglong, unsigned long long int)
CASTOR_MAKE_VECTOR(float, float)
CASTOR_MAKE_VECTOR(double, double)
#undef CASTOR_MAKE_VECTOR
#endif

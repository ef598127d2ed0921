// Includes clang's device headers. Declarations that these headers leave to a CUDA toolkit come from Castor.
//
// CUDA_VERSION is 9.1 while the headers are read. They then take the SIMD-in-word intrinsics (__vadd4 ...) from
// libdevice instead of emitting PTX video instructions. Their shuffles of 64-bit unsigned values call themselves, so
// macros rename these functions; shuffle.h defines the right ones. Their scalbln and scalblnf treat 0, NaN and
// infinities as ordinary numbers, so they are renamed too; math_overloads.h defines them.
#pragma once

// clang-format off
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010

#include "castor_cuda/barriers.h"
#include <__clang_cuda_libdevice_declares.h>

#define __prof_trigger __castor_unused_prof_trigger
#include <__clang_cuda_device_functions.h>
#undef __prof_trigger
#define scalbln castor_aside_scalbln
#define scalblnf castor_aside_scalblnf
#include <__clang_cuda_math.h>
#undef scalbln
#undef scalblnf

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t char_size);
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
// clang turns a call of printf into vprintf(format, packed arguments).
__device__ int printf(const char*, ...);

__device__ static inline void* memmove(void* to, const void* from, size_t n) {
  char* d = static_cast<char*>(to);
  const char* s = static_cast<const char*>(from);
  if (d < s) {
    for (size_t i = 0; i < n; ++i) d[i] = s[i];
  } else {
    for (size_t i = n; i > 0; --i) d[i - 1] = s[i - 1];
  }
  return to;
}
__device__ static inline int memcmp(const void* a, const void* b, size_t n) {
  const unsigned char* x = static_cast<const unsigned char*>(a);
  const unsigned char* y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < n; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
}

namespace std {
__device__ static inline void free(void* p) { ::free(p); }
__device__ static inline void* malloc(size_t n) { return ::malloc(n); }
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
}  // namespace std

#include <__clang_cuda_cmath.h>

#define __shfl castor_aside___shfl
#define __shfl_up castor_aside___shfl_up
#define __shfl_down castor_aside___shfl_down
#define __shfl_xor castor_aside___shfl_xor
#define __shfl_sync castor_aside___shfl_sync
#define __shfl_up_sync castor_aside___shfl_up_sync
#define __shfl_down_sync castor_aside___shfl_down_sync
#define __shfl_xor_sync castor_aside___shfl_xor_sync
#define __activemask castor_aside___activemask
#define __fns castor_aside___fns
#define __match32_any_sync castor_aside___match32_any_sync
#define __match64_any_sync castor_aside___match64_any_sync
#define __match32_all_sync castor_aside___match32_all_sync
#define __match64_all_sync castor_aside___match64_all_sync
typedef unsigned int cuuint32_t;
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#undef __activemask
#undef __fns
#undef __match32_any_sync
#undef __match64_any_sync
#undef __match32_all_sync
#undef __match64_all_sync

#include <__clang_cuda_complex_builtins.h>
#include "castor_cuda/barriers_end.h"

#undef CUDA_VERSION
#pragma pop_macro("CUDA_VERSION")
// clang-format on

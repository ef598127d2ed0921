// The native_* functions as approximate PTX instructions: libclc's versions use LLVM intrinsics that the PTX back end
// cannot select. Barriers and fences are inline PTX that may change any memory. clang 14 assumes that its own barrier
// intrinsics cannot write a __local variable whose address is not taken, and moves loads of such variables above the
// barrier.
#include "common.h"
#include "opencl_vectors.h"

__attribute__((overloadable, convergent)) INLINE void barrier(cl_mem_fence_flags flags) {
  __asm__ volatile("bar.sync 0;" ::: "memory");
}
#define FENCE(name)                                                                \
  __attribute__((overloadable)) INLINE void name(cl_mem_fence_flags flags) {       \
    if ((flags & CLK_GLOBAL_MEM_FENCE) != 0) {                                     \
      __asm__ volatile("membar.gl;" ::: "memory");                                 \
    } else {                                                                       \
      __asm__ volatile("membar.cta;" ::: "memory");                                \
    }                                                                              \
  }
FENCE(mem_fence)
FENCE(read_mem_fence)
FENCE(write_mem_fence)

#define NATIVE1(name, expr)                                                                        \
  __attribute__((overloadable)) INLINE float native_##name(float x) { return expr; }               \
  VECTORS1(float, native_##name)
#define NATIVE2(name, expr)                                                                        \
  __attribute__((overloadable)) INLINE float native_##name(float x, float y) { return expr; }      \
  __attribute__((overloadable)) INLINE float2 native_##name(float2 a, float2 b) {                  \
    return (float2)(native_##name(a.x, b.x), native_##name(a.y, b.y));                             \
  }                                                                                                \
  __attribute__((overloadable)) INLINE float3 native_##name(float3 a, float3 b) {                  \
    return (float3)(native_##name(a.xy, b.xy), native_##name(a.z, b.z));                           \
  }                                                                                                \
  __attribute__((overloadable)) INLINE float4 native_##name(float4 a, float4 b) {                  \
    return (float4)(native_##name(a.lo, b.lo), native_##name(a.hi, b.hi));                         \
  }                                                                                                \
  __attribute__((overloadable)) INLINE float8 native_##name(float8 a, float8 b) {                  \
    return (float8)(native_##name(a.lo, b.lo), native_##name(a.hi, b.hi));                         \
  }                                                                                                \
  __attribute__((overloadable)) INLINE float16 native_##name(float16 a, float16 b) {               \
    return (float16)(native_##name(a.lo, b.lo), native_##name(a.hi, b.hi));                        \
  }

NATIVE1(sin, __nvvm_sin_approx_f(x))
NATIVE1(cos, __nvvm_cos_approx_f(x))
NATIVE1(tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
NATIVE1(exp, __nvvm_ex2_approx_f(x * 1.44269504088896340736f))
NATIVE1(exp2, __nvvm_ex2_approx_f(x))
NATIVE1(exp10, __nvvm_ex2_approx_f(x * 3.32192809488736234787f))
NATIVE1(log, __nvvm_lg2_approx_f(x) * 0.693147180559945309417f)
NATIVE1(log2, __nvvm_lg2_approx_f(x))
NATIVE1(log10, __nvvm_lg2_approx_f(x) * 0.301029995663981195214f)
NATIVE1(sqrt, __nvvm_sqrt_approx_f(x))
NATIVE1(rsqrt, __nvvm_rsqrt_approx_f(x))
NATIVE1(recip, __nvvm_div_approx_f(1.0f, x))
NATIVE2(divide, __nvvm_div_approx_f(x, y))
NATIVE2(powr, __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)))

// Warp shuffles, votes, match, redux and lane utilities.
//
// Match, redux and nanosleep are inline PTX, so they exist on every target: the platform executes them whatever target
// the PTX names.
#pragma once

#define CASTOR_SHUFFLE(name, builtin, clamp, offset_type)                                                              \
  static __device__ __forceinline__ int name##_sync(unsigned mask, int v, offset_type o, int width = 32) {             \
    return builtin##_i32(mask, v, o, ((32 - width) << 8) | (clamp));                                                   \
  }                                                                                                                    \
  static __device__ __forceinline__ float name##_sync(unsigned mask, float v, offset_type o, int width = 32) {         \
    return builtin##_f32(mask, v, o, ((32 - width) << 8) | (clamp));                                                   \
  }                                                                                                                    \
  static __device__ __forceinline__ unsigned name##_sync(unsigned mask, unsigned v, offset_type o, int width = 32) {   \
    return static_cast<unsigned>(name##_sync(mask, static_cast<int>(v), o, width));                                    \
  }                                                                                                                    \
  static __device__ __forceinline__ unsigned long long name##_sync(unsigned mask, unsigned long long v, offset_type o, \
                                                                   int width = 32) {                                   \
    int lo = name##_sync(mask, static_cast<int>(v & 0xffffffffu), o, width);                                           \
    int hi = name##_sync(mask, static_cast<int>(v >> 32), o, width);                                                   \
    return (static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32) | static_cast<unsigned>(lo);             \
  }                                                                                                                    \
  static __device__ __forceinline__ long long name##_sync(unsigned mask, long long v, offset_type o, int width = 32) { \
    return static_cast<long long>(name##_sync(mask, static_cast<unsigned long long>(v), o, width));                    \
  }                                                                                                                    \
  static __device__ __forceinline__ unsigned long name##_sync(unsigned mask, unsigned long v, offset_type o,           \
                                                              int width = 32) {                                        \
    return static_cast<unsigned long>(name##_sync(mask, static_cast<unsigned long long>(v), o, width));                \
  }                                                                                                                    \
  static __device__ __forceinline__ long name##_sync(unsigned mask, long v, offset_type o, int width = 32) {           \
    return static_cast<long>(name##_sync(mask, static_cast<unsigned long long>(v), o, width));                         \
  }                                                                                                                    \
  static __device__ __forceinline__ double name##_sync(unsigned mask, double v, offset_type o, int width = 32) {       \
    return __longlong_as_double(name##_sync(mask, __double_as_longlong(v), o, width));                                 \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  static __device__ __forceinline__ T name(T v, offset_type o, int width = 32) {                                       \
    return name##_sync(__activemask(), v, o, width);                                                                   \
  }

/// Returns the mask of the warp's lanes that execute this call together.
static __device__ __forceinline__ unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

CASTOR_SHUFFLE(__shfl, __nvvm_shfl_sync_idx, 0x1f, int)
CASTOR_SHUFFLE(__shfl_up, __nvvm_shfl_sync_up, 0, unsigned)
CASTOR_SHUFFLE(__shfl_down, __nvvm_shfl_sync_down, 0x1f, unsigned)
CASTOR_SHUFFLE(__shfl_xor, __nvvm_shfl_sync_bfly, 0x1f, int)
#undef CASTOR_SHUFFLE

#define CASTOR_MATCH(type, suffix, reg)                                                           \
  static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, type v) {            \
    unsigned r;                                                                                   \
    asm volatile("match.any.sync." suffix " %0, %1, %2;" : "=r"(r) : reg(v), "r"(mask));          \
    return r;                                                                                     \
  }                                                                                               \
  static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, type v, int* pred) { \
    unsigned r;                                                                                   \
    int p;                                                                                        \
    asm volatile("{\n\t.reg .pred %%castor_p;\n\tmatch.all.sync." suffix                          \
                 " %0|%%castor_p, %2, %3;\n\tselp.b32 %1, 1, 0, %%castor_p;\n\t}"                 \
                 : "=r"(r), "=r"(p)                                                               \
                 : reg(v), "r"(mask));                                                            \
    *pred = p;                                                                                    \
    return r;                                                                                     \
  }
CASTOR_MATCH(unsigned, "b32", "r")
CASTOR_MATCH(unsigned long long, "b64", "l")
#undef CASTOR_MATCH

static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, int v) {
  return __match_any_sync(mask, static_cast<unsigned>(v));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, float v) {
  return __match_any_sync(mask, __float_as_uint(v));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, long long v) {
  return __match_any_sync(mask, static_cast<unsigned long long>(v));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, unsigned long v) {
  return __match_any_sync(mask, static_cast<unsigned long long>(v));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, long v) {
  return __match_any_sync(mask, static_cast<unsigned long long>(v));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, double v) {
  return __match_any_sync(mask, static_cast<unsigned long long>(__double_as_longlong(v)));
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, int v, int* pred) {
  return __match_all_sync(mask, static_cast<unsigned>(v), pred);
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, float v, int* pred) {
  return __match_all_sync(mask, __float_as_uint(v), pred);
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, long long v, int* pred) {
  return __match_all_sync(mask, static_cast<unsigned long long>(v), pred);
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, unsigned long v, int* pred) {
  return __match_all_sync(mask, static_cast<unsigned long long>(v), pred);
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, long v, int* pred) {
  return __match_all_sync(mask, static_cast<unsigned long long>(v), pred);
}
static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, double v, int* pred) {
  return __match_all_sync(mask, static_cast<unsigned long long>(__double_as_longlong(v)), pred);
}

#define CASTOR_REDUX(name, op, type, ptx_type)                                                \
  static __device__ __forceinline__ type name(unsigned mask, type v) {                        \
    type r;                                                                                   \
    asm volatile("redux.sync." op "." ptx_type " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); \
    return r;                                                                                 \
  }
CASTOR_REDUX(__reduce_add_sync, "add", unsigned, "u32")
CASTOR_REDUX(__reduce_add_sync, "add", int, "s32")
CASTOR_REDUX(__reduce_min_sync, "min", unsigned, "u32")
CASTOR_REDUX(__reduce_min_sync, "min", int, "s32")
CASTOR_REDUX(__reduce_max_sync, "max", unsigned, "u32")
CASTOR_REDUX(__reduce_max_sync, "max", int, "s32")
CASTOR_REDUX(__reduce_and_sync, "and", unsigned, "b32")
CASTOR_REDUX(__reduce_or_sync, "or", unsigned, "b32")
CASTOR_REDUX(__reduce_xor_sync, "xor", unsigned, "b32")
#undef CASTOR_REDUX

/// Returns the position of the offset-th set bit of mask, counted from base: upwards for offset > 0, downwards for
/// offset < 0. For offset 0, returns base if that bit is set. Returns 0xffffffff if there is no such bit.
static __device__ __forceinline__ unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> base) & 1u ? base : 0xffffffffu;
  int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if (((mask >> at) & 1u) && --left == 0) return static_cast<unsigned>(at);
  }
  return 0xffffffffu;
}

static __device__ __forceinline__ void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }

/// Hint for profilers; has no effect.
#define __prof_trigger(x) ((void)0)

/// True if a generic pointer refers to the named state space.
static __device__ __forceinline__ unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
static __device__ __forceinline__ unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
static __device__ __forceinline__ unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
static __device__ __forceinline__ unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

#define CASTOR_CVTA(space, number)                                                    \
  static __device__ __forceinline__ size_t __cvta_generic_to_##space(const void* p) { \
    return (size_t)(const void __attribute__((address_space(number)))*)p;             \
  }                                                                                   \
  static __device__ __forceinline__ void* __cvta_##space##_to_generic(size_t p) {     \
    return (void*)(void __attribute__((address_space(number)))*)p;                    \
  }
CASTOR_CVTA(global, 1)
CASTOR_CVTA(shared, 3)
CASTOR_CVTA(constant, 4)
CASTOR_CVTA(local, 5)
#undef CASTOR_CVTA

#define CASTOR_DP(name, ptx, ra, rb, r)                                                             \
  static __device__ __forceinline__ r name(ra a, rb b, r c) {                                       \
    r d;                                                                                            \
    asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(castor_word_of(a)), "r"(castor_word_of(b)), "r"(c)); \
    return d;                                                                                       \
  }
template <class T>
static __device__ __forceinline__ unsigned castor_word_of(T v) {
  unsigned w = 0;
  static_assert(sizeof(T) <= sizeof(w), "packed operand of at most 32 bits");
  __builtin_memcpy(&w, &v, sizeof(v));
  return w;
}
CASTOR_DP(__dp4a, "dp4a.s32.s32", int, int, int)
CASTOR_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
CASTOR_DP(__dp4a, "dp4a.s32.s32", char4, char4, int)
CASTOR_DP(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned)
CASTOR_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
CASTOR_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
CASTOR_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
CASTOR_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
CASTOR_DP(__dp2a_lo, "dp2a.lo.s32.s32", short2, char4, int)
CASTOR_DP(__dp2a_lo, "dp2a.lo.u32.u32", ushort2, uchar4, unsigned)
CASTOR_DP(__dp2a_hi, "dp2a.hi.s32.s32", short2, char4, int)
CASTOR_DP(__dp2a_hi, "dp2a.hi.u32.u32", ushort2, uchar4, unsigned)
#undef CASTOR_DP

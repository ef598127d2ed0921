// Integer and bit functions.
#include "common.h"

INLINE int __nv_abs(int a) { return a < 0 ? -a : a; }
INLINE long __nv_llabs(long a) { return a < 0 ? -a : a; }
INLINE int __nv_min(int a, int b) { return a < b ? a : b; }
INLINE int __nv_max(int a, int b) { return a > b ? a : b; }
INLINE uint __nv_umin(uint a, uint b) { return a < b ? a : b; }
INLINE uint __nv_umax(uint a, uint b) { return a > b ? a : b; }
INLINE long __nv_llmin(long a, long b) { return a < b ? a : b; }
INLINE long __nv_llmax(long a, long b) { return a > b ? a : b; }
INLINE ulong __nv_ullmin(ulong a, ulong b) { return a < b ? a : b; }
INLINE ulong __nv_ullmax(ulong a, ulong b) { return a > b ? a : b; }

INLINE int __nv_brev(int a) { return (int)__builtin_bitreverse32((uint)a); }
INLINE long __nv_brevll(long a) { return (long)__builtin_bitreverse64((ulong)a); }
INLINE int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz((uint)a); }
INLINE int __nv_clzll(long a) { return a == 0 ? 64 : __builtin_clzl((ulong)a); }
INLINE int __nv_popc(int a) { return __builtin_popcount((uint)a); }
INLINE int __nv_popcll(long a) { return __builtin_popcountl((ulong)a); }
/// Returns the position of the lowest set bit, counted from 1; 0 if no bit is set.
INLINE int __nv_ffs(int a) { return a == 0 ? 0 : 32 - __builtin_clz((uint)a & (0u - (uint)a)); }
INLINE int __nv_ffsll(long a) { return a == 0 ? 0 : 64 - __builtin_clzl((ulong)a & (0ul - (ulong)a)); }
INLINE int __nv_byte_perm(int a, int b, int selector) { return __nvvm_prmt(a, b, selector); }

INLINE int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
INLINE uint __nv_umulhi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }
INLINE long __nv_mul64hi(long a, long b) {
  long r;
  __asm__("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
  return r;
}
INLINE ulong __nv_umul64hi(ulong a, ulong b) {
  ulong r;
  __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
  return r;
}
INLINE int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
INLINE uint __nv_umul24(uint a, uint b) { return __nvvm_mul24_ui(a, b); }

// Averages without overflow: the common bits plus half of the differing bits, rounded down or up.
INLINE int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
INLINE int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
INLINE int __nv_uhadd(uint a, uint b) { return (int)((a & b) + ((a ^ b) >> 1)); }
INLINE uint __nv_urhadd(uint a, uint b) { return (a | b) - ((a ^ b) >> 1); }
INLINE int __nv_sad(int a, int b, int c) { return __nvvm_sad_i(a, b, c); }
INLINE uint __nv_usad(uint a, uint b, uint c) { return __nvvm_sad_ui(a, b, c); }

// SIMD-in-word functions: two 16-bit or four 8-bit lanes of a 32-bit integer (__vadd2, __vcmpgts4 ...).
//
// Plain integer code, since the platform has no instructions for these functions.
#include "common.h"

// Returns lane i of a word with lanes of `bits` bits, sign-extended (LANE_S) or zero-extended (LANE_U).
#define LANE_S(v, i, bits) ((int)((uint)(v) << (32 - (bits) * ((i) + 1))) >> (32 - (bits)))
#define LANE_U(v, i, bits) (int)(((uint)(v) >> ((bits) * (i))) & ((1u << (bits)) - 1u))

#define MAP(count, expr)                                       \
  {                                                            \
    const int bits = 32 / (count);                             \
    const uint lane_mask = (1u << bits) - 1u;                  \
    const int smax = (int)(lane_mask >> 1), smin = -smax - 1;  \
    const int umax = (int)lane_mask;                           \
    uint r = 0;                                                \
    _Pragma("unroll") for (int i = 0; i < (count); ++i) {      \
      int sa = LANE_S(a, i, bits), ua = LANE_U(a, i, bits);    \
      int sb = LANE_S(b, i, bits), ub = LANE_U(b, i, bits);    \
      (void)sa, (void)ua, (void)sb, (void)ub;                  \
      (void)smax, (void)smin, (void)umax;                      \
      r |= ((uint)(expr) & lane_mask) << (bits * i);           \
    }                                                          \
    return (int)r;                                             \
  }
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define ABS(v) ((v) < 0 ? -(v) : (v))

#define BINARY(name, expr)                                     \
  int __nv_##name##2(int a, int b) MAP(2, expr)                \
  int __nv_##name##4(int a, int b) MAP(4, expr)
#define UNARY(name, expr)                                      \
  int __nv_##name##2(int a) {                                  \
    const int b = 0;                                           \
    MAP(2, expr)                                               \
  }                                                            \
  int __nv_##name##4(int a) {                                  \
    const int b = 0;                                           \
    MAP(4, expr)                                               \
  }
#define COMPARE(name, l, r, op)                                \
  BINARY(vcmp##name, (l op r) ? umax : 0)                      \
  BINARY(vset##name, (l op r) ? 1 : 0)

UNARY(vabs, ABS(sa))
UNARY(vabsss, CLAMP(ABS(sa), smin, smax))
UNARY(vneg, -sa)
UNARY(vnegss, CLAMP(-sa, smin, smax))
BINARY(vabsdiffs, ABS(sa - sb))
BINARY(vabsdiffu, ABS(ua - ub))
BINARY(vadd, sa + sb)
BINARY(vaddss, CLAMP(sa + sb, smin, smax))
BINARY(vaddus, CLAMP(ua + ub, 0, umax))
BINARY(vsub, sa - sb)
BINARY(vsubss, CLAMP(sa - sb, smin, smax))
BINARY(vsubus, CLAMP(ua - ub, 0, umax))
BINARY(vavgs, (sa + sb + ((sa + sb) >= 0)) >> 1)
BINARY(vavgu, (ua + ub + 1) >> 1)
BINARY(vhaddu, (ua + ub) >> 1)
BINARY(vmaxs, sa > sb ? sa : sb)
BINARY(vmaxu, ua > ub ? ua : ub)
BINARY(vmins, sa < sb ? sa : sb)
BINARY(vminu, ua < ub ? ua : ub)
COMPARE(eq, ua, ub, ==)
COMPARE(ne, ua, ub, !=)
COMPARE(ges, sa, sb, >=)
COMPARE(geu, ua, ub, >=)
COMPARE(gts, sa, sb, >)
COMPARE(gtu, ua, ub, >)
COMPARE(les, sa, sb, <=)
COMPARE(leu, ua, ub, <=)
COMPARE(lts, sa, sb, <)
COMPARE(ltu, ua, ub, <)

// Sums of absolute differences over all lanes of a word.
#define SAD(name, count, lane)                                 \
  int __nv_##name##count(int a, int b) {                       \
    const int bits = 32 / (count);                             \
    int sum = 0;                                               \
    _Pragma("unroll") for (int i = 0; i < (count); ++i) {      \
      int d = lane(a, i, bits) - lane(b, i, bits);             \
      sum += ABS(d);                                           \
    }                                                          \
    return sum;                                                \
  }
SAD(vsads, 2, LANE_S)
SAD(vsads, 4, LANE_S)
SAD(vsadu, 2, LANE_U)
SAD(vsadu, 4, LANE_U)

#undef LANE_S
#undef LANE_U
#undef MAP
#undef CLAMP
#undef ABS
#undef BINARY
#undef UNARY
#undef COMPARE
#undef SAD

// Fast intrinsics (__sinf, __expf ...) as approximate PTX instructions, as CUDA documents them.
#include "common.h"

#define LOG2_E 1.44269504088896340736f
#define LN_2 0.693147180559945309417f
#define LOG2_10 3.32192809488736234787f
#define LOG10_2 0.301029995663981195214f

INLINE float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
INLINE float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
INLINE float __nv_fast_tanf(float a) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)); }
INLINE void __nv_fast_sincosf(float a, float* s, float* c) {
  *s = __nvvm_sin_approx_f(a);
  *c = __nvvm_cos_approx_f(a);
}
INLINE float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * LOG2_E); }
INLINE float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * LOG2_10); }
INLINE float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * LN_2; }
INLINE float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
INLINE float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * LOG10_2; }
INLINE float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
INLINE float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

#undef LOG2_E
#undef LN_2
#undef LOG2_10
#undef LOG10_2

// Replacements of libclc functions that are wrong for some arguments, by functions of the device library. In double
// precision libclc's sine, cosine and tangent read past the end of their table for large arguments, and its hyperbolic
// functions read before the start of theirs. Its gamma functions fail for negative arguments, and erfc for large ones
// in single precision. Its cospi and tanpi give zeros and infinities the wrong sign.
#include "common.h"
#include "opencl_vectors.h"

#define FUNCTION1(type, name, by)                                         \
  type by(type x);                                                        \
  __attribute__((overloadable)) type name(type x) { return by(x); }       \
  VECTORS1(type, name)

FUNCTION1(double, sin, __nv_sin)
FUNCTION1(double, cos, __nv_cos)
FUNCTION1(double, tan, __nv_tan)
FUNCTION1(double, sinpi, __nv_sinpi)
FUNCTION1(double, cospi, __nv_cospi)
FUNCTION1(double, sinh, __nv_sinh)
FUNCTION1(double, cosh, __nv_cosh)
FUNCTION1(double, tgamma, __nv_tgamma)
FUNCTION1(float, sinpi, __nv_sinpif)
FUNCTION1(float, cospi, __nv_cospif)
FUNCTION1(float, tgamma, __nv_tgammaf)
FUNCTION1(float, lgamma, __nv_lgammaf)
FUNCTION1(float, erfc, __nv_erfcf)

__attribute__((overloadable)) double tanpi(double x) { return sinpi(x) / cospi(x); }
VECTORS1(double, tanpi)
__attribute__((overloadable)) float tanpi(float x) { return sinpi(x) / cospi(x); }
VECTORS1(float, tanpi)

// Vector forms of functions that return a second result through a pointer, for each address space.
#define VECTORS_POINTER(type, space, other, name)                                                      \
  __attribute__((overloadable)) type##2 name(type##2 v, space other##2 *p) {                           \
    return (type##2)(name(v.x, (space other*)p), name(v.y, (space other*)p + 1));                      \
  }                                                                                                    \
  __attribute__((overloadable)) type##3 name(type##3 v, space other##3 *p) {                           \
    type##2 low = name(v.xy, (space other##2 *)p);                                                     \
    return (type##3)(low, name(v.z, (space other*)p + 2));                                             \
  }                                                                                                    \
  __attribute__((overloadable)) type##4 name(type##4 v, space other##4 *p) {                           \
    return (type##4)(name(v.lo, (space other##2 *)p), name(v.hi, (space other##2 *)p + 1));            \
  }                                                                                                    \
  __attribute__((overloadable)) type##8 name(type##8 v, space other##8 *p) {                           \
    return (type##8)(name(v.lo, (space other##4 *)p), name(v.hi, (space other##4 *)p + 1));            \
  }                                                                                                    \
  __attribute__((overloadable)) type##16 name(type##16 v, space other##16 *p) {                        \
    return (type##16)(name(v.lo, (space other##8 *)p), name(v.hi, (space other##8 *)p + 1));           \
  }
void __nv_sincos(double x, double* sine, double* cosine);
#define SINCOS(space)                                                              \
  __attribute__((overloadable)) double sincos(double x, space double* cosine) {    \
    double s, c;                                                                   \
    __nv_sincos(x, &s, &c);                                                        \
    *cosine = c;                                                                   \
    return s;                                                                      \
  }                                                                                \
  VECTORS_POINTER(double, space, double, sincos)
SINCOS(__private)
SINCOS(__local)
SINCOS(__global)

// Returns the sign of the gamma function: negative at -0, between -1 and 0, between -3 and -2, and so on; 0 at the
// other poles.
static int sign_of_gamma(float x) {
  if (!(x <= 0.0f) || as_uint(x) == 0u) return 1;
  float whole = floor(x);
  if (x == whole && x < 0.0f) return 0;
  return x == 0.0f || fmod(whole, 2.0f) != 0.0f ? -1 : 1;
}
#define LGAMMA_R(space)                                                            \
  __attribute__((overloadable)) float lgamma_r(float x, space int* sign) {         \
    *sign = sign_of_gamma(x);                                                      \
    return lgamma(x);                                                              \
  }                                                                                \
  VECTORS_POINTER(float, space, int, lgamma_r)
LGAMMA_R(__private)
LGAMMA_R(__local)
LGAMMA_R(__global)

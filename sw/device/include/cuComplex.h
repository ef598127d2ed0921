// Complex numbers of CUDA, cuFloatComplex and cuDoubleComplex, for host and device.
#pragma once
#define CU_COMPLEX_H_

#include <math.h>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CASTOR_HD static inline __host__ __device__

// `suffix`: f for single precision, empty for double.
#define CASTOR_COMPLEX(type, real, suffix)                                                                    \
  CASTOR_HD real cuCreal##suffix(type x) { return x.x; }                                                      \
  CASTOR_HD real cuCimag##suffix(type x) { return x.y; }                                                      \
  CASTOR_HD type castor_make_complex##suffix(real r, real i) {                                                \
    type z;                                                                                                   \
    z.x = r;                                                                                                  \
    z.y = i;                                                                                                  \
    return z;                                                                                                 \
  }                                                                                                           \
  CASTOR_HD type cuConj##suffix(type x) { return castor_make_complex##suffix(x.x, -x.y); }                    \
  CASTOR_HD type cuCadd##suffix(type x, type y) { return castor_make_complex##suffix(x.x + y.x, x.y + y.y); } \
  CASTOR_HD type cuCsub##suffix(type x, type y) { return castor_make_complex##suffix(x.x - y.x, x.y - y.y); } \
  CASTOR_HD type cuCmul##suffix(type x, type y) {                                                             \
    return castor_make_complex##suffix(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                         \
  }                                                                                                           \
  /* Scaled by the divisor, so that its square cannot overflow. */                                            \
  CASTOR_HD type cuCdiv##suffix(type x, type y) {                                                             \
    real s = fabs##suffix(y.x) + fabs##suffix(y.y);                                                           \
    real a = x.x / s, b = x.y / s, c = y.x / s, d = y.y / s;                                                  \
    real n = c * c + d * d;                                                                                   \
    return castor_make_complex##suffix((a * c + b * d) / n, (b * c - a * d) / n);                             \
  }                                                                                                           \
  CASTOR_HD real cuCabs##suffix(type x) { return hypot##suffix(x.x, x.y); }                                   \
  CASTOR_HD type cuCfma##suffix(type x, type y, type d) { return cuCadd##suffix(cuCmul##suffix(x, y), d); }
CASTOR_COMPLEX(cuFloatComplex, float, f)
CASTOR_COMPLEX(cuDoubleComplex, double, )
#undef CASTOR_COMPLEX

CASTOR_HD cuFloatComplex make_cuFloatComplex(float r, float i) { return castor_make_complexf(r, i); }
CASTOR_HD cuDoubleComplex make_cuDoubleComplex(double r, double i) { return castor_make_complex(r, i); }
CASTOR_HD cuComplex make_cuComplex(float r, float i) { return castor_make_complexf(r, i); }
CASTOR_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
CASTOR_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex(static_cast<float>(c.x), static_cast<float>(c.y));
}

#undef CASTOR_HD

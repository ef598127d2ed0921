// States of the generators of curand_kernel.h; host code may allocate and copy them.
#pragma once

#include "vector_types.h"

/// A normal number that the last call left over: Box and Muller's method makes two. Part of each state.
typedef struct castor_spare_normals {
  int has_float;
  int has_double;
  float as_float;
  double as_double;
} castor_spare_normals;

/// XORWOW: `d` is the Weyl sequence, `v` the xorshift's words, the newest last.
struct curandStateXORWOW {
  unsigned int d;
  unsigned int v[5];
  castor_spare_normals spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

/// Philox4x32-10: `output` are the four numbers of `ctr`; the next one given out is number STATE of them.
struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;
  castor_spare_normals spare;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/// MRG32k3a: the last three values of each recurrence, the oldest first.
struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  castor_spare_normals spare;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

// States of the random number generators of curand_kernel.h; host code may allocate and copy them.
#pragma once

#include "vector_types.h"

/// Normal number kept for the next call, since Box and Muller's method makes two at a time. Part of each state.
typedef struct castor_spare_normals {
  int has_float;
  int has_double;
  float as_float;
  double as_double;
} castor_spare_normals;

/// State of XORWOW. `d`: value of the Weyl sequence. `v`: words of the xorshift, the newest last.
struct curandStateXORWOW {
  unsigned int d;
  unsigned int v[5];
  castor_spare_normals spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

/// State of Philox4x32-10. `output`: the four numbers of counter `ctr`. STATE: index in `output` of the next number to
/// return.
struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;
  castor_spare_normals spare;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/// State of MRG32k3a: the last three values of each recurrence, the oldest first.
struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  castor_spare_normals spare;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

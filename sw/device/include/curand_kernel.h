// Random numbers in device code: the generators XORWOW (the default), Philox4_32_10 and MRG32k3a of cuRAND's device
// API, with their uniform, normal, log-normal and Poisson distributions.
//
// Properties of the sequences:
//   * Philox4x32-10 equals the generator of Salmon, Moraes, Dror and Shaw (2011) bit by bit. The seed is its key, and
//     the subsequence is the upper half of its counter.
//   * MRG32k3a equals the generator of L'Ecuyer (1999). Seed 0 gives his default state (all 12345). Subsequences are
//     his substreams, 2^76 steps apart, and sequences are his streams, 2^127 steps apart. The mapping of other seeds to
//     the state, and of a value to the 32 bits of curand(), could not be checked against a published value.
//   * XORWOW equals the generator of Marsaglia (2003); subsequences are 2^67 steps apart. The mapping of a seed to the
//     state could not be checked against a published value: numbers may differ from NVIDIA's.
//   * Uniform numbers are computed from the bits as in NVIDIA's library. Normal and log-normal numbers use Box and
//     Muller's method on the same bits in the same order, but with this library's functions, so their last bits may
//     differ. Poisson numbers use other methods (random_distributions.h): the same distribution, another sequence.
//
// Not included: the quasi-random generators (Sobol), MTGP32, discrete distributions, and the host side (curand.h).
#pragma once
#define CURAND_KERNEL_H_

#include "castor_cuda/random_states.h"
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
#define CURAND_2PI (6.2831855f)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_PI_DOUBLE (3.1415926535897932)

#define CASTOR_RAND static __device__ inline

#include "castor_cuda/random_distributions.h"

#define CASTOR_NO_GENERATOR                                                                                           \
  "castor-cc: of cuRAND's device generators there are XORWOW (curandState), Philox4_32_10 and MRG32k3a; take one of " \
  "these"
#define CASTOR_REFUSE_STATE(name)                                \
  struct __attribute__((unavailable(CASTOR_NO_GENERATOR))) name; \
  typedef struct name name##_t __attribute__((unavailable(CASTOR_NO_GENERATOR)));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunavailable-declarations"
CASTOR_REFUSE_STATE(curandStateMtgp32)
CASTOR_REFUSE_STATE(curandStateSobol32)
CASTOR_REFUSE_STATE(curandStateScrambledSobol32)
CASTOR_REFUSE_STATE(curandStateSobol64)
CASTOR_REFUSE_STATE(curandStateScrambledSobol64)
#pragma clang diagnostic pop
#undef CASTOR_REFUSE_STATE
#undef CASTOR_NO_GENERATOR
#undef CASTOR_RAND

#endif

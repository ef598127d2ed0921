// Random numbers in device code: the generators XORWOW (the default), Philox4_32_10 and MRG32k3a of cuRAND's device
// API, with their uniform, normal, log-normal and Poisson distributions.
//
// What is known of the sequences:
//   * Philox4x32-10 is that of Salmon, Moraes, Dror and Shaw (2011), bit by bit; seed and subsequence are its key and
//     the upper half of its counter.
//   * MRG32k3a is L'Ecuyer's (1999): the state after seed 0 is his default one (all 12345), subsequences are his
//     substreams, 2^76 steps apart, sequences his streams, 2^127 apart. How another seed enters the state and how
//     curand() makes 32 bits of a value could not be checked against a published value.
//   * XORWOW is Marsaglia's (2003), subsequences are 2^67 steps apart. How a seed enters the state could not be checked
//     against a published value either: do not count on NVIDIA's very numbers.
//   * Uniform numbers are made as NVIDIA's. Normal and log-normal ones are Box and Muller's, from the same bits in the
//     same order, but with this library's functions, so that last bits may differ. Poisson numbers come from other
//     methods (see random_distributions.h): the distribution is the same, the sequence is not.
//
// Not here: the quasi-random generators (Sobol), MTGP32, discrete distributions, and the host side (curand.h).
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

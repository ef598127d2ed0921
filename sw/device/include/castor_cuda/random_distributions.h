// Distributions of random numbers from the generators of curand_kernel.h.
#pragma once

#include "castor_cuda/random_mrg32k3a.h"
#include "castor_cuda/random_philox.h"
#include "castor_cuda/random_xorwow.h"

// Uniform numbers, above 0 and up to 1.
CASTOR_RAND float castor_unit(unsigned int x) { return x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f); }
CASTOR_RAND double castor_unit(unsigned int x, unsigned int y) {
  unsigned long long bits = x ^ (static_cast<unsigned long long>(y) << 21);
  return bits * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
CASTOR_RAND float curand_uniform(curandStateXORWOW_t* state) { return castor_unit(curand(state)); }
CASTOR_RAND float curand_uniform(curandStatePhilox4_32_10_t* state) { return castor_unit(curand(state)); }
CASTOR_RAND float curand_uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(curand_MRG32k3a(state) * MRG32K3A_NORM);
}
CASTOR_RAND float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  uint4 bits = curand4(state);
  return make_float4(castor_unit(bits.x), castor_unit(bits.y), castor_unit(bits.z), castor_unit(bits.w));
}
CASTOR_RAND double curand_uniform_double(curandStateXORWOW_t* state) {
  unsigned int x = curand(state);
  return castor_unit(x, curand(state));
}
CASTOR_RAND double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  unsigned int x = curand(state);
  return castor_unit(x, curand(state));
}
/// Returns a uniform number, one of the about 2^32 values of the generator.
CASTOR_RAND double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return curand_MRG32k3a(state) * MRG32K3A_NORM;
}
CASTOR_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  uint4 bits = curand4(state);
  return make_double2(castor_unit(bits.x, bits.y), castor_unit(bits.z, bits.w));
}
CASTOR_RAND double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  double2 first = curand_uniform2_double(state);
  double2 second = curand_uniform2_double(state);
  return make_double4(first.x, first.y, second.x, second.y);
}

// Pairs of normal numbers by the method of Box and Muller (1958); the first number is the sine's.
CASTOR_RAND float2 castor_box_muller(float radius, float angle) {
  float s = sqrtf(-2.0f * logf(radius));
  float2 pair;
  sincosf(angle, &pair.x, &pair.y);
  return make_float2(pair.x * s, pair.y * s);
}
CASTOR_RAND float2 castor_box_muller_of(unsigned int x, unsigned int y) {
  return castor_box_muller(castor_unit(x), y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2.0f));
}
CASTOR_RAND double2 castor_box_muller_double(double radius, double half_turns) {
  double s = sqrt(-2.0 * log(radius));
  double2 pair;
  sincospi(half_turns, &pair.x, &pair.y);
  return make_double2(pair.x * s, pair.y * s);
}
CASTOR_RAND double2 castor_box_muller_double_of(uint4 bits) {
  return castor_box_muller_double(castor_unit(bits.x, bits.y), 2.0 * castor_unit(bits.z, bits.w));
}

CASTOR_RAND float2 curand_normal2(curandStateXORWOW_t* state) {
  unsigned int x = curand(state);
  return castor_box_muller_of(x, curand(state));
}
CASTOR_RAND float2 curand_normal2(curandStatePhilox4_32_10_t* state) {
  unsigned int x = curand(state);
  return castor_box_muller_of(x, curand(state));
}
CASTOR_RAND float2 curand_normal2(curandStateMRG32k3a_t* state) {
  float x = curand_uniform(state);
  return castor_box_muller(x, curand_uniform(state) * CURAND_2PI);
}
CASTOR_RAND float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  uint4 bits = curand4(state);
  float2 first = castor_box_muller_of(bits.x, bits.y);
  float2 second = castor_box_muller_of(bits.z, bits.w);
  return make_float4(first.x, first.y, second.x, second.y);
}
CASTOR_RAND double2 curand_normal2_double(curandStateXORWOW_t* state) {
  uint4 bits;
  bits.x = curand(state);
  bits.y = curand(state);
  bits.z = curand(state);
  bits.w = curand(state);
  return castor_box_muller_double_of(bits);
}
CASTOR_RAND double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) {
  return castor_box_muller_double_of(curand4(state));
}
CASTOR_RAND double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
  double x = curand_uniform_double(state);
  return castor_box_muller_double(x, 2.0 * curand_uniform_double(state));
}
CASTOR_RAND double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  double2 first = curand_normal2_double(state);
  double2 second = curand_normal2_double(state);
  return make_double4(first.x, first.y, second.x, second.y);
}

/// Returns a normal number. The second number of the pair is kept for the next call.
template <class State>
CASTOR_RAND float curand_normal(State* state) {
  if (state->spare.has_float) {
    state->spare.has_float = 0;
    return state->spare.as_float;
  }
  float2 pair = curand_normal2(state);
  state->spare.has_float = 1;
  state->spare.as_float = pair.y;
  return pair.x;
}
template <class State>
CASTOR_RAND double curand_normal_double(State* state) {
  if (state->spare.has_double) {
    state->spare.has_double = 0;
    return state->spare.as_double;
  }
  double2 pair = curand_normal2_double(state);
  state->spare.has_double = 1;
  state->spare.as_double = pair.y;
  return pair.x;
}

// Log-normal numbers. `mean` and `stddev`: parameters of the normal number in the exponent.
template <class State>
CASTOR_RAND float curand_log_normal(State* state, float mean, float stddev) {
  return expf(mean + stddev * curand_normal(state));
}
template <class State>
CASTOR_RAND float2 curand_log_normal2(State* state, float mean, float stddev) {
  float2 pair = curand_normal2(state);
  return make_float2(expf(mean + stddev * pair.x), expf(mean + stddev * pair.y));
}
CASTOR_RAND float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  float4 v = curand_normal4(state);
  return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                     expf(mean + stddev * v.w));
}
template <class State>
CASTOR_RAND double curand_log_normal_double(State* state, double mean, double stddev) {
  return exp(mean + stddev * curand_normal_double(state));
}
template <class State>
CASTOR_RAND double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  double2 pair = curand_normal2_double(state);
  return make_double2(exp(mean + stddev * pair.x), exp(mean + stddev * pair.y));
}

/// Returns a Poisson number. Below 10 the method is the product of uniform numbers (Knuth). Otherwise it is transformed
/// rejection with squeeze (Hoermann, "The transformed rejection method for generating Poisson random variables", 1993).
template <class State>
CASTOR_RAND unsigned int curand_poisson(State* state, double lambda) {
  if (lambda < 10.0) {
    double bound = exp(-lambda);
    double product = curand_uniform_double(state);
    unsigned int count = 0;
    for (; product > bound; ++count) product *= curand_uniform_double(state);
    return count;
  }
  double root = sqrt(lambda);
  double log_lambda = log(lambda);
  double b = 0.931 + 2.53 * root;
  double a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  double squeeze = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    double u = curand_uniform_double(state) - 0.5;
    double v = curand_uniform_double(state);
    double us = 0.5 - fabs(u);
    double k = floor((2.0 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= squeeze) return static_cast<unsigned int>(k);
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -lambda + k * log_lambda - lgamma(k + 1.0)) {
      return static_cast<unsigned int>(k);
    }
  }
}
CASTOR_RAND uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  uint4 v;
  v.x = curand_poisson(state, lambda);
  v.y = curand_poisson(state, lambda);
  v.z = curand_poisson(state, lambda);
  v.w = curand_poisson(state, lambda);
  return v;
}

// The generator XORWOW: a xorshift on five words plus a Weyl sequence (Marsaglia, "Xorshift RNGs", 2003).
#pragma once

#include "castor_cuda/xorwow_jumps.h"

CASTOR_RAND void castor_xorshift(unsigned int (&v)[5]) {
  unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
}

/// Advances `v` by many steps, given as a polynomial in the step function. The result is the sum, over the polynomial's
/// terms i, of the states after i steps.
CASTOR_RAND void castor_xorwow_jump(unsigned int (&v)[5], const unsigned int (&polynomial)[5]) {
  unsigned int sum[5] = {0, 0, 0, 0, 0};
  for (int word = 0; word < 5; ++word) {
    unsigned int terms = polynomial[word];
    for (int bit = 0; bit < 32; ++bit) {
      unsigned int mask = 0u - ((terms >> bit) & 1u);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
      castor_xorshift(v);
    }
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

/// Skips `n` numbers.
CASTOR_RAND void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  state->d += 362437u * static_cast<unsigned int>(n);
  for (int at = 0; n != 0; n >>= 2, at += 3) {
    if (n & 3u) castor_xorwow_jump(state->v, castor_xorwow_steps[at + static_cast<int>(n & 3u) - 1]);
  }
}
/// Skips `n` subsequences of 2^67 numbers. The Weyl sequence has period 2^32, so `d` stays unchanged.
CASTOR_RAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  for (int at = 0; n != 0; n >>= 4, at += 15) {
    if (n & 15u) castor_xorwow_jump(state->v, castor_xorwow_sequences[at + static_cast<int>(n & 15u) - 1]);
  }
}

/// Sets the state for `seed` after 2^67 * subsequence + offset numbers.
CASTOR_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStateXORWOW_t* state) {
  unsigned int low = (static_cast<unsigned int>(seed) ^ 0xaad26b49u) * 1099087573u;
  unsigned int high = (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  state->d = 6615241u + low + high;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  state->spare.has_float = 0;
  state->spare.has_double = 0;
  state->spare.as_float = 0.0f;
  state->spare.as_double = 0.0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

/// Returns 32 random bits.
CASTOR_RAND unsigned int curand(curandStateXORWOW_t* state) {
  castor_xorshift(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

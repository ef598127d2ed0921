// The generator Philox4x32-10: ten rounds over a counter under a key (Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", 2011).
#pragma once

/// Returns the four numbers of a counter and a key.
CASTOR_RAND uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned int high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
    unsigned int high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

/// Adds `low` to the lower and `high` to the upper half of the 128-bit counter, of which ctr.x is the lowest word.
CASTOR_RAND void castor_philox_advance(curandStatePhilox4_32_10_t* state, unsigned long long low,
                                       unsigned long long high) {
  unsigned long long lower = (static_cast<unsigned long long>(state->ctr.y) << 32) | state->ctr.x;
  unsigned long long upper = (static_cast<unsigned long long>(state->ctr.w) << 32) | state->ctr.z;
  lower += low;
  upper += high + (lower < low ? 1u : 0u);
  state->ctr = make_uint4(static_cast<unsigned int>(lower), static_cast<unsigned int>(lower >> 32),
                          static_cast<unsigned int>(upper), static_cast<unsigned int>(upper >> 32));
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}

/// Skips `n` numbers.
CASTOR_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += static_cast<unsigned int>(n & 3u);
  n /= 4;
  if (state->STATE > 3) {
    ++n;  // at most 2^62
    state->STATE -= 4;
  }
  castor_philox_advance(state, n, 0);
}
/// Skips `n` subsequences of 2^66 numbers.
CASTOR_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  castor_philox_advance(state, 0, n);
}

/// Sets the state for key `seed` after 2^66 * subsequence + offset numbers.
CASTOR_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  state->STATE = 0;
  state->spare.has_float = 0;
  state->spare.has_double = 0;
  state->spare.as_float = 0.0f;
  state->spare.as_double = 0.0;
  state->ctr.z = static_cast<unsigned int>(subsequence);
  state->ctr.w = static_cast<unsigned int>(subsequence >> 32);
  skipahead(offset, state);
}

/// Returns 32 random bits.
CASTOR_RAND unsigned int curand(curandStatePhilox4_32_10_t* state) {
  unsigned int which = state->STATE++;
  unsigned int value = which == 0   ? state->output.x
                       : which == 1 ? state->output.y
                       : which == 2 ? state->output.z
                                    : state->output.w;
  if (state->STATE > 3) {
    state->STATE = 0;
    castor_philox_advance(state, 1, 0);
  }
  return value;
}
/// Returns the next four numbers.
CASTOR_RAND uint4 curand4(curandStatePhilox4_32_10_t* state) {
  uint4 before = state->output;
  castor_philox_advance(state, 1, 0);
  uint4 after = state->output;
  if (state->STATE == 0) return before;
  if (state->STATE == 1) return make_uint4(before.y, before.z, before.w, after.x);
  if (state->STATE == 2) return make_uint4(before.z, before.w, after.x, after.y);
  return make_uint4(before.w, after.x, after.y, after.z);
}

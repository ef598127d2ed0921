// The generator MRG32k3a: the difference of two recurrences of order three (L'Ecuyer, "Good parameters and
// implementations for combined multiple recursive random number generators", 1999).
#pragma once

#define MRG32K3A_MOD1 4294967087.0
#define MRG32K3A_MOD2 4294944443.0
/// 1 / (first modulus + 1).
#define MRG32K3A_NORM 2.328306549295728e-10
/// Factor that maps the values from 1 to the first modulus onto 32 bits.
#define MRG32K3A_BITS_NORM 1.000000048662

/// 3x3 matrix modulo `m` that advances one recurrence by some number of steps.
struct castor_mrg_matrix {
  unsigned int at[3][3];
  unsigned int m;
};
CASTOR_RAND castor_mrg_matrix castor_mrg_square(const castor_mrg_matrix& a) {
  castor_mrg_matrix r;
  r.m = a.m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; ++k) sum += static_cast<unsigned long long>(a.at[i][k]) * a.at[k][j] % a.m;
      r.at[i][j] = static_cast<unsigned int>(sum % a.m);
    }
  }
  return r;
}
CASTOR_RAND void castor_mrg_apply(const castor_mrg_matrix& a, unsigned int (&s)[3]) {
  unsigned int r[3];
  for (int i = 0; i < 3; ++i) {
    unsigned long long sum = 0;
    for (int k = 0; k < 3; ++k) sum += static_cast<unsigned long long>(a.at[i][k]) * s[k] % a.m;
    r[i] = static_cast<unsigned int>(sum % a.m);
  }
  for (int i = 0; i < 3; ++i) s[i] = r[i];
}
/// Advances both recurrences by the n-th powers of their matrices.
CASTOR_RAND void castor_mrg_skip(unsigned long long n, castor_mrg_matrix a1, castor_mrg_matrix a2,
                                 curandStateMRG32k3a_t* state) {
  for (; n != 0; n >>= 1) {
    if (n & 1u) {
      castor_mrg_apply(a1, state->s1);
      castor_mrg_apply(a2, state->s2);
    }
    if (n == 1) break;
    a1 = castor_mrg_square(a1);
    a2 = castor_mrg_square(a2);
  }
}

/// Skips `n` numbers.
CASTOR_RAND void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  const castor_mrg_matrix a1 = {{{0, 1, 0}, {0, 0, 1}, {4294156359u, 1403580u, 0}}, 4294967087u};
  const castor_mrg_matrix a2 = {{{0, 1, 0}, {0, 0, 1}, {4293573854u, 0, 527612u}}, 4294944443u};
  castor_mrg_skip(n, a1, a2, state);
}
/// Skips `n` subsequences of 2^76 numbers.
CASTOR_RAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  const castor_mrg_matrix a1 = {{{82758667u, 1871391091u, 4127413238u},
                                 {3672831523u, 69195019u, 1871391091u},
                                 {3672091415u, 3528743235u, 69195019u}},
                                4294967087u};
  const castor_mrg_matrix a2 = {{{1511326704u, 3759209742u, 1610795712u},
                                 {4292754251u, 1511326704u, 3889917532u},
                                 {3859662829u, 4292754251u, 3708466080u}},
                                4294944443u};
  castor_mrg_skip(n, a1, a2, state);
}
/// Skips `n` sequences of 2^127 numbers.
CASTOR_RAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  const castor_mrg_matrix a1 = {{{2427906178u, 3580155704u, 949770784u},
                                 {226153695u, 1230515664u, 3580155704u},
                                 {1988835001u, 986791581u, 1230515664u}},
                                4294967087u};
  const castor_mrg_matrix a2 = {{{1464411153u, 277697599u, 1610723613u},
                                 {32183930u, 1464411153u, 1022607788u},
                                 {2824425944u, 32183930u, 2093834863u}},
                                4294944443u};
  castor_mrg_skip(n, a1, a2, state);
}

/// Sets the state for `seed` after 2^76 * subsequence + offset numbers.
CASTOR_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStateMRG32k3a_t* state) {
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    unsigned long long low = static_cast<unsigned int>(seed) ^ 0x55555555u;
    unsigned long long high = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
      state->s1[i] = static_cast<unsigned int>((i == 1 ? high : low) * 12345u % 4294967087u);
      state->s2[i] = static_cast<unsigned int>((i == 1 ? low : high) * 12345u % 4294944443u);
    }
  }
  state->spare.has_float = 0;
  state->spare.has_double = 0;
  state->spare.as_float = 0.0f;
  state->spare.as_double = 0.0;
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

/// Returns the next number of the generator itself: an integer from 1 to 4294967087, as a double.
CASTOR_RAND double curand_MRG32k3a(curandStateMRG32k3a_t* state) {
  const unsigned long long m1 = 4294967087u, m2 = 4294944443u;
  unsigned long long p1 = (1403580ull * state->s1[1] + 810728ull * (m1 - state->s1[0])) % m1;
  unsigned long long p2 = (527612ull * state->s2[2] + 1370589ull * (m2 - state->s2[0])) % m2;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = static_cast<unsigned int>(p1);
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = static_cast<unsigned int>(p2);
  return static_cast<double>(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
}
/// Returns 32 random bits.
CASTOR_RAND unsigned int curand(curandStateMRG32k3a_t* state) {
  double value = curand_MRG32k3a(state) * MRG32K3A_BITS_NORM;
  return value >= 4294967295.0 ? 4294967295u : static_cast<unsigned int>(value);
}

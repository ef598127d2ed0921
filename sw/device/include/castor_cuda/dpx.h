// DPX functions (dynamic programming): minimum and maximum of three numbers, or of a sum and a number. Variants clamp
// the result at zero (relu) or return the comparison's outcome. All exist for words and for pairs of halfwords.
//
// All functions are plain integer code, so they exist on every target and on the host. A sum wraps at the width of its
// type before it is compared.
#pragma once

#define CASTOR_DPX static __host__ __device__ __forceinline__

template <class T>
CASTOR_DPX T castor_max_of(T a, T b) {
  return b > a ? b : a;
}
template <class T>
CASTOR_DPX T castor_min_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
CASTOR_DPX T castor_wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

#define CASTOR_DPX_OPERATION(name, expression) \
  template <class T>                           \
  CASTOR_DPX T castor_##name(T a, T b, T c) {  \
    return expression;                         \
  }
CASTOR_DPX_OPERATION(vimax3, castor_max_of(castor_max_of(a, b), c))
CASTOR_DPX_OPERATION(vimin3, castor_min_of(castor_min_of(a, b), c))
CASTOR_DPX_OPERATION(viaddmax, castor_max_of(castor_wrapped_sum(a, b), c))
CASTOR_DPX_OPERATION(viaddmin, castor_min_of(castor_wrapped_sum(a, b), c))
#undef CASTOR_DPX_OPERATION

/// Applies an operation to the upper and to the lower halfwords, as values of type T.
template <class T, T (*operation)(T, T, T)>
CASTOR_DPX unsigned castor_by_halves(unsigned a, unsigned b, unsigned c) {
  const T low = operation(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
  const T high = operation(static_cast<T>(a >> 16), static_cast<T>(b >> 16), static_cast<T>(c >> 16));
  return (static_cast<unsigned>(static_cast<unsigned short>(high)) << 16) | static_cast<unsigned short>(low);
}
/// Returns the word if it is positive, else zero; castor_relu_of_halves does this for both signed halfwords.
CASTOR_DPX int castor_relu(int v) { return castor_max_of(v, 0); }
CASTOR_DPX unsigned castor_relu_of_halves(unsigned v) { return castor_by_halves<short, castor_vimax3<short>>(v, 0, 0); }

#define CASTOR_DPX_FAMILY(name)                                                                             \
  CASTOR_DPX int __##name##_s32(int a, int b, int c) { return castor_##name(a, b, c); }                     \
  CASTOR_DPX unsigned __##name##_u32(unsigned a, unsigned b, unsigned c) { return castor_##name(a, b, c); } \
  CASTOR_DPX unsigned __##name##_s16x2(unsigned a, unsigned b, unsigned c) {                                \
    return castor_by_halves<short, castor_##name<short>>(a, b, c);                                          \
  }                                                                                                         \
  CASTOR_DPX unsigned __##name##_u16x2(unsigned a, unsigned b, unsigned c) {                                \
    return castor_by_halves<unsigned short, castor_##name<unsigned short>>(a, b, c);                        \
  }                                                                                                         \
  CASTOR_DPX int __##name##_s32_relu(int a, int b, int c) { return castor_relu(__##name##_s32(a, b, c)); }  \
  CASTOR_DPX unsigned __##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                           \
    return castor_relu_of_halves(__##name##_s16x2(a, b, c));                                                \
  }
CASTOR_DPX_FAMILY(vimax3)
CASTOR_DPX_FAMILY(vimin3)
CASTOR_DPX_FAMILY(viaddmax)
CASTOR_DPX_FAMILY(viaddmin)
#undef CASTOR_DPX_FAMILY

CASTOR_DPX int __vimax_s32_relu(int a, int b) { return castor_relu(castor_max_of(a, b)); }
CASTOR_DPX int __vimin_s32_relu(int a, int b) { return castor_relu(castor_min_of(a, b)); }
CASTOR_DPX unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vimax3_s16x2_relu(a, b, b); }
CASTOR_DPX unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vimin3_s16x2_relu(a, b, b); }

// `*chosen` becomes true if the result is `a`, also if both operands are equal.
#define CASTOR_DPX_CHOICE(name, compare, word, number, half)                                               \
  CASTOR_DPX word name##_##number##32(word a, word b, bool* chosen) {                                      \
    const bool first = a compare b;                                                                        \
    *chosen = first;                                                                                       \
    return first ? a : b;                                                                                  \
  }                                                                                                        \
  CASTOR_DPX unsigned name##_##number##16x2(unsigned a, unsigned b, bool* chosen_high, bool* chosen_low) { \
    const bool high = static_cast<half>(a >> 16) compare static_cast<half>(b >> 16);                       \
    const bool low = static_cast<half>(a) compare static_cast<half>(b);                                    \
    *chosen_high = high;                                                                                   \
    *chosen_low = low;                                                                                     \
    return ((high ? a : b) & 0xffff0000u) | ((low ? a : b) & 0xffffu);                                     \
  }
CASTOR_DPX_CHOICE(__vibmax, >=, int, s, short)
CASTOR_DPX_CHOICE(__vibmax, >=, unsigned, u, unsigned short)
CASTOR_DPX_CHOICE(__vibmin, <=, int, s, short)
CASTOR_DPX_CHOICE(__vibmin, <=, unsigned, u, unsigned short)
#undef CASTOR_DPX_CHOICE
#undef CASTOR_DPX

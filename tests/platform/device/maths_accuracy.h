// Arguments, comparison and table of maths_accuracy.cu.
//
// A row is a function of up to four arguments, in single and in double precision. Its result on the device is compared
// with a reference of 113 bits (the C library's _Float128 functions), rounded to nearest. The error is counted as CUDA
// counts it: steps between neighbouring values from the rounded reference to the result; for some Bessel functions and
// intrinsics the absolute difference. NaN, infinities and the sign of zero have to be those of the reference.
//
// Arguments are drawn by a hash of row, kind and index alone, so every run draws the same ones, and a run with a larger
// `density` draws all arguments of a run with a smaller one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "check.h"

// Device code does not have the type; the reference is host code.
#ifdef __CUDA_ARCH__
using Wide = long double;
#else
using Wide = __float128;
#endif

/// Way in which the second argument of a row is drawn.
enum class Second {
  kNone,      ///< no argument
  kReal,      ///< any value, half of them within 30 binades of the first
  kExponent,  ///< an integer that shifts exponents
  kPower,     ///< a power whose result is in range
  kInteger,   ///< an integer whose power is in range
  kOrder,     ///< the order of a Bessel function
};

constexpr int kMostArguments = 4;
template <class T>
using Arguments = std::array<T, kMostArguments>;

/// A function of the maths library, or a result that the function returns through a pointer.
struct Row {
  const char* name;
  const char* domain;  ///< arguments that are compared, as a condition
  int arity;
  Second second;
  double period;     ///< if not 0, rounded multiples of it are drawn as well
  double low, high;  ///< range of ordinary first arguments
  /// CUDA's bound as text and for given arguments, in steps; negative for an absolute difference.
  const char *single_bound, *wide_bound;
  double (*bound)(double x, double y, bool is_single);
  bool (*is_compared)(double x, double y);
  Wide (*reference)(double x, double y, double z, double t, bool is_single);
  void (*run_single)(const Arguments<float>* arguments, float* results, int n);
  void (*run_wide)(const Arguments<double>* arguments, double* results, int n);  ///< null: no double version
};

inline std::vector<Row>& rows() {
  static std::vector<Row> all;
  return all;
}

/// Returns a hash of the given numbers.
inline unsigned long long hash(unsigned long long a, unsigned long long b = 0, unsigned long long c = 0) {
  unsigned long long h = 0x9e3779b97f4a7c15ull;
  for (unsigned long long v : {a, b, c}) {
    h = (h ^ v) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebull;
    h ^= h >> 29;
  }
  return h;
}
inline double fraction(unsigned long long h) { return static_cast<double>(h >> 11) * 0x1p-53; }

/// Returns the position of a value among all values of its type. -0 has the position of 0.
template <class T>
long long position(T v) {
  std::conditional_t<sizeof(T) == 4, int, long long> bits;
  std::memcpy(&bits, &v, sizeof v);
  return bits < 0 ? static_cast<long long>(std::numeric_limits<decltype(bits)>::min()) - bits : bits;
}

template <class T>
const std::vector<T>& special_values() {
  static const std::vector<T> all = [] {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {0,
                             Limits::denorm_min(),
                             Limits::min() / 2,
                             Limits::min(),
                             Limits::max() / 2,
                             Limits::max(),
                             Limits::infinity(),
                             T(1e-30),
                             T(0x1p-60),
                             T(1e-10),
                             Limits::epsilon() / 2,
                             T(0.001),
                             T(0.25),
                             T(0.5),
                             T(0.75),
                             T(M_PI_4),
                             T(1.5),
                             T(M_PI_2),
                             T(2),
                             T(2.5),
                             T(3),
                             T(M_PI),
                             T(3.5),
                             T(4),
                             T(5),
                             T(8),
                             T(10),
                             T(22),
                             T(23),
                             T(88.5),
                             T(103.5),
                             T(128),
                             T(171),
                             T(709.5),
                             T(745),
                             T(1024),
                             T(105615),
                             T(8388607.5),
                             T(16777215),
                             T(16777216),
                             T(0x1p30),
                             T(0x1p31),
                             T(1e10),
                             T(4503599627370495.5),
                             T(0x1p53 - 1),
                             T(0x1p53),
                             T(0x1p62),
                             T(1e22),
                             T(1e30)};
    // The nearest values to a multiple of pi / 2 (Muller, Elementary Functions, chapter on range reduction).
    values.push_back(sizeof(T) == 4 ? T(16367173 * 0x1p72) : T(6381956970095103 * 0x1p797));
    for (T v : {Limits::min(), T(1)}) {
      values.push_back(std::nextafter(v, T(0)));
      values.push_back(std::nextafter(v, T(2)));
      values.push_back(v);
    }
    for (size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
    values.push_back(Limits::quiet_NaN());
    return values;
  }();
  return all;
}

/// Returns a value of the given binade (0: subnormal) with hashed bits.
template <class T>
T of_binade(int exponent, unsigned long long h) {
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  const Bits bits = (static_cast<Bits>(h & 1) << (8 * sizeof(T) - 1)) | (static_cast<Bits>(exponent) << mantissa) |
                    (static_cast<Bits>(h >> 8) & ((Bits{1} << mantissa) - 1));
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

/// Returns the second argument for a first one.
template <class T>
T second_argument(Second kind, T a, unsigned long long h) {
  constexpr int binades = std::numeric_limits<T>::max_exponent * 2 - 1;
  const double largest = std::numeric_limits<T>::max_exponent * 1.05;
  const double t = 2 * fraction(hash(h, 1)) - 1;
  switch (kind) {
    case Second::kNone:
      return 0;
    case Second::kReal: {
      int exponent = static_cast<int>(hash(h, 2) % binades);
      if ((h & 1) != 0 && a == a && std::fabs(a) > 0 && !std::isinf(a)) {
        exponent = std::clamp(std::ilogb(a) + binades / 2 + static_cast<int>(hash(h, 2) % 61) - 30, 0, binades - 1);
      }
      return of_binade<T>(exponent, hash(h, 3));
    }
    case Second::kExponent:
      return static_cast<T>(static_cast<int>(t * largest * 2.2));
    case Second::kPower:
    case Second::kInteger: {
      const double scale = std::fabs(std::log2(std::fabs(static_cast<double>(a))));
      double power = scale > 0 && scale < 1e300 ? t * largest / scale : 100 * t;
      if (kind == Second::kInteger || a < 0) power = std::trunc(power);
      return static_cast<T>(std::clamp(power, kind == Second::kInteger ? -2147483648.0 : -1e30,
                                       kind == Second::kInteger ? 2147483520.0 : 1e30));
    }
    case Second::kOrder:
      return static_cast<T>(h % 8 == 0 ? 128 : 2 + hash(h, 4) % 20);
  }
  return 0;
}

template <class T>
Wide reference_of(const Row& row, const Arguments<T>& v) {
  return row.reference(v[0], v[1], v[2], v[3], sizeof(T) == 4);
}

/// Appends the values around each change of sign of a function of one argument within its ordinary range.
template <class T>
void append_roots(const Row& row, std::vector<T>& firsts) {
  constexpr int kIntervals = 200;
  auto is_negative = [&](T v) { return reference_of<T>(row, {v, 0, 0, 0}) < 0; };
  for (int i = 0; i < kIntervals; ++i) {
    T left = static_cast<T>(row.low + (row.high - row.low) * i / kIntervals);
    T right = static_cast<T>(row.low + (row.high - row.low) * (i + 1) / kIntervals);
    const bool negative = is_negative(left);
    if (negative == is_negative(right)) continue;
    while (std::nextafter(left, right) < right) {
      const T middle = left + (right - left) / 2;
      (is_negative(middle) == negative ? left : right) = middle;
    }
    for (int k = 0; k < 4; ++k, left = std::nextafter(left, T(-INFINITY)), right = std::nextafter(right, T(INFINITY))) {
      firsts.push_back(left);
      firsts.push_back(right);
    }
  }
}

template <class T>
std::vector<Arguments<T>> arguments_of(const Row& row, int density) {
  using Limits = std::numeric_limits<T>;
  constexpr int binades = Limits::max_exponent * 2 - 1;
  // A hash of the row's name makes the arguments of rows differ.
  unsigned long long seed = 0;
  for (const char* c = row.name; *c != 0; ++c) seed = hash(seed, static_cast<unsigned char>(*c));

  std::vector<T> firsts;
  const bool is_single = sizeof(T) == 4;
  for (int e = 0; e < binades; ++e) {
    for (int j = 0; j < (is_single ? 4 : 1) * density; ++j) firsts.push_back(of_binade<T>(e, hash(seed, e, j)));
  }
  for (int j = 0; j < 1000 * density; ++j) {
    firsts.push_back(static_cast<T>(row.low + (row.high - row.low) * fraction(hash(seed, 1u << 20, j))));
  }
  if (row.period != 0) {
    for (int j = 0; j < 500 * density; ++j) {
      const unsigned long long h = hash(seed, 2u << 20, j);
      T v = static_cast<T>(
          static_cast<Wide>(row.period == M_PI_2 ? 1.5707963267948966192313216916397514L : row.period) *
          static_cast<Wide>(static_cast<long long>(h) >> (hash(h) % (Limits::digits - 1) + 65 - Limits::digits)));
      const int steps = static_cast<int>(hash(h, 1) % 5) - 2;
      for (int k = 0; k < std::abs(steps); ++k) v = std::nextafter(v, steps < 0 ? T(-INFINITY) : T(INFINITY));
      firsts.push_back(v);
    }
  }
  if (row.arity == 1) append_roots(row, firsts);

  // Each further argument is derived from the previous one. An index would change with the density.
  auto drawn_by = [&](T v, unsigned number) {
    return hash(seed, number, static_cast<unsigned long long>(position(v)));
  };
  std::vector<Arguments<T>> all;
  for (T first : firsts) {
    Arguments<T> v = {first, 0, 0, 0};
    v[1] = second_argument(row.second, first, drawn_by(first, 1));
    for (int k = 2; k < row.arity; ++k) v[k] = second_argument(Second::kReal, v[k - 1], drawn_by(v[k - 1], k));
    all.push_back(v);
  }
  // All special values, all pairs of them, and some of the combinations of more.
  const std::vector<T>& special = special_values<T>();
  for (T a : special) {
    if (row.arity == 1) {
      all.push_back({a, 0, 0, 0});
    } else if (row.second == Second::kReal || row.second == Second::kPower) {
      for (T b : special) {
        const size_t c = drawn_by(a, 4) ^ drawn_by(b, 5), d = hash(c);
        all.push_back({a, b, special[c % special.size()], special[d % special.size()]});
      }
    } else {
      for (T b :
           {0, 1, 2, 3, -1, -2, 24, -24, 127, 128, -126, -149, -150, 1023, 1024, -1022, -1074, -1075, 2100, -2100}) {
        if (row.second != Second::kOrder || (b >= 2 && b < 25)) all.push_back({a, b, 0, 0});
      }
      if (row.second != Second::kOrder)
        all.push_back({a, T(2147483520), 0, 0}), all.push_back({a, T(-2147483648.0), 0, 0});
    }
  }
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Arguments<T>& v) { return !row.is_compared(v[0], v[1]); }),
            all.end());
  return all;
}

/// Errors found for a row in one precision.
struct Finding {
  size_t n = 0;
  double largest = 0;  ///< largest error, in steps or absolute
  size_t beyond = 0;   ///< results beyond CUDA's bound, or with another special value
  std::string worst;   ///< call with the largest excess
};

template <class T>
Finding measure(const Row& row, int density, void (*run)(const Arguments<T>*, T*, int)) {
  const std::vector<Arguments<T>> arguments = arguments_of<T>(row, density);
  std::vector<T> results(arguments.size());
  run(arguments.data(), results.data(), static_cast<int>(arguments.size()));
  Finding found;
  found.n = arguments.size();
  double most = -1;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Arguments<T>& v = arguments[i];
    const Wide exact = reference_of<T>(row, v);
    const T want = static_cast<T>(exact);
    const T got = results[i];
    const double limit = row.bound(v[0], v[1], sizeof(T) == 4);
    double error = 0;
    bool is_wrong = false;
    if (want != want || got != got) {
      is_wrong = (want != want) != (got != got);
    } else if (limit < 0 && !std::isinf(want) && !std::isinf(got)) {
      const Wide difference = static_cast<Wide>(got) - exact;
      error = static_cast<double>(difference < 0 ? -difference : difference);
    } else {
      error = static_cast<double>(position(got)) - static_cast<double>(position(want));
      error = std::fabs(std::fabs(error) < 0x1p50 ? static_cast<double>(position(got) - position(want)) : error);
      is_wrong = want == 0 && got == 0 && std::signbit(want) != std::signbit(got);
    }
    const bool is_beyond = is_wrong || error > std::fabs(limit);
    found.largest = std::max(found.largest, error);
    found.beyond += is_beyond ? 1 : 0;
    const double excess = is_wrong ? INFINITY : std::fabs(limit) > 0 ? error / std::fabs(limit) : error;
    if (excess > most) {
      most = excess;
      char text[300];
      std::snprintf(text, sizeof text, "(%.17g, %.17g, %.17g) = %.17g, not %.17g", double(v[0]), double(v[1]),
                    double(v[2]), double(got), double(want));
      found.worst = text;
    }
  }
  return found;
}

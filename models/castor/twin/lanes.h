#pragma once

#include <array>
#include <type_traits>

namespace castor::twin {

/// A port of several equal elements: element i, of b bits, is at [i*b +: b] of the packed port. `N` is the largest
/// number of elements over all legal parameters. Elements beyond the number of a parameter set are 0.
template <class T, unsigned N>
struct Lanes {
  using Element = T;
  static constexpr unsigned kElements = N;

  std::array<T, N> elements{};

  [[nodiscard]] constexpr T& operator[](unsigned index) { return elements[index]; }
  [[nodiscard]] constexpr const T& operator[](unsigned index) const { return elements[index]; }
  [[nodiscard]] friend constexpr bool operator==(const Lanes& a, const Lanes& b) {
    if constexpr (std::is_integral_v<T>) {
      T differ = 0;  // no early exit: the compiler can then compare many elements at once
      for (unsigned i = 0; i < N; ++i) differ = static_cast<T>(differ | (a.elements[i] ^ b.elements[i]));
      return differ == 0;
    } else {
      return a.elements == b.elements;
    }
  }
  [[nodiscard]] friend constexpr bool operator!=(const Lanes& a, const Lanes& b) { return !(a == b); }
};

template <class T>
inline constexpr bool is_lanes = false;
template <class T, unsigned N>
inline constexpr bool is_lanes<Lanes<T, N>> = true;

}  // namespace castor::twin

#pragma once

#include <array>
#include <cstdint>

namespace castor::twin {

/// A vector of up to `N` bits, bit 0 first: the C++ type of a port wider than 64 bits, such as a mask over queues or
/// warps.
///
/// `N` is the largest width over all legal parameters. A parameter set may use fewer bits; the bits above them are 0.
/// The layout is that of a packed vector in hardware: word i holds bits 64 i + 63 .. 64 i. No function checks its
/// index.
template <unsigned N>
class Bits {
 public:
  static constexpr unsigned kBits = N;
  static constexpr unsigned kWords = (N + 63) / 64;

  constexpr Bits() = default;
  /// Sets bits 63..0 to `low` and all others to 0.
  constexpr explicit Bits(std::uint64_t low) { words_[0] = low; }

  /// Returns a vector with the `count` lowest bits set; `count` is 0..N.
  [[nodiscard]] static constexpr Bits ones(unsigned count) {
    Bits result;
    for (unsigned w = 0; w < kWords; ++w) {
      const unsigned from = w * 64;
      if (count >= from + 64) {
        result.words_[w] = ~std::uint64_t{0};
      } else if (count > from) {
        result.words_[w] = (std::uint64_t{1} << (count - from)) - 1;
      }
    }
    return result;
  }

  [[nodiscard]] constexpr bool test(unsigned bit) const { return ((words_[bit / 64] >> (bit % 64)) & 1U) != 0; }
  [[nodiscard]] constexpr bool operator[](unsigned bit) const { return test(bit); }
  constexpr void set(unsigned bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  constexpr void clear(unsigned bit) { words_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64)); }
  constexpr void assign(unsigned bit, bool value) { value ? set(bit) : clear(bit); }
  constexpr void reset() { words_ = {}; }

  [[nodiscard]] constexpr std::uint64_t word(unsigned index) const { return words_[index]; }
  constexpr void set_word(unsigned index, std::uint64_t value) { words_[index] = value; }

  [[nodiscard]] constexpr bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) {
      all |= word;
    }
    return all != 0;
  }
  [[nodiscard]] constexpr bool none() const { return !any(); }
  [[nodiscard]] unsigned count() const {
    unsigned total = 0;
    for (const std::uint64_t word : words_) {
      total += static_cast<unsigned>(__builtin_popcountll(word));
    }
    return total;
  }

  /// Returns the lowest set bit at or above `from`, or N if no such bit is set.
  [[nodiscard]] unsigned next(unsigned from = 0) const {
    if (from >= N) {
      return N;
    }
    unsigned w = from / 64;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++w == kWords) {
        return N;
      }
      word = words_[w];
    }
    return w * 64 + static_cast<unsigned>(__builtin_ctzll(word));
  }

  constexpr Bits& operator&=(const Bits& other) {
    for (unsigned w = 0; w < kWords; ++w) {
      words_[w] &= other.words_[w];
    }
    return *this;
  }
  constexpr Bits& operator|=(const Bits& other) {
    for (unsigned w = 0; w < kWords; ++w) {
      words_[w] |= other.words_[w];
    }
    return *this;
  }
  /// Returns the bits of this vector that are not set in `other`.
  [[nodiscard]] constexpr Bits without(const Bits& other) const {
    Bits result = *this;
    for (unsigned w = 0; w < kWords; ++w) {
      result.words_[w] &= ~other.words_[w];
    }
    return result;
  }
  [[nodiscard]] friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
  [[nodiscard]] friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
  [[nodiscard]] friend constexpr bool operator==(const Bits& a, const Bits& b) {
    for (unsigned w = 0; w < kWords; ++w) {
      if (a.words_[w] != b.words_[w]) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] friend constexpr bool operator!=(const Bits& a, const Bits& b) { return !(a == b); }

 private:
  std::array<std::uint64_t, kWords> words_{};
};

template <class T>
inline constexpr bool is_bits = false;
template <unsigned N>
inline constexpr bool is_bits<Bits<N>> = true;

}  // namespace castor::twin

#pragma once

#include <array>
#include <cstdint>

#include "castor/base/hash.h"

namespace castor::base {

/// splitmix64 (Steele, Lea, Flood 2014): a 64-bit counter behind a mixing function. Small, and good enough for buffers
/// of test data; it also seeds `Xoshiro256`.
class SplitMix64 {
 public:
  using result_type = std::uint64_t;

  explicit constexpr SplitMix64(std::uint64_t seed = 0) : state_(seed) {}

  constexpr std::uint64_t operator()() {
    const std::uint64_t value = mix(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return value;
  }

  [[nodiscard]] static constexpr std::uint64_t min() { return 0; }
  [[nodiscard]] static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  std::uint64_t state_;
};

/// xoshiro256** (Blackman, Vigna 2018): the generator of seeded stimulus. The same seed gives the same numbers on every
/// host and with every standard library. The distributions of <random> do not guarantee this, so callers use the
/// functions below instead.
class Xoshiro256 {
 public:
  using result_type = std::uint64_t;

  explicit constexpr Xoshiro256(std::uint64_t seed = 0) {
    SplitMix64 source(seed);
    for (std::uint64_t& word : state_) word = source();
  }

  constexpr std::uint64_t operator()() {
    const std::uint64_t value = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return value;
  }

  /// Returns a uniform integer in [0, bound), without bias; `bound` 0 gives 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    if (bound == 0) return 0;
    const std::uint64_t reject = (~bound + 1) % bound;  // 2^64 mod bound
    std::uint64_t value = (*this)();
    while (value < reject) value = (*this)();
    return value % bound;
  }

  /// Returns a uniform integer in [low, high], both included; requires low <= high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span == 0 ? (*this)() : below(span);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

  /// Returns a uniform real in [0, 1), a multiple of 2^-53.
  constexpr double real() { return static_cast<double>((*this)() >> 11U) * 0x1.0p-53; }

  [[nodiscard]] static constexpr std::uint64_t min() { return 0; }
  [[nodiscard]] static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  [[nodiscard]] static constexpr std::uint64_t rotate(std::uint64_t x, unsigned n) {
    return (x << n) | (x >> (64U - n));
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace castor::base

#pragma once

#include <cstdint>

namespace kernels {

/// Seeded pseudo-random numbers (SplitMix64 of Steele, Lea and Flood), equal on every machine.
class Random {
 public:
  explicit Random(long seed) : state_(static_cast<std::uint64_t>(seed)) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  /// Returns a uniformly distributed integer in [low, high].
  long range(long low, long high) {
    return low + static_cast<long>(next() % (static_cast<std::uint64_t>(high - low) + 1));
  }

  /// Returns a real number in [low, high) with 24 random bits, which is therefore exact in float.
  double real(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 40) / 16777216.0); }

 private:
  std::uint64_t state_;
};

}  // namespace kernels

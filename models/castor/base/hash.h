#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace castor::base {

/// 64-bit FNV-1a (Fowler, Noll, Vo): the hash of result buffers and of statistics. The hash is equal on every host,
/// since integers enter byte by byte, least significant byte first. It does not resist an adversary who chooses the
/// input.
class Hash {
 public:
  static constexpr std::uint64_t kOffset = 0xcbf29ce484222325ULL;
  static constexpr std::uint64_t kPrime = 0x100000001b3ULL;

  constexpr Hash& add_byte(std::uint8_t byte) {
    state_ = (state_ ^ byte) * kPrime;
    return *this;
  }

  /// Adds `count` bytes at `data`.
  Hash& add_bytes(const void* data, std::size_t count) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    for (std::size_t i = 0; i < count; ++i) add_byte(bytes[i]);
    return *this;
  }

  constexpr Hash& add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
    return *this;
  }

  /// Adds an integer: all bytes of its type, least significant first.
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr Hash& add(T value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits >>= 8U) add_byte(static_cast<std::uint8_t>(bits & 0xffU));
    return *this;
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return state_; }

  /// Returns the hash as 16 lower-case hexadecimal digits.
  [[nodiscard]] std::string text() const {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(16, '0');
    for (int i = 0; i < 16; ++i) out[static_cast<std::size_t>(i)] = kDigits[(state_ >> (60U - 4U * i)) & 15U];
    return out;
  }

 private:
  std::uint64_t state_ = kOffset;
};

/// Returns the hash of `count` bytes at `data`.
[[nodiscard]] inline std::uint64_t hash_bytes(const void* data, std::size_t count) {
  return Hash().add_bytes(data, count).value();
}

/// One step of splitmix64 (Steele, Lea, Flood 2014) as a mixing function: a bijection of 64 bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace castor::base

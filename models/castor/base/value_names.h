#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace castor::base {

/// Names of the values 0, 1, ... of a signal; may be empty. The texts must live as long as the program.
class ValueNames {
 public:
  constexpr ValueNames() = default;
  template <std::size_t N>
  constexpr explicit ValueNames(const char* const (&names)[N]) : names_(names), count_(N) {}

  [[nodiscard]] constexpr bool any() const { return count_ != 0; }
  [[nodiscard]] constexpr std::size_t count() const { return count_; }
  /// Returns the name of `value`, or the number itself if it has no name.
  [[nodiscard]] std::string of(std::uint64_t value) const {
    return value < count_ ? names_[value] : std::to_string(value);
  }

 private:
  const char* const* names_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace castor::base

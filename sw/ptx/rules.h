#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "castor/isa/module.h"

namespace castor::ptx {

/// Limits on what a text may ask for; beyond them it is refused, whatever memory the host has.
inline constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 40U;
/// Initial data of all variables of a module together: this, or four times the text if that is more.
inline constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 26U;
inline constexpr std::uint64_t kMostRegisters = 1'000'000;   ///< of all families of a function together
inline constexpr std::uint64_t kMostCandidates = 1'000'000;  ///< functions that indirect calls name, counted per call
inline constexpr std::uint64_t kMostAlignment = 65536;
inline constexpr unsigned kMostNesting = 200;  ///< scopes, parentheses, unary operators
inline constexpr std::size_t kMostDimensions = 16;

/// True if an instruction on `instruction` space may name a variable of `variable` space as its address. A generic
/// access may name a global or constant variable, whose generic address is its own.
[[nodiscard]] inline bool access_fits(isa::Space instruction, isa::Space variable) {
  return instruction == variable ||
         (instruction == isa::Space::kGeneric && (variable == isa::Space::kGlobal || variable == isa::Space::kConst));
}

/// A type as it is spelled in a text.
[[nodiscard]] inline std::string dotted(isa::Type type) { return "." + std::string(isa::name(type)); }

/// A space as messages name it.
[[nodiscard]] inline std::string space_text(isa::Space space) {
  return space == isa::Space::kGeneric ? "a generic address" : "." + std::string(isa::name(space));
}

/// What a text has used up of something of which it may only have so much.
class Budget {
 public:
  explicit Budget(std::uint64_t most) : most_(most) {}

  [[nodiscard]] std::uint64_t most() const { return most_; }
  /// False if that is more than there was.
  [[nodiscard]] bool take(std::uint64_t amount) {
    used_ += amount;
    return used_ <= most_;
  }

 private:
  std::uint64_t most_;
  std::uint64_t used_ = 0;
};

}  // namespace castor::ptx

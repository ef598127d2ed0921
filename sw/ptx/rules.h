#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "castor/isa/module.h"

namespace castor::ptx {

/// Largest size of a variable in bytes. The limits below are independent of the host's memory; a text beyond them is
/// refused.
inline constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 40U;
/// Limit on the initial data of all variables of a module, in bytes. The limit is four times the size of the text if
/// that is more.
inline constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 26U;
inline constexpr std::uint64_t kMostRegisters = 1'000'000;   ///< limit over all register families of a function
inline constexpr std::uint64_t kMostCandidates = 1'000'000;  ///< limit on functions that indirect calls name, counted
                                                             ///< once per call
inline constexpr std::uint64_t kMostAlignment = 65536;
inline constexpr unsigned kMostNesting = 200;  ///< limit on nested scopes, parentheses, unary operators
inline constexpr std::size_t kMostDimensions = 16;

/// True if an instruction on state space `instruction` may use a variable of state space `variable` as its address. A
/// generic access may use a global or constant variable: its generic address equals its own address.
[[nodiscard]] inline bool access_fits(isa::Space instruction, isa::Space variable) {
  return instruction == variable ||
         (instruction == isa::Space::kGeneric && (variable == isa::Space::kGlobal || variable == isa::Space::kConst));
}

/// Returns the PTX spelling of a type, such as ".u32".
[[nodiscard]] inline std::string dotted(isa::Type type) { return "." + std::string(isa::name(type)); }

/// Returns the name of a state space as messages show it.
[[nodiscard]] inline std::string space_text(isa::Space space) {
  return space == isa::Space::kGeneric ? "a generic address" : "." + std::string(isa::name(space));
}

/// Counter of a limited resource of a text, such as registers, with its limit.
class Budget {
 public:
  explicit Budget(std::uint64_t most) : most_(most) {}

  [[nodiscard]] std::uint64_t most() const { return most_; }
  /// Adds `amount` to the use; returns false if the limit is exceeded.
  [[nodiscard]] bool take(std::uint64_t amount) {
    used_ += amount;
    return used_ <= most_;
  }

 private:
  std::uint64_t most_;
  std::uint64_t used_ = 0;
};

}  // namespace castor::ptx

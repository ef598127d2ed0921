#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Reference for the effect of one PTX instruction on a warp, computed on the host from the text of the instruction. It
// uses its own arithmetic: integers of 128 bits, exact arithmetic for floating point. It shares no code with the
// instruction table.
namespace castor::test::ptx_reference {

/// Registers and memory of one lane, as tests/unit/ptx_forms/kernel.ptx lays them out.
struct Lane {
  std::array<std::uint8_t, 384> bytes{};

  /// Returns the value of %r, %f, %h, %p, %rd or %fd 0 to 5, zero-extended.
  [[nodiscard]] std::uint64_t get(std::string_view name) const;
  void set(std::string_view name, std::uint64_t value);
};

/// Executes `form`, for example "add.u32 %r0, %r1, %r2;", for all 32 lanes. False if the reference does not know it.
[[nodiscard]] bool execute(const std::string& form, std::vector<Lane>& warp);

}  // namespace castor::test::ptx_reference

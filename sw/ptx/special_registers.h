#pragma once

#include <cstdint>
#include <string_view>

#include "castor/isa/instruction_table.h"
#include "castor/isa/warp_context.h"

/// Special registers of PTX by name (PTX ISA, "Special Registers").
namespace castor::ptx {

/// Special register that instructions can read.
struct ReadableRegister {
  std::string_view name;
  isa::SpecialRegister reg;
  unsigned bits;
  unsigned also;  ///< second width that PTX allows (16-bit reads of old programs), or 0
};

/// Returns the register of that name, such as "%tid.x", or null if there is none or its value is constant.
[[nodiscard]] const ReadableRegister* readable_register(std::string_view name);

/// Returns the value of a special register of constant value, such as "%ntid.w"; null for other names.
[[nodiscard]] const std::uint32_t* constant_register(std::string_view name);

/// Returns the reason why a special register is refused; null for a name that PTX does not have either.
[[nodiscard]] const isa::Unsupported* refused_register(std::string_view name);

}  // namespace castor::ptx

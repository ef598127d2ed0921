#pragma once

#include <string_view>

#include "castor/isa/record.h"

namespace castor::compiler {

/// Function of CUDA's device runtime that the machine provides, with its PTX signature.
struct RuntimeFunction {
  std::string_view name;
  isa::RuntimeCall call;
  /// One letter per argument: w = 32 bits, d = 64 bits, 3 = dim3, p = address where the call's result is stored.
  std::string_view arguments;
  char result = 'w';  ///< type of the return value: w or d
  int error = 0;      ///< error code returned when the call yields no result; only if `arguments` has a `p`
};

/// Returns the runtime function of that name, or null.
[[nodiscard]] const RuntimeFunction* find_runtime_function(std::string_view name);
/// Returns the name of the first runtime function that uses this call.
[[nodiscard]] std::string_view name_of(isa::RuntimeCall call);

}  // namespace castor::compiler

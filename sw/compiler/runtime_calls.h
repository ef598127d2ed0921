#pragma once

#include <string_view>

#include "castor/isa/record.h"

namespace castor::compiler {

/// A function of CUDA's device runtime that machines provide, and how PTX calls it.
struct RuntimeFunction {
  std::string_view name;
  isa::RuntimeCall call;
  /// A letter per argument: w = 32 bits, d = 64 bits, 3 = dim3, p = where the result of the record is stored.
  std::string_view arguments;
  char result = 'w';  ///< likewise
  int error = 0;      ///< with a `p`: what is returned if there is nothing to store
};

/// The function of that name, or null.
[[nodiscard]] const RuntimeFunction* find_runtime_function(std::string_view name);
/// The first one that a record of this call can stand for.
[[nodiscard]] std::string_view name_of(isa::RuntimeCall call);

}  // namespace castor::compiler

#pragma once

#include <string>
#include <string_view>

#include "castor/isa/module.h"

namespace castor::ptx {

/// Parses PTX text into a module over virtual registers.
///
/// Accepts the PTX that clang 14 and nvcc emit for sm_50 to sm_90. docs/ptx.md describes the accepted language,
/// docs/ptx-coverage.md the instructions. Ignores a trailing NUL. Time and memory are bounded by the length of the
/// text.
/// `file` is used in messages only.
/// Errors: base::InputError with file, line, column and the expected text. Unsupported instructions and directives are
/// refused with their spelling.
[[nodiscard]] isa::Module parse(std::string_view text, const std::string& file);

}  // namespace castor::ptx

#pragma once

#include <string>
#include <string_view>

#include "castor/isa/module.h"

namespace castor::ptx {

/// Parses PTX text into a module over virtual registers.
///
/// Accepts what clang 14 and nvcc emit for sm_50 to sm_90 (docs/ptx.md; its instructions: docs/ptx-coverage.md). A
/// trailing NUL is ignored. Time and memory are bounded by the length of the text, whatever it says.
/// `file` is used in messages only.
/// Errors: base::InputError with file, line, column, what was expected; unsupported instructions and directives are
/// refused with their text.
[[nodiscard]] isa::Module parse(std::string_view text, const std::string& file);

}  // namespace castor::ptx

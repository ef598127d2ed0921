#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// Rewrites CUDA C++ that nvcc accepts and clang refuses:
///   * `kernel<< <grid, block>> >(...)`: the brackets of a launch with white space inside become `<<<` and `>>>`; the
///     white space moves behind the brackets, so that all other text keeps its position;
///   * `%name` in the text of an asm with operands becomes `%%name`, since clang takes a single `%` for an operand;
///   * `%%name` in an asm without operands becomes `%name`, since clang does not process such text.
/// Comments, other string literals, `operator<< <T>` and templates stay unchanged. Lines keep their numbers.
/// Returns nothing if the text stays unchanged.
[[nodiscard]] std::optional<std::string> rewrite_for_clang(std::string_view text);

/// Returns the names of all #include directives, whatever #if conditions surround them.
[[nodiscard]] std::vector<IncludedName> included_names(std::string_view text);

}  // namespace castor::castor_cc

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// What clang refuses in CUDA C++ and nvcc takes, rewritten:
///   * `kernel<< <grid, block>> >(...)`: the brackets of a launch with white space inside become `<<<` and `>>>`, the
///     white space behind them, so that nothing else moves;
///   * `%name` in the text of an asm with operands becomes `%%name`, since clang takes a lone `%` for an operand;
///   * `%%name` in an asm without operands becomes `%name`, since there clang takes the text as it is.
/// Comments, string literals elsewhere, `operator<< <T>` and templates stay. Lines keep their numbers.
/// Returns nothing if nothing changes.
[[nodiscard]] std::optional<std::string> rewrite_for_clang(std::string_view text);

/// The names of all #include directives, whatever conditions they stand under.
[[nodiscard]] std::vector<IncludedName> included_names(std::string_view text);

}  // namespace castor::castor_cc

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// What clang refuses in CUDA C++ and nvcc takes, rewritten:
///   * `kernel<< <grid, block>> >(...)`: the brackets of a launch with white space inside become `<<<` and `>>>`, the
///     white space behind them, so that nothing else moves;
///   * `%name` in the text of an asm with operands becomes `%%name`, since clang takes a lone `%` for an operand;
///   * `%%name` in an asm without operands becomes `%name`, since there clang takes the text as it is.
/// Comments, string literals elsewhere, `operator<< <T>` and templates stay. Lines keep their numbers.
/// Returns nothing if nothing changes.
[[nodiscard]] std::optional<std::string> rewrite_for_clang(std::string_view text);

/// A place in a source as clang names it: both from 1 on, columns in bytes.
struct SourcePlace {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Launches by device code, which clang refuses: `kernel<<<configuration>>>` becomes `::castor::launch<kernel>(
/// configuration)`; with `older`, for C++ before C++17, `::castor::launch_of<decltype(&kernel),
/// &kernel>(configuration)`. `places`: of kernels' names or of `<<<`; those where no launch stands are passed over.
/// Lines keep their numbers. Returns nothing if nothing changes.
[[nodiscard]] std::optional<std::string> rewrite_launches(std::string_view text, const std::vector<SourcePlace>& places,
                                                          bool older);

/// A name in an #include directive of a source.
struct IncludedName {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};
/// All of them, whatever conditions they stand under.
[[nodiscard]] std::vector<IncludedName> included_names(std::string_view text);

}  // namespace castor::castor_cc

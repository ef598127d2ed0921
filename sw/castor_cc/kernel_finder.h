#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// Prefix of the name of a function that finds a kernel; the kernel's name follows.
inline constexpr const char* kFinderPrefix = "castor_find_";

/// Function to be declared in front of a kernel, with the kernel's template and parameters. C++ overload resolution
/// chooses among these functions as among the kernels; the function's result type names the chosen kernel.
struct KernelFinder {
  std::string name;                ///< name of the kernel
  std::size_t begin = 0;           ///< first token of the kernel's declaration
  std::string text;                ///< a declaration of the kernel, and the finder function
  std::size_t template_count = 0;  ///< number of the kernel's template parameters; 0 for no template or a variadic one
  /// Default arguments of the kernel: first token, and token after the last. `text` contains the defaults, so the
  /// caller must remove them from the kernel: a default must not be declared twice.
  std::vector<std::pair<std::size_t, std::size_t>> defaults;
};

/// Returns the finder of the kernel whose name is token `name`. Returns nothing if the declaration cannot be parsed,
/// such as one made by a macro.
[[nodiscard]] std::optional<KernelFinder> kernel_finder(const SourceTokens& tokens, std::size_t name);

}  // namespace castor::castor_cc

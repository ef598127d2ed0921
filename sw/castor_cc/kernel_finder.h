#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor_cc/source_tokens.h"

namespace castor::castor_cc {

/// What a function that finds a kernel is called; the kernel's name follows.
inline constexpr const char* kFinderPrefix = "castor_find_";

/// A function to be declared in front of a kernel: with the kernel's template and parameters, so that C++ chooses among
/// such functions as among the kernels; its result type names the kernel.
struct KernelFinder {
  std::string name;                ///< of the kernel
  std::size_t begin = 0;           ///< token with which the kernel's declaration begins
  std::string text;                ///< a declaration of the kernel, and the function
  std::size_t template_count = 0;  ///< its template parameters; 0 if it is no template or takes any number
  /// Default arguments of the kernel, first token and the one behind: they stand in `text`, and must not stand twice.
  std::vector<std::pair<std::size_t, std::size_t>> defaults;
};

/// That of the kernel whose name is token `name`. Nothing if its declaration cannot be read (made by a macro, perhaps).
[[nodiscard]] std::optional<KernelFinder> kernel_finder(const SourceTokens& tokens, std::size_t name);

}  // namespace castor::castor_cc

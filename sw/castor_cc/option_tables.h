#pragma once

#include <string_view>

namespace castor::castor_cc {

/// Returns nvcc's short form of a long option or of another spelling; empty if `name` is no such option.
[[nodiscard]] std::string_view short_option(std::string_view name);

/// True for an option of nvcc without a value that has no effect here.
[[nodiscard]] bool ignored_flag(std::string_view name);

/// True for an option of nvcc with a value (after '=' or as the next argument) that has no effect here.
[[nodiscard]] bool ignored_with_value(std::string_view name);

/// True for a library of a CUDA toolkit that the Castor runtime replaces; `name` without "lib" and extension.
[[nodiscard]] bool replaced_library(std::string_view name);

}  // namespace castor::castor_cc

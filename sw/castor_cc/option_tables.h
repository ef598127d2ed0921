#pragma once

#include <string_view>

namespace castor::castor_cc {

/// The short form of a long name or other spelling that nvcc has; empty if the name is none.
[[nodiscard]] std::string_view short_option(std::string_view name);

/// Options of nvcc without a value that change nothing here.
[[nodiscard]] bool ignored_flag(std::string_view name);

/// Options of nvcc with a value (after '=' or as the next argument) that change nothing here.
[[nodiscard]] bool ignored_with_value(std::string_view name);

/// Libraries of a CUDA toolkit that the Castor runtime stands for; without "lib" and extension.
[[nodiscard]] bool replaced_library(std::string_view name);

}  // namespace castor::castor_cc

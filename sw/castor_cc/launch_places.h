#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// A place in a source as clang names it: both from 1 on, columns in bytes.
struct SourcePlace {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// A use of a macro, and where clang says that the macro is defined.
struct MacroUse {
  SourcePlace place;
  std::string name;
  std::string file;      ///< that defines it
  std::size_t line = 0;  ///< of the definition, or of a continuation of it
};

/// Where device code of a file launches kernels, or names them. Places of launches are those of a kernel's name or of
/// `<<<`.
struct DeviceLaunches {
  std::vector<SourcePlace> named;     ///< a kernel's name: of a launch, or as a value
  std::vector<SourcePlace> deduced;   ///< a launch whose arguments tell template arguments or overload
  std::vector<SourcePlace> launches;  ///< `<<<`, of launches above and of those through pointers
  std::vector<SourcePlace> kernels;   ///< declarations of kernels that deduced launches may mean
  std::vector<MacroUse> macros;       ///< with one of these in it
};

/// By the names that clang gives the files.
using FileLaunches = std::map<std::string, DeviceLaunches>;

/// Reads them from the errors of clang, which has neither launches nor kernels' names in device code.
[[nodiscard]] FileLaunches device_launches(std::string_view error_text);

}  // namespace castor::castor_cc

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace castor::castor_cc {

/// Position in a source file, as clang reports it: line and column count from 1, columns in bytes.
struct SourcePlace {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Use of a macro, with the position of the macro's definition as clang reports it.
struct MacroUse {
  SourcePlace place;
  std::string name;
  std::string file;      ///< file that defines the macro
  std::size_t line = 0;  ///< line of the definition, or of one of its continuation lines
};

/// Positions in a file at which device code launches kernels or names them. A launch has the position of its kernel's
/// name, or of its `<<<`.
struct DeviceLaunches {
  std::vector<SourcePlace> named;     ///< kernel names: in launches, or as values
  std::vector<SourcePlace> deduced;   ///< launches whose template arguments or overload depend on the call's arguments
  std::vector<SourcePlace> launches;  ///< positions of `<<<`: of the launches above, and of launches through pointers
  std::vector<SourcePlace> kernels;   ///< declarations of the kernels that a deduced launch may refer to
  std::vector<MacroUse> macros;       ///< macros whose expansion contains such a position
};

/// Launches by file, with the file names that clang uses.
using FileLaunches = std::map<std::string, DeviceLaunches>;

/// Parses the launches from clang's error messages: clang accepts neither launches nor kernel names in device code.
[[nodiscard]] FileLaunches device_launches(std::string_view error_text);

}  // namespace castor::castor_cc

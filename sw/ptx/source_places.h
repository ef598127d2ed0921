#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"

namespace castor::ptx {

/// Source positions of the program, as .file and .loc directives give them. A .file directive may follow the first use
/// of its number, so positions hold the text's file numbers until `resolve`.
class SourcePlaces {
 public:
  SourcePlaces(Cursor& text, Expressions& expressions, isa::Module& module)
      : text_(text), expressions_(expressions), module_(module) {}

  /// Reads the .file directive at the cursor.
  void file_directive();
  /// Reads the .loc directive at the cursor.
  void location_directive();
  /// Forgets the last .loc; called at the begin and end of a function.
  void forget() { file_ = line_ = 0; }
  /// Returns the position of a token in the PTX text, with the source position of the function's last .loc.
  [[nodiscard]] isa::SourceLine place(const Token& token) const;
  /// Converts file numbers into indices into Module::source_files, in all functions; 0 where no file is known.
  void resolve();

 private:
  Cursor& text_;
  Expressions& expressions_;
  isa::Module& module_;
  std::unordered_map<std::uint64_t, std::uint32_t> files_;  // by file number: index + 1 into Module::source_files
  std::uint32_t file_ = 0, line_ = 0;
};

}  // namespace castor::ptx

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"

namespace castor::ptx {

/// Where in the program's own sources things come from: what .file and .loc say. A file may be named behind its first
/// use, so places hold the numbers of the text until `resolve`.
class SourcePlaces {
 public:
  SourcePlaces(Cursor& text, Expressions& expressions, isa::Module& module)
      : text_(text), expressions_(expressions), module_(module) {}

  /// The directives at the cursor.
  void file_directive();
  void location_directive();
  /// A function begins or ends: nothing has said where it comes from.
  void forget() { file_ = line_ = 0; }
  /// Place of a token: in the text, and as the last .loc of the function says.
  [[nodiscard]] isa::SourceLine place(const Token& token) const;
  /// Numbers of files become indices into the module's list, in all its functions; 0 where no file is known.
  void resolve();

 private:
  Cursor& text_;
  Expressions& expressions_;
  isa::Module& module_;
  std::unordered_map<std::uint64_t, std::uint32_t> files_;  // by number: index + 1 into Module::source_files
  std::uint32_t file_ = 0, line_ = 0;
};

}  // namespace castor::ptx

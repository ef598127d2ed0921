#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/instruction_table.h"
#include "ptx/cursor.h"

namespace castor::ptx {

/// What is the same for every instruction of one spelling.
struct Spelling {
  isa::Match match;
  std::vector<isa::Type> types;  ///< per operand
  unsigned elements = 1;         ///< vector items: 1, 2, 4, 8
  unsigned required = 0;         ///< operands that may not be absent
  bool inner_optional = false;   ///< an operand that may be absent stands before one that may not
  bool relaxed = false;          ///< registers may be wider than the type
  bool wide = false;             ///< vector items are the halves of .b128 values
  bool parts = false;            ///< sources may be a byte or half-word of a register
  bool has_space = false;
  isa::Space space = isa::Space::kGeneric;
};

/// The spellings of a text, each looked up in the instruction table once.
class Spellings {
 public:
  explicit Spellings(Cursor& text) : text_(text) {}

  /// Takes the dotted parts behind an opcode, between which white space may stand. `spelled`: the whole, without it.
  [[nodiscard]] const Spelling& read(const Token& opcode, std::string_view& spelled);

 private:
  const Spelling& find(const Token& opcode, std::string_view spelled);

  Cursor& text_;
  std::unordered_map<std::string_view, Spelling> known_;
  std::deque<std::string> kept_text_;  // spellings written with white space inside
};

}  // namespace castor::ptx

#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/instruction_table.h"
#include "ptx/cursor.h"

namespace castor::ptx {

/// Properties of one instruction spelling, such as "add.sat.s32"; all instructions of the spelling share them.
struct Spelling {
  isa::Match match;
  std::vector<isa::Type> types;  ///< type of each operand
  unsigned elements = 1;         ///< number of vector elements: 1, 2, 4 or 8
  unsigned required = 0;         ///< number of operands that must be present
  bool inner_optional = false;   ///< an optional operand precedes a required one
  bool relaxed = false;          ///< registers may be wider than the type
  bool wide = false;             ///< vector elements are the halves of .b128 values
  bool parts = false;            ///< source operands may be a byte or half-word of a register
  bool has_space = false;
  isa::Space space = isa::Space::kGeneric;
};

/// Cache of instruction spellings: each spelling of a text is looked up in the instruction table once.
class Spellings {
 public:
  explicit Spellings(Cursor& text) : text_(text) {}

  /// Reads the dotted suffixes after an opcode; white space may separate them. `spelled`: receives the whole spelling
  /// without white space.
  [[nodiscard]] const Spelling& read(const Token& opcode, std::string_view& spelled);

 private:
  const Spelling& find(const Token& opcode, std::string_view spelled);

  Cursor& text_;
  std::unordered_map<std::string_view, Spelling> known_;
  std::deque<std::string> kept_text_;  // spellings written with white space inside
};

}  // namespace castor::ptx

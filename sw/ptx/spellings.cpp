#include "ptx/spellings.h"

#include <algorithm>
#include <iterator>

namespace castor::ptx {

const Spelling& Spellings::read(const Token& opcode, std::string_view& spelled) {
  spelled = opcode.text;
  bool copied = false;
  while (text_.token().kind == TokenKind::kDotWord) {
    const Token& part = text_.token();
    if (part.glued && !copied) {
      spelled = std::string_view(spelled.data(), spelled.size() + part.text.size());
    } else {
      if (!copied) kept_text_.emplace_back(spelled);
      copied = true;
      kept_text_.back() += part.text;
      spelled = kept_text_.back();
    }
    text_.take();
  }
  return find(opcode, spelled);
}

const Spelling& Spellings::find(const Token& opcode, std::string_view text) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  isa::LookupError error;
  Spelling result;
  result.match = isa::InstructionTable::instance().find(text, error);
  if (!result.match.valid()) text_.fail(opcode, error.message);
  const isa::Row& row = result.match.row();
  for (const isa::OperandSpec& spec : row.specs) {
    result.types.push_back(result.match.type(spec));
    if (spec.optional) continue;
    if (result.types.size() - 1 > result.required) result.inner_optional = true;
    ++result.required;
  }
  for (const unsigned elements : {2U, 4U, 8U}) {
    if (result.match.has("v" + std::to_string(elements))) result.elements = elements;
  }
  static constexpr std::string_view kVideo[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"};
  result.parts = std::find(std::begin(kVideo), std::end(kVideo), row.opcode) != std::end(kVideo);
  result.wide = result.match.has("b128");
  if (result.wide) result.elements = 2;
  result.relaxed = row.opcode == "ld" || row.opcode == "ldu" || row.opcode == "st" || row.opcode == "cvt";
  if (row.kind == isa::Kind::kMemory) {
    result.has_space = true;
    result.space = isa::memory_op(result.match).space;
  }
  return known_.emplace(text, std::move(result)).first->second;
}

}  // namespace castor::ptx

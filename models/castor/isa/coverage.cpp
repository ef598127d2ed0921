#include "castor/isa/coverage.h"

#include <algorithm>
#include <map>
#include <vector>

#include "castor/isa/instruction_table.h"

namespace castor::isa {
namespace {

constexpr const char* kHead = R"(# PTX instructions

Printed by `castor_coverage_document` from the instruction table; a test compares the two.

How to read the columns:

* Spelling: `.word` must stand there, `.{a|b}` is one of the words, `.[a|b]` may be absent.
* Operands: `=` marks what is written, `?` what may be absent. The type is given, or the letter of the part of the
  spelling that gives it (`2t`: twice as wide). `[t]` is an address, `<t>` a vector of as many elements as the spelling
  says, `%t` a register or a braced list of parts, `imm` a constant; behind `pred|` or `t|` may follow `|q`, a second
  predicate.
* Class: the row of a machine's table of latencies (`docs/machines.md`).
* CC: whether the instruction reads or writes the carry.

The dotted parts may stand in any sequence, as ptxas takes them; only types keep theirs.

Hints (`.L1::...`, `.L2::...`, cache policies, `.uni`) are accepted and change no value.
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

/// Returns the spelling of a row; labels of parts that define no operand type are left out.
std::string spelling_of(const Row& row) {
  std::string text = row.opcode;
  for (const PatternItem& item : row.items) {
    text += '.';
    const bool choice = item.optional || item.alternatives.size() > 1 || !item.label.empty();
    if (choice) text += item.optional ? '[' : '{';
    const bool is_type = std::any_of(row.specs.begin(), row.specs.end(), [&](const OperandSpec& spec) {
      return !spec.type_label.empty() && spec.type_label == item.label;
    });
    if (is_type) text += item.label + ":";
    for (std::size_t i = 0; i < item.alternatives.size(); ++i) {
      if (i != 0) text += '|';
      text += item.alternatives[i];
    }
    if (choice) text += item.optional ? ']' : '}';
  }
  return text;
}

const char* carry_text(CarryUse carry) {
  switch (carry) {
    case CarryUse::kReads:
      return "reads";
    case CarryUse::kWrites:
      return "writes";
    case CarryUse::kReadsWrites:
      return "reads, writes";
    case CarryUse::kNone:
      break;
  }
  return "";
}

}  // namespace

std::string coverage_markdown() {
  const InstructionTable& table = InstructionTable::instance();
  std::map<std::string, std::vector<const Row*>> by_opcode;
  for (const auto& row : table.rows())
    if (row->opcode[0] != '$') by_opcode[row->opcode].push_back(row.get());

  std::string text = kHead;
  text += "\n| spelling | operands | class | CC | meaning |\n|---|---|---|---|---|\n";
  for (const auto& [opcode, rows] : by_opcode) {
    for (const Row* row : rows) {
      text += "| `" + escaped(spelling_of(*row)) + "` | ";
      if (!row->operands.empty()) text += '`' + escaped(row->operands) + '`';
      text += " | " + std::string(key(row->timing)) + " | " + carry_text(row->carry) + " | " + escaped(row->meaning) +
              " |\n";
    }
  }
  text +=
      "\n## Refused\n\nA module that uses one of these is refused when it is loaded, with file, line and column.\n\n";
  text += "| spelling begins with, or has the part; or register | why, and what to do |\n|---|---|\n";
  std::vector<Unsupported> refused = table.refused();
  std::sort(refused.begin(), refused.end(),
            [](const Unsupported& a, const Unsupported& b) { return a.opcode < b.opcode; });
  for (const Unsupported& entry : refused) text += "| `" + entry.opcode + "` | " + escaped(entry.why) + " |\n";
  return text;
}

}  // namespace castor::isa

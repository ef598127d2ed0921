#include "castor/isa/row_parser.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::isa::detail {
namespace {

[[noreturn]] void bad(const Row& row, const std::string& what) {
  throw base::InputError("instruction row '" + row.syntax + "' with operands '" + row.operands + "': " + what);
}

bool ends_with(std::string_view text, char c) { return !text.empty() && text.back() == c; }

/// Parses "label:a|b" or "a|b". A label ends with one colon; two colons belong to a word such as "shared::cta".
PatternItem parse_choice(std::string_view body) {
  PatternItem item;
  const std::size_t colon = body.find(':');
  if (colon != std::string_view::npos && (colon + 1 >= body.size() || body[colon + 1] != ':') &&
      body.find('|') > colon) {
    item.label = body.substr(0, colon);
    body.remove_prefix(colon + 1);
  }
  for (;;) {
    const std::size_t bar = body.find('|');
    item.alternatives.emplace_back(base::trimmed(body.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    body.remove_prefix(bar + 1);
  }
  return item;
}

void parse_syntax(Row& row) {
  const std::string_view syntax = row.syntax;
  std::size_t at = syntax.find('.');
  row.opcode = syntax.substr(0, at);
  if (row.opcode.empty()) bad(row, "no opcode");
  while (at < syntax.size()) {
    if (syntax[at] != '.') bad(row, "expected a dot at position " + std::to_string(at));
    ++at;
    const char open = at < syntax.size() ? syntax[at] : '\0';
    PatternItem item;
    if (open == '{' || open == '[') {
      const std::size_t close = syntax.find(open == '{' ? '}' : ']', at);
      if (close == std::string_view::npos) bad(row, std::string("no end of '") + open + "'");
      item = parse_choice(syntax.substr(at + 1, close - at - 1));
      item.optional = open == '[';
      at = close + 1;
    } else {
      const std::size_t next = std::min(syntax.find('.', at), syntax.size());
      item.alternatives.emplace_back(syntax.substr(at, next - at));
      at = next;
    }
    for (const std::string& word : item.alternatives) {
      if (word.empty()) bad(row, "an empty word");
      item.types.push_back(type_from_name(word).value_or(Type::kNone));
    }
    row.items.push_back(std::move(item));
  }
  if (row.items.size() > 16) bad(row, "more than 16 dotted parts");
}

void parse_type(Row& row, OperandSpec& spec, std::string_view what) {
  if (const auto type = type_from_name(what)) {
    spec.type = *type;
    return;
  }
  if (!what.empty() && what.front() == '2') {
    spec.widen = true;
    what.remove_prefix(1);
  }
  const auto named = std::find_if(row.items.begin(), row.items.end(),
                                  [&](const PatternItem& item) { return !item.label.empty() && item.label == what; });
  if (named == row.items.end()) bad(row, "'" + std::string(what) + "' is neither a type nor a label of the syntax");
  if (named->optional) bad(row, "the type '" + std::string(what) + "' may be absent");
  if (std::find(named->types.begin(), named->types.end(), Type::kNone) != named->types.end())
    bad(row, "label '" + std::string(what) + "' has alternatives that are no types");
  spec.type_label = what;
}

OperandSpec parse_operand(Row& row, std::string_view text) {
  OperandSpec spec;
  if (!text.empty() && text.front() == '=') {
    spec.destination = true;
    text.remove_prefix(1);
  }
  if (ends_with(text, '?')) {
    spec.optional = true;
    text.remove_suffix(1);
  }
  if (ends_with(text, '|')) {
    spec.second_predicate = true;
    text.remove_suffix(1);
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) bad(row, "expected name:what, found '" + std::string(text) + "'");
  spec.name = text.substr(0, colon);
  std::string_view what = text.substr(colon + 1);
  if (what == "imm") {
    spec.shape = OperandShape::kImmediate;
  } else if (what == "label") {
    spec.shape = OperandShape::kLabel;
  } else if (what == "table") {
    spec.shape = OperandShape::kTable;
  } else if (what == "call") {
    spec.shape = OperandShape::kCall;
  } else if (what.size() > 2 && what.front() == '[' && what.back() == ']') {
    spec.shape = OperandShape::kAddress;
    parse_type(row, spec, what.substr(1, what.size() - 2));
  } else if (what.size() > 2 && what.front() == '<' && what.back() == '>') {
    spec.shape = OperandShape::kVector;
    parse_type(row, spec, what.substr(1, what.size() - 2));
  } else if (what.size() > 1 && what.front() == '%') {
    spec.shape = OperandShape::kPack;
    parse_type(row, spec, what.substr(1));
  } else {
    parse_type(row, spec, what);
    if (spec.type == Type::kPred) spec.shape = OperandShape::kPredicate;
  }
  return spec;
}

}  // namespace

void parse_row(Row& row) {
  row.items.clear();
  row.specs.clear();
  parse_syntax(row);
  std::string_view rest = row.operands;
  while (!base::trimmed(rest).empty()) {
    const std::size_t comma = rest.find(',');
    row.specs.push_back(parse_operand(row, base::trimmed(rest.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (row.kind == Kind::kLane && row.select == nullptr) bad(row, "no handler");
}

Type widened(Type type) {
  switch (type) {
    case Type::kU8:
      return Type::kU16;
    case Type::kU16:
      return Type::kU32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS8:
      return Type::kS16;
    case Type::kS16:
      return Type::kS32;
    case Type::kS32:
      return Type::kS64;
    case Type::kB8:
      return Type::kB16;
    case Type::kB16:
      return Type::kB32;
    case Type::kB32:
      return Type::kB64;
    case Type::kB64:
      return Type::kB128;
    case Type::kF16:
    case Type::kBf16:
      return Type::kF32;
    case Type::kF32:
      return Type::kF64;
    default:
      return Type::kNone;
  }
}

}  // namespace castor::isa::detail

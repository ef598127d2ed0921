#include "ptx/operands.h"

#include <algorithm>
#include <string_view>

#include "castor/base/error.h"
#include "ptx/rules.h"
#include "ptx/special_registers.h"

// Reading of instruction operands; the instruction table gives their shapes and types.
namespace castor::ptx {
namespace {

using isa::Operand;
using isa::Type;

/// Returns the reason in docs/ptx-coverage.md why the feature spelled `words` is refused.
std::string why_refused(std::string_view words) {
  const isa::Unsupported* const refused = isa::InstructionTable::instance().refused(words);
  CASTOR_ASSERT(refused != nullptr, "refusal '%s'", std::string(words).c_str());
  return refused->why;
}

/// True for a suffix such as `.h10` or `.b3210`, which selects the half-words or bytes of a SIMD video instruction's
/// operands.
bool names_parts(std::string_view text) {
  const bool bytes = text.substr(0, 2) == ".b";
  if ((!bytes && text.substr(0, 2) != ".h") || text.size() < 3 || text.size() > 6) return false;
  const char last = bytes ? '7' : '3';
  return std::all_of(text.begin() + 2, text.end(), [last](char c) { return c >= '0' && c <= last; });
}

/// True for a SIMD video instruction such as vadd2 or vset4.
bool takes_parts_of_several(std::string_view opcode) {
  return opcode[0] == 'v' && (opcode.back() == '2' || opcode.back() == '4');
}

/// True if a register of type `found` may be an operand of type `wanted` (PTX ISA, "Operand Size Exceeding
/// Instruction-Type Size" and "Operand Type Checking"). `relaxed`: the register may be wider.
bool register_fits(Type found, Type wanted, bool relaxed) {
  if (found == Type::kPred || wanted == Type::kPred) return found == wanted;
  const unsigned have = isa::bits(found);
  const unsigned need = isa::bits(wanted);
  if (have != need) {
    if (!relaxed || have < need) return false;
    if (isa::is_untyped(wanted) || isa::is_untyped(found)) return true;
    return !isa::is_float(wanted) && !isa::is_float(found);
  }
  if (found == wanted || isa::is_untyped(found) || isa::is_untyped(wanted)) return true;
  return !isa::is_float(found) && !isa::is_float(wanted);
}

Type bits_type(unsigned width) {
  switch (width) {
    case 8:
      return Type::kB8;
    case 16:
      return Type::kB16;
    case 32:
      return Type::kB32;
    case 64:
      return Type::kB64;
    default:
      return Type::kNone;
  }
}

}  // namespace

std::string name_of(const OperandPlace& place) {
  return "operand " + std::to_string(place.number) + " ('" + place.spec->name + "') of '" +
         place.spelling->match.spelling() + "'";
}

Operand Operands::operand(const OperandPlace& place, std::size_t index) {
  switch (place.spec->shape) {
    case isa::OperandShape::kAddress:
      return address(place);
    case isa::OperandShape::kImmediate:
      return immediate(place);
    case isa::OperandShape::kLabel:
      return label_operand(index, false);
    case isa::OperandShape::kTable:
      return label_operand(index, true);
    case isa::OperandShape::kVector:
      if (place.spelling->elements > 1) return list(place, place.spelling->elements);
      if (text_.at('{')) return std::move(list(place, 1).elements.front());
      break;
    case isa::OperandShape::kPack:
      if (place.type != Type::kPred) return pack(place);
      break;
    case isa::OperandShape::kPredicate:
    case isa::OperandShape::kRegister:
    case isa::OperandShape::kCall:
      break;
  }
  return place.type == Type::kPred ? predicate(place) : value(place);
}

/// Counts the operands up to the next ';' without taking tokens.
unsigned Operands::count() const {
  Lexer ahead = text_.ahead();
  Token token = text_.token();
  unsigned depth = 0;
  unsigned count = text_.at(';') ? 0 : 1;
  for (unsigned tokens = 0; tokens < 200 && token.kind != TokenKind::kEnd; ++tokens) {
    if (token.kind == TokenKind::kPunctuation) {
      const std::uint16_t code = token.code;
      if (code == '(' || code == '[' || code == '{') ++depth;
      if ((code == ')' || code == ']' || code == '}') && depth != 0) --depth;
      if (code == ',' && depth == 0) ++count;
      if (code == ';') break;
    }
    token = ahead.next();
  }
  return count;
}

Names::Lookup Operands::find_local(const Token& name, LocalName& meaning) {
  const Names::Lookup result = names_.find(name.text, meaning);
  if (result == Names::Lookup::kAmbiguous) {
    text_.fail(name, describe(name) + " is declared both by itself and as part of a register family");
  }
  return result;
}

/// Reads `.x` after a register vector `v` and returns that element; returns a scalar register itself.
LocalName Operands::element(const Token& name, LocalName meaning) {
  const bool dotted_on = text_.token().kind == TokenKind::kDotWord && text_.token().glued;
  if (meaning.kind == LocalName::Kind::kRegister) {
    if (dotted_on)
      text_.fail(text_.token(), describe(name) + " is no vector and has no element " + describe(text_.token()));
    return meaning;
  }
  if (meaning.wide)
    text_.fail(name,
               describe(name) +
                   " is a .b128 register, which is only moved, loaded and stored; mov.b128 takes it apart into two "
                   ".b64 registers");
  if (!dotted_on)
    text_.fail(name, "register vector " + describe(name) + " where one register is expected; name an element");
  static constexpr std::string_view kNames = "xyzwrgba";
  const std::size_t which =
      text_.token().text.size() == 2 ? kNames.find(text_.token().text[1]) : std::string_view::npos;
  if (which == std::string_view::npos || which % 4 >= meaning.count) {
    text_.fail(text_.token(), describe(name) + " has no element " + describe(text_.token()));
  }
  text_.take();
  return {LocalName::Kind::kRegister, meaning.index + static_cast<std::uint32_t>(which % 4), 1};
}

void Operands::check_register(const Token& at, Type found, const OperandPlace& place) const {
  if (register_fits(found, place.type, place.spelling->relaxed)) return;
  if (found == Type::kPred && place.type != Type::kPred) {
    text_.fail(at, name_of(place) + " takes a " + dotted(place.type) + " register, but " + describe(at) +
                       " is a predicate; selp makes a number of a predicate, setp.ne a predicate of a number");
  }
  text_.fail(at, name_of(place) + " takes a " + dotted(place.type) + " register, but " + describe(at) + " is " +
                     dotted(found));
}

Operand Operands::register_operand(const Token& name, const LocalName& meaning, const OperandPlace& place) {
  Operand result;
  result.kind = Operand::Kind::kRegister;
  const bool vector = meaning.kind == LocalName::Kind::kVector;
  if (place.spelling->parts && !vector) select_part(result, place);
  if (!vector && takes_parts_of_several(place.spelling->match.row().opcode) && text_.token().glued &&
      text_.token().kind == TokenKind::kDotWord && names_parts(text_.token().text)) {
    text_.fail(text_.token(), "parts " + describe(text_.token()) + " of " + name_of(place) +
                                  " are not supported: " + why_refused("%a.b3210"));
  }
  const LocalName one = element(name, meaning);
  if (place.spelling->parts && vector) select_part(result, place);
  check_register(name, function_.registers[one.index].type, place);
  result.index = one.index;
  return result;
}

/// Reads `.b1` in `a.b1` or `.h0` in `a.h0`: the byte or half-word of a source operand of a video instruction.
void Operands::select_part(Operand& operand, const OperandPlace& place) {
  const Token& part = text_.token();
  if (part.kind != TokenKind::kDotWord || !part.glued || part.text.size() != 3) return;
  const unsigned width = part.text[1] == 'b' ? 8 : 16;
  const auto which = static_cast<unsigned>(part.text[2] - '0');
  if ((part.text[1] != 'b' && part.text[1] != 'h') || which >= 32 / width) return;
  if (place.spec->destination)
    text_.fail(part, "writing a part of " + name_of(place) + " is not supported: " + why_refused("%d.b0"));
  operand.part_bits = static_cast<std::uint8_t>(width);
  operand.part_first = static_cast<std::uint8_t>(which * width);
  text_.take();
}

Operand Operands::predicate(const OperandPlace& place) {
  const Token start = text_.token();
  const bool destination = place.spec->destination;
  Operand result;
  if (!destination && (text_.token().kind == TokenKind::kNumber || text_.at('-'))) {
    result.kind = Operand::Kind::kImmediate;
    result.bits = expressions_.to_bits(start, expressions_.constant_expression(), Type::kPred);
    return result;
  }
  if (!destination) result.negated = text_.accept('!');
  if (text_.token().kind != TokenKind::kIdentifier) {
    text_.fail_expected("a predicate register as " + name_of(place));
  }
  const Token name = text_.take();
  if (name.text == "_") {
    if (!destination) text_.fail(name, "'_' cannot be read");
    result.kind = Operand::Kind::kSink;
    return result;
  }
  LocalName meaning;
  if (find_local(name, meaning) != Names::Lookup::kFound) {
    if (destination || name.text != "%is_explicit_cluster") text_.fail(name, "unknown register " + describe(name));
    // No launch of this model requests clusters, so the predicate is false.
    Operand constant;
    constant.kind = Operand::Kind::kImmediate;
    constant.bits = result.negated ? 1 : 0;
    return constant;
  }
  if (meaning.kind == LocalName::Kind::kVariable) {
    text_.fail(name, name_of(place) + " takes a predicate register, but " + describe(name) + " is a variable");
  }
  const bool negated = result.negated;
  OperandPlace as_predicate = place;
  as_predicate.type = Type::kPred;
  result = register_operand(name, meaning, as_predicate);
  result.negated = negated;
  return result;
}

Operand Operands::value(const OperandPlace& place) {
  const bool destination = place.spec->destination;
  const Token start = text_.token();
  if (start.kind == TokenKind::kIdentifier && start.text != "WARP_SZ") {
    text_.take();
    Operand result;
    if (start.text == "_") {
      if (!destination) text_.fail(start, "'_' cannot be read");
      result.kind = Operand::Kind::kSink;
      return result;
    }
    LocalName meaning;
    if (find_local(start, meaning) == Names::Lookup::kFound) {
      if (meaning.kind != LocalName::Kind::kVariable) return register_operand(start, meaning, place);
      if (!destination) return variable_operand(start, meaning, place, false);
    } else if (start.text[0] == '%') {
      if (!destination) return special_operand(start, place);
    } else if (!destination) {
      return symbol_operand(start, place, false);
    }
    text_.fail(start, "unknown register " + describe(start) + " as " + name_of(place));
  }
  if (destination) text_.fail_expected("a register as " + name_of(place));
  if (!expressions_.at_constant()) text_.fail_expected("a register or constant as " + name_of(place));
  Operand result;
  result.kind = Operand::Kind::kImmediate;
  result.bits = expressions_.to_bits(start, expressions_.constant_expression(), place.type);
  return result;
}

Operand Operands::special_operand(const Token& name, const OperandPlace& place) {
  std::string_view full = name.text;
  if (text_.token().kind == TokenKind::kDotWord && text_.token().glued)
    full = std::string_view(full.data(), full.size() + text_.take().text.size());
  return special_named(name, full, place);
}

Operand Operands::special_named(const Token& name, std::string_view full, const OperandPlace& place) {
  if (const std::uint32_t* const value = constant_register(full)) {
    Operand constant;
    constant.kind = Operand::Kind::kImmediate;
    constant.bits = *value;
    return constant;
  }
  if (const ReadableRegister* const special = readable_register(full)) {
    const unsigned wanted = isa::bits(place.type);
    const bool fits =
        wanted == special->bits || wanted == special->also || (place.spelling->relaxed && wanted < special->bits);
    if (!fits || isa::is_float(place.type)) {
      text_.fail(name, name_of(place) + " is " + dotted(place.type) + ", but special register " + std::string(full) +
                           " has " + std::to_string(special->bits) + " bits");
    }
    Operand result;
    result.kind = Operand::Kind::kSpecial;
    result.special = special->reg;
    return result;
  }
  if (const isa::Unsupported* const refused = refused_register(full))
    text_.fail(name, "special register '" + base::printable(full) + "' is not supported: " + refused->why);
  text_.fail(name, "unknown register '" + base::printable(full) + "' as " + name_of(place));
}

void Operands::check_address_width(const Token& at, const OperandPlace& place) const {
  const unsigned wanted = isa::bits(place.type);
  if (wanted < 32 || isa::is_float(place.type)) {
    text_.fail(at, "the address of " + describe(at) + " is no " + dotted(place.type) + " value");
  }
}

/// Reads the offset after a variable's name: `+ n`, `- n`, `[n]`. Returns it in bytes.
std::int64_t Operands::symbol_offset(std::uint64_t element_bytes) {
  std::uint64_t sum = 0;
  if (element_bytes != 0 && text_.at('[')) {
    text_.take();
    sum = element_bytes * expressions_.unsigned_constant("a constant array index", 0x7fffffff);
    text_.expect(']', "after an array index");
  }
  while (text_.at('+') || text_.at('-')) {
    const bool minus = text_.at('-');
    text_.take();
    const Token start = text_.token();
    if (!expressions_.at_constant()) text_.fail_expected("a constant offset");
    const Constant value = expressions_.binary_expression(10);
    if (!value.is_integer()) text_.fail(start, "an offset is an integer constant");
    sum += minus ? ~value.bits + 1 : value.bits;
  }
  return static_cast<std::int64_t>(sum);
}

Operand Operands::variable_operand(const Token& name, const LocalName& meaning, const OperandPlace& place,
                                   bool access) {
  const isa::Variable& variable = function_.variables[meaning.index];
  if (access) {
    if (place.spelling->has_space && !access_fits(place.spelling->space, variable.space)) {
      text_.fail(name, describe(name) + " is a ." + std::string(isa::name(variable.space)) +
                           " variable, but the instruction accesses " + space_text(place.spelling->space));
    }
  } else {
    check_address_width(name, place);
    const bool far = variable.space == isa::Space::kGlobal || variable.space == isa::Space::kConst;
    if (far && isa::bits(place.type) < 64) {
      text_.fail(name, "the address of ." + std::string(isa::name(variable.space)) + " variable " + describe(name) +
                           " takes 64 bits, not " + std::to_string(isa::bits(place.type)));
    }
  }
  Operand result;
  result.kind = Operand::Kind::kVariable;
  result.index = meaning.index;
  result.offset = symbol_offset(isa::bytes(variable.type));
  return result;
}

Operand Operands::symbol_operand(const Token& name, const OperandPlace& place, bool access) {
  SymbolUse use;
  use.at = name;
  if (access) {
    use.role = SymbolUse::Role::kAccess;
    use.space = place.spelling->space;
  } else {
    check_address_width(name, place);
    use.width = isa::bits(place.type);
  }
  if (!access || place.spelling->has_space) symbols_.use(use);
  std::uint64_t element_bytes = 0;
  if (text_.at('[')) {
    const isa::Variable* const known = symbols_.variable(name.text);
    if (known == nullptr) text_.fail(name, "unknown array " + describe(name));
    element_bytes = isa::bytes(known->type);
  }
  Operand result;
  result.kind = Operand::Kind::kSymbol;
  result.index = symbols_.name_index(name.text);
  result.offset = symbol_offset(element_bytes);
  return result;
}

Operand Operands::list(const OperandPlace& place, unsigned elements) {
  Operand result;
  result.kind = Operand::Kind::kList;
  if (text_.token().kind == TokenKind::kIdentifier) {
    const Token name = text_.take();
    LocalName meaning;
    const Names::Lookup known = find_local(name, meaning);
    if (known == Names::Lookup::kUnknown && name.text[0] == '%' && elements == 4 && !place.spec->destination) {
      // A name such as %tid denotes a vector of four elements; the last one is 0.
      for (const char* const element : {".x", ".y", ".z", ".w"})
        result.elements.push_back(special_named(name, std::string(name.text) + element, place));
      return result;
    }
    if (known != Names::Lookup::kFound || meaning.kind != LocalName::Kind::kVector) {
      text_.fail_expected(name, "'{' or a register vector as " + name_of(place));
    }
    if (meaning.wide != place.spelling->wide) {
      text_.fail(name,
                 name_of(place) + " takes " +
                     (meaning.wide ? "no .b128 register such as " : "a .b128 register or two .b64 in braces, not ") +
                     describe(name));
    }
    if (meaning.count != elements) {
      text_.fail(name, name_of(place) + " has " + std::to_string(elements) + " elements, " + describe(name) + " has " +
                           std::to_string(meaning.count));
    }
    check_register(name, function_.registers[meaning.index].type, place);
    for (unsigned i = 0; i < elements; ++i) {
      result.elements.emplace_back();
      result.elements.back().kind = Operand::Kind::kRegister;
      result.elements.back().index = meaning.index + i;
    }
    return result;
  }
  if (!text_.at('{')) text_.fail_expected("'{' before the elements of " + name_of(place));
  text_.take();
  result.elements.reserve(elements);
  for (unsigned i = 0; i < elements; ++i) {
    if (i != 0 && !text_.accept(','))
      text_.fail_expected("',' and element " + std::to_string(i + 1) + " of " + name_of(place));
    result.elements.push_back(value(place));
  }
  if (!text_.at('}')) text_.fail_expected("'}' after " + std::to_string(elements) + " elements of " + name_of(place));
  text_.take();
  return result;
}

/// Reads a register, or a braced list of registers whose widths add up to the type.
Operand Operands::pack(const OperandPlace& place) {
  if (text_.token().kind == TokenKind::kIdentifier) {
    LocalName meaning;
    if (find_local(text_.token(), meaning) == Names::Lookup::kFound && meaning.kind == LocalName::Kind::kVector &&
        !meaning.wide && !text_.next_is('.')) {
      const Token name = text_.take();
      const unsigned width = meaning.count * isa::bits(function_.registers[meaning.index].type);
      if (width != isa::bits(place.type)) {
        text_.fail(name, name_of(place) + " has " + std::to_string(isa::bits(place.type)) + " bits, " + describe(name) +
                             " has " + std::to_string(width));
      }
      Operand result;
      result.kind = Operand::Kind::kList;
      for (unsigned i = 0; i < meaning.count; ++i) {
        result.elements.emplace_back();
        result.elements.back().kind = Operand::Kind::kRegister;
        result.elements.back().index = meaning.index + i;
      }
      return result;
    }
  }
  if (!text_.at('{')) return value(place);
  const Token open = text_.take();
  Operand result;
  result.kind = Operand::Kind::kList;
  const unsigned total = isa::bits(place.type);
  const bool destination = place.spec->destination;
  unsigned known_bits = 0;
  unsigned unknown = 0;
  std::vector<std::pair<std::size_t, Constant>> constants;
  std::vector<Token> starts;
  do {
    if (result.elements.size() == 16) text_.fail(text_.token(), "more than 16 parts in " + name_of(place));
    const Token part = text_.token();
    starts.push_back(part);
    Operand element_operand;
    if (part.kind == TokenKind::kIdentifier && part.text == "_") {
      if (!destination) text_.fail(part, "'_' cannot be read");
      text_.take();
      element_operand.kind = Operand::Kind::kSink;
      ++unknown;
    } else if (part.kind == TokenKind::kIdentifier && part.text != "WARP_SZ") {
      text_.take();
      LocalName meaning;
      if (find_local(part, meaning) != Names::Lookup::kFound || meaning.kind == LocalName::Kind::kVariable) {
        text_.fail(part, "unknown register " + describe(part) + " in " + name_of(place));
      }
      const LocalName one = element(part, meaning);
      const Type type = function_.registers[one.index].type;
      if (type == Type::kPred) text_.fail(part, "predicate " + describe(part) + " in " + name_of(place));
      element_operand.kind = Operand::Kind::kRegister;
      element_operand.index = one.index;
      known_bits += isa::bits(type);
    } else {
      if (destination) text_.fail_expected("a register in " + name_of(place));
      if (!expressions_.at_constant()) text_.fail_expected("a register or constant in " + name_of(place));
      constants.emplace_back(result.elements.size(), expressions_.constant_expression());
      element_operand.kind = Operand::Kind::kImmediate;
      ++unknown;
    }
    result.elements.push_back(std::move(element_operand));
  } while (text_.accept(','));
  text_.expect('}', "after a list");
  const unsigned rest = known_bits <= total ? total - known_bits : 0;
  const Type share = unknown != 0 && rest % unknown == 0 ? bits_type(rest / unknown) : Type::kNone;
  if (known_bits > total || (unknown == 0 ? rest != 0 : share == Type::kNone)) {
    text_.fail(open, "the parts of " + name_of(place) + " have " + std::to_string(known_bits) +
                         (unknown != 0 ? " bits and more" : " bits") + ", its type " + dotted(place.type) + " has " +
                         std::to_string(total));
  }
  for (const auto& [where, constant] : constants) {
    result.elements[where].bits = expressions_.to_bits(starts[where], constant, share);
  }
  if (result.elements.size() == 1) return std::move(result.elements.front());
  return result;
}

Operand Operands::address(const OperandPlace& place) {
  if (!text_.at('[')) {
    // An operand such as `a[4]` is an array element: the brackets follow the name.
    if (text_.token().kind == TokenKind::kIdentifier && text_.next_is('[')) {
      const Token name = text_.take();
      LocalName meaning;
      Operand result;
      result.kind = Operand::Kind::kAddress;
      if (find_local(name, meaning) == Names::Lookup::kFound) {
        if (meaning.kind != LocalName::Kind::kVariable) text_.fail(name, describe(name) + " is no array");
        result.elements.push_back(variable_operand(name, meaning, place, true));
      } else {
        result.elements.push_back(symbol_operand(name, place, true));
      }
      std::swap(result.offset, result.elements[0].offset);
      return result;
    }
    text_.fail_expected("'[' before the address that is " + name_of(place));
  }
  text_.take();
  Operand result;
  result.kind = Operand::Kind::kAddress;
  result.elements.resize(1);
  Operand& base = result.elements[0];
  const Token start = text_.token();
  if (start.kind == TokenKind::kIdentifier && start.text != "WARP_SZ" && start.text != "_") {
    text_.take();
    LocalName meaning;
    const bool local = find_local(start, meaning) == Names::Lookup::kFound;
    if (local && meaning.kind != LocalName::Kind::kVariable) {
      const LocalName one = element(start, meaning);
      const Type type = function_.registers[one.index].type;
      const unsigned width = isa::bits(type);
      if ((width != 32 && width != 64) || isa::is_float(type)) {
        text_.fail(start,
                   "an address is a 32-bit or 64-bit integer register, but " + describe(start) + " is " + dotted(type));
      }
      base.kind = Operand::Kind::kRegister;
      base.index = one.index;
      result.offset = symbol_offset(0);
    } else if (local) {
      base = variable_operand(start, meaning, place, true);
    } else if (start.text[0] == '%') {
      text_.fail(start, "unknown register " + describe(start) + " as address in " + name_of(place));
    } else {
      base = symbol_operand(start, place, true);
    }
    if (base.kind != Operand::Kind::kRegister) std::swap(result.offset, base.offset);
  } else {
    if (!expressions_.at_constant()) text_.fail_expected("a register, a variable or a constant as address");
    const Constant constant = expressions_.constant_expression();
    base.kind = Operand::Kind::kImmediate;
    base.bits = expressions_.to_bits(start, constant, Type::kB64);
  }
  if (!text_.at(']')) text_.fail_expected("']' after the address that is " + name_of(place));
  text_.take();
  return result;
}

Operand Operands::immediate(const OperandPlace& place) {
  if (!expressions_.at_constant()) text_.fail_expected("an integer constant as " + name_of(place));
  const Token start = text_.token();
  const Constant constant = expressions_.constant_expression();
  if (!constant.is_integer()) text_.fail(start, "expected an integer constant as " + name_of(place));
  Operand result;
  result.kind = Operand::Kind::kImmediate;
  result.bits = expressions_.to_bits(start, constant, Type::kB32);
  return result;
}

Operand Operands::label_operand(std::size_t index, bool table) {
  const Token name = text_.expect_identifier(table ? "the name of a .branchtargets list" : "a label");
  labels_.use(name, table ? Labels::Where::kTableOperand : Labels::Where::kOperand, function_.body.size(), index);
  Operand result;
  result.kind = table ? Operand::Kind::kTable : Operand::Kind::kLabel;
  return result;
}

}  // namespace castor::ptx

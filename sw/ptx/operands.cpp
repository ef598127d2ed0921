#include <algorithm>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// Operands of instructions, by the shapes and types that a row of the table gives.
namespace castor::ptx {
namespace {

using isa::Operand;
using isa::SpecialRegister;
using isa::Type;

struct Special {
  std::string_view name;
  SpecialRegister reg;
  unsigned bits;
  unsigned also;  ///< a second width that PTX allows (16-bit and 32-bit reads of old programs), or 0
};

constexpr Special kSpecials[] = {
    {"%tid.x", SpecialRegister::kTidX, 32, 16},
    {"%tid.y", SpecialRegister::kTidY, 32, 16},
    {"%tid.z", SpecialRegister::kTidZ, 32, 16},
    {"%ntid.x", SpecialRegister::kNtidX, 32, 16},
    {"%ntid.y", SpecialRegister::kNtidY, 32, 16},
    {"%ntid.z", SpecialRegister::kNtidZ, 32, 16},
    {"%ctaid.x", SpecialRegister::kCtaidX, 32, 16},
    {"%ctaid.y", SpecialRegister::kCtaidY, 32, 16},
    {"%ctaid.z", SpecialRegister::kCtaidZ, 32, 16},
    {"%nctaid.x", SpecialRegister::kNctaidX, 32, 16},
    {"%nctaid.y", SpecialRegister::kNctaidY, 32, 16},
    {"%nctaid.z", SpecialRegister::kNctaidZ, 32, 16},
    {"%laneid", SpecialRegister::kLaneId, 32, 0},
    {"%warpid", SpecialRegister::kWarpId, 32, 0},
    {"%nwarpid", SpecialRegister::kNwarpId, 32, 0},
    {"%smid", SpecialRegister::kSmId, 32, 0},
    {"%nsmid", SpecialRegister::kNsmId, 32, 0},
    {"%gridid", SpecialRegister::kGridId, 64, 32},
    {"%lanemask_eq", SpecialRegister::kLanemaskEq, 32, 0},
    {"%lanemask_le", SpecialRegister::kLanemaskLe, 32, 0},
    {"%lanemask_lt", SpecialRegister::kLanemaskLt, 32, 0},
    {"%lanemask_ge", SpecialRegister::kLanemaskGe, 32, 0},
    {"%lanemask_gt", SpecialRegister::kLanemaskGt, 32, 0},
    {"%clock", SpecialRegister::kClock, 32, 0},
    {"%clock_hi", SpecialRegister::kClockHi, 32, 0},
    {"%clock64", SpecialRegister::kClock64, 64, 0},
    {"%globaltimer", SpecialRegister::kGlobalTimer, 64, 0},
    {"%globaltimer_lo", SpecialRegister::kGlobalTimerLo, 32, 0},
    {"%globaltimer_hi", SpecialRegister::kGlobalTimerHi, 32, 0},
    {"%total_smem_size", SpecialRegister::kTotalSmemSize, 32, 0},
    {"%dynamic_smem_size", SpecialRegister::kDynamicSmemSize, 32, 0},
};

/// PTX ISA, "Operand Size Exceeding Instruction-Type Size" and "Operand Type Checking".
bool register_fits(Type found, Type wanted, bool relaxed) {
  if (found == Type::kPred || wanted == Type::kPred) return found == wanted;
  const unsigned have = isa::bits(found);
  const unsigned need = isa::bits(wanted);
  if (have != need) return relaxed && have > need && !isa::is_float(wanted) && !isa::is_float(found);
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

Names::Lookup Parser::find_local(const Token& name, LocalName& meaning) {
  const Names::Lookup result = body_->names.find(name.text, meaning);
  if (result == Names::Lookup::kAmbiguous) {
    fail(name, describe(name) + " is declared both by itself and as part of a register family");
  }
  return result;
}

/// `v.x` of a register vector, or the register itself.
LocalName Parser::element(const Token& name, LocalName meaning) {
  const bool dotted_on = token_.kind == TokenKind::kDotWord && token_.glued;
  if (meaning.kind == LocalName::Kind::kRegister) {
    if (dotted_on) fail(token_, describe(name) + " is no vector and has no element " + describe(token_));
    return meaning;
  }
  if (!dotted_on) fail(name, "register vector " + describe(name) + " where one register is expected; name an element");
  static constexpr std::string_view kNames = "xyzwrgba";
  const std::size_t which = token_.text.size() == 2 ? kNames.find(token_.text[1]) : std::string_view::npos;
  if (which == std::string_view::npos || which % 4 >= meaning.count) {
    fail(token_, describe(name) + " has no element " + describe(token_));
  }
  take();
  return {LocalName::Kind::kRegister, meaning.index + static_cast<std::uint32_t>(which % 4), 1};
}

void Parser::check_register(const Token& at, Type found, const OperandPlace& place) const {
  if (register_fits(found, place.type, place.spelling->relaxed)) return;
  fail(at,
       name_of(place) + " takes a " + dotted(place.type) + " register, but " + describe(at) + " is " + dotted(found));
}

Operand Parser::register_operand(const Token& name, const LocalName& meaning, const OperandPlace& place) {
  const LocalName one = element(name, meaning);
  check_register(name, body_->function.registers[one.index].type, place);
  Operand result;
  result.kind = Operand::Kind::kRegister;
  result.index = one.index;
  return result;
}

Operand Parser::predicate(const OperandPlace& place) {
  const Token start = token_;
  const bool destination = place.spec->destination;
  Operand result;
  if (!destination && (token_.kind == TokenKind::kNumber || at('-'))) {
    result.kind = Operand::Kind::kImmediate;
    result.bits = to_bits(start, constant_expression(), Type::kPred);
    return result;
  }
  if (!destination) result.negated = accept('!');
  if (token_.kind != TokenKind::kIdentifier) {
    fail_expected("a predicate register as " + name_of(place));
  }
  const Token name = take();
  if (name.text == "_") {
    if (!destination) fail(name, "'_' cannot be read");
    result.kind = Operand::Kind::kSink;
    return result;
  }
  LocalName meaning;
  if (find_local(name, meaning) != Names::Lookup::kFound) fail(name, "unknown register " + describe(name));
  if (meaning.kind == LocalName::Kind::kVariable) {
    fail(name, name_of(place) + " takes a predicate register, but " + describe(name) + " is a variable");
  }
  const bool negated = result.negated;
  OperandPlace as_predicate = place;
  as_predicate.type = Type::kPred;
  result = register_operand(name, meaning, as_predicate);
  result.negated = negated;
  return result;
}

Operand Parser::value(const OperandPlace& place) {
  const bool destination = place.spec->destination;
  const Token start = token_;
  if (start.kind == TokenKind::kIdentifier && start.text != "WARP_SZ") {
    take();
    Operand result;
    if (start.text == "_") {
      if (!destination) fail(start, "'_' cannot be read");
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
    fail(start, "unknown register " + describe(start) + " as " + name_of(place));
  }
  if (destination) fail_expected("a register as " + name_of(place));
  if (!at_constant()) fail_expected("a register or constant as " + name_of(place));
  Operand result;
  result.kind = Operand::Kind::kImmediate;
  result.bits = to_bits(start, constant_expression(), place.type);
  return result;
}

Operand Parser::special_operand(const Token& name, const OperandPlace& place) {
  std::string_view full = name.text;
  Token last = name;
  if (token_.kind == TokenKind::kDotWord && token_.glued) {
    last = take();
    full = std::string_view(full.data(), full.size() + last.text.size());
  }
  for (const Special& special : kSpecials) {
    if (special.name != full) continue;
    const unsigned wanted = isa::bits(place.type);
    const bool fits =
        wanted == special.bits || wanted == special.also || (place.spelling->relaxed && wanted < special.bits);
    if (!fits || isa::is_float(place.type)) {
      fail(name, name_of(place) + " is " + dotted(place.type) + ", but special register " + std::string(full) +
                     " has " + std::to_string(special.bits) + " bits");
    }
    Operand result;
    result.kind = Operand::Kind::kSpecial;
    result.special = special.reg;
    return result;
  }
  fail(name, "unknown register '" + base::printable(full) + "' as " + name_of(place));
}

void Parser::check_address_width(const Token& at, const OperandPlace& place) const {
  const unsigned wanted = isa::bits(place.type);
  if (wanted < 32 || isa::is_float(place.type)) {
    fail(at, "the address of " + describe(at) + " is no " + dotted(place.type) + " value");
  }
}

/// What may follow a variable's name: `+ n`, `- n`, `[n]`.
std::int64_t Parser::symbol_offset(std::uint64_t element_bytes) {
  std::uint64_t sum = 0;
  if (element_bytes != 0 && at('[')) {
    take();
    sum = element_bytes * unsigned_constant("a constant array index", 0x7fffffff);
    expect(']', "after an array index");
  }
  while (at('+') || at('-')) {
    const bool minus = at('-');
    take();
    const Token start = token_;
    if (!at_constant()) fail_expected("a constant offset");
    const Constant value = binary_expression(10);
    if (!value.is_integer()) fail(start, "an offset is an integer constant");
    sum += minus ? ~value.bits + 1 : value.bits;
  }
  return static_cast<std::int64_t>(sum);
}

Operand Parser::variable_operand(const Token& name, const LocalName& meaning, const OperandPlace& place, bool access) {
  const isa::Variable& variable = body_->function.variables[meaning.index];
  if (access) {
    if (place.spelling->has_space && !access_fits(place.spelling->space, variable.space)) {
      fail(name, describe(name) + " is a ." + std::string(isa::name(variable.space)) +
                     " variable, but the instruction accesses " + space_text(place.spelling->space));
    }
  } else {
    check_address_width(name, place);
    const bool far = variable.space == isa::Space::kGlobal || variable.space == isa::Space::kConst;
    if (far && isa::bits(place.type) < 64) {
      fail(name, "the address of ." + std::string(isa::name(variable.space)) + " variable " + describe(name) +
                     " takes 64 bits, not " + std::to_string(isa::bits(place.type)));
    }
  }
  Operand result;
  result.kind = Operand::Kind::kVariable;
  result.index = meaning.index;
  result.offset = symbol_offset(isa::bytes(variable.type));
  return result;
}

Operand Parser::symbol_operand(const Token& name, const OperandPlace& place, bool access) {
  SymbolUse use;
  use.at = name;
  if (access) {
    use.role = SymbolUse::Role::kAccess;
    use.space = place.spelling->space;
  } else {
    check_address_width(name, place);
    use.width = isa::bits(place.type);
  }
  if (!access || place.spelling->has_space) uses_.push_back(use);
  std::uint64_t element_bytes = 0;
  if (at('[')) {
    const auto known = variables_.find(name.text);
    if (known == variables_.end()) fail(name, "unknown array " + describe(name));
    element_bytes = isa::bytes(module_.variables[known->second].type);
  }
  Operand result;
  result.kind = Operand::Kind::kSymbol;
  result.index = name_index(name.text);
  result.offset = symbol_offset(element_bytes);
  return result;
}

Operand Parser::list(const OperandPlace& place, unsigned elements) {
  Operand result;
  result.kind = Operand::Kind::kList;
  if (token_.kind == TokenKind::kIdentifier) {
    const Token name = take();
    LocalName meaning;
    if (find_local(name, meaning) != Names::Lookup::kFound || meaning.kind != LocalName::Kind::kVector) {
      fail_expected(name, "'{' or a register vector as " + name_of(place));
    }
    if (meaning.count != elements) {
      fail(name, name_of(place) + " has " + std::to_string(elements) + " elements, " + describe(name) + " has " +
                     std::to_string(meaning.count));
    }
    check_register(name, body_->function.registers[meaning.index].type, place);
    for (unsigned i = 0; i < elements; ++i) {
      result.elements.emplace_back();
      result.elements.back().kind = Operand::Kind::kRegister;
      result.elements.back().index = meaning.index + i;
    }
    return result;
  }
  if (!at('{')) fail_expected("'{' before the elements of " + name_of(place));
  take();
  result.elements.reserve(elements);
  for (unsigned i = 0; i < elements; ++i) {
    if (i != 0 && !accept(',')) fail_expected("',' and element " + std::to_string(i + 1) + " of " + name_of(place));
    result.elements.push_back(value(place));
  }
  if (!at('}')) fail_expected("'}' after " + std::to_string(elements) + " elements of " + name_of(place));
  take();
  return result;
}

/// A register, or a braced list of parts whose widths add up to the type.
Operand Parser::pack(const OperandPlace& place) {
  if (token_.kind == TokenKind::kIdentifier) {
    LocalName meaning;
    if (find_local(token_, meaning) == Names::Lookup::kFound && meaning.kind == LocalName::Kind::kVector &&
        !lexer_.next_is('.')) {
      const Token name = take();
      const unsigned width = meaning.count * isa::bits(body_->function.registers[meaning.index].type);
      if (width != isa::bits(place.type)) {
        fail(name, name_of(place) + " has " + std::to_string(isa::bits(place.type)) + " bits, " + describe(name) +
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
  if (!at('{')) return value(place);
  const Token open = take();
  Operand result;
  result.kind = Operand::Kind::kList;
  const unsigned total = isa::bits(place.type);
  const bool destination = place.spec->destination;
  unsigned known_bits = 0;
  unsigned unknown = 0;
  std::vector<std::pair<std::size_t, Constant>> constants;
  std::vector<Token> starts;
  do {
    if (result.elements.size() == 16) fail(token_, "more than 16 parts in " + name_of(place));
    const Token part = token_;
    starts.push_back(part);
    Operand element_operand;
    if (part.kind == TokenKind::kIdentifier && part.text == "_") {
      if (!destination) fail(part, "'_' cannot be read");
      take();
      element_operand.kind = Operand::Kind::kSink;
      ++unknown;
    } else if (part.kind == TokenKind::kIdentifier && part.text != "WARP_SZ") {
      take();
      LocalName meaning;
      if (find_local(part, meaning) != Names::Lookup::kFound || meaning.kind == LocalName::Kind::kVariable) {
        fail(part, "unknown register " + describe(part) + " in " + name_of(place));
      }
      const LocalName one = element(part, meaning);
      const Type type = body_->function.registers[one.index].type;
      if (type == Type::kPred) fail(part, "predicate " + describe(part) + " in " + name_of(place));
      element_operand.kind = Operand::Kind::kRegister;
      element_operand.index = one.index;
      known_bits += isa::bits(type);
    } else {
      if (destination) fail_expected("a register in " + name_of(place));
      if (!at_constant()) fail_expected("a register or constant in " + name_of(place));
      constants.emplace_back(result.elements.size(), constant_expression());
      element_operand.kind = Operand::Kind::kImmediate;
      ++unknown;
    }
    result.elements.push_back(std::move(element_operand));
  } while (accept(','));
  expect('}', "after a list");
  const unsigned rest = known_bits <= total ? total - known_bits : 0;
  const Type share = unknown != 0 && rest % unknown == 0 ? bits_type(rest / unknown) : Type::kNone;
  if (known_bits > total || (unknown == 0 ? rest != 0 : share == Type::kNone)) {
    fail(open, "the parts of " + name_of(place) + " have " + std::to_string(known_bits) +
                   (unknown != 0 ? " bits and more" : " bits") + ", its type " + dotted(place.type) + " has " +
                   std::to_string(total));
  }
  for (const auto& [where, constant] : constants) {
    result.elements[where].bits = to_bits(starts[where], constant, share);
  }
  if (result.elements.size() == 1) return std::move(result.elements.front());
  return result;
}

Operand Parser::address(const OperandPlace& place) {
  if (!at('[')) {
    // `a[4]`: an element of an array, whose brackets follow the name.
    if (token_.kind == TokenKind::kIdentifier && lexer_.next_is('[')) {
      const Token name = take();
      LocalName meaning;
      Operand result;
      result.kind = Operand::Kind::kAddress;
      if (find_local(name, meaning) == Names::Lookup::kFound) {
        if (meaning.kind != LocalName::Kind::kVariable) fail(name, describe(name) + " is no array");
        result.elements.push_back(variable_operand(name, meaning, place, true));
      } else {
        result.elements.push_back(symbol_operand(name, place, true));
      }
      std::swap(result.offset, result.elements[0].offset);
      return result;
    }
    fail_expected("'[' before the address that is " + name_of(place));
  }
  take();
  Operand result;
  result.kind = Operand::Kind::kAddress;
  result.elements.resize(1);
  Operand& base = result.elements[0];
  const Token start = token_;
  if (start.kind == TokenKind::kIdentifier && start.text != "WARP_SZ" && start.text != "_") {
    take();
    LocalName meaning;
    const bool local = find_local(start, meaning) == Names::Lookup::kFound;
    if (local && meaning.kind != LocalName::Kind::kVariable) {
      const LocalName one = element(start, meaning);
      const Type type = body_->function.registers[one.index].type;
      const unsigned width = isa::bits(type);
      if ((width != 32 && width != 64) || isa::is_float(type)) {
        fail(start,
             "an address is a 32-bit or 64-bit integer register, but " + describe(start) + " is " + dotted(type));
      }
      base.kind = Operand::Kind::kRegister;
      base.index = one.index;
      const Token sign = token_;
      result.offset = symbol_offset(0);
      if (result.offset < -(std::int64_t{1} << 31U) || result.offset >= (std::int64_t{1} << 31U)) {
        fail(sign, "address offset " + std::to_string(result.offset) + " does not fit 32 bits");
      }
    } else if (local) {
      base = variable_operand(start, meaning, place, true);
    } else if (start.text[0] == '%') {
      fail(start, "unknown register " + describe(start) + " as address in " + name_of(place));
    } else {
      base = symbol_operand(start, place, true);
    }
    if (base.kind != Operand::Kind::kRegister) std::swap(result.offset, base.offset);
  } else {
    if (!at_constant()) fail_expected("a register, a variable or a constant as address");
    const Constant constant = constant_expression();
    base.kind = Operand::Kind::kImmediate;
    base.bits = to_bits(start, constant, Type::kB64);
  }
  if (!at(']')) fail_expected("']' after the address that is " + name_of(place));
  take();
  return result;
}

Operand Parser::immediate(const OperandPlace& place) {
  if (!at_constant()) fail_expected("an integer constant as " + name_of(place));
  const Token start = token_;
  const Constant constant = constant_expression();
  if (!constant.is_integer()) fail(start, "expected an integer constant as " + name_of(place));
  Operand result;
  result.kind = Operand::Kind::kImmediate;
  result.bits = to_bits(start, constant, Type::kB32);
  return result;
}

Operand Parser::label_operand(std::size_t index, bool table) {
  LabelUse use;
  use.name = expect_identifier(table ? "the name of a .branchtargets list" : "a label");
  use.scope = body_->names.scope();
  use.where = table ? LabelUse::Where::kTableOperand : LabelUse::Where::kOperand;
  use.first = static_cast<std::uint32_t>(body_->function.body.size());
  use.second = static_cast<std::uint32_t>(index);
  body_->label_uses.push_back(use);
  Operand result;
  result.kind = table ? Operand::Kind::kTable : Operand::Kind::kLabel;
  return result;
}

}  // namespace castor::ptx

#include <algorithm>
#include <bitset>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// Variables of modules, functions and parameter lists, and their initial values.
namespace castor::ptx {
namespace {

constexpr std::pair<std::string_view, isa::Space> kSpaces[] = {
    {".global", isa::Space::kGlobal}, {".const", isa::Space::kConst}, {".shared", isa::Space::kShared},
    {".local", isa::Space::kLocal},   {".param", isa::Space::kParam}, {".reg", isa::Space::kReg},
};

bool opaque(std::string_view word) { return word == ".texref" || word == ".samplerref" || word == ".surfref"; }

}  // namespace

bool Parser::at_space() const {
  if (token_.kind != TokenKind::kDotWord) return false;
  return std::any_of(std::begin(kSpaces), std::end(kSpaces),
                     [this](const auto& space) { return space.first == token_.text; });
}

isa::Space Parser::space_directive() {
  const Token word = take();
  for (const auto& [text, space] : kSpaces) {
    if (text == word.text) return space;
  }
  fail_expected(word, "a state space");
}

/// Everything between the space and the name: alignment, attributes, vector, type, pointer attributes.
Parser::TypedHead Parser::variable_head(bool parameter) {
  TypedHead head;
  head.start = token_;
  for (;;) {
    const Token word = token_;
    if (word.kind != TokenKind::kDotWord) {
      if (head.type == isa::Type::kNone) fail_expected("a type such as .b32");
      return head;
    }
    if (accept_dot(".align")) {
      const Token number = token_;
      head.align = unsigned_constant("an alignment", kMostAlignment);
      if (head.align == 0 || (head.align & (head.align - 1)) != 0) {
        fail(number, "alignment " + std::to_string(head.align) + " is no power of two");
      }
    } else if (accept_dot(".attribute")) {
      // .managed variables are global ones, since the host reaches device memory; .unified only names the variable.
      expect('(', "after .attribute");
      if (!at_dot(".managed") && !at_dot(".unified")) fail_expected(".managed or .unified");
      take();
      while (!at(')') && token_.kind != TokenKind::kEnd) take();
      expect(')', "after the attribute");
    } else if (word.text == ".v2" || word.text == ".v4" || word.text == ".v8") {
      if (head.vector != 1) fail(word, "a second vector size " + describe(word));
      head.vector = static_cast<unsigned>(word.text[2] - '0');
      take();
    } else if (parameter && head.type != isa::Type::kNone && accept_dot(".ptr")) {
      // What the pointer points to; of no consequence here.
      if (at_space()) take();
      if (accept_dot(".align")) (void)unsigned_constant("an alignment", kMostAlignment);
    } else if (opaque(word.text)) {
      refuse_directive(word);
    } else {
      const auto type = isa::type_from_name(word.text.substr(1));
      if (!type) fail_expected(head.type == isa::Type::kNone ? "a type such as .b32" : "a name");
      if (head.type != isa::Type::kNone) fail(word, "a second type " + describe(word));
      head.type = *type;
      take();
    }
  }
}

/// Array extents and initial value after the name.
isa::Variable Parser::variable_tail(const TypedHead& head, isa::Space space, isa::Linkage linkage, const Token& name) {
  isa::Variable variable;
  variable.name = name.text;
  variable.space = space;
  variable.type = head.type;
  variable.linkage = linkage;
  variable.where = place(name);
  if (head.type == isa::Type::kPred) fail(head.start, "a predicate cannot be a variable in memory");

  Shape shape;
  shape.element_bytes = isa::bytes(head.type);
  std::uint64_t size = shape.element_bytes;
  bool too_large = false;
  const auto extend = [&](std::uint64_t extent) {
    shape.extents.push_back(extent);
    if (extent != 0) {
      too_large = too_large || size > kMostVariableBytes / extent;
      if (!too_large) size *= extent;
    }
  };
  while (accept('[')) {
    const Token extent = token_;
    if (shape.extents.size() == kMostDimensions) fail(extent, "an array of too many dimensions");
    if (at(']')) {
      if (!shape.extents.empty()) fail(extent, "only the first extent of an array may be left out");
      variable.unsized = true;
      extend(0);
    } else {
      extend(unsigned_constant("an array extent", ~std::uint64_t{0} >> 1U));
      if (shape.extents.back() == 0) {
        // clang writes arrays of no elements as [0] where others leave the extent out.
        if (shape.extents.size() != 1) fail(extent, "an array extent of 0");
        variable.unsized = true;
      }
    }
    expect(']', "after an array extent");
  }
  if (head.vector != 1) extend(head.vector);
  if (too_large || size > kMostVariableBytes) {
    fail(name, "variable " + describe(name) + " takes more than " + std::to_string(kMostVariableBytes) + " bytes");
  }
  variable.align = std::max<std::uint64_t>(head.align, std::uint64_t{shape.element_bytes} * head.vector);
  if (head.align != 0 && head.align < shape.element_bytes && space != isa::Space::kParam) {
    fail(head.start, "alignment " + std::to_string(head.align) + " is less than the " +
                         std::to_string(shape.element_bytes) + " bytes of ." + std::string(isa::name(head.type)));
  }
  variable.size = variable.unsized ? 0 : size;

  if (at('=')) {
    const Token equals = take();
    if (space != isa::Space::kGlobal && space != isa::Space::kConst) {
      fail(equals, "a ." + std::string(isa::name(space)) + " variable has no initial value");
    }
    if (linkage == isa::Linkage::kExtern) fail(equals, "an .extern variable has no initial value");
    initialiser(variable, shape);
  }
  return variable;
}

void Parser::module_variables(const Prefix& prefix) {
  const isa::Space space = space_directive();
  if (prefix.linkage == isa::Linkage::kCommon && space != isa::Space::kGlobal) {
    fail(prefix.token, ".common is for .global variables");
  }
  const TypedHead head = variable_head(false);
  do {
    const Token name = expect_identifier("the name of a variable");
    isa::Variable variable = variable_tail(head, space, prefix.linkage, name);
    if (variable.unsized && variable.size == 0 && prefix.linkage != isa::Linkage::kExtern) {
      fail(name, "array " + describe(name) + " has no size; only .extern arrays and those with initial values may");
    }
    if (functions_.count(name.text) != 0) fail_duplicate(name);
    const auto [known, fresh] = variables_.try_emplace(name.text, static_cast<std::uint32_t>(module_.variables.size()));
    if (fresh) {
      module_.variables.push_back(std::move(variable));
      continue;
    }
    isa::Variable& before = module_.variables[known->second];
    if (before.space != variable.space) {
      fail(name, describe(name) + " was declared in ." + std::string(isa::name(before.space)) + " at line " +
                     std::to_string(before.where.line));
    }
    if (variable.linkage == isa::Linkage::kExtern) continue;
    if (before.linkage != isa::Linkage::kExtern) fail_duplicate(name);
    before = std::move(variable);
  } while (accept(','));
  expect(';', "after a variable");
}

void Parser::local_variables(isa::Space space) {
  const TypedHead head = variable_head(false);
  do {
    const Token name = expect_identifier("the name of a variable");
    isa::Variable variable = variable_tail(head, space, isa::Linkage::kStatic, name);
    if (variable.unsized && variable.size == 0) fail(name, "array " + describe(name) + " has no size");
    variable.name = body_->names.unique_variable_name(name.text);
    auto& variables = body_->function.variables;
    const auto index = static_cast<std::uint32_t>(variables.size());
    if (!body_->names.declare(name.text, {LocalName::Kind::kVariable, index, 1})) fail_duplicate(name);
    variables.push_back(std::move(variable));
  } while (accept(','));
  expect(';', "after a variable");
}

/// `.reg .type name, family<count>, ...;`
void Parser::registers() {
  const TypedHead head = variable_head(false);
  if (head.align != 0) fail(head.start, "a register has no alignment");
  if (head.type == isa::Type::kPred && head.vector != 1) fail(head.start, "a vector of predicates");
  do {
    const Token name = expect_identifier("the name of a register");
    if (at('<')) {
      take();
      if (head.vector != 1) fail(name, "a family of vector registers is not supported; declare each by its name");
      const Token number = token_;
      if (token_.kind != TokenKind::kNumber) fail_expected("the number of registers");
      // A plain number: in an expression '>' would compare.
      const Constant count = literal(take());
      if (!count.is_integer() || count.bits > kMostRegisters) {
        fail(number, "expected a number of registers from 0 to " + std::to_string(kMostRegisters) + ", found " +
                         describe(number));
      }
      expect('>', "after the number of registers");
      body_->family_registers += count.bits;
      if (body_->family_registers > kMostRegisters) {
        fail(number, "more than " + std::to_string(kMostRegisters) + " registers in one function");
      }
      if (!body_->names.declare_family(name.text, static_cast<std::uint32_t>(count.bits), head.type)) {
        fail_duplicate(name);
      }
      continue;
    }
    auto& all = body_->function.registers;
    LocalName meaning{LocalName::Kind::kRegister, static_cast<std::uint32_t>(all.size()), 1};
    if (head.vector == 1) {
      all.push_back({std::string(name.text), head.type});
    } else {
      meaning.kind = LocalName::Kind::kVector;
      meaning.count = head.vector;
      for (unsigned i = 0; i < head.vector; ++i) {
        static constexpr const char* kElements[] = {".x", ".y", ".z", ".w"};
        if (head.vector > 4) fail(head.start, "a register vector of more than 4 elements");
        all.push_back({std::string(name.text) + kElements[i], head.type});
      }
    }
    if (!body_->names.declare(name.text, meaning)) fail_duplicate(name);
  } while (accept(','));
  expect(';', "after a register");
}

void Parser::parameter_list(std::vector<isa::Variable>& list, std::vector<Token>* names, bool may_be_register) {
  expect('(', "before a parameter list");
  if (accept(')')) return;
  do {
    const Token word = token_;
    if (!at_dot(".param") && !(may_be_register && at_dot(".reg"))) {
      fail_expected(may_be_register ? ".param or .reg" : ".param");
    }
    const isa::Space space = space_directive();
    const TypedHead head = variable_head(true);
    if (token_.kind != TokenKind::kIdentifier) fail_expected("the name of a parameter");
    const Token name = take();
    isa::Variable variable;
    if (space == isa::Space::kReg) {
      if (head.vector != 1) fail(word, "a vector register cannot be a parameter");
      variable.name = name.text;
      variable.space = space;
      variable.type = head.type;
      variable.size = std::max(1U, isa::bytes(head.type));
      variable.align = variable.size;
      variable.where = place(name);
    } else {
      variable = variable_tail(head, space, isa::Linkage::kStatic, name);
      if (variable.unsized) {
        fail(name, "parameter " + describe(name) + " without a size (a variable number of arguments) is not supported");
      }
    }
    list.push_back(std::move(variable));
    if (names != nullptr) names->push_back(name);
  } while (accept(','));
  expect(')', "after a parameter list");
}

// ---- initial values

void Parser::initialiser(isa::Variable& variable, Shape& shape) {
  if (!at('{')) {
    if (!shape.extents.empty()) fail_expected("'{' before the initial values of an array");
    initialiser_element(variable, 0);
    return;
  }
  if (shape.extents.empty()) shape.extents.push_back(1);
  const std::uint64_t bytes = variable.unsized ? kMostVariableBytes : variable.size;
  const std::uint64_t end = initialiser_list(variable, shape, 0, 0, bytes);
  if (variable.unsized) {
    std::uint64_t stride = shape.element_bytes;
    for (std::size_t i = 1; i < shape.extents.size(); ++i) stride *= shape.extents[i];
    variable.size = (end + stride - 1) / stride * stride;
    variable.unsized = false;
  }
}

/// One braced list, which fills `bytes` bytes from `offset`; returns where its values end.
std::uint64_t Parser::initialiser_list(isa::Variable& variable, const Shape& shape, std::size_t level,
                                       std::uint64_t offset, std::uint64_t bytes) {
  expect('{', "before initial values");
  std::uint64_t stride = shape.element_bytes;
  for (std::size_t i = level + 1; i < shape.extents.size(); ++i) stride *= shape.extents[i];
  std::uint64_t at_byte = offset;
  if (accept('}')) return at_byte;
  do {
    const Token element = token_;
    if (at('{') && level + 1 == shape.extents.size()) fail_expected("a value; the array has no more dimensions");
    const bool nested = at('{');
    const std::uint64_t step = nested ? stride : shape.element_bytes;
    if (at_byte + step > offset + bytes) {
      fail(element, "more initial values than '" + base::printable(variable.name) + "' has elements");
    }
    if (nested) {
      if ((at_byte - offset) % stride != 0) fail(element, "a braced list in the middle of a row");
      (void)initialiser_list(variable, shape, level + 1, at_byte, stride);
    } else {
      initialiser_element(variable, at_byte);
    }
    at_byte += step;
  } while (accept(','));
  expect('}', "after initial values");
  return at_byte;
}

void Parser::put_bytes(isa::Variable& variable, const Token& at, std::uint64_t offset, std::uint64_t bits,
                       unsigned bytes) {
  const std::uint64_t end = offset + bytes;
  if (end > variable.data.size()) {
    initial_bytes_ += end - variable.data.size();
    if (end > most_initial_bytes_ || initial_bytes_ > most_initial_bytes_) {
      fail(at, "the initial values of this file take more than " + std::to_string(most_initial_bytes_) + " bytes");
    }
    variable.data.resize(end);
  }
  for (unsigned i = 0; i < bytes; ++i) {
    variable.data[offset + i] = i < 8 ? static_cast<std::uint8_t>(bits >> (8 * i)) : std::uint8_t{0};
  }
}

/// `symbol`, `symbol + n`, `generic(symbol)`, `generic(symbol + n) + m`. False if the text is no symbol.
bool Parser::symbol_value(isa::Relocation& relocation) {
  if (token_.kind != TokenKind::kIdentifier || token_.text == "WARP_SZ") return false;
  Token name = take();
  const auto addend = [this, &relocation] {
    while (at('+') || at('-')) {
      const bool minus = at('-');
      take();
      const Token start = token_;
      const Constant value = binary_expression(10);
      if (!value.is_integer()) fail(start, "an address plus a floating-point constant");
      const std::uint64_t sum = static_cast<std::uint64_t>(relocation.addend) + (minus ? ~value.bits + 1 : value.bits);
      relocation.addend = static_cast<std::int64_t>(sum);
    }
  };
  if (name.text == "generic" && at('(')) {
    take();
    relocation.generic = true;
    name = expect_identifier("the name of a variable in generic()");
    addend();
    expect(')', "after generic(variable");
  }
  addend();
  relocation.symbol = name.text;
  SymbolUse use;
  use.role = SymbolUse::Role::kInitialiser;
  use.at = name;
  uses_.push_back(use);
  return true;
}

void Parser::initialiser_element(isa::Variable& variable, std::uint64_t offset) {
  const Token start = token_;
  const unsigned bytes = isa::bytes(variable.type);
  const auto relocate = [&](isa::Relocation relocation) {
    if (isa::is_float(variable.type)) {
      fail(start, "an address is no ." + std::string(isa::name(variable.type)) + " value");
    }
    relocation.offset = offset;
    relocation.width = bytes;
    put_bytes(variable, start, offset, 0, bytes);
    variable.relocations.push_back(std::move(relocation));
  };

  if (token_.kind == TokenKind::kNumber && lexer_.next_is('(')) {
    // mask(symbol): some bytes of an address.
    const Constant mask = literal(take());
    take();
    isa::Relocation relocation;
    if (!symbol_value(relocation)) fail_expected("the name of a variable after a mask");
    expect(')', "after mask(variable");
    uses_.back().width = 64;
    unsigned shift = 0;
    std::uint64_t rest = mask.bits;
    while (rest != 0 && (rest & 0xff) == 0) {
      rest >>= 8U;
      shift += 8;
    }
    const std::uint64_t wanted = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
    if (!mask.is_integer() || rest != wanted) {
      fail(start, "mask " + describe(start) + " does not choose " + std::to_string(bytes) +
                      " neighbouring bytes of an address");
    }
    relocation.shift = shift;
    relocate(std::move(relocation));
    return;
  }
  isa::Relocation relocation;
  if (symbol_value(relocation)) {
    uses_.back().width = bytes * 8;
    relocate(std::move(relocation));
    return;
  }
  if (token_.kind == TokenKind::kString) fail_expected("a number; a string is written as its bytes");
  if (!at_constant()) fail_expected("an initial value");
  const Constant value = constant_expression();
  if (isa::is_float(variable.type) && isa::bits(variable.type) < 32) {
    // There are no constants of 16-bit formats: the pattern is given.
    if (!value.is_integer()) fail(start, "initial values of 16-bit floating-point types are written as bit patterns");
    put_bytes(variable, start, offset, to_bits(start, value, isa::Type::kB16), bytes);
    return;
  }
  put_bytes(variable, start, offset, to_bits(start, value, variable.type), bytes);
}

}  // namespace castor::ptx

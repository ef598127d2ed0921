#include "ptx/initialisers.h"

#include "castor/base/error.h"

namespace castor::ptx {

void Initialisers::read(isa::Variable& variable, Shape& shape) {
  if (!text_.at('{')) {
    if (!shape.extents.empty()) text_.fail_expected("'{' before the initial values of an array");
    element(variable, 0);
    return;
  }
  if (shape.extents.empty()) shape.extents.push_back(1);
  const std::uint64_t bytes = variable.unsized ? kMostVariableBytes : variable.size;
  const std::uint64_t end = list(variable, shape, 0, 0, bytes);
  if (variable.unsized) {
    std::uint64_t stride = shape.element_bytes;
    for (std::size_t i = 1; i < shape.extents.size(); ++i) stride *= shape.extents[i];
    variable.size = (end + stride - 1) / stride * stride;
    variable.unsized = false;
  }
}

/// Reads one braced list, which fills `bytes` bytes from `offset`. Returns the offset after its last value.
std::uint64_t Initialisers::list(isa::Variable& variable, const Shape& shape, std::size_t level, std::uint64_t offset,
                                 std::uint64_t bytes) {
  text_.expect('{', "before initial values");
  std::uint64_t stride = shape.element_bytes;
  for (std::size_t i = level + 1; i < shape.extents.size(); ++i) stride *= shape.extents[i];
  std::uint64_t at_byte = offset;
  if (text_.accept('}')) return at_byte;
  do {
    const Token first = text_.token();
    if (text_.at('{') && level + 1 == shape.extents.size())
      text_.fail_expected("a value; the array has no more dimensions");
    const bool nested = text_.at('{');
    const std::uint64_t step = nested ? stride : shape.element_bytes;
    if (at_byte + step > offset + bytes) {
      text_.fail(first, "more initial values than '" + base::printable(variable.name) + "' has elements");
    }
    if (nested) {
      if ((at_byte - offset) % stride != 0) text_.fail(first, "a braced list in the middle of a row");
      (void)list(variable, shape, level + 1, at_byte, stride);
    } else {
      element(variable, at_byte);
    }
    at_byte += step;
  } while (text_.accept(','));
  text_.expect('}', "after initial values");
  return at_byte;
}

void Initialisers::put_bytes(isa::Variable& variable, const Token& at, std::uint64_t offset, std::uint64_t bits,
                             unsigned bytes) {
  const std::uint64_t end = offset + bytes;
  if (end > variable.data.size()) {
    if (!memory_.take(end - variable.data.size()) || end > memory_.most()) {
      text_.fail(at, "the initial values of this file take more than " + std::to_string(memory_.most()) + " bytes");
    }
    variable.data.resize(end);
  }
  for (unsigned i = 0; i < bytes; ++i) {
    variable.data[offset + i] = i < 8 ? static_cast<std::uint8_t>(bits >> (8 * i)) : std::uint8_t{0};
  }
}

/// Reads `symbol`, `symbol + n`, `generic(symbol)` or `generic(symbol + n) + m`. Returns false if the text is no
/// symbol.
bool Initialisers::symbol(isa::Relocation& relocation, unsigned width) {
  if (text_.token().kind != TokenKind::kIdentifier || text_.token().text == "WARP_SZ") return false;
  Token name = text_.take();
  const auto addend = [this, &relocation] {
    while (text_.at('+') || text_.at('-')) {
      const bool minus = text_.at('-');
      text_.take();
      const Token start = text_.token();
      const Constant value = expressions_.binary_expression(10);
      if (!value.is_integer()) text_.fail(start, "an address plus a floating-point constant");
      const std::uint64_t sum = static_cast<std::uint64_t>(relocation.addend) + (minus ? ~value.bits + 1 : value.bits);
      relocation.addend = static_cast<std::int64_t>(sum);
    }
  };
  if (name.text == "generic" && text_.at('(')) {
    text_.take();
    relocation.generic = true;
    name = text_.expect_identifier("the name of a variable in generic()");
    addend();
    text_.expect(')', "after generic(variable");
  }
  addend();
  relocation.symbol = name.text;
  SymbolUse use;
  use.role = SymbolUse::Role::kInitialiser;
  use.at = name;
  use.width = width;
  symbols_.use(use);
  return true;
}

/// Reads mask(symbol): selects some bytes of an address.
isa::Relocation Initialisers::masked(unsigned bytes) {
  const Token start = text_.take();
  const Constant mask = expressions_.literal(start);
  text_.take();
  isa::Relocation relocation;
  if (!symbol(relocation, 64)) text_.fail_expected("the name of a variable after a mask");
  text_.expect(')', "after mask(variable");
  std::uint64_t rest = mask.bits;
  while (rest != 0 && (rest & 0xff) == 0) {
    rest >>= 8U;
    relocation.shift += 8;
  }
  const std::uint64_t wanted = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  if (!mask.is_integer() || rest != wanted) {
    text_.fail(start, "mask " + describe(start) + " does not choose " + std::to_string(bytes) +
                          " neighbouring bytes of an address");
  }
  return relocation;
}

void Initialisers::element(isa::Variable& variable, std::uint64_t offset) {
  const Token start = text_.token();
  const unsigned bytes = isa::bytes(variable.type);
  const auto relocate = [&](isa::Relocation relocation) {
    if (isa::is_float(variable.type)) {
      text_.fail(start, "an address is no ." + std::string(isa::name(variable.type)) + " value");
    }
    relocation.offset = offset;
    relocation.width = bytes;
    put_bytes(variable, start, offset, 0, bytes);
    variable.relocations.push_back(std::move(relocation));
  };

  if (text_.token().kind == TokenKind::kNumber && text_.next_is('(')) {
    return relocate(masked(bytes));
  }
  isa::Relocation relocation;
  if (symbol(relocation, bytes * 8)) return relocate(std::move(relocation));
  if (text_.token().kind == TokenKind::kString) text_.fail_expected("a number; a string is written as its bytes");
  if (!expressions_.at_constant()) text_.fail_expected("an initial value");
  const Constant value = expressions_.constant_expression();
  if (isa::is_float(variable.type) && isa::bits(variable.type) < 32) {
    // PTX has no constants of 16-bit floating-point types, so the text contains bit patterns.
    if (!value.is_integer())
      text_.fail(start, "initial values of 16-bit floating-point types are written as bit patterns");
    put_bytes(variable, start, offset, expressions_.to_bits(start, value, isa::Type::kB16), bytes);
    return;
  }
  put_bytes(variable, start, offset, expressions_.to_bits(start, value, variable.type), bytes);
}

}  // namespace castor::ptx

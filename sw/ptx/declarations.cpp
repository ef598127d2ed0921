#include "ptx/declarations.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ptx/directives.h"
#include "ptx/names.h"
#include "ptx/rules.h"

// Declarations of variables in modules, functions and parameter lists.
namespace castor::ptx {
namespace {

constexpr std::pair<std::string_view, isa::Space> kSpaces[] = {
    {".global", isa::Space::kGlobal}, {".const", isa::Space::kConst}, {".shared", isa::Space::kShared},
    {".local", isa::Space::kLocal},   {".param", isa::Space::kParam}, {".reg", isa::Space::kReg},
};

bool opaque(std::string_view word) { return word == ".texref" || word == ".samplerref" || word == ".surfref"; }

}  // namespace

bool Declarations::at_space() const {
  if (text_.token().kind != TokenKind::kDotWord) return false;
  return std::any_of(std::begin(kSpaces), std::end(kSpaces),
                     [this](const auto& space) { return space.first == text_.token().text; });
}

isa::Space Declarations::space_directive() {
  const Token word = text_.take();
  for (const auto& [text, space] : kSpaces) {
    if (text == word.text) return space;
  }
  text_.fail_expected(word, "a state space");
}

/// Reads everything between the state space and the name: alignment, attributes, vector, type, pointer attributes.
TypedHead Declarations::variable_head(bool parameter) {
  TypedHead head;
  head.start = text_.token();
  for (;;) {
    const Token word = text_.token();
    if (word.kind != TokenKind::kDotWord) {
      if (head.type == isa::Type::kNone) text_.fail_expected("a type such as .b32");
      return head;
    }
    if (text_.accept_dot(".align")) {
      const Token number = text_.token();
      head.align = expressions_.unsigned_constant("an alignment", kMostAlignment);
      if (head.align == 0 || (head.align & (head.align - 1)) != 0) {
        text_.fail(number, "alignment " + std::to_string(head.align) + " is no power of two");
      }
    } else if (text_.accept_dot(".attribute")) {
      // A .managed variable is treated as global, because the host can access all device memory. .unified only names
      // the variable.
      text_.expect('(', "after .attribute");
      if (!text_.at_dot(".managed") && !text_.at_dot(".unified")) text_.fail_expected(".managed or .unified");
      text_.take();
      skip_attribute(text_);
    } else if (word.text == ".v2" || word.text == ".v4" || word.text == ".v8") {
      if (head.vector != 1) text_.fail(word, "a second vector size " + describe(word));
      head.vector = static_cast<unsigned>(word.text[2] - '0');
      text_.take();
    } else if (parameter && head.type != isa::Type::kNone && text_.accept_dot(".ptr")) {
      // State space and alignment that the pointer refers to; they have no effect in this model.
      if (at_space()) text_.take();
      if (text_.accept_dot(".align")) (void)expressions_.unsigned_constant("an alignment", kMostAlignment);
    } else if (opaque(word.text)) {
      refuse_directive(text_, word);
    } else {
      const auto type = isa::type_from_name(word.text.substr(1));
      if (!type) text_.fail_expected(head.type == isa::Type::kNone ? "a type such as .b32" : "a name");
      if (head.type != isa::Type::kNone) text_.fail(word, "a second type " + describe(word));
      head.type = *type;
      text_.take();
    }
  }
}

void Declarations::check_register(const TypedHead& head) const {
  if (head.align != 0) text_.fail(head.start, "a register has no alignment");
  if (head.type == isa::Type::kPred && head.vector != 1) text_.fail(head.start, "a vector of predicates");
  if (head.vector > 4) text_.fail(head.start, "a register vector of more than 4 elements");
  if (head.vector != 1 && head.type == isa::Type::kB128) text_.fail(head.start, "a vector of .b128 registers");
}

/// Reads the array extents and the initial value after the name.
isa::Variable Declarations::variable_tail(const TypedHead& head, isa::Space space, isa::Linkage linkage,
                                          const Token& name) {
  isa::Variable variable;
  variable.name = name.text;
  variable.space = space;
  variable.type = head.type;
  variable.linkage = linkage;
  variable.where = places_.place(name);
  if (head.type == isa::Type::kPred) text_.fail(head.start, "a predicate cannot be a variable in memory");

  Initialisers::Shape shape;
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
  while (text_.accept('[')) {
    const Token extent = text_.token();
    if (shape.extents.size() == kMostDimensions) text_.fail(extent, "an array of too many dimensions");
    if (text_.at(']')) {
      if (!shape.extents.empty()) text_.fail(extent, "only the first extent of an array may be left out");
      variable.unsized = true;
      extend(0);
    } else {
      extend(expressions_.unsigned_constant("an array extent", ~std::uint64_t{0} >> 1U));
      if (shape.extents.back() == 0) {
        // clang writes [0] for an array without elements; other compilers omit the extent.
        if (shape.extents.size() != 1) text_.fail(extent, "an array extent of 0");
        variable.unsized = true;
      }
    }
    text_.expect(']', "after an array extent");
  }
  if (head.vector != 1) extend(head.vector);
  if (too_large || size > kMostVariableBytes) {
    text_.fail(name,
               "variable " + describe(name) + " takes more than " + std::to_string(kMostVariableBytes) + " bytes");
  }
  variable.align = std::max<std::uint64_t>(head.align, std::uint64_t{shape.element_bytes} * head.vector);
  if (head.align != 0 && head.align < shape.element_bytes && space != isa::Space::kParam) {
    text_.fail(head.start, "alignment " + std::to_string(head.align) + " is less than the " +
                               std::to_string(shape.element_bytes) + " bytes of ." + std::string(isa::name(head.type)));
  }
  variable.size = variable.unsized ? 0 : size;

  if (text_.at('=')) {
    const Token equals = text_.take();
    if (space != isa::Space::kGlobal && space != isa::Space::kConst) {
      text_.fail(equals, "a ." + std::string(isa::name(space)) + " variable has no initial value");
    }
    if (linkage == isa::Linkage::kExtern) text_.fail(equals, "an .extern variable has no initial value");
    initialisers_.read(variable, shape);
  }
  return variable;
}

void Declarations::module_variables(const Prefix& prefix) {
  const isa::Space space = space_directive();
  if (space == isa::Space::kReg) module_registers();
  if (space == isa::Space::kLocal && prefix.linkage == isa::Linkage::kExtern) {
    text_.fail(prefix.token, "a .local variable belongs to one module and cannot be .extern");
  }
  if (prefix.linkage == isa::Linkage::kCommon && space != isa::Space::kGlobal) {
    text_.fail(prefix.token, ".common is for .global variables");
  }
  const TypedHead head = variable_head(false);
  do {
    const Token name = text_.expect_identifier("the name of a variable");
    isa::Variable variable = variable_tail(head, space, prefix.linkage, name);
    if (variable.unsized && variable.size == 0 && prefix.linkage != isa::Linkage::kExtern) {
      text_.fail(name,
                 "array " + describe(name) + " has no size; only .extern arrays and those with initial values may");
    }
    symbols_.declare(std::move(variable), name);
  } while (text_.accept(','));
  text_.expect(';', "after a variable");
}

void Declarations::module_registers() {
  (void)variable_head(false);
  const Token name = text_.expect_identifier("the name of a register");
  text_.fail(name, "register " + describe(name) +
                       " is declared outside of functions: declare it in each function that uses it, and pass what "
                       "functions share as parameters, or keep it in a .local variable of the module");
}

void Declarations::parameter_list(std::vector<isa::Variable>& list, std::vector<Token>* names, bool may_be_register) {
  text_.expect('(', "before a parameter list");
  if (text_.accept(')')) return;
  do {
    if (!text_.at_dot(".param") && !(may_be_register && text_.at_dot(".reg"))) {
      text_.fail_expected(may_be_register ? ".param or .reg" : ".param");
    }
    const isa::Space space = space_directive();
    const TypedHead head = variable_head(true);
    if (text_.token().kind != TokenKind::kIdentifier) text_.fail_expected("the name of a parameter");
    const Token name = text_.take();
    isa::Variable variable;
    if (space == isa::Space::kReg) {
      check_register(head);
      const RegisterShape shape = RegisterShape::of(head.type, head.vector);
      variable.name = name.text;
      variable.space = space;
      variable.type = shape.type;
      variable.size = std::max(1U, isa::bytes(shape.type));
      variable.align = shape.wide ? 2 * variable.size : variable.size;
      variable.where = places_.place(name);
      for (unsigned i = 1; i < shape.elements; ++i) {
        list.push_back(variable);
        if (names != nullptr) names->push_back(name);
      }
    } else {
      variable = variable_tail(head, space, isa::Linkage::kStatic, name);
      if (variable.unsized) {
        text_.fail(name,
                   "parameter " + describe(name) + " without a size (a variable number of arguments) is not supported");
      }
    }
    list.push_back(std::move(variable));
    if (names != nullptr) names->push_back(name);
  } while (text_.accept(','));
  text_.expect(')', "after a parameter list");
}

}  // namespace castor::ptx

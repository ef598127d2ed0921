#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/constant.h"
#include "ptx/lexer.h"
#include "ptx/names.h"

namespace castor::ptx {

/// Limits on what a text may ask for; beyond them it is refused, whatever memory the host has.
inline constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 40U;
/// Initial data of all variables of a module together: this, or four times the text if that is more.
inline constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 26U;
inline constexpr std::uint64_t kMostRegisters = 1'000'000;   ///< of all families of a function together
inline constexpr std::uint64_t kMostCandidates = 1'000'000;  ///< functions that indirect calls name, counted per call
inline constexpr std::uint64_t kMostAlignment = 65536;
inline constexpr unsigned kMostNesting = 200;  ///< scopes, parentheses, unary operators
inline constexpr std::size_t kMostDimensions = 16;

/// True if an instruction on `instruction` space may name a variable of `variable` space as its address. A generic
/// access may name a global or constant variable, whose generic address is its own.
[[nodiscard]] inline bool access_fits(isa::Space instruction, isa::Space variable) {
  return instruction == variable ||
         (instruction == isa::Space::kGeneric && (variable == isa::Space::kGlobal || variable == isa::Space::kConst));
}

/// A type as it is spelled in a text.
[[nodiscard]] inline std::string dotted(isa::Type type) { return "." + std::string(isa::name(type)); }

/// A space as messages name it.
[[nodiscard]] inline std::string space_text(isa::Space space) {
  return space == isa::Space::kGeneric ? "a generic address" : "." + std::string(isa::name(space));
}

/// Recursive descent over PTX text, driven by the instruction table: the grammar of PTX needs one token of lookahead, a
/// hand-written parser is the fastest, and its messages can name what each operand has to be.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file);
  [[nodiscard]] isa::Module parse();

 private:
  // ---- tokens (parser.cpp)
  [[noreturn]] void fail(const Token& at, const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void fail_expected(const std::string& what) const { fail_expected(token_, what); }
  [[noreturn]] void fail_expected(const Token& at, const std::string& what) const;
  Token take();
  [[nodiscard]] bool at(std::uint16_t code) const {
    return token_.kind == TokenKind::kPunctuation && token_.code == code;
  }
  [[nodiscard]] bool at_dot(std::string_view word) const {
    return token_.kind == TokenKind::kDotWord && token_.text == word;
  }
  bool accept(std::uint16_t code);
  bool accept_dot(std::string_view word);
  void expect(std::uint16_t code, const char* where);
  Token expect_identifier(const char* what);
  [[nodiscard]] isa::SourceLine place(const Token& token) const;

  // ---- module level (parser.cpp)
  void header();
  void target();
  void module_item();
  void file_directive();
  void section_directive();
  void pragma_directive();
  void alias_directive(const Token& directive);
  void finish();
  void check_symbols();
  void apply_aliases();
  void map_source_files();
  [[noreturn]] void refuse_directive(const Token& directive) const;
  std::uint32_t name_index(std::string_view name);

  // ---- constant expressions (expressions.cpp)
  Constant constant_expression();
  Constant binary_expression(int lowest);
  Constant unary_expression();
  Constant literal(const Token& token) const;
  Constant combine(const Token& op, const Constant& a, const Constant& b) const;
  [[nodiscard]] bool at_constant() const;
  [[nodiscard]] bool at_cast() const;
  std::uint64_t unsigned_constant(const char* what, std::uint64_t most);
  std::uint64_t to_bits(const Token& at, const Constant& value, isa::Type type) const;

  // ---- variables (variables.cpp)
  struct Prefix {  // what may stand before a variable or function
    isa::Linkage linkage = isa::Linkage::kStatic;
    bool given = false;
    Token token;
  };
  [[nodiscard]] bool at_space() const;
  isa::Space space_directive();
  void module_variables(const Prefix& prefix);
  void local_variables(isa::Space space);
  struct TypedHead {
    std::uint64_t align = 0;
    unsigned vector = 1;
    isa::Type type = isa::Type::kNone;
    Token start;
  };
  TypedHead variable_head(bool parameter);
  isa::Variable variable_tail(const TypedHead& head, isa::Space space, isa::Linkage linkage, const Token& name);
  struct Shape {  // extents of an array, outermost first; 0 as first: unsized
    std::vector<std::uint64_t> extents;
    unsigned element_bytes = 1;
  };
  void initialiser(isa::Variable& variable, Shape& shape);
  std::uint64_t initialiser_list(isa::Variable& variable, const Shape& shape, std::size_t level, std::uint64_t offset,
                                 std::uint64_t bytes);
  void initialiser_element(isa::Variable& variable, std::uint64_t offset);
  void put_bytes(isa::Variable& variable, const Token& at, std::uint64_t offset, std::uint64_t bits, unsigned bytes);
  bool symbol_value(isa::Relocation& relocation);
  void registers();
  void parameter_list(std::vector<isa::Variable>& list, std::vector<Token>* names, bool may_be_register);

  // ---- functions (functions.cpp)
  void function(const Prefix& prefix, bool entry);
  void performance_directives(isa::Function& function);
  void thread_counts(std::uint32_t (&counts)[3]);
  std::uint32_t merge_function(isa::Function&& function, const Token& name);
  void declare_parameters(const std::vector<Token>& parameters, const std::vector<Token>& results);
  void body();
  void statement();
  void body_directive();
  void location_directive();
  void label(const Token& name);
  void labelled_directive(const Token& name);
  void branch_targets(const Token& name);
  void call_targets(const Token& name);
  void call_prototype(const Token& name);
  void resolve_labels();
  void resolve_calls();
  [[noreturn]] void fail_duplicate(const Token& name) const;

  // ---- instructions (instructions.cpp, call.cpp)
  struct Spelling {  // what is the same for every instruction of one spelling
    isa::Match match;
    std::vector<isa::Type> types;  // per operand
    unsigned elements = 1;         // vector items: 1, 2, 4, 8
    unsigned required = 0;         // operands that may not be absent
    bool inner_optional = false;   // an operand that may be absent stands before one that may not
    bool relaxed = false;          // registers may be wider than the type
    bool has_space = false;
    isa::Space space = isa::Space::kGeneric;
  };
  const Spelling& spelling(const Token& opcode, std::string_view text);
  void instruction(const Token& opcode);
  [[nodiscard]] unsigned count_operands() const;
  struct OperandPlace {  // for messages
    const Spelling* spelling = nullptr;
    const isa::OperandSpec* spec = nullptr;
    unsigned number = 0;
    isa::Type type = isa::Type::kNone;
  };
  [[nodiscard]] std::string name_of(const OperandPlace& place) const;
  isa::Operand operand(const OperandPlace& place, std::size_t index);
  isa::Operand predicate(const OperandPlace& place);
  isa::Operand value(const OperandPlace& place);
  isa::Operand list(const OperandPlace& place, unsigned elements);
  isa::Operand pack(const OperandPlace& place);
  isa::Operand address(const OperandPlace& place);
  isa::Operand immediate(const OperandPlace& place);
  isa::Operand label_operand(std::size_t index, bool table);
  isa::Operand register_operand(const Token& name, const LocalName& meaning, const OperandPlace& place);
  isa::Operand variable_operand(const Token& name, const LocalName& meaning, const OperandPlace& place, bool access);
  isa::Operand symbol_operand(const Token& name, const OperandPlace& place, bool access);
  isa::Operand special_operand(const Token& name, const OperandPlace& place);
  void check_register(const Token& at, isa::Type found, const OperandPlace& place) const;
  void check_address_width(const Token& at, const OperandPlace& place) const;
  std::int64_t symbol_offset(std::uint64_t element_bytes);
  Names::Lookup find_local(const Token& name, LocalName& meaning);
  LocalName element(const Token& name, LocalName meaning);
  void guard();

  struct PendingCall {  // what is resolved at the end of the body
    std::uint32_t call = 0;
    Token target;
    bool has_list = false;
    Token list;  // name of a prototype or of .calltargets
    std::uint32_t scope = 0;
    struct Value {
      std::size_t argument = 0;
      Token at;
      Constant constant;
    };
    std::vector<Value> constants;  // arguments whose type the callee tells
  };
  void call();
  isa::Operand call_operand(bool result, std::size_t index, PendingCall& pending);
  void check_signature(const Token& at, const isa::Function& caller, const std::vector<isa::Operand>& given,
                       const std::vector<isa::Variable>& wanted, const char* what) const;

  // ---- state
  const std::string& file_;
  Lexer lexer_;
  Token token_;  // the next one, not yet taken
  unsigned nesting_ = 0;
  std::uint64_t initial_bytes_ = 0;  // of initial values and of bodies that aliases repeat
  std::uint64_t most_initial_bytes_;
  std::uint64_t candidates_ = 0;  // of indirect calls, all together

  isa::Module module_;
  std::unordered_map<std::string_view, std::uint32_t> functions_;  // index into Module::functions
  std::unordered_map<std::string_view, std::uint32_t> variables_;  // index into Module::variables
  std::unordered_map<std::string_view, std::uint32_t> name_indices_;
  std::unordered_map<std::uint64_t, std::uint32_t> source_files_;  // number of .file: index + 1 into source_files
  std::unordered_map<std::string_view, Spelling> spellings_;
  std::deque<std::string> kept_text_;  // spellings written with white space inside

  struct Alias {
    Token name;
    Token target;
  };
  std::vector<Alias> aliases_;

  // Uses of module-level names, checked at the end: PTX wants declarations first, but nothing here needs that.
  struct SymbolUse {
    enum class Role : std::uint8_t { kAddress, kAccess, kCall, kInitialiser };
    Role role = Role::kAddress;
    Token at;
    isa::Space space = isa::Space::kGeneric;  // kAccess: of the instruction
    unsigned width = 64;                      // kAddress, kInitialiser: bits that hold the address
    std::uint32_t function = 0;               // kCall: caller and index of the call
    std::uint32_t call = 0;
  };
  std::vector<SymbolUse> uses_;
  void check_use(const SymbolUse& use) const;

  // ---- the function whose body is being read
  struct LabelUse {
    Token name;
    std::uint32_t scope = 0;
    enum class Where : std::uint8_t { kOperand, kTable, kTableOperand } where = Where::kOperand;
    std::uint32_t first = 0;   // instruction, table or call
    std::uint32_t second = 0;  // operand, or entry of the table
  };
  struct ScopedName {
    std::uint32_t scope = 0;
    std::string_view name;
    bool operator==(const ScopedName& other) const { return scope == other.scope && name == other.name; }
  };
  struct ScopedNameHash {
    std::size_t operator()(const ScopedName& key) const {
      return std::hash<std::string_view>()(key.name) ^ (std::size_t{key.scope} * 0x9e3779b97f4a7c15ULL);
    }
  };
  struct Labelled {
    enum class Kind : std::uint8_t { kPosition, kTargets, kCalls, kPrototype } kind = Kind::kPosition;
    std::uint32_t index = 0;  // position, table, call list or prototype
    std::uint32_t label = 0;  // kPosition: index into Function::labels + 1 once used
  };
  struct Body {
    explicit Body(isa::Function& f) : function(f), names(f) {}
    isa::Function& function;
    std::uint32_t number = 0;  // of the function in the module
    Names names;
    std::unordered_map<ScopedName, Labelled, ScopedNameHash> labels;
    std::vector<LabelUse> label_uses;
    std::vector<std::vector<Token>> call_lists;
    std::vector<PendingCall> calls;
    std::optional<std::uint32_t> guard;  // of the instruction being read
    bool guard_negated = false;
    std::uint64_t family_registers = 0;
    std::uint32_t source_file = 0;  // as .loc says
    std::uint32_t source_line = 0;
    bool ended = false;
  };
  Labelled* find_label(std::string_view name, std::uint32_t scope);
  std::unique_ptr<Body> body_;
};

}  // namespace castor::ptx

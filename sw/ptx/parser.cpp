#include "ptx/parser.h"

#include <algorithm>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

namespace castor::ptx {
namespace {

/// About the memory that a copy of a function takes.
std::uint64_t bytes_of(const isa::Function& function) {
  std::uint64_t bytes = sizeof(isa::Function) + function.body.size() * (sizeof(isa::Instruction) + 200) +
                        function.registers.size() * 64 + function.labels.size() * 64;
  for (const isa::Variable& variable : function.variables) {
    bytes += sizeof variable + variable.data.size() + variable.relocations.size() * sizeof(isa::Relocation);
  }
  for (const isa::BranchTable& table : function.tables) bytes += 64 + table.labels.size() * 4;
  for (const isa::Call& call : function.calls) bytes += sizeof call + call.candidates.size() * 64;
  for (const isa::Prototype& prototype : function.prototypes) {
    bytes += sizeof prototype + (prototype.parameters.size() + prototype.results.size()) * sizeof(isa::Variable);
  }
  return bytes;
}

}  // namespace

Parser::Parser(std::string_view text, const std::string& file)
    : file_(file),
      lexer_(text, file),
      most_initial_bytes_(std::max<std::uint64_t>(kMostInitialBytes, 4 * std::uint64_t{text.size()})) {
  module_.file = file;
}

// ---- tokens

void Parser::fail(const Token& at, const std::string& message, const std::string& hint) const {
  throw base::InputError({file_, static_cast<int>(at.line), static_cast<int>(at.column)}, message, hint);
}

void Parser::fail_expected(const Token& at, const std::string& what) const {
  fail(at, "expected " + what + ", found " + describe(at));
}

Token Parser::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Parser::accept(std::uint16_t code) {
  if (!at(code)) return false;
  token_ = lexer_.next();
  return true;
}

bool Parser::accept_dot(std::string_view word) {
  if (!at_dot(word)) return false;
  token_ = lexer_.next();
  return true;
}

void Parser::expect(std::uint16_t code, const char* where) {
  if (at(code)) {
    token_ = lexer_.next();
    return;
  }
  std::string what = "'";
  if (code > 0xff) what += static_cast<char>(code >> 8U);
  what += static_cast<char>(code & 0xffU);
  fail_expected(what + "' " + where);
}

Token Parser::expect_identifier(const char* what) {
  if (token_.kind != TokenKind::kIdentifier || token_.text == "_") fail_expected(what);
  return take();
}

isa::SourceLine Parser::place(const Token& token) const {
  isa::SourceLine where;
  where.line = token.line;
  where.column = token.column;
  if (body_ != nullptr) {
    where.source_file = body_->source_file;
    where.source_line = body_->source_line;
  }
  return where;
}

std::uint32_t Parser::name_index(std::string_view name) {
  const auto [known, fresh] = name_indices_.try_emplace(name, static_cast<std::uint32_t>(module_.names.size()));
  if (fresh) module_.names.emplace_back(name);
  return known->second;
}

// ---- module level

isa::Module Parser::parse() {
  token_ = lexer_.next();
  header();
  while (token_.kind != TokenKind::kEnd) module_item();
  finish();
  return std::move(module_);
}

void Parser::header() {
  if (!accept_dot(".version")) fail_expected("PTX text that starts with .version");
  const Token number = token_;
  const std::size_t dot = number.text.find('.');
  unsigned parts[2] = {0, 0};
  bool good = number.kind == TokenKind::kNumber && dot != std::string_view::npos && number.text.size() <= 6;
  if (good) {
    for (const int part : {0, 1}) {
      const std::string_view digits = part == 0 ? number.text.substr(0, dot) : number.text.substr(dot + 1);
      good = good && !digits.empty();
      for (const char c : digits) {
        good = good && c >= '0' && c <= '9';
        parts[part] = parts[part] * 10 + static_cast<unsigned>(c - '0');
      }
    }
  }
  if (!good) fail_expected("a version such as 6.0 after .version");
  module_.version_major = parts[0];
  module_.version_minor = parts[1];
  take();
  if (!at_dot(".target")) fail_expected(".target after .version");
  target();
}

void Parser::target() {
  take();
  do {
    const Token name = expect_identifier("a target such as sm_60 after .target");
    if (module_.target.empty()) {
      if (name.text.substr(0, 3) != "sm_" && name.text.substr(0, 8) != "compute_") {
        fail_expected(name, "a target such as sm_60 after .target");
      }
      module_.target = name.text;
    }
  } while (accept(','));
}

void Parser::refuse_directive(const Token& directive) const {
  static constexpr struct {
    std::string_view word;
    const char* why;
  } kRefused[] = {
      {".tex", "textures are not supported"},
      {".texref", "textures are not supported"},
      {".samplerref", "textures are not supported"},
      {".surfref", "surfaces are not supported"},
      {".explicitcluster", "thread-block clusters are not supported"},
      {".reqnctapercluster", "thread-block clusters are not supported"},
      {".maxclusterrank", "thread-block clusters are not supported"},
      {".blocksareclusters", "thread-block clusters are not supported"},
      {".sreg", "special registers are known without declaration"},
      {".reg", "registers belong inside a function"},
      {".local", "local variables belong inside a function"},
      {".param", "parameters belong to a function"},
  };
  for (const auto& refused : kRefused) {
    if (directive.text == refused.word) {
      fail(directive, "directive '" + std::string(refused.word) + "' is refused here: " + refused.why);
    }
  }
  fail(directive, "unknown directive " + describe(directive));
}

void Parser::module_item() {
  if (accept(';')) return;
  if (accept('@')) {
    // "@@DWARF ..." of PTX before 2.0.
    if (!at('@')) fail_expected("a directive");
    lexer_.skip_line();
    take();
    return;
  }
  if (token_.kind != TokenKind::kDotWord) fail_expected("a directive such as .entry, .func or .global");

  Prefix prefix;
  while (true) {
    isa::Linkage linkage = isa::Linkage::kStatic;
    if (at_dot(".visible")) {
      linkage = isa::Linkage::kVisible;
    } else if (at_dot(".weak")) {
      linkage = isa::Linkage::kWeak;
    } else if (at_dot(".extern")) {
      linkage = isa::Linkage::kExtern;
    } else if (at_dot(".common")) {
      linkage = isa::Linkage::kCommon;
    } else {
      break;
    }
    if (prefix.given) fail(token_, "a second linkage " + describe(token_));
    prefix = {linkage, true, take()};
  }
  if (accept_dot(".entry")) return function(prefix, true);
  if (accept_dot(".func")) return function(prefix, false);
  if (at_dot(".global") || at_dot(".const") || at_dot(".shared")) return module_variables(prefix);
  const Token directive = token_;
  if (prefix.given) {
    if (directive.kind == TokenKind::kDotWord && directive.text != ".file") refuse_directive(directive);
    fail_expected(".entry, .func or a variable after '" + std::string(prefix.token.text) + "'");
  }
  if (at_dot(".file")) return file_directive();
  if (at_dot(".section")) return section_directive();
  if (at_dot(".pragma")) return pragma_directive();
  if (at_dot(".target")) return target();
  if (at_dot(".alias")) return alias_directive(take());
  if (at_dot(".loc")) {
    lexer_.skip_line();
    take();
    return;
  }
  if (at_dot(".address_size")) {
    take();
    const Token size = token_;
    module_.address_size = static_cast<unsigned>(unsigned_constant("an address size", 1024));
    if (module_.address_size != 64) {
      fail(size, "address size " + std::to_string(module_.address_size) + " is not supported; only 64 is");
    }
    return;
  }
  refuse_directive(directive);
}

void Parser::file_directive() {
  take();
  const Token number = token_;
  const std::uint64_t key = unsigned_constant("a file number", ~std::uint64_t{0});
  if (token_.kind != TokenKind::kString) fail_expected("a file name in quotes");
  const std::string_view name = take().text;
  while (accept(',')) (void)unsigned_constant("a timestamp or size", ~std::uint64_t{0});
  const auto index = static_cast<std::uint32_t>(module_.source_files.size()) + 1;
  if (source_files_.emplace(key, index).second) {
    module_.source_files.emplace_back(name);
  } else if (module_.source_files[source_files_[key] - 1] != name) {
    fail(number, "file number " + std::to_string(key) + " stands for two names");
  }
}

void Parser::section_directive() {
  // Debug information: its place is outside of what runs.
  const Token directive = take();
  if (token_.kind != TokenKind::kDotWord && token_.kind != TokenKind::kIdentifier) fail_expected("a section name");
  take();
  if (!at('{')) fail_expected("'{' after the section's name");
  std::size_t depth = 0;
  do {
    if (at('{')) ++depth;
    if (at('}')) --depth;
    if (token_.kind == TokenKind::kEnd) fail(directive, "section without its closing '}'");
    take();
  } while (depth != 0);
}

void Parser::pragma_directive() {
  take();
  do {
    if (token_.kind != TokenKind::kString) fail_expected("a string after .pragma");
    take();
  } while (accept(','));
  expect(';', "after .pragma");
}

void Parser::alias_directive(const Token& directive) {
  const Token name = expect_identifier("the name of a function after .alias");
  expect(',', "between the two names of .alias");
  const Token target = expect_identifier("the function that .alias stands for");
  expect(';', "after .alias");
  (void)directive;
  aliases_.push_back({name, target});
}

// ---- end of the module

void Parser::finish() {
  apply_aliases();
  check_symbols();
  map_source_files();
}

void Parser::apply_aliases() {
  for (const Alias& alias : aliases_) {
    const auto target = functions_.find(alias.target.text);
    if (target == functions_.end() || !module_.functions[target->second].defined) {
      fail(alias.target, ".alias needs a function that is defined here, " + describe(alias.target) + " is none");
    }
    if (module_.functions[target->second].entry) fail(alias.target, ".alias of a kernel is not supported");
    const auto known = functions_.find(alias.name.text);
    if (variables_.count(alias.name.text) != 0) fail_duplicate(alias.name);
    if (known != functions_.end() && module_.functions[known->second].defined) fail_duplicate(alias.name);
    // A second body costs memory, so a text cannot multiply itself by naming a large function often.
    initial_bytes_ += bytes_of(module_.functions[target->second]);
    if (initial_bytes_ > most_initial_bytes_) {
      fail(alias.name, "the aliases of this file take more memory than is allowed");
    }
    isa::Function copy = module_.functions[target->second];
    copy.name = alias.name.text;
    if (known != functions_.end()) {
      copy.linkage = module_.functions[known->second].linkage;
      module_.functions[known->second] = std::move(copy);
    } else {
      functions_.emplace(alias.name.text, static_cast<std::uint32_t>(module_.functions.size()));
      module_.functions.push_back(std::move(copy));
    }
  }
}

void Parser::check_symbols() {
  for (const SymbolUse& use : uses_) check_use(use);
}

void Parser::check_use(const SymbolUse& use) const {
  const std::string_view name = use.at.text;
  const auto function = functions_.find(name);
  if (function != functions_.end()) {
    if (use.role == SymbolUse::Role::kAccess) fail(use.at, describe(use.at) + " is a function, not a variable");
    if (use.role == SymbolUse::Role::kCall) {
      const isa::Function& callee = module_.functions[function->second];
      if (callee.entry) fail(use.at, describe(use.at) + " is a kernel and cannot be called");
      const isa::Function& caller = module_.functions[use.function];
      const isa::Call& call = caller.calls[use.call];
      check_signature(use.at, caller, call.arguments, callee.parameters, "argument");
      check_signature(use.at, caller, call.results, callee.results, "result");
      return;
    }
    if (use.width < 64) fail(use.at, "the address of function " + describe(use.at) + " takes 64 bits");
    return;
  }
  if (use.role == SymbolUse::Role::kCall) fail(use.at, "unknown function " + describe(use.at));
  const auto found = variables_.find(name);
  if (found == variables_.end()) fail(use.at, "unknown name " + describe(use.at));
  const isa::Variable& variable = module_.variables[found->second];
  if (use.role == SymbolUse::Role::kAccess) {
    if (!access_fits(use.space, variable.space)) {
      fail(use.at, describe(use.at) + " is a ." + std::string(isa::name(variable.space)) +
                       " variable, but the instruction accesses " + space_text(use.space));
    }
  } else if (use.width < 64 && variable.space != isa::Space::kShared) {
    fail(use.at, "the address of ." + std::string(isa::name(variable.space)) + " variable " + describe(use.at) +
                     " takes 64 bits, not " + std::to_string(use.width));
  }
}

void Parser::map_source_files() {
  const auto map = [this](isa::SourceLine& where) {
    const auto known = source_files_.find(where.source_file);
    where.source_file = known == source_files_.end() ? 0 : known->second;
    if (where.source_file == 0) where.source_line = 0;
  };
  for (isa::Function& function : module_.functions) {
    for (isa::Instruction& instruction : function.body) map(instruction.where);
    for (isa::Variable& variable : function.variables) map(variable.where);
  }
}

isa::Module parse(std::string_view text, const std::string& file) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() > (std::size_t{1} << 30U))
    throw base::InputError(base::SourceLocation{file}, "PTX text of more than 1 GiB");
  return Parser(text, file).parse();
}

}  // namespace castor::ptx

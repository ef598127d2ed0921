#include "ptx/module_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "ptx/directives.h"

namespace castor::ptx {

ModuleReader::ModuleReader(std::string_view text, const std::string& file)
    : text_(text, file),
      memory_(std::max<std::uint64_t>(kMostInitialBytes, 4 * std::uint64_t{text.size()})),
      expressions_(text_),
      places_(text_, expressions_, module_),
      symbols_(text_, module_, memory_),
      initialisers_(text_, expressions_, symbols_, memory_),
      declarations_(text_, expressions_, places_, symbols_, initialisers_),
      spellings_(text_) {
  module_.file = file;
}

isa::Module ModuleReader::read() {
  header();
  while (text_.token().kind != TokenKind::kEnd) item();
  symbols_.finish();
  places_.resolve();
  return std::move(module_);
}

void ModuleReader::header() {
  if (!text_.accept_dot(".version")) text_.fail_expected("PTX text that starts with .version");
  const Token number = text_.token();
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
  if (!good) text_.fail_expected("a version such as 6.0 after .version");
  module_.version_major = parts[0];
  module_.version_minor = parts[1];
  text_.take();
  if (!text_.at_dot(".target")) text_.fail_expected(".target after .version");
  target();
}

void ModuleReader::target() {
  text_.take();
  do {
    const Token name = text_.expect_identifier("a target such as sm_60 after .target");
    if (module_.target.empty()) {
      if (name.text.substr(0, 3) != "sm_" && name.text.substr(0, 8) != "compute_") {
        text_.fail_expected(name, "a target such as sm_60 after .target");
      }
      module_.target = name.text;
    }
  } while (text_.accept(','));
}

void ModuleReader::address_size() {
  text_.take();
  const Token size = text_.token();
  module_.address_size = static_cast<unsigned>(expressions_.unsigned_constant("an address size", 1024));
  if (module_.address_size != 64) {
    text_.fail(size, "address size " + std::to_string(module_.address_size) + " is not supported; only 64 is");
  }
}

void ModuleReader::item() {
  if (text_.accept(';')) return;
  if (text_.accept('@')) {
    // A line "@@DWARF ..." holds debug information of PTX before 2.0.
    if (!text_.at('@')) text_.fail_expected("a directive");
    return text_.skip_line();
  }
  if (text_.token().kind != TokenKind::kDotWord) text_.fail_expected("a directive such as .entry, .func or .global");
  const Prefix before = prefix();
  if (text_.accept_dot(".entry")) return function(before, true);
  if (text_.accept_dot(".func")) return function(before, false);
  if (text_.at_dot(".global") || text_.at_dot(".const") || text_.at_dot(".shared") || text_.at_dot(".local") ||
      text_.at_dot(".reg")) {
    return declarations_.module_variables(before);
  }
  if (before.given) {
    const Token& found = text_.token();
    if (found.kind == TokenKind::kDotWord && found.text != ".file") refuse_directive(text_, found);
    text_.fail_expected(".entry, .func or a variable after '" + std::string(before.token.text) + "'");
  }
  directive();
}

Prefix ModuleReader::prefix() {
  static constexpr std::pair<std::string_view, isa::Linkage> kLinkages[] = {{".visible", isa::Linkage::kVisible},
                                                                            {".weak", isa::Linkage::kWeak},
                                                                            {".extern", isa::Linkage::kExtern},
                                                                            {".common", isa::Linkage::kCommon}};
  Prefix found;
  for (;;) {
    const auto* const linkage = std::find_if(std::begin(kLinkages), std::end(kLinkages),
                                             [this](const auto& known) { return text_.at_dot(known.first); });
    if (linkage == std::end(kLinkages)) return found;
    if (found.given) text_.fail(text_.token(), "a second linkage " + describe(text_.token()));
    found = {linkage->second, true, text_.take()};
  }
}

/// Reads a directive that is not part of a variable or function.
void ModuleReader::directive() {
  if (text_.at_dot(".file")) return places_.file_directive();
  if (text_.at_dot(".section")) return skip_section(text_);
  if (text_.at_dot(".pragma")) return skip_pragma(text_);
  if (text_.at_dot(".target")) return target();
  if (text_.accept_dot(".alias")) return alias();
  if (text_.at_dot(".loc")) return text_.skip_line();
  if (text_.at_dot(".address_size")) return address_size();
  refuse_directive(text_, text_.token());
}

void ModuleReader::alias() {
  const Token name = text_.expect_identifier("the name of a function after .alias");
  text_.expect(',', "between the two names of .alias");
  const Token target = text_.expect_identifier("the function that .alias stands for");
  text_.expect(';', "after .alias");
  symbols_.alias(name, target);
}

void ModuleReader::function(const Prefix& prefix, bool entry) {
  isa::Function function;
  function.entry = entry;
  function.linkage = prefix.linkage;
  if (prefix.linkage == isa::Linkage::kCommon) text_.fail(prefix.token, ".common is for variables");
  std::vector<Token> results;
  std::vector<Token> parameters;
  while (text_.accept_dot(".attribute")) {
    text_.expect('(', "after .attribute");
    skip_attribute(text_);
  }
  if (text_.at('(')) {
    if (entry) text_.fail(text_.token(), "a kernel returns nothing");
    declarations_.parameter_list(function.results, &results, true);
  }
  const Token name = text_.expect_identifier(entry ? "the name of a kernel" : "the name of a function");
  function.name = name.text;
  function.where = places_.place(name);
  if (text_.at('(')) declarations_.parameter_list(function.parameters, &parameters, !entry);
  performance_directives(function);
  if (symbols_.variable(name.text) != nullptr) text_.fail_duplicate(name);

  // Some compilers leave out the semicolon after a declaration.
  if (text_.accept(';') || at_item()) {
    (void)symbols_.declare(std::move(function), name);
    return;
  }
  if (!text_.at('{')) text_.fail_expected("'{' or ';' after the head of " + describe(name));
  if (prefix.linkage == isa::Linkage::kExtern)
    text_.fail(text_.token(), ".extern " + describe(name) + " cannot have a body");
  function.defined = true;
  const std::uint32_t index = symbols_.declare(std::move(function), name);
  places_.forget();
  BodyReader body({text_, expressions_, places_, symbols_, declarations_, spellings_, candidates_},
                  module_.functions[index], index);
  body.declare_parameters(parameters, results);
  body.read();
  places_.forget();
}

/// True if the next token begins a new item at module level.
bool ModuleReader::at_item() const {
  static constexpr std::string_view kBegins[] = {".visible", ".weak",  ".extern",  ".common", ".entry",
                                                 ".func",    ".const", ".global",  ".shared", ".local",
                                                 ".reg",     ".file",  ".section", ".alias",  ".loc"};
  return std::any_of(std::begin(kBegins), std::end(kBegins),
                     [this](std::string_view word) { return text_.at_dot(word); });
}

void ModuleReader::performance_directives(isa::Function& function) {
  constexpr std::uint64_t kMost = 0x7fffffff;
  while (text_.token().kind == TokenKind::kDotWord && !at_item()) {
    const Token word = text_.token();
    if (text_.accept_dot(".maxntid")) {
      thread_counts(function.max_threads);
    } else if (text_.accept_dot(".reqntid")) {
      thread_counts(function.required_threads);
    } else if (text_.accept_dot(".minnctapersm") || text_.accept_dot(".maxnctapersm")) {
      function.min_blocks =
          static_cast<std::uint32_t>(expressions_.unsigned_constant("a number of thread blocks", kMost));
    } else if (text_.accept_dot(".maxnreg")) {
      function.max_registers =
          static_cast<std::uint32_t>(expressions_.unsigned_constant("a number of registers", kMost));
    } else if (text_.accept_dot(".noreturn")) {
      function.noreturn = true;
    } else if (word.text == ".pragma") {
      skip_pragma(text_);
    } else {
      refuse_directive(text_, word);
    }
  }
}

void ModuleReader::thread_counts(std::uint32_t (&counts)[3]) {
  std::uint64_t product = 1;
  const Token start = text_.token();
  for (std::uint32_t& count : counts) count = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != 0 && !text_.accept(',')) break;
    counts[i] = static_cast<std::uint32_t>(expressions_.unsigned_constant("a number of threads", 0x7fffffff));
    product *= counts[i];
    if (product == 0 || product > 0x7fffffff)
      text_.fail(start, "a thread block of " + std::to_string(product) + " threads");
  }
}

}  // namespace castor::ptx

#include "ptx/source_places.h"

namespace castor::ptx {

void SourcePlaces::file_directive() {
  text_.take();
  const Token number = text_.token();
  const std::uint64_t key = expressions_.unsigned_constant("a file number", ~std::uint64_t{0});
  if (text_.token().kind != TokenKind::kString) text_.fail_expected("a file name in quotes");
  const std::string_view name = text_.take().text;
  while (text_.accept(',')) (void)expressions_.unsigned_constant("a timestamp or size", ~std::uint64_t{0});
  const auto index = static_cast<std::uint32_t>(module_.source_files.size()) + 1;
  if (files_.emplace(key, index).second) {
    module_.source_files.emplace_back(name);
  } else if (module_.source_files[files_[key] - 1] != name) {
    text_.fail(number, "file number " + std::to_string(key) + " stands for two names");
  }
}

/// Reads `.loc file line column [, function_name label [+ n]] [, inlined_at file line column]`.
void SourcePlaces::location_directive() {
  const Token word = text_.take();
  constexpr std::uint64_t kMost = 0xffffffff;
  const auto number = [&](const char* what) {
    if (text_.token().line != word.line && text_.token().kind != TokenKind::kNumber) text_.fail_expected(what);
    return static_cast<std::uint32_t>(expressions_.unsigned_constant(what, kMost));
  };
  file_ = number("a file number after .loc");
  line_ = number("a line number in .loc");
  if (text_.token().kind == TokenKind::kNumber) (void)number("a column in .loc");
  while (text_.accept(',')) {
    const Token attribute = text_.expect_identifier("function_name or inlined_at in .loc");
    if (attribute.text == "function_name") {
      if (text_.token().kind != TokenKind::kIdentifier && text_.token().kind != TokenKind::kDotWord)
        text_.fail_expected("a label");
      text_.take();
      if (text_.accept('+')) (void)number("an offset");
    } else if (attribute.text == "inlined_at") {
      for (const char* what : {"a file number", "a line number", "a column"}) (void)number(what);
    } else {
      text_.fail_expected(attribute, "function_name or inlined_at in .loc");
    }
  }
}

isa::SourceLine SourcePlaces::place(const Token& token) const {
  isa::SourceLine where;
  where.line = token.line;
  where.column = token.column;
  where.source_file = file_;
  where.source_line = line_;
  return where;
}

void SourcePlaces::resolve() {
  const auto map = [this](isa::SourceLine& where) {
    const auto known = files_.find(where.source_file);
    where.source_file = known == files_.end() ? 0 : known->second;
    if (where.source_file == 0) where.source_line = 0;
  };
  for (isa::Function& function : module_.functions) {
    for (isa::Instruction& instruction : function.body) map(instruction.where);
    for (isa::Variable& variable : function.variables) map(variable.where);
  }
}

}  // namespace castor::ptx

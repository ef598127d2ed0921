#include "ptx/directives.h"

#include <string>
#include <string_view>

namespace castor::ptx {

void skip_pragma(Cursor& text) {
  text.take();
  do {
    if (text.token().kind != TokenKind::kString) text.fail_expected("a string after .pragma");
    text.take();
  } while (text.accept(','));
  text.expect(';', "after .pragma");
}

void skip_section(Cursor& text) {
  const Token directive = text.take();
  if (text.token().kind != TokenKind::kDotWord && text.token().kind != TokenKind::kIdentifier)
    text.fail_expected("a section name");
  text.take();
  if (!text.at('{')) text.fail_expected("'{' after the section's name");
  std::size_t depth = 0;
  do {
    if (text.at('{')) ++depth;
    if (text.at('}')) --depth;
    if (text.token().kind == TokenKind::kEnd) text.fail(directive, "section without its closing '}'");
    text.take();
  } while (depth != 0);
}

void skip_attribute(Cursor& text) {
  for (std::size_t depth = 0; (depth != 0 || !text.at(')')) && text.token().kind != TokenKind::kEnd; text.take()) {
    if (text.at('(')) ++depth;
    if (text.at(')')) --depth;
  }
  text.expect(')', "after the attribute");
}

void refuse_directive(const Cursor& text, const Token& directive) {
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
      {".param", "parameters belong to a function"},
  };
  for (const auto& refused : kRefused) {
    if (directive.text == refused.word) {
      text.fail(directive, "directive '" + std::string(refused.word) + "' is refused here: " + refused.why);
    }
  }
  text.fail(directive, "unknown directive " + describe(directive));
}

}  // namespace castor::ptx

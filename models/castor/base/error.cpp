#include "castor/base/error.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace castor::base {
namespace {

std::string compose(const SourceLocation& where, const std::string& message, const std::string& hint) {
  std::string text = where.text();
  if (!text.empty()) text += ": ";
  text += "error ";
  text += message;
  if (!hint.empty()) {
    text += " (";
    text += hint;
    text += ')';
  }
  return text;
}

}  // namespace

std::string SourceLocation::text() const {
  std::string text = file;
  if (line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(line);
    if (column > 0) {
      text += ':';
      text += std::to_string(column);
    }
  }
  return text;
}

InputError::InputError(SourceLocation where, std::string message, std::string hint)
    : Error(compose(where, message, hint)),
      where_(std::move(where)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

InputError::InputError(std::string_view message, std::string hint)
    : InputError(SourceLocation{}, std::string(message), std::move(hint)) {}

std::string printable(std::string_view text, std::size_t limit) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    std::string piece;
    if (c == '"' || c == '\\') {
      piece = {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      piece = {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
    } else {
      piece = {c};
    }
    if (out.size() + piece.size() > limit) {
      out += "...";
      break;
    }
    out += piece;
  }
  return out;
}

namespace detail {
namespace {

void print_head(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: Castor assertion failed: %s", file, line, condition);
}

[[noreturn]] void print_message_and_abort(const char* format, std::va_list arguments) {
  if (format != nullptr) {
    std::fputs(": ", stderr);
    std::vfprintf(stderr, format, arguments);
  }
  std::fputc('\n', stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace

void assertion_failed(const char* file, int line, const char* condition, const char* format, ...) {
  print_head(file, line, condition);
  std::va_list arguments;
  va_start(arguments, format);
  print_message_and_abort(format, arguments);
}

void assertion_failed_at(const char* file, int line, const char* condition, std::uint64_t cycle, const char* format,
                         ...) {
  print_head(file, line, condition);
  std::fprintf(stderr, " in cycle %llu", static_cast<unsigned long long>(cycle));
  std::va_list arguments;
  va_start(arguments, format);
  print_message_and_abort(format, arguments);
}

}  // namespace detail
}  // namespace castor::base

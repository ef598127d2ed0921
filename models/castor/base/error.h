#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace castor::base {

/// A place in a user's input. `line` and `column` count from 1; 0 means not known and is left out of the text. `file`
/// may also name a source that is no file, such as "command line".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  /// Returns "file:line:column" without the parts that are not known; empty if none is known.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] inline bool operator==(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && a.column == b.column && a.file == b.file;
}
[[nodiscard]] inline bool operator!=(const SourceLocation& a, const SourceLocation& b) { return !(a == b); }

/// Base class of all exceptions of Castor.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A user's input is wrong: the exception says what is wrong, where, and what to do. The command line turns it into one
/// line of text and exit code 2.
///
/// `what()` reads "file:line:column: error text (hint)", without the parts that are empty. `message()` is the error
/// text alone.
class InputError : public Error {
 public:
  InputError(SourceLocation where, std::string message, std::string hint = {});
  explicit InputError(std::string_view message, std::string hint = {});

  [[nodiscard]] const SourceLocation& where() const { return where_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  SourceLocation where_;
  std::string message_;
  std::string hint_;
};

/// A signal interrupted the run. The command line turns this exception into one line of text and exit code 128 +
/// signal.
class Interrupted : public Error {
 public:
  Interrupted(const std::string& message, int signal) : Error(message), signal_(signal) {}

  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// Returns text of unknown origin in a form that fits on one line of an error message. Control and non-ASCII bytes are
/// written as \xNN; quotes and backslashes are escaped. Text beyond `limit` characters is cut and ends in "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);

namespace detail {

[[noreturn, gnu::cold, gnu::format(printf, 4, 5)]] void assertion_failed(const char* file, int line,
                                                                         const char* condition, const char* format,
                                                                         ...);
[[noreturn, gnu::cold, gnu::format(printf, 5, 6)]] void assertion_failed_at(const char* file, int line,
                                                                            const char* condition, std::uint64_t cycle,
                                                                            const char* format, ...);

}  // namespace detail
}  // namespace castor::base

// CASTOR_ASSERT(condition) or CASTOR_ASSERT(condition, printf format, arguments...) checks an invariant of Castor
// itself. If the condition is false, the macro prints place, condition and message on stderr and aborts.
// CASTOR_ASSERT_AT(cycle, condition, format, ...) also prints the core cycle. Both macros stay in every build, NDEBUG
// or not, unless CASTOR_NO_ASSERT is defined; then the condition is not evaluated. Bad input is never an assertion: it
// throws InputError.
#define CASTOR_ASSERT_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, name, ...) name
#define CASTOR_ASSERT_PLAIN_(condition) \
  ((condition) ? (void)0 : ::castor::base::detail::assertion_failed(__FILE__, __LINE__, #condition, nullptr))
#define CASTOR_ASSERT_TEXT_(condition, ...) \
  ((condition) ? (void)0 : ::castor::base::detail::assertion_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

#ifndef CASTOR_NO_ASSERT
#define CASTOR_ASSERT(...)                                                                                             \
  CASTOR_ASSERT_PICK_(__VA_ARGS__, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, \
                      CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_,              \
                      CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_TEXT_, CASTOR_ASSERT_PLAIN_, unused)     \
  (__VA_ARGS__)
#define CASTOR_ASSERT_AT(cycle, condition, ...) \
  ((condition) ? (void)0                        \
               : ::castor::base::detail::assertion_failed_at(__FILE__, __LINE__, #condition, cycle, __VA_ARGS__))
#else
#define CASTOR_ASSERT(...) ((void)0)
#define CASTOR_ASSERT_AT(cycle, condition, ...) ((void)0)
#endif

#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// Starts a program, waits for it, and returns its exit code; one that a signal ends ends this process in the same way.
/// `words` are program and arguments; a program without '/' is found by PATH. It has our terminal and descriptors.
/// Signals that others send us are passed on to it; those of the terminal reach it by themselves. It ends with us,
/// whatever ends us. `finish` is called when it has ended, with its exit code (128 + signal), which it may replace.
/// Errors: InputError if it cannot be started.
template <class Finish>
[[nodiscard]] int supervise(const std::vector<std::string>& words, Finish&& finish);

namespace detail {

/// How a program ended, as wait() says it.
[[nodiscard]] int run_and_wait(const std::vector<std::string>& words);
/// The exit code that a shell shows.
[[nodiscard]] int shell_code(int status);
/// Ends this process if a signal ended the program.
void end_as(int status);

}  // namespace detail

template <class Finish>
int supervise(const std::vector<std::string>& words, Finish&& finish) {
  const int status = detail::run_and_wait(words);
  const int code = finish(detail::shell_code(status));
  detail::end_as(status);
  return code;
}

}  // namespace castor::platforms::cli

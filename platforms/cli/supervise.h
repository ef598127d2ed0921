#pragma once

#include <string>
#include <vector>

namespace castor::platforms::cli {

/// Starts a program, waits for its end, and returns its exit code. If a signal ends the program, the same signal ends
/// this process. `words`: program and arguments; a program without '/' is searched on PATH. The program shares the
/// terminal and the descriptors. Signals that other processes send to this process are forwarded; the program receives
/// terminal signals directly. If this process ends for any reason, the program is ended too. `finish` is called after
/// the program's end with its exit code (128 + signal) and may replace the code. Throws InputError if the program
/// cannot be started.
template <class Finish>
[[nodiscard]] int supervise(const std::vector<std::string>& words, Finish&& finish);

namespace detail {

/// Runs the program and returns its wait status.
[[nodiscard]] int run_and_wait(const std::vector<std::string>& words);
/// Returns the exit code that a shell would show.
[[nodiscard]] int shell_code(int status);
/// Ends this process by the signal that ended the program, if one did.
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

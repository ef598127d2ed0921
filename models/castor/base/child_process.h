#pragma once

#include <string>
#include <vector>

namespace castor::base {

/// Result of a finished program: its standard output and its status as `waitpid` returns it (0 = success).
struct Answer {
  std::string text;
  int status = 0;
};

/// Runs a program, found by PATH, and waits for its end. The program's stdin is empty; its stderr is that of the
/// caller. Throws InputError if the program cannot be started; the hint names the Debian package to install (`package`,
/// or the program's own name if `package` is empty).
[[nodiscard]] Answer run(std::vector<std::string> words, const std::string& package = {});

}  // namespace castor::base

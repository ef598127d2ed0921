#pragma once

#include <string>
#include <vector>

namespace castor::base {

/// Standard output of a program, and how it ended as `waitpid` tells it (0: well).
struct Answer {
  std::string text;
  int status = 0;
};

/// Runs a program, found by PATH, and waits for it. Its stdin is empty, its stderr ours. Errors: InputError if it
/// cannot be started, with the Debian package that brings it (of its own name if `package` is empty).
[[nodiscard]] Answer run(std::vector<std::string> words, const std::string& package = {});

}  // namespace castor::base

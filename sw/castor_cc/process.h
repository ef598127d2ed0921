#pragma once

#include <string>
#include <vector>

namespace castor::castor_cc {

/// What a finished process left behind.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal if a signal ended it
  std::string error_text;
};

/// Runs a command and waits for it; its stderr is captured, stdout is inherited. Throws base::InputError if it cannot
/// be started.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command);

/// A directory of its own under $TMPDIR (or /tmp), removed with its contents at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Lets SIGINT and SIGTERM end the running compilers but not this process, so that temporary files go away.
void defer_signals();
/// The signal that came, 0 if none.
[[nodiscard]] int deferred_signal();

}  // namespace castor::castor_cc

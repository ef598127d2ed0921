#pragma once

#include <string>
#include <vector>

namespace castor::castor_cc {

/// Result of a finished process.
struct ProcessResult {
  int exit_code = 0;  ///< exit code, or 128 + signal if a signal ended the process
  std::string error_text;
};

/// Runs a command and waits for its end. Captures its stderr; its stdout is inherited. Throws base::InputError if the
/// command cannot be started.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& command);

/// Temporary directory under $TMPDIR (or /tmp), removed with its contents by the destructor.
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

/// Makes SIGINT and SIGTERM end the running compilers but not this process, so that temporary files are removed.
void defer_signals();
/// Returns the signal received since defer_signals, 0 if none.
[[nodiscard]] int deferred_signal();

}  // namespace castor::castor_cc

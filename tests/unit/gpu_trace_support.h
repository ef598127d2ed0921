#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/common/tree.h"

namespace castor::gpu {

/// Path of a temporary file, which is removed with the object.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& suffix) {
    first_ = testing::TempDir() + "castor_trace_XXXXXX";
    const int file = mkstemp(first_.data());
    if (file >= 0) ::close(file);
    path_ = first_ + suffix;
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    ::unlink(first_.c_str());
    ::unlink(path_.c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string first_, path_;
};

/// Keeps files of this process from growing beyond `bytes` while the object lives, as a full disk would.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

/// Runs a script of this repository and returns its exit code. The script's output goes to the test's output.
inline int run_script(const std::string& script, const std::string& arguments) {
  const std::string command = "python3 '" + test_tree::source_folder() + "/" + script + "' " + arguments;
  return std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace castor::gpu

#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/common/tree.h"

/// Sets the environment that ctest sets, so that a test program run by hand finds the same files: the programs of its
/// build tree, the blocks of the tests, and the cache of RTL built for them.
inline void use_build_tree() {
  const std::string build = castor::test_tree::build_folder();
  ::setenv("CASTOR_PREFIX", build.c_str(), 0);
  ::setenv("CASTOR_BLOCKS", (build + "/tests/blocks").c_str(), 0);
  ::setenv("CASTOR_CACHE", (build + "/cache").c_str(), 0);
}

/// Temporary folder for everything that a test program and its children write (testing::TempDir, TMPDIR). It belongs to
/// this process only, and is removed with the object.
class TestFolder {
 public:
  TestFolder() {
    const char* const told = std::getenv("TMPDIR");
    path_ = (told != nullptr && *told != '\0' ? std::string(told) : "/tmp") + "/castor_test_XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) {
      std::perror(("no folder '" + path_ + "'").c_str());
      std::exit(1);
    }
    for (const char* const name : {"TEST_TMPDIR", "TMPDIR"}) ::setenv(name, path_.c_str(), 1);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code unused;
    std::filesystem::remove_all(path_, unused);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

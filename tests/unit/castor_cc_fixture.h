// castor-cc as a process, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "castor_cc/process.h"
#include "tests/common/tree.h"

namespace castor::castor_cc {

namespace fs = std::filesystem;

inline std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CastorCc : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / (std::string("castor_cc_") + info->name() + std::to_string(::getpid()));
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "tmp");
    setenv("TMPDIR", (directory_ / "tmp").c_str(), 1);
    previous_ = fs::current_path();
    fs::current_path(directory_);
  }
  void TearDown() override {
    fs::current_path(previous_);
    fs::remove_all(directory_);
  }
  static ProcessResult castor_cc(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), test_tree::build_folder() + "/bin/castor-cc");
    return run_process(arguments);
  }
  static ProcessResult shell(const std::string& line) { return run_process({"sh", "-c", line}); }
  static std::string data(const std::string& name) {
    return test_tree::source_folder() + "/tests/unit/castor_cc_data/" + name;
  }
  void source(const std::string& name, const std::string& text) const { std::ofstream(directory_ / name) << text; }
  [[nodiscard]] bool no_temporary_files() const { return fs::is_empty(directory_ / "tmp"); }

  fs::path directory_;
  fs::path previous_;
};

}  // namespace castor::castor_cc

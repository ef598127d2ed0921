// Tests of blocks whose objects are built on demand, by the command that the manifest names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "castor/base/error.h"
#include "castor/twin/block_object.h"

namespace castor::twin {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BlockObject : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(block_.path);
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  /// A manifest whose command runs `script`, with the target as $1.
  void manifest(const std::string& script, const std::string& registration = "thing/registration.h") const {
    write(root_ + "/build.sh", script);
    write(block_.manifest(), R"({"name": "thing", "registration": ")" + registration + R"(", "build": ["sh", ")" +
                                 root_ + R"(/build.sh"]})");
  }
  [[nodiscard]] std::string error(const std::string& kind) const {
    try {
      static_cast<void>(block_object(block_, kind));
    } catch (const base::InputError& wrong) {
      return wrong.what();
    }
    return "";
  }

  const std::string root_ = testing::TempDir() + "castor_block_object";
  const BlockFolder block_{"thing", root_ + "/blocks/thing"};
};

TEST_F(BlockObject, ThatIsThereIsNotBuilt) {
  write(block_.path + "/model.so", "");
  write(block_.manifest(), "nobody reads it");
  EXPECT_EQ(block_object(block_, "model"), block_.path + "/model.so");
}

TEST_F(BlockObject, OlderThanASourceIsBuiltAgainAndThenNot) {
  const std::string object = block_.path + "/model.so";
  const std::string folder = root_ + "/models/thing";
  fs::create_directories(folder + "/deeper");
  write(folder + "/deeper/engine.cpp", "");
  write(root_ + "/facts.json", "");
  write(root_ + "/build.sh", "echo $1 >>" + root_ + "/asked");
  write(block_.manifest(), R"({"name": "thing", "registration": "r.h", "build": ["sh", ")" + root_ +
                               R"(/build.sh"], "sources": [")" + folder + R"(", ")" + root_ + R"(/facts.json", ")" +
                               root_ + R"(/gone"]})");
  write(object, "");
  const auto built = fs::last_write_time(object);
  using std::chrono::seconds;
  fs::last_write_time(folder + "/deeper/engine.cpp", built - seconds(10));
  fs::last_write_time(root_ + "/facts.json", built - seconds(10));
  EXPECT_EQ(block_object(block_, "model"), object);
  EXPECT_FALSE(fs::exists(root_ + "/asked"));
  for (const std::string& source : {folder + "/deeper/engine.cpp", root_ + "/facts.json"}) {
    fs::last_write_time(object, built - seconds(5));
    fs::last_write_time(source, built);
    testing::internal::CaptureStderr();
    EXPECT_EQ(block_object(block_, "model"), object);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("castor: building the model of thing (once): sh "));
    EXPECT_EQ(read(root_ + "/asked"), "castor_model_thing\n");
    EXPECT_EQ(block_object(block_, "model"), object) << "the command has just said that it is up to date";
    EXPECT_EQ(read(root_ + "/asked"), "castor_model_thing\n");
    fs::remove(root_ + "/asked");
    fs::last_write_time(source, built - seconds(10));
  }
}

TEST_F(BlockObject, ThatIsNotThereIsBuiltOnceAndSaidSo) {
  manifest("echo $1 >>" + root_ + "/asked; echo noise; touch " + block_.path + "/bench.so");
  testing::internal::CaptureStderr();
  EXPECT_EQ(block_object(block_, "bench"), block_.path + "/bench.so");
  EXPECT_EQ(block_object(block_, "bench"), block_.path + "/bench.so");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("castor: building the bench of thing (once): sh "));
  EXPECT_THAT(said, HasSubstr("castor: built the bench of thing in "));
  EXPECT_THAT(said, testing::Not(HasSubstr("noise")));
  EXPECT_EQ(read(root_ + "/asked"), "castor_bench_thing\n");
}

TEST_F(BlockObject, IsBuiltByOneOfThoseWhoAskAtOnce) {
  manifest("echo $1 >>" + root_ + "/asked; while [ ! -e " + root_ + "/go ]; do :; done; touch " + block_.path +
           "/model.so");
  pid_t children[2];
  for (pid_t& child : children) {
    child = ::fork();
    if (child == 0) ::_exit(error("model").empty() ? 0 : 1);
  }
  while (!fs::exists(root_ + "/asked")) ::sched_yield();
  write(root_ + "/go", "");
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read(root_ + "/asked"), "castor_model_thing\n");
}

TEST_F(BlockObject, ThatCannotBeBuiltIsAnErrorBehindTheToolsWords) {
  manifest("echo the reason; exit 3");
  testing::internal::CaptureStderr();
  EXPECT_THAT(error("model"), HasSubstr("the model of block thing cannot be built"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the reason\n"));
  manifest("true");  // says that it did and did not
  EXPECT_THAT(error("model"), HasSubstr("cannot be built"));
}

TEST_F(BlockObject, ThatABlockDoesNotHaveIsRefused) {
  manifest("exit 1", "");
  EXPECT_THAT(error("model"), HasSubstr("block thing does not plug into a GPU"));
  write(block_.manifest(), R"({"name": "thing", "registration": "thing/registration.h", "build": []})");
  EXPECT_THAT(error("bench"), HasSubstr("block thing has no bench: no file '" + block_.path + "/bench.so'"));
  EXPECT_THAT(error("model"), HasSubstr("as target castor_model_thing"));
  write(block_.manifest(), "{");
  EXPECT_THAT(error("bench"), HasSubstr("is no JSON"));
}

}  // namespace
}  // namespace castor::twin

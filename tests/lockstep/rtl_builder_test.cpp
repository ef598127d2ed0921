// RTL as shared objects: any legal values, once per set of values, whoever asks and whatever happens to a builder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "castor/base/installation.h"
#include "tb/common/bench.h"
#include "tests/common/hang.h"
#include "tests/common/rtl.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::twin {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using turnstile::Block;

turnstile::Params params(unsigned ports, unsigned ways, unsigned depth) {
  turnstile::Params params;
  params.NumPorts = ports;
  params.NumWays = ways;
  params.Depth = depth;
  return params;
}

/// A cache of its own for a test.
class RtlCache : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    ::setenv("CASTOR_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<std::string> objects() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ + "/rtl")) {
      const std::string name = entry.path().filename();
      if (name.rfind("turnstile-", 0) == 0) found.push_back(name);
    }
    return found;
  }
  [[nodiscard]] static std::string manifest() { return find_block(Block::kBlock).manifest(); }

  /// Starts a process that requests the object from the flow. Its stderr goes to `log`.
  [[nodiscard]] pid_t start(const turnstile::Params& at, const std::string& log) const {
    std::vector<std::string> words{"python3", "-B", base::data_folder() + "/rtl/synthesis/flows.py", "rtl-object",
                                   manifest()};
    const auto values = param_values(at);
    words.reserve(words.size() + values.size());
    for (const auto& [name, value] : values) words.push_back(name + "=" + std::to_string(value));
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      if (std::freopen(log.c_str(), "w", stderr) == nullptr || std::freopen("/dev/null", "w", stdout) == nullptr)
        _exit(9);
      ::execvp(argv[0], argv.data());
      ::_exit(9);
    }
    return child;
  }
  static int code(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  /// Returns whether the child has ended; `code` still returns how.
  static bool has_ended(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
  }
  /// Polls until the condition holds.
  static void until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + kHangLimit;
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  static std::string text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  const std::string folder_ = testing::TempDir() + "castor_rtl_cache";
};

TEST_F(RtlCache, HasRtlAtValuesThatNobodyHasNamed) {
  const turnstile::Params odd = params(29, 2, 11);
  RtlBuilder source;
  Lockstep<Block> lockstep(std::make_unique<Model<Block>>(odd), make_rtl<Block>(odd, source), {});
  RandomSequence<Block> sequence(odd, 4);
  tb::run<Block>(
      lockstep, sequence, 20'000, true, [](const auto&, const auto&, const auto&) {}, [](Cycle) {});
  // The second one is the first, and its parameters are checked.
  const std::string path = source.object(Block::kBlock, param_values(odd), false);
  EXPECT_EQ(objects().size(), 1U);
  EXPECT_THAT(path, HasSubstr(folder_));
  try {
    (void)load_rtl<Block>(path, params(29, 2, 12), {});
    FAIL() << "taken for RTL at other parameters";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is RTL of turnstile at NumPorts 29, NumWays 2, Depth 11, not at"));
  }
}

TEST_F(RtlCache, TwoWhoAskAtOnceBuildOnce) {
  const turnstile::Params at = params(5, 1, 2);
  const std::string logs[] = {folder_ + ".1", folder_ + ".2"};
  const pid_t children[] = {start(at, logs[0]), start(at, logs[1])};
  EXPECT_EQ(code(children[0]), 0);
  EXPECT_EQ(code(children[1]), 0);
  const std::string said = text(logs[0]) + text(logs[1]);
  const std::string first = "castor: building RTL of turnstile at NumPorts 5, NumWays 1, Depth 2 (once; into ";
  ASSERT_THAT(said, HasSubstr(first));
  EXPECT_EQ(said.find(first), said.rfind(first)) << said;
  EXPECT_THAT(said, HasSubstr("castor: built RTL of turnstile in "));
  EXPECT_EQ(objects().size(), 1U);
  // A hit says nothing.
  EXPECT_EQ(code(start(at, logs[0])), 0);
  EXPECT_EQ(text(logs[0]), "");
}

TEST_F(RtlCache, ABuilderThatWasKilledLeavesNothingThatIsTakenForWhole) {
  const turnstile::Params at = params(6, 1, 2);
  const std::string log = folder_ + ".1";
  const auto verilated = [this] {
    std::error_code gone;  // the builder makes and removes files during the search
    for (fs::recursive_directory_iterator file(folder_, gone), end; file != end && !gone; file.increment(gone)) {
      if (file->path().filename() == "Vrtl.cpp") return true;
    }
    return false;
  };
  const std::function<bool()> moments[] = {[] { return true; }, verilated};
  for (const auto& moment : moments) {
    // A builder that is done before this process has seen the moment is no subject: once more, from nothing.
    int result = 0;
    do {
      fs::remove(log);
      const pid_t child = start(at, log);
      until([&] { return (text(log).find("building") != std::string::npos && moment()) || has_ended(child); });
      ::kill(child, SIGKILL);
      result = code(child);
      if (result == 0) fs::remove_all(folder_ + "/rtl");
    } while (result == 0);
    EXPECT_EQ(result, 1000 + SIGKILL) << text(log);
    for (const std::string& name : objects()) EXPECT_THAT(name, HasSubstr(".part"));
  }
  EXPECT_EQ(code(start(at, log)), 0) << text(log);
  ASSERT_EQ(objects().size(), 1U);
  EXPECT_THAT(objects()[0], testing::Not(HasSubstr(".part")));
}

TEST_F(RtlCache, RtlThatDoesNotCompileIsAnErrorWithTheToolsWords) {
  tests::PatchedRtl broken(Block::kBlock, folder_ + ".broken", "+ 12'd1", "+ + ;");
  testing::internal::CaptureStderr();
  EXPECT_THROW((void)make_rtl<Block>(params(5, 1, 2), broken), base::InputError);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("castor_turnstile.sv:"));
  EXPECT_THAT(said, HasSubstr("castor: RTL of turnstile cannot be built at NumPorts 5, NumWays 1, Depth 2"));
  EXPECT_TRUE(objects().empty());
}

/// Replaces `old` in the RTL and returns the message on stderr with which the flow refuses it.
std::string refusal(const std::string& folder, const std::string& old, const std::string& text) {
  tests::PatchedRtl other(Block::kBlock, folder, old, text);
  testing::internal::CaptureStderr();
  EXPECT_THROW((void)make_rtl<Block>(params(5, 1, 2), other), base::InputError);
  return testing::internal::GetCapturedStderr();
}

TEST_F(RtlCache, RtlWhosePortsAreNotThoseOfTheListIsRefusedByName) {
  EXPECT_THAT(
      refusal(folder_ + ".narrow", "output logic [15:0]           out_stamp_o", "output logic [14:0] out_stamp_o"),
      HasSubstr("castor_turnstile: port out_stamp_o is 15 bits wide in the RTL and 16 in the list of ports"));
  EXPECT_THAT(refusal(folder_ + ".more", "input  logic                  reg_we_i,", "input logic reg_we_i, more_i,"),
              HasSubstr("ports of turnstile and of castor_turnstile differ: more_i is a port of the RTL only"));
  EXPECT_TRUE(objects().empty());
}

TEST_F(RtlCache, SaysWhichPackageIsMissingAndWhichFolderCannotBeWritten) {
  const std::string log = folder_ + ".1", bin = folder_ + ".bin";
  fs::remove_all(bin);
  fs::create_directories(bin);
  // The interpreter itself: what PATH has may be a script that needs more than itself.
  std::FILE* const python = ::popen("python3 -c 'import sys; print(sys.executable, end=\"\")'", "r");
  char executable[4096] = {};
  ASSERT_GT(std::fread(executable, 1, sizeof executable - 1, python), 0U);
  ::pclose(python);
  fs::create_symlink(executable, bin + "/python3");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", bin.c_str(), 1);
  const int bare = code(start(params(5, 1, 2), log));
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(bare, 2);
  EXPECT_THAT(text(log), HasSubstr("apt-get install verilator"));

  ::setenv("CASTOR_CACHE", "/proc/none", 1);
  EXPECT_EQ(code(start(params(5, 1, 2), log)), 2);
  EXPECT_THAT(text(log), HasSubstr("CASTOR_CACHE"));
}

}  // namespace
}  // namespace castor::twin

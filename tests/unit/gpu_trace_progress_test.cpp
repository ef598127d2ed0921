#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/trace/progress.h"

namespace castor::gpu::gpu_trace_progress_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A terminal, and a host clock that the test sets.
struct Terminal {
  nanoseconds now{0};
  unsigned looks = 0;
  std::vector<std::string> lines;
  Progress::Sink sink() {
    return [this](std::string_view text) { lines.emplace_back(text); };
  }
  Progress::Clock clock() {
    return [this] {
      ++looks;
      return now;
    };
  }
};

TEST(Progress, SaysCyclesTimeSpeedAndWhatIsLeft) {
  Terminal terminal;
  Progress progress(2'000'000, terminal.sink(), terminal.clock());
  progress.update(0, 0, 0);
  terminal.now = milliseconds(500);
  // 1 M cycles and 1.55 M warp instructions in half a second: 2 M cycles/s, so half a second is left.
  progress.update(1'000'000, 1'416'430'595, 1'550'000);
  EXPECT_THAT(terminal.lines,
              ElementsAre("\r1.00 M cycles  1.42 ms simulated  3.10 M warp instructions/s  at most 0:01 "
                          "left\x1b[K"));
}

TEST(Progress, WithoutALimitThereIsNoEstimate) {
  Terminal terminal;
  Progress progress({}, terminal.sink(), terminal.clock());
  progress.update(0, 0, 0);
  terminal.now = milliseconds(1000);
  progress.update(812, 1'150'000, 0);
  EXPECT_THAT(terminal.lines, ElementsAre("\r812 cycles  1.15 us simulated  0 warp instructions/s\x1b[K"));
}

TEST(Progress, SaysHowMuchOfTheKernelIsDoneAndWhenTheRestWillBe) {
  Terminal terminal;
  Progress progress({}, terminal.sink(), terminal.clock());
  progress.update(0, 0, 0, Progress::Kernel{"_Z8multiplyILi16EEvPKfS1_Pfiii", 7, 100, 1000, 0});
  terminal.now = milliseconds(2000);
  // 200 blocks in 2 s: the other 700 take 7 s.
  progress.update(1000, 1'000'000, 0, Progress::Kernel{"_Z8multiplyILi16EEvPKfS1_Pfiii", 7, 300, 1000, 0});
  EXPECT_EQ(terminal.lines.back(),
            "\r1.00 k cycles  1 us simulated  0 warp instructions/s  multiply<16> 30.0 % of 1000 blocks, 0:07 "
            "left\x1b[K");
  // The progress of another kernel is still unknown.
  terminal.now = milliseconds(4000);
  progress.update(2000, 2'000'000, 0, Progress::Kernel{"scan", 8, 0, 1, 2});
  EXPECT_EQ(terminal.lines.back(),
            "\r2.00 k cycles  2 us simulated  0 warp instructions/s  scan 0.0 % of 1 block (+2 kernels)\x1b[K");
}

TEST(Progress, FitsTheTerminal) {
  for (unsigned width = 1; width < 160; ++width) {
    Terminal terminal;
    Progress progress(2'000'000, terminal.sink(), terminal.clock(), [width] { return width; });
    const Progress::Kernel kernel{"_ZN4long4name2of9somethingILi1234567EEEvPf", 7, 500, 1000, 3};
    progress.update(0, 0, 0, kernel);
    terminal.now = milliseconds(500);
    progress.update(1'000'000, 1'416'430'595, 1'550'000, kernel);
    const std::string& line = terminal.lines.back();
    ASSERT_LT(line.size() - std::string("\r\x1b[K").size(), std::max(width, 2U)) << line;
    const bool share = line.find(" 50.0 % of 1000 blocks (+3 kernels)") != std::string::npos;
    EXPECT_EQ(share, width >= 87) << line;
    EXPECT_EQ(line.find("instructions/s") != std::string::npos, width < 87 ? width >= 61 : width >= 125) << line;
    EXPECT_EQ(line.find("long::name::of::something<1234567>") != std::string::npos,
              (width >= 113 && width < 125) || width >= 151)
        << line;
  }
}

TEST(Progress, WritesAtMostFiveTimesASecond) {
  Terminal terminal;
  {
    Progress progress({}, terminal.sink(), terminal.clock());
    // 10 s of host time in steps of 10 us.
    for (unsigned i = 0; i < 1'000'000; ++i) {
      terminal.now += std::chrono::microseconds(10);
      progress.update(i, i, i);
    }
    EXPECT_LE(terminal.lines.size(), 50U);
    EXPECT_GE(terminal.lines.size(), 40U) << "and not much less often";
    EXPECT_LT(terminal.looks, 2000U) << "the clock is looked at now and then";
  }
  EXPECT_EQ(terminal.lines.back(), "\r\x1b[K") << "the line is gone at the end";
}

TEST(Progress, FindsBackWhenCallsBecomeRare) {
  Terminal terminal;
  Progress progress({}, terminal.sink(), terminal.clock());
  for (unsigned i = 0; i < 1'000'000; ++i) {
    terminal.now += nanoseconds(100);
    progress.update(i, i, i);
  }
  terminal.lines.clear();
  for (unsigned i = 0; i < 3000; ++i) {  // from now on 10 ms a call
    terminal.now += milliseconds(10);
    progress.update(2'000'000 + i, i, 0);
  }
  EXPECT_GT(terminal.lines.size(), 0U);
}

TEST(Progress, ClearsItsLineForOtherOutput) {
  Terminal terminal;
  Progress progress({}, terminal.sink(), terminal.clock());
  progress.clear();
  EXPECT_THAT(terminal.lines, IsEmpty()) << "nothing to clear";
  progress.update(0, 0, 0);
  terminal.now = milliseconds(300);
  progress.update(1, 1, 1);
  progress.clear();
  EXPECT_EQ(terminal.lines.size(), 2U);
  EXPECT_EQ(terminal.lines.back(), "\r\x1b[K");
}

/// Starts a child with `error` as its stderr, which calls `run` there and exits with what that returns.
template <typename Run>
pid_t start(int error, const Run& run) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(error, 2);
  _exit(run());
}

/// Reads until `end` comes or the other side is closed.
std::string read_until(int from, const std::string& end) {
  std::string text;
  char part[4096];
  while (end.empty() || text.find(end) == std::string::npos) {
    const ssize_t size = read(from, part, sizeof part);
    if (size <= 0) break;
    text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

TEST(Progress, IsSilentInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = start(ends[1], [] {
    Progress progress(std::nullopt);
    for (unsigned i = 0; i < 100'000; ++i) progress.update(i, i, i);
    return progress.enabled() ? 1 : 0;  // disabled: the time does not matter
  });
  close(ends[1]);
  EXPECT_EQ(read_until(ends[0], ""), "");
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  close(ends[0]);
}

TEST(Progress, ShowsOnATerminal) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) GTEST_SKIP() << "no pseudo-terminals here";
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);  // NOLINT(concurrency-mt-unsafe)
  ASSERT_GE(terminal, 0);
  const pid_t child = start(terminal, []() -> int {
    Progress progress(std::nullopt);
    for (unsigned i = 0;; ++i) progress.update(i, i, i);  // until the line has been seen
  });
  EXPECT_THAT(read_until(master, "cycles"), HasSubstr("cycles"));
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  close(terminal);
  close(master);
}

}  // namespace
}  // namespace castor::gpu::gpu_trace_progress_test

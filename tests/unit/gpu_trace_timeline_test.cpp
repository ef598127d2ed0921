#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "castor/base/rng.h"
#include "castor/gpu/trace/timeline.h"
#include "platforms/machines.h"
#include "tests/unit/gpu_trace_support.h"

namespace castor::gpu::gpu_trace_timeline_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

Machine machine(const std::vector<std::string>& overrides = {}) {
  return platforms::load_machine("kepler_k20c_study", overrides).machine;
}

int check(const std::string& path) {
  return run_script("tests/platform/check_timeline.py", "'" + path + "' --kilohertz 706000");
}

/// A kernel that runs as long as the test.
struct TestKernel {
  explicit TestKernel(const std::string& name, Ticket ticket) {
    program.kernel = name;
    context.program = &program;
    context.ticket = ticket;
  }
  isa::Program program;
  KernelContext context;
};

std::vector<json> slices(const json& document, const std::string& category) {
  std::vector<json> out;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == category) out.push_back(event);
  }
  return out;
}

/// Runs random TBs on all SMs. Returns (SM, context, start, end, gid) of all that ended.
using Key = std::tuple<unsigned, unsigned, Cycle, Cycle, std::uint64_t>;
std::set<Key> drive(Timeline& timeline, const Machine& m, const TestKernel& kernel, std::uint64_t seed, unsigned events,
                    Cycle& now) {
  base::Xoshiro256 random(seed);
  std::map<std::pair<unsigned, unsigned>, std::pair<Cycle, std::uint64_t>> open;
  std::set<Key> ended;
  std::uint64_t gid = 0;
  for (unsigned i = 0; i < events; ++i) {
    now += random.below(20);
    const auto sm = static_cast<unsigned>(random.below(m.chip.sms));
    const auto context = static_cast<unsigned>(random.below(8));
    const auto at = open.find({sm, context});
    if (at == open.end()) {
      ++now;
      timeline.tb_started({now, sm, context, &kernel.context, gid, kNoGroup});
      open[{sm, context}] = {now, gid++};
    } else {
      timeline.tb_retired({now, sm, context, &kernel.context, at->second.second, kNoGroup});
      ended.insert({sm, context, at->second.first, now + 1, at->second.second});
      open.erase(at);
    }
  }
  return ended;
}

TEST(Timeline, HoldsEveryTbInATrackOfItsContext) {
  const Machine m = machine();
  const TemporaryPath file(".json");
  const TestKernel kernel("matmul", 7);
  Timeline timeline(file.path(), m);
  Cycle now = 0;
  const std::uint64_t seed = 11;
  const std::set<Key> ended = drive(timeline, m, kernel, seed, 5000, now);
  timeline.close(now + 1);
  EXPECT_THAT(timeline.error(), IsEmpty());
  EXPECT_EQ(check(file.path()), 0) << "seed " << seed;
  std::set<Key> seen;
  std::size_t unfinished = 0;
  for (const json& slice : slices(json::parse(file.text()), "tb")) {
    EXPECT_EQ(slice["name"], "matmul");
    EXPECT_EQ(slice["args"]["ticket"], 7);
    if (slice["args"].contains("state")) {
      ++unfinished;
      continue;
    }
    const Cycle start = slice["args"]["cycle"];
    seen.insert({slice["pid"].get<unsigned>() - 10, slice["tid"], start, start + slice["args"]["cycles"].get<Cycle>(),
                 slice["args"]["tb"]});
  }
  EXPECT_EQ(seen, ended);
  EXPECT_GT(unfinished, 10U);
}

TEST(Timeline, KernelsWaitAreParsedAndRun) {
  const TemporaryPath file(".json");
  const std::string a = "a", b = "b", c = "c";
  Timeline timeline(file.path(), machine());
  timeline.kernel_submitted({10, 1, 3, 0, &a});
  timeline.kernel_submitted({12, 2, 3, 0, &b});
  timeline.kernel_granted({20, 1, 3, 0, &a});
  timeline.kernel_written({303, 1, 3, 5, &a});
  timeline.kernel_completed({1000, 1, 3, 5, &a});
  timeline.kernel_granted({1001, 2, 3, 0, &b});
  timeline.kernel_submitted({1100, 3, 4, 0, &c});
  timeline.close(1200);
  EXPECT_EQ(check(file.path()), 0);
  const json document = json::parse(file.text());
  std::set<std::tuple<std::string, std::string, Cycle, Cycle>> seen;
  std::map<std::string, std::set<int>> tracks;
  for (const char* category : {"waiting", "kernel", "phase"}) {
    for (const json& slice : slices(document, category)) {
      const Cycle start = slice["args"]["cycle"];
      seen.insert({category, slice["name"], start, start + slice["args"]["cycles"].get<Cycle>()});
      tracks[category].insert(slice["tid"].get<int>());
    }
  }
  const std::set<std::tuple<std::string, std::string, Cycle, Cycle>> expected = {
      {"waiting", "a", 10, 20},    {"waiting", "b", 12, 1001},      {"waiting", "c", 1100, 1200},
      {"kernel", "a", 20, 1001},   {"phase", "parsing", 20, 303},   {"phase", "running", 303, 1001},
      {"kernel", "b", 1001, 1200}, {"phase", "parsing", 1001, 1200}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(tracks["waiting"].size(), 3U) << "kernels that wait at once, and queues, have tracks of their own";
  EXPECT_EQ(tracks["kernel"].size(), 1U);
  EXPECT_THAT(file.text(), HasSubstr(R"("args":{"name":"queue 3 waiting 1"})"));
}

TEST(Timeline, MoreKernelsWaitThanThereAreTracks) {
  const TemporaryPath file(".json");
  const std::string name = "k";
  Timeline timeline(file.path(), machine());
  for (Ticket t = 0; t < 100; ++t) timeline.kernel_submitted({t, t, 0, 0, &name});
  for (Ticket t = 0; t < 100; ++t) {
    timeline.kernel_granted({1000 + 10 * t, t, 0, 0, &name});
    timeline.kernel_written({1003 + 10 * t, t, 0, 1, &name});
    timeline.kernel_completed({1008 + 10 * t, t, 0, 1, &name});
  }
  timeline.close(3000);
  EXPECT_EQ(check(file.path()), 0);
  const json document = json::parse(file.text());
  EXPECT_EQ(slices(document, "waiting").size(), Timeline::kTracks);
  EXPECT_EQ(slices(document, "kernel").size(), 100U);
  std::uint64_t most = 0;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "C") most = std::max(most, event["args"]["kernels"].get<std::uint64_t>());
  }
  EXPECT_EQ(most, 100U) << "the counter knows them all";
}

TEST(Timeline, CopiesLieOnTheirEngines) {
  const TemporaryPath file(".json");
  Timeline timeline(file.path(), machine());
  timeline.copy_started({5, 1, 9, 4096});
  timeline.copy_started({6, 0, 10, 64});
  timeline.copy_completed({99, 1, 9, 4096});
  timeline.close(200);
  EXPECT_EQ(check(file.path()), 0);
  const std::vector<json> copies = slices(json::parse(file.text()), "copy");
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0]["args"], json::parse(R"({"cycle":5,"cycles":95,"bytes":4096,"ticket":9})"));
  EXPECT_EQ(copies[1]["args"]["state"], "unfinished");
}

TEST(Timeline, CountersAreSampledPerWindow) {
  const TemporaryPath file(".json");
  const Machine m = machine({"run.window=100"});
  std::uint64_t issued = 0, raw = 0, idle = 0;
  Timeline timeline(file.path(), m);
  EXPECT_EQ(timeline.next_sample(), kForever);
  timeline.add_counter(2, "issue", {{"warp instructions", [&] { return issued; }}});
  timeline.add_counter(2, "stall", {{"raw", [&] { return raw; }}, {"idle", [&] { return idle; }}});
  EXPECT_EQ(timeline.next_sample(), 100U);
  issued += 250;
  raw += 30;
  timeline.sample(99);  // too early: nothing
  timeline.sample(100);
  EXPECT_EQ(timeline.next_sample(), 200U);
  issued += 10;
  idle += 70;
  timeline.sample(200);
  issued += 900;  // three windows at once
  timeline.sample(500);
  EXPECT_EQ(timeline.next_sample(), 600U);
  idle += 7;  // in the last window, which is shorter
  timeline.close(550);
  EXPECT_EQ(check(file.path()), 0);
  std::vector<json> issue, stall;
  const json document = json::parse(file.text());
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] != "C") continue;
    EXPECT_EQ(event["pid"], 12);
    (event["name"] == "issue" ? issue : stall).push_back(event["args"]);
  }
  EXPECT_EQ(json(issue), json::parse(R"([{"warp instructions":250},{"warp instructions":10},{"warp instructions":300},
                            {"warp instructions":0},{"warp instructions":0}])"));
  EXPECT_EQ(json(stall), json::parse(R"([{"raw":30,"idle":0},{"raw":0,"idle":70},{"raw":0,"idle":0},
                                        {"raw":0,"idle":7},{"raw":0,"idle":0}])"));
}

TEST(Timeline, LeavesOutWhatLiesOutsideItsWindow) {
  const TemporaryPath file(".json");
  const TestKernel kernel("k", 1);
  Timeline timeline(file.path(), machine(), 1000, 2000);
  const std::pair<Cycle, Cycle> tbs[] = {{1, 900}, {950, 1050}, {1200, 1300}, {1990, 2500}, {2600, 2700}};
  unsigned gid = 0;
  for (const auto& [start, end] : tbs) {
    timeline.tb_started({start, 0, 0, &kernel.context, gid, kNoGroup});
    timeline.tb_retired({end, 0, 0, &kernel.context, gid++, kNoGroup});
  }
  timeline.close(3000);
  EXPECT_EQ(check(file.path()), 0);
  std::vector<unsigned> seen;
  for (const json& slice : slices(json::parse(file.text()), "tb")) seen.push_back(slice["args"]["tb"]);
  EXPECT_EQ(seen, (std::vector<unsigned>{1, 2, 3}));
}

TEST(Timeline, NamesOfAllSortsAreValidText) {
  const TemporaryPath file(".json");
  const TestKernel kernel("quote\" back\\slash\n\x01 \xc3\xa4 \xff", 1);
  Timeline timeline(file.path(), machine());
  timeline.tb_started({1, 0, 0, &kernel.context, 0, kNoGroup});
  timeline.tb_retired({2, 0, 0, &kernel.context, 0, kNoGroup});
  timeline.close(3);
  EXPECT_EQ(check(file.path()), 0);
  EXPECT_THAT(slices(json::parse(file.text()), "tb")[0]["name"].get<std::string>(), HasSubstr("quote\" back\\slash\n"));
}

TEST(Timeline, NamesTheGroupOfATbThatHasOne) {
  const TemporaryPath file(".json");
  const TestKernel kernel("k", 1);
  Timeline timeline(file.path(), machine());
  Cycle now = 1;
  for (const std::uint32_t group : {kNoGroup, 0U, 5U}) {
    timeline.tb_started({now, 0, 0, &kernel.context, 0, group});
    timeline.tb_retired({now + 1, 0, 0, &kernel.context, 0, group});
    now += 3;
  }
  timeline.close(now);
  const std::vector<json> tbs = slices(json::parse(file.text()), "tb");
  ASSERT_EQ(tbs.size(), 3U);
  EXPECT_FALSE(tbs[0]["args"].contains("group"));
  EXPECT_EQ(tbs[1]["args"]["group"], 0);
  EXPECT_EQ(tbs[2]["args"]["group"], 5);
}

// TB 4 leaves SM 2, and comes back to SM 0; TB 5 of the same kernel leaves and is dropped with its kernel.
TEST(Timeline, ASwappedOutTbHasASlicePerStayAndAnArrowBetweenThem) {
  const TemporaryPath file(".json");
  const std::string name = "k";
  const TestKernel kernel(name, 1);
  Timeline timeline(file.path(), machine());
  const auto tb = [&](Cycle cycle, unsigned sm, std::uint64_t gid, std::optional<SwapReason> swapped = {}) {
    return Observer::Tb{cycle, sm, 3, &kernel.context, gid, kNoGroup, swapped};
  };
  timeline.kernel_submitted({1, 1, 0, 0, &name});
  timeline.kernel_granted({2, 1, 0, 0, &name});
  timeline.tb_started(tb(10, 2, 4));
  timeline.tb_started(tb(12, 1, 5));
  timeline.tb_retired(tb(20, 2, 4, SwapReason::kSynchronisation));
  timeline.tb_started(tb(21, 2, 6));
  timeline.tb_retired(tb(30, 1, 5, SwapReason::kRandom));
  timeline.tb_started(tb(50, 0, 4, SwapReason::kSynchronisation));
  timeline.tb_retired(tb(55, 0, 4));
  timeline.tb_retired(tb(60, 2, 6));
  timeline.kernel_completed({70, 1, 0, 0, &name});
  timeline.close(80);
  EXPECT_EQ(check(file.path()), 0);
  const json document = json::parse(file.text());
  std::map<std::pair<unsigned, Cycle>, json> stays;
  for (const json& slice : slices(document, "tb")) {
    stays[{slice["args"]["tb"].get<unsigned>(), slice["args"]["cycle"].get<Cycle>()}] = slice["args"];
  }
  ASSERT_EQ(stays.size(), 4U);
  EXPECT_EQ((stays[{4, 10}]), json::parse(R"({"cycle":10,"cycles":11,"tb":4,"ticket":1,
                                              "state":"swapped out: waits at a barrier or event"})"));
  EXPECT_EQ((stays[{4, 50}]), json::parse(R"({"cycle":50,"cycles":6,"tb":4,"ticket":1,"from SM":2,"cycles away":30})"));
  EXPECT_EQ((stays[{5, 12}]["state"]), "swapped out: at random");
  EXPECT_EQ((stays[{6, 21}]), json::parse(R"({"cycle":21,"cycles":40,"tb":6,"ticket":1})"));
  std::vector<std::tuple<std::string, int, int, int>> arrows;  // end, number, process, track
  std::vector<int> away;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f")
      arrows.emplace_back(event["ph"], event["id"], event["pid"], event["tid"]);
    if (event["name"] == "swapped-out TBs") away.push_back(event["args"]["TBs"]);
  }
  EXPECT_EQ(arrows, (decltype(arrows){{"s", 1, 12, 3}, {"s", 2, 11, 3}, {"f", 1, 10, 3}}));
  EXPECT_EQ(away, (std::vector<int>{1, 2, 1, 0}));
}

// The arrow of a TB that left before the window is not drawn, but its later stay says where it was.
TEST(Timeline, AnArrowThatBeginsOutsideTheWindowIsNotDrawn) {
  const TemporaryPath file(".json");
  const TestKernel kernel("k", 1);
  Timeline timeline(file.path(), machine(), 100, 200);
  timeline.tb_started({10, 2, 0, &kernel.context, 4, 7});
  timeline.tb_retired({20, 2, 0, &kernel.context, 4, 7, SwapReason::kPreemption});
  timeline.tb_started({150, 1, 0, &kernel.context, 4, kNoGroup, SwapReason::kPreemption});  // another TB: no group
  timeline.tb_started({160, 0, 0, &kernel.context, 4, 7, SwapReason::kPreemption});
  timeline.close(190);
  EXPECT_EQ(check(file.path()), 0);
  EXPECT_THAT(file.text(), testing::Not(HasSubstr("\"ph\":\"f\"")));
  const std::vector<json> tbs = slices(json::parse(file.text()), "tb");
  ASSERT_EQ(tbs.size(), 2U);
  EXPECT_EQ(tbs[0]["args"], json::parse(R"({"cycle":160,"cycles":30,"tb":4,"group":7,"ticket":1,"from SM":2,
                                            "cycles away":140,"state":"unfinished"})"));
  EXPECT_FALSE(tbs[1]["args"].contains("from SM"));
}

TEST(Timeline, FileIsWholeWhileTheRunGoesOn) {
  const Machine m = machine();
  const TemporaryPath file(".json");
  const TestKernel kernel("k", 1);
  Timeline timeline(file.path(), m);
  EXPECT_EQ(check(file.path()), 0);
  Cycle now = 0;
  drive(timeline, m, kernel, 3, 20000, now);
  EXPECT_GT(file.text().size(), 1000000U) << "memory is bounded: the file grows meanwhile";
  EXPECT_EQ(check(file.path()), 0);
}

TEST(Timeline, FileIsWholeWhenTheProcessIsKilled) {
  const TemporaryPath file(".json");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Machine m = machine();
    const TestKernel kernel("k", 1);
    Timeline timeline(file.path(), m);
    Cycle now = 0;
    drive(timeline, m, kernel, 3, 20000, now);
    std::raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_GT(file.text().size(), 1000000U);
  EXPECT_EQ(check(file.path()), 0);
}

TEST(Timeline, FullDiskIsOneErrorAndLeavesAWholeFile) {
  const Machine m = machine();
  for (const rlim_t limit : {5000U, 262144U, 300000U, 1000001U}) {
    const TemporaryPath file(".json");
    const TestKernel kernel("k", 1);
    Timeline timeline(file.path(), m);
    {
      const FileLimit full(limit);
      Cycle now = 0;
      drive(timeline, m, kernel, 3, 20000, now);
      timeline.close(now);
    }
    EXPECT_EQ(timeline.error(), "cannot write '" + file.path() + "': File too large");
    EXPECT_LE(file.text().size(), limit);
    EXPECT_EQ(check(file.path()), 0) << limit;
  }
}

TEST(Timeline, ADeviceThatIsFullIsAnErrorToo) {
  Timeline timeline("/dev/full", machine());
  timeline.close(1);
  EXPECT_EQ(timeline.error(), "cannot write '/dev/full': No space left on device");
}

TEST(Timeline, PathThatCannotBeWrittenIsAnInputError) {
  EXPECT_THROW(Timeline("/nonexistent/t.json", machine()), base::InputError);
}

}  // namespace
}  // namespace castor::gpu::gpu_trace_timeline_test

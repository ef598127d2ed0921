// The replay tier under the real front end, in SystemC time. One device per process.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "castor/gpu/timing_device.h"
#include "castor/gpu/trace/timeline.h"
#include "platforms/machines.h"
#include "tests/unit/gpu_trace_support.h"

namespace castor::gpu::gpu_replay_whole_test {
namespace {

/// Every TB's placement and retire.
class Recorder final : public Observer {
 public:
  struct Event {
    Cycle placed = 0, retired = 0;
    unsigned sm = 0;
  };
  void tb_placed(const Tb& event) override {
    Event& tb = tbs[{event.kernel->ticket, event.gid}];
    tb.placed = event.cycle;
    tb.sm = event.sm;
  }
  void tb_retired(const Tb& event) override { tbs[{event.kernel->ticket, event.gid}].retired = event.cycle; }

  std::map<std::pair<Ticket, std::uint64_t>, Event> tbs;
};

Machine machine(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return platforms::load_machine(name, overrides).machine;
}

TimingDevice::Options options(const ReplayFile& file, Observer* observer) {
  TimingDevice::Options out;
  out.gpu.replay = &file;
  out.gpu.observer = observer;
  return out;
}

constexpr const char* kText = R"(castor-replay 1
kernel a
  threads 256
  registers 16
  tbs 100
  service constant 500
kernel b
  threads 128
  registers 16
  tbs 60
  service exponential 3000
kernel long
  threads 64
  registers 16
  tbs 30
  service uniform 1000000 9000000
)";

TEST(ReplayedGpu, TbOfServiceSIsOnTheRetireWireSPlusOneCyclesAfterItsPlacement) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  Recorder recorder;
  TimingDevice device(machine("kepler_k20c_study", {"replay.enable=1"}), options(file, &recorder));
  const ReplayType& a = file.type("a");
  const Ticket ticket = device.submit(0, ReplayFile::packet(a, device.load(a.program)));
  ASSERT_EQ(device.advance_until(ticket), Outcome::kDone);
  ASSERT_EQ(recorder.tbs.size(), 100U);
  for (const auto& [key, tb] : recorder.tbs) {
    EXPECT_EQ(tb.retired, tb.placed + 500) << "the wire is visible a cycle later";
    EXPECT_EQ(tb.sm, key.second % 13) << "round robin over the SMs";
  }
  EXPECT_EQ(device.kernels().size(), 1U);
  EXPECT_EQ(device.kernels()[0].thread_blocks, 100U);
}

/// Returns the result of `work`, run in a new process.
std::string in_process(const std::function<std::string()>& work) {
  const TemporaryPath file(".txt");
  const pid_t child = fork();
  if (child == 0) {
    try {
      std::ofstream(file.path()) << work();
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return file.text();
}

/// Runs two kernels on two queues, twice each. Returns a hash of all statistics, then placement and retirement of every
/// TB.
std::string mixed(const std::vector<std::string>& overrides) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  Recorder recorder;
  TimingDevice device(machine("gcn_apu_replay", overrides), options(file, &recorder));
  Ticket last[2] = {};
  for (unsigned round = 0; round < 2; ++round) {
    unsigned queue = 0;
    for (const char* name : {"a", "b"}) {
      const ReplayType& type = file.type(name);
      last[queue] = device.submit(queue, ReplayFile::packet(type, device.load(type.program)));
      ++queue;
    }
  }
  for (const Ticket ticket : last) {
    if (device.advance_until(ticket) != Outcome::kDone) return "not done";
  }
  std::ostringstream out;
  out << device.gpu().statistics().hash() << '\n';
  for (const auto& [key, tb] : recorder.tbs) {
    out << key.first << ' ' << key.second << ' ' << tb.placed << ' ' << tb.retired << ' ' << tb.sm << '\n';
  }
  return out.str();
}

TEST(ReplayedGpu, SleepingAndOrderOfUnitsChangeNothing) {
  const std::vector<std::string> base = {"replay.rate=gpu", "replay.w0=50"};
  const std::string first = in_process([&] { return mixed(base); });
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + 2 * (100 + 60));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"run.sleep=0"}, {"run.shuffle=1"}, {"run.shuffle=1", "run.seed=1", "run.sleep=0"}}) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(in_process([&] { return mixed(all); }), first) << more[0];
  }
}

TEST(ReplayedGpu, TimelineOfARunIsWhole) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  const Machine m = machine("gcn_apu_replay", {"replay.rate=gpu", "replay.w0=50"});
  const TemporaryPath path(".json");
  Timeline timeline(path.path(), m);
  TimingDevice device(m, options(file, &timeline));
  Ticket last = 0;
  for (unsigned queue = 0; queue < 20; ++queue) {
    const ReplayType& type = file.type(queue % 3 == 0 ? "a" : "b");
    last = device.submit(queue % 7, ReplayFile::packet(type, device.load(type.program)));
  }
  EXPECT_EQ(device.advance_until(last), Outcome::kDone);
  timeline.close(device.gpu().now());
  EXPECT_EQ(timeline.error(), "");
  EXPECT_EQ(run_script("tests/platform/check_timeline.py", "'" + path.path() + "' --kilohertz 1500000"), 0);
  const std::string text = path.text();
  std::size_t tbs = 0;
  for (std::size_t at = 0; (at = text.find("\"cat\":\"tb\"", at)) != std::string::npos; ++at) ++tbs;
  EXPECT_GE(tbs, 7U * 100 + 13U * 60 - 60);
}

TEST(ReplayedGpu, MillionsOfCyclesPassBetweenEvents) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  TimingDevice device(machine("gcn_apu_replay"), options(file, nullptr));
  const ReplayType& type = file.type("long");
  const ProgramHandle handle = device.load(type.program);
  Ticket last = 0;
  for (unsigned i = 0; i < 20; ++i) last = device.submit(0, ReplayFile::packet(type, handle));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(device.advance_until(last), Outcome::kDone);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(device.gpu().now(), 100'000'000U);
  // informative only, not checked
  std::cout << device.gpu().now() << " cycles in " << took.count() << " s of host time\n";
}

TEST(ReplayedGpu, HooksInsideSmsAreRefused) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  TimingDevice::Options all = options(file, nullptr);
  all.gpu.hooks.issue.push_back(nullptr);
  EXPECT_THROW(TimingDevice(machine("gcn_apu_replay"), all), base::InputError);
}

TEST(ReplayedGpu, UnknownKernelStopsAndOthersGoOn) {
  const ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  Recorder recorder;
  TimingDevice device(machine("kepler_k20c_study", {"replay.enable=1"}), options(file, &recorder));
  auto other = std::make_shared<isa::Program>();
  other->kernel = "matmul";
  other->registers = 8;
  KernelPacket packet;
  packet.program = device.load(other);
  packet.grid = {4, 1, 1};
  packet.block = {32, 1, 1};
  const ReplayType& b = file.type("b");
  const Ticket good = device.submit(1, ReplayFile::packet(b, device.load(b.program)));
  const Ticket bad = device.submit(0, packet);
  EXPECT_EQ(device.advance_until(bad), Outcome::kFault);
  ASSERT_TRUE(device.fault().has_value());
  EXPECT_EQ(device.fault()->message, "replay.txt: unknown kernel 'matmul'");
  EXPECT_EQ(device.advance_until(good), Outcome::kDone);
  EXPECT_EQ(device.kernels().back().thread_blocks, 60U);
}

}  // namespace
}  // namespace castor::gpu::gpu_replay_whole_test

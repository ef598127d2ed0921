// Tests of preempted queues on SMs that replay: TBs are saved and restored (docs/gpu/jobs.md, "Preemption"). One device
// per process.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_replay_preempt_test {
namespace {

/// Job scheduler that grants the first queue, and preempts one queue between two cycles.
class Scripted final : public JobScheduler {
 public:
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle /*n*/) override {}
  const JobOut& settle(const JobIn& in) override {
    out_ = {};
    for (unsigned queue = 0; queue < kMaxQueues && out_.pick < 0; ++queue) {
      if ((*in.eligible)[queue]) out_.pick = static_cast<int>(queue);
    }
    for (const auto& [from, to] : requests) out_.preempt[0] = out_.preempt[0] || (in.now >= from && in.now < to);
    return out_;
  }
  void clock(const JobIn& /*in*/) override {}

  std::vector<std::pair<Cycle, Cycle>> requests;

 private:
  JobOut out_;
};

/// Log of the placements, starts on an SM, and ends or swap-outs of every TB.
class Recorder final : public Observer {
 public:
  struct Tb {
    Cycle placed = 0;
    std::vector<Cycle> came, left;
  };
  void tb_placed(const Observer::Tb& event) override { tbs[{event.kernel->ticket, event.gid}].placed = event.cycle; }
  void tb_started(const Observer::Tb& event) override {
    tbs[{event.kernel->ticket, event.gid}].came.push_back(event.cycle);
  }
  void tb_retired(const Observer::Tb& event) override {
    tbs[{event.kernel->ticket, event.gid}].left.push_back(event.cycle);
  }
  void kernel_completed(const Kernel& event) override { completed[event.ticket] = event.cycle; }

  std::map<std::pair<Ticket, std::uint64_t>, Tb> tbs;
  std::map<Ticket, Cycle> completed;
};

// 64 registers of 256 lanes: 64 KiB, 1024 cycles at 64 bytes per cycle. Four TBs fill the SM.
constexpr const char* kText = R"(castor-replay 1
kernel a
  threads 256
  registers 64
  tbs 2
  service constant 100000
kernel b
  threads 256
  registers 64
  tbs 4
  service constant 5000
)";
constexpr Cycle kMove = 1024, kService = 100'000, kFrom = 40'000;

class Preempted : public testing::Test {
 protected:
  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> keys = {"chip.sms=1", "replay.rate=none", "inspect=off"};
    keys.insert(keys.end(), more.begin(), more.end());
    machine = platforms::load_machine("gcn_apu_replay", keys).machine;
    TimingDevice::Options options;
    options.gpu.replay = &file;
    options.gpu.observer = &recorder;
    options.gpu.hooks.job_scheduler = &scheduler;
    device = std::make_unique<TimingDevice>(machine, std::move(options));
  }
  Ticket submit(unsigned queue, const char* name) {
    const ReplayType& type = file.type(name);
    return device->submit(queue, ReplayFile::packet(type, device->load(type.program)));
  }
  void leave_and_return(const std::vector<std::string>& more);
  [[nodiscard]] const Recorder::Tb& tb(Ticket ticket, std::uint64_t gid) { return recorder.tbs[{ticket, gid}]; }

  ReplayFile file = ReplayFile::parse(kText, "replay.txt");
  Scripted scheduler;
  Recorder recorder;
  Machine machine;
  std::unique_ptr<TimingDevice> device;
};

void Preempted::leave_and_return(const std::vector<std::string>& more) {
  constexpr Cycle kTo = 60'000;
  scheduler.requests = {{kFrom, kTo}};
  start(more);
  const Ticket a = submit(0, "a");
  ASSERT_EQ(device->advance_until(a), Outcome::kDone);
  for (unsigned i = 0; i < 2; ++i) {
    const Recorder::Tb& t = tb(a, i);
    ASSERT_EQ(t.left.size(), 2U);
    // The request is visible one cycle later. A TB that is swapped out holds its slot to the end of the cycle of its
    // last byte.
    EXPECT_EQ(t.left[0], kFrom + (i + 1) * kMove);
    // TBs are restored one per cycle. Contexts move one after the other, from the cycle on in which the first TB is on
    // the SM.
    EXPECT_EQ(t.came[1], kTo + 2 + i);
    // The TB ran from placed + 1 to kFrom.
    const Cycle rest = kService - (kFrom - t.placed);
    EXPECT_EQ(t.left[1], kTo + 2 + (i + 1) * kMove + rest - 1);
  }
}

TEST_F(Preempted, TbsLeaveOneAfterTheOtherAndGoOnWhereTheyWere) { leave_and_return({}); }
TEST_F(Preempted, TbsLeaveAndReturnInTheSameCyclesWithoutSleeping) { leave_and_return({"run.sleep=0"}); }
TEST_F(Preempted, TbsLeaveAndReturnInTheSameCyclesInAnyOrderOfUnits) { leave_and_return({"run.shuffle=1"}); }

TEST_F(Preempted, AFullSmTakesOthersInTheMeantime) {
  scheduler.requests = {{kFrom, 60'000}};
  start({"sm.tb_slots=2", "sm.tb_contexts=2"});
  const Ticket a = submit(0, "a");
  const Ticket b = submit(1, "b");
  ASSERT_EQ(device->advance_until(a), Outcome::kDone);
  EXPECT_EQ(tb(b, 0).placed, kFrom + 1 + kMove) << "the first place that is free";
  EXPECT_EQ(tb(b, 1).placed, kFrom + 1 + 2 * kMove);
  EXPECT_LT(recorder.completed[b], 60'000U);
  EXPECT_GT(recorder.completed[a], recorder.completed[b]);
}

TEST_F(Preempted, WithoutAMoverTbsDrain) {
  scheduler.requests = {{kFrom, 150'000}};
  start({"sm.tb_slots=2", "sm.tb_contexts=2", "context.mover=drain"});
  const Ticket a = submit(0, "a");
  const Ticket b = submit(1, "b");
  ASSERT_EQ(device->advance_until(b), Outcome::kDone);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(tb(a, i).left, std::vector<Cycle>{tb(a, i).placed + kService});
  }
  EXPECT_GT(tb(b, 0).placed, tb(a, 0).placed + kService);
}

TEST_F(Preempted, ATbThatIsDoneBeforeItWouldBeSavedStays) {
  start();
  const Ticket a = submit(0, "a");
  ASSERT_EQ(device->advance_to(base::Clock(base::kilohertz(1500)).time_of(50'000)), Outcome::kDone);
  const Cycle end = tb(a, 0).placed + kService;
  scheduler.requests = {{end - kMove / 2, end + 50'000}};
  ASSERT_EQ(device->advance_until(a), Outcome::kDone);
  EXPECT_EQ(tb(a, 0).left, std::vector<Cycle>{end});
  EXPECT_EQ(tb(a, 1).left, std::vector<Cycle>{end + 1}) << "it would be saved after it is done";
}

TEST_F(Preempted, ARequestWhileTbsComeBackSavesThemAgain) {
  scheduler.requests = {{kFrom, 60'000}, {60'500, 90'000}};
  start();
  const Ticket a = submit(0, "a");
  ASSERT_EQ(device->advance_until(a), Outcome::kDone);
  const Recorder::Tb& t = tb(a, 0);
  ASSERT_EQ(t.left.size(), 3U) << "saved twice";
  const Cycle rest = kService - (kFrom - t.placed);
  EXPECT_EQ(t.left[2], 90'000 + 2 + kMove + rest - 1) << "no service between the two";
}

TEST_F(Preempted, ADeviceThatIsResetForgetsWhatWasSaved) {
  scheduler.requests = {{kFrom, ~Cycle{0}}};
  start();
  const Ticket a = submit(0, "a");
  ASSERT_EQ(device->advance_to(base::Clock(base::kilohertz(1500)).time_of(50'000)), Outcome::kDone);
  ASSERT_EQ(tb(a, 0).left.size(), 1U);
  device->gpu().front_end().abandon();
  ASSERT_EQ(device->advance_to(base::Clock(base::kilohertz(1500)).time_of(51'000)), Outcome::kDone);
  EXPECT_TRUE(device->gpu().front_end().idle());
}

}  // namespace
}  // namespace castor::gpu::gpu_replay_preempt_test

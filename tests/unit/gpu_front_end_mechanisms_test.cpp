// Tests of mechanisms added to the front end's list: they are notified of TBs and kernels, may delay them, and cost
// nothing where they are absent.
#include "castor/gpu/front_end/front_end_steps.h"
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_mechanisms_test {
namespace {

using test::BasicRig;
using test::load;
using test::Rig;

constexpr Cycle kSubmit = 10, kDelay = 50;
constexpr unsigned kTbs = 30;

/// Counts TBs that are placed and end. After the second TB its queue places nothing for kDelay cycles.
class Delaying : public FrontEndMechanism {
 public:
  explicit Delaying(const FrontEndParts& parts) : events_(parts.events) {}

  [[nodiscard]] bool clocked() const { return true; }
  void placed(const TbEvent& tb) {
    if (++tbs_placed == 2) {
      queue_ = tb.queue;
      until_ = events_.cycle() + kDelay;
    }
  }
  void retired(const TbEvent& /*tb*/) { ++tbs_retired; }
  void started(const KernelEvent& /*kernel*/) { ++kernels_started; }
  void ended(const KernelEvent& /*kernel*/) { ++kernels_ended; }
  void completed(const LaunchRecord& /*record*/) { ++records_completed; }
  void stopped(unsigned /*entry*/) { ++kernels_stopped; }
  [[nodiscard]] QueueMask held_queues() const {
    QueueMask queues;
    queues[queue_] = delays(events_.cycle());
    return queues;
  }
  [[nodiscard]] Cycle next_work(Cycle now) const { return delays(now) ? until_ : kForever; }
  [[nodiscard]] std::string waiting() const { return delays(events_.cycle()) ? "a TB is delayed\n" : ""; }

  unsigned tbs_placed = 0, tbs_retired = 0;
  unsigned kernels_started = 0, kernels_ended = 0, records_completed = 0, kernels_stopped = 0;

 private:
  [[nodiscard]] bool delays(Cycle now) const { return now < until_; }

  const HookEvents& events_;
  unsigned queue_ = 0;
  Cycle until_ = 0;
};

/// The same mechanism on a machine that does not have it.
class Absent : public Delaying {
 public:
  using Delaying::Delaying;
  [[nodiscard]] bool present() const { return false; }
};

template <class Mechanism>
using RigWith = BasicRig<BasicFrontEnd<FrontEndMechanisms::With<Mechanism>>>;

template <class AnyRig>
Ticket submit(AnyRig& rig) {
  return rig.submit(0, AnyRig::kernel(rig.program("k"), kTbs, 64), kSubmit);
}

TEST(Mechanisms, OneThatIsAddedIsToldOfTbsAndDelaysOne) {
  for (const bool every_cycle : {false, true}) {
    typename RigWith<Delaying>::Options options;
    options.every_cycle = every_cycle;
    RigWith<Delaying> rig(load(), options);
    const Ticket ticket = submit(rig);
    rig.run();
    EXPECT_TRUE(rig.front_end->idle());
    EXPECT_TRUE(rig.front_end->host().shown(ticket));
    const std::vector<test::Logged> placed = rig.log.of("placed");
    ASSERT_EQ(placed.size(), kTbs);
    const Cycle first = placed[0].cycle;
    EXPECT_EQ(placed[1].cycle, first + 1);
    EXPECT_EQ(placed[2].cycle, first + 1 + kDelay + 1);
    EXPECT_EQ(placed[3].cycle, first + 1 + kDelay + 2);
    const auto& counts = rig.front_end->template mechanism<Delaying>();
    EXPECT_EQ(counts.tbs_placed, kTbs);
    EXPECT_EQ(counts.tbs_retired, kTbs);
    EXPECT_EQ(counts.kernels_started, 1U);
    EXPECT_EQ(counts.kernels_ended, 1U);
    EXPECT_EQ(counts.records_completed, 1U);
    EXPECT_EQ(counts.kernels_stopped, 0U);
  }
}

TEST(Mechanisms, OneThatIsAddedIsToldOfFaultsAndSpeaksInReports) {
  RigWith<Delaying> rig(load(), {});
  const Ticket ticket = submit(rig);
  rig.run_until([&] { return rig.front_end->template mechanism<Delaying>().tbs_placed == 2; });
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("a TB is delayed"));
  rig.sms[0]->fault_now(rig.front_end->table()[0].context(), "stop", rig.now);
  rig.run();
  EXPECT_TRUE(rig.front_end->idle());
  EXPECT_TRUE(rig.front_end->host().shown(ticket));
  EXPECT_EQ(rig.front_end->template mechanism<Delaying>().kernels_stopped, 1U);
  EXPECT_EQ(rig.front_end->template mechanism<Delaying>().tbs_placed, 2U);
}

template <class AnyRig>
std::string run(AnyRig rig) {
  submit(rig);
  rig.run();
  return std::to_string(rig.now) + " " + std::to_string(rig.ticks) + " " + rig.statistics();
}

TEST(Mechanisms, OneThatIsAbsentChangesNothing) {
  const std::string without = run<Rig>(Rig(load(), {}));
  EXPECT_EQ(run<RigWith<Absent>>(RigWith<Absent>(load(), {})), without);
  EXPECT_NE(run<RigWith<Delaying>>(RigWith<Delaying>(load(), {})), without);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_mechanisms_test

// Tests of the run monitor: when it reads a device between cycles, and which counts it finds. The watchdog has tests of
// its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "castor/gpu/gpu.h"
#include "castor/gpu/run_monitor.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_run_monitor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Counting final : public Unit {
 public:
  void tick(Cycle /*now*/) override {}
  void count_until(Cycle now) override { until.push_back(now); }
  std::vector<Cycle> until;
};

/// An idle device, and a run monitor of its own over its parts.
struct Rig {
  explicit Rig(const std::vector<std::string>& overrides)
      : machine(platforms::load_machine("tiny", overrides).machine),
        store({1 << 20, false}),
        gpu(sc_core::sc_module_name(sc_core::sc_gen_unique_name("gpu")), machine, store, programs, {}),
        totals(group) {}

  RunMonitor run_monitor(const std::vector<Sm*>& cores) {
    return RunMonitor({machine, store, gpu.front_end(), gpu.memory(), cores, {}, units, totals});
  }

  Machine machine;
  Store store;
  ProgramTable programs{32, nullptr};
  Gpu gpu;
  base::StatisticGroup group{"statistics"};
  StatisticsTotals totals;
  Counting unit;
  std::vector<Unit*> units{&unit};
  std::vector<Sm*> none;
};

TEST(RunMonitor, LooksOnceAndNeverAgainWhereThereIsNothingToSee) {
  Rig rig({"run.windows=0"});
  RunMonitor run_monitor = rig.run_monitor(rig.none);
  EXPECT_EQ(run_monitor.due(), 0U);
  run_monitor.look(0);
  EXPECT_EQ(run_monitor.due(), kForever);
  EXPECT_EQ(run_monitor.window_end(), kForever);
  EXPECT_FALSE(run_monitor.spinning());
  EXPECT_EQ(run_monitor.windows_json(100), "");
  EXPECT_THAT(rig.unit.until, ElementsAre());
}

TEST(RunMonitor, EndsEveryWindowThatIsOverWithWhatWasCountedUntilThen) {
  Rig rig({"run.windows=1", "run.window=100"});
  RunMonitor run_monitor = rig.run_monitor(rig.none);
  run_monitor.look(0);
  EXPECT_EQ(run_monitor.due(), 100U);
  run_monitor.look(99);
  EXPECT_THAT(rig.unit.until, ElementsAre());
  run_monitor.look(250);
  EXPECT_THAT(rig.unit.until, ElementsAre(100, 200));
  EXPECT_EQ(run_monitor.due(), 300U);
  EXPECT_THAT(run_monitor.windows_json(320), HasSubstr("\"last_cycles\":20,"));
  EXPECT_THAT(rig.unit.until, ElementsAre(100, 200, 300, 320));
}

TEST(RunMonitor, LooksAgainWhenTheHostBeginsOrEndsToWait) {
  Rig rig({"run.windows=0"});
  RunMonitor run_monitor = rig.run_monitor(rig.none);
  run_monitor.look(0);
  run_monitor.host_waits(true);
  EXPECT_EQ(run_monitor.due(), 0U);
}

TEST(RunMonitor, IsDueAtTheEndOfTheWatchdogsWindowOrAtThatOfTheStatisticsWhicheverComesFirst) {
  Rig rig({"run.windows=1", "run.window=400", "watchdog.cycles=1000"});
  std::vector<Sm*> cores;
  for (unsigned i = 0; i < rig.gpu.sms(); ++i) cores.push_back(dynamic_cast<Sm*>(&rig.gpu.sm(i)));
  RunMonitor run_monitor = rig.run_monitor(cores);
  run_monitor.look(0);
  std::vector<Cycle> due;
  while (run_monitor.due() < 2500) {
    due.push_back(run_monitor.due());
    run_monitor.look(run_monitor.due());
  }
  EXPECT_THAT(due, ElementsAre(400, 800, 1000, 1200, 1600, 2000, 2400));
}

}  // namespace
}  // namespace castor::gpu::gpu_run_monitor_test

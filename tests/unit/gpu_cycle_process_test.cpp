// Tests of the cycles that run: the part of a device that knows SystemC's time. Each case runs in a process of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/cycle_process.h"

namespace castor::gpu {
namespace {

using testing::ElementsAre;

/// A device with cycles of 1 ns whose due cycles a test sets.
class Device final : public sc_core::sc_module, public CycleRunner {
 public:
  Device() : Device(sc_core::sc_module_name("device")) {}
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name), clock(1'000'000), process(clock, *this) {
    SC_HAS_PROCESS(Device);
    SC_METHOD(activate);
  }
  void activate() { process.activate(); }
  [[nodiscard]] Cycle now() const override { return now_; }
  [[nodiscard]] Cycle next_cycle() const override { return wanted.empty() ? kForever : std::max(now_, wanted.front()); }
  void run_cycle(Cycle cycle) override {
    if (cycle == bad) throw base::Error("this cycle is bad");
    now_ = cycle + 1;
    while (!wanted.empty() && wanted.front() <= cycle) wanted.erase(wanted.begin());
    ran.push_back(cycle);
    at.push_back(sc_core::sc_time_stamp().value());
  }

  base::Clock clock;
  CycleProcess process;
  std::vector<Cycle> wanted;
  std::vector<Cycle> ran;
  std::vector<base::Picoseconds> at;
  Cycle bad = kForever;

 private:
  Cycle now_ = 0;
};

void start(base::Picoseconds span) { sc_core::sc_start(sc_core::sc_time::from_value(span), sc_core::SC_RUN_TO_TIME); }

TEST(CycleProcess, CyclesWithWorkRunAtTheirTime) {
  Device device;
  device.wanted = {0, 3, 4, 9};
  start(20'000);
  EXPECT_THAT(device.ran, ElementsAre(0, 3, 4, 9));
  EXPECT_THAT(device.at, ElementsAre(0, 3000, 4000, 9000));
}

TEST(CycleProcess, WhatTheHostDoesAtAnEdgeIsSeenByTheNextCycle) {
  Device device;
  device.wanted = {0};
  start(5000);
  EXPECT_EQ(device.process.host_cycle(), 6U);
  start(500);
  EXPECT_EQ(device.process.host_cycle(), 6U);
  device.wanted = {2};  // the cycle has passed while the device slept
  device.process.changed();
  start(5000);
  EXPECT_THAT(device.ran, ElementsAre(0, 6));
  EXPECT_THAT(device.at, ElementsAre(0, 6000));
}

TEST(CycleProcess, RunsAheadOnlyWhileItMayAndThenTimeCatchesUp) {
  Device device;
  device.wanted = {0, 5, 6, 8};
  device.process.run_ahead(true);
  std::vector<Cycle> next;
  device.process.after_cycle([&](Cycle cycle, Cycle then) {
    next.push_back(then);
    return cycle == 6;
  });
  sc_core::sc_start();
  EXPECT_THAT(device.ran, ElementsAre(0, 5, 6));
  EXPECT_THAT(device.at, ElementsAre(0, 0, 0));
  EXPECT_THAT(next, ElementsAre(5, 6, 8));
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 6000U);
  device.process.after_cycle(nullptr);
  device.process.run_ahead(false);
  start(10'000);
  EXPECT_THAT(device.ran, ElementsAre(0, 5, 6, 8));
  EXPECT_EQ(device.at.back(), 8000U);
}

TEST(CycleProcess, NothingRunsAheadOfWhatElseHappens) {
  Device device;
  device.wanted = {0, 1, 2, 3, 4};
  device.process.run_ahead(true);
  sc_core::sc_event other;
  other.notify(sc_core::sc_time::from_value(2500));
  struct Other : sc_core::sc_module {
    Other(const sc_core::sc_module_name& name, sc_core::sc_event& event, Device& of) : sc_module(name), device(of) {
      SC_HAS_PROCESS(Other);
      SC_METHOD(look);
      sensitive << event;
      dont_initialize();
    }
    void look() { seen = device.ran.size(); }
    Device& device;
    std::size_t seen = 0;
  } module("other", other, device);
  start(10'000);
  EXPECT_EQ(module.seen, 3U);  // cycles 0, 1 and 2
  EXPECT_EQ(device.ran.size(), 5U);
}

TEST(CycleProcess, APauseInACycleWhoseTimeItIsNeedsNoWait) {
  Device device;
  device.wanted = {0, 4, 5};
  device.process.after_cycle([](Cycle cycle, Cycle /*next*/) { return cycle == 4; });
  sc_core::sc_start();
  EXPECT_THAT(device.ran, ElementsAre(0, 4));
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 4000U);
  sc_core::sc_start();
  EXPECT_THAT(device.ran, ElementsAre(0, 4, 5));
}

TEST(CycleProcess, CyclesRunAtTheirTimeWhateverTheResolution) {
  sc_core::sc_set_time_resolution(10, sc_core::SC_FS);
  Device device;
  device.wanted = {0, 3, 4};
  sc_core::sc_start(sc_core::sc_time(3500, sc_core::SC_PS), sc_core::SC_RUN_TO_TIME);
  EXPECT_THAT(device.ran, ElementsAre(0, 3));
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_PS), sc_core::SC_RUN_TO_TIME);
  EXPECT_EQ(device.process.host_cycle(), 5U);
  // Simulated time is between two picoseconds: first just after a clock edge, then just before one.
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_FS), sc_core::SC_RUN_TO_TIME);
  EXPECT_THAT(device.ran, ElementsAre(0, 3, 4));
  EXPECT_EQ(device.process.host_cycle(), 5U);
  sc_core::sc_start(sc_core::sc_time(999'980, sc_core::SC_FS), sc_core::SC_RUN_TO_TIME);
  EXPECT_EQ(device.process.host_cycle(), 5U);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_FS), sc_core::SC_RUN_TO_TIME);
  EXPECT_EQ(device.process.host_cycle(), 6U);
  sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_FS), sc_core::SC_RUN_TO_TIME);
  device.wanted = {2};  // has passed
  device.process.changed();
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_NS), sc_core::SC_RUN_TO_TIME);
  EXPECT_THAT(device.ran, ElementsAre(0, 3, 4, 6));
  EXPECT_EQ(device.at.back(), 600'000U) << "steps of 10 fs";
}

TEST(CycleProcess, AResolutionThatClocksDoNotFitIntoIsRefused) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  try {
    const Device device;
    FAIL() << "1 ns was taken";
  } catch (const base::InputError& e) {
    EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("time resolution is 1 ns"),
                                         testing::HasSubstr("sc_set_time_resolution(1, sc_core::SC_PS)")));
  }
}

TEST(SystemTime, TimesBeyondTheRangeAreTheLatest) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const SystemTime system;
  EXPECT_EQ(system.of(5), sc_core::sc_time(5, sc_core::SC_PS));
  EXPECT_EQ(system.of(~base::Picoseconds{0}), sc_core::sc_max_time());
  EXPECT_EQ(system.begun(sc_core::sc_time(4999, sc_core::SC_FS)), 4U);
  EXPECT_EQ(system.complete(sc_core::sc_time(4001, sc_core::SC_FS)), 5U);
  EXPECT_EQ(system.complete(sc_core::sc_time(4, sc_core::SC_PS)), 4U);
  EXPECT_EQ(system.until(0), sc_core::SC_ZERO_TIME);
}

TEST(CycleProcess, WhatACycleThrowsIsKeptAndEndsTheProcess) {
  Device device;
  device.wanted = {0, 1, 2};
  device.bad = 1;
  start(10'000);
  EXPECT_THAT(device.ran, ElementsAre(0));
  ASSERT_TRUE(device.process.failure());
  EXPECT_THROW(std::rethrow_exception(device.process.failure()), base::Error);
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 1000U);
  start(10'000);
  EXPECT_THAT(device.ran, ElementsAre(0));
}

}  // namespace
}  // namespace castor::gpu

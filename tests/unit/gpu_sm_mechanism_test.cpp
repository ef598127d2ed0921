// Tests that the list of mechanisms is a parameter of the SM: a mechanism added here acts in every step that it
// redeclares, in the order of the list.

#include "castor/gpu/sm/sm_steps.h"
#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_mechanism_test {
namespace {

std::string& calls() {
  static std::string text;
  return text;
}

/// Mechanism that counts thread blocks, and delays the fetch of the second one. Wakes the SM now and then.
class Turnstile : public SmMechanism {
 public:
  static constexpr Tick kDelay = 100;
  static constexpr Cycle kPeriod = 64;

  explicit Turnstile(const SmParts& parts) : clock_(parts.clock) {}

  void start(TbStart& start) {
    calls() += 'a';
    if (++started == 2) start.setup += kDelay;
  }
  void stop(unsigned /*context*/) { ++stopped; }
  void retire(unsigned /*context*/, TbRetireMessage& /*message*/) { ++retired; }
  void begin_tick() { ++ticks; }
  void idle(Tick slept) { ticks += slept; }
  [[nodiscard]] Cycle wake() const { return clock_.now() + kPeriod; }

  unsigned started = 0, stopped = 0, retired = 0;
  Tick ticks = 0;

 private:
  const SmClock& clock_;
};

/// A mechanism that follows the first one in the list.
struct Last : SmMechanism {
  explicit Last(const SmParts& /*parts*/) {}
  void start(TbStart& /*start*/) { calls() += 'b'; }
};

/// A mechanism that no machine has.
struct Absent : SmMechanism {
  static constexpr bool kOptional = true;
  static bool present(const SmParts& /*parts*/) { return false; }
  explicit Absent(const SmParts& /*parts*/) { ADD_FAILURE() << "made"; }
  void begin_tick() { ADD_FAILURE() << "asked"; }
};

using Mechanisms = MechanismList<DeviceCalls, TbMover, DeviceRuntime, Turnstile, Last, FilterUnit, HookPort, Absent>;
using OwnRig = test::BasicRig<BasicSm<Mechanisms>>;

constexpr const char* kBody = "add.u32 %r0, %r0, 1;\nadd.u32 %r0, %r0, 1;\nret;";

/// Checks the issues of two thread blocks of one warp. The second one starts a tick later.
template <class Rig>
void run_two(Rig& rig) {
  const test::Kernel& kernel = rig.load(kBody, {2, 1, 1}, {32, 1, 1});
  rig.start(kernel, 0);
  rig.start(kernel, 1);
  ASSERT_TRUE(rig.run(2));
}

TEST(Mechanism, CountsThreadBlocksAndDelaysOne) {
  const Machine machine = test::machine("kepler_k20c_study", {"icache.ideal=1"});
  test::Rig plain(machine);
  run_two(plain);
  OwnRig own(machine);
  run_two(own);
  const auto* const turnstile = own.sm.mechanism<Turnstile>();
  ASSERT_NE(turnstile, nullptr);
  EXPECT_EQ(turnstile->started, 2U);
  EXPECT_EQ(turnstile->retired, 2U);
  EXPECT_EQ(turnstile->stopped, 0U);
  EXPECT_EQ(own.log.ticks(0), plain.log.ticks(0));
  std::vector<Tick> delayed = plain.log.ticks(1);
  for (Tick& tick : delayed) tick += Turnstile::kDelay;
  EXPECT_EQ(own.log.ticks(1), delayed);
}

TEST(Mechanism, ActsInTheOrderOfTheListAndNotIfTheMachineLacksIt) {
  calls().clear();
  OwnRig own(test::machine("kepler_k20c_study"));
  run_two(own);
  EXPECT_EQ(calls(), "abab");
  EXPECT_EQ(own.sm.mechanism<Absent>(), nullptr);
  EXPECT_EQ(own.sm.mechanism<FilterUnit>(), nullptr);
}

// The mechanism is called in every tick in which the SM is awake. It is notified of the ticks that the SM skips, and it
// wakes the SM.
TEST(Mechanism, WakesTheSmAndHearsOfEveryTick) {
  OwnRig own(test::machine("kepler_k20c_study"));
  for (Cycle cycle = 0; cycle < 10 * Turnstile::kPeriod; ++cycle) own.cycle();
  own.sm.count_until(own.now + 1);
  EXPECT_EQ(own.sm.mechanism<Turnstile>()->ticks, own.sm.counters().ticks);
  EXPECT_THAT(own.ticked, testing::AllOf(testing::Ge(9U), testing::Le(11U)));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_mechanism_test

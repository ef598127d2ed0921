// Tests of front-end hooks that serve register windows.
#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "gpu_front_end_hooks_support.h"

namespace castor::gpu::gpu_front_end_hook_registers_test {
namespace {

using namespace test::hooks;
using test::load;
using test::Rig;

/// Registers of a hook. The value of each register is its number. An access is answered in its second cycle.
struct Registers {
  int window = -1;
  unsigned accesses = 0;
  Maybe<RegisterReply> settle(const Maybe<RegisterAccess>& access) {
    if (!access || access->window != static_cast<unsigned>(window)) {
      EXPECT_FALSE(access.has_value()) << "window " << window << " sees an access to " << access->window;
      return std::nullopt;
    }
    if (!waited_) return std::nullopt;
    return RegisterReply{access->write ? RegisterError::kRefused : RegisterError::kNone,
                         access->window * 100 + access->offset};
  }
  void clock(const Maybe<RegisterAccess>& access) {
    EXPECT_TRUE(!access || access->window == static_cast<unsigned>(window));
    accesses += access && waited_ ? 1 : 0;
    waited_ = access && !waited_;
  }

 private:
  bool waited_ = false;
};

class RegisterGovernor final : public Governor {
 public:
  explicit RegisterGovernor(int window) { registers.window = window; }
  [[nodiscard]] int window() const override { return registers.window; }
  const GovernOut& settle(const GovernIn& in) override {
    out.reg = registers.settle(seen_);
    return Governor::settle(in);
  }
  void clock(const GovernIn& in) override {
    Governor::clock(in);
    registers.clock(in.ev.reg);
    seen_ = in.ev.reg;
    if (out.reg) seen_.reset();
  }
  Registers registers;

 private:
  Maybe<RegisterAccess> seen_;
};
class RegisterPolicy final : public Fcfs {
 public:
  explicit RegisterPolicy(int window) { registers.window = window; }
  [[nodiscard]] int window() const override { return registers.window; }
  const DispatchOut& settle(const DispatchIn& in) override {
    out.reg = registers.settle(in.ev.reg);
    return Fcfs::settle(in);
  }
  void clock(const DispatchIn& in) override {
    registers.clock(in.ev.reg);
    Fcfs::clock(in);
  }
  Registers registers;
};
class RegisterScheduler final : public RoundRobin {
 public:
  explicit RegisterScheduler(int window) { registers.window = window; }
  [[nodiscard]] int window() const override { return registers.window; }
  const JobOut& settle(const JobIn& in) override {
    out.reg = registers.settle(in.ev.reg);
    return RoundRobin::settle(in);
  }
  void clock(const JobIn& in) override {
    registers.clock(in.ev.reg);
    RoundRobin::clock(in);
  }
  Registers registers;
};
class RegisterUnit final : public Counting<LaunchUnit> {
 public:
  explicit RegisterUnit(int window) { registers.window = window; }
  [[nodiscard]] int window() const override { return registers.window; }
  const LaunchOut& settle(const LaunchIn& in) override {
    out_.reg = registers.settle(in.ev.reg);
    return out_;
  }
  void clock(const LaunchIn& in) override {
    edge(in.now);
    registers.clock(in.ev.reg);
  }
  Registers registers;

 private:
  LaunchOut out_;
};
class RegisterOrder final : public Counting<SourceOrder> {
 public:
  explicit RegisterOrder(int window) { registers.window = window; }
  [[nodiscard]] int window() const override { return registers.window; }
  [[nodiscard]] LaunchListing listing() const override { return {}; }
  const SourceOut& settle(const SourceIn& in) override {
    out_.reg = registers.settle(in.reg);
    return out_;
  }
  void clock(const SourceIn& in) override {
    edge(in.now);
    registers.clock(in.reg);
  }
  Registers registers;

 private:
  SourceOut out_;
};

/// Reads a register of each window, and writes one, between kernels; returns the values.
std::vector<unsigned> access_windows(const Hooks& hooks, const std::vector<unsigned>& windows, bool every_cycle) {
  Rig::Options options;
  options.hooks = hooks;
  options.every_cycle = every_cycle;
  Rig rig(load(), options);
  rig.service = 3000;
  rig.submit(0, Rig::kernel(rig.program("k"), 5, 32), kSubmit);
  std::vector<std::uint64_t> numbers;
  for (const unsigned window : windows) {
    numbers.push_back(rig.front_end->access_register({window, false, 4, 0}, 2000, true));
    numbers.push_back(rig.front_end->access_register({window, true, 8, 1}, 2000, true));
  }
  rig.run_until([&] { return rig.now >= 2600; });
  std::vector<unsigned> values;
  for (const std::uint64_t number : numbers) {
    const auto reply = rig.front_end->register_reply(number);
    EXPECT_TRUE(reply.has_value());
    values.push_back(reply ? reply->value : 0);
    values.push_back(reply ? static_cast<unsigned>(reply->error) : 99);
  }
  rig.run();
  return values;
}

TEST(FrontEndHookRegisters, EveryHookServesItsOwnRegisters) {
  for (const bool every_cycle : {false, true}) {
    RegisterGovernor first(3), second(40);
    RegisterPolicy policy(5);
    RegisterScheduler scheduler(1);
    first.quiet_edges = second.quiet_edges = policy.quiet_edges = scheduler.quiet_edges = 100'000;
    Hooks hooks;
    hooks.governors = {&first, &second};
    hooks.dispatch = &policy;
    hooks.job_scheduler = &scheduler;
    EXPECT_EQ(access_windows(hooks, {40, 1, 5, 3, 7}, every_cycle),
              (std::vector<unsigned>{4004, 0, 4008, 2, 104, 0, 108, 2, 504, 0, 508, 2, 304, 0, 308, 2, 0, 3, 0, 3}));
    for (const Registers* const one : {&first.registers, &second.registers, &policy.registers, &scheduler.registers}) {
      EXPECT_EQ(one->accesses, 2U) << one->window;
    }
    RegisterPolicy other(2);
    RegisterUnit unit(6);
    other.quiet_edges = unit.quiet_edges = 100'000;
    Hooks groups;
    groups.dispatch = &other;
    groups.launch = &unit;
    EXPECT_EQ(access_windows(groups, {6, 2}, every_cycle), (std::vector<unsigned>{604, 0, 608, 2, 204, 0, 208, 2}));
    RegisterOrder order(15);
    order.quiet_edges = 100'000;
    Hooks sources;
    sources.sources = &order;
    EXPECT_EQ(access_windows(sources, {15}, every_cycle), (std::vector<unsigned>{1504, 0, 1508, 2}));
  }
}

TEST(FrontEndHookRegisters, TwoHooksThatServeOneWindowAreRefusedByName) {
  RegisterGovernor first(3), second(4);
  RegisterPolicy policy(4);
  Hooks hooks;
  hooks.governors = {&first, &second};
  hooks.dispatch = &policy;
  try {
    static_cast<void>(checked(load(), hooks));
    FAIL() << "not refused";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("dispatch_policy and governor1 both serve register window 4"));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_hook_registers_test

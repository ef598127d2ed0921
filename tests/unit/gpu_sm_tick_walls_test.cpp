// Tests that a tick of an SM writes the SM's own state only (docs/gpu/sm.md, "What SMs share").
#include <functional>
#include <thread>

#include "castor/base/log.h"
#include "castor/base/tick_wall.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/sm/event_buffer.h"
#include "common/null_hooks.h"
#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_tick_walls_test {
namespace {

using test::machine;
using test::Rig;

// A kernel that uses global, shared and local memory, the network, barriers, timers, the heap.
constexpr const char* kBusy = R"(
  .shared .align 4 .b8 s[1024];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
  shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r6, %r5, %r4; mov.u32 %r7, 20;
LOOP:
  ld.global.u32 %r8, [%rd3]; add.u32 %r8, %r8, %r7; st.global.u32 [%rd3], %r8;
  st.shared.u32 [%r6], %r8; bar.sync 0;
  xor.b32 %r9, %r6, 4; ld.shared.u32 %r10, [%r9]; bar.sync 0;
  and.b32 %r11, %r10, 1; setp.eq.u32 %p1, %r11, 0;
  @%p1 atom.global.add.u32 %r12, [%rd1+4096], %r10;
  sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0;
  @%p2 bra LOOP;
  st.global.u32 [%rd3], %r10;
  ret;)";

/// An SM with a kernel of eight thread blocks.
struct Busy {
  Busy() : rig(machine("kepler_k20c_study")) {
    // Data, parameters and code of every one lie in the same sets of the caches.
    constexpr std::uint64_t kApart = 1U << 20;
    const std::uint64_t out = rig.store->allocate(kApart, AllocationKind::kHeap, {}, kApart).value();
    address = out;
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &out, 8);
    test::Kernel& kernel = rig.load(kBusy, {4}, {256}, 0, {}, parameters);
    for (unsigned i = 0; i < 4; ++i) rig.start(kernel, i);
  }
  [[nodiscard]] bool done() const { return rig.retired.size() == 4; }

  Rig rig;
  std::uint64_t address;
};

// Compares everything observable of two runs: every event, the statistics, the memory.
void expect_equal(Busy& a, Busy& b) {
  const auto& first = a.rig.log;
  const auto& second = b.rig.log;
  ASSERT_EQ(first.issues.size(), second.issues.size());
  ASSERT_GT(first.issues.size(), 5000U) << "the kernel does too little";
  for (std::size_t i = 0; i < first.issues.size(); ++i) {
    ASSERT_EQ(first.issues[i].tick, second.issues[i].tick) << i;
    ASSERT_EQ(first.issues[i].warp, second.issues[i].warp) << i;
    ASSERT_EQ(first.issues[i].pc, second.issues[i].pc) << i;
    ASSERT_EQ(first.issues[i].mask, second.issues[i].mask) << i;
  }
  EXPECT_EQ(a.rig.statistics.hash(), b.rig.statistics.hash());
  EXPECT_EQ(std::memcmp(a.rig.store->host(a.address), b.rig.store->host(b.address), 8192), 0);
}

TEST(TickWalls, SmsTickOnSeveralThreadsAsTheyDoOneAfterTheOther) {
  constexpr unsigned kSms = 3;
  std::vector<std::unique_ptr<Busy>> alone, together;
  for (unsigned i = 0; i < kSms; ++i) alone.push_back(std::make_unique<Busy>());
  for (unsigned i = 0; i < kSms; ++i) together.push_back(std::make_unique<Busy>());
  for (auto& one : alone) {
    while (!one->done() && one->rig.now < 100'000) one->rig.cycle();
    ASSERT_TRUE(one->done());
  }
  const auto all_done = [&] {
    return std::all_of(together.begin(), together.end(), [](const auto& one) { return one->done(); });
  };
  while (!all_done() && together[0]->rig.now < 100'000) {
    std::vector<std::thread> threads;
    for (auto& one : together) {
      if (!one->done()) threads.emplace_back([&rig = one->rig] { rig.tick(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (auto& one : together) {
      if (!one->done()) one->rig.end_cycle();
    }
  }
  ASSERT_TRUE(all_done());
  for (unsigned i = 0; i < kSms; ++i) {
    SCOPED_TRACE(i);
    expect_equal(*alone[i], *together[i]);
  }
}

TEST(TickWalls, WhatLeavesAnSmWaitsUntilTheTickIsOver) {
  Busy busy;
  bool sent = false, told = false, woken = false;
  struct FrontEnd : Unit {
    FrontEnd() { sleep_until(kForever); }
    void tick(Cycle /*now*/) override {}
  } front_end;
  busy.rig.sm.set_front_end(front_end);
  for (Cycle i = 0; i < 100'000 && !busy.done(); ++i) {
    const std::size_t issues = busy.rig.log.issues.size();
    const std::size_t waiting = busy.rig.network.port.waiting();
    const Cycle wake = front_end.wake();
    busy.rig.tick();
    ASSERT_EQ(busy.rig.log.issues.size(), issues);
    ASSERT_EQ(busy.rig.network.port.waiting(), waiting);
    ASSERT_EQ(front_end.wake(), wake);
    busy.rig.end_cycle();
    told |= busy.rig.log.issues.size() > issues;
    sent |= busy.rig.network.port.waiting() > waiting;
    woken |= front_end.wake() != wake;
  }
  EXPECT_TRUE(sent && told && woken);
}

#ifdef CASTOR_TICK_WALLS

/// A policy that calls `act` in the tick of its SM.
class Faulty final : public IssuePolicyHook {
 public:
  explicit Faulty(std::function<void()> act) : act_(std::move(act)) {}
  void attach(const HookSite& site) override { inner_.attach(site); }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return inner_.quiet(); }
  void idle(Cycle n) override { inner_.idle(n); }
  const IssueOut& settle(const IssueIn& in) override { return inner_.settle(in); }
  void clock(const IssueIn& in) override {
    inner_.clock(in);
    act_();
  }

 private:
  std::function<void()> act_;
  test::NullIssuePolicy inner_;
};

void run_with(std::function<void()> act) {
  Faulty policy(std::move(act));
  SmHooks hooks;
  hooks.issue = &policy;
  Rig rig(machine("kepler_k20c_study"), hooks);
  rig.start(rig.load("ret;", {1}, {32}));
  static_cast<void>(rig.run(1));
}

TEST(TickWalls, APartThatWritesWhatSmsShareStopsTheRun) {
  struct Other : Unit {
    void tick(Cycle /*now*/) override {}
  } other;
  const Machine kepler = machine("kepler_k20c_study");
  Ledger ledger(kepler);
  Busy busy;
  Store& store = *busy.rig.store;
  EventBuffer events;
  events.issued({});
  run_with([] {});
  EXPECT_DEATH(run_with([&] { *store.host(busy.address) = std::byte{1}; }),
               "a tick writes state outside its unit: bytes of the store");
  EXPECT_DEATH(run_with([&] { static_cast<void>(store.allocate(4, AllocationKind::kHeap)); }),
               "a tick writes state outside its unit: allocations of the store");
  EXPECT_DEATH(run_with([&] { store.free(busy.address); }),
               "a tick writes state outside its unit: allocations of the store");
  EXPECT_DEATH(run_with([&] { other.wake_at(3); }), "a tick writes state outside its unit: another unit's wake");
  EXPECT_DEATH(run_with([&] { ledger.debit(0, 0, {}, 1); }), "a tick writes state outside its unit: the ledger");
  EXPECT_DEATH(run_with([&] { events.deliver(busy.rig.log); }), "a tick writes state outside its unit: an observer");
  EXPECT_DEATH(run_with([] { static_cast<void>(base::logger("test")); }),
               "a tick writes state outside its unit: the log");
}

TEST(TickWalls, ATicksOwnUnitMayBeWoken) {
  struct Own : Unit {
    void tick(Cycle now) override {
      const base::TickWall wall(static_cast<Unit*>(this));
      sleep_until(kForever);
      wake_at(now + 4);
    }
  } own;
  own.tick(3);
  EXPECT_EQ(own.wake(), 7U);
}

#endif

}  // namespace
}  // namespace castor::gpu::gpu_sm_tick_walls_test

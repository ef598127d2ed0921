// Hub, agents and synchronisation network of a whole GPU against the closed forms of docs/gpu/sync-network.md. The
// stubs count arrivals without an instruction; every expected cycle is computed here, from the latency and the number
// of blocks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/trace/wave_file.h"
#include "common/sync_stubs.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::sync_test {
namespace {

using test::BarrierAgent;
using test::BarrierHub;
using test::SyncSeen;
using ::testing::HasSubstr;

constexpr const char* kMachine = "kepler_k20c_study";
constexpr Cycle kAt = 2000;  // cycle in which the blocks arrive

// Runs for some thousand cycles without an access to memory.
constexpr const char* kLoop =
    "mov.u32 %r1, 150; LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOOP; ret;";

struct Setting {
  unsigned sms = 1, latency = 20;
  std::vector<std::string> overrides = {};
  SmGovernor* governor = nullptr;
};

/// A GPU with a hub and agents of one kind. `prepare` is called before the GPU is built.
template <class Agent, class Hub>
struct SyncRig {
  explicit SyncRig(const Setting& setting, const std::function<void(SyncRig&)>& prepare = {}) : agents(setting.sms) {
    if (prepare) prepare(*this);
    std::vector<std::string> all = {"chip.sms=" + std::to_string(setting.sms),
                                    "sync_net.latency=" + std::to_string(setting.latency)};
    all.insert(all.end(), setting.overrides.begin(), setting.overrides.end());
    Hooks hooks;
    hooks.hub = &hub;
    for (auto& agent : agents) hooks.agents.push_back(&agent);
    if (setting.governor != nullptr) hooks.governors = {setting.governor};
    rig = std::make_unique<Rig>(kMachine, all, hooks);
  }
  Ticket submit(ProgramHandle program, unsigned blocks, unsigned threads = 32, bool synchronises = true,
                unsigned queue = 0) {
    KernelPacket packet;
    packet.program = program;
    packet.grid = {blocks};
    packet.block = {threads};
    packet.synchronises = synchronises;
    return rig->device->submit(queue, std::move(packet));
  }
  Agent& agent(unsigned sm) { return agents[sm]; }

  Hub hub;
  std::deque<Agent> agents;
  std::unique_ptr<Rig> rig;
};
using BarrierRig = SyncRig<BarrierAgent, BarrierHub>;
using TrafficRig = SyncRig<test::TrafficAgent, test::TrafficHub>;

/// Returns the cycles between an arrival and the first issue after the release, if n blocks of different SMs arrive at
/// once. The steps: arrival counted, message offered, network, hub's input register, hub's output register, network,
/// end of the stall. The hub accepts one message per cycle.
Cycle from_arrival(unsigned latency, unsigned n) { return 1 + 1 + latency + 1 + 1 + latency + 1 + (n - 1); }

/// Returns the first cycle after `behind` in which a warp of the SM issues; 0 if there is none.
Cycle first_issue(const Rig& rig, unsigned sm, Cycle behind) {
  for (const Issued& one : rig.recorder.issues) {
    if (one.sm == sm && one.cycle > behind) return one.cycle;
  }
  return 0;
}

/// Returns a digest of everything observable of a run.
std::uint64_t digest(Rig& rig) {
  auto& issues = rig.recorder.issues;
  std::stable_sort(issues.begin(), issues.end(), [](const Issued& a, const Issued& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
  });
  std::uint64_t hash = rig.device->gpu().statistics().hash();
  for (const Issued& one : issues) {
    const std::uint64_t values[] = {one.cycle, one.tick, one.sm, one.warp, one.pc};
    hash = hash_bytes(values, sizeof values, hash);
  }
  return hash;
}

/// Runs one block on each SM. All blocks arrive at the barrier in kAt.
std::vector<std::uint64_t> barrier(const Setting& setting) {
  return in_child([&] {
    BarrierRig sync(setting);
    for (auto& agent : sync.agents) agent.at = kAt;
    Rig& rig = *sync.rig;
    rig.finish(sync.submit(rig.load(kLoop), setting.sms));
    const Cycle expected = kAt + from_arrival(setting.latency, setting.sms);
    for (unsigned sm = 0; sm < setting.sms; ++sm) {
      EXPECT_EQ(sync.agent(sm).arrivals.size(), 1U) << "SM " << sm;
      EXPECT_EQ(first_issue(rig, sm, kAt), expected) << "SM " << sm;
      EXPECT_EQ(sync.agent(sm).releases, std::vector<Cycle>{expected - 1}) << "SM " << sm;
    }
    EXPECT_EQ(sync.hub.releases, std::vector<Cycle>{expected - 1 - setting.latency});
    EXPECT_EQ(rig.statistic("front_end.sync_net.up_taken"), setting.sms);
    EXPECT_EQ(rig.statistic("front_end.sync_net.down_messages"), setting.sms);
    EXPECT_EQ(rig.statistic("front_end.sync_net.down_blocked"), 0U);
    EXPECT_EQ(rig.statistic("sm0.sync_net.up_messages"), 1U);
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    return std::vector<std::uint64_t>{digest(rig)};
  });
}

class ClosedForm : public ::testing::TestWithParam<unsigned> {};

TEST_P(ClosedForm, LastArrivalToFirstIssue) {
  for (const unsigned latency : {1U, 2U, 20U, 255U}) {
    SCOPED_TRACE("latency " + std::to_string(latency));
    EXPECT_NO_THROW(static_cast<void>(barrier({GetParam(), latency})));
  }
}
INSTANTIATE_TEST_SUITE_P(Sms, ClosedForm, ::testing::Values(1, 2, 64, 65, 256));

TEST(SyncTiming, FortyFiveCyclesWithTwentyOfTheNetwork) { EXPECT_EQ(from_arrival(20, 1), 45U); }

TEST(SyncTiming, TheOrderOfUnitsAndSleepingChangeNothing) {
  for (const unsigned sms : {2U, 65U}) {
    const auto plain = barrier({sms, 20});
    EXPECT_EQ(barrier({sms, 20, {"run.sleep=0"}}), plain);
    for (const char* const seed : {"run.seed=1", "run.seed=2", "run.seed=3"}) {
      EXPECT_EQ(barrier({sms, 20, {"run.shuffle=1", seed}}), plain) << seed;
    }
  }
}

// Blocks that arrive at their start, one per cycle: the last one decides.
TEST(SyncTiming, ArrivalsOneAfterTheOtherDoNotQueue) {
  constexpr unsigned kSms = 13;
  BarrierRig sync({kSms});
  Rig& rig = *sync.rig;
  rig.finish(sync.submit(rig.load(kLoop), kSms));
  Cycle last = 0;
  for (const auto& one : rig.recorder.started) last = std::max(last, one.cycle);
  for (unsigned sm = 0; sm < kSms; ++sm) EXPECT_EQ(first_issue(rig, sm, 0), last + from_arrival(20, 1)) << sm;
}

// Several blocks of an SM: its agent sends one message per cycle, in its own time.
TEST(SyncTiming, BlocksOfOneSmSendOneMessagePerCycle) {
  constexpr unsigned kSms = 2, kPerSm = 5;
  BarrierRig sync({kSms});
  for (auto& agent : sync.agents) agent.at = kAt;
  Rig& rig = *sync.rig;
  rig.finish(sync.submit(rig.load(kLoop), kSms * kPerSm));
  // Both SMs offer a message in each of five cycles, and the hub takes one per cycle.
  for (unsigned sm = 0; sm < kSms; ++sm) {
    EXPECT_EQ(first_issue(rig, sm, kAt), kAt + from_arrival(20, kSms * kPerSm)) << sm;
  }
}

TEST(SyncTiming, KernelsThatDoNotSynchroniseRunOn) {
  BarrierRig sync({2});
  for (auto& agent : sync.agents) agent.at = kAt;
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kLoop);
  const Ticket plain = sync.submit(program, 2, 32, false, 1);
  const Ticket other = sync.submit(program, 2);
  rig.finish(plain);
  rig.finish(other);
  const auto inside = [&](Ticket ticket) {
    const auto issues = rig.issues(ticket);
    return std::count_if(issues.begin(), issues.end(),
                         [](const Issued& one) { return one.cycle > kAt && one.cycle < kAt + 46; });
  };
  EXPECT_GT(inside(plain), 4);
  EXPECT_EQ(inside(other), 0);
}

// --- Clocks ----------------------------------------------------------------------------------------------------------

/// Governor that gates the clock of one SM for some cycles.
class Gate final : public SmGovernor {
 public:
  Gate(unsigned sm, Cycle from, Cycle until) : sm_(sm), from_(from), until_(until) {}
  void attach(const HookSite& /*site*/) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle /*n*/) override {}
  const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }
  // The outputs of cycle c are the clocks of c + 1.
  void clock(const GovernIn& in) override { out_.clock_enable[sm_] = in.now + 2 < from_ || in.now + 2 >= until_; }

 private:
  GovernOut out_;
  unsigned sm_;
  Cycle from_, until_;
};

TEST(SyncTiming, AnSmWithoutClockTakesTheReleaseWhenItsClockIsOn) {
  constexpr unsigned kSms = 3;
  const Cycle released = kAt + from_arrival(20, kSms), on = released + 100;
  Gate gate(1, kAt + 10, on);
  BarrierRig sync({kSms, 20, {}, &gate});
  for (auto& agent : sync.agents) {
    agent.at = kAt;
    agent.checks_cycles = false;
  }
  Rig& rig = *sync.rig;
  rig.finish(sync.submit(rig.load(kLoop), kSms));
  EXPECT_EQ(first_issue(rig, 0, kAt), released);
  EXPECT_EQ(first_issue(rig, 2, kAt), released);
  EXPECT_EQ(sync.agent(1).releases, std::vector<Cycle>{on});
  EXPECT_EQ(first_issue(rig, 1, kAt), on + 1);
}

TEST(SyncTiming, ABroadcastWaitsForTheChannelOfAnSmWithoutClock) {
  constexpr unsigned kSms = 3, kDepth = 22;
  const Cycle off = 1000, on = 3000;
  Gate gate(1, off, on);
  TrafficRig sync({kSms, 20, {}, &gate});
  for (auto& agent : sync.agents) agent.checks_cycles = false;
  for (unsigned i = 0; i < kDepth + 3; ++i) sync.hub.sends.push_back({off + 50, SmMask{0b111}, i});
  Rig& rig = *sync.rig;
  rig.finish(sync.submit(rig.load(kLoop), 1, 32, false));
  ASSERT_EQ(sync.hub.sent.size(), kDepth + 3);
  for (unsigned i = 0; i < kDepth + 3; ++i) {
    // The first kDepth messages are sent at once. From `on` on an entry is freed in each cycle.
    const Cycle sent = i < kDepth ? off + 50 + i : on + 1 + i - kDepth;
    EXPECT_EQ(sync.hub.sent[i], (SyncSeen{sent, i}));
    EXPECT_EQ(sync.agent(0).received[i], (SyncSeen{sent + 20, i}));
    EXPECT_EQ(sync.agent(1).received[i], (SyncSeen{on + i, i}));
  }
  EXPECT_EQ(rig.statistic("front_end.sync_net.down_blocked"), on + 1 - (off + 50 + kDepth));
}

// --- Traffic ---------------------------------------------------------------------------------------------------------

std::vector<std::uint64_t> traffic(const std::vector<std::string>& overrides) {
  return in_child([&] {
    constexpr unsigned kSms = 5;
    TrafficRig sync({kSms, 7, overrides}, [](TrafficRig& one) {
      base::Xoshiro256 random(11);
      for (unsigned sm = 0; sm < kSms; ++sm) {
        for (Cycle at = 100; at < 4000; at += random.below(20) == 0 ? random.below(300) : random.below(2)) {
          one.agent(sm).sends.push_back({at, at});
        }
        one.agent(sm).takes = [sm](Cycle now) { return now % 500 > 40 * sm; };
      }
      for (Cycle at = 100; at < 4000; at += random.below(20) == 0 ? random.below(300) : random.below(2)) {
        one.hub.sends.push_back({at, SmMask{1 + random.below(31)}, at});
      }
      one.hub.takes = [](Cycle now, unsigned sm) { return now % 300 > 50 * sm; };
    });
    Rig& rig = *sync.rig;
    const ProgramHandle program = rig.load(kLoop);
    rig.finish(sync.submit(program, 7));
    rig.finish(sync.submit(program, 7));
    std::vector<std::uint64_t> seen = {digest(rig)};
    const auto add = [&seen](const std::vector<SyncSeen>& list) {
      EXPECT_GT(list.size(), 200U);
      for (const SyncSeen& one : list) {
        seen.push_back(one.cycle);
        seen.push_back(one.value);
      }
    };
    for (unsigned sm = 0; sm < kSms; ++sm) {
      add(sync.agent(sm).sent);
      add(sync.agent(sm).received);
      add(sync.hub.taken[sm]);
    }
    add(sync.hub.sent);
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    return seen;
  });
}

TEST(SyncTiming, TrafficIsTheSameAsleepAwakeAndInAnyOrderOfUnits) {
  const auto plain = traffic({});
  EXPECT_EQ(traffic({"run.sleep=0"}), plain);
  for (const char* const seed : {"run.seed=1", "run.seed=2", "run.seed=3", "run.seed=4"}) {
    EXPECT_EQ(traffic({"run.shuffle=1", seed}), plain) << seed;
  }
}

/// Hub that reads, writes and reads again with every width, up to the end of a line and from its beginning, through
/// both accesses.
class MemoryHub final : public test::SyncStub<HubIn, HubOut> {
 public:
  static constexpr unsigned kLine = 128, kLines = 5;
  void attach(const HookSite& site) override {
    SyncStub::attach(site);
    for (auto& one : access_) {
      one.memory = &one == access_.data() ? site.memory : site.second_memory;
      one.at = site.memory->allocate(kLine * kLines, "hub");
      one.bytes.resize(kLine * kLines);
    }
  }
  void reset() override { restart(); }
  [[nodiscard]] Cycle quiet() const override { return access_[0].expected.empty() ? 0 : kForever; }
  const HubOut& settle(const HubIn& /*in*/) override { return out_; }
  [[nodiscard]] bool ready() const {
    const auto all = [](const Access& one) { return one.replies == one.expected.size() && one.replies != 0; };
    return std::all_of(access_.begin(), access_.end(), all);
  }

 private:
  struct Access {
    HookMemory* memory = nullptr;
    std::uint64_t at = 0;
    std::vector<std::byte> bytes;                  // memory contents after the accesses made so far
    std::vector<std::vector<std::byte>> expected;  // bytes of each reply
    std::size_t replies = 0;
  };
  void edge(const HubIn& in) override {
    if (access_[0].expected.empty()) {
      for (unsigned width = 1; width <= kLine; ++width) {
        for (Access& one : access_) {
          exchange(one, width % kLines * kLine + kLine - width, width);
          exchange(one, (width + 2) % kLines * kLine, width);
        }
      }
    }
    for (std::size_t i = 0; i < access_.size(); ++i) {
      if (!in.reply[i]) continue;
      const std::vector<std::byte>& expected = access_[i].expected.at(access_[i].replies);
      EXPECT_EQ(in.reply[i]->tag, access_[i].replies++);
      ASSERT_EQ(in.reply[i]->bytes, expected.size());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), in.reply[i]->data.begin())) << in.reply[i]->tag;
    }
  }
  void exchange(Access& one, std::uint64_t offset, unsigned width) {
    const auto tag = [&one] { return static_cast<std::uint32_t>(one.expected.size()); };
    const auto first = one.bytes.begin() + static_cast<long>(offset);
    const auto read = [&] {
      one.memory->read(one.at + offset, width, tag());
      one.expected.emplace_back(first, first + width);
    };
    read();
    std::generate(first, first + width, [this] { return static_cast<std::byte>(random_.below(256)); });
    one.memory->write(one.at + offset, &*first, width, tag());
    one.expected.emplace_back();
    read();
  }
  std::array<Access, 2> access_;
  base::Xoshiro256 random_{5};
  HubOut out_;
};

TEST(SyncTiming, AccessesOfTheHubHaveEveryWidthAndStayInOrder) {
  SyncRig<test::TrafficAgent, MemoryHub> sync({2});
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kLoop);
  for (unsigned i = 0; i < 100 && !sync.hub.ready(); ++i) rig.finish(sync.submit(program, 2, 32, false));
  EXPECT_TRUE(sync.hub.ready());
}

TEST(SyncTiming, ResetDropsMessagesAndTheNextKernelFindsACleanNetwork) {
  BarrierRig sync({2});
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kLoop);
  sync.hub.deaf = true;
  EXPECT_EQ(rig.device->advance_until(sync.submit(program, 2)), Outcome::kDeadlock);
  EXPECT_FALSE(rig.device->gpu().front_end().idle());
  EXPECT_EQ(sync.hub.resets, 1U);
  rig.device->reset();
  EXPECT_TRUE(rig.device->gpu().idle());
  EXPECT_EQ(sync.hub.resets, 2U);
  EXPECT_EQ(sync.agent(1).resets, 2U);
  sync.hub.deaf = false;
  const Cycle behind = rig.device->gpu().now();
  rig.recorder.started.clear();
  rig.finish(sync.submit(program, 2));
  Cycle last = 0;
  for (const auto& one : rig.recorder.started) last = std::max(last, one.cycle);
  for (unsigned sm = 0; sm < 2; ++sm) EXPECT_EQ(first_issue(rig, sm, behind), last + from_arrival(20, 1)) << sm;
}

TEST(SyncTiming, WavesShowTheNetwork) {
  BarrierRig sync({2});
  const std::string path = ::testing::TempDir() + "sync_waves.vcd";
  WaveFile waves(path, {"*.sync_net"});
  sync.rig->device->gpu().add_waves(waves);
  EXPECT_GT(waves.signals(), 10U);
  waves.sample(0, 0);
  waves.close(1);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  for (const char* const name : {"arrived", "room", "in_flight", "stalled", "quiesced", "sends", "down_fill"}) {
    EXPECT_THAT(text.str(), HasSubstr(" " + std::string(name) + " ")) << name;
  }
}

// --- Reports ---------------------------------------------------------------------------------------------------------

TEST(SyncTiming, ABlockThatNeverArrivesIsADeadlockWithAReport) {
  BarrierRig sync({2});
  sync.hub.more = 1;
  Rig& rig = *sync.rig;
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load(kLoop), 2)), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("is stalled by the synchronisation agent"));
  EXPECT_THAT(text, HasSubstr("sync_hub (block stub): 2 of 3 blocks have arrived\n"));
  EXPECT_THAT(text, HasSubstr("sync_agent of SM 1 (block stub): holds block 1\n"));
  EXPECT_THAT(text, HasSubstr("-> synchronisation hub -> kernel k of entry 0"));
}

TEST(SyncTiming, AMessageThatIsNeverTakenIsReported) {
  BarrierRig sync({2});
  sync.hub.deaf = true;
  Rig& rig = *sync.rig;
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load(kLoop), 2)), Outcome::kDeadlock);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("sync_hub (block stub): has not taken messages of SMs 0 1\n"));
}

TEST(SyncTiming, AnEntryThatIsHeldForEverIsReported) {
  BarrierRig sync({2});
  sync.hub.holds = true;
  Rig& rig = *sync.rig;
  EXPECT_EQ(rig.device->advance_until(sync.submit(rig.load(kLoop), 2)), Outcome::kDeadlock);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("held by the synchronisation hub"));
}

// A parse lane that waits for a stuck kernel does not keep the machine awake.
TEST(SyncTiming, ASecondKernelBehindAStuckOneIsReported) {
  BarrierRig sync({2});
  sync.hub.more = 1;
  Rig& rig = *sync.rig;
  const ProgramHandle program = rig.load(kLoop);
  const Ticket first = sync.submit(program, 2);
  static_cast<void>(sync.submit(program, 2, 32, true, 1));
  EXPECT_EQ(rig.device->advance_until(first), Outcome::kDeadlock);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("waits in a parse lane until the kernel of entry 0"));
}

// One block spins on a word that a stalled block would write.
TEST(SyncTiming, AStalledWarpDoesNotHideASpinningOne) {
  BarrierRig sync({2, 20, {"watchdog.cycles=5000"}});
  sync.hub.more = 1;
  Rig& rig = *sync.rig;
  const std::uint64_t word = rig.buffer(256);
  const ProgramHandle spins =
      rig.load("SPIN: ld.global.cv.u32 %r1, [%rd0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra SPIN; ret;", 1);
  rig.set<std::uint32_t>(word, 0);
  const Ticket stuck = sync.submit(rig.load(kLoop), 1);
  static_cast<void>(rig.submit(spins, {1}, {32}, {word}, 0, 1));
  EXPECT_EQ(rig.device->advance_until(stuck), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("spinning deadlock"));
  EXPECT_THAT(text, HasSubstr("is stalled by the synchronisation agent"));
}

}  // namespace
}  // namespace castor::gpu::timing_test::sync_test

// Tests of the synchronisation hub at the front end: the kernels it sees, its hold output, its memory and registers
// (docs/gpu/sync-network.md).
#include <algorithm>
#include <functional>

#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/wait_graph.h"
#include "common/hook_fails.h"
#include "gpu_front_end_sync_support.h"

namespace castor::gpu::gpu_front_end_sync_test {
namespace {

using test::load;
using test::Rig;
using test::sync_message;
using test::hooks::kSubmit;
using test::sync::Agents;
using test::sync::hooks;
using test::sync::Hub;
using test::sync::options;
using test::sync::synchronising;

TEST(SyncHubs, SeesAKernelThatSynchronisesAndAnnouncesItToEverySm) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = !every_cycle;
    std::vector<std::pair<Cycle, SyncKernel>> launches;
    std::vector<std::pair<Cycle, bool>> fills;
    hub.see = [&](const HubIn& in) {
      if (in.launch) launches.emplace_back(in.now, *in.launch);
      if (fills.empty() || fills.back().second != in.filled) fills.emplace_back(in.now, in.filled);
      EXPECT_EQ(in.up.size, 13U);
      EXPECT_EQ(in.room, SmMask((1U << 13) - 1));
    };
    Rig rig(load(), options(hub, agents, every_cycle));
    rig.service = 3000;
    rig.submit(0, Rig::kernel(rig.program("plain"), 3, 32), kSubmit);
    const Ticket ticket = rig.submit(1, synchronising(Rig::kernel(rig.program("k"), 30, 64)), 900);
    rig.run();
    const Cycle written = rig.log.cycle("written", ticket);
    ASSERT_EQ(launches.size(), 1U);
    EXPECT_EQ(launches[0].first, written);
    const SyncKernel& kernel = launches[0].second;
    EXPECT_EQ(kernel.tbs, 30U);
    EXPECT_EQ(kernel.queue, 1U);
    EXPECT_EQ(kernel.need.warps, 2U);
    EXPECT_GT(kernel.fit, 1U);
    // All TBs fit, and one is placed per cycle. `filled` is set from the cycle of the last placement on until the
    // kernel is complete.
    Cycle last = 0, first = kForever;
    for (const auto& placed : rig.log.of("placed")) {
      if (placed.a != ticket) continue;
      last = std::max(last, placed.cycle);
      first = std::min(first, placed.cycle);
    }
    EXPECT_EQ(first, written + 1);
    const Cycle completed = rig.log.cycle("completed", ticket);
    EXPECT_EQ(fills, (std::vector<std::pair<Cycle, bool>>{{fills[0].first, false}, {last, true}, {completed, false}}));
    for (const auto& sm : rig.sms) {
      EXPECT_EQ(sm->sync_link()->next_start(), written + 1);
      EXPECT_EQ(sm->sync_link()->started(written + 1)->tbs, 30U);
      sm->sync_link()->take_start();
      EXPECT_EQ(sm->sync_link()->next_start(), kForever);
    }
  }
}

TEST(SyncHubs, TheFillEndsWhenNoSmHasRoom) {
  Agents agents(13);
  Hub hub;
  std::vector<std::pair<Cycle, bool>> fills;
  hub.see = [&](const HubIn& in) {
    if (fills.empty() || fills.back().second != in.filled) fills.emplace_back(in.now, in.filled);
  };
  Rig rig(load(), options(hub, agents));
  rig.service = 5000;
  // One TB per SM.
  const Ticket ticket = rig.submit(0, synchronising(Rig::kernel(rig.program("k", 16, 49152), 20, 64)), kSubmit);
  rig.run();
  std::vector<Cycle> placed;
  for (const auto& one : rig.log.of("placed")) placed.push_back(one.cycle);
  ASSERT_EQ(placed.size(), 20U);
  ASSERT_EQ(placed[12], placed[0] + 12);
  // A TB that retires frees resources, which are used in the same cycle.
  ASSERT_GT(placed[13], placed[12] + 4000);
  const Cycle completed = rig.log.cycle("completed", ticket);
  EXPECT_EQ(fills, (std::vector<std::pair<Cycle, bool>>{{0, false}, {placed[12], true}, {completed, false}}));
}

TEST(SyncHubs, HoldsAnEntryAsLongAsItSays) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.out.hold[0] = true;
    hub.see = [&](const HubIn& in) {
      if (in.now >= 4000) hub.out.hold.reset();
    };
    Rig rig(load(), options(hub, agents, every_cycle));
    const Ticket ticket = rig.submit(0, synchronising(Rig::kernel(rig.program("k"), 3, 32)), kSubmit);
    rig.run_until([&] { return rig.now >= 3000; });
    EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("held by the synchronisation hub"));
    rig.run();
    EXPECT_EQ(rig.log.cycle("completed", ticket), 4001U);
  }
}

TEST(SyncHubs, ASecondKernelThatSynchronisesWaitsInItsLaneUntilTheFirstIsComplete) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = true;
    std::vector<Cycle> launches;
    hub.see = [&](const HubIn& in) {
      if (in.launch) launches.push_back(in.now);
    };
    Rig rig(load(), options(hub, agents, every_cycle));
    rig.service = 5000;
    const ProgramHandle program = rig.program("k");
    const Ticket plain = rig.submit(2, Rig::kernel(program, 2, 32), kSubmit);
    const Ticket first = rig.submit(0, synchronising(Rig::kernel(program, 3, 32)), 200);
    const Ticket second = rig.submit(1, synchronising(Rig::kernel(program, 3, 32)), 600);
    rig.run_until([&] { return rig.now >= 3000; });
    const std::uint64_t ticks = rig.ticks;
    EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("waits in a parse lane until the kernel of entry"));
    rig.run_until([&] { return rig.now >= 4000; });
    EXPECT_TRUE(every_cycle || rig.ticks < ticks + 50) << "a lane that waits keeps the front end awake";
    rig.run();
    EXPECT_LT(rig.log.cycle("written", plain), rig.log.cycle("written", first));
    EXPECT_EQ(rig.log.cycle("written", second), rig.log.cycle("completed", first));
    EXPECT_EQ(launches, (std::vector<Cycle>{rig.log.cycle("written", first), rig.log.cycle("written", second)}));
  }
}

TEST(SyncHubs, IsToldOnceThatItsKernelWasStopped) {
  Agents agents(13);
  Hub hub;
  std::vector<Cycle> stops;
  hub.see = [&](const HubIn& in) {
    if (in.stopped) stops.push_back(in.now);
  };
  Rig rig(load(), options(hub, agents));
  rig.service = 5000;
  const ProgramHandle program = rig.program("k");
  const Ticket plain = rig.submit(2, Rig::kernel(program, 2, 32), kSubmit);
  rig.submit(0, synchronising(Rig::kernel(program, 3, 32)), kSubmit);
  Cycle faulted = 0;
  rig.before = [&](Cycle now) {
    if (faulted != 0 || now < 1500) return;
    faulted = now;
    for (unsigned entry = 0; entry < rig.front_end->table().size(); ++entry) {
      const KernelEntry& one = rig.front_end->table()[entry];
      if (one.state == EntryState::kFree || !one.context().synchronises) continue;
      rig.sms[0]->fault_now(one.context(), "stops", now);
    }
  };
  rig.pins.insert(1500);
  rig.run();
  ASSERT_NE(faulted, 0U);
  EXPECT_EQ(stops, std::vector<Cycle>{faulted + 1});
  EXPECT_GT(rig.log.cycle("completed", plain), faulted);
}

TEST(SyncHubs, TakesOnlyWhatItWantsAndSeesTheRestAgain) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = !every_cycle;
    std::vector<std::tuple<Cycle, unsigned, std::uint64_t>> taken;
    bool open = false;
    hub.decide = [&](const HubIn& in, HubOut& out) {
      out.take.reset();
      for (unsigned sm = 0; sm < in.up.size; ++sm) out.take[sm] = in.up[sm].has_value() && (open || sm == 2);
    };
    hub.see = [&](const HubIn& in) {
      for (unsigned sm = 0; sm < in.up.size; ++sm) {
        if (hub.out.take[sm]) taken.emplace_back(in.now, sm, in.up[sm]->word[0]);
      }
    };
    Rig rig(load(), options(hub, agents, every_cycle));
    rig.before = [&](Cycle now) {
      for (const unsigned sm : {2U, 7U}) {
        SyncLink& link = *rig.sms[sm]->sync_link();
        if (now != 100 && now != 101) continue;
        EXPECT_TRUE(link.can_send(now));
        rig.front_end->wake_at(link.send(sync_message(now), now));
        link.deliver();
      }
      open = now >= 500;
      if (now == 500) rig.front_end->wake_at(500);
    };
    for (const Cycle pin : {100, 101, 500}) rig.pins.insert(pin);
    rig.run_until([&] { return rig.now >= 1000; }, 1000);
    EXPECT_EQ(taken, (std::vector<std::tuple<Cycle, unsigned, std::uint64_t>>{
                         {120, 2, 100}, {121, 2, 101}, {500, 7, 100}, {501, 7, 101}}));
    EXPECT_TRUE(rig.front_end->idle());
  }
}

TEST(SyncHubs, MessagesInFlightKeepTheFrontEndFromResting) {
  Agents agents(13);
  Hub hub;
  hub.sleeps = true;
  Rig rig(load(), options(hub, agents));
  rig.run_until([&] { return rig.now >= 50; }, 50);
  EXPECT_TRUE(rig.front_end->rests());
  SyncLink& link = *rig.sms[4]->sync_link();
  ASSERT_TRUE(link.can_send(rig.now));
  rig.front_end->wake_at(link.send(sync_message(1), rig.now));
  link.deliver();
  EXPECT_FALSE(rig.front_end->rests());
  EXPECT_FALSE(rig.front_end->idle());
  const std::uint64_t progress = rig.front_end->progress();
  rig.run_until([&] { return rig.now >= 500; }, 500);
  // The message has arrived, and nobody takes it.
  EXPECT_TRUE(rig.front_end->rests());
  EXPECT_FALSE(rig.front_end->idle());
  EXPECT_EQ(rig.front_end->progress(), progress);
  WaitGraph graph;
  rig.front_end->waits(graph);
  EXPECT_THAT(graph.said(), testing::HasSubstr("sync_hub (block stub): has not taken messages of SMs 4\n"));
  rig.front_end->reset();
  EXPECT_TRUE(rig.front_end->idle());
}

TEST(SyncHubs, AMessageWithoutRoomIsCountedAndReported) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = true;
    hub.out.down = SyncDown{SmMask{}.set(3), sync_message(9)};
    unsigned sent = 0;
    hub.see = [&](const HubIn& in) { sent += in.room[3] ? 1 : 0; };
    Rig rig(load(), options(hub, agents, every_cycle));
    rig.run_until([&] { return rig.now >= 1000; }, 1000);
    EXPECT_EQ(sent, 22U);
    // Messages are sent in cycles 0 to 21, and blocked in 22 to 999.
    EXPECT_EQ(rig.statistic("front_end.sync_net.down_messages"), 22U);
    EXPECT_EQ(rig.statistic("front_end.sync_net.down_fill_max"), 22U);
    EXPECT_EQ(rig.statistic("front_end.sync_net.down_blocked"), rig.now - 22);
    EXPECT_EQ(rig.statistic("front_end.sync_net.broadcasts"), 0U);
    WaitGraph graph;
    rig.front_end->waits(graph);
    EXPECT_THAT(graph.said(), testing::HasSubstr("sync_hub (block stub): waits for room in its channels to SMs 3\n"));
  }
}

// --- Memory and registers --------------------------------------------------------------------------------------------

TEST(SyncHubs, HasTwoAccessesToMemoryWithWordsOfOneByte) {
  for (const bool every_cycle : {false, true}) {
    Agents agents(13);
    Hub hub;
    hub.sleeps = !every_cycle;
    std::uint64_t at = 0;
    std::vector<std::vector<std::uint32_t>> tags(2);
    hub.attached = [&](const HookSite& site) {
      ASSERT_NE(site.memory, nullptr);
      ASSERT_NE(site.second_memory, nullptr);
      ASSERT_NE(site.memory, site.second_memory);
      at = site.memory->allocate(256, "hub");
    };
    std::map<std::uint32_t, unsigned> values;
    hub.see = [&](const HubIn& in) {
      if (in.now == 0) {
        const std::uint8_t byte = 0x5a;
        const std::uint16_t half = 0x1234;
        hub.site().memory->write(at + 3, &byte, 1, 1);
        hub.site().memory->read(at + 3, 1, 2);
        hub.site().second_memory->write(at + 130, &half, 2, 3);
        hub.site().second_memory->read(at + 130, 2, 4);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        if (!in.reply[i]) continue;
        tags[i].push_back(in.reply[i]->tag);
        unsigned value = 0;
        std::memcpy(&value, in.reply[i]->data.data(), in.reply[i]->bytes);
        values[in.reply[i]->tag] = value;
      }
    };
    Rig rig(load(), options(hub, agents, every_cycle));
    rig.run_until([&] { return rig.now >= 1000; }, 1000);
    EXPECT_EQ(tags, (std::vector<std::vector<std::uint32_t>>{{1, 2}, {3, 4}}));
    EXPECT_EQ(values[2], 0x5aU);
    EXPECT_EQ(values[4], 0x1234U);
  }
}

/// Writes and reads of all widths, at the end of a line and elsewhere in it, through both accesses of the hub.
class WidthRun {
 public:
  WidthRun(unsigned line, bool every_cycle) : agents_(13), line_(line) {
    hub_.sleeps = !every_cycle;
    hub_.attached = [this](const HookSite& site) {
      for (std::uint64_t& at : at_) at = site.memory->allocate(kLines * line_, "hub");
    };
    hub_.see = [this](const HubIn& in) { see(in); };
    Rig::Options with = options(hub_, agents_, every_cycle);
    with.spread = 40;  // the memory answers accesses to different lines out of order
    const std::string bytes = std::to_string(line);
    rig_.emplace(load({"l2.line=" + bytes, "l1.line=" + bytes, "l2.bytes=" + std::to_string(10'240 * line)}), with);
    for (auto& bytes : bytes_) bytes.assign(kLines * line_, std::byte{0});
  }
  /// Makes all accesses and compares replies and memory with the bytes that were written.
  void run() {
    rig_->run_until([&] { return replies_[0] == tags_[0] && replies_[1] == tags_[1] && tags_[0] > line_; }, 100'000);
    EXPECT_EQ(replies_[0], 6 * line_);
    EXPECT_EQ(replies_[1], 6 * line_);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(std::memcmp(rig_->store.bytes(at_[i]), bytes_[i].data(), bytes_[i].size()), 0) << "access " << i;
    }
  }

 private:
  static constexpr std::uint64_t kLines = 8;

  void see(const HubIn& in) {
    if (in.now == 0) {
      for (unsigned width = 1; width <= line_; ++width) {
        for (std::size_t i = 0; i < 2; ++i) {
          access(i, line_ - width, width);  // up to the end of a line
          access(i, random_.below(line_ - width + 1), width);
        }
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (!in.reply[i]) continue;
      const MemoryReply& reply = *in.reply[i];
      EXPECT_EQ(reply.tag, replies_[i]++) << "replies of access " << i << " lose their order";
      const std::vector<std::byte>& expected = expected_[i][reply.tag];
      ASSERT_EQ(reply.bytes, expected.size());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), reply.data.begin())) << "tag " << reply.tag;
    }
  }
  // Reads the bytes, writes others, and reads these.
  void access(std::size_t i, std::uint64_t offset, unsigned width) {
    HookMemory& memory = i == 0 ? *hub_.site().memory : *hub_.site().second_memory;
    offset += random_.below(kLines) * line_;
    const auto read = [&] {
      const auto from = bytes_[i].begin() + static_cast<long>(offset);
      memory.read(at_[i] + offset, width, tags_[i]++);
      expected_[i].emplace_back(from, from + width);
    };
    read();
    std::vector<std::byte> data(width);
    for (std::byte& byte : data) byte = static_cast<std::byte>(random_.below(256));
    memory.write(at_[i] + offset, data.data(), width, tags_[i]++);
    expected_[i].emplace_back();
    std::copy(data.begin(), data.end(), bytes_[i].begin() + static_cast<long>(offset));
    read();
  }

  Agents agents_;
  Hub hub_;
  unsigned line_;
  std::optional<Rig> rig_;
  base::Xoshiro256 random_{11};
  std::uint64_t at_[2] = {0, 0};
  std::vector<std::byte> bytes_[2];                  // memory contents after the accesses made so far
  std::vector<std::vector<std::byte>> expected_[2];  // bytes of each reply
  std::uint32_t tags_[2] = {0, 0}, replies_[2] = {0, 0};
};

TEST(SyncHubs, AccessesHaveEveryWidthUpToALineAndStayInOrder) {
  for (const unsigned line : {64U, 128U}) {
    for (const bool every_cycle : {false, true}) WidthRun(line, every_cycle).run();
  }
}

TEST(SyncHubsDeathTest, AnAccessLiesInsideOneLine) {
  const auto read = [](std::uint64_t offset, unsigned bytes) {
    Agents agents(13);
    Hub hub;
    hub.attached = [=](const HookSite& site) {
      const std::uint64_t at = site.memory->allocate(256, "hub");
      site.second_memory->read(at + offset, bytes, 0);
    };
    const Rig rig(load(), options(hub, agents));
  };
  read(0, 128);
  read(127, 1);
  EXPECT_DEATH(read(0, 0), "not in one line");
  EXPECT_DEATH(read(0, 129), "not in one line");
  EXPECT_DEATH(read(127, 2), "not in one line");
  EXPECT_DEATH(read(1, 128), "not in one line");
}

TEST(SyncHubs, ServesItsRegisters) {
  Agents agents(13);
  Hub hub;
  hub.sleeps = true;
  hub.registers = 9;
  hub.decide = [](const HubIn& in, HubOut& out) {
    out.reg.reset();
    if (in.ev.reg) out.reg = RegisterReply{RegisterError::kNone, in.ev.reg->offset + 1};
  };
  Rig rig(load(), options(hub, agents));
  const std::uint64_t number = rig.front_end->access_register({9, false, 40, 0}, 100, true);
  rig.run_until([&] { return rig.now >= 200; }, 200);
  const auto reply = rig.front_end->register_reply(number);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->value, 41U);
}

// --- Rules -----------------------------------------------------------------------------------------------------------

void run_with(const std::function<void(const HubIn&, HubOut&)>& decide, const std::string& key = "run.sleep=1") {
  Agents agents(13);
  Hub hub;
  hub.decide = decide;
  Rig rig(load({key}), options(hub, agents));
  rig.step();
}

TEST(SyncHubsDeathTest, OutputsThatCannotBeAreTheBlocksFault) {
  EXPECT_HOOK_FAILS(run_with([](const HubIn&, HubOut& out) { out.take[5] = true; }),
                    "block stub: core cycle 0, sync_hub takes a message of SMs 5, from which none has arrived");
  EXPECT_HOOK_FAILS(run_with([](const HubIn&, HubOut& out) { out.down = SyncDown{}; }),
                    "sync_hub sends a message to no SM");
  EXPECT_HOOK_FAILS(run_with([](const HubIn&, HubOut& out) {
                      out.down = SyncDown{SmMask{}.set(13).set(2), sync_message(1)};
                    }),
                    "sync_hub sends a message to SMs that the machine does not have: 13");
  EXPECT_HOOK_FAILS(run_with([](const HubIn& in, HubOut& out) { out.hold[0] = in.room.any(); }, "run.sleep=0"),
                    "sync_hub changes hold, down or done after settle");
  const auto down = [](unsigned sm, std::uint64_t value) { return SyncDown{SmMask{}.set(sm), sync_message(value)}; };
  EXPECT_HOOK_FAILS(run_with([&](const HubIn& in, HubOut& out) { out.down = down(2, in.room.any()); }, "run.sleep=0"),
                    "sync_hub changes hold, down or done after settle");
  EXPECT_HOOK_FAILS(run_with([&](const HubIn& in, HubOut& out) { out.down = down(in.room.any(), 1); }, "run.sleep=0"),
                    "sync_hub changes hold, down or done after settle");
}

void expect_refused(const Hooks& hooks, const std::string& words) {
  try {
    (void)checked(load(), hooks);
    ADD_FAILURE() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(words));
  }
}

TEST(SyncHubs, NeedAnAgentInEverySmAndAgentsAHub) {
  Hub hub;
  Agents agents(13), few(12);
  EXPECT_NO_THROW((void)checked(load(), hooks(hub, agents)));
  expect_refused(hooks(hub, few), "SyncAgent is plugged into 12 SMs of 13");
  Hooks alone;
  alone.hub = &hub;
  expect_refused(alone, "only the hub is plugged in");
  Hooks without;
  without.agents = agents.list;
  expect_refused(without, "only agents are plugged in");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_sync_test

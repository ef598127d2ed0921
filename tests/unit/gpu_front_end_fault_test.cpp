// Tests of faults, calls into the runtime, exhausted memory, abandoned work, reports of waiting kernels; and of the
// memory client.
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_fault_test {
namespace {

using test::load;
using test::Logged;
using test::Rig;

constexpr Cycle kSubmit = 10;

std::size_t count(const std::vector<Logged>& events, std::uint64_t ticket) {
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [&](const Logged& event) { return event.a == ticket; }));
}

// --- Faults
// -----------------------------------------------------------------------------------------------------------

TEST(FrontEndFaults, FaultingKernelIsKilledOnAllSmsAndOthersGoOn) {
  Rig rig(load(), {});
  rig.service = 5000;
  const ProgramHandle program = rig.program("k", 16, 16384);  // three per SM
  const Ticket bad = rig.submit(0, Rig::kernel(program, 200, 32), kSubmit);
  const Ticket next = rig.submit(0, Rig::kernel(program, 1, 32), kSubmit);
  const Ticket good = rig.submit(1, Rig::kernel(rig.program("good"), 20, 32), kSubmit);
  rig.pins = {600};
  rig.before = [&](Cycle now) {
    if (now == 600) rig.sms[4]->fault_now(rig.front_end->table()[0].context(), "bad load", now);
  };
  rig.run();
  ASSERT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
  // The front end sees the fault in cycle 601, and SMs stop their TBs in 602. One TB retires per SM and cycle.
  EXPECT_EQ(count(rig.log.of("placed"), bad), 39U);
  for (const Logged& event : rig.log.of("retired")) {
    EXPECT_TRUE(event.a != bad || event.cycle <= 602 + 2) << event;
  }
  EXPECT_EQ(rig.statistic("front_end.tb_dropped"), 161U);
  EXPECT_EQ(rig.statistic("front_end.kernels_stopped"), 1U);
  EXPECT_EQ(count(rig.log.of("retired"), good), 20U);
  EXPECT_EQ(count(rig.log.of("retired"), next), 1U);
  EXPECT_TRUE(rig.front_end->host().shown(bad));
  const auto fault = rig.front_end->faults().take();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::kTrap);
  EXPECT_EQ(fault->message, "bad load");
  EXPECT_FALSE(rig.front_end->faults().take().has_value());
}

TEST(FrontEndFaults, FirstFaultOfAKernelIsTheOneOfTheLowestSm) {
  for (const std::uint64_t shuffle : {0, 3, 4}) {
    Rig::Options options;
    options.shuffle = shuffle;
    Rig rig(load(), options);
    rig.service = 5000;
    rig.submit(0, Rig::kernel(rig.program("a"), 26, 32), kSubmit);
    rig.submit(1, Rig::kernel(rig.program("b"), 26, 32), kSubmit);
    rig.pins = {600};
    rig.before = [&](Cycle now) {
      if (now != 600) return;
      for (const unsigned sm : {7U, 2U, 11U}) {
        rig.sms[sm]->fault_now(rig.front_end->table()[0].context(), "a on " + std::to_string(sm), now);
        rig.sms[sm]->fault_now(rig.front_end->table()[1].context(), "b on " + std::to_string(sm), now);
      }
    };
    rig.run();
    std::vector<std::string> messages;
    while (const auto fault = rig.front_end->faults().take()) messages.push_back(fault->message);
    EXPECT_THAT(messages, testing::ElementsAre("a on 2", "b on 2"));
  }
}

TEST(FrontEndFaults, TbOnItsWayWhenItsKernelIsKilledLeavesToo) {
  // The fault becomes visible in the cycle after a placement: the TB's start and the kill reach the SM in the same
  // cycle.
  for (Cycle at = 290; at < 310; ++at) {
    Rig rig(load(), {});
    rig.service = 100'000;
    const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 300, 32), kSubmit);
    rig.pins = {at + 5};
    rig.before = [&](Cycle now) {
      if (now == at + 5) rig.sms[0]->fault_now(rig.front_end->table()[0].context(), "stop", now);
    };
    rig.run(5000);
    EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
    EXPECT_EQ(count(rig.log.of("placed"), ticket), count(rig.log.of("retired"), ticket));
  }
}

TEST(FrontEndFaults, PolicyIsRidOfAStoppedKernelByOffersThatAreDropped) {
  /// Dispatch policy: first come, first served, position by position, on any SM.
  class Policy : public DispatchPolicy {
   public:
    void attach(const HookSite& /*site*/) override {}
    void reset() override {}
    [[nodiscard]] Cycle quiet() const override { return 0; }
    void idle(Cycle /*n*/) override {}
    const DispatchOut& settle(const DispatchIn& in) override {
      out.place.reset();
      if (tbs > next && (*in.fits)[kd]) {
        Placement placement;
        placement.kd = kd;
        placement.position = next;
        out.place = placement;
      }
      return out;
    }
    void clock(const DispatchIn& in) override {
      if (in.taken) ++next;
      if (in.push) {
        kd = in.push->kd;
        tbs = in.push->tbs;
        next = 0;
      }
      if (in.ev.placed) ++placed;
      if (in.ev.done) ++done;
      retired += static_cast<unsigned>(in.ev.retired.size);
    }
    DispatchOut out;
    std::uint16_t kd = 0;
    std::uint32_t tbs = 0, next = 0;
    unsigned placed = 0, done = 0, retired = 0;
  } policy;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  rig.service = 100'000;
  rig.submit(0, Rig::kernel(rig.program("k", 16, 16384), 100, 32), kSubmit);
  rig.pins = {600};
  rig.before = [&](Cycle now) {
    if (now == 600) rig.sms[4]->fault_now(rig.front_end->table()[0].context(), "stop", now);
  };
  rig.run(5000);
  EXPECT_TRUE(rig.front_end->idle()) << rig.front_end->waiting();
  EXPECT_EQ(policy.next, 100U);
  EXPECT_EQ(policy.placed, 100U);
  EXPECT_EQ(policy.done, 100U);
  EXPECT_EQ(policy.retired, 100U);
  EXPECT_EQ(count(rig.log.of("started"), 1), 39U);
  EXPECT_EQ(rig.statistic("front_end.tb_dropped"), 61U);
}

TEST(FrontEndFaults, CallsIntoTheRuntimeAreServedInTheOrderOfSms) {
  for (const std::uint64_t shuffle : {0, 5, 6}) {
    Rig::Options options;
    options.shuffle = shuffle;
    Rig rig(load(), options);
    std::string printed;
    DeviceServices services;
    services.print = [&](std::string_view text) { printed += text; };
    rig.front_end->faults().set_services(services);
    rig.service = 3000;
    const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 26, 32), kSubmit);
    std::vector<Cycle> resumes;
    unsigned without_effect = 0;
    for (const auto& sm : rig.sms) {
      sm->on_serve = [&](unsigned index, unsigned warp, DeviceServices* given, Cycle resume) -> std::optional<Fault> {
        if (given == nullptr) {
          ++without_effect;
          return std::nullopt;
        }
        given->print("sm" + std::to_string(index) + "w" + std::to_string(warp) + " ");
        resumes.push_back(resume);
        if (index != 9) return std::nullopt;
        Fault fault;
        fault.kind = FaultKind::kAssert;
        fault.message = "assertion";
        return fault;
      };
    }
    rig.pins = {600};
    rig.before = [&](Cycle now) {
      if (now != 600) return;
      for (const unsigned sm : {9U, 12U, 1U}) {
        rig.sms[sm]->ask_now(rig.front_end->table()[0].context(), 3, now);
        rig.sms[sm]->ask_now(rig.front_end->table()[0].context(), 1, now);
      }
    };
    rig.run();
    // The assertion of SM 9 stops the kernel: later calls are answered without effect.
    EXPECT_EQ(printed, "sm1w3 sm1w1 sm9w3 ");
    EXPECT_EQ(without_effect, 3U);
    EXPECT_THAT(resumes, testing::Each(602U));
    EXPECT_LT(rig.log.cycle("completed", ticket), 700U);
    EXPECT_EQ(rig.front_end->faults().take()->kind, FaultKind::kAssert);
  }
}

TEST(FrontEndFaults, LaunchWithoutDeviceMemoryFailsAndItsQueueGoesOn) {
  Rig rig(load({"memory.bytes=256MiB"}), {});
  // 8 KB of local memory for each thread that can be resident do not fit.
  const Ticket bad = rig.submit(0, Rig::kernel(rig.program("hungry", 16, 0, 16, 8192), 10, 1024), kSubmit);
  const Ticket good = rig.submit(0, Rig::kernel(rig.program("good"), 4, 32), kSubmit);
  rig.run();
  EXPECT_TRUE(rig.front_end->idle());
  EXPECT_EQ(count(rig.log.of("placed"), bad), 0U);
  EXPECT_EQ(count(rig.log.of("placed"), good), 4U);
  const auto fault = rig.front_end->faults().take();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::kStackOverflow);
  EXPECT_THAT(fault->message, testing::HasSubstr("no device memory left for the local memory of kernel hungry"));
  EXPECT_EQ(rig.store.used(AllocationKind::kParameters), 0U);
}

// --- Context of a launch
// ----------------------------------------------------------------------------------------------

TEST(FrontEndContext, HoldsTheRoundedNeedTheParametersAndLocalMemoryAndGivesThemBack) {
  Rig rig(load(), {});
  rig.service = 1000;
  auto packet = Rig::kernel(rig.program("k", 33, 1000, 24, 100), 3, 100, 25);
  packet.grid = {1, 3, 1};
  for (unsigned i = 0; i < 24; ++i) packet.parameters.push_back(static_cast<std::byte>(i + 1));
  const Ticket ticket = rig.submit(5, packet, kSubmit);
  rig.run_until([&] { return rig.now >= 400; });
  const KernelEntry& entry = rig.front_end->table()[0];
  const KernelContext& context = entry.context();
  EXPECT_EQ(context.ticket, ticket);
  EXPECT_EQ(context.queue, 5U);
  EXPECT_EQ(context.grid.y, 3U);
  EXPECT_EQ(context.block.x, 100U);
  EXPECT_EQ(context.shared_bytes, 1025U);
  EXPECT_EQ(context.dynamic_shared, 25U);
  // 4 warps; 33 x 32 = 1056 registers per warp are 5 units of 256; 1025 bytes are 5 units of 256.
  EXPECT_EQ(context.need.warps, 4U);
  EXPECT_EQ(context.need.threads, 128U);
  EXPECT_EQ(context.need.reg_units, 20U);
  EXPECT_EQ(context.need.smem_units, 5U);
  EXPECT_EQ(context.fit, 12U);  // 256 units of registers / 20
  EXPECT_EQ(context.written, kSubmit + 284);
  EXPECT_EQ(std::memcmp(rig.store.host(context.parameters), packet.parameters.data(), 24), 0);
  EXPECT_TRUE(rig.store.find(context.parameters)->read_only);
  EXPECT_EQ(context.local_stride, 100U * 32);
  EXPECT_TRUE(rig.store.contains(context.local_base, 13ULL * 16 * 4 * 3200));
  EXPECT_EQ(context.code_base % 8, 0U);
  EXPECT_EQ(rig.store.find(context.code_base)->kind, AllocationKind::kCode);
  rig.run();
  EXPECT_EQ(rig.store.used(AllocationKind::kParameters), 0U);
  EXPECT_EQ(rig.store.used(AllocationKind::kLocal), 0U);
}

TEST(FrontEndContext, TwoHundredRandomFootprintsFillAnSmAsTheHandFormulaSays) {
  const std::uint64_t seed = 24;
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Xoshiro256 random(seed);
  for (unsigned i = 0; i < 200; ++i) {
    const auto threads = 1 + static_cast<unsigned>(random.below(1024));
    const auto registers = 1 + static_cast<unsigned>(random.below(64));
    const auto shared = static_cast<unsigned>(random.below(2) * random.below(49152));
    const unsigned warps = (threads + 31) / 32, units = warps * ((registers * 32 + 255) / 256);
    unsigned fit = std::min({16U, 64U / warps, 2048U / (32 * warps), 256U / units});
    if (shared != 0) fit = std::min(fit, 192U / ((shared + 255) / 256));
    if (fit == 0) continue;
    Rig rig(load({"chip.sms=1"}), {});
    rig.service = 1000;
    rig.submit(0, Rig::kernel(rig.program("k", registers, shared), 20, threads), kSubmit);
    rig.run_until([&] { return rig.now >= 1000; });
    EXPECT_EQ(rig.log.of("placed").size(), fit) << threads << " " << registers << " " << shared;
    EXPECT_EQ(rig.front_end->table()[0].context().fit, fit);
  }
}

// --- Abandoned work and reports
// ---------------------------------------------------------------------------------------

TEST(FrontEndAbandon, DropsAllAndWorksAgain) {
  for (Cycle at = 1; at < 900; at += 37) {
    for (const char* const machine : {"kepler_k20c_study", "gcn_apu"}) {
      Rig rig(load({"parse.latency=100"}, machine), {});
      rig.service = 400;
      const ProgramHandle program = rig.program("k", 16, 0, 8, 16);
      std::vector<std::byte> bytes(4096);
      const std::uint64_t buffer = rig.store.allocate(4096, AllocationKind::kHeap).value();
      CopyPacket copy;
      copy.source = static_cast<const std::byte*>(bytes.data());
      copy.destination = buffer;
      copy.width = 4096;
      for (unsigned queue = 0; queue < 6; ++queue) {
        rig.submit(queue, Rig::kernel(program, 100, 64), kSubmit + 20 * queue);
        rig.submit(queue, copy, kSubmit + 20 * queue);
        rig.submit(queue, Rig::kernel(program, 3, 64), kSubmit + 20 * queue);
        rig.submit(queue + 6, EventWaitPacket{1, 1}, kSubmit);
        rig.submit(queue + 12, copy, kSubmit);
      }
      rig.run_until([&] { return rig.now >= at; });
      rig.front_end->abandon();
      rig.run();
      ASSERT_TRUE(rig.front_end->idle()) << "abandoned in " << at << "\n" << rig.front_end->waiting();
      EXPECT_EQ(rig.store.used(AllocationKind::kParameters), 0U);
      EXPECT_EQ(rig.store.used(AllocationKind::kLocal), 0U);
      const Ticket again = rig.submit(3, Rig::kernel(program, 3, 64), rig.now + 1);
      rig.run();
      EXPECT_TRUE(rig.front_end->host().shown(again));
      EXPECT_EQ(count(rig.log.of("retired"), again), 3U);
      EXPECT_EQ(rig.front_end->waiting(), "");
    }
  }
}

TEST(FrontEndReport, NamesWhatEveryKernelAndQueueWaitsFor) {
  Rig rig(load({"chip.sms=2", "table.entries=2"}), {});
  rig.service = 100'000;
  rig.submit(0, Rig::kernel(rig.program("big", 16, 49152), 5, 32), kSubmit);
  rig.submit(1, Rig::kernel(rig.program("behind"), 5, 32), kSubmit);
  rig.submit(2, Rig::kernel(rig.program("late"), 5, 32), kSubmit);
  rig.submit(0, EventRecordPacket{1, 1}, kSubmit);
  rig.run_until([&] { return rig.now >= 2000; });
  const std::string text = rig.front_end->waiting();
  EXPECT_THAT(text, testing::HasSubstr(
                        "kernel big (ticket 1, entry 0, queue 0): 3 TBs not placed, 2 placed and not "
                        "complete; no SM has the free resources: SM 0 lacks shared memory, SM 1 lacks shared memory"));
  EXPECT_THAT(text, testing::HasSubstr("kernel behind (ticket 2, entry 1, queue 1): 5 TBs not placed, 0 placed and not "
                                       "complete; behind kernel big of entry 0"));
  EXPECT_THAT(text, testing::HasSubstr("queue 2: 1 packets, head kernel (ticket 3) waits for a kernel table entry"));
  EXPECT_THAT(text,
              testing::HasSubstr("queue 0: 1 packets, head event record (ticket 4) waits for the kernel or copy"));
}

// --- Memory client
// ----------------------------------------------------------------------------------------------------

class Port final : public sc_core::sc_module, public Unit {
 public:
  Port(const sc_core::sc_module_name& name, const Machine& machine, base::StatisticGroup& group)
      : sc_module(name), port("port", *this, machine.xbar.fifo_flits), memory(machine, port, group) {}
  void tick(Cycle now) override {
    memory.step(now);
    sleep_until(memory.next(now));
  }
  InitiatorPort port;
  FrontEndMemory memory;
};

TEST(FrontEndMemory, RepliesOfAClientKeepItsOrderAndSixteenAreOutstanding) {
  using User = FrontEndMemory::User;
  const std::uint64_t seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const bool every_cycle : {false, true}) {
    const Machine machine = load();
    Store store({machine.memory.bytes, false});
    base::StatisticGroup group("test");
    test::StubMemory stub("stub", machine, store, 30, 90);
    Port unit("unit", machine, group);
    connect(unit.port, *stub.ports[0]);
    base::Xoshiro256 random(seed);
    const std::uint64_t base = store.allocate(1 << 16, AllocationKind::kHeap).value();
    for (std::uint64_t i = 0; i < (1 << 16) / 8; ++i) std::memcpy(store.host(base + 8 * i), &i, 8);
    const User users[] = {User::kDescriptors, User::kDispatchPolicy, User::kPackets};
    std::map<User, std::deque<std::pair<std::uint32_t, std::uint64_t>>> expected;
    std::uint32_t tag = 0;
    std::size_t replies = 0;
    for (Cycle now = 0; now < 20'000 && replies < 600; ++now) {
      if (tag < 600 && now % 3 == 0) {
        const User user = users[random.below(3)];
        const std::uint64_t word = random.below((1 << 16) / 8);
        unit.memory.client(user).read(base + 8 * word, 8, tag);
        expected[user].emplace_back(tag++, word);
        unit.wake_at(now);
      }
      if (every_cycle || stub.wake() <= now) stub.tick(now);
      if (every_cycle || unit.wake() <= now) unit.tick(now);
      EXPECT_LE(unit.memory.outstanding(), 16U);
      for (const User user : users) {
        MemoryClient& client = unit.memory.client(user);
        while (client.has_reply(now)) {
          ASSERT_FALSE(expected[user].empty());
          const MemoryReply reply = client.reply();
          std::uint64_t value = 0;
          std::memcpy(&value, reply.data.data(), 8);
          EXPECT_EQ(reply.tag, expected[user].front().first);
          EXPECT_EQ(value, expected[user].front().second);
          expected[user].pop_front();
          client.pop();
          ++replies;
        }
      }
    }
    EXPECT_EQ(replies, 600U);
    EXPECT_TRUE(unit.memory.idle());
  }
}

TEST(FrontEndMemory, RequestsLeaveOnePerCycleInRoundRobinOverClients) {
  using User = FrontEndMemory::User;
  const Machine machine = load();
  Store store({machine.memory.bytes, false});
  base::StatisticGroup group("test");
  test::StubMemory stub("stub", machine, store, 1000, 0);
  Port unit("unit", machine, group);
  connect(unit.port, *stub.ports[0]);
  const std::uint64_t base = store.allocate(1 << 16, AllocationKind::kHeap).value();
  for (unsigned i = 0; i < 10; ++i) {
    unit.memory.client(User::kDispatchPolicy).read(base + 0x1000 + 128 * i, 4);
    unit.memory.client(User::kDescriptors).read(base + 0x2000 + 128 * i, 64);
    unit.memory.client(User::kPackets).write(base + 0x3000 + 128 * i, &base, 8);
  }
  for (Cycle now = 5; now < 100; ++now) {
    unit.tick(now);
    stub.tick(now);
  }
  ASSERT_EQ(stub.accesses.size(), 16U);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(stub.accesses[i].visible, 6U + i);
    const unsigned region[] = {0x2000, 0x3000, 0x1000};
    EXPECT_EQ(stub.accesses[i].line, base + region[i % 3] + 128 * (i / 3));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_fault_test

// Tests of the parse stage alone: from a queue to the table entry, and the fields that a launch gets in between.
#include "castor/gpu/front_end/parse_stage.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_parse_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

class ParseRig : public PartRig {
 public:
  explicit ParseRig(const std::vector<std::string>& keys = {}, const std::string& name = "kepler_k20c_study")
      : PartRig(load(keys, name)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group, 0),
        programs(machine.sm.lanes, &store),
        queues(machine, store),
        lanes(machine, store, memory.client(FrontEndMemory::User::kDescriptors)),
        part(machine, store, programs, queues, lanes, table, trees, nullptr) {}
  ProgramHandle program(unsigned registers = 16, unsigned shared = 0, unsigned parameters = 0, unsigned local = 0) {
    auto made = std::make_shared<isa::Program>();
    made->kernel = "p";
    made->registers = registers;
    made->shared_bytes = shared;
    made->parameter_bytes = parameters;
    made->local_bytes = local;
    made->code.resize(4);
    return programs.load(std::move(made));
  }
  void submit(unsigned queue, const KernelPacket& packet, Cycle visible) {
    const Ticket ticket = ++tickets;
    queues.push(queue, ticket, packet, visible, part.submitted(queue, packet, ticket, visible));
  }
  /// Runs one cycle and records its grants and entry writes.
  void cycle(Cycle now) {
    while (lanes.receive(now) != nullptr) {
    }
    const QueueMask before = queues.kernels();
    queues.advance(now);
    part.begin(queues.kernels(), before, now);
    const int queue = part.pick(false, false, now);
    if (queue >= 0 && lanes.can_start(now)) {
      ParseStage::Granted one = part.grant(static_cast<unsigned>(queue), now);
      granted.push_back({queue, now});
      if (one.fault) faults.push_back(std::move(*one.fault));
    }
    if (lanes.finished(now) != nullptr) written.push_back({part.write(now), now});
    memory.tick(now);
  }
  void run(Cycle from, Cycle to) {
    for (Cycle now = from; now < to; ++now) cycle(now);
  }
  Store store;
  MemoryRig memory;
  ProgramTable programs;
  Queues queues;
  ParseLanes lanes;
  ParseStage part;
  Ticket tickets = 0;
  std::vector<std::pair<int, Cycle>> granted;
  std::vector<std::pair<unsigned, Cycle>> written;
  std::vector<Fault> faults;
};

using Grants = std::vector<std::pair<int, Cycle>>;

TEST(ParseStage, AnEntryIsWrittenMaxOneLatencyCyclesAfterTheGrant) {
  for (const Cycle latency : {0U, 1U, 40U, 283U}) {
    ParseRig rig({"parse.latency=" + std::to_string(latency)});
    rig.submit(3, test::Rig::kernel(rig.program(), 7, 64), 10);
    rig.run(10, 400);
    EXPECT_EQ(rig.granted, (Grants{{3, 11}}));
    ASSERT_EQ(rig.written.size(), 1U);
    EXPECT_EQ(rig.written[0].first, 0U);
    // A read takes some cycles even from a memory without latency.
    if (latency != 1) {
      EXPECT_EQ(rig.written[0].second, 11 + std::max<Cycle>(latency, 1));
    }
    const KernelEntry& entry = rig.table[0];
    EXPECT_EQ(entry.state, EntryState::kWritten);
    EXPECT_EQ(entry.sequencer.left(), 7U);
    EXPECT_EQ(entry.context().queue, 3U);
    EXPECT_EQ(entry.context().ticket, 1U);
    EXPECT_EQ(entry.context().block.x, 64U);
    EXPECT_EQ(entry.context().need.warps, 2U);
    EXPECT_EQ(entry.context().written, rig.written[0].second);
    EXPECT_EQ(rig.queues.state(3), QueueState::kBlocked);
    EXPECT_EQ(rig.trees.open_launches(), 1U);
  }
}

TEST(ParseStage, GrantsGoAroundTheQueuesAnIntervalApart) {
  ParseRig rig({"parse.latency=50", "parse.interval=3"});
  const ProgramHandle program = rig.program();
  for (const unsigned queue : {9U, 4U, 20U}) rig.submit(queue, test::Rig::kernel(program, 1, 32), 10);
  rig.run(10, 100);
  EXPECT_EQ(rig.granted, (Grants{{4, 11}, {9, 14}, {20, 17}}));
  EXPECT_EQ(rig.written, (std::vector<std::pair<unsigned, Cycle>>{{0, 61}, {1, 64}, {2, 67}}));
}

TEST(ParseStage, WithoutAFreeEntryNothingIsGranted) {
  ParseRig rig({"parse.latency=5", "table.entries=1"});
  const ProgramHandle program = rig.program();
  rig.submit(4, test::Rig::kernel(program, 1, 32), 10);
  rig.submit(5, test::Rig::kernel(program, 1, 32), 10);
  rig.run(10, 50);
  EXPECT_EQ(rig.granted, (Grants{{4, 11}}));
  EXPECT_FALSE(rig.part.entry_free(50));
  EXPECT_EQ(rig.part.next(rig.queues.kernels(), false, 49), kForever);
  rig.table.place(0, 50);
  rig.table.count(0);
  static_cast<void>(rig.table.release(0, 50));
  rig.run(50, 60);
  EXPECT_EQ(rig.granted.back(), std::make_pair(5, Cycle{51}));
}

TEST(ParseStage, WithQueuesInMemoryAKernelTakesItsQueuesEntry) {
  ParseRig rig({"parse.latency=20", "parse.select_scan=0"}, "gcn_apu");
  ASSERT_GE(rig.machine.table.entries, rig.machine.queue.count);
  rig.submit(77, test::Rig::kernel(rig.program(), 1, 64), 10);
  rig.run(10, 60);
  EXPECT_EQ(rig.written, (std::vector<std::pair<unsigned, Cycle>>{{77, 31}}));
}

TEST(ParseStage, TheLaunchGetsItsParametersAndLocalMemory) {
  ParseRig rig({"parse.latency=20"});
  KernelPacket packet = test::Rig::kernel(rig.program(33, 1000, 24, 100), 3, 100, 25);
  for (unsigned i = 0; i < 24; ++i) packet.parameters.push_back(static_cast<std::byte>(i + 1));
  rig.submit(5, packet, 10);
  rig.run(10, 40);
  const KernelContext& context = rig.table[0].context();
  EXPECT_EQ(context.shared_bytes, 1025U);
  EXPECT_EQ(context.dynamic_shared, 25U);
  EXPECT_EQ(context.need.reg_units, 20U);
  EXPECT_EQ(context.need.smem_units, 5U);
  EXPECT_EQ(std::memcmp(rig.store.host(context.parameters), packet.parameters.data(), 24), 0);
  EXPECT_TRUE(rig.store.find(context.parameters)->read_only);
  EXPECT_EQ(context.local_stride, 100U * 32);
  EXPECT_TRUE(rig.store.contains(context.local_base, 13ULL * 16 * 4 * 3200));
  EXPECT_TRUE(rig.faults.empty());
}

TEST(ParseStage, WithoutDeviceMemoryTheLaunchSaysWhatItLacksAndStillTakesItsLane) {
  ParseRig rig({"parse.latency=20", "memory.bytes=256MiB"});
  rig.submit(5, test::Rig::kernel(rig.program(16, 0, 0, 8192), 10, 1024), 10);
  rig.run(10, 40);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].kind, FaultKind::kStackOverflow);
  EXPECT_THAT(rig.faults[0].message, testing::HasSubstr("no device memory left for the local memory of kernel p"));
  EXPECT_EQ(rig.written.size(), 1U);
}

TEST(ParseStage, NextIsTheFirstCycleInWhichALaneMayStart) {
  ParseRig rig({"parse.latency=50", "parse.interval=9"});
  const ProgramHandle program = rig.program();
  rig.submit(4, test::Rig::kernel(program, 1, 32), 10);
  rig.submit(5, test::Rig::kernel(program, 1, 32), 10);
  EXPECT_EQ(rig.part.next({}, false, 10), kForever);
  rig.run(10, 12);
  EXPECT_EQ(rig.part.next(rig.queues.kernels(), false, 11), 20U);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_parse_test

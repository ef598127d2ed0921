#include <vector>

#include "castor/gpu/sm/scoreboard.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of pending registers: write slots, the tick in which an instruction is clear, and outstanding memory accesses
// of a warp.

namespace castor::gpu::gpu_sm_scoreboard_test {
namespace {

using namespace test;

struct Bench {
  explicit Bench(const std::vector<std::string>& overrides = {})
      : machine(part_machine(overrides)),
        pipelines(machine, wheel, pipeline_counters),
        board(machine, pipelines, wheel) {}

  /// Runs to `end`; events go to the scoreboard, with `head` as the head of every warp's buffer.
  void run(Tick end, const Decoded* head = nullptr) {
    for (; tick < end; ++tick) {
      (void)wheel.take(tick, [&](const SmEvent& event) {
        events.push_back({tick, event});
        board.written(event.warp, event, tick, head);
      });
    }
  }
  struct Happened {
    Tick tick;
    SmEvent event;
  };

  Machine machine;
  EventWheel wheel;
  PipelineCounters pipeline_counters;
  Pipelines pipelines;
  Scoreboard board;
  Tick tick = 0;
  std::vector<Happened> events;
};

Decoded instruction(Code code) {
  static const Machine machine = part_machine();
  const isa::Program program = std::move(code.program);
  return DecodedProgram(machine, program).code.front();
}

TEST(Scoreboard, RegisterIsClearBehindItsWriteSlot) {
  Bench bench;
  const Decoded reads = instruction(Code().add(9, 4, 5));
  bench.board.start(0);
  bench.board.judge(0, reads);
  EXPECT_EQ(bench.board.clear(), 1U);
  bench.board.expect_write(0, 4, 10, 20);
  bench.board.judge(0, reads);
  EXPECT_EQ(bench.board.clear(), 0U);
  EXPECT_EQ(bench.board.waits_load(), 0U);
  EXPECT_TRUE(bench.board.pending(0, 4));
  bench.run(21, &reads);
  EXPECT_EQ(bench.board.clear(), 0U);
  bench.run(22, &reads);  // written in 20, clear in 21
  EXPECT_EQ(bench.board.clear(), 1U);
  EXPECT_FALSE(bench.board.pending(0, 4));
}

// A bank takes one write per tick; bank = (register + warp slot) mod rf.banks.
TEST(Scoreboard, WritesOfOneBankTakeOneTickEach) {
  Bench bench;
  const unsigned banks = bench.machine.rf.banks;
  for (unsigned i = 0; i < 5; ++i) bench.board.expect_write(i, 3 + banks - i, 0, 40);
  bench.board.expect_write(0, 4, 0, 40);  // another bank
  bench.run(60);
  ASSERT_EQ(bench.events.size(), 6U);
  std::vector<unsigned> at(46);
  for (const auto& happened : bench.events) ++at[happened.tick];
  EXPECT_EQ(at[41], 2U);
  for (unsigned i = 1; i < 5; ++i) EXPECT_EQ(at[41 + i], 1U);
}

TEST(Scoreboard, DataOfALoadComeWithItsFirstWrite) {
  Bench bench;
  const Decoded load = instruction(Code().load(4, 0, isa::Space::kGlobal, 2));
  auto* const operation = reinterpret_cast<MemoryOperation*>(0x40);  // never dereferenced
  bench.board.start(2);
  bench.board.memory_issued(2, load, {});
  EXPECT_EQ(bench.board.loads(2), 1U);
  EXPECT_EQ(bench.board.memory_busy(), 4U);
  bench.board.expect_write(2, 4, 0, 30);  // takes the slot of the first register
  bench.board.expect_load(2, load, 1, 30, *operation);
  std::vector<Bench::Happened> events;
  for (Tick tick = 1; tick < 40; ++tick) {
    (void)bench.wheel.take(tick, [&](const SmEvent& event) { events.push_back({tick, event}); });
  }
  ASSERT_EQ(events.size(), 3U);
  const auto& first = events[events[0].event.kind == SmEvent::Kind::kLoaded ? 0 : 1];
  const auto& last = events[2];
  EXPECT_EQ(first.tick, 31U);
  EXPECT_EQ(first.event.kind, SmEvent::Kind::kLoaded);
  EXPECT_EQ(first.event.operation, operation);
  EXPECT_EQ(first.event.registers, 2U);  // register 5
  EXPECT_EQ(last.tick, 32U);
  EXPECT_EQ(last.event.kind, SmEvent::Kind::kLoaded);
  EXPECT_EQ(last.event.operation, nullptr);
  EXPECT_EQ(last.event.registers, 1U);
  bench.board.load_done(2);
  EXPECT_EQ(bench.board.memory_busy(), 0U);
}

TEST(Scoreboard, HeadThatReadsWhatALoadWritesWaitsForIt) {
  Bench bench;
  const Decoded load = instruction(Code().load(4, 0));
  const Decoded reads = instruction(Code().add(9, 4, 5));
  bench.board.memory_issued(1, load, {});
  bench.board.judge(1, reads);
  EXPECT_EQ(bench.board.waits_load(), 2U);
  bench.board.expect_write(1, 5, 0, 3);
  bench.board.forget(1, 4);
  bench.board.changed(1, &reads);
  EXPECT_EQ(bench.board.clear(), 0U);
  EXPECT_EQ(bench.board.waits_load(), 0U);  // only arithmetic is left
}

TEST(Scoreboard, PredicatesAreWrittenWithoutASlot) {
  Bench bench;
  Decoded compare;
  compare.predicates_written = compare.predicates = 2;
  const Decoded guarded = instruction(Code().exit(if_true(1)));
  bench.board.expect_writes(0, compare, 0, 7, nullptr);
  bench.board.judge(0, guarded);
  EXPECT_EQ(bench.board.clear(), 0U);
  EXPECT_EQ(bench.board.pending_predicates(0), 2U);
  bench.run(8, &guarded);
  EXPECT_EQ(bench.board.clear(), 0U);
  bench.run(9, &guarded);
  EXPECT_EQ(bench.board.clear(), 1U);
}

TEST(Scoreboard, StoresAreUnderWayUntilEachLineIsAcknowledged) {
  Bench bench;
  const Decoded store = instruction(Code().store(4, 0));
  bench.board.memory_issued(3, store, {2, false});
  EXPECT_EQ(bench.board.unacknowledged(3), 2U);
  bench.board.acknowledged(3);
  EXPECT_EQ(bench.board.memory_busy(), 8U);
  bench.board.acknowledged(3);
  EXPECT_EQ(bench.board.memory_busy(), 0U);
}

TEST(Scoreboard, WarpIsNotClearWhileItsInstructionComesBack) {
  Bench bench;
  const Decoded store = instruction(Code().store(4, 0));
  const Decoded other = instruction(Code().add(10, 11, 12));
  bench.board.memory_issued(3, store, {1, true});
  bench.board.judge(3, other);
  EXPECT_EQ(bench.board.clear(), 0U);
  EXPECT_EQ(bench.board.held(), 8U);
  EXPECT_EQ(bench.board.waits_load(), 8U);
  bench.board.resume(3);
  EXPECT_EQ(bench.board.clear(), 8U);
  EXPECT_EQ(bench.board.waits_load(), 0U);
  // A new warp in the slot does not wait for the previous one.
  bench.board.memory_issued(3, store, {1, true});
  bench.board.start(3);
  bench.board.judge(3, other);
  EXPECT_EQ(bench.board.clear(), 8U);
}

TEST(Scoreboard, WarpThatEndsIsInFlightUntilItsLastRegisterIsWritten) {
  Bench bench;
  bench.board.stop(0);
  EXPECT_EQ(bench.board.in_flight(), 0U);
  bench.board.expect_write(0, 4, 0, 5);
  bench.board.expect_write(0, 5, 0, 9);
  bench.board.stop(0);
  EXPECT_EQ(bench.board.in_flight(), 1U);
  bench.run(10);
  EXPECT_EQ(bench.board.in_flight(), 1U);
  bench.run(11);
  EXPECT_EQ(bench.board.in_flight(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_scoreboard_test

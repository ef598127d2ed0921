// Tests that a thread block retires only when all its accesses have completed, also in shared memory
// (docs/gpu/closed-forms.md, "Closed forms", T15, and "Invariants", I13).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/timing/deviations.h"
#include "platform/timing/predictions.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::retire_test {
namespace {

using isa::MemoryKind;
using isa::Space;

/// Puts a shared address into %r3, so that the lanes of a warp access `ways` words of each bank.
std::string conflicting(unsigned ways) {
  const std::string k = std::to_string(ways);
  return "mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, " + k + "; div.u32 %r2, %r0, " + k +
         "; mov.u32 %r3, buf; mad.lo.u32 %r3, %r1, 128, %r3; mad.lo.u32 %r3, %r2, 4, %r3; mov.u32 %r4, 7;\n";
}
constexpr const char* kBuffer = ".shared .align 128 .b8 buf[4096];";

std::string repeated(const std::string& text, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i) all += text + "\n";
  return all;
}

class Retire : public ::testing::TestWithParam<std::string> {
 protected:
  // Rounds follow each other in the unit, one per tick.
  Retire()
      : rig(GetParam(), {"smem.round_ticks=1", "smem.conflict_ticks=1", "smem.replay_ticks=0", "smem.atomics=native",
                         "smem.atomic_ticks=1"}) {}

  /// Returns the ticks from the issue of the first of these instructions to the end of the thread block.
  long to_the_end(const std::string& body, MemoryKind kind) {
    const ProgramHandle kernel = rig.load(body + "ret;", 0, kBuffer);
    const std::uint32_t first = rig.memory_pcs(kernel, kind, Space::kShared).at(0);
    const Ticket ticket = rig.run(kernel, {}, {32});
    long start = -1;
    for (const Issued& one : rig.issues(ticket)) {
      if (one.pc == first && start < 0) start = static_cast<long>(one.cycle);
    }
    return static_cast<long>(rig.recorder.retired.back().cycle) - start;
  }

  Rig rig;
};

TEST_P(Retire, T15KernelEndsWhenItsLastSharedStoresArePerformed) {
  const Machine& m = rig.machine();
  struct Case {
    unsigned stores, ways;
  };
  for (const Case c : {Case{1, 32}, Case{2, 32}, Case{8, 32}, Case{8, 16}, Case{3, 24}}) {
    const std::string name = "T15 n=" + std::to_string(c.stores) + " k=" + std::to_string(c.ways);
    expect_closed_form(
        name, m, last_shared_store(m, c.stores, c.ways),
        to_the_end(conflicting(c.ways) + repeated("st.shared.u32 [%r3], %r4;", c.stores), MemoryKind::kStore));
  }
}

TEST_P(Retire, T15KernelEndsWhenItsLastSharedReductionIsPerformed) {
  const Machine& m = rig.machine();
  const std::string one_word = "mov.u32 %r3, buf; mov.u32 %r4, 7;\n";
  for (const unsigned n : {1U, 4U}) {
    expect_closed_form("T15 reductions n=" + std::to_string(n), m, last_shared_store(m, n, 32),
                       to_the_end(one_word + repeated("red.shared.add.u32 [%r3], %r4;", n), MemoryKind::kReduction));
  }
}

TEST_P(Retire, FenceWaitsForSharedStores) {
  const Machine& m = rig.machine();
  const ProgramHandle kernel = rig.load(
      conflicting(32) + repeated("st.shared.u32 [%r3], %r4;", 2) + "membar.gl; add.u32 %r5, %r4, 1; ret;", 0, kBuffer);
  const auto stores = rig.memory_pcs(kernel, MemoryKind::kStore, Space::kShared);
  const Ticket ticket = rig.run(kernel, {}, {32});
  // The fence ends in the tick in which the last store is performed, and the next instruction issues one tick later.
  EXPECT_EQ(rig.distance(ticket, stores[0], stores[1] + 2), rounded(m, last_shared_store(m, 2, 32) + 1));
}

TEST_P(Retire, PrefetchIsOverBeforeItsThreadBlockLeaves) {
  const ProgramHandle kernel = rig.load(repeated("prefetch.global.L1 [%rd0];", 4) + "ret;", 1);
  const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(128)});
  EXPECT_GT(static_cast<long>(rig.duration(ticket)), l2_hit(rig.machine(), 32));
}

INSTANTIATE_TEST_SUITE_P(Machines, Retire, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param; });

/// Two streams and one thread block slot: the second thread block gets the shared memory of the first.
class Successor : public ::testing::TestWithParam<std::string> {};

TEST_P(Successor, SeesNoStoreOfTheThreadBlockBefore) {
  Rig rig(GetParam(), {"chip.sms=1", "sm.tb_slots=1", "sm.tb_contexts=1", "table.entries=8", "parse.latency=1"});
  const std::uint64_t out = rig.buffer(4096);
  // The accesses that the first thread block has in flight take longer than the start of the second one.
  const ProgramHandle first = rig.load(conflicting(32) + repeated("st.shared.u32 [%r3], %r4;", 6) + "ret;", 0, kBuffer);
  const ProgramHandle second = rig.load(
      conflicting(32) + "ld.shared.u32 %r5, [%r3]; mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.u32 [%rd1], %r5; ret;", 1,
      kBuffer);
  std::vector<Ticket> tickets;
  for (unsigned i = 0; i < 4; ++i) {
    tickets.push_back(rig.submit(first, {}, {32}, {}, 0, 0));
    tickets.push_back(rig.submit(second, {}, {32}, {out + 128ULL * i}, 0, rig.machine().queue.count > 1 ? 1 : 0));
  }
  for (const Ticket ticket : tickets) rig.finish(ticket);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(rig.get<std::uint32_t>(out + 4ULL * i), 0U) << i;
}

INSTANTIATE_TEST_SUITE_P(Machines, Successor, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace castor::gpu::timing_test::retire_test

// Tests of shared memory: the cost of conflicts, replays and atomics, by the closed forms of docs/gpu/closed-forms.md,
// "Closed forms", T8, T19 and T20; and values that do not depend on the machine's implementation.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platform/timing/deviations.h"
#include "platform/timing/predictions.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::shared_test {
namespace {

using isa::MemoryKind;
using isa::Space;

/// Implementation of shared memory on a machine.
struct Way {
  const char* name;
  std::vector<std::string> keys;
};
const std::vector<Way> kWays = {
    {"own", {}},
    {"pipelined",
     {"smem.replay_ticks=0", "smem.round_ticks=2", "smem.conflict_ticks=2", "smem.atomics=native",
      "smem.atomic_ticks=3", "smem.atomic_latency=5"}},
    {"replayed",
     {"smem.replay_ticks=19", "smem.replay_rounds=1", "smem.round_ticks=1", "smem.conflict_ticks=1",
      "smem.atomics=loop", "smem.lock_ticks=40", "smem.retry_ticks=17"}},
    {"replayed_in_pairs",
     {"smem.replay_ticks=27", "smem.replay_rounds=2", "smem.round_ticks=2", "smem.conflict_ticks=1",
      "smem.bank_bytes=8", "smem.atomics=loop", "smem.lock_ticks=87", "smem.retry_ticks=40"}},
};

class Shared : public ::testing::TestWithParam<std::tuple<std::string, unsigned>> {
 protected:
  Shared() : rig(std::get<0>(GetParam()), kWays[std::get<1>(GetParam())].keys) {}
  Rig rig;
};

/// Returns PTX that puts an address into %r3 with which the lanes of a warp access `ways` rows of each bank.
std::string conflicting(const Machine& m, unsigned ways) {
  const std::string k = std::to_string(ways);
  const std::string row = std::to_string(m.smem.banks * m.smem.bank_bytes);
  return "mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, " + k + "; div.u32 %r2, %r0, " + k +
         "; mov.u32 %r3, buf; mad.lo.u32 %r3, %r1, " + row + ", %r3; mad.lo.u32 %r3, %r2, 4, %r3; mov.u32 %r4, 1;\n";
}
constexpr const char* kBuffer = ".shared .align 256 .b8 buf[16384];";

TEST_P(Shared, T8LoadCostsItsConflicts) {
  const Machine& m = rig.machine();
  for (const unsigned k : {1U, 2U, 3U, 4U, 8U, 16U, 32U}) {
    const ProgramHandle kernel =
        rig.load(conflicting(m, k) + "ld.shared.u32 %r5, [%r3]; add.u32 %r6, %r5, 1; st.global.u32 [%rd0], %r6; ret;",
                 1, kBuffer);
    const std::uint32_t load = rig.memory_pcs(kernel, MemoryKind::kLoad, Space::kShared).at(0);
    const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(4)});
    expect_closed_form("T8 k=" + std::to_string(k), m, rounded(m, shared_load(m, k)),
                       rig.distance(ticket, load, load + 1));
  }
}

TEST_P(Shared, T19AtomicsOnOneWordSerialise) {
  const Machine& m = rig.machine();
  for (const unsigned n : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const ProgramHandle kernel = rig.load(
        "mov.u32 %r3, buf; mov.u32 %r4, 1; atom.shared.add.u32 %r5, [%r3], %r4; add.u32 %r6, %r5, 1;\n"
        "mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.u32 [%rd1], %r6; ret;",
        1, kBuffer);
    const std::uint32_t atom = rig.memory_pcs(kernel, MemoryKind::kAtomic, Space::kShared).at(0);
    const std::uint64_t out = rig.buffer(128);
    const Ticket ticket = rig.run(kernel, {}, {n}, {out});
    expect_closed_form("T19 n=" + std::to_string(n), m, rounded(m, shared_atomic(m, n)),
                       rig.distance(ticket, atom, atom + 1));
    for (unsigned i = 0; i < n; ++i) EXPECT_EQ(rig.get<std::uint32_t>(out + 4ULL * i), i + 1);
  }
}

TEST_P(Shared, T20NothingBehindAReplayedInstructionIssues) {
  const Machine& m = rig.machine();
  for (const unsigned k : {2U, 3U, 8U, 32U}) {
    const ProgramHandle kernel =
        rig.load(conflicting(m, k) + "st.shared.u32 [%r3], %r4; add.u32 %r6, %r4, 1; ret;", 0, kBuffer);
    const std::uint32_t store = rig.memory_pcs(kernel, MemoryKind::kStore, Space::kShared).at(0);
    const Ticket ticket = rig.run(kernel, {}, {32});
    const long distance = rig.distance(ticket, store, store + 1);
    if (m.smem.replay_ticks != 0) {
      expect_closed_form("T20 k=" + std::to_string(k), m, rounded(m, replayed(m, k)), distance);
    } else if (k == 32) {
      EXPECT_LT(distance, shared_rounds(m, k));
    }
  }
}

// Warps write with conflicts, wait at a barrier, and read what other warps wrote.
TEST_P(Shared, BarrierOrdersReplayedStoresAndLoads) {
  const ProgramHandle kernel = rig.load(
      "mov.u32 %r0, %tid.x; mov.u32 %r3, buf; mad.lo.u32 %r1, %r0, 32, %r3; st.shared.u32 [%r1], %r0; bar.sync 0;\n"
      "xor.b32 %r2, %r0, 224; mad.lo.u32 %r4, %r2, 32, %r3; ld.shared.u32 %r5, [%r4];\n"
      "mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.u32 [%rd1], %r5; ret;",
      1, kBuffer);
  const std::uint64_t out = rig.buffer(1024);
  rig.run(kernel, {}, {256}, {out});
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(rig.get<std::uint32_t>(out + 4ULL * i), i ^ 224U) << i;
}

// All warps of several thread blocks on few words: nothing is lost, and every value is returned once.
TEST_P(Shared, AtomicsOfManyWarpsOnFewWords) {
  const unsigned threads = 256, words = 3;
  const ProgramHandle kernel = rig.load(
      "mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, 3; mov.u32 %r3, buf; mad.lo.u32 %r3, %r1, 4, %r3;\n"
      "atom.shared.add.u32 %r5, [%r3], 1; red.shared.add.u32 [%r3], 1000; bar.sync 0;\n"
      "ld.shared.u32 %r6, [%r3]; mad.wide.u32 %rd1, %r0, 4, %rd0; mov.u32 %r7, %ctaid.x;\n"
      "mad.wide.u32 %rd1, %r7, 2048, %rd1; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+1024], %r6; ret;",
      1, kBuffer);
  const std::uint64_t out = rig.buffer(4 * 2048);
  rig.run(kernel, {4}, {threads}, {out});
  for (unsigned block = 0; block < 4; ++block) {
    std::vector<std::vector<unsigned>> seen(words);
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint64_t at = out + 2048ULL * block + 4ULL * t;
      const unsigned count = threads / words + (t % words < threads % words ? 1 : 0);
      EXPECT_EQ(rig.get<std::uint32_t>(at + 1024), count * 1001);
      seen[t % words].push_back(rig.get<std::uint32_t>(at) % 1000);
    }
    for (auto& values : seen) {
      std::sort(values.begin(), values.end());
      for (unsigned i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i);
    }
  }
}

// A replayed access leaves the unit to other warps in between, and takes issue slots.
TEST(SharedReplays, OtherWarpsUseTheUnitMeanwhile) {
  const auto cycles = [](unsigned warps) {
    return in_child([warps] {
             Rig rig("kepler_k20c_study", {"smem.replay_ticks=30", "smem.replay_rounds=1"});
             const ProgramHandle kernel =
                 rig.load(conflicting(rig.machine(), 16) + "st.shared.u32 [%r3], %r4; st.shared.u32 [%r3], %r4; ret;",
                          0, kBuffer);
             const Ticket ticket = rig.run(kernel, {}, {32 * warps});
             return std::vector<std::uint64_t>{rig.duration(ticket)};
           })
        .at(0);
  };
  const std::uint64_t alone = cycles(1);
  EXPECT_GT(alone, 2U * 15 * 30);
  EXPECT_LT(cycles(16), alone * 3 / 2) << "16 warps take hardly longer than one";
}

INSTANTIATE_TEST_SUITE_P(Machines, Shared,
                         ::testing::Combine(::testing::ValuesIn(kMachines),
                                            ::testing::Range(0U, static_cast<unsigned>(kWays.size()))),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + kWays[std::get<1>(info.param)].name;
                         });

}  // namespace
}  // namespace castor::gpu::timing_test::shared_test

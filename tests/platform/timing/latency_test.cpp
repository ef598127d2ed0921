// Distances between dependent instructions of one warp on an idle machine, against the closed forms of
// docs/gpu/closed-forms.md, "Closed forms": T1, T4 to T11, T16, T21 and T22.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/timing/deviations.h"
#include "platform/timing/predictions.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::latency_test {
namespace {

using isa::MemoryKind;
using isa::TimingClass;

/// Numbers printed in the document, by machine in the order of kMachines; 0 = none.
const std::map<std::string, std::vector<long>> kPrinted = {
    {"T1", {9, 9, 6, 7, 7, 4}},
    {"T4", {0, 0, 1, 1, 1, 0}},
    {"T5", {41, 41, 86, 86, 24, 108}},
    {"T6", {183, 200, 207, 225, 203, 204}},
    {"T6 bypass", {0, 197, 0, 0, 0, 0}},
    {"T7", {307, 320, 333, 347, 323, 0}},
    {"T8 k=1", {32, 30, 28, 28, 24, 0}},
    {"T8 k=32", {63, 61, 59, 59, 55, 0}},
    {"T9 k=1", {0, 41, 0, 0, 0, 0}},
    {"T10", {182, 199, 209, 227, 205, 0}},
    {"T16 one word", {0, 238, 0, 0, 0, 0}},
    {"T16 words of a line", {0, 213, 0, 0, 0, 0}},
};

class Latency : public ::testing::TestWithParam<std::string> {
 protected:
  explicit Latency(const std::vector<std::string>& overrides = {}) : rig(GetParam(), overrides) {}

  /// Expects that the document's number, the formula with the machine's keys, and the device agree.
  void expect(const std::string& test, long predicted, long measured, long tolerance = 0) const {
    const auto printed = kPrinted.find(test);
    if (printed != kPrinted.end()) {
      const auto index =
          static_cast<std::size_t>(std::find(kMachines.begin(), kMachines.end(), GetParam()) - kMachines.begin());
      const long number = printed->second[index];
      if (number != 0) {
        EXPECT_EQ(predicted, number) << test << ": formula against the printed number";
      }
    }
    expect_closed_form(test, rig.machine(), predicted, measured, tolerance);
  }

  /// Writes a ring of `count` pointers, `stride` bytes apart, and returns the address of the first one.
  std::uint64_t ring(unsigned count, std::uint64_t stride) {
    const std::uint64_t base = rig.buffer(count * stride);
    for (unsigned i = 0; i < count; ++i) rig.set<std::uint64_t>(base + i * stride, base + (i + 1) % count * stride);
    return base;
  }
  /// Returns the distances between the loads of a chase of `steps`, one lane, in the `run`-th run of its kernel.
  std::vector<long> chase(const std::string& load, unsigned steps, std::uint64_t first, unsigned run) {
    std::string body;
    for (unsigned i = 0; i < steps; ++i) body += load + ".u64 %rd0, [%rd0];\n";
    const ProgramHandle kernel = rig.load(body + "st.global.u64 [%rd1], %rd0; ret;", 2);
    const auto loads = rig.memory_pcs(kernel, MemoryKind::kLoad);
    EXPECT_EQ(loads.size(), steps);
    const std::uint64_t out = rig.buffer(8);
    Ticket ticket = 0;
    for (unsigned i = 0; i < run; ++i) ticket = rig.run(kernel, {}, {}, {first, out});
    std::vector<long> distances;
    for (unsigned i = 0; i + 1 < steps; ++i) distances.push_back(rig.distance(ticket, loads[i], loads[i + 1]));
    return distances;
  }
  /// Returns the spelling of a load of global data that looks up L1 on this machine.
  [[nodiscard]] std::string cached_load() const {
    return rig.machine().l1.caches_global ? "ld.global" : "ld.global.nc";
  }

  Rig rig;
};

TEST_P(Latency, T1DependentInstructionsIssueAtOperandTimePlusLatencyPlusOne) {
  struct Chain {
    const char* instruction;
    TimingClass timing;
  };
  const Chain chains[] = {
      {"add.u32 %r1, %r1, %r2;", TimingClass::kInt},
      {"min.u32 %r1, %r1, %r2;", TimingClass::kIntMinMax},
      {"shl.b32 %r1, %r1, %r2;", TimingClass::kIntShift},
      {"mul.lo.u32 %r1, %r1, %r2;", TimingClass::kIntMul},
      {"mad.lo.u32 %r1, %r1, %r2, %r2;", TimingClass::kIntMad},
      {"rem.u32 %r1, %r1, %r2;", TimingClass::kIntDiv},
      {"popc.b32 %r1, %r1;", TimingClass::kPopc},
      {"clz.b32 %r1, %r1;", TimingClass::kClz},
      {"cvt.rni.f32.f32 %f1, %f1;", TimingClass::kConvert},
      {"shfl.sync.idx.b32 %r1, %r1, 0, 31, 0xffffffff;", TimingClass::kShuffle},
      {"match.any.sync.b32 %r1, %r1, 0xffffffff;", TimingClass::kVote},
      {"add.f32 %f1, %f1, %f2;", TimingClass::kF32Add},
      {"min.f32 %f1, %f1, %f2;", TimingClass::kF32MinMax},
      {"mul.f32 %f1, %f1, %f2;", TimingClass::kF32Mul},
      {"fma.rn.f32 %f1, %f1, %f2, %f2;", TimingClass::kF32Fma},
      {"div.rn.f32 %f1, %f1, %f2;", TimingClass::kF32Div},
      {"sqrt.rn.f32 %f1, %f1;", TimingClass::kF32Root},
      {"fma.rn.f64 %rd1, %rd1, %rd2, %rd2;", TimingClass::kF64},
      {"min.f64 %rd1, %rd1, %rd2;", TimingClass::kF64MinMax},
      {"div.rn.f64 %rd1, %rd1, %rd2;", TimingClass::kF64Div},
      {"sqrt.rn.f64 %rd1, %rd1;", TimingClass::kF64Root},
      {"rsqrt.approx.ftz.f32 %f1, %f1;", TimingClass::kSpecial},
      {"sin.approx.f32 %f1, %f1;", TimingClass::kSinCos},
      {"rsqrt.approx.f32 %f1, %f1;", TimingClass::kScaled},
      {"not.pred %p1, %p1;", TimingClass::kPredicate},
  };
  for (const Chain& chain : chains) {
    std::string body =
        "mov.u32 %r1, 5; mov.u32 %r2, 7; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; setp.eq.u32 %p1, %r1, 3;\n"
        "mov.b64 %rd1, 0x3FF0000000000000; mov.b64 %rd2, 0x3FF0000000000000;\n";
    for (int i = 0; i < 24; ++i) body += std::string(chain.instruction) + "\n";
    const ProgramHandle kernel = rig.load(
        body + "@%p1 st.global.f32 [%rd0], %f1; st.global.u32 [%rd0], %r1; st.global.u64 [%rd0], %rd1; ret;", 1);
    auto pcs = rig.pcs(kernel, chain.timing);
    // The chain consists of the last 24 records of its class.
    const auto& spelled = rig.program(kernel).spellings;
    const std::string opcode = std::string(chain.instruction).substr(0, 4);
    pcs.erase(std::remove_if(pcs.begin(), pcs.end(),
                             [&](std::uint32_t pc) { return spelled[pc].find(opcode) == std::string::npos; }),
              pcs.end());
    ASSERT_GE(pcs.size(), 24U) << chain.instruction;
    const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(8)});
    for (int i = 4; i < 23; ++i) {
      ASSERT_EQ(pcs[i + 1], pcs[i] + 1) << chain.instruction;
      expect(chain.timing == TimingClass::kInt ? "T1" : "T1 " + std::string(isa::key(chain.timing)),
             rounded(rig.machine(), dependent(rig.machine(), chain.timing)), rig.distance(ticket, pcs[i], pcs[i + 1]));
    }
  }
}

TEST_P(Latency, T4ThreeOperandsInOneBankCostTheirReads) {
  const Machine& m = rig.machine();
  const long banks = m.rf.banks;
  std::string body = "mov.f32 %f90, 0f3F800000; mov.u32 %r1, 1;\n";
  for (int i = 0; i < 48; ++i) body += "mov.f32 %f" + std::to_string(i) + ", 0f3F800000;\n";
  for (int i = 0; i < 16; ++i) {
    // A chain keeps the reads of neighbours apart.
    for (int k = 0; k < 4; ++k) body += "add.u32 %r1, %r1, %r1;\n";
    body += "mov.u32 %r2, %r1;\n";
    body += "fma.rn.f32 %f90, %f" + std::to_string(i) + ", %f" + std::to_string(i + 16) + ", %f" +
            std::to_string(i + 32) + ";\nadd.f32 %f91, %f90, %f90;\nmov.b32 %r3, %f91; add.u32 %r1, %r2, %r3;\n";
  }
  for (int i = 0; i < 48; ++i) body += "add.f32 %f91, %f91, %f" + std::to_string(i) + ";\n";
  const ProgramHandle kernel = rig.load(body + "st.global.f32 [%rd0], %f91; ret;", 1);
  ASSERT_EQ(rig.program(kernel).spill_bytes, 0U);
  const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(4)});
  unsigned conflicts = 0;
  for (const std::uint32_t pc : rig.pcs(kernel, TimingClass::kF32Fma)) {
    const auto& record = rig.program(kernel).code[pc];
    const std::set<long> registers = {record.src[0], record.src[1], record.src[2]};
    ASSERT_EQ(registers.size(), 3U);
    ASSERT_LT(*registers.rbegin(), 256);
    std::set<long> used;
    for (const long r : registers) used.insert(banks == 0 ? r : r % banks);
    if (banks != 0 && used.size() == 2) continue;  // two of three loads share a bank: a case of another test
    const bool conflict = banks == 0 || used.size() == 1;
    conflicts += conflict ? 1 : 0;
    const long extra =
        conflict && banks != 0 ? std::max(0L, ceil_div(3, m.rf.ports) + 1 - static_cast<long>(m.oc_cycles)) : 0L;
    const long plain = dependent(m, TimingClass::kF32Fma);
    const long measured = rig.distance(ticket, pc, pc + 1);
    expect_closed_form(conflict ? "T4" : "T4 no conflict", m, rounded(m, plain + extra), measured);
    if (conflict) expect("T4", extra, measured - rounded(m, plain));
  }
  EXPECT_GE(conflicts, 4U) << "the allocation gave too few conflicts";
}

TEST_P(Latency, T5ChaseThatHitsL1) {
  const auto distances = chase(cached_load(), 12, ring(4, 256), 1);
  for (std::size_t i = 4; i < distances.size(); ++i) {
    expect("T5", rounded(rig.machine(), l1_hit(rig.machine())), distances[i]);
  }
}

TEST_P(Latency, T6ChaseThatHitsL2) {
  // The second kernel finds the first kernel's lines stale in L1 and present in L2.
  const auto cached = chase("ld.global", 12, ring(12, 1280), 2);
  const Machine& m = rig.machine();
  const long bytes = m.l1.caches_global ? fill_bytes(m) : 32;
  for (const long one : cached) expect("T6", rounded(m, l2_hit(m, bytes)), one);
}

TEST_P(Latency, T6BypassingChaseMovesOneSector) {
  const Machine& m = rig.machine();
  for (const char* load : {"ld.global.cg", "ld.volatile.global", "ld.relaxed.gpu.global"}) {
    SCOPED_TRACE(load);
    for (const long one : chase(load, 12, ring(12, 1280), 2)) expect("T6 bypass", rounded(m, l2_hit(m, 32)), one);
  }
}

TEST_P(Latency, T7ChaseThatMissesL2WithTheRowClosed) {
  const Machine& m = rig.machine();
  const std::uint64_t row_of_all = std::uint64_t{m.dram.row_bytes} * m.dram.channels;  // next bank of every channel
  const auto distances = chase("ld.global", 10, ring(10, row_of_all), 1);
  const long bytes = m.l1.caches_global ? fill_bytes(m) : 32;
  for (const long one : distances) {
    // Core clock and DRAM clock have different phases.
    expect("T7", l2_miss(m, bytes), one, m.issue.period == 1 ? 2 : 2 + static_cast<long>(m.issue.period) - 1);
    EXPECT_EQ(one % static_cast<long>(m.issue.period), 0);
  }
}

TEST_P(Latency, T8SharedChaseCostsAPassPerConflict) {
  const Machine& m = rig.machine();
  for (const unsigned k : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const std::string text = std::to_string(k);
    std::string body = "mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, " + text + "; div.u32 %r2, %r0, " + text +
                       "; mov.u32 %r3, buf; mad.lo.u32 %r3, %r1, 128, %r3; mad.lo.u32 %r3, %r2, 4, %r3;\n"
                       "st.shared.u32 [%r3], %r3;\n";
    for (int i = 0; i < 6; ++i) body += "ld.shared.u32 %r3, [%r3];\n";
    const ProgramHandle kernel =
        rig.load(body + "st.global.u32 [%rd0], %r3; ret;", 1, ".shared .align 128 .b8 buf[4096];");
    const auto loads = rig.memory_pcs(kernel, MemoryKind::kLoad, isa::Space::kShared);
    ASSERT_EQ(loads.size(), 6U);
    const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(4)});
    for (int i = 1; i < 5; ++i) {
      expect("T8 k=" + text, rounded(m, shared_load(m, k)), rig.distance(ticket, loads[i], loads[i + 1]));
    }
  }
}

TEST_P(Latency, T9LoadOfSeveralLinesCostsAPassPerBanksLines) {
  const Machine& m = rig.machine();
  for (const unsigned k : {1U, 2U, 3U, 4U, 8U, 13U, 16U, 32U}) {
    const std::string load = cached_load() + ".u32 ";
    const ProgramHandle kernel =
        rig.load("mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, " + std::to_string(k) + "; mad.wide.u32 %rd2, %r1, " +
                     std::to_string(m.l1.line) + ", %rd0;\n" + load + "%r2, [%rd2]; add.u32 %r3, %r2, 1;\n" + load +
                     "%r4, [%rd2]; add.u32 %r5, %r4, %r3;\nst.global.u32 [%rd1], %r5; ret;",
                 2);
    const auto loads = rig.memory_pcs(kernel, MemoryKind::kLoad);
    ASSERT_EQ(loads.size(), 2U);
    const Ticket ticket = rig.run(kernel, {}, {32}, {rig.buffer(32UL * m.l1.line), rig.buffer(4)});
    expect("T9 k=" + std::to_string(k), rounded(m, lines_hit(m, k)), rig.distance(ticket, loads[1], loads[1] + 1));
  }
}

TEST_P(Latency, T10FenceWaitsForTheStoresAcknowledge) {
  const Machine& m = rig.machine();
  const unsigned lanes = std::min(32U, m.l1.line / 4);
  const ProgramHandle kernel = rig.load(
      "mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0; st.global.u32 [%rd1], %r0; membar.gl; add.u32 %r0, %r0, "
      "1; ret;",
      1);
  const std::uint64_t out = rig.buffer(128);
  const std::uint32_t store = rig.memory_pcs(kernel, MemoryKind::kStore).at(0);
  for (int i = 0; i < 3; ++i) {
    const Ticket ticket = rig.run(kernel, {}, {lanes}, {out});
    expect("T10", rounded(m, store_fence(m, 4L * lanes)), rig.distance(ticket, store, store + 2));
  }
}

TEST_P(Latency, T11BarrierReleasesAllThreeTicksAfterTheLastArrival) {
  const Machine& m = rig.machine();
  const unsigned warps = m.schedulers;
  const std::uint64_t out = rig.buffer(4);
  for (unsigned late = 0; late < warps; ++late) {
    std::string body = "mov.u32 %r0, %tid.x; div.u32 %r1, %r0, " + std::to_string(m.sm.lanes) +
                       "; setp.ne.u32 %p0, %r1, " + std::to_string(late) + "; @%p0 bra meet;\n";
    for (int i = 0; i < 30 + static_cast<int>(late); ++i) body += "add.u32 %r0, %r0, 1;\n";
    const ProgramHandle kernel = rig.load(body +
                                              "meet: bar.sync 0; add.u32 %r2, %r1, %r1;\n"
                                              "st.global.u32 [%rd0], %r0; st.global.u32 [%rd0], %r2; ret;",
                                          1);
    const std::uint32_t barrier = rig.pcs(kernel, TimingClass::kBarrier).at(0);
    const Ticket ticket = rig.run(kernel, {}, {warps * m.sm.lanes}, {out});
    Tick arrival = 0, taken = 0;  // arrival of the last warp; the unit takes one warp after the other
    for (const Issued& one : rig.issues(ticket)) {
      if (one.pc != barrier) continue;
      arrival = std::max(arrival, one.tick);
      taken = std::max(taken, one.tick) + m.barrier.arrive;
    }
    unsigned seen = 0;
    for (const Issued& one : rig.issues(ticket)) {
      if (one.pc != barrier + 1) continue;
      ++seen;
      const Tick p = m.issue.period;
      Tick due = taken + m.barrier.register_ticks + m.barrier.release;
      while (due % p != one.scheduler % p) ++due;
      expect_closed_form("T11", m, static_cast<long>(due - arrival), static_cast<long>(one.tick - arrival));
    }
    EXPECT_EQ(seen, warps);
  }
}

TEST_P(Latency, T16AtomicsKeepTheSliceBusy) {
  const Machine& m = rig.machine();
  const auto measure = [&](unsigned lanes, unsigned stride, const std::string& name, long most, long bytes) {
    const ProgramHandle kernel = rig.load("mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, " + std::to_string(stride) +
                                              ", %rd0; atom.global.add.u32 %r1, [%rd1], 1; add.u32 %r2, %r1, 1; ret;",
                                          1);
    const std::uint32_t atom = rig.memory_pcs(kernel, MemoryKind::kAtomic).at(0);
    const std::uint64_t at = rig.buffer(128);
    for (unsigned i = 0; i < 3; ++i) {
      const Ticket ticket = rig.run(kernel, {}, {lanes}, {at});
      if (i == 0) continue;  // fills L2
      expect(name, rounded(m, atomic(m, lanes, most, bytes)), rig.distance(ticket, atom, atom + 1));
    }
    EXPECT_EQ(rig.get<std::uint32_t>(at), 3U * static_cast<unsigned>(most));
  };
  measure(32, 0, "T16 one word", 32, 32);
  const unsigned words = std::min(32U, m.l1.line / 4);
  measure(words, 4, "T16 words of a line", 1, 4L * words);
  measure(1, 0, "T16 one lane", 1, 32);
}

/// Small TLBs, pages of 4 KiB: 4 of an SM, 32 of all.
class Translated : public Latency {
 protected:
  Translated()
      : Latency({"tlb.page_bytes=4096", "tlb.l1_entries=4", "tlb.l1_ways=4", "tlb.l2_entries=32", "tlb.l2_ways=32",
                 "tlb.l2_latency=33", "tlb.walk_latency=250", "tlb.walkers=1"}) {}
  /// Measures a pointer chase of `steps` loads that bypass L1, over a ring with one pointer in each of `pages` pages.
  /// All lines are in L2. Steps before `from` are not measured.
  void expect_chase(const std::string& test, unsigned pages, unsigned steps, unsigned from, long more) {
    const Machine& m = rig.machine();
    const auto distances = chase("ld.global.cg", steps, ring(pages, 4096 + 256), 2);
    for (std::size_t i = from; i < distances.size(); ++i) expect(test, rounded(m, l2_hit(m, 32) + more), distances[i]);
  }
};

TEST_P(Translated, T6HoldsWhereTheSmsTlbHoldsThePages) {
  expect_chase("T6 translated", 3, 9, 3, 0);  // the second kernel runs on another SM
}
TEST_P(Translated, T21ChaseThatMissesTheSmsTlb) { expect_chase("T21", 16, 16, 0, tlb_miss(rig.machine())); }
TEST_P(Translated, T22ChaseThatMissesBothTlbs) { expect_chase("T22", 48, 48, 0, page_walk(rig.machine())); }

INSTANTIATE_TEST_SUITE_P(Machines, Latency, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

INSTANTIATE_TEST_SUITE_P(Machines, Translated, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace castor::gpu::timing_test::latency_test

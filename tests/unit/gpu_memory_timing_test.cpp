// Tests of the closed forms of the memory system on an idle machine, and of its bandwidths. All expected cycles come
// from the documented step tables and formulas.

#include <gtest/gtest.h>

#include <map>

#include "gpu_memory_support.h"

namespace castor::gpu::gpu_memory_timing_test {
namespace {

using test::Initiator;
using test::memory_machine;
using test::MemoryRig;

constexpr std::uint64_t kLine = Store::kBase + 0x4000;

unsigned flit_count(const Machine& machine, unsigned bytes) {
  return (8 + bytes + machine.xbar.flit_bytes - 1) / machine.xbar.flit_bytes;
}

/// Sends one request from SM 0 in `leaves` and returns the cycles in which it was performed and its reply was taken.
struct Trip {
  Cycle performed = 0, taken = 0;
};
Trip trip(MemoryRig& rig, Cycle leaves, RequestKind kind, std::uint64_t line, std::uint8_t sectors,
          const std::function<void(MemoryRequest&)>& fill = {}) {
  Trip result;
  Initiator& sm = *rig.initiators[0];
  sm.on_reply = [&result](Transaction& reply, Cycle now) { result = {reply.request.performed, now}; };
  Transaction& request = sm.send_at(leaves, kind, line, sectors);
  if (fill) fill(request.request);
  EXPECT_TRUE(rig.run());
  return result;
}
void whole_line(MemoryRequest& request) { request.byte_mask[0] = request.byte_mask[1] = ~std::uint64_t{0}; }

/// Returns the request of 32 lanes that add 1 to words `stride` bytes apart.
std::function<void(MemoryRequest&)> adds(unsigned stride) {
  return [stride](MemoryRequest& request) {
    request.op = isa::AtomicOp::kAdd;
    request.type = isa::Type::kU32;
    request.lane_count = 32;
    for (unsigned lane = 0; lane < 32; ++lane) {
      request.lanes[lane] = {static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(lane * stride), 1, 0};
    }
  };
}

TEST(MemoryTiming, LoadThatHitsL2TakesTheStepsOfTheTable) {
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  const Trip hit = trip(rig, base + 40, RequestKind::kLoad, kLine, 0xf);
  EXPECT_EQ(hit.performed, base + 186);
  EXPECT_EQ(hit.taken, base + 198);
}

TEST(MemoryTiming, LoadOfOneSectorSavesThreeFlits) {
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  const Trip hit = trip(rig, base + 40, RequestKind::kLoad, kLine, 0x4);
  EXPECT_EQ(hit.performed, base + 186);
  EXPECT_EQ(hit.taken, base + 195);
}

TEST(MemoryTiming, StoreOfAWholeLineNeedsNoData) {
  MemoryRig rig(memory_machine());
  const Trip store = trip(rig, 40, RequestKind::kStore, kLine, 0xf, whole_line);
  EXPECT_EQ(store.performed, 189U);
  EXPECT_EQ(store.taken, 198U);
}

TEST(MemoryTiming, AtomicOf32LanesOnOneWordKeepsTheSliceBusyFor32Cycles) {
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  const Trip atomic = trip(rig, base + 40, RequestKind::kAtomic, kLine, 0x1, adds(0));
  EXPECT_EQ(atomic.performed, base + 186);
  EXPECT_EQ(atomic.taken, base + 236);  // two before the dependent issue at 238
}

TEST(MemoryTiming, AtomicOn32WordsTakesOneCycle) {
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  const Trip atomic = trip(rig, base + 40, RequestKind::kAtomic, kLine, 0xf, adds(4));
  EXPECT_EQ(atomic.performed, base + 189);
  EXPECT_EQ(atomic.taken, base + 211);  // two before the dependent issue at 213
}

TEST(MemoryTiming, ReductionIsAcknowledgedWithoutData) {
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  const Trip atomic = trip(rig, base + 40, RequestKind::kReduction, kLine, 0xf, adds(4));
  EXPECT_EQ(atomic.taken, base + 208);  // one flit instead of four
}

TEST(MemoryTiming, LoadIsServedWhileAnAtomicsReplyIsUnderWay) {
  // After its k cycles the atomic unit is pipelined: a load issued directly after the atomic overtakes the atomic's
  // reply.
  MemoryRig rig(memory_machine());
  trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  const Cycle base = rig.now + 1000;
  std::vector<std::pair<std::uint64_t, Cycle>> taken;
  Initiator& sm = *rig.initiators[0];
  sm.on_reply = [&](Transaction& reply, Cycle now) { taken.emplace_back(reply.request.id, now); };
  Transaction& atomic = sm.send_at(base + 40, RequestKind::kAtomic, kLine, 0x1);
  adds(0)(atomic.request);
  atomic.request.lane_count = 4;
  sm.send_at(base + 41, RequestKind::kLoad, kLine, 0x1);
  ASSERT_TRUE(rig.run());
  // The atomic is performed at 186 and busy to 189; the load, due at 187, is performed at 190 and seen by the network
  // at 191; the atomic's reply at 187 + 3 + 10.
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0], (std::pair<std::uint64_t, Cycle>{2, base + 191 + 8}));
  EXPECT_EQ(taken[1], (std::pair<std::uint64_t, Cycle>{1, base + 200 + 8}));
}

TEST(MemoryTiming, LoadThatMissesL2TakesTheStepsOfTheTable) {
  MemoryRig rig(memory_machine());
  const Trip miss = trip(rig, 40, RequestKind::kLoad, kLine, 0xf);
  EXPECT_EQ(miss.performed, 306U);
  EXPECT_EQ(miss.taken, 318U);
}

TEST(MemoryTiming, DramMissFollowsTheExactClockRatioFromEveryPhase) {
  for (Cycle phase = 0; phase < 24; ++phase) {
    MemoryRig rig(memory_machine());
    const Trip miss = trip(rig, 40 + phase, RequestKind::kLoad, kLine, 0xf);
    // Activate at the first DRAM clock of cycle 187 + phase; 14 to the first column, 3 to the second, 16 to its data.
    const std::uint64_t activate = (187 + phase) * 1300 / 706;
    const std::uint64_t data = activate + 14 + 3 + 14 + 2;
    Cycle cycle = 0;
    while ((cycle + 1) * 1300 / 706 <= data) ++cycle;
    EXPECT_EQ(miss.performed, cycle + 1 + 100) << "phase " << phase;
    EXPECT_EQ(miss.taken, cycle + 1 + 100 + 12) << "phase " << phase;
  }
}

class EveryMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMachine, HasTheRoundTripOfItsParameters) {
  const Machine machine = memory_machine({}, GetParam());
  const unsigned line = machine.l2.line;
  const auto all = static_cast<std::uint8_t>((1U << line / 32) - 1);
  const unsigned n = flit_count(machine, line);
  // From the SM: one cycle to the network, X + m - 1 to the slice, E to the decision, one cycle to the network again, X
  // + n - 1 back.
  const Cycle fixed = 2 * machine.xbar.latency + machine.l2.latency;
  {
    MemoryRig rig(machine);
    trip(rig, 40, RequestKind::kLoad, kLine, all);
    const Cycle base = rig.now + 1000;
    EXPECT_EQ(trip(rig, base, RequestKind::kLoad, kLine, all).taken, base + fixed + 1 + n);
    EXPECT_EQ(trip(rig, base + 5000, RequestKind::kLoad, kLine, 1).taken,
              base + 5000 + fixed + 1 + flit_count(machine, 32));
    EXPECT_EQ(trip(rig, base + 9000, RequestKind::kStore, kLine, all, whole_line).taken, base + 9000 + fixed + n + 1);
    const unsigned lanes_on_words = (line / 4 + machine.atomic.words_per_cycle - 1) / machine.atomic.words_per_cycle;
    const auto add_all = [line](MemoryRequest& request) {
      adds(4)(request);
      request.lane_count = static_cast<std::uint8_t>(line / 4);
    };
    EXPECT_EQ(trip(rig, base + 13000, RequestKind::kAtomic, kLine, all, add_all).taken,
              base + 13000 + fixed + n + n + lanes_on_words - 1 + machine.atomic.latency);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryMachine,
                         ::testing::Values("fermi_gtx480_study", "kepler_k20c_study", "maxwell_liu13",
                                           "pascal_titanx_study", "turing_rtx2060_study", "gcn_apu", "tiny"));

/// Lines of slice 0.
std::vector<std::uint64_t> lines_of_slice(const AddressMap& map, std::size_t count, unsigned slice = 0) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t line = Store::kBase; lines.size() < count; line += 128) {
    if (map.slice(line) == slice) lines.push_back(line);
  }
  return lines;
}

/// Returns the cycles per load when all SMs read lines of slice 0 that are in L2.
double cycles_per_load(std::uint8_t sectors) {
  MemoryRig rig(memory_machine());
  const std::vector<std::uint64_t> lines = lines_of_slice(rig.memory.map(), 64);
  for (const std::uint64_t line : lines) rig.initiators[0]->send_at(0, RequestKind::kLoad, line, 0xf);
  EXPECT_TRUE(rig.run());
  constexpr unsigned kLoads = 1000;
  const Cycle base = rig.now + 1000;
  Cycle first = kForever, last = 0;
  for (unsigned sm = 0; sm < rig.machine.chip.sms; ++sm) {
    rig.initiators[sm]->on_reply = [&](Transaction&, Cycle now) {
      first = std::min(first, now);
      last = std::max(last, now);
    };
    for (unsigned i = 0; i < kLoads; ++i) {
      rig.initiators[sm]->send_at(base, RequestKind::kLoad, lines[(i + sm) % lines.size()], sectors);
    }
  }
  EXPECT_TRUE(rig.run());
  return static_cast<double>(last - first) / (kLoads * rig.machine.chip.sms - 1);
}

TEST(MemoryBandwidth, SliceDeliversItsPortWidthPerCycle) {
  EXPECT_NEAR(cycles_per_load(0xf), 4.0, 0.04);  // 128 bytes at 32 per cycle
  EXPECT_NEAR(cycles_per_load(0x3), 2.0, 0.02);
}

TEST(MemoryBandwidth, SliceServesOneRequestPerCycle) { EXPECT_NEAR(cycles_per_load(0x1), 1.0, 0.01); }

TEST(MemoryBandwidth, SaturatedRepliesTreatAllSmsAlike) {
  MemoryRig rig(memory_machine());
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < 2000; ++i) lines.push_back(Store::kBase + i * 128);
  for (const std::uint64_t line : lines) rig.initiators[0]->send_at(0, RequestKind::kLoad, line, 0xf);
  ASSERT_TRUE(rig.run());
  const Cycle base = rig.now + 1000;
  base::Xoshiro256 rng(7);
  std::map<unsigned, Cycle> last;
  for (unsigned sm = 0; sm < rig.machine.chip.sms; ++sm) {
    rig.initiators[sm]->on_reply = [&last, sm](Transaction&, Cycle now) { last[sm] = now; };
    for (unsigned i = 0; i < 3000; ++i) {
      rig.initiators[sm]->send_at(base, RequestKind::kLoad, lines[rng.below(lines.size())], 0xf);
    }
  }
  ASSERT_TRUE(rig.run());
  Cycle earliest = kForever, latest = 0;
  for (const auto& [sm, cycle] : last) {
    earliest = std::min(earliest, cycle - base);
    latest = std::max(latest, cycle - base);
  }
  EXPECT_LE(static_cast<double>(latest), 1.1 * static_cast<double>(earliest));
  // Outputs: 13 x 3,000 lines of 4 cycles over 10 slices is 15,600 cycles at full use.
  EXPECT_LE(latest, 15'600 * 1.25);
}

TEST(MemoryBandwidth, StreamFromDramReachesNineTenthsOfItsPeak) {
  MemoryRig rig(memory_machine());
  constexpr std::uint64_t kLines = 32768;  // 4 MB
  Cycle last = 0;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    // SMs take blocks of 64 lines in turn.
    const std::size_t sm = i / 64 % rig.machine.chip.sms;
    rig.initiators[sm]->send_at(0, RequestKind::kLoad, Store::kBase + i * 128, 0xf);
    rig.initiators[sm]->on_reply = [&last](Transaction&, Cycle now) { last = std::max(last, now); };
  }
  ASSERT_TRUE(rig.run());
  const double seconds = static_cast<double>(last) / 706e6;
  const double gb_per_s = kLines * 128 / seconds / 1e9;
  RecordProperty("gb_per_s", std::to_string(gb_per_s));
  EXPECT_GE(gb_per_s, 0.9 * 208);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_timing_test

// The L2 slice: misses, merges, write-back, sectors, replacement, flush, atomics.

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "gpu_memory_support.h"

namespace castor::gpu::gpu_memory_slice_test {
namespace {

using test::memory_machine;
using test::MemoryRig;

/// A slice with one set of eight ways, connected to one channel.
Machine one_set(std::vector<std::string> overrides = {}) {
  std::vector<std::string> keys = {"l2.slices=1", "dram.channels=1", "l2.sets=1", "l2.ways=8", "l2.bytes=1KiB"};
  keys.insert(keys.end(), overrides.begin(), overrides.end());
  return memory_machine(keys, "tiny");
}
std::uint64_t line(std::uint64_t number) { return Store::kBase + number * 128; }

struct Answer {
  Cycle performed = 0, taken = 0;
};

class Slice {
 public:
  explicit Slice(const Machine& machine) : rig(machine) {
    rig.initiators[0]->on_reply = [this](Transaction& reply, Cycle now) {
      answers[reply.request.id] = {reply.request.performed, now};
      last = reply.request.lanes[0];
    };
    now = 0;
  }
  /// Sends a load and returns its request number.
  std::uint64_t load(Cycle cycle, std::uint64_t at, std::uint8_t sectors = 0xf) {
    return rig.initiators[0]->send_at(cycle, RequestKind::kLoad, at, sectors).request.id;
  }
  std::uint64_t store(Cycle cycle, std::uint64_t at, std::uint64_t low, std::uint64_t high, std::uint8_t value = 0x5a) {
    std::uint8_t sectors = 0;
    for (unsigned sector = 0; sector < 4; ++sector) {
      const std::uint64_t word = sector < 2 ? low : high;
      if ((word >> sector % 2 * 32 & 0xffffffff) != 0) sectors |= static_cast<std::uint8_t>(1U << sector);
    }
    MemoryRequest& request = rig.initiators[0]->send_at(cycle, RequestKind::kStore, at, sectors).request;
    request.byte_mask[0] = low;
    request.byte_mask[1] = high;
    std::memset(request.data, value, sizeof request.data);
    return request.id;
  }
  void run() {
    ASSERT_TRUE(rig.run()) << rig.memory.waiting();
    now = rig.now + 100;
  }
  [[nodiscard]] std::uint64_t count(const std::string& name) const { return rig.statistics.find(name)->integer(); }

  MemoryRig rig;
  std::map<std::uint64_t, Answer> answers;
  LaneOperand last;
  Cycle now = 0;
};

constexpr std::uint64_t kAll = ~std::uint64_t{0};

TEST(L2Slice, LoadsOfALineInFlightJoinItAndAreServedOnePerCycle) {
  Slice s(one_set());
  const auto a = s.load(40, line(0)), b = s.load(41, line(0)), c = s.load(42, line(0));
  s.run();
  // The first access has the latency of the table; the others complete in the following cycles.
  EXPECT_EQ(s.answers[a].performed, 306U);
  EXPECT_EQ(s.answers[b].performed, 307U);
  EXPECT_EQ(s.answers[c].performed, 308U);
  EXPECT_EQ(s.count("slice0.l2_read_miss"), 1U);
  EXPECT_EQ(s.count("slice0.l2_merged"), 2U);
  EXPECT_EQ(s.count("channel0.dram_n_read"), 2U);  // two atoms
  EXPECT_EQ(s.count("slice0.lsu.l2_merged"), 2U);
}

TEST(L2Slice, RequestThatFindsItsEntryFullWaitsAtTheHead) {
  Slice s(one_set({"l2.merges=2"}));
  const auto a = s.load(40, line(0)), b = s.load(41, line(0)), c = s.load(42, line(0));
  s.run();
  EXPECT_EQ(s.answers[a].performed, 306U);
  EXPECT_EQ(s.answers[b].performed, 307U);
  EXPECT_EQ(s.answers[c].performed, 308U);  // a hit, decided when the fill is over
  EXPECT_EQ(s.count("slice0.l2_read_hit"), 1U);
  // The slice stalls from the decision in cycle 188 to 308.
  EXPECT_EQ(s.count("slice0.l2_reservation_fail"), 120U);
}

TEST(L2Slice, MissesOtherSectorsOfALineInFlightByAnEntryOfTheirOwn) {
  Slice s(one_set());
  const auto a = s.load(40, line(0), 0x1), b = s.load(41, line(0), 0xc), c = s.load(42, line(0), 0x5);
  s.run();
  EXPECT_EQ(s.count("slice0.l2_read_miss"), 2U);
  EXPECT_EQ(s.count("slice0.l2_merged"), 1U);
  EXPECT_LT(s.answers[a].performed, s.answers[b].performed);
  EXPECT_EQ(s.answers[c].performed, s.answers[b].performed + 1);
  EXPECT_EQ(s.rig.memory.slice(0).line(line(0))->valid, 0xd);
}

TEST(L2Slice, StoreFetchesOnlySectorsThatItWritesInPart) {
  Slice s(one_set());
  // Sector 0 whole, two bytes of sector 1.
  const auto a = s.store(40, line(0), 0x3'0000'0000u | 0xffffffff, 0);
  s.run();
  EXPECT_GT(s.answers[a].performed, 300U);
  EXPECT_EQ(s.count("slice0.l2_write_miss"), 1U);
  EXPECT_EQ(s.count("slice0.lsu.memory_bytes"), 32U);
  EXPECT_EQ(s.rig.memory.slice(0).line(line(0))->valid, 0x3);
  EXPECT_EQ(s.rig.memory.slice(0).line(line(0))->dirty, 0x3);
  const Cycle base = s.now;
  const auto b = s.store(base + 40, line(1), kAll, kAll);
  s.run();
  EXPECT_EQ(s.answers[b].performed, base + 189);
  EXPECT_EQ(s.count("slice0.l2_write_hit"), 1U);
  EXPECT_EQ(s.count("channel0.dram_n_read"), 1U);
}

TEST(L2Slice, LoadBehindAWholeSectorStoreThatWaitsNeedsNoFetchOfItsOwn) {
  Slice s(one_set());
  s.load(40, line(0), 0x1);
  s.store(41, line(0), std::uint64_t{0xffffffff} << 32, 0);  // sector 1, whole
  const auto c = s.load(42, line(0), 0x2);
  s.run();
  EXPECT_EQ(s.count("slice0.l2_read_miss"), 1U);
  EXPECT_EQ(s.count("slice0.l2_merged"), 2U);
  EXPECT_GT(s.answers[c].performed, 0U);
}

TEST(L2Slice, EvictsTheLeastRecentlyUsedLineAndWritesBackOnlyDirtySectors) {
  Slice s(one_set());
  for (std::uint64_t i = 0; i < 8; ++i) s.load(40 + i, line(i));
  s.run();
  s.load(s.now, line(0));                       // line 0, the least recently used one, is used again
  s.store(s.now + 1, line(1), 0xffffffffu, 0);  // so is line 1, and has one dirty sector
  s.run();
  s.load(s.now, line(8));  // replaces line 2, clean
  s.run();
  EXPECT_EQ(s.rig.memory.slice(0).line(line(2)), nullptr);
  EXPECT_NE(s.rig.memory.slice(0).line(line(0)), nullptr);
  EXPECT_EQ(s.count("channel0.dram_n_write"), 0U);
  // Lines 3 to 7, 0, 1 are replaced next, in this order.
  for (std::uint64_t i = 9; i < 16; ++i) s.load(s.now + i, line(i));
  s.run();
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(s.rig.memory.slice(0).line(line(i)), nullptr);
  EXPECT_EQ(s.count("slice0.l2_evict_dirty"), 1U);
  EXPECT_EQ(s.count("channel0.dram_n_write"), 1U);
}

TEST(L2Slice, NeverEvictsALineInFlight) {
  // Ten misses map to the only set, which has eight ways: the last two wait for fills, and none is lost.
  Slice s(one_set());
  for (std::uint64_t i = 0; i < 10; ++i) s.load(40, line(i));
  s.run();
  EXPECT_EQ(s.answers.size(), 10U);
  EXPECT_EQ(s.count("slice0.l2_read_miss"), 10U);
  EXPECT_GT(s.count("slice0.l2_reservation_fail"), 0U);
}

TEST(L2Slice, FlushWritesBackEveryDirtyLineAndForgetsTheRest) {
  Slice s(one_set());
  for (std::uint64_t i = 0; i < 5; ++i) s.store(40 + i, line(i), kAll, kAll);
  s.load(50, line(5));
  s.run();
  EXPECT_FALSE(s.rig.memory.flushing(s.now));
  const Cycle from = s.rig.now + 10;
  s.rig.memory.flush(from);
  EXPECT_TRUE(s.rig.memory.flushing(from));
  s.run();
  EXPECT_FALSE(s.rig.memory.flushing(s.rig.now));
  EXPECT_EQ(s.count("slice0.l2_evict_dirty"), 5U);
  EXPECT_EQ(s.count("channel0.dram_n_write"), 10U);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(s.rig.memory.slice(0).line(line(i)), nullptr);
  const auto again = s.load(s.now, line(5));
  s.run();
  EXPECT_GT(s.answers[again].taken, 0U);
  EXPECT_EQ(s.count("slice0.l2_read_miss"), 2U);
}

TEST(L2Slice, CountsTrafficPerClientAndPerKernel) {
  Slice s(one_set());
  const auto send = [&s](Cycle cycle, Client client, std::uint16_t entry, std::uint64_t at) {
    MemoryRequest& request = s.rig.initiators[0]->send_at(cycle, RequestKind::kLoad, at, 0xf).request;
    request.client = client;
    request.entry = entry;
  };
  send(0, Client::kFetch, 3, line(0));
  send(2000, Client::kFetch, 3, line(0));
  send(2001, Client::kBypass, 4, line(0));
  send(2002, Client::kCopy, 4, line(0));
  s.run();
  EXPECT_EQ(s.count("slice0.fetch.l2_miss"), 1U);
  EXPECT_EQ(s.count("slice0.fetch.l2_hit"), 1U);
  EXPECT_EQ(s.count("slice0.fetch.memory_bytes"), 128U);
  EXPECT_EQ(s.count("slice0.copy.l2_hit"), 1U);
  EXPECT_EQ(s.rig.memory.slice(0).traffic(3).misses, 1U);
  EXPECT_EQ(s.rig.memory.slice(0).traffic(3).hits, 1U);
  EXPECT_EQ(s.rig.memory.slice(0).traffic(3).bytes, 256U);
  EXPECT_EQ(s.rig.memory.slice(0).traffic(4).hits, 1U) << "a copy is no kernel's, whatever entry it names";
  EXPECT_EQ(s.rig.memory.slice(0).traffic_of_nobody().hits, 1U);
  EXPECT_EQ(s.rig.memory.slice(0).traffic_of_nobody().bytes, 128U);
  s.rig.memory.slice(0).clear_traffic(3);
  EXPECT_EQ(s.rig.memory.slice(0).traffic(3).hits, 0U);
}

struct AtomicCase {
  isa::AtomicOp op;
  isa::Type type;
  std::uint64_t before, operand, compare, after;
};

TEST(L2Slice, PerformsEveryAtomicOperation) {
  using isa::AtomicOp;
  using isa::Type;
  const std::vector<AtomicCase> cases = {{AtomicOp::kAdd, Type::kU32, 0xffffffff, 2, 0, 1},
                                         {AtomicOp::kAdd, Type::kU64, 0xffffffffff, 1, 0, 0x10000000000},
                                         {AtomicOp::kAdd, Type::kF32, 0x3f800000, 0x40000000, 0, 0x40400000},  // 1 + 2
                                         {AtomicOp::kMin, Type::kS32, 5, 0xffffffff, 0, 0xffffffff},
                                         {AtomicOp::kMin, Type::kU32, 5, 0xffffffff, 0, 5},
                                         {AtomicOp::kMax, Type::kS64, kAll, 3, 0, 3},
                                         {AtomicOp::kAnd, Type::kB32, 0xff0f, 0x0ff0, 0, 0x0f00},
                                         {AtomicOp::kOr, Type::kB32, 0xff00, 0x0ff0, 0, 0xfff0},
                                         {AtomicOp::kXor, Type::kB32, 0xff00, 0x0ff0, 0, 0xf0f0},
                                         {AtomicOp::kExch, Type::kB64, 1, 2, 0, 2},
                                         {AtomicOp::kCas, Type::kB32, 7, 9, 7, 9},
                                         {AtomicOp::kCas, Type::kB32, 7, 9, 8, 7},
                                         {AtomicOp::kCas, Type::kB16, 7, 9, 7, 9},
                                         {AtomicOp::kInc, Type::kU32, 4, 4, 0, 0},
                                         {AtomicOp::kDec, Type::kU32, 0, 6, 0, 6}};
  Slice s(one_set());
  for (const AtomicCase& test : cases) {
    std::byte* const where = s.rig.store.host(line(0) + 48);
    std::memcpy(where, &test.before, bytes(test.type));
    MemoryRequest& request = s.rig.initiators[0]->send_at(s.now, RequestKind::kAtomic, line(0), 0x2).request;
    request.op = test.op;
    request.type = test.type;
    request.lane_count = 1;
    request.lanes[0] = {7, 48, test.operand, test.compare};
    s.run();
    std::uint64_t after = 0;
    std::memcpy(&after, where, bytes(test.type));
    EXPECT_EQ(after, test.after) << "case " << &test - cases.data();
    EXPECT_EQ(s.last.value, test.before) << "case " << &test - cases.data();
  }
  EXPECT_EQ(s.rig.memory.slice(0).line(line(0))->dirty, 0x2);
}

TEST(L2Slice, LanesOfOneAtomicActInAscendingOrder) {
  Slice s(one_set());
  MemoryRequest& request = s.rig.initiators[0]->send_at(0, RequestKind::kAtomic, line(0), 0x1).request;
  request.op = isa::AtomicOp::kExch;
  request.type = isa::Type::kB32;
  request.lane_count = 4;
  for (unsigned i = 0; i < 4; ++i) request.lanes[i] = {static_cast<std::uint8_t>(8 * i), 4, 100 + i, 0};
  std::vector<std::uint64_t> old;
  s.rig.initiators[0]->on_reply = [&old](Transaction& reply, Cycle /*now*/) {
    for (unsigned i = 0; i < 4; ++i) old.push_back(reply.request.lanes[i].value);
  };
  s.run();
  EXPECT_EQ(old, (std::vector<std::uint64_t>{0, 100, 101, 102}));
  std::uint32_t left = 0;
  std::memcpy(&left, s.rig.store.host(line(0) + 4), 4);
  EXPECT_EQ(left, 103U);
}

TEST(L2Slice, StoresOfBytesLeaveTheirNeighboursAlone) {
  Slice s(one_set());
  std::memset(s.rig.store.host(line(0)), 0x11, 128);
  s.store(0, line(0), 0x8000'0000'0000'0001u, 0x2, 0x77);
  s.run();
  for (unsigned i = 0; i < 128; ++i) {
    const unsigned expected = i == 0 || i == 63 || i == 65 ? 0x77 : 0x11;
    EXPECT_EQ(static_cast<unsigned>(*s.rig.store.host(line(0) + i)), expected) << "byte " << i;
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_slice_test

// The parts of an L2 slice alone: fills, both sides, the atomic unit, the flush, the bytes, the counters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "castor/gpu/memory/atomic_unit.h"
#include "castor/gpu/memory/l2_data.h"
#include "castor/gpu/memory/l2_fills.h"
#include "castor/gpu/memory/l2_flush.h"
#include "castor/gpu/memory/l2_memory_side.h"
#include "castor/gpu/memory/l2_reply_side.h"
#include "castor/gpu/memory/l2_traffic.h"
#include "gpu_memory_support.h"

namespace castor::gpu::gpu_memory_l2_parts_test {
namespace {

using test::memory_machine;
using ::testing::ElementsAre;

std::uint64_t line(std::uint64_t number) { return Store::kBase + number * 128; }

class Requests {
 public:
  Transaction& make(RequestKind kind, std::uint64_t at, std::uint8_t sectors = 0xf) {
    Transaction& transaction = pool_.get();
    transaction.request.kind = kind;
    transaction.request.client = Client::kLsu;
    transaction.request.sectors = sectors;
    transaction.prepare(at);
    return transaction;
  }
  Transaction& load(std::uint64_t at = line(0)) { return make(RequestKind::kLoad, at); }
  /// Returns a store of whole sectors.
  Transaction& store(std::uint8_t sectors) {
    Transaction& transaction = make(RequestKind::kStore, line(0), sectors);
    for (unsigned sector = 0; sector < 4; ++sector) {
      if ((sectors >> sector & 1) != 0) {
        transaction.request.byte_mask[sector / 2] |= std::uint64_t{0xffffffff} << sector % 2 * 32;
      }
    }
    return transaction;
  }

 private:
  TransactionPool pool_;
};

// --- Fills ----------------------------------------------------------------------------------------------------------

struct FillRig : Requests {
  explicit FillRig(unsigned entries = 4, unsigned merges = 2) : tags(1, 4), fills(entries, merges, tags) {
    tags.place(0, line(0));
    tags.place(1, line(1));
  }
  TagArray tags;
  L2Fills fills;
};

TEST(L2Fills, WaitersOfAnEntryAreServedInTheirOrderAndItIsFreeWithTheLast) {
  FillRig rig;
  Transaction& a = rig.load();
  Transaction& b = rig.load();
  const std::uint32_t entry = rig.fills.open(a, 0, 0x3);
  EXPECT_TRUE(a.request.missed);
  EXPECT_TRUE(rig.fills.can_join(0));
  rig.fills.join(b, 0);
  EXPECT_FALSE(rig.fills.can_join(0));
  EXPECT_EQ(rig.fills.waiting(), 2U);
  EXPECT_EQ(rig.tags.line(0).pending, 0x3);
  EXPECT_EQ(rig.tags.line(0).valid, 0);

  EXPECT_FALSE(rig.fills.set_aside(entry));
  EXPECT_EQ(&rig.fills.oldest_waiter(entry), &a);
  EXPECT_EQ(rig.fills.way(entry), 0U);
  rig.fills.begin(entry);
  EXPECT_EQ(&rig.fills.serve(), &a);
  EXPECT_EQ(rig.tags.line(0).valid, 0x3);
  EXPECT_TRUE(rig.fills.serving());
  EXPECT_EQ(rig.fills.in_use(), 1U);
  EXPECT_EQ(&rig.fills.serve(), &b);
  EXPECT_FALSE(rig.fills.serving());
  EXPECT_EQ(rig.fills.in_use(), 0U);
  EXPECT_EQ(rig.tags.line(0).first, -1);
  EXPECT_EQ(rig.tags.line(0).pending, 0);
}

TEST(L2Fills, EntriesOfALineAreServedInTheOrderOfTheirOpeningWhateverComesBackFirst) {
  FillRig rig;
  Transaction& a = rig.load();
  Transaction& b = rig.load();
  const std::uint32_t older = rig.fills.open(a, 0, 0x1);
  const std::uint32_t younger = rig.fills.open(b, 0, 0xe);
  EXPECT_TRUE(rig.fills.set_aside(younger));
  EXPECT_FALSE(rig.fills.set_aside(older));
  rig.fills.begin(older);
  EXPECT_EQ(&rig.fills.serve(), &a);
  // The younger read has already returned: it is served now.
  ASSERT_TRUE(rig.fills.serving());
  EXPECT_EQ(rig.fills.served(), younger);
  EXPECT_EQ(&rig.fills.serve(), &b);
  EXPECT_FALSE(rig.fills.serving());
  EXPECT_EQ(rig.tags.line(0).valid, 0xf);
}

TEST(L2Fills, AnEntryWhoseReadIsNotBackWaitsForIt) {
  FillRig rig;
  const std::uint32_t older = rig.fills.open(rig.load(), 0, 0x1);
  (void)rig.fills.open(rig.load(), 0, 0xe);
  rig.fills.begin(older);
  (void)rig.fills.serve();
  EXPECT_FALSE(rig.fills.serving());
  EXPECT_GE(rig.tags.line(0).first, 0);
  EXPECT_EQ(rig.tags.line(0).pending, 0xf);
}

TEST(L2Fills, AreFullWithTheLastEntry) {
  FillRig rig(2);
  const std::uint32_t first = rig.fills.open(rig.load(), 0, 0xf);
  EXPECT_FALSE(rig.fills.full());
  (void)rig.fills.open(rig.load(line(1)), 1, 0xf);
  EXPECT_TRUE(rig.fills.full());
  rig.fills.begin(first);
  (void)rig.fills.serve();
  EXPECT_FALSE(rig.fills.full());
  EXPECT_EQ(rig.fills.open(rig.load(), 0, 0xf), first);
}

TEST(L2Fills, AStoreThatWaitsCoversTheSectorsItWritesWhole) {
  FillRig rig;
  (void)rig.fills.open(rig.load(), 0, 0x1);
  rig.fills.join(rig.store(0x4), 0);
  EXPECT_EQ(rig.tags.line(0).pending, 0x5);
}

// --- Sides ----------------------------------------------------------------------------------------------------------

class Nobody final : public Unit {
 public:
  void tick(Cycle /*now*/) override {}
};

/// Both ends of a link, and the other parts that the memory side of a slice needs.
struct SideRig : sc_core::sc_module, Requests {
  explicit SideRig(const std::vector<std::string>& overrides = {}, std::uint32_t credits = 4)
      : SideRig(sc_core::sc_module_name(sc_core::sc_gen_unique_name("rig")), overrides, credits) {}
  SideRig(const sc_core::sc_module_name& name, const std::vector<std::string>& overrides, std::uint32_t credits)
      : sc_module(name),
        machine(memory_machine(overrides)),
        store({1 << 20, false}),
        group("slice"),
        from("from", owner, credits),
        to("to", owner, credits),
        traffic(group, machine.table.entries) {
    connect(from, to);
  }
  [[nodiscard]] std::uint64_t count(const std::string& name) const { return group.find(name)->integer(); }

  Machine machine;
  Store store;
  Nobody owner;
  base::StatisticGroup group;
  InitiatorPort from;
  TargetPort to;
  L2Traffic traffic;
};

TEST(L2MemorySide, SendsOnePerCycleWhileThereAreCredits) {
  SideRig rig({"l2.miss_queue=4"}, 2);
  L2MemorySide side(rig.machine, rig.from, rig.store, rig.traffic, rig.group);
  for (unsigned i = 0; i < 3; ++i) side.read(line(i), 0x3, i, rig.load().request);
  EXPECT_EQ(side.room(), 1U);
  side.send(10);
  EXPECT_TRUE(side.sent());
  EXPECT_EQ(side.next(10), 11U);
  side.send(11);
  side.send(12);
  EXPECT_FALSE(side.sent());
  EXPECT_EQ(side.next(12), kForever);  // no credit is in flight
  EXPECT_EQ(side.size(), 1U);
  ASSERT_EQ(rig.to.waiting(), 2U);
  EXPECT_EQ(rig.to.request(10), nullptr);
  EXPECT_EQ(rig.to.request(11)->line(), line(0));
  EXPECT_EQ(rig.to.request(11)->request.tag, 0U);
  EXPECT_EQ(rig.count("l2_read_miss"), 3U);
  EXPECT_EQ(rig.count("lsu.memory_bytes"), 3 * 64U);
  (void)rig.to.take_request(13);
  EXPECT_EQ(side.next(13), 14U);
}

TEST(L2MemorySide, WritesBackDirtySectorsAndTheirBytesOnlyWhereMemoryKeepsThem) {
  for (const bool keeps : {false, true}) {
    SideRig rig;
    L2MemorySide side(rig.machine, rig.from, rig.store, rig.traffic, rig.group);
    side.set_keeps_data(keeps);
    std::memset(rig.store.host(line(0)), 0x77, 128);
    side.write_back(line(0), 0, rig.load().request);
    EXPECT_EQ(side.size(), 0U);
    side.write_back(line(0), 0x6, rig.load().request);
    side.send(0);
    const MemoryRequest& write = rig.to.request(1)->request;
    EXPECT_EQ(write.kind, RequestKind::kStore);
    EXPECT_EQ(write.byte_mask[0], 0xffffffff00000000U);
    EXPECT_EQ(write.byte_mask[1], 0x00000000ffffffffU);
    if (keeps) {
      EXPECT_EQ(write.data[64], std::byte{0x77});
    }
    EXPECT_EQ(rig.count("l2_evict_dirty"), 1U);
    EXPECT_EQ(rig.traffic.of(0).evictions, 1U);
  }
}

TEST(L2MemorySide, ComparesWhatAMemoryWithDataOfItsOwnReturns) {
  SideRig rig;
  L2MemorySide side(rig.machine, rig.from, rig.store, rig.traffic, rig.group);
  Transaction& read = rig.make(RequestKind::kLoad, line(0), 0x5);
  std::memcpy(read.request.data, rig.store.host(line(0)), 128);
  read.request.data[40] ^= std::byte{1};  // a byte outside the request's sectors
  read.request.data[70] ^= std::byte{1};
  side.check(read);
  EXPECT_EQ(rig.count("l2_fill_differs"), 0U);
  side.set_keeps_data(true);
  side.check(read);
  EXPECT_EQ(rig.count("l2_fill_differs"), 1U);
}

TEST(L2ReplySide, KeepsCreditsForRepliesThatAreDelayed) {
  SideRig rig({"xbar.flit_bytes=32"}, 8);
  L2ReplySide side(rig.machine, rig.to);
  // Requests that came through the link, as replies go back through it.
  std::deque<Transaction*> came;
  for (unsigned i = 0; i < 2; ++i) {
    rig.from.send(rig.load(), 1, 0, 1);
    came.push_back(&rig.to.take_request(1));
  }
  const MemoryRequest& request = came[0]->request;  // 128 bytes and a header: 5 flits
  EXPECT_TRUE(side.can_reply(request, 2));
  side.delay(*came[0], 9);
  EXPECT_EQ(side.delayed(), 1U);
  EXPECT_EQ(side.next(), 8U);
  EXPECT_FALSE(side.can_reply(came[1]->request, 2));
  side.send_delayed(7);
  EXPECT_EQ(rig.from.queued_replies(), 0U);
  side.send_delayed(8);
  EXPECT_EQ(side.delayed(), 0U);
  EXPECT_EQ(side.next(), kForever);
  EXPECT_EQ(rig.from.reply(8), nullptr);
  EXPECT_EQ(rig.from.reply(9), came[0]);
  EXPECT_FALSE(side.can_reply(came[1]->request, 9));
  (void)rig.from.take_reply(9);
  EXPECT_EQ(side.next_credit(), 10U);
  EXPECT_TRUE(side.can_reply(came[1]->request, 10));
  side.reply(*came[1], 10);
  EXPECT_EQ(rig.from.reply(11), came[1]);
}

// --- What a slice serves --------------------------------------------------------------------------------------------

TEST(AtomicUnit, IsBusyForItsLanesAndAnswersLater) {
  const Machine machine = memory_machine({"atomic.latency=7", "atomic.words_per_cycle=4"});
  base::StatisticGroup group("slice");
  AtomicUnit unit(machine, group);
  EXPECT_EQ(unit.free_at(), 0U);
  Requests requests;
  MemoryRequest& request = requests.make(RequestKind::kAtomic, line(0)).request;
  request.lane_count = 8;
  for (unsigned i = 0; i < 8; ++i) request.lanes[i].offset = static_cast<std::uint8_t>(4 * i);
  EXPECT_EQ(unit.begin(request, 100), 109U);  // two cycles of four words
  EXPECT_EQ(unit.free_at(), 102U);
  for (unsigned i = 0; i < 8; ++i) request.lanes[i].offset = 4;
  EXPECT_EQ(unit.begin(request, 102), 117U);  // eight on one word
  EXPECT_EQ(unit.free_at(), 110U);
  EXPECT_EQ(group.find("atomic_busy")->integer(), 10U);
}

TEST(AtomicUnit, AWordMayTakeLongerThanItsLanes) {
  const Machine machine = memory_machine({"atomic.latency=7", "atomic.words_per_cycle=1", "atomic.word_cycles=3"});
  base::StatisticGroup group("slice");
  AtomicUnit unit(machine, group);
  Requests requests;
  MemoryRequest& request = requests.make(RequestKind::kAtomic, line(0)).request;
  request.lane_count = 8;
  for (unsigned i = 0; i < 8; ++i) request.lanes[i].offset = static_cast<std::uint8_t>(4 * (i / 2));
  EXPECT_EQ(unit.begin(request, 100), 115U);  // four words of two lanes: one word a cycle is what limits
  for (unsigned i = 0; i < 8; ++i) request.lanes[i].offset = static_cast<std::uint8_t>(4 * (i / 4));
  EXPECT_EQ(unit.begin(request, 200), 219U);  // two words of four lanes, three cycles each
  EXPECT_EQ(unit.free_at(), 212U);
}

TEST(L2Data, AWatchEndsWithTheFirstByteThatChanges) {
  Store store({1 << 20, false});
  L2Data data(store, 128);
  Requests requests;
  Transaction& write = requests.store(0x1);
  std::memset(write.request.data, 0x11, 128);
  data.perform(write);
  EXPECT_EQ(store.host(line(0))[31], std::byte{0x11});
  EXPECT_EQ(store.host(line(0))[32], std::byte{0});
  EXPECT_FALSE(data.watching());
  data.watch(true);
  data.perform(write);  // the same bytes
  data.perform(requests.load());
  EXPECT_TRUE(data.watching());
  write.request.data[3] = std::byte{0x12};
  data.perform(write);
  EXPECT_FALSE(data.watching());
  EXPECT_EQ(store.host(line(0))[3], std::byte{0x12});
}

TEST(L2Flush, LeavesOneDirtyLinePerCycleAndWhatIsInFlightStays) {
  SideRig rig({"l2.miss_queue=2"});
  L2MemorySide side(rig.machine, rig.from, rig.store, rig.traffic, rig.group);
  TagArray tags(1, 8);
  L2Flush flush(tags, side);
  for (unsigned way = 0; way < 6; ++way) tags.place(way, line(way));
  for (const unsigned way : {1U, 3U, 4U}) tags.line(way).dirty = 0x1;
  tags.line(5).first = 0;
  EXPECT_FALSE(flush.under_way(0));
  flush.ask(10);
  EXPECT_TRUE(flush.wanted());
  EXPECT_FALSE(flush.due(9));
  EXPECT_TRUE(flush.due(10));
  flush.step(10);
  EXPECT_EQ(side.size(), 1U);
  EXPECT_EQ(tags.tag(0), TagArray::kNoLine);
  EXPECT_EQ(tags.tag(1), TagArray::kNoLine);
  EXPECT_EQ(tags.tag(2), line(2));
  flush.step(11);
  flush.step(12);  // the queue is full
  EXPECT_EQ(tags.tag(4), line(4));
  EXPECT_EQ(side.size(), 2U);
  side.send(12);
  flush.step(13);
  flush.step(14);
  EXPECT_FALSE(flush.wanted());
  EXPECT_TRUE(flush.under_way(14));
  EXPECT_FALSE(flush.under_way(15));
  EXPECT_EQ(tags.tag(5), line(5));
  EXPECT_EQ(rig.count("front_end.l2_evict_dirty"), 3U);
}

TEST(L2Traffic, CountsARequestForSliceClientAndEntry) {
  base::StatisticGroup group("slice");
  L2Traffic traffic(group, 4);
  Requests requests;
  MemoryRequest& load = requests.load().request;
  load.entry = 2;
  MemoryRequest& store = requests.store(0x1).request;
  store.client = Client::kCopy;
  store.entry = 9;  // the store belongs to no kernel
  traffic.hit(load);
  traffic.missed(load, 96);
  traffic.merged(store);
  traffic.hit(store);
  traffic.evicted(load, 64);
  const auto count = [&](const char* name) { return group.find(name)->integer(); };
  EXPECT_THAT((std::vector<std::uint64_t>{count("l2_read_hit"), count("l2_read_miss"), count("l2_write_hit"),
                                          count("l2_merged"), count("l2_evict_dirty")}),
              ElementsAre(1, 1, 1, 1, 1));
  EXPECT_EQ(count("lsu.l2_hit"), 1U);
  EXPECT_EQ(count("lsu.memory_bytes"), 96U);
  EXPECT_EQ(count("copy.l2_hit"), 1U);
  EXPECT_EQ(count("copy.l2_merged"), 1U);
  EXPECT_EQ(traffic.of(2).hits, 1U);
  EXPECT_EQ(traffic.of(2).misses, 1U);
  EXPECT_EQ(traffic.of(2).evictions, 1U);
  EXPECT_EQ(traffic.of(2).bytes_read, 96U);
  EXPECT_EQ(traffic.of(2).bytes_written, 64U);
  for (unsigned entry : {0U, 1U, 3U}) EXPECT_EQ(traffic.of(entry).hits, 0U);
  traffic.clear(2);
  EXPECT_EQ(traffic.of(2).hits, 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_l2_parts_test

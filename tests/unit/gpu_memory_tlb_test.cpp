// Address translation: what a TLB holds, against lists; when an SM has a translation, against the rules.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>

#include "castor/base/rng.h"
#include "castor/gpu/sm/sm_tlb.h"
#include "gpu_memory_support.h"

namespace castor::gpu::gpu_memory_tlb_test {
namespace {

using test::memory_machine;

constexpr std::uint64_t kPage = std::uint64_t{2} << 20;

TEST(TlbEntries, HoldTheLastUsedPagesOfEverySet) {
  const struct { unsigned entries, ways; } shapes[] = {{16, 16}, {1, 1}, {64, 8}, {65, 13}, {12, 1}};
  for (const auto& shape : shapes) {
    TlbEntries entries(shape.entries, shape.ways);
    std::map<std::uint64_t, std::list<std::uint64_t>> sets;  // the last used page first
    base::Xoshiro256 rng(shape.entries);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t page = 2048 + rng.below(2 * shape.entries);
      auto& set = sets[page % (shape.entries / shape.ways)];
      const auto place = std::find(set.begin(), set.end(), page);
      const bool held = place != set.end();
      ASSERT_EQ(entries.find(page), held) << "page " << page << ", step " << i;
      if (held) set.erase(place);
      set.push_front(page);
      if (set.size() > shape.ways) set.pop_back();
      if (!held) entries.insert(page);
    }
  }
}

struct SharedRig {
  explicit SharedRig(const std::vector<std::string>& overrides)
      : machine(memory_machine(overrides)), statistics("memory"), tlb(machine, statistics) {}
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return statistics.groups().front()->find(name)->integer();
  }

  Machine machine;
  base::StatisticGroup statistics;
  SharedTlb tlb;
};

TEST(SharedTlb, AnswersAfterItsLatencyOrAWalk) {
  SharedRig rig({"tlb.l2_latency=20", "tlb.walk_latency=300", "tlb.walkers=2", "tlb.l2_entries=4", "tlb.l2_ways=4"});
  EXPECT_EQ(rig.tlb.translate(1, 100), 100 + 20 + 300U);
  EXPECT_EQ(rig.tlb.translate(1, 110), 420U) << "is being walked for";
  EXPECT_EQ(rig.tlb.translate(1, 500), 520U);
  // One request per cycle; the third walk waits for the first walker.
  EXPECT_EQ(rig.tlb.translate(2, 600), 920U);
  EXPECT_EQ(rig.tlb.translate(3, 600), 921U);
  EXPECT_EQ(rig.tlb.translate(4, 600), 920 + 300U);
  EXPECT_EQ(rig.tlb.translate(1, 600), 623U);
  EXPECT_EQ(rig.count("tlb_walk_wait"), 920 - 622U);
  // Page 2 was used least recently.
  EXPECT_EQ(rig.tlb.translate(5, 2000), 2320U);
  EXPECT_EQ(rig.tlb.translate(3, 3000), 3020U);
  EXPECT_EQ(rig.tlb.translate(2, 4000), 4320U);
  EXPECT_EQ(rig.count("tlb_miss"), 6U);
  EXPECT_EQ(rig.count("tlb_merged"), 1U);
  EXPECT_EQ(rig.count("tlb_hit"), 3U);
}

TEST(SmTlb, AsksOncePerPageAndHoldsItFromTheAnswerOn) {
  SharedRig rig({"tlb.l1_entries=2", "tlb.l1_ways=2", "tlb.l2_latency=20", "tlb.walk_latency=300"});
  base::StatisticGroup sm("sm0");
  SmTlb tlb(rig.machine, rig.tlb, sm);
  const std::uint64_t a = Store::kBase, b = a + kPage, c = b + kPage;
  tlb.look_up(a + 128);
  tlb.look_up(a + kPage - 1);
  tlb.look_up(b);
  EXPECT_TRUE(tlb.asks());
  EXPECT_TRUE(tlb.waits(a));
  EXPECT_FALSE(tlb.waits(c));
  tlb.ask(10);
  EXPECT_FALSE(tlb.asks());
  EXPECT_EQ(tlb.next(), 330U);
  tlb.advance(329, 329 - 5);
  EXPECT_TRUE(tlb.waits(a));
  tlb.advance(330, 330 - 5);
  EXPECT_FALSE(tlb.waits(a));
  EXPECT_TRUE(tlb.waits(b)) << "asked a cycle later";
  EXPECT_EQ(tlb.next(), 331U);
  EXPECT_EQ(tlb.next_tick(), 326U);
  tlb.advance(331, 331 - 5);
  EXPECT_EQ(tlb.next(), kForever);
  tlb.look_up(a);  // now b is the oldest
  tlb.look_up(c);
  EXPECT_FALSE(tlb.waits(a));
  tlb.ask(400);
  tlb.advance(720, 720 - 5);
  tlb.look_up(a);
  EXPECT_FALSE(tlb.asks());
  tlb.look_up(b);
  EXPECT_TRUE(tlb.asks());
  tlb.ask(800);
  EXPECT_EQ(tlb.next(), 820U) << "the shared one still holds it";
  const auto count = [&sm](const char* name) { return sm.groups().front()->find(name)->integer(); };
  EXPECT_EQ(count("tlb_miss"), 4U);
  EXPECT_EQ(count("tlb_merged"), 1U);
  EXPECT_EQ(count("tlb_hit"), 2U);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_tlb_test

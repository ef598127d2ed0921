// Tests of the parse lanes alone: the time that a lane takes, and the order of the reads.
#include "castor/gpu/front_end/parse_lanes.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_lanes_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

class LaneRig : public PartRig {
 public:
  explicit LaneRig(const std::vector<std::string>& keys, Cycle latency = 20)
      : PartRig(load(keys)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group, latency),
        part(machine, store, memory.client(FrontEndMemory::User::kDescriptors)),
        images(store.allocate(4096, AllocationKind::kPool).value()) {
    for (unsigned i = 0; i < 64; ++i) std::memset(store.host(image(i)), static_cast<int>(i), 64);
  }
  [[nodiscard]] std::uint64_t image(unsigned i) const { return images + 64 * i; }
  /// Runs step F1. Returns the lanes whose packet image has arrived.
  std::vector<unsigned> receive(Cycle now) {
    std::vector<unsigned> read;
    while (const ParseLanes::Lane* const lane = part.receive(now)) {
      EXPECT_EQ(lane->image[63], static_cast<std::byte>(lane->entry));
      read.push_back(lane->entry);
    }
    return read;
  }
  Store store;
  MemoryRig memory;
  ParseLanes part;
  std::uint64_t images;
};

TEST(ParseLanes, ALaneIsDoneParseLatencyCyclesAfterItsGrant) {
  for (const unsigned latency : {0U, 1U, 2U, 50U, 280U}) {
    LaneRig rig({"parse.latency=" + std::to_string(latency)}, 0);
    Cycle done = 0;
    for (Cycle now = 10; now < 400 && done == 0; ++now) {
      rig.receive(now);
      if (now == 10) rig.part.start(5, rig.image(5), now);
      if (const ParseLanes::Lane* const lane = rig.part.finished(now)) {
        EXPECT_EQ(lane->entry, 5U);
        EXPECT_FALSE(lane->inspects);
        EXPECT_EQ(lane->image[0], std::byte{5});
        rig.part.pop();
        done = now;
      }
      rig.memory.tick(now);
    }
    // A read takes some cycles even from a memory without latency.
    if (latency == 0 || latency >= 50) {
      EXPECT_EQ(done, 10 + std::max(latency, 1U)) << latency;
    }
    EXPECT_GE(done, 10 + std::max(latency, 1U));
    EXPECT_EQ(rig.part.busy(), 0U);
    EXPECT_EQ(rig.part.next(), kForever);
  }
}

TEST(ParseLanes, ASlowReadDelaysTheLaneAndThoseBehindIt) {
  LaneRig rig({"parse.latency=5", "parse.interval=1", "parse.lanes=4"}, 100);
  std::vector<unsigned> read;
  std::vector<unsigned> done;
  for (Cycle now = 10; now < 300; ++now) {
    for (const unsigned entry : rig.receive(now)) read.push_back(entry);
    if (now < 13) rig.part.start(static_cast<unsigned>(now), rig.image(static_cast<unsigned>(now)), now);
    if (rig.part.finished(now) != nullptr) {
      EXPECT_GT(now, 110U);
      done.push_back(rig.part.finished(now)->entry);
      rig.part.pop();
    }
    rig.memory.tick(now);
  }
  EXPECT_THAT(read, testing::ElementsAre(10, 11, 12));
  EXPECT_THAT(done, testing::ElementsAre(10, 11, 12));
}

TEST(ParseLanes, GrantsAreAnIntervalApartAndAtMostOnePerLane) {
  LaneRig rig({"parse.latency=280", "parse.interval=7", "parse.lanes=2"});
  EXPECT_TRUE(rig.part.can_start(10));
  rig.part.start(0, rig.image(0), 10);
  EXPECT_EQ(rig.part.next_start(), 17U);
  EXPECT_FALSE(rig.part.can_start(16));
  EXPECT_TRUE(rig.part.can_start(17));
  rig.part.start(1, rig.image(1), 17);
  EXPECT_TRUE(rig.part.full());
  EXPECT_FALSE(rig.part.can_start(100));
}

TEST(ParseLanes, AnAnnouncementTakesALaneAsAKernelDoesAndReadsOnlyWhatIsInMemory) {
  LaneRig rig({"parse.latency=30", "parse.interval=1", "parse.lanes=4"}, 0);
  rig.part.inspect(7, 10);
  rig.part.start(8, rig.image(8), 11);
  EXPECT_FALSE(rig.part.inspect(9, rig.image(9), 12).read);
  std::vector<unsigned> done;
  for (Cycle now = 12; now < 60; ++now) {
    rig.receive(now);
    if (const ParseLanes::Lane* const lane = rig.part.finished(now)) {
      EXPECT_EQ(now, 40 + done.size());
      EXPECT_EQ(lane->inspects, lane->entry != 8);
      done.push_back(lane->entry);
      rig.part.pop();
    }
    rig.memory.tick(now);
  }
  EXPECT_THAT(done, testing::ElementsAre(7, 8, 9));
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_lanes_test

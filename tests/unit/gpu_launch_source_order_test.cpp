// Tests of a block that chooses the next launch by device code for the kernel table: order by level and SM of the
// parent, suspended thread blocks, launches of stopped trees, and equal results with and without sleeping.

#include <sstream>

#include "tests/unit/gpu_launch_group_support.h"

namespace castor::gpu::launch_test::source_order {
namespace {

using Keys = std::vector<std::string>;

Keys with(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}
const Keys kBlock = {"blocks.laperm_kmu.enable=1"};
const Keys kByLevel = {"blocks.laperm_kmu.enable=1", "blocks.laperm_kmu.lists=by_level"};

constexpr unsigned kLow = 40, kDeep = 8;

/// Returns PTX that launches into a new stream, so that the launch waits for a table entry only. Clobbers %rd2 to %rd4,
/// %r3, %r4.
std::string launch_free(const std::string& name, const std::string& number) {
  return "add.u64 %rd2, %rd0, 4096;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
         arguments("%rd4", "%rd0", number) + launch("%r4", name, "%rd4", {"1", "1", "0", "%rd3"});
}
/// Returns PTX that makes `times` such launches. `label` must be unique in the kernel.
std::string launches(const std::string& name, unsigned times, const std::string& label) {
  return "mov.u32 %r5, 0;\n" + label + ":\n" + launch_free(name, "%r5") +
         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " + std::to_string(times) + ";\n@%p1 bra " + label + ";\n";
}

// The parent launches a kernel that launches eight deep ones, and 40 that stay at its own level; the table is small.
const std::string kNested = kernel("low", spend("20000", "L") + "red.global.add.u32 [%rd0], 1;") +
                            kernel("deep", spend("20000", "L") + "red.global.add.u32 [%rd0+4], 1;") +
                            kernel("branch", launches("deep", kDeep, "D") + "red.global.add.u32 [%rd0+8], 1;") +
                            kernel("parent", launch_free("branch", "0") + launches("low", kLow, "A"));

struct Order {
  std::string result;                           ///< outcome, and the kernels' counters
  std::string order;                            ///< order of the grants: "l" for a kernel of level 1, "d" for a deep
                                                ///< one
  std::string history;                          ///< all events with their cycles
  std::map<std::string, std::uint64_t> counts;  ///< statistics of the block
};

/// Runs kNested on a new machine. Returns result, order and history as lines.
std::string nested(const Keys& keys) {
  GroupTimed timed("kepler_ideal", with({"table.entries=3"}, keys), kNested, false, true);
  const std::uint64_t out = timed.host.words(4096);
  std::string text = timed.host.run("parent", out) == Outcome::kDone ? "done" : "not done: " + timed.host.said();
  for (const std::uint32_t value : timed.host.values(out, 3)) text += " " + std::to_string(value);
  text += "\n";
  for (const Ticket ticket : timed.events.all.order) {
    const std::string& name = timed.events.all.kernels.at(ticket).name;
    if (name == "low" || name == "deep") text += name[0];
  }
  text += "\n";
  for (const GroupEvents::Event& event : timed.events.history) {
    for (const std::uint64_t value : event) text += std::to_string(value) + " ";
  }
  text += "\n";
  for (const char* count : {"launches", "above", "overtaking", "queues", "suspended"}) {
    if (std::find(keys.begin(), keys.end(), kBlock[0]) == keys.end()) break;
    text += std::string(count) + " " +
            std::to_string(timed.statistic(std::string("front_end.source_order.laperm_kmu.") + count)) + " ";
  }
  return text;
}

Order order_of(const Keys& keys) {
  std::istringstream text(in_process([&keys] { return nested(keys); }));
  Order run;
  std::getline(text, run.result);
  std::getline(text, run.order);
  std::getline(text, run.history);
  std::string count;
  std::uint64_t value = 0;
  while (text >> count >> value) run.counts[count] = value;
  EXPECT_EQ(run.result, "done 40 8 1");
  return run;
}

/// Number of kernels of level 1 that are granted after the last deep one.
std::size_t behind(const std::string& order) { return order.size() - 1 - order.rfind('d'); }

TEST(LaunchSourceOrder, WithoutTheBlockLaunchesAreGrantedAsTheyArrive) {
  const Order run = order_of({});
  ASSERT_EQ(run.order.size(), kLow + kDeep);
  // Launches of the parent that had already arrived go first. The deep ones are mixed with those that arrived at the
  // same time.
  EXPECT_LT(run.order.find('l'), run.order.find('d'));
}

TEST(LaunchSourceOrder, ByLevelAllDeepOnesThatWaitGoFirst) {
  const Order one = order_of({}), run = order_of(kByLevel);
  ASSERT_EQ(run.order.size(), kLow + kDeep);
  EXPECT_NE(run.order, one.order);
  EXPECT_GT(behind(run.order), behind(one.order));
  EXPECT_EQ(run.counts.at("launches"), kLow + kDeep + 1U);
  EXPECT_EQ(run.counts.at("above"), kDeep);
  EXPECT_GT(run.counts.at("overtaking"), 0U);
  EXPECT_EQ(run.counts.at("queues"), 1U);
}

TEST(LaunchSourceOrder, BySmTheSmsOfTheParentsTakeTurns) {
  const Order one = order_of({}), run = order_of(kBlock);
  ASSERT_EQ(run.order.size(), kLow + kDeep);
  EXPECT_NE(run.order, one.order);
  EXPECT_EQ(run.counts.at("above"), kDeep);
}

TEST(LaunchSourceOrder, SleepingChangesNothing) {
  for (const Keys& keys : {Keys(), kBlock, kByLevel}) {
    const Order one = order_of(keys), other = order_of(with(keys, {"run.sleep=0"}));
    EXPECT_EQ(one.history, other.history);
    EXPECT_EQ(one.counts, other.counts);
  }
}

// Makes 200 launches at once. Returns the cycles from the first grant to the last.
std::string burst(const Keys& keys) {
  GroupTimed timed("kepler_ideal", keys, kBurst, false, true);
  const std::uint64_t out = timed.host.words(8192);
  if (timed.host.run("parent", out, 0, 4, 50) != Outcome::kDone) return "not done: " + timed.host.said();
  if (timed.host.values(out, 200) != std::vector<std::uint32_t>(200, 1)) return "wrong";
  Cycle first = kForever, last = 0;
  for (const auto& [ticket, kernel] : timed.events.all.kernels) {
    if (kernel.name != "count") continue;
    first = std::min(first, kernel.granted);
    last = std::max(last, kernel.granted);
  }
  return std::to_string(last - first);
}
Cycle burst_of(const Keys& keys) {
  return std::stoull(in_process([&keys] { return burst(keys); }));
}

// Only one launch of a list is on the chip, so launches follow each other at the latency of memory.
TEST(LaunchSourceOrder, AListForALevelIsReadAsFarAheadAsThePool) {
  const Cycle without = burst_of({}), wide = burst_of(kByLevel), narrow = burst_of(with(kByLevel, {"pool.window=1"}));
  EXPECT_GT(narrow, 3 * wide);
  EXPECT_LT(wide, 2 * without);
}
TEST(LaunchSourceOrder, ListsOfSmsShareTheWindow) {
  EXPECT_LT(burst_of(with(kBlock, {"pool.window=64"})), burst_of(with(kBlock, {"pool.window=1"})));
}

// Recursion: each kernel launches two and waits for them, deeper than there are entries.
const std::string kTree = kernel("node", "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra LEAF;\nsub.u32 %r6, %r0, 1;\n" +
                                             arguments("%rd4", "%rd0", "%r6") + launch("%r4", "node", "%rd4") +
                                             arguments("%rd4", "%rd0", "%r6") + launch("%r4", "node", "%rd4") +
                                             synchronize("%r5") + "LEAF:\nred.global.add.u32 [%rd0], 1;");

void suspended_blocks_come_back(const Keys& keys) {
  GroupTimed timed("kepler_ideal", with({"table.entries=2"}, keys), kTree);
  LaunchLimits limits;
  limits.sync_depth = 8;
  timed.device.launcher().set_limits(limits);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("node", out, 5), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out), 63U);
  EXPECT_GT(timed.statistic("front_end.source_order.laperm_kmu.suspended"), 0U);
  EXPECT_EQ(timed.statistic("front_end.suspension.resumed"), timed.statistic("front_end.suspension.suspended"));
}
TEST(LaunchSourceOrder, SuspendedBlocksComeBack) { suspended_blocks_come_back(kBlock); }
TEST(LaunchSourceOrder, SuspendedBlocksComeBackByLevel) { suspended_blocks_come_back(kByLevel); }

// A fault stops the tree while its launches wait in lists. They are dropped, and the machine continues.
TEST(LaunchSourceOrder, LaunchesOfAStoppedTreeAreDropped) {
  const std::string text =
      kernel("low", spend("20000", "L")) + kernel("bad", "mov.u64 %rd5, 8;\nst.global.u32 [%rd5], %r0;") +
      kernel("parent", launches("low", 10, "A") + launch_free("bad", "0") + launches("low", 20, "B"));
  GroupTimed timed("kepler_ideal", with({"table.entries=2"}, kBlock), text);
  const std::uint64_t out = timed.host.words(4096);
  EXPECT_EQ(timed.host.run("parent", out), Outcome::kFault);
  EXPECT_GT(timed.statistic("front_end.device_launches.dropped"), 0U);
}

}  // namespace
}  // namespace castor::gpu::launch_test::source_order

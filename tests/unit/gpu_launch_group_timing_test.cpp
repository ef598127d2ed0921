// Tests of the times at which groups of thread blocks that device code launches reach their kernel: calls, commands,
// fallbacks. The first lines of each case name the errors that it would find.

#include <sstream>

#include "tests/unit/gpu_launch_group_support.h"

namespace castor::gpu::launch_test::group_timing {
namespace {

using isa::RuntimeCall;
using Words = std::vector<std::uint32_t>;

// Return the PTX that begins the kernel. In the host's launch, `number` is 0x10000 or above, and its low bits say how
// many lanes of each warp launch a group: all other lanes branch to WAIT. In a group, `number` is smaller, and all
// threads branch to WORK.
std::string own_lanes() {
  return "setp.lt.u32 %p1, %r0, 0x10000;\n@%p1 bra WORK;\nand.b32 %r10, %r0, 255;\nand.b32 %r11, %r1, 31;\n";
}
std::string only_lanes() { return "setp.ge.u32 %p1, %r11, %r10;\n@%p1 bra WAIT;\n"; }
constexpr std::uint32_t kOwn = 0x10000;

// Returns a kernel with one group per lane, of blocks of `threads` threads that run for `ticks`. out[number] counts
// threads. `before` precedes the calls.
std::string self(const std::string& threads, const std::string& grid = "1", const std::string& before = "",
                 const std::string& ticks = "20000") {
  return kernel("self", own_lanes() + before + only_lanes() + arguments("%rd4", "%rd0", "%r1") +
                            launch_group("%r4", "self", "%rd4", flat(grid, threads)) + add("%rd0+4096", "%r4") +
                            "WAIT:\n" + spend("3000", "L") + add("%rd0+4100", "1") + "bra END;\nWORK:\n" +
                            spend(ticks, "M") + word("%rd1", "%r0") + add("%rd1", "1") + "END:\n");
}
// Occupies a table entry until out[1025], which the other kernel's own launch counts, is not 0.
const std::string kHold = kernel("hold", add("%rd0+4104", "1") + await("%rd0+4100", "1", "W"));

const std::vector<std::string> kBlock = {"blocks.dtbl.enable=1"};
std::vector<std::string> with_block(const std::vector<std::string>& more) {
  std::vector<std::string> all = kBlock;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// --- A command ------------------------------------------------------------------------------------------------------

struct Command {
  Cycle returned = 0;  ///< the call
  unsigned entry = 0;  ///< table entry of the kernel
  std::vector<Cycle> placed;
};
// Runs one command with `holders` kernels in the lower entries.
Command command(unsigned lanes, unsigned holders, const std::vector<std::string>& more = {}) {
  Command result;
  const std::string text = in_process([&] {
    GroupTimed timed("kepler_ideal", with_block(more), self("32") + kHold, true);
    const std::uint64_t out = timed.host.words(2048);
    for (unsigned i = 0; i < holders; ++i) static_cast<void>(timed.host.submit("hold", out, 0, 1, 1, 1 + i));
    while (timed.host.value(out, 1026) < holders) {
      if (timed.device.advance_to(timed.device.now() + 1000000) != Outcome::kDone) return timed.host.said();
    }
    const Ticket ticket = timed.host.submit("self", out, kOwn + lanes, 1, 32);
    if (timed.device.advance_until(ticket) != Outcome::kDone) return timed.host.said();
    Words expected(32, 0);
    std::fill(expected.begin(), expected.begin() + lanes, 32);
    const std::string right = compared(timed.host.values(out, 32), expected);
    if (right != "right") return right;
    std::string all =
        std::to_string(timed.call("self").next.cycle) + ' ' + std::to_string(timed.events.entries.at(ticket)) + ' ';
    std::uint32_t last = 0;
    for (const GroupEvents::Placed& tb : timed.events.of_groups()) {
      if (tb.group < last) return std::string("lanes out of order");
      last = tb.group;
      all += std::to_string(tb.cycle) + ' ';
    }
    return all;
  });
  std::istringstream in(text);
  in >> result.returned >> result.entry;
  EXPECT_TRUE(in) << text;
  for (Cycle cycle = 0; in >> cycle;) result.placed.push_back(cycle);
  return result;
}

// The test fails if groups of one key cost one search each, or if two are accepted in one cycle.
TEST(GroupTiming, OneGroupOfACommandPerCycle) {
  for (const unsigned lanes : {1U, 2U, 7U, 32U}) {
    const Command one = command(lanes, 0);
    ASSERT_EQ(one.placed.size(), lanes);
    for (unsigned i = 1; i < lanes; ++i) EXPECT_EQ(one.placed[i], one.placed[0] + i) << lanes << " lanes, group " << i;
  }
}

// The call returns in r. The search examines entry 0 in r + 1, one entry per cycle, and finds the kernel after S
// cycles. Group i is accepted in r + 1 + S + i and attached one cycle later. Its first block is placed one cycle after
// that.
TEST(GroupTiming, FromTheReturnOfTheCallToThePlacement) {
  for (const unsigned holders : {0U, 1U, 2U, 5U, 11U}) {
    const Command one = command(3, holders);
    EXPECT_EQ(one.entry, holders);
    const Cycle search = one.entry + 1;
    ASSERT_EQ(one.placed.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(one.placed[i], one.returned + 1 + search + i + 2) << holders;
  }
}

// The same with a longer search. The time between the return and the front end is excluded.
TEST(GroupTiming, ASearchTakesACycleMorePerEntry) {
  const Command first = command(4, 0);
  ASSERT_EQ(first.placed.size(), 4U);
  for (const unsigned holders : {1U, 4U, 12U}) {
    const Command other = command(4, holders);
    ASSERT_EQ(other.placed.size(), 4U);
    EXPECT_EQ(other.placed[0] - other.returned, first.placed[0] - first.returned + holders);
  }
}

// Lanes alternate between two resident kernels. A beat with another key costs a cycle, a search from entry 0, and the
// cycle in which it is accepted. The test fails if all beats share one search, or if a key that was found before costs
// none.
TEST(GroupTiming, AnotherKeyIsAnotherSearch) {
  const std::string text =
      kHold +
      kernel("other", "setp.lt.u32 %p1, %r0, 0x10000;\n@%p1 bra WORK;\n" + add("%rd0+4104", "1") +
                          await("%rd0+4100", "1", "W") + "bra END;\nWORK:\n" + spend("20000", "M") + "END:\n") +
      kernel("self", own_lanes() + only_lanes() +
                         "mov.u64 %rd20, self;\nmov.u64 %rd21, other;\nand.b32 %r5, %r1, 1;\nsetp.eq.u32 %p2, %r5, 0;\n"
                         "selp.b64 %rd22, %rd20, %rd21, %p2;\n" +
                         arguments("%rd4", "%rd0", "%r1") + launch_group("%r4", "%rd22", "%rd4", flat("1", "32")) +
                         "WAIT:\n" + spend("3000", "L") + add("%rd0+4100", "1") + "bra END;\nWORK:\n" +
                         spend("20000", "M") + "END:\n");
  GroupTimed timed("kepler_ideal", kBlock, text, true);
  const std::uint64_t out = timed.host.words(2048);
  // Entries 0 and 1 are occupied, 2 has the other kernel, 3 the launching one.
  for (unsigned i = 0; i < 2; ++i) static_cast<void>(timed.host.submit("hold", out, 0, 1, 1, 1 + i));
  while (timed.host.value(out, 1026) < 2) {
    ASSERT_EQ(timed.device.advance_to(timed.device.now() + 1000000), Outcome::kDone) << timed.host.said();
  }
  const Ticket other = timed.host.submit("other", out, kOwn, 1, 32, 3);
  while (timed.host.value(out, 1026) < 34) {
    ASSERT_EQ(timed.device.advance_to(timed.device.now() + 1000000), Outcome::kDone) << timed.host.said();
  }
  const Ticket ticket = timed.host.submit("self", out, kOwn + 8, 1, 32);
  ASSERT_EQ(timed.device.advance_until(ticket), Outcome::kDone) << timed.host.said();
  const auto placed = timed.events.of_groups();
  ASSERT_EQ(placed.size(), 8U);
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(placed[i].ticket, i % 2 == 0 ? ticket : other) << i;
    if (i == 0) continue;
    const Cycle search = timed.events.entries.at(placed[i].ticket) + 1;
    EXPECT_EQ(placed[i].cycle - placed[i - 1].cycle, 1 + search + 1) << i;
  }
}

// The test fails if groups changed their order between table and memory: group i has i + 1 blocks.
TEST(GroupTiming, GroupsInMemoryKeepTheirPlaceInTheOrder) {
  for (const char* size : {"1", "4", "1024"}) {
    const std::string result = in_process([&] {
      GroupTimed timed("kepler_ideal", with_block({std::string("blocks.dtbl.agt_size=") + size}),
                       self("32", "%r5", "add.u32 %r5, %r1, 1;\n", "2000"));
      const std::uint64_t out = timed.host.words(2048);
      if (timed.host.run("self", out, kOwn + 16, 1, 32) != Outcome::kDone) return timed.host.said();
      const auto placed = timed.events.of_groups();
      if (placed.size() != 16 * 17 / 2) return std::to_string(placed.size()) + " blocks";
      std::size_t next = 0;
      for (unsigned group = 0; group < 16; ++group) {
        for (unsigned block = 0; block <= group; ++block, ++next) {
          if (placed[next].gid != block)
            return "block " + std::to_string(next) + " is " + std::to_string(placed[next].gid);
          if (placed[next].group != placed[next - block].group) return std::string("groups are mixed");
        }
      }
      return std::string("right");
    });
    EXPECT_EQ(result, "right") << size;
  }
}

// --- The call -------------------------------------------------------------------------------------------------------

Tick ticks_of_call(unsigned lanes, std::vector<std::string> overrides) {
  const std::string text = in_process([&] {
    GroupTimed timed("kepler_ideal", overrides, self("32", "1", "", "100"), true);
    const std::uint64_t out = timed.host.words(2048);
    if (timed.host.run("self", out, kOwn + lanes, 1, 32) != Outcome::kDone) return timed.host.said();
    if (timed.host.value(out, 1024) != 0) return std::string("errors");
    const Events::Step step = timed.call("self");
    return std::to_string(step.next.tick - step.call.tick);
  });
  EXPECT_THAT(text, testing::MatchesRegex("[0-9]+"));
  return std::strtoull(text.c_str(), nullptr, 10);
}

// The test fails if the call returns before memory has the records: a path to memory that is 100 cycles longer in both
// directions must cost 200.
TEST(GroupTiming, TheCallReturnsWhenItsRecordsAreAcknowledged) {
  for (const unsigned lanes : {1U, 32U}) {
    const Tick near = ticks_of_call(lanes, with_block({"xbar.latency=8"}));
    const Tick far = ticks_of_call(lanes, with_block({"xbar.latency=108"}));
    EXPECT_GE(far, near + 200) << lanes;
  }
}

// The test fails if more than one record per tick leaves the SM.
TEST(GroupTiming, OneRecordPerTick) { EXPECT_GE(ticks_of_call(32, kBlock), ticks_of_call(1, kBlock) + 31); }

// The time of the call must not depend on the fate of the groups.
TEST(GroupTiming, TheCallTakesTheSameWithoutTheBlock) {
  for (const unsigned lanes : {1U, 5U, 32U}) EXPECT_EQ(ticks_of_call(lanes, {}), ticks_of_call(lanes, kBlock)) << lanes;
}

// The test fails if a call for groups takes the latency of a kernel launch.
TEST(GroupTiming, TheCallDoesNotTakeTheTimeOfAKernelsLaunch) {
  EXPECT_EQ(ticks_of_call(32, with_block({"launch.launch_warp=12187", "launch.launch_lane=1592"})),
            ticks_of_call(32, kBlock));
}

// A call whose lanes all fail writes no record, so it waits for the reply only.
TEST(GroupTiming, ACallWithoutALaneThatLaunchesReturnsAtOnce) {
  for (const std::vector<std::string>& overrides : {std::vector<std::string>{}, kBlock}) {
    const std::string text = in_process([&] {
      GroupTimed timed(
          "kepler_ideal", overrides,
          kernel("parent", arguments("%rd4", "%rd0", "%r1") + launch_group("%r4", "parent", "%rd4", flat("0", "32")) +
                               add("%rd0", "%r4")),
          true);
      const std::uint64_t out = timed.host.words(64);
      if (timed.host.run("parent", out, 0, 1, 32) != Outcome::kDone) return timed.host.said();
      if (timed.host.value(out) != 9 * 32) return std::string("no errors");
      const Events::Step step = timed.call("parent");
      return std::to_string(step.next.tick - step.call.tick);
    });
    EXPECT_THAT(text, testing::AnyOf("1", "2", "3"));
  }
}

// --- Commands of one SM ---------------------------------------------------------------------------------------------

struct Call {
  unsigned sm = 0, warp = 0;
  Cycle issued = 0, returned = 0;
  Cycle last_taken = 0;  ///< cycle in which the last beat of the command is accepted
};
// Lets eight warps of a block call at once with four lanes each. Returns the groups in the order of their placement, at
// most one per cycle.
std::vector<Call> eight_warps(GroupTimed& timed) {
  const std::uint64_t out = timed.host.words(2048);
  EXPECT_EQ(timed.host.run("self", out, kOwn + 4, 1, 256), Outcome::kDone) << timed.host.said();
  std::vector<Call> calls;
  const auto pcs = timed.host.loaded.calls("self", RuntimeCall::kLaunchGroup);
  for (const Events::Step& step : timed.events.all.steps("self", pcs.at(0))) {
    calls.push_back({step.call.sm, step.call.warp, step.call.cycle, step.next.cycle, 0});
  }
  EXPECT_EQ(calls.size(), 8U);
  const auto placed = timed.events.of_groups();
  EXPECT_EQ(placed.size(), 32U);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    // The index of the table entry is the number of the thread in its SM.
    const unsigned warp = placed[i].group / 32, lane = placed[i].group % 32;
    EXPECT_EQ(lane, i % 4) << "group " << i;
    EXPECT_EQ(warp, placed[i - i % 4].group / 32) << "commands are mixed";
    for (Call& call : calls) {
      if (call.warp == warp) call.last_taken = placed[i].cycle - 2;
    }
  }
  return calls;
}
// Like `self`, but everything that the calls need is done before a barrier.
const std::string kBarrier =
    kernel("self", own_lanes() + "mov.u64 %rd4, 0;\nsetp.ge.u32 %p3, %r11, %r10;\n@%p3 bra READY;\n" +
                       arguments("%rd4", "%rd0", "%r1") + "READY:\nbar.sync 0;\n@%p3 bra WAIT;\n" +
                       launch_group("%r4", "self", "%rd4", flat("1", "256")) + add("%rd0+4096", "%r4") + "WAIT:\n" +
                       spend("3000", "L") + "bra END;\nWORK:\n" + spend("8000", "M") + word("%rd1", "%r0") +
                       add("%rd1", "1") + "END:\n");

// Least duration of a single call, and largest distance between calls that proceed together.
constexpr Cycle kOneCall = 100;
std::vector<Call> by_return(std::vector<Call> calls) {
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.returned < b.returned; });
  return calls;
}

// The test fails if a call proceeded although the SM holds its maximum of commands, or if the SM could not hold the
// configured number. A call without a free command slot has issued, and waits.
TEST(GroupTiming, AnSmHoldsAsManyCommandsAsItIsSaid) {
  for (const unsigned most : {1U, 2U, 3U, 8U}) {
    const std::string result = in_process([&] {
      GroupTimed timed("kepler_ideal", with_block({"launch.commands=" + std::to_string(most)}), kBarrier, true);
      const std::vector<Call> calls = by_return(eight_warps(timed));
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (i < most && calls[i].returned > calls[0].returned + kOneCall) return "it holds only " + std::to_string(i);
        if (i >= most && calls[i].returned < calls[i - most].last_taken + kOneCall)
          return "it holds more: call " + std::to_string(i);
      }
      return std::string("right");
    });
    EXPECT_EQ(result, "right") << most;
  }
}
TEST(GroupTiming, AnSmHoldsTwoCommandsIfNothingIsSaid) {
  const auto calls = [](const std::vector<std::string>& more) {
    return in_process([&] {
      GroupTimed timed("kepler_ideal", with_block(more), kBarrier, true);
      std::string all;
      for (const Call& call : eight_warps(timed)) {
        all += std::to_string(call.warp) + ':' + std::to_string(call.returned) + ' ';
      }
      return all;
    });
  };
  const std::string plain = calls({});
  EXPECT_EQ(plain, calls({"launch.commands=2"}));
  EXPECT_NE(plain, calls({"launch.commands=1"}));
}

// An SM has one command at a time. The test fails if the next call proceeds long before the last beat of the previous
// one is accepted, or too long after it. The previous call returns in r, a cycle or two before its warp's next issue.
// Its first beat is examined in r + 1, its last one accepted in r + 1 + S + 3.
TEST(GroupTiming, ACallThatWaitsForItsTurnGoesOnWhenTheCommandBeforeHasBeenSent) {
  GroupTimed timed("kepler_ideal", with_block({"launch.commands=1"}), kBarrier, true);
  const std::vector<Call> calls = by_return(eight_warps(timed));
  ASSERT_EQ(calls.size(), 8U);
  const Cycle first = calls[0].returned - calls[0].issued;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Cycle last = calls[i - 1].returned + 1 + 1 + 3;
    EXPECT_LE(calls[i - 1].last_taken, last) << i;
    EXPECT_GE(calls[i - 1].last_taken + 2, last) << i;
    // The call takes as long as the first one did, except for the time in memory.
    EXPECT_GE(calls[i].returned, calls[i - 1].last_taken + first - 60) << i;
    EXPECT_LE(calls[i].returned, calls[i - 1].last_taken + 2 * first + 100) << i;
  }
}

// The test fails if commands of one SM are sent out of order, with gaps, or overlapping. The next command is examined S
// + x cycles after the previous one, or in the cycle after its call has returned, which is not later than the next
// issue of its warp.
TEST(GroupTiming, CommandsOfOneSmFollowEachOther) {
  GroupTimed timed("kepler_ideal", with_block({"launch.commands=8"}), kBarrier, true);
  std::vector<Call> calls = eight_warps(timed);
  ASSERT_EQ(calls.size(), 8U);
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.last_taken < b.last_taken; });
  Cycle free = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_LE(calls[i].last_taken, std::max(free, calls[i].returned + 1) + 1 + 3) << i;
    EXPECT_GE(calls[i].last_taken, free + 1 + 3) << i;
    free = calls[i].last_taken + 1;
  }
}

// --- Commands of several SMs ----------------------------------------------------------------------------------------

// Waits until a time that is the same on all SMs.
const std::string kTogether =
    "mov.u64 %rd50, %clock64;\nshr.u64 %rd50, %rd50, 13;\nadd.u64 %rd50, %rd50, 1;\nshl.b64 %rd50, %rd50, 13;\nT:\n"
    "mov.u64 %rd51, %clock64;\nsetp.lt.u64 %p5, %rd51, %rd50;\n@%p5 bra T;\n";
// Waits after that common time, SMs with high numbers for a shorter time.
const std::string kDownwards =
    "mov.u32 %r20, %smid;\nsub.u32 %r20, 13, %r20;\nmul.wide.u32 %rd52, %r20, 24;\nadd.u64 %rd50, %rd50, %rd52;\nU:\n"
    "mov.u64 %rd51, %clock64;\nsetp.lt.u64 %p5, %rd51, %rd50;\n@%p5 bra U;\n";

// A block on each SM launches eight groups at once. The test fails if the beats of commands were interleaved, or if SMs
// were not served in turn: after a command of SM s comes the next SM in order that has one, whatever arrived first.
TEST(GroupTiming, SmsAreServedInTurnAndCommandsAreNotMixed) {
  const std::string text = kernel("self", own_lanes() + only_lanes() + arguments("%rd4", "%rd0", "%r2") +
                                              go_unless_equal("%r11", "0", "READY") + add("%rd0+512", "1") +
                                              "READY:\n" + await("%rd0+512", "13", "W") + kTogether + kDownwards +
                                              launch_group("%r4", "self", "%rd4", flat("1", "32")) + "WAIT:\n" +
                                              spend("3000", "L") + "bra END;\nWORK:\n" + spend("5000", "M") + "END:\n");
  GroupTimed timed("kepler_ideal", with_block({"blocks.dtbl.hash_mode=1"}), text, true);
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("self", out, kOwn + 8, 13, 32), Outcome::kDone) << timed.host.said();
  ASSERT_EQ(timed.block("agt_misses"), 0U) << "entries tell who launched";
  // Return tick of the call, by SM.
  std::map<unsigned, Cycle> waiting;
  std::map<unsigned, unsigned> warps;
  const auto pcs = timed.host.loaded.calls("self", RuntimeCall::kLaunchGroup);
  for (const Events::Step& step : timed.events.all.steps("self", pcs.at(0))) {
    waiting[step.call.sm] = step.next.cycle;
    warps[step.call.sm] = step.call.warp;
  }
  ASSERT_EQ(waiting.size(), 13U);
  const auto placed = timed.events.of_groups();
  ASSERT_EQ(placed.size(), 104U);
  Cycle free = 0;
  unsigned last = 12, in_turn = 0;
  for (std::size_t i = 0; i < placed.size(); i += 8) {
    Cycle earliest = Device::kNoTime;
    for (const auto& [sm, returned] : waiting) earliest = std::min(earliest, returned);
    const Cycle looked_at = std::max(free, earliest + 1);
    unsigned sm = last;
    do {
      sm = (sm + 1) % 13;
    } while (waiting.count(sm) == 0 || waiting.at(sm) + 1 > looked_at);
    in_turn += waiting.at(sm) != earliest ? 1 : 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(placed[i + lane].group, ((32 * warps.at(sm) + lane) ^ (79 * sm)) % 1024)
          << "command " << i / 8 << " is of SM " << sm << ", lane " << lane;
      EXPECT_EQ(placed[i + lane].cycle, placed[i].cycle + lane) << "command " << i / 8 << ", lane " << lane;
    }
    // The warp's next issue may come later than the return.
    EXPECT_LE(placed[i].cycle, looked_at + 1 + 2) << "command " << i / 8;
    EXPECT_GE(placed[i].cycle + 2, looked_at + 1 + 2) << "command " << i / 8;
    waiting.erase(sm);
    last = sm;
    free = placed[i].cycle - 2 + 8;
  }
  EXPECT_GT(in_turn, 0U) << "some SM was served before one that had waited longer, else this tests little";
}

// --- Fallbacks ------------------------------------------------------------------------------------------------------

struct Fallbacks {
  Cycle returned = 0;
  std::vector<Cycle> granted, written, placed;
};
// Launches groups of a kernel that is not resident.
Fallbacks fallbacks(unsigned lanes, const std::vector<std::string>& overrides) {
  Fallbacks result;
  const std::string text = in_process([&] {
    GroupTimed timed(
        "kepler_k20c", overrides,
        kCount + kernel("parent", arguments("%rd4", "%rd0", "%r1") +
                                      launch_group("%r4", "count", "%rd4", flat("1", "32")) + add("%rd0+4096", "%r4")),
        true);
    const std::uint64_t out = timed.host.words(2048);
    if (timed.host.run("parent", out, 0, 1, lanes) != Outcome::kDone) return timed.host.said();
    if (timed.host.values(out, lanes) != Words(lanes, 32)) return std::string("a group is lost");
    if (timed.groups() != lanes || timed.fallbacks() != lanes) return std::string("not all become kernels");
    std::string all = std::to_string(timed.call("parent").next.cycle) + ' ';
    for (const Events::Of& child : timed.events.all.of("count")) {
      all += std::to_string(child.granted) + ' ' + std::to_string(child.written) + ' ' + std::to_string(child.placed) +
             ' ';
    }
    return all;
  });
  std::istringstream in(text);
  in >> result.returned;
  EXPECT_TRUE(in) << text;
  for (Cycle granted = 0, written = 0, placed = 0; in >> granted >> written >> placed;) {
    result.granted.push_back(granted);
    result.written.push_back(written);
    result.placed.push_back(placed);
  }
  EXPECT_EQ(result.granted.size(), lanes);
  return result;
}

// The test fails if the delay were that of another ordinal, or counted from the command. Group k follows one cycle
// after group k - 1 and waits launch.launch_lane cycles more. From there it is started as any child kernel.
TEST(GroupTiming, GroupsThatBecomeKernelsComeOneByOne) {
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{}, kBlock, with_block({"blocks.dtbl.agt_size=1"})}) {
    const Fallbacks all = fallbacks(5, overrides);
    ASSERT_EQ(all.granted.size(), 5U);
    for (unsigned k = 0; k < 5; ++k) {
      EXPECT_EQ(all.granted[k], all.granted[0] + 1593 * k) << k;
      EXPECT_EQ(all.written[k], all.granted[k] + 283) << k;
      EXPECT_EQ(all.placed[k], all.written[k] + 1) << k;
    }
  }
}

// Without the block: the call returns in cycle r, and the first beat is accepted in r + 1. Its kernel is in the pool
// 13779 cycles later and is granted in the next cycle.
TEST(GroupTiming, WithoutTheBlockThePathOfAKernelBeginsWhenTheBeatIsTaken) {
  const Fallbacks all = fallbacks(3, {});
  ASSERT_EQ(all.granted.size(), 3U);
  for (unsigned k = 1; k <= 3; ++k) {
    EXPECT_EQ(all.granted[k - 1], all.returned + 1 + (k - 1) + 12187 + 1592 * k + 1) << k;
  }
}

// With the block, the search of the whole table and the message come first: S + 1 cycles.
TEST(GroupTiming, TheBlockSearchesTheWholeTableFirst) {
  const Fallbacks without = fallbacks(3, {}), with = fallbacks(3, kBlock);
  ASSERT_EQ(without.granted.size(), 3U);
  ASSERT_EQ(with.granted.size(), 3U);
  EXPECT_EQ(with.granted[0] - with.returned, without.granted[0] - without.returned + 32 + 1);
  const Fallbacks small = fallbacks(3, with_block({"table.entries=7"}));
  ASSERT_EQ(small.granted.size(), 3U);
  EXPECT_EQ(small.granted[0] - small.returned, without.granted[0] - without.returned + 7 + 1);
}

// The test fails if the latencies are not those of kernel launches.
TEST(GroupTiming, TheDelaysAreThoseOfLaunches) {
  const Fallbacks all = fallbacks(4, {"launch.launch_warp=5000", "launch.launch_lane=77"});
  ASSERT_EQ(all.granted.size(), 4U);
  for (unsigned k = 1; k < 4; ++k) EXPECT_EQ(all.granted[k], all.granted[0] + 78 * k) << k;
  const Fallbacks longer = fallbacks(1, {"launch.launch_warp=7000", "launch.launch_lane=77"});
  ASSERT_EQ(longer.granted.size(), 1U);
  EXPECT_EQ(longer.granted[0] - longer.returned, all.granted[0] - all.returned + 2000);
}

// Even lanes find their kernel, odd ones do not. The test fails if attached groups count among those that found none.
TEST(GroupTiming, OrdinalsCountGroupsThatFoundNoKernel) {
  const std::string text =
      kCount +
      kernel("self", own_lanes() + only_lanes() +
                         "mov.u64 %rd20, self;\nmov.u64 %rd21, count;\nand.b32 %r5, %r1, 1;\n"
                         "setp.eq.u32 %p2, %r5, 0;\nselp.b64 %rd22, %rd20, %rd21, %p2;\n" +
                         arguments("%rd4", "%rd0", "%r1") + launch_group("%r4", "%rd22", "%rd4", flat("1", "32")) +
                         "WAIT:\n" + spend("3000", "L") + "bra END;\nWORK:\n" + spend("20000", "M") + "END:\n");
  GroupTimed timed("kepler_k20c", kBlock, text, true);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("self", out, kOwn + 8, 1, 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.block("kde_hits"), 4U);
  EXPECT_EQ(timed.block("kde_misses"), 4U);
  EXPECT_EQ(timed.fallbacks(), 4U);
  EXPECT_EQ(timed.block("agt_hits"), 4U) << "a group that becomes a kernel has no entry";
  const auto children = timed.events.all.of("count");
  ASSERT_EQ(children.size(), 4U);
  // From one odd lane to the next there are two changes of the key: a search of one entry, then a search of 32 entries,
  // each followed by an accept.
  const Cycle beats = (1 + 1 + 1) + (1 + 32 + 1);
  for (unsigned k = 1; k < 4; ++k) EXPECT_EQ(children[k].granted, children[0].granted + (1592 + beats) * k) << k;
}

// --- Without groups -------------------------------------------------------------------------------------------------

// The test fails if the block has any effect in a program that launches no groups.
const std::string kOrdinary =
    kCount +
    kernel("wide", "mul.wide.u32 %rd20, %r2, 9;\n" + spend("%rd20", "L") + word("%rd1", "%r0") + add("%rd1", "1")) +
    kernel("parent", "mad.lo.u32 %r3, %r2, 50, %r1;\n" + arguments("%rd4", "%rd0", "%r3") +
                         "mul.wide.u32 %rd6, %r3, 8; add.u64 %rd6, %rd6, %rd0; add.u64 %rd6, %rd6, 16384;\n" +
                         create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\n" +
                         launch("%r4", "count", "%rd4", {"2", "40", "0", "%rd3"}));
std::string ordinary(const std::string& name, std::vector<std::string> overrides,
                     const std::vector<std::string>& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return in_process([&] {
    GroupTimed timed(name, overrides, kOrdinary, true, true);
    const std::uint64_t out = timed.host.words(8192);
    std::vector<Ticket> tickets;
    for (unsigned i = 0; i < 6; ++i) {
      tickets.push_back(timed.host.submit("wide", out, 4000 + i, 5 + 12 * i, 32 + 64 * i, i % 3));
    }
    tickets.push_back(timed.host.submit("parent", out, 0, 10, 50, 1));
    tickets.push_back(timed.host.submit("wide", out, 4010, 150, 64));
    for (const Ticket ticket : tickets) {
      if (timed.device.advance_until(ticket) != Outcome::kDone) return timed.host.said();
    }
    std::sort(timed.events.history.begin(), timed.events.history.end());
    std::uint64_t hash = timed.device.cycles();
    for (const GroupEvents::Event& event : timed.events.history) {
      for (const std::uint64_t part : event) hash = hash * 1000003 + part;
    }
    std::vector<std::array<std::uint64_t, 4>> issues;
    for (const Observer::Issue& e : timed.events.all.issues) issues.push_back({e.cycle, e.sm, e.warp, e.pc});
    std::sort(issues.begin(), issues.end());
    for (const auto& issue : issues) {
      for (const std::uint64_t part : issue) hash = hash * 1000003 + part;
    }
    return "cycles " + std::to_string(timed.device.cycles()) + " events " +
           std::to_string(timed.events.history.size()) + " issues " + std::to_string(issues.size()) + " hash " +
           std::to_string(hash);
  });
}
class Ordinary : public testing::TestWithParam<const char*> {};
TEST_P(Ordinary, AProgramWithoutGroupsRunsAsWithoutTheBlock) {
  const std::vector<std::string> built_in = {"dispatch.bypass=off"};
  const std::string first = ordinary(GetParam(), built_in, {});
  EXPECT_EQ(first.substr(0, 7), "cycles ") << first;
  EXPECT_EQ(ordinary(GetParam(), built_in, kBlock), first);
  EXPECT_EQ(ordinary(GetParam(), built_in, with_block({"blocks.dtbl.agt_size=1", "launch.commands=8"})), first);
}
INSTANTIATE_TEST_SUITE_P(Machines, Ordinary, testing::Values("kepler_ideal", "kepler_k20c", "tiny"));
TEST(GroupTiming, AProgramWithoutGroupsRunsAsWithoutTheBlockWithFewEntries) {
  const std::vector<std::string> few = {"dispatch.bypass=off", "table.entries=2", "parse.interval=7"};
  EXPECT_EQ(ordinary("tiny", few, kBlock), ordinary("tiny", few, {}));
}

}  // namespace
}  // namespace castor::gpu::launch_test::group_timing

// Tests of swapped thread blocks on machines with the front end's hardware blocks: lax, dtbl, laperm and laperm_kmu
// (docs/gpu/moving.md, "Hooks").

#include "tests/common/sanitized.h"
#include "tests/unit/gpu_launch_group_programs.h"
#include "tests/unit/gpu_moved_programs.h"

namespace castor::gpu::launch_test::moved_blocks {
namespace {

using Keys = std::vector<std::string>;
using groups::kConserved;
using groups::kNativeNumber;

Keys with(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// Returns a hash of the statistics, and whether blocks were saved for another reason than waiting for launches.
std::string seen(GroupTimed& timed) {
  const std::uint64_t saved = timed.statistic("front_end.tb_saved");
  if (saved != timed.statistic("front_end.tb_restored")) return "a saved block is lost";
  return "saved " + std::to_string(saved != 0) + ", statistics " +
         std::to_string(timed.device.gpu().statistics().hash());
}

/// Checks `run` with and without random swaps. Without swaps it saves no blocks. With random swaps it saves blocks, and
/// the result is the same whether units sleep or not.
template <class Run>
void moves(const Run& run, const Keys& keys) {
  std::string said;
  for (const std::string& key : keys) said += key + " ";
  SCOPED_TRACE(said);
  const std::string still = run(keys);
  EXPECT_EQ(still.substr(0, 7), "saved 0") << still;
  EXPECT_EQ(run(with(keys, {"run.sleep=0"})), still);
  for (const char* const random : {"context.random=1", "context.random=2"}) {
    const std::string first = run(with(keys, {random}));
    EXPECT_EQ(first.substr(0, 7), "saved 1") << first;
    EXPECT_EQ(run(with(keys, {random, "run.sleep=0"})), first);
    EXPECT_EQ(run(with(keys, {random, "run.shuffle=1"})), first);
  }
}

// --- Parents that wait -----------------------------------------------------------------------------------------------

// Runs a tree of launches on SMs that hold one block each. Parents that stayed resident would keep all SMs from their
// children.
std::string tree(const Keys& keys) {
  return in_process([&]() -> std::string {
    GroupTimed timed("kepler_ideal", with({"chip.sms=4", "sm.tb_slots=1", "sm.tb_contexts=1"}, keys), kTree);
    timed.blocks_leave = true;
    timed.device.launcher().set_limits({2048, 8});
    const std::uint64_t out = timed.host.words(256);
    if (timed.host.run("tree", out, 1, 1, 64) != Outcome::kDone) return timed.host.said();
    if (timed.host.value(out, 1) != kNodes) return "counted " + std::to_string(timed.host.value(out, 1));
    return timed.left() + seen(timed);
  });
}

TEST(MovedBesideBlocks, ParentsThatWaitMakeRoomForTheirChildren) {
  const std::vector<Keys> machines = {
      {"blocks.dtbl.enable=1"},
      {"blocks.laperm.enable=1", "blocks.laperm.policy=tb_pri"},
      {"blocks.laperm.enable=1", "blocks.laperm.policy=smx_bind"},
      {"blocks.laperm.enable=1", "blocks.laperm_kmu.enable=1", "table.entries=4"},
      {"blocks.laperm.enable=1", "blocks.laperm.policy=adaptive_bind"},
      {"blocks.laperm_kmu.enable=1"},
      {"blocks.dtbl.enable=1", "blocks.dtbl.dispatch=0", "blocks.laperm.enable=1"},
  };
  for (const Keys& keys : sample_if_sanitized(machines)) moves(tree, keys);
}

// --- Groups ----------------------------------------------------------------------------------------------------------

// Checks the counters of dtbl: each group attaches or becomes a kernel, each record in memory is read once, and all are
// counted.
std::string conserved(const Keys& keys) {
  return in_process([&]() -> std::string {
    GroupTimed timed("tiny", with({"parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"}, keys),
                     kConserved);
    timed.blocks_leave = true;
    const bool block = std::find(keys.begin(), keys.end(), "blocks.dtbl.dispatch=0") == keys.end();
    const GroupRun run{timed.device, timed.host, &timed, block};
    const std::string result = groups::run_conserved(run);
    if (result != "right") return result;
    return timed.left() + seen(timed);
  });
}

TEST(MovedBesideBlocks, GroupsAreCountedOnce) {
  moves(conserved, {"blocks.dtbl.enable=1"});
  moves(conserved, {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=16", "table.entries=3"});
  moves(conserved, {"blocks.dtbl.enable=1", "blocks.dtbl.dispatch=0", "blocks.laperm.enable=1"});
}

// Checks a device after a fault: all launches have ended, and the device still works.
std::string works_again(GroupTimed& timed) {
  timed.device.gpu().check_invariants();
  if (!timed.device.gpu().idle()) return "something goes on";
  timed.device.reset();
  if (timed.device.store().used(AllocationKind::kPool) != 0) return "buffers are left";
  const std::uint64_t out = timed.host.words(2048);
  if (timed.host.run("tree", out, 1, 1, 32) != Outcome::kDone) return "does not work again";
  groups::Words expected(256, 32);
  expected[0] = 0;
  const std::string again = compared(timed.host.values(out, 256), expected);
  return again == "right" ? timed.left() : again;
}
Outcome end_of(GroupTimed& timed, Ticket ticket, unsigned* faults) {
  Outcome outcome = timed.device.advance_until(ticket);
  for (; outcome == Outcome::kFault; outcome = timed.device.advance_until(ticket)) {
    if (++*faults > 1) break;
  }
  return outcome;
}

// A tree of groups, one block of which traps. The tree and the kernel that it has joined are stopped.
const std::string kTrapping =
    kernel("trapping",
           "setp.eq.u32 %p1, %r0, 77;\n@%p1 bra TRAP;\nsetp.ge.u32 %p1, %r0, 128;\n@%p1 bra WAIT;\n"
           "setp.ge.u32 %p1, %r1, 2;\n@%p1 bra WAIT;\n" +
               go_unless_equal("%r2", "0", "WAIT") + "mad.lo.u32 %r3, %r0, 2, %r1;\n" +
               arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "trapping", "%rd4", flat("3", "64")) + "WAIT:\n" +
               spend("3000", "L") + "bra END;\nTRAP:\n" + spend("2000", "M") + "trap;\nEND:\n");
// Groups join `host`, a kernel of another tree. They are stopped with their own tree; `host` continues.
const std::string kJoining =
    kernel("host", groups::native_or_work() + await("%rd0+68", "1", "W") + "bra END;\nWORK:\n" + spend("40000", "L") +
                       add("%rd0+4", "1") + "END:\n" + add("%rd0", "1")) +
    kernel("joining", arguments("%rd4", "%rd0", "0") + launch_group("%r4", "host", "%rd4", flat("2", "64")) +
                          spend("9000", "M") + "trap;") +
    kernel("release", put("%rd0+68", "1"));

TEST(MovedBesideBlocks, StoppedGroupsEndWhereverTheyAre) {
  for (const Keys& keys : {Keys{"blocks.dtbl.enable=1"},
                           Keys{"blocks.dtbl.enable=1", "blocks.dtbl.dispatch=0", "blocks.laperm.enable=1"}}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Keys all = with(with({"parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"}, keys),
                            {"context.random=" + std::to_string(seed)});
      const std::string trapping = in_process([&]() -> std::string {
        GroupTimed timed("tiny", all, groups::kTree + kTrapping);
        timed.blocks_leave = true;
        unsigned faults = 0;
        const std::uint64_t out = timed.host.words(64);
        if (end_of(timed, timed.host.submit("trapping", out, 1, 4, 64), &faults) != Outcome::kDone || faults != 1) {
          return "does not end: " + timed.host.said();
        }
        return works_again(timed);
      });
      EXPECT_EQ(trapping, "") << "seed " << seed;
      const std::string joining = in_process([&]() -> std::string {
        GroupTimed timed("tiny", all, groups::kTree + kJoining);
        timed.blocks_leave = true;
        unsigned faults = 0;
        const std::uint64_t out = timed.host.words(64);
        const Ticket host = timed.host.submit("host", out, kNativeNumber, 1, 64, 0);
        const Ticket joining = timed.host.submit("joining", out, 0, 1, 32, 1);
        if (end_of(timed, joining, &faults) != Outcome::kDone || faults != 1) return "no end: " + timed.host.said();
        const Ticket release = timed.host.submit("release", out, 0, 1, 1, 2);
        if (end_of(timed, release, &faults) != Outcome::kDone) return "no release: " + timed.host.said();
        if (end_of(timed, host, &faults) != Outcome::kDone || faults != 1) return "host stops: " + timed.host.said();
        if (timed.host.value(out) != 64) return "threads of host: " + std::to_string(timed.host.value(out));
        return works_again(timed);
      });
      EXPECT_EQ(joining, "") << "seed " << seed;
    }
  }
}

// --- Jobs ------------------------------------------------------------------------------------------------------------

// Runs kernels of three queues. The engine must count each block once.
std::string jobs(const Keys& keys) {
  return in_process([&]() -> std::string {
    constexpr unsigned kBlocks = 40;
    GroupTimed timed("gcn_apu", with({"chip.sms=2", "blocks.lax.enable=1", "context.bytes_per_cycle=100"}, keys),
                     kMeet);
    timed.blocks_leave = true;
    std::array<std::uint64_t, 3> out{};
    std::vector<Ticket> tickets;
    for (unsigned queue = 0; queue < 3; ++queue) {
      out[queue] = timed.host.words(kBlocks * 128);
      tickets.push_back(timed.host.submit("meet", out[queue], 0, kBlocks, 128, queue));
    }
    for (const Ticket ticket : tickets) {
      if (timed.device.advance_until(ticket) != Outcome::kDone) return timed.host.said();
    }
    for (const std::uint64_t words : out) {
      if (const std::string wrong = met(timed.host.values(words, kBlocks * 128)); !wrong.empty()) return wrong;
    }
    const std::uint64_t counted = timed.statistic("front_end.job_scheduler.lax.tbs");
    if (counted != 3 * kBlocks) return "the engine counts " + std::to_string(counted);
    if (timed.statistic("front_end.job_scheduler.lax.errors") != 0) return "the engine finds errors";
    const std::uint64_t saved = timed.statistic("front_end.tb_saved");
    std::string said = "saved " + std::to_string(saved != 0);
    for (const Ticket ticket : tickets) said += " " + std::to_string(timed.device.completion_time(ticket));
    return said;
  });
}

TEST(MovedBesideBlocks, JobsOfTheLaxityEngine) {
  moves(jobs, {"blocks.lax.policy=rr"});
  moves(jobs, {"blocks.lax.policy=lax", "blocks.lax.update_period=1000"});
  moves(jobs, {"blocks.lax.policy=prema", "blocks.lax.prema_period=1000", "context.mover=drain"});
}

// With `rate` the engine's own preemptions save blocks as well.
TEST(MovedBesideBlocks, PreemptionByTheLaxityEngine) {
  const Keys keys = {"blocks.lax.policy=prema", "blocks.lax.prema_period=1000", "context.mover=rate"};
  for (const char* const random : {"context.random=0", "context.random=1", "context.random=2"}) {
    const std::string first = jobs(with(keys, {random}));
    EXPECT_EQ(first.substr(0, 6), "saved ") << first;
    EXPECT_EQ(jobs(with(keys, {random, "run.sleep=0"})), first);
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::moved_blocks

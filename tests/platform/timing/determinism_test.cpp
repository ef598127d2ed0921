// Sleeping, the order of units inside a cycle and its seed change nothing (docs/gpu/timing.md, "Sleeping";
// docs/gpu/closed-forms.md, "Invariants"), and what the statistics say adds up.
//
// CASTOR_TIMING_SEED=<n> replays one seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "platform/timing/deviations.h"
#include "platform/timing/random_program.h"
#include "platform/timing/rig.h"
#include "platform/timing/small_queues.h"
#include "platforms/machines.h"

namespace castor::gpu::timing_test::determinism_test {
namespace {

std::uint64_t seed_of_run(std::uint64_t otherwise) {
  const char* const text = std::getenv("CASTOR_TIMING_SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

/// Kernels of several queues, copies and fills. Their results depend on the times at which accesses are performed.
struct Workload {
  Workload(Rig& rig, std::uint64_t seed, unsigned steps) : bytes(0) {
    RandomProgram::Size size;
    size.racy = true;
    size.steps = steps;
    const std::uint64_t racy = rig.buffer(4 * RandomProgram::kRacyWords);
    areas.emplace_back(racy, 4 * RandomProgram::kRacyWords);
    const unsigned queues = std::min(3U, rig.machine().queue.count);
    for (unsigned i = 0; i < 5; ++i) {
      size.blocks = 2U << (i % 3);
      size.threads = 32U << (i % 3);
      const RandomProgram program(seed + i, size);
      const std::uint64_t data = rig.buffer(program.global_bytes());
      const std::uint64_t out = rig.buffer(4ULL * program.total());
      areas.emplace_back(data, program.global_bytes());
      areas.emplace_back(out, 4ULL * program.total());
      const ProgramHandle kernel = rig.load(program.body(), 3, program.declarations());
      if (i == 1) tickets.push_back(rig.device->submit(0, FillPacket{racy, 64, 1, 0, 0x5a, 1}));
      if (i == 3) {
        host.resize(4096);
        tickets.push_back(rig.device->submit(
            queues - 1, CopyPacket{areas[1].first, host.data(), std::min<std::size_t>(4096, areas[1].second)}));
      }
      grids.push_back(size.blocks);
      tickets.push_back(rig.submit(kernel, {size.blocks}, {size.threads}, {data, out, racy}, 0, i % queues));
      kernels.push_back(tickets.back());
    }
    for (const Ticket ticket : tickets) rig.finish(ticket);
    for (const auto& [address, length] : areas) {
      bytes = hash_bytes(rig.device->store().host(address), length, bytes + 1);
    }
    bytes = hash_bytes(host.data(), host.size(), bytes);
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> areas;
  std::vector<std::byte> host;
  std::vector<Ticket> tickets, kernels;
  std::vector<std::uint64_t> grids;
  std::uint64_t bytes;
};

std::vector<std::uint64_t> run(const std::string& machine, std::vector<std::string> overrides,
                               const std::vector<std::string>& more, std::uint64_t seed, unsigned steps) {
  return in_child([&] {
    overrides.insert(overrides.end(), more.begin(), more.end());
    Rig rig(machine, overrides);
    const Workload workload(rig, seed, steps);
    // Digests all observed events, without the order of units inside a cycle.
    auto& issues = rig.recorder.issues;
    std::stable_sort(issues.begin(), issues.end(), [](const Issued& a, const Issued& b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
    });
    std::uint64_t events = 1;
    const auto note = [&](std::uint64_t value) { events = hash_bytes(&value, sizeof value, events); };
    for (const Issued& one : issues) {
      for (const std::uint64_t value : {one.cycle, one.tick, std::uint64_t{one.sm}, std::uint64_t{one.scheduler},
                                        std::uint64_t{one.warp}, std::uint64_t{one.pc}}) {
        note(value);
      }
    }
    for (const auto& one : rig.recorder.placed) {
      note(one.cycle);
      note(one.sm);
      note(one.gid);
    }
    for (const auto& one : rig.recorder.completed) note(one.cycle);
    for (const Ticket ticket : workload.tickets) note(rig.device->completion_time(ticket));
    const std::uint64_t hash = rig.device->gpu().statistics().hash();
    std::uint64_t stale = 0;
    for (unsigned i = 0; i < rig.machine().chip.sms; ++i)
      stale += rig.statistic("sm" + std::to_string(i) + ".stale_hit");
    return std::vector<std::uint64_t>{stale, workload.bytes, events, hash};
  });
}

class Determinism : public ::testing::TestWithParam<std::string> {
 protected:
  void check(const std::vector<std::string>& overrides, std::uint64_t seed, unsigned steps) {
    SCOPED_TRACE("replay with CASTOR_TIMING_SEED=" + std::to_string(seed));
    const auto reference = run(GetParam(), overrides, {"run.sleep=0"}, seed, steps);
    const std::vector<std::vector<std::string>> variants = {
        {"run.sleep=1"},
        {"run.sleep=0", "run.shuffle=1", "run.seed=1"},
        {"run.sleep=1", "run.shuffle=1", "run.seed=1"},
        {"run.sleep=1", "run.shuffle=1", "run.seed=2"},
    };
    for (const auto& variant : variants) {
      std::string text;
      for (const auto& one : variant) text += one + " ";
      SCOPED_TRACE(text);
      const auto other = run(GetParam(), overrides, variant, seed, steps);
      EXPECT_EQ(other[1], reference[1]) << "bytes of memory";
      EXPECT_EQ(other[2], reference[2]) << "issues, placements, completions";
      EXPECT_EQ(other[3], reference[3]) << "statistics";
    }
  }
};

TEST_P(Determinism, SleepAndOrderChangeNothing) { check({}, seed_of_run(11), 16); }
TEST_P(Determinism, SleepAndOrderChangeNothingWithTheSmallestQueues) {
  check(smallest_queues(GetParam()), seed_of_run(12), 8);
}
TEST_P(Determinism, SleepAndOrderChangeNothingWithQueuesOfRandomSize) {
  const std::uint64_t seed = seed_of_run(13);
  std::string text;
  for (const auto& one : random_queues(GetParam(), seed)) text += one + " ";
  SCOPED_TRACE(text);
  check(random_queues(GetParam(), seed), seed, 12);
}

INSTANTIATE_TEST_SUITE_P(Machines, Determinism, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

// A hit is compared with the slices' memory. Stores that slices perform in the same cycle must not matter.
TEST(DeterminismOfStaleHits, OrderChangesNoCount) {
  const std::uint64_t seed = 25;  // several units have work in the same cycle
  const auto overrides = random_queues("fermi_gtx480_study", seed);
  const auto ordered = run("fermi_gtx480_study", overrides, {}, seed, 12);
  const auto shuffled = run("fermi_gtx480_study", overrides, {"run.shuffle=1", "run.seed=2"}, seed, 12);
  EXPECT_EQ(ordered[1], shuffled[1]) << "bytes of memory";
  EXPECT_EQ(ordered[2], shuffled[2]) << "issues, placements, completions";
  expect_closed_form("stale_hit, units shuffled", platforms::load_machine("fermi_gtx480_study").machine,
                     static_cast<long>(ordered[0]), static_cast<long>(shuffled[0]));
}

/// Sums of counters over groups "<prefix><index>".
class Sums {
 public:
  explicit Sums(Rig& rig) : rig_(rig) {}
  std::uint64_t operator()(const std::string& prefix, unsigned count, const std::vector<std::string>& names) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      for (const auto& name : names) sum += rig_.statistic(prefix + std::to_string(i) + "." + name);
    }
    return sum;
  }

 private:
  Rig& rig_;
};

class Conservation : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(Conservation, WhatIsCountedAddsUp) {
  const auto& [machine, small] = GetParam();
  Rig rig(machine, small ? smallest_queues(machine) : std::vector<std::string>{});
  const Machine& m = rig.machine();
  const std::uint64_t seed = seed_of_run(14);
  SCOPED_TRACE("replay with CASTOR_TIMING_SEED=" + std::to_string(seed));
  const Workload workload(rig, seed, small ? 10 : 24);
  rig.device->advance_to(rig.device->now() + 10'000'000);  // messages still in flight arrive
  EXPECT_TRUE(rig.device->gpu().idle());
  Sums sums(rig);
  const unsigned sms = m.chip.sms;

  // Stall classes of every scheduler sum to ticks; no more lanes than there are.
  for (unsigned s = 0; s < sms; ++s) {
    const std::string sm = "sm" + std::to_string(s) + ".";
    const std::uint64_t ticks = rig.statistic(sm + "ticks");
    EXPECT_EQ(ticks, rig.statistic("cycles")) << "an SM whose clock is always enabled";
    for (unsigned k = 0; k < m.schedulers; ++k) {
      std::uint64_t classes = 0;
      for (const char* name : {"issued", "idle", "raw", "raw_memory", "memory_pipe", "compute_pipe"}) {
        classes += rig.statistic(sm + "scheduler" + std::to_string(k) + "." + name);
      }
      EXPECT_EQ(classes, ticks) << sm << " scheduler " << k;
    }
  }

  // Thread blocks: each id once, at most one placed per cycle, none lost.
  std::map<Ticket, std::set<std::uint64_t>> placed, started, retired;
  Cycle last = 0;
  for (const auto& one : rig.recorder.placed) {
    EXPECT_TRUE(last == 0 || one.cycle > last) << "two placements in cycle " << one.cycle;
    last = one.cycle;
    EXPECT_TRUE(placed[one.ticket].insert(one.gid).second);
  }
  for (const auto& one : rig.recorder.started) EXPECT_TRUE(started[one.ticket].insert(one.gid).second);
  for (const auto& one : rig.recorder.retired) EXPECT_TRUE(retired[one.ticket].insert(one.gid).second);
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < workload.kernels.size(); ++i) {
    const Ticket ticket = workload.kernels[i];
    EXPECT_EQ(placed[ticket].size(), workload.grids[i]);
    EXPECT_EQ(started[ticket], placed[ticket]);
    EXPECT_EQ(retired[ticket], placed[ticket]);
    EXPECT_EQ(*placed[ticket].rbegin(), workload.grids[i] - 1);
    blocks += workload.grids[i];
  }
  EXPECT_EQ(rig.statistic("front_end.tb_placed"), blocks);
  EXPECT_EQ(rig.statistic("front_end.tb_retired"), blocks);
  EXPECT_EQ(sums("sm", sms, {"tb_started"}), blocks);
  EXPECT_EQ(sums("sm", sms, {"tb_retired"}), blocks);
  EXPECT_EQ(rig.statistic("front_end.kernels_parsed"), workload.kernels.size());
  EXPECT_EQ(rig.statistic("front_end.kernels_completed"), workload.kernels.size());

  // Instructions.
  std::vector<std::string> classes;
  for (const auto* group : rig.device->gpu().statistics().groups()) {
    if (group->name() != "sm0") continue;
    for (const auto* inner : group->groups()) {
      if (inner->name() != "warp_instructions") continue;
      for (const auto* one : inner->statistics())
        classes.push_back(std::string("warp_instructions.") + one->info().name);
    }
  }
  ASSERT_FALSE(classes.empty());
  EXPECT_EQ(sums("sm", sms, classes), rig.recorder.issue_count);
  EXPECT_EQ(rig.device->gpu().warp_instructions(), rig.recorder.issue_count);
  for (std::string& name : classes) name.replace(0, 4, "lane");
  EXPECT_LE(sums("sm", sms, classes), rig.recorder.issue_count * m.sm.lanes);

  // Every request is answered, and every request is one decision of a slice.
  const std::uint64_t requests = rig.statistic("xbar.packets_request");
  EXPECT_EQ(requests, rig.statistic("xbar.packets_reply"));
  std::vector<std::string> decisions;
  for (const char* client : {"lsu", "bypass", "fetch", "constant", "swap", "launch", "front_end", "copy", "host"}) {
    for (const char* what : {"l2_hit", "l2_miss", "l2_merged"}) {
      decisions.push_back(std::string(client) + "." + what);
    }
  }
  EXPECT_EQ(sums("slice", m.l2.slices, decisions), requests);
  EXPECT_EQ(sums("slice", m.l2.slices,
                 {"l2_read_hit", "l2_read_miss", "l2_write_hit", "l2_write_miss", "l2_atomic_hit", "l2_atomic_miss",
                  "l2_merged"}),
            requests);
  // A line access of an SM is looked up in L1 or bypasses it. An access that misses sends a request or merges with one.
  EXPECT_EQ(sums("sm", sms, {"l1_read_hit", "l1_read_miss", "l1_write_hit", "l1_write_miss", "l1_bypassed"}),
            sums("sm", sms, {"coalesced_lines"}));
  EXPECT_EQ(sums("sm", sms, {"primary_misses", "merged"}), sums("sm", sms, {"l1_read_miss"}));
  // DRAM moves whole columns.
  EXPECT_EQ(sums("channel", m.dram.channels, {"dram_n_read", "dram_n_write"}) * m.dram.atom,
            sums("channel", m.dram.channels, {"dram_bytes"}));
}

INSTANTIATE_TEST_SUITE_P(Machines, Conservation, ::testing::Combine(::testing::ValuesIn(kMachines), ::testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param) + (std::get<1>(info.param) ? "_small" : "_shipped");
                         });

}  // namespace
}  // namespace castor::gpu::timing_test::determinism_test

// Totals, counts per kernel, windows of time, latencies by level, and reports in the middle of a run
// (docs/gpu/counting.md, "Statistics", "Windows"); invariants that hold between any two cycles
// (docs/gpu/closed-forms.md, "Invariants").

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "castor/base/hash.h"
#include "castor/base/rng.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::statistics_test {
namespace {

using nlohmann::json;

constexpr const char* kMachine = "tiny";

/// Loads that hit and miss, stores, atomics, shared memory, barriers and divergence: a bit of everything. Parameters:
/// input and output.
const char* const kMixed = R"(
  .shared .align 4 .b8 tile[512];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, 64, %r0;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd0, %rd2;
  ld.global.u32 %r3, [%rd3];
  mov.u32 %r4, tile;
  shl.b32 %r5, %r0, 2;
  add.u32 %r6, %r4, %r5;
  st.shared.u32 [%r6], %r3;
  bar.sync 0;
  mov.u32 %r7, 0;
  mov.u32 %r8, 0;
LOOP:
  xor.b32 %r9, %r5, 4;
  add.u32 %r10, %r4, %r9;
  ld.shared.u32 %r11, [%r10];
  add.u32 %r8, %r8, %r11;
  mul.wide.u32 %rd4, %r7, 128;
  add.u64 %rd5, %rd3, %rd4;
  ld.global.u32 %r12, [%rd5];
  add.u32 %r8, %r8, %r12;
  add.u32 %r7, %r7, 1;
  and.b32 %r13, %r0, 3;
  setp.le.u32 %p0, %r7, %r13;
  @%p0 bra LOOP;
  bar.sync 0;
  atom.global.add.u32 %r14, [%rd1], 1;
  add.u64 %rd6, %rd1, %rd2;
  st.global.u32 [%rd6+256], %r8;
  membar.gl;
  ld.global.u32 %r15, [%rd3];
  st.global.u32 [%rd6+256], %r15;
  ret;
)";

struct Load {
  explicit Load(Rig& rig) : input(rig.buffer(1 << 16)), output(rig.buffer(1 << 16)) {
    const ProgramHandle kernel = rig.load(kMixed, 2);
    for (unsigned i = 0; i < 6; ++i) {
      tickets.push_back(rig.submit(kernel, {5 + 2 * i}, {64}, {input, output}, 0, i % 3));
    }
  }
  std::uint64_t input, output;
  std::vector<Ticket> tickets;
};

void finish(Rig& rig, const Load& load) {
  for (const Ticket ticket : load.tickets) rig.finish(ticket);
  rig.device->advance_to(rig.device->now() + 10'000'000);  // completion words arrive
}

TEST(Statistics, TotalsAreSumsOverUnits) {
  Rig rig(kMachine);
  const Load load(rig);
  finish(rig, load);
  const json report = json::parse(rig.device->report_json());
  const json& all = report["statistics"];
  const json& total = all["total"];
  for (const char* name : {"ticks", "l1_read_miss", "fence_wait", "barrier_instances", "lsu_passes", "smem_rounds"}) {
    EXPECT_EQ(total[name].get<std::uint64_t>(),
              all["sm0"][name].get<std::uint64_t>() + all["sm1"][name].get<std::uint64_t>())
        << name;
    EXPECT_NE(total[name], 0) << name;
  }
  std::uint64_t warps = 0, lanes = 0, issued = 0;
  for (const char* sm : {"sm0", "sm1"}) {
    for (const auto& [name, value] : all[sm]["warp_instructions"].items()) warps += value.get<std::uint64_t>();
    for (const auto& [name, value] : all[sm]["lane_instructions"].items()) lanes += value.get<std::uint64_t>();
    for (unsigned s = 0; s < rig.machine().schedulers; ++s) {
      issued += all[sm]["scheduler" + std::to_string(s)]["issued"].get<std::uint64_t>();
    }
  }
  EXPECT_EQ(total["warp_instructions"], warps);
  EXPECT_EQ(total["lane_instructions"], lanes);
  EXPECT_EQ(total["stall"]["issued"], issued);
  EXPECT_EQ(warps, rig.recorder.issue_count);
  std::uint64_t hits = 0, columns = 0;
  for (unsigned k = 0; k < 4; ++k) hits += all["slice" + std::to_string(k)]["l2_read_hit"].get<std::uint64_t>();
  for (unsigned k = 0; k < 2; ++k) columns += all["channel" + std::to_string(k)]["dram_n_read"].get<std::uint64_t>();
  EXPECT_EQ(total["l2_read_hit"], hits);
  EXPECT_EQ(total["dram_n_read"], columns);
  const double cycles = all["cycles"].get<double>();
  const json& ratios = report["ratios"];
  EXPECT_DOUBLE_EQ(ratios["ipc"]["value"].get<double>(), static_cast<double>(warps) / cycles);
  EXPECT_DOUBLE_EQ(ratios["ipc_lanes"]["value"].get<double>(), static_cast<double>(lanes) / cycles);
  EXPECT_DOUBLE_EQ(ratios["active_lanes"]["value"].get<double>(),
                   static_cast<double>(lanes) / (32.0 * static_cast<double>(warps)));
}

TEST(Statistics, EveryStatisticHasUnitAndMeaningAndItsHashCoversIt) {
  Rig rig(kMachine);
  const json report = json::parse(rig.device->report_json());
  const std::function<void(const json&, const std::string&)> check = [&](const json& node, const std::string& path) {
    if (node.contains("meaning") && node["meaning"].is_string()) {
      EXPECT_FALSE(node["meaning"].get<std::string>().empty()) << path;
      return;
    }
    for (const auto& [name, child] : node.items()) check(child, path + "." + name);
  };
  check(report["legend"], "legend");
  EXPECT_EQ(report["statistics_hash"].get<std::string>().size(), 16U);
  EXPECT_TRUE(report.contains("versions"));
}

TEST(Statistics, CountsPerKernelSumToTheTotals) {
  // Four entries for six kernels, so entries are used again.
  Rig rig(kMachine, {"table.entries=4", "check.stale=count"});
  const Load load(rig);
  finish(rig, load);
  const json report = json::parse(rig.device->report_json());
  const json& total = report["statistics"]["total"];
  std::map<std::string, std::uint64_t> sums;
  ASSERT_EQ(report["kernels"].size(), 6U);
  for (const json& kernel : report["kernels"]) {
    std::uint64_t warps = 0, lanes = 0;
    for (const auto& [name, value] : kernel["counts"].items()) {
      sums[name] += value.get<std::uint64_t>();
      if (name.rfind("warp_instructions.", 0) == 0) warps += value.get<std::uint64_t>();
      if (name.rfind("lane_instructions.", 0) == 0) lanes += value.get<std::uint64_t>();
    }
    EXPECT_EQ(warps, kernel["warp_instructions"].get<std::uint64_t>());
    EXPECT_EQ(lanes, kernel["thread_instructions"].get<std::uint64_t>());
  }
  for (const auto& [kind, by_class] :
       {std::pair<std::string, std::string>{"warp_instructions", "warp_instructions_by_class"},
        {"lane_instructions", "lane_instructions_by_class"}}) {
    for (const auto& [name, value] : total[by_class].items()) EXPECT_EQ(sums[kind + "." + name], value) << name;
  }
  for (const char* name : {"coalesced_lines", "sectors", "l1_read_hit", "l1_read_miss", "l1_write_hit", "l1_write_miss",
                           "primary_misses", "merged", "stale_refetch", "stale_hit", "reservation_fail"}) {
    EXPECT_EQ(sums[name], total[name].get<std::uint64_t>()) << name;
  }
  EXPECT_GT(sums["l1_read_miss"], 0U);
  // Others use L2 too: copies, the front end, fetches.
  EXPECT_GT(sums["l2_hit"], 0U);
  EXPECT_GT(sums["l2_miss"], 0U);
}

TEST(Statistics, LoadLatenciesAreKeptByTheLevelThatServed) {
  Rig rig(kMachine);
  const std::uint64_t data = rig.buffer(4096);
  // The loads that bypass L1 come from DRAM once, then from L2. The loads through L1 have a line of their own: once
  // from DRAM, then twice from L1. Shared memory is accessed once.
  const ProgramHandle kernel = rig.load(R"(
  .shared .u32 word;
  ld.global.cg.u32 %r1, [%rd0];
  add.u32 %r9, %r9, %r1;
  add.u64 %rd1, %rd0, 0;
  mul.wide.u32 %rd3, %r9, 0;
  add.u64 %rd1, %rd1, %rd3;
  ld.global.cg.u32 %r2, [%rd1];
  add.u32 %r9, %r9, %r2;
  mul.wide.u32 %rd3, %r9, 0;
  add.u64 %rd2, %rd0, %rd3;
  ld.global.ca.u32 %r3, [%rd2+2048];
  mul.wide.u32 %rd3, %r3, 0;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.ca.u32 %r4, [%rd2+2048];
  ld.global.ca.u32 %r5, [%rd2+2052];
  ld.shared.u32 %r6, [word];
  add.u32 %r7, %r4, %r5;
  add.u32 %r7, %r7, %r6;
  st.global.u32 [%rd0+1024], %r7;
  ret;
)",
                                        1);
  rig.run(kernel, {1}, {1}, {data});
  const auto count = [&](const char* level) { return rig.statistic(std::string("total.load_latency_") + level); };
  EXPECT_EQ(count("dram"), 2U);
  EXPECT_EQ(count("l2"), 1U);
  EXPECT_EQ(count("l1"), 2U);
  EXPECT_EQ(count("shared"), 1U);
  // A level further away takes longer: sums are those of single loads.
  const json total = json::parse(rig.device->report_json())["statistics"]["total"];
  const auto mean = [&](const char* level) {
    const json& histogram = total[std::string("load_latency_") + level];
    return histogram["sum"].get<double>() / histogram["count"].get<double>();
  };
  EXPECT_GT(mean("dram"), mean("l2"));
  EXPECT_GT(mean("l2"), mean("l1"));
  EXPECT_GT(mean("l1"), mean("shared"));
}

TEST(Statistics, ReportInTheMiddleOfARunIsTheSameForThoseThatSleep) {
  // Queues are small and DRAM is slow, so that units are stalled when the report is made.
  for (const unsigned end : {1501U, 2003U, 2777U, 3333U, 4001U}) {
    SCOPED_TRACE(end);
    std::vector<std::vector<std::uint64_t>> results;
    for (const char* variant : {"run.sleep=0", "run.sleep=1", "run.shuffle=1"}) {
      results.push_back(in_child([&] {
        Rig rig(kMachine, {"run.max_cycles=" + std::to_string(end), "dram.extra_latency=400", "l1.mshrs=2",
                           "l2.mshrs=2", "parse.latency=20", "run.windows=1", "run.window=100", variant});
        const Load load(rig);
        if (rig.device->advance_until(load.tickets.back()) != Outcome::kLimit) throw std::runtime_error("it ended");
        const json report = json::parse(rig.device->report_json());
        const std::string windows = report["windows"].dump();
        return std::vector<std::uint64_t>{rig.device->gpu().statistics().hash(),
                                          report["statistics"]["total"]["reservation_fail"].get<std::uint64_t>(),
                                          report["statistics"]["total"]["l2_reservation_fail"].get<std::uint64_t>(),
                                          hash_bytes(windows.data(), windows.size())};
      }));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    EXPECT_GT(results[0][1], 0U);
  }
}

json windows_of(const std::vector<std::string>& overrides) {
  Rig rig(kMachine, overrides);
  const Load load(rig);
  finish(rig, load);
  return json::parse(rig.device->report_json());
}

void expect_sums(const json& report) {
  const json& windows = report["windows"];
  const std::uint64_t cycles = report["cycles"].get<std::uint64_t>();
  const std::uint64_t length = windows["cycles"].get<std::uint64_t>();
  const std::uint64_t last = windows["last_cycles"].get<std::uint64_t>();
  const auto sum = [](const json& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0},
                           [](std::uint64_t a, const json& b) { return a + b.get<std::uint64_t>(); });
  };
  ASSERT_GT(windows["series"].size(), 40U);
  for (const auto& [name, series] : windows["series"].items()) {
    ASSERT_EQ((series["values"].size() - 1) * length + last, cycles) << name;
    json total = report["statistics"]["total"];
    std::string path = name;
    if (path.rfind("stall.", 0) == 0) {
      total = total["stall"];
      path.erase(0, 6);
    }
    EXPECT_EQ(sum(series["values"]), total[path].get<std::uint64_t>()) << name;
  }
  ASSERT_EQ(windows["kernels"].size(), report["kernels"].size());
  std::map<std::uint64_t, std::uint64_t> by_ticket;
  for (const json& kernel : windows["kernels"]) {
    by_ticket[kernel["ticket"].get<std::uint64_t>()] = sum(kernel["warp_instructions"]);
  }
  for (const json& kernel : report["kernels"]) {
    EXPECT_EQ(by_ticket[kernel["ticket"].get<std::uint64_t>()], kernel["warp_instructions"].get<std::uint64_t>());
  }
}

TEST(Windows, SumToTheTotals) {
  const json report = windows_of({"run.windows=1", "run.window=300", "table.entries=4"});
  expect_sums(report);
  // Ticks check the assignment to windows: every full window has cycles times SMs ticks.
  const json& ticks = report["windows"]["series"]["ticks"]["values"];
  for (std::size_t i = 0; i + 1 < ticks.size(); ++i) EXPECT_EQ(ticks[i], 300U * 2) << i;
}

TEST(Windows, AreTheSameForThoseThatSleep) {
  std::vector<std::vector<std::uint64_t>> results;
  for (const char* variant : {"run.sleep=0", "run.sleep=1", "run.shuffle=1"}) {
    results.push_back(in_child([&] {
      const std::string text = windows_of({"run.windows=1", "run.window=137", variant})["windows"].dump();
      return std::vector<std::uint64_t>{text.size(), hash_bytes(text.data(), text.size())};
    }));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_GT(results[0][0], 1000U);
}

TEST(Windows, BecomeLongerInsteadOfMore) {
  const json report = windows_of({"run.windows=1", "run.window=1"});
  const std::uint64_t length = report["windows"]["cycles"].get<std::uint64_t>();
  EXPECT_GE(length, 2U);
  EXPECT_EQ(length & (length - 1), 0U);
  EXPECT_LE(report["windows"]["series"]["ticks"]["values"].size(), 4097U);
  expect_sums(report);
}

TEST(Windows, AreNotThereUnlessAskedFor) { EXPECT_FALSE(windows_of({}).contains("windows")); }

// --- Invariants between cycles --------------------------------------------------------------------------------------

class Between : public ::testing::TestWithParam<std::string> {};

TEST_P(Between, RoomLinksAndReasonsAreConsistentAtAnyTime) {
  Rig rig(GetParam(), {"parse.latency=20"});
  const Load load(rig);
  base::Xoshiro256 random(7);
  const base::Clock& clock = rig.device->gpu().clock();
  unsigned looks = 0;
  Cycle cycle = 0;
  while (!rig.device->complete(load.tickets.back()) || !rig.device->gpu().idle()) {
    ASSERT_LT(looks, 5000U);
    cycle += 1 + random.below(40);
    ASSERT_EQ(rig.device->advance_to(clock.time_of(cycle)), Outcome::kDone);
    rig.device->gpu().check_invariants();  // aborts
    ++looks;
  }
  EXPECT_GT(looks, 50U);
}

INSTANTIATE_TEST_SUITE_P(Machines, Between,
                         ::testing::Values("tiny", "kepler_k20c_study", "gcn_apu", "turing_rtx2060_study"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace castor::gpu::timing_test::statistics_test

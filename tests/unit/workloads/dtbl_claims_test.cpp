// Tests of the judge of the claims about groups of thread blocks, on tables made for the purpose: the published
// results, and the same with one value changed. Also tests the sums that must agree in a run with groups.

#include <gtest/gtest.h>

#include <functional>

#include "workloads/children/judge.h"
#include "workloads/dtbl/evaluation.h"
#include "workloads/dtbl/published.h"

namespace castor::workloads::dtbl::dtbl_claims_test {
namespace {

using namespace children;

/// Returns a run that takes 1,000,000 cycles divided by `speed` and makes `launches` launches.
Sample run(double speed, double launches, double activity, double dram, double occupancy, double wait) {
  Sample out;
  out["cycles"] = 1e6 / speed;
  out["launches"] = launches;
  out["wait_sum"] = wait * launches;
  out["thread_instructions"] = activity;
  out["lane_slots"] = 100;
  out["dram_busy"] = dram;
  out["dram_n_activity"] = 100;
  out["occupancy_warps_sum"] = occupancy;
  out["warp_room"] = 100;
  out["child_warps"] = launches;
  out["occupancy_device_warps_sum"] = 100 * out["cycles"];
  return out;
}

Sample grouped(Sample sample, double kernel_hits, double table_hits) {
  const double launches = sample["launches"];
  sample["kde_hits"] = kernel_hits * launches;
  sample["kde_misses"] = (1 - kernel_hits) * launches;
  sample["agt_hits"] = table_hits * kernel_hits * launches;
  sample["agt_misses"] = (1 - table_hits) * kernel_hits * launches;
  sample["agt_used_peak"] = 100;
  return sample;
}

/// Hit rates and times over those of 1024 entries, by size.
double hits(unsigned entries) { return entries < 512 ? 0.3 : entries == 512 ? 0.622 : entries == 1024 ? 0.816 : 0.9; }
double slower(unsigned entries) { return entries < 512 ? 1.6 : entries == 512 ? 1.31 : entries == 1024 ? 1 : 0.83; }

Evaluation published_runs() {
  Evaluation out;
  for (const Program& program : programs()) {
    const std::string& name = program.name;
    const bool idle = inert(name), balanced = name == "clr_balanced" || name == "sssp_balanced";
    const double launches = idle ? 0 : 1000;
    const double activity = name == "amr" ? 90 : name == "clr_balanced" ? 45 : 60;
    const double dram = balanced ? 10 : 0, strings = name == "regx_strings" ? 0.5 : 1;
    const double fuller = name == "pre" ? 1 : name == "bht" ? 25 : 18;
    const double fast = idle ? 1 : name == "clr_kronecker" || name == "regx_strings" ? 0.96 : 1.3;
    for (const char* const input : {"small-1", "small-2"}) {
      out.add(name, input, kFlat, run(1, 0, 50, 20, 40, 0));
      out.add(name, input, kCdp, run(idle ? 1 : 0.8, launches, activity, 23, 60, 30000));
      out.add(name, input, kIdeal, run(idle ? 1 : 1.5, launches, activity, 25, 70, 20000));
      const Sample real = grouped(run(fast, launches, activity + 0.5, 25 + dram, 81, 24000 * strings), 1, hits(1024));
      out.add(name, input, kDtbl, real);
      out.add(name, input, kDtblIdeal,
              grouped(run(idle ? 1 : 1.7, launches, activity, 25, 70 + fuller, 17000), 1, hits(1024)));
      if (!among(launch_dense(), name)) continue;
      for (const TableSize& size : table_sizes()) {
        if (size.system == std::string(kDtbl)) continue;
        Sample other = grouped(real, 1, hits(size.entries));
        const bool sensitive = name == "bht" || name.rfind("regx", 0) == 0;
        other["cycles"] *= slower(size.entries) * (sensitive && size.entries < 1024 ? 1.1 : 1);
        out.add(name, input, size.system, other);
      }
      out.add(name, input, kCold, grouped(real, 0.818, hits(1024)));
    }
  }
  return out;
}

Path path() {
  Path out;
  for (const unsigned x : {1U, 32U}) {
    Sample own, other;
    own["call_buffer"] = published::kBufferWarp + published::kBufferLane * x;
    own["wait_largest"] = 200;
    other["call_stream"] = 7165;
    other["call_buffer"] = own["call_buffer"];
    other["wait_largest"] = 12187 + 1592 * x + 286;
    out["groups"][x] = own;
    out["lanes"][x] = other;
  }
  return out;
}

std::vector<Claim> judged(const Evaluation& evaluation) { return judge(evaluation, path(), {}, {}); }

Verdict of(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& claim : claims) {
    if (claim.id == id) return claim.verdict;
  }
  ADD_FAILURE() << "no claim " << id;
  return Verdict::kOpen;
}

/// Returns the published runs with all runs of a program (or of every program) on a system changed.
Evaluation changed(const std::string& program, const char* system, const std::function<void(Sample&)>& change) {
  const Evaluation all = published_runs();
  Evaluation out = all;
  for (const std::string& name : program_names()) {
    if (!program.empty() && program != name) continue;
    for (const char* const input : {"small-1", "small-2"}) {
      Sample sample = run(1, inert(name) ? 0 : 1000, 60, 25, 60, 20000);
      sample = grouped(sample, 1, 0.8);
      change(sample);
      out.add(name, input, system, sample);
    }
  }
  return out;
}

TEST(DtblClaims, TheSourceReproducesItself) {
  const std::vector<Claim> claims = judged(published_runs());
  EXPECT_EQ(claims.size(), 19U);
  for (const Claim& claim : claims) {
    const Verdict wanted = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, claim.id == "T12" ? Verdict::kOpen : wanted) << claim.id << ": " << claim.ours;
  }
  EXPECT_TRUE(broken_invariants(claims).empty());
}

TEST(DtblClaims, OfTime) {
  const auto faster = [](double speed) { return [speed](Sample& s) { s["cycles"] = 1e6 / speed; }; };
  EXPECT_EQ(of(judged(changed("", kDtbl, faster(0.9))), "T1"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", kDtbl, faster(2))), "T1"), Verdict::kShape);
  EXPECT_EQ(of(judged(changed("bht", kDtbl, faster(0.7))), "T2"), Verdict::kShape);
  EXPECT_EQ(of(judged(changed("regx_packets", kDtbl, faster(50))), "T2"), Verdict::kShape)
      << "the mean is one program's";
  EXPECT_EQ(of(judged(changed("", kCdp, faster(1.2))), "T3"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("amr", kDtblIdeal, faster(1.4))), "T4"), Verdict::kShape);
  EXPECT_EQ(of(judged(changed("", kDtblIdeal, faster(1.4))), "T4"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("clr_kronecker", kDtbl, faster(2))), "T6"), Verdict::kShape);
  EXPECT_EQ(of(judged(changed("regx_strings", kDtbl, faster(1.7))), "T6"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("bfs_road", kDtbl, faster(0.9))), "T7"), Verdict::kNot);
}

TEST(DtblClaims, OfTheMachine) {
  EXPECT_EQ(of(judged(changed("pre", kDtbl, [](Sample& s) { s["thread_instructions"] = 70; })), "T8"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("pre", kDtbl, [](Sample& s) { s["dram_busy"] = 90; })), "T9"), Verdict::kShape);
  EXPECT_EQ(of(judged(changed("", kDtbl, [](Sample& s) { s["dram_busy"] = 20; })), "T9"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("bht", kDtblIdeal, [](Sample& s) { s["occupancy_warps_sum"] = 72; })), "T10"),
            Verdict::kShape);
  EXPECT_EQ(of(judged(changed("", kDtblIdeal, [](Sample& s) { s["occupancy_warps_sum"] = 60; })), "T10"),
            Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", kDtbl, [](Sample& s) { s["wait_sum"] = 4e4 * s["launches"]; })), "T11"),
            Verdict::kNot);
  EXPECT_EQ(of(judged(changed("regx_strings", kDtbl, [](Sample&) {})), "T11"), Verdict::kReproduced);
  EXPECT_EQ(of(judged(changed("amr", kDtbl, [](Sample& s) { s["wait_sum"] = 10 * s["launches"]; })), "T11"),
            Verdict::kShape);
}

TEST(DtblClaims, OfTheTable) {
  const auto all_alike = [](double rate) { return [rate](Sample& s) { s = grouped(s, 1, rate); }; };
  EXPECT_EQ(of(judged(changed("", "dtbl_512", all_alike(0.8))), "T13"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", "dtbl_2048", all_alike(0.5))), "T13"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", "dtbl_16", [](Sample& s) { s["cycles"] = 5e5; })), "T14"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", kCold, [](Sample& s) { s = grouped(s, 0.5, 0.8); })), "T15"), Verdict::kNot);
  EXPECT_EQ(of(judged(changed("", kDtbl, [](Sample& s) { s = grouped(s, 0.9, 0.8); })), "T15"), Verdict::kReproduced)
      << "with a kernel kept resident every group finds one";
}

TEST(DtblClaims, OfThePath) {
  const auto with = [](const std::function<void(Path&)>& change) {
    Path one = path();
    change(one);
    return of(judge(Evaluation(), one, {}, {}), "T5");
  };
  EXPECT_EQ(with([](Path& p) { p["groups"][1]["call_buffer"] += 1; }), Verdict::kNot);
  EXPECT_EQ(with([](Path& p) { p["groups"][32]["wait_largest"] = 700; }), Verdict::kShape);
  EXPECT_EQ(with([](Path& p) { p["groups"].erase(32); }), Verdict::kOpen);
}

TEST(DtblClaims, OneInputGivesNoVerdict) {
  const std::vector<Claim> claims = judged(published_runs().without("small-2"));
  for (const char* const id : {"T1", "T2", "T3", "T4", "T7", "T8", "T9", "T10", "T11", "T15"}) {
    EXPECT_EQ(of(claims, id), Verdict::kNotShown) << id;
  }
}

TEST(DtblClaims, WhatGotLostOrDiffersIsBroken) {
  EXPECT_EQ(broken_invariants(judge(published_runs(), path(), {"amr with dtbl: groups"}, {})),
            std::vector<std::string>{"I1: amr with dtbl: groups"});
  EXPECT_EQ(broken_invariants(judge(published_runs(), path(), {}, {"bht-small-1-dtbl"})),
            std::vector<std::string>{"I2: bht-small-1-dtbl"});
}

TEST(DtblRuns, AddUp) {
  Sample sample;
  for (const char* const name : {"counted", "launches", "groups", "ended"}) sample[name] = 10;
  for (const char* const name : {"failed", "dropped"}) sample[name] = 0;
  for (const char* const name : {"attached", "kde_hits"}) sample[name] = 7;
  for (const char* const name : {"fallbacks", "kde_misses", "granted"}) sample[name] = 3;
  sample["agt_hits"] = 5;
  sample["agt_misses"] = 2;
  sample["host_kernels"] = 2;
  sample["warm_kernels"] = 1;
  for (const char* const name : {"kernels_parsed", "kernels_completed"}) sample[name] = 6;
  for (const char* const name : {"thread_blocks", "tb_placed", "tb_retired", "tb_started", "tb_left"})
    sample[name] = 40;
  EXPECT_TRUE(unbalanced(sample).empty());
  for (const auto& [name, value] : Sample(sample)) {
    Sample other = sample;
    other[name] = value + 1;
    EXPECT_FALSE(unbalanced(other).empty()) << name;
  }
}

}  // namespace
}  // namespace castor::workloads::dtbl::dtbl_claims_test

// Tests of the judge of the claims about locality-aware scheduling, on tables made for the purpose: the published
// results, and the same with one value changed. Also tests the sums that must agree in a run with the block.

#include <gtest/gtest.h>

#include <functional>

#include "workloads/children/judge.h"
#include "workloads/laperm/evaluation.h"

namespace castor::workloads::laperm::laperm_claims_test {
namespace {

using namespace children;
using Change = std::function<void(Sample&)>;

/// Returns a run relative to round robin: IPC, percentage points of L1 and L2 hits, and the median wait.
Sample run(double ipc, double l1, double l2, double wait) {
  Sample out;
  out["cycles"] = 1e6 / ipc;
  out["warp_instructions"] = 1e6;
  out["launches"] = 1000;
  out["l1_read_hit"] = 40 + l1;
  out["l1_read_miss"] = 60 - l1;
  out["kernel_l2_hit"] = 50 + l2;
  out["kernel_l2_miss"] = 30 - l2;
  out["kernel_l2_merged"] = 20;
  out["wait_median"] = wait;
  return out;
}

Sample touched(const std::string& program) {
  Sample out;
  out["parent_child"] = 0.384;
  out["child_sibling"] = program == "amr" || program.rfind("join", 0) == 0 ? 0.01 : 0.4;
  out["parent_parent"] = 0.093;
  return out;
}

bool is_uneven(const std::string& name) {
  return name == "bfs_citation" || name == "clr_citation" || name.rfind("join", 0) == 0;
}

/// Returns the published results, by system.
std::map<std::string, Sample> published(const std::string& name) {
  const bool even = name == "amr" || name == "pre", graph500 = name == "clr_kronecker", best = name == "sssp_balanced";
  std::map<std::string, Sample> out;
  out[kFootprint] = touched(name);
  out[kCdp.rr] = run(1, 0, 0, 90000);
  out[kCdp.tb_pri] = run(1.04, 1.1, 6.7, 20000);
  out[kCdp.smx_bind] = run(even ? 1.06 : 0.95, graph500 ? 1.5 : 6.6, 6.7, 30000);
  out[kCdp.adaptive_bind] = run(best ? 1.11 : 1.06, graph500 ? 1.3 : 4.3, 6.7, 19000);
  out[kDtbl.rr] = run(1, 0, 0, 70000);
  out[kDtbl.tb_pri] = run(1.13, 2.1, 8.7, 3000);
  out[kDtbl.smx_bind] = run(even ? 1.27 : is_uneven(name) ? 0.9 : 1.08, graph500 ? 2.5 : 13.6, 8.7, 5000);
  out[kDtbl.adaptive_bind] = run(best ? 1.51 : 1.27, graph500 ? 2.3 : 10.5, 8.7, 2500);
  if (!among(of_studies(), name)) return out;
  for (const Latency& one : latencies()) {
    if (one.percent == 100) continue;
    out[one.cdp.rr] = run(1.5, 0, 0, 50000);
    out[one.cdp.adaptive_bind] = run(1.5 * (1.2 - 0.0012 * one.percent), 3, 5, 10000);
  }
  out[kManyKernels.rr] = run(1.5, 0, 0, 50000);
  out[kManyKernels.adaptive_bind] = run(1.5 * 1.15, 3, 5, 10000);
  return out;
}

/// With every sample of a program, or of every one (""), and of a system changed.
Evaluation runs(const std::string& program = "", const std::string& system = "", const Change& change = {}) {
  Evaluation out;
  for (const std::string& name : program_names()) {
    if (inert(name)) continue;
    for (auto& [own, sample] : published(name)) {
      if (own == system && (program.empty() || program == name)) change(sample);
      for (const char* const input : {"small-1", "small-2"}) out.add(name, input, own, sample);
    }
  }
  return out;
}

Verdict of(const Evaluation& evaluation, const std::string& id) {
  for (const Claim& claim : judge(evaluation, {})) {
    if (claim.id == id) return claim.verdict;
  }
  ADD_FAILURE() << "no claim " << id;
  return Verdict::kOpen;
}

/// Changes of a sample.
Change ipc_of(double value) {
  return [value](Sample& s) { s["cycles"] = 1e6 / value; };
}
Change l1_of(double points) {
  return [points](Sample& s) {
    s["l1_read_hit"] = 40 + points;
    s["l1_read_miss"] = 60 - points;
  };
}
Change l2_of(double points) {
  return [points](Sample& s) {
    s["kernel_l2_hit"] = 50 + points;
    s["kernel_l2_miss"] = 30 - points;
  };
}
Change number_of(const char* name, double value) {
  return [name, value](Sample& s) { s[name] = value; };
}

TEST(LapermClaims, AGainWhereGroupsWaitForRecordsAloneIsNotThePolicys) {
  Evaluation waiting = runs("", kDtbl.rr, number_of("offchip_wait", 9e5));
  for (const char* const input : {"small-1", "small-2"}) {
    waiting.add("bht", input, kDtbl.rr, run(1, 0, 0, 70000));
    waiting.add("bht", input, kDtbl.adaptive_bind, run(1, 10.5, 8.7, 70000));
    waiting.add("bht", input, kDtbl.tb_pri, run(1, 2.1, 8.7, 70000));
  }
  EXPECT_EQ(of(waiting, "P7"), Verdict::kNot);
  EXPECT_EQ(of(waiting, "P14"), Verdict::kNot);
}

TEST(LapermClaims, TheSourceReproducesItself) {
  const std::vector<Claim> claims = judge(runs(), {});
  EXPECT_EQ(claims.size(), 18U);
  for (const Claim& claim : claims) {
    const Verdict wanted = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, claim.id == "P1" ? Verdict::kOpen : wanted) << claim.id << ": " << claim.ours;
  }
  EXPECT_TRUE(broken_invariants(claims).empty());
}

TEST(LapermClaims, OfSharing) {
  EXPECT_EQ(of(runs("", kFootprint, number_of("parent_child", 0.7)), "P2"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kFootprint, number_of("parent_parent", 0.3)), "P2"), Verdict::kShape);
  EXPECT_EQ(of(runs("amr", kFootprint, number_of("child_sibling", 0.3)), "P2"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kFootprint, number_of("parent_parent", 0.5)), "P2"), Verdict::kNot);
}

TEST(LapermClaims, OfCaches) {
  EXPECT_EQ(of(runs("", kDtbl.tb_pri, l2_of(5)), "P3"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kDtbl.tb_pri, l1_of(20)), "P3"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kCdp.tb_pri, l2_of(-1)), "P3"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kDtbl.smx_bind, l1_of(2.5)), "P5"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kCdp.smx_bind, l1_of(1)), "P5"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kDtbl.adaptive_bind, l1_of(15)), "P8"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kCdp.adaptive_bind, l1_of(0)), "P8"), Verdict::kNot);
  EXPECT_EQ(of(runs("clr_kronecker", kDtbl.smx_bind, l1_of(5)), "P10"), Verdict::kNot);
}

TEST(LapermClaims, OfSpeed) {
  EXPECT_EQ(of(runs("", kDtbl.tb_pri, ipc_of(1.02)), "P4"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kCdp.tb_pri, ipc_of(0.97)), "P4"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kDtbl.smx_bind, ipc_of(1.1)), "P6"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kDtbl.smx_bind, ipc_of(1.2)), "P6"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kCdp.adaptive_bind, ipc_of(1.2)), "P7"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kDtbl.adaptive_bind, ipc_of(1.1)), "P7"), Verdict::kNot);
  EXPECT_EQ(of(runs("bht", kDtbl.adaptive_bind, ipc_of(1.6)), "P15"), Verdict::kShape);
  EXPECT_EQ(of(runs("sssp_balanced", kCdp.adaptive_bind, ipc_of(0.9)), "P15"), Verdict::kNot);
  EXPECT_EQ(of(runs("pre", kDtbl.smx_bind, ipc_of(1.2)), "P9"), Verdict::kNot);
}

TEST(LapermClaims, OfStudies) {
  EXPECT_EQ(of(runs("", "cdp_adaptive_bind_50", ipc_of(1.5 * 1.3)), "P11"), Verdict::kShape);
  EXPECT_EQ(of(runs("", "cdp_adaptive_bind_0", ipc_of(1.5)), "P11"), Verdict::kNot);
  EXPECT_EQ(of(runs("", kManyKernels.adaptive_bind, ipc_of(1.5 * 1.01)), "P12"), Verdict::kNot);
}

TEST(LapermClaims, OfDistance) {
  EXPECT_EQ(of(runs("", kDtbl.tb_pri, number_of("wait_median", 50000)), "P14"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kCdp.adaptive_bind, number_of("wait_median", 30000)), "P14"), Verdict::kShape);
  EXPECT_EQ(of(runs("", kDtbl.tb_pri, number_of("wait_median", 80000)), "P14"), Verdict::kNot);
}

TEST(LapermClaims, OneInputGivesNoVerdict) {
  const Evaluation one = runs().without("small-2");
  for (const char* const id : {"P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P14"}) {
    EXPECT_EQ(of(one, id), Verdict::kNotShown) << id;
  }
}

TEST(LapermClaims, WithoutAllProgramsTheyAreNotMeasured) {
  Evaluation some;
  some.add("bht", "small-1", kCdp.rr, run(1, 0, 0, 90000));
  for (const char* const id : {"P2", "P3", "P7", "P9", "P11", "P14"}) EXPECT_EQ(of(some, id), Verdict::kOpen) << id;
}

TEST(LapermClaims, WhatIsWrongIsBroken) {
  EXPECT_EQ(broken_invariants(judge(runs(), {{"amr with cdp_rr: launches"}, {}, {}})),
            std::vector<std::string>{"I1: amr with cdp_rr: launches"});
  EXPECT_EQ(broken_invariants(judge(runs(), {{}, {"bht-small-1-cdp_rr"}, {}})),
            std::vector<std::string>{"I2: bht-small-1-cdp_rr"});
  EXPECT_EQ(broken_invariants(judge(runs(), {{}, {}, {"pre with dtbl_smx_bind: thread blocks"}})),
            std::vector<std::string>{"I3: pre with dtbl_smx_bind: thread blocks"});
}

TEST(LapermRuns, AreWhereTheyMustBe) {
  Sample sample;
  for (const char* const name : {"launches", "launches_seen", "launches_placed"}) sample[name] = 10;
  for (const char* const name : {"tb_placed", "tb_started", "blocks_seen"}) sample[name] = 40;
  EXPECT_TRUE(misplaced(sample, false, false).empty());
  sample["pushes"] = 12;
  sample["kernels_parsed"] = 5;
  sample["attached"] = 7;
  sample["own"] = 30;
  sample["host"] = 10;
  sample["stolen"] = 0;
  sample["memory_writes"] = sample["memory_reads"] = 3;
  sample["child_blocks"] = sample["at_home"] = 30;
  EXPECT_TRUE(misplaced(sample, true, false).empty());
  for (const auto& [name, value] : Sample(sample)) {
    Sample other = sample;
    other[name] = value + 1;
    EXPECT_FALSE(misplaced(other, true, false).empty()) << name;
  }
  sample["own"] = 28;
  sample["stolen"] = 2;
  sample["at_home"] = 28;
  EXPECT_TRUE(misplaced(sample, false, true).empty());
  EXPECT_EQ(misplaced(sample, false, false).size(), 1U);
  EXPECT_EQ(misplaced(sample, true, true).size(), 1U);
}

}  // namespace
}  // namespace castor::workloads::laperm::laperm_claims_test

// Tests of the judge of the claims about child kernels, on tables made for the purpose: the published results, and the
// same with one value changed. Also tests the sums that must agree in a run.

#include <gtest/gtest.h>

#include <functional>

#include "workloads/cdp/evaluation.h"
#include "workloads/cdp/published.h"
#include "workloads/children/figures.h"
#include "workloads/children/programs.h"

namespace castor::workloads::cdp::cdp_claims_test {
namespace {

using namespace children;

bool flat_degrees(const std::string& name) { return name == "sssp_flights" || name.find("_road") != std::string::npos; }

/// A run that is `speed` times as fast as 1,000,000 cycles and launches so much; the source's picture otherwise.
Sample run(double speed, double launches, double activity = 50, double accesses = 4) {
  Sample out;
  out["cycles"] = 1e6 / speed;
  out["launches"] = launches;
  out["pending_peak"] = 0.8 * launches;
  out["child_threads"] = 44 * launches;
  out["parent_threads"] = 10000;
  out["entries_valid_max"] = launches > 0 ? 32 : 1;
  out["thread_instructions"] = activity;
  out["lane_slots"] = 100;
  out["coalesced_lines"] = accesses;
  out["global_instructions"] = 1;
  return out;
}

/// Returns runs with the published results: ideal 1.43, real 1/1.16, and a program that gains more by the one gains
/// less by the other.
Evaluation published_runs() {
  Evaluation out;
  double step = 0;
  for (const Program& program : programs()) {
    const bool inert = flat_degrees(program.name), even = program.name.find("_balanced") != std::string::npos;
    const double launches = inert ? 0 : 1000;
    const double ideal = inert ? 1 : 1.3 + step, real = inert ? 1 : 0.7 - step;
    const bool fewer = even || program.name.rfind("regx", 0) == 0;
    Sample child = run(real, launches, even ? 45 : 70, fewer ? 2 : 4);
    Sample best = run(ideal, launches, even ? 45 : 70, fewer ? 2 : 4);
    if (program.name == "pre") child["child_threads"] = 1528 * launches;
    for (const char* const input : {"small-1", "small-2"}) {
      out.add(program.name, input, kFlat, run(1, 0));
      out.add(program.name, input, kCdp, child);
      out.add(program.name, input, kIdeal, best);
    }
    if (!inert) step += 0.03;
  }
  return out;
}

Sample timed(double cycles) {
  Sample out;
  out["cycles"] = cycles;
  return out;
}

LaunchPath path() {
  LaunchPath out;
  for (unsigned lanes = 1; lanes <= 32; ++lanes) {
    Sample one = timed(30000);
    one["call_stream"] = published::kStream.ticks(lanes);
    one["call_buffer"] = published::kBuffer.ticks(lanes);
    one["call_launch"] = published::kLaunch.ticks(lanes);
    one["wait_sum"] = 0;
    for (unsigned k = 1; k <= lanes; ++k) one["wait_sum"] += published::kLaunch.ticks(k) + published::kDispatch + 3;
    out.lanes[lanes] = one;
  }
  out.warps = {{1, timed(30000)}, {16, timed(31000)}};
  out.many_serial = {
      {2048, timed(0)}, {4096, timed(1e6)}, {8192, timed(1e6 + 4096 * 290.0)}, {16384, timed(1e6 + 12288 * 290.0)}};
  out.queues = {{1, timed(640000)}, {32, timed(20000)}};
  for (const char* const name : {"in_turn", "fills_in_turn", "takes_freed_room", "next_kernel_joins"}) {
    out.placement[name] = 1;
  }
  out.placement["first_sm"] = 0;
  out.limited = {{"launches", 5}, {"refused", 27}, {"pending_peak", 5}, {"call_launch", published::kLaunch.ticks(32)}};
  return out;
}

Verdict of(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& claim : claims) {
    if (claim.id == id) return claim.verdict;
  }
  ADD_FAILURE() << "no claim " << id;
  return Verdict::kOpen;
}

/// Returns the published runs with all runs of a program on a system changed.
Evaluation changed(const std::string& program, const char* system, const std::function<void(Sample&)>& change) {
  Evaluation out = published_runs();
  for (const char* const input : {"small-1", "small-2"}) {
    const bool inert = flat_degrees(program);
    Sample sample = run(1, inert ? 0 : 1000);
    change(sample);
    out.add(program, input, system, sample);
  }
  return out;
}

TEST(CdpClaims, TheSourceReproducesItself) {
  const std::vector<Claim> claims = judge(published_runs(), path(), {});
  EXPECT_EQ(claims.size(), 19U);
  for (const Claim& claim : claims) {
    const bool open = claim.id == "B14" || claim.id == "B16";
    const Verdict wanted = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, open ? Verdict::kOpen : wanted) << claim.id << ": " << claim.ours;
  }
  EXPECT_TRUE(broken_invariants(claims).empty());
}

TEST(CdpClaims, OfThePathHoldToTheTick) {
  const auto judged = [](const std::function<void(LaunchPath&)>& change, const char* id) {
    LaunchPath one = path();
    change(one);
    return of(judge(Evaluation(), one, {}), id);
  };
  EXPECT_EQ(judged([](LaunchPath& p) { p.lanes[7]["call_launch"] += 1; }, "B4"), Verdict::kNot);
  EXPECT_EQ(judged([](LaunchPath& p) { p.lanes[32]["wait_sum"] -= 1; }, "B4"), Verdict::kNot);
  EXPECT_EQ(judged([](LaunchPath& p) { p.lanes.erase(9); }, "B4"), Verdict::kOpen);
  EXPECT_EQ(judged([](LaunchPath& p) { p.placement["takes_freed_room"] = 0; }, "B1"), Verdict::kNot);
  EXPECT_EQ(judged([](LaunchPath& p) { p.placement["first_sm"] = 1; }, "B1"), Verdict::kNot);
  for (const char* const name : {"launches", "refused", "pending_peak", "call_launch"}) {
    EXPECT_EQ(judged([&](LaunchPath& p) { p.limited[name] += 1; }, "B17"), Verdict::kNot) << name;
  }
  EXPECT_EQ(judged([](LaunchPath& p) { p.warps[16]["cycles"] = 40000; }, "B5"), Verdict::kNot);
  EXPECT_EQ(judged([](LaunchPath& p) { p.queues[1]["cycles"] = 100000; }, "B3"), Verdict::kNot);
}

TEST(CdpClaims, SlopesCountFrom4096LaunchesOn) {
  LaunchPath one = path();
  one.many_serial[4096]["cycles"] = 1;  // the slope below is no part, the one above is 534
  EXPECT_EQ(of(judge(Evaluation(), one, {}), "B6"), Verdict::kNot);
  one = path();
  one.many_serial[2048]["cycles"] = 9e5;
  EXPECT_EQ(of(judge(Evaluation(), one, {}), "B6"), Verdict::kConstruction);
  for (auto& [launches, sample] : one.many_serial) sample["cycles"] = 61.0 * launches;
  EXPECT_EQ(of(judge(Evaluation(), one, {}), "B6"), Verdict::kShape);
}

TEST(CdpClaims, GainsAndLosses) {
  const auto faster = [](double speed) { return [speed](Sample& s) { s["cycles"] = 1e6 / speed; }; };
  EXPECT_EQ(of(judge(changed("clr_balanced", kIdeal, faster(0.97)), path(), {}), "B7"), Verdict::kShape);
  EXPECT_EQ(of(judge(changed("bfs_road", kCdp, faster(0.9)), path(), {}), "B10"), Verdict::kNot);
  EXPECT_EQ(of(judge(changed("amr", kCdp, faster(1.2)), path(), {}), "B18"), Verdict::kNot);
  EXPECT_EQ(of(judge(changed("bfs_road", kCdp, [](Sample& s) { s["launches"] = 1; }), path(), {}), "B10"),
            Verdict::kNot);
  EXPECT_EQ(of(judge(changed("amr", kIdeal, [](Sample& s) { s["thread_instructions"] = 40; }), path(), {}), "B11"),
            Verdict::kNot);
  EXPECT_EQ(
      of(judge(changed("bfs_balanced", kIdeal, [](Sample& s) { s["thread_instructions"] = 60; }), path(), {}), "B11"),
      Verdict::kShape);
  EXPECT_EQ(of(judge(changed("pre", kIdeal, [](Sample& s) { s["coalesced_lines"] = 2; }), path(), {}), "B12"),
            Verdict::kShape);
  EXPECT_EQ(of(judge(changed("pre", kCdp, [](Sample& s) { s["child_threads"] = 5e5; }), path(), {}), "B13"),
            Verdict::kShape);
  EXPECT_EQ(of(judge(changed("amr", kCdp, [](Sample& s) { s["pending_peak"] = 550; }), path(), {}), "B15"),
            Verdict::kShape);
  EXPECT_EQ(of(judge(changed("bfs_citation", kCdp, [](Sample& s) { s["entries_valid_max"] = 31; }), path(), {}), "B2"),
            Verdict::kShape);
}

TEST(CdpClaims, LessLossWhereMoreCouldBeGainedIsShapeOnly) {
  Evaluation out = published_runs();
  for (const Program& program : programs()) {
    if (flat_degrees(program.name)) continue;
    const double ideal = 1e6 / out.figure(program.name, kIdeal, cycles()).mean;
    for (const char* const input : {"small-1", "small-2"}) out.add(program.name, input, kCdp, run(0.4 * ideal, 1000));
  }
  EXPECT_EQ(of(judge(out, path(), {}), "B8"), Verdict::kShape);
}

TEST(CdpClaims, OneInputGivesNoVerdict) {
  const std::vector<Claim> claims = judge(published_runs().without("small-2"), path(), {});
  for (const char* const id : {"B7", "B8", "B9", "B11", "B12", "B13", "B15"}) {
    EXPECT_EQ(of(claims, id), Verdict::kNotShown) << id;
  }
}

TEST(CdpClaims, WhatGotLostIsBroken) {
  const std::vector<Claim> claims = judge(published_runs(), path(), {"amr with cdp: launches"});
  EXPECT_EQ(broken_invariants(claims), std::vector<std::string>{"I1: amr with cdp: launches"});
}

TEST(CdpRuns, AddUp) {
  Sample sample;
  for (const char* const name : {"counted", "launches", "granted", "ended"}) sample[name] = 10;
  for (const char* const name : {"failed", "dropped"}) sample[name] = 0;
  sample["host_kernels"] = 2;
  for (const char* const name : {"kernels_parsed", "kernels_completed"}) sample[name] = 12;
  for (const char* const name : {"thread_blocks", "tb_placed", "tb_retired", "tb_started", "tb_left"})
    sample[name] = 40;
  EXPECT_TRUE(unbalanced(sample).empty());
  sample["groups"] = sample["attached"] = sample["fallbacks"] = 0;
  EXPECT_TRUE(unbalanced(sample).empty()) << "launches of kernels alone";
  for (const char* const name : {"groups", "attached", "fallbacks"}) sample.erase(name);
  for (const auto& [name, value] : Sample(sample)) {
    Sample other = sample;
    other[name] = value + 1;
    EXPECT_FALSE(unbalanced(other).empty()) << name;
    other = sample;
    if (name == "counted" || name == "failed") continue;  // not of the launch path
    other.erase(name);
    EXPECT_FALSE(unbalanced(other).empty()) << "without " << name;
  }
}

TEST(CdpPrograms, HaveAFormAndASeed) {
  const Program* const program = find_program("bfs_balanced");
  ASSERT_NE(program, nullptr);
  const std::vector<std::string> words = arguments(*program, "cdp", "small", 3);
  EXPECT_EQ(words.front(), "cdp");
  EXPECT_EQ(words[1], "random");
  EXPECT_EQ(words.back(), "3");
  EXPECT_EQ(programs().size(), 18U) << "the rows of the source's table 2";
  EXPECT_EQ(find_program("bfs"), nullptr);
}

}  // namespace
}  // namespace castor::workloads::cdp::cdp_claims_test

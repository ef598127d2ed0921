#pragma once

#include "tests/unit/gpu_launch_group_support.h"

// Programs and checks that the tests of groups share.
namespace castor::gpu::launch_test::groups {

using Words = std::vector<std::uint32_t>;

// `number` of a launch by the host; groups have other values.
inline const std::string kNative = "0xffff";
inline constexpr std::uint32_t kNativeNumber = 0xffff;
// Returns PTX with which threads of the host's launch continue and threads of groups branch to WORK.
inline std::string native_or_work() { return go_unless_equal("%r0", kNative, "WORK"); }

// Checks the counts of a run. With the block, `hits` groups found a kernel and `misses` groups did not; without it,
// every group became a kernel.
inline std::string launched(const GroupRun& run, std::uint64_t hits, std::uint64_t misses) {
  if (run.timed == nullptr) return "right";
  GroupTimed& timed = *run.timed;
  if (!run.block) {
    return first_wrong(
        {equal("groups", timed.groups(), hits + misses), equal("fallbacks", timed.fallbacks(), hits + misses)});
  }
  return first_wrong({equal("groups", timed.groups(), hits + misses), equal("fallbacks", timed.fallbacks(), misses),
                      equal("the block's groups", timed.block("groups"), hits + misses),
                      equal("kde_hits", timed.block("kde_hits"), hits),
                      equal("kde_misses", timed.block("kde_misses"), misses),
                      equal("agt_hits + agt_misses", timed.block("agt_hits") + timed.block("agt_misses"), hits)});
}
inline std::string done(const GroupRun& run, Outcome outcome) {
  return outcome == Outcome::kDone ? "right" : "not done: " + run.host.said();
}

// A binary tree of groups of one kernel: node n launches 2n and 2n + 1. out[n] counts threads, out[1024] errors.
inline const std::string kTree =
    kernel("tree", word("%rd1", "%r0") + add("%rd1", "1") + "setp.ge.u32 %p1, %r0, 128;\n@%p1 bra END;\n" +
                       "setp.ge.u32 %p1, %r1, 2;\n@%p1 bra WAIT;\nmad.lo.u32 %r3, %r0, 2, %r1;\n" +
                       arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "tree", "%rd4", flat("1", "32")) +
                       add("%rd0+4096", "%r4") + "WAIT:\n" + spend("300", "L") + "END:\n");

// 192 threads launch 384 groups of 1 to 5 blocks each, in two rounds, and one more of each eighth. out[8 * number +
// block] counts threads, independent of the sizes of table and memory.
inline constexpr std::uint32_t kMany = 384;
inline const std::string kConserved = kernel(
    "many",
    "mul.lo.u32 %r9, %r0, 7;\nmov.u32 %r8, " + std::to_string(kMany) + ";\n" + native_or_work() +
        "mad.lo.u32 %r5, %r2, 64, %r1;\nmul.lo.u32 %r5, %r5, 2;\nmov.u32 %r7, 0;\nMORE:\nadd.u32 %r6, %r5, %r7;\n" +
        "mul.lo.u32 %r10, %r6, 7;\nrem.u32 %r10, %r10, 5;\nadd.u32 %r10, %r10, 1;\n" +
        arguments("%rd4", "%rd0", "%r6") + launch_group("%r4", "many", "%rd4", flat("%r10", "64")) +
        add("%rd0+28000", "%r4") + "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 2;\n@%p1 bra MORE;\nbra END;\nWORK:\n" +
        "mad.lo.u32 %r3, %r0, 8, %r2;\n" + word("%rd1", "%r3") + add("%rd1", "1") + go_unless_equal("%r1", "0", "END") +
        go_unless_equal("%r2", "0", "END") + "setp.ge.u32 %p1, %r0, %r8;\n@%p1 bra END;\nand.b32 %r5, %r0, 7;\n" +
        go_unless_equal("%r5", "0", "END") + "add.u32 %r6, %r0, %r8;\nmul.lo.u32 %r10, %r6, 7;\n" +
        "rem.u32 %r10, %r10, 5;\nadd.u32 %r10, %r10, 1;\n" + arguments("%rd4", "%rd0", "%r6") +
        launch_group("%r4", "many", "%rd4", flat("%r10", "64")) + add("%rd0+28000", "%r4") + "END:\n");
inline Words conserved() {
  Words expected(std::size_t{16} * kMany, 0);
  for (std::uint32_t n = 0; n < 2 * kMany; ++n) {
    if (n >= kMany && n % 8 != 0) continue;
    for (std::size_t b = 0; b < 1 + n * 7 % 5; ++b) expected[8 * n + b] = 64;
  }
  return expected;
}
inline std::string run_conserved(const GroupRun& run) {
  const std::uint64_t out = run.host.words(8192);
  const Outcome outcome = run.host.run("many", out, kNativeNumber, 3, 64);
  std::string number = "right";
  if (run.timed != nullptr) number = equal("groups", run.timed->groups(), kMany + kMany / 8);
  if (run.block) {
    GroupTimed& timed = *run.timed;
    number = first_wrong(
        {number, equal("hits + misses", timed.block("kde_hits") + timed.block("kde_misses"), kMany + kMany / 8),
         equal("fallbacks", timed.fallbacks(), timed.block("kde_misses")),
         equal("loads of records", timed.block("offchip_loads"), timed.block("agt_misses"))});
  }
  return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 7000), 0),
                      compared(run.host.values(out, std::size_t{16} * kMany), conserved()), number});
}

}  // namespace castor::gpu::launch_test::groups

#pragma once

#include "tests/unit/gpu_launch_group_support.h"

// Programs whose thread blocks are swapped out beside hooks.
namespace castor::gpu::launch_test {

/// 128 threads per block arrive at barriers at different times. out[128 * block + thread] is as `met` expects.
inline const std::string kMeet =
    kernel("meet",
           "mov.u32 %r5, 0;\nshr.u32 %r6, %r1, 5;\nadd.u32 %r6, %r6, 1;\nmov.u32 %r7, 0;\n"
           "MORE:\nmov.u32 %r8, 0;\nWORK:\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r8, %r8, 1;\n"
           "setp.lt.u32 %p1, %r8, %r6;\n@%p1 bra WORK;\nbar.sync 0;\nadd.u32 %r7, %r7, 1;\n"
           "setp.lt.u32 %p2, %r7, 20;\n@%p2 bra MORE;\nmad.lo.u32 %r3, %r2, 128, %r1;\n" +
               word("%rd1", "%r3") + "st.global.u32 [%rd1], %r5;\n");
/// Returns what is wrong with the words that `meet` leaves, or an empty string.
inline std::string met(const std::vector<std::uint32_t>& words) {
  for (unsigned i = 0; i < words.size(); ++i) {
    const unsigned warp = i % 128 / 32 + 1;
    if (words[i] != 20 * warp * warp) return "thread " + std::to_string(i) + " has " + std::to_string(words[i]);
  }
  return {};
}

/// A tree of kernels, launched as number 1 by 64 threads: node n waits for its children 2n and 2n + 1, and out[n] is
/// the size of its tree.
inline const std::string kTree = kernel(
    "tree",
    "setp.ge.u32 %p1, %r0, 64;\n@%p1 bra LEAF;\nsetp.ge.u32 %p2, %r1, 2;\n@%p2 bra WAIT;\n"
    "mad.lo.u32 %r3, %r0, 2, %r1;\n" +
        arguments("%rd4", "%rd0", "%r3") + launch("%r4", "tree", "%rd4", {"1", "64"}) + "WAIT:\n" + synchronize("%r6") +
        "bar.sync 0;\nshl.b32 %r7, %r0, 1;\n" + word("%rd5", "%r7") +
        "ld.volatile.global.u32 %r8, [%rd5];\nld.volatile.global.u32 %r9, [%rd5+4];\nadd.u32 %r8, %r8, %r9;\n"
        "bra OUT;\nLEAF:\nmov.u32 %r8, 0;\nOUT:\nadd.u32 %r8, %r8, 1;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\n" +
        word("%rd6", "%r0") + "st.global.u32 [%rd6], %r8;\nEND:\n");
/// out[1] of the whole tree.
inline constexpr std::uint32_t kNodes = 127;

}  // namespace castor::gpu::launch_test

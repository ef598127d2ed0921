// Tests of the memory ordering that kernels with races may rely on with the block (docs/blocks/darsie.md). A thread
// reads its own older store or a younger one, and its loads of one address are in order. After a fence a thread reads
// the stores that it waited for.

#include "unit/darsie/session.h"

namespace castor::hookup::darsie_litmus_test {
namespace {

using namespace darsie_test;

/// A block of `warps` warps runs `body` at a memory latency; word t of the result is what thread t has written.
struct Litmus {
  Litmus(const std::string& body, unsigned warps, gpu::Cycle latency, const darsie::Params& params = {})
      : session(true, true, params) {
    session.rig.network.latency = latency;
    kernel = &session.load({std::string(kStart) + body + "st.global.u32 [%rd4+256], %r9; ret;",
                            {32, warps, 1},
                            ".shared .align 4 .b8 word[4];"});
    session.rig.start(*kernel);
    EXPECT_TRUE(session.rig.run(1)) << session.rig.sm.waiting();
    EXPECT_TRUE(session.rig.faults.empty()) << session.rig.faults.front().message;
    words = session.words(1);
  }
  /// Returns the tick in which a warp issued the first record whose disassembly begins with `spelling`.
  [[nodiscard]] gpu::Tick issue_of(unsigned warp, const std::string& spelling) const {
    const auto& spellings = kernel->program->spellings;
    for (std::uint32_t pc = 0; pc < spellings.size(); ++pc) {
      if (spellings[pc].rfind(spelling, 0) == 0) return session.rig.log.at(warp, pc).at(0);
    }
    ADD_FAILURE() << "no " << spelling;
    return 0;
  }
  Session session;
  gpu::test::Kernel* kernel = nullptr;
  std::vector<std::uint32_t> words;
};

// Warp 0 adds to word X with all lanes. Warp 1 adds with its last lane, behind 31 lines of other accesses, so its fence
// ends later. After the fence, warp 1 must read its own addition, whatever warp 0 has loaded before. (Accesses of one
// SM to one address keep their order, so this holds here even for a warp that skips in its fence.
// gpu_sm_filter_test.cpp tests that no warp skips in its fence, and that the end of a fence is reported.)
TEST(DarsieLitmus, ALoadBehindAFenceSeesTheOwnAtomic) {
  std::uint64_t skips = 0;
  for (unsigned i = 0; i < 80; ++i) {
    // The fence comes first or last in its group of two.
    const std::string shift = i % 2 == 0 ? "" : "xor.b32 %r22, %r10, %r12;";
    const gpu::Cycle latency = 1 + i / 2 * (i < 40 ? 2 : 5);
    Litmus litmus(shift + R"(
      add.u64 %rd5, %rd0, 4;
      setp.eq.u32 %p0, %r12, 0; setp.eq.u32 %p1, %r11, 31; mul.wide.u32 %rd6, %r11, 128; add.u64 %rd6, %rd6, %rd0;
      add.u64 %rd6, %rd6, 8192; selp.b64 %rd6, %rd5, %rd6, %p0; selp.b64 %rd6, %rd5, %rd6, %p1;
      atom.global.add.u32 %r20, [%rd6], 1;
      membar.gl;
      ld.global.u32 %r21, [%rd5];
      sub.u32 %r9, %r21, %r20;)",
                  2, latency);
    for (unsigned t = 0; t < 32; ++t) EXPECT_GE(static_cast<std::int32_t>(litmus.words[t]), 1) << "latency " << latency;
    EXPECT_GE(static_cast<std::int32_t>(litmus.words[63]), 1) << "latency " << latency;
    skips += litmus.session.counters().skips_hit + litmus.session.counters().skips_wake;
  }
  EXPECT_GT(skips, 0U);
}

/// Runs a kernel in which every warp loads a word, stores its own number into it, and loads it again. Returns the
/// number of threads that read a value older than their own store.
unsigned threads_without_own_store(const std::string& space, const darsie::Params& params) {
  const std::string address = space == "shared" ? "mov.u32 %r16, word;" : "add.u64 %rd5, %rd0, 4;";
  const std::string word = space == "shared" ? "[%r16]" : "[%rd5]";
  unsigned wrong = 0;
  std::uint64_t skips = 0;
  for (gpu::Cycle latency = 1; latency <= 200; latency += 20) {
    Litmus litmus(address + "ld." + space + ".u32 %r20, " + word + "; add.u32 %r17, %r12, 1; st." + space + ".u32 " +
                      word + ", %r17; ld." + space + ".u32 %r9, " + word + ";",
                  4, latency, params);
    for (unsigned t = 0; t < 128; ++t) {
      const unsigned own = t / 32, seen = litmus.words[t];
      EXPECT_LE(seen, 4U);
      const std::string store = "st." + space;
      if (seen == 0 || litmus.issue_of(seen - 1, store) < litmus.issue_of(own, store)) ++wrong;
    }
    skips += litmus.session.counters().skips_hit + litmus.session.counters().skips_wake;
  }
  EXPECT_GT(skips, 0U);
  return wrong;
}

TEST(DarsieLitmus, AThreadSeesItsOwnStoreOrAYoungerOne) {
  EXPECT_EQ(threads_without_own_store("global", {}), 0U);
  EXPECT_EQ(threads_without_own_store("shared", {}), 0U);
}

// The rule that stores remove loads from the skip table ensures this.
TEST(DarsieLitmus, WithoutStoreInvItDoesNot) {
  darsie::Params params;
  params.StoreInv = 0;
  EXPECT_GT(threads_without_own_store("global", params), 0U);
  EXPECT_GT(threads_without_own_store("shared", params), 0U);
}

// One warp stores 1, 2, 3 between loads that all warps execute.
TEST(DarsieLitmus, LoadsOfOneAddressDoNotGoBackwards) {
  for (const std::string space : {"global", "shared"}) {
    const std::string word = space == "shared" ? "[%r16]" : "[%rd5]";
    std::string body =
        space == "shared" ? "mov.u32 %r16, word; st.shared.u32 [%r16], 0; bar.sync 0;" : "add.u64 %rd5, %rd0, 4;";
    body += "setp.eq.u32 %p0, %r12, 2; mov.u32 %r9, 0;";
    for (unsigned i = 0; i < 6; ++i) {
      const std::string loaded = "%r" + std::to_string(20 + i), before = "%r" + std::to_string(19 + i);
      body += "ld." + space + ".u32 " + loaded + ", " + word + ";";
      if (i != 0) {
        body += "setp.lt.u32 %p1, " + loaded + ", " + before + "; selp.u32 %r31, 1, 0, %p1; add.u32 %r9, %r9, %r31;";
      }
      if (i % 2 == 0) {
        body += "mov.u32 %r30, " + std::to_string(i / 2 + 1) + "; @%p0 st." + space + ".u32 " + word + ", %r30;";
      }
    }
    std::uint64_t skips = 0, stale = 0;
    for (gpu::Cycle latency = 1; latency <= 200; latency += 20) {
      Litmus litmus(body, 4, latency);
      EXPECT_EQ(litmus.words, std::vector<std::uint32_t>(128)) << space << ", latency " << latency;
      skips += litmus.session.counters().skips_hit + litmus.session.counters().skips_wake;
      stale += litmus.session.counters().releads + litmus.session.counters().priv_stale;
    }
    EXPECT_GT(skips, 0U);
    EXPECT_GT(stale, 0U) << "no store met a load that others had still to do";
  }
}

}  // namespace
}  // namespace castor::hookup::darsie_litmus_test

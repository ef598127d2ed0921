// Live registers at the sites of a program: what a swap engine is told of them, and kernels whose thread blocks move
// without their dead registers (docs/gpu/swapping.md, "Live registers").

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "castor/gpu/sm/simt_lines.h"
#include "common/hook_fails.h"
#include "platform/timing/swap_rig.h"

namespace castor::gpu::timing_test::swap_sites_test {
namespace {

const std::vector<std::string> kSmall = {"chip.sms=2", "sm.tb_slots=2"};
constexpr unsigned kBlocks = 11, kThreads = 64, kWarps = 2;

/// Kernels with one parameter, `out`. %r5 is the thread's number in the grid. Behind `kEnd` the value in %r9 is stored.
constexpr const char* kBegin =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r1, %r3, %r4; ";
constexpr const char* kEnd = "mul.wide.u32 %rd1, %r5, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r9; ret; ";

struct Program {
  std::string declarations, body;
  unsigned shared_lines = 0;
  std::uint32_t (*expected)(std::uint32_t thread) = nullptr;
};

// One site in a loop. %r20 to %r23 are dead there, %r9 and %r10 are live.
const Program kOneSite = {
    "",
    std::string(kBegin) +
        "mov.u32 %r9, %r5; mov.u32 %r10, 3; "
        "LOOP: mul.lo.u32 %r20, %r9, 7; add.u32 %r21, %r20, %r9; xor.b32 %r22, %r20, %r21; mul.lo.u32 %r23, %r22, "
        "%r21; "
        "add.u32 %r9, %r23, %r20; tb.gridsync; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra LOOP; " +
        kEnd,
    0, [](std::uint32_t x) {
      for (unsigned i = 0; i < 3; ++i) {
        const std::uint32_t a = x * 7, b = a + x, c = a ^ b;
        x = c * b + a;
      }
      return x;
    }};
// Three sites with different sets, and shared memory.
const Program kThreeSites = {
    ".shared .align 4 .b32 words[64];",
    std::string(kBegin) +
        "mov.u32 %r20, words; mad.lo.u32 %r20, %r4, 4, %r20; mul.lo.u32 %r21, %r5, 5; "
        "mul.lo.u32 %r22, %r5, 11; st.shared.u32 [%r20], %r21; tb.gridsync; add.u32 %r23, %r22, 9; mul.lo.u32 %r24, "
        "%r23, %r22; tb.gridsync; ld.shared.u32 %r25, [%r20]; add.u32 %r9, %r25, %r24; tb.gridsync; " +
        kEnd,
    2, [](std::uint32_t x) { return x * 5 + (x * 11 + 9) * (x * 11); }};
// A function is called between two barriers, and has one of its own.
const Program kCall = {
    ".func (.reg .b32 %result) mixes(.reg .b32 %value)\n{ .reg .b32 %a<9>; mul.lo.u32 %a1, %value, 13; add.u32 %a2, "
    "%a1, %value; tb.gridsync; xor.b32 %result, %a2, 85; ret; }\n",
    std::string(kBegin) +
        "add.u32 %r30, %r5, 3; mul.lo.u32 %r31, %r5, 17; tb.gridsync; "
        "call (%r32), mixes, (%r30); tb.gridsync; add.u32 %r9, %r32, %r31; " +
        kEnd,
    0, [](std::uint32_t x) { return (((x + 3) * 13 + (x + 3)) ^ 85) + x * 17; }};

unsigned registers_at(const isa::Program& program, unsigned site) {
  return site == SwapJob::kAllRegisters ? program.registers
                                        : static_cast<unsigned>(program.sync.sites.at(site).registers.count());
}

/// Runs a program, and records the sites at which thread blocks move out.
class Swapped {
 public:
  explicit Swapped(const Program& text, const RandomSwapEngine::Options& options = to_memory(true))
      : swap(kSmall, "maxwell_liu13", options),
        program(swap.rig->load(text.body, 1, text.declarations)),
        text_(text),
        out_(swap.rig->buffer(4 * kBlocks * kThreads)) {
    for (Engine& engine : swap.engines) {
      engine.see = [this](const SwapIn& in, const SwapOut& out) {
        if (in.job && out.job_ready && in.job->out) ++sites[in.job->site];
      };
    }
  }
  void finish() {
    swap.rig->finish(swap.submit(program, kBlocks, kThreads, {out_}));
    unsigned wrong = 0;
    for (unsigned i = 0; i < kBlocks * kThreads; ++i) {
      wrong += swap.rig->get<std::uint32_t>(out_ + 4 * i) != text_.expected(i);
    }
    EXPECT_EQ(wrong, 0U);
  }
  [[nodiscard]] const isa::Program& code() const { return swap.rig->program(program); }
  /// Returns the lines of all jobs that have moved a thread block out.
  [[nodiscard]] std::uint64_t lines() const {
    std::uint64_t lines = 0;
    for (const auto& [site, jobs] : sites) {
      lines += jobs * (SimtLines::lines(kWarps) + kWarps * registers_at(code(), site) + text_.shared_lines);
    }
    return lines;
  }
  SwapRig swap;
  ProgramHandle program;
  std::map<unsigned, std::uint64_t> sites;  ///< [site] jobs

 private:
  const Program& text_;
  std::uint64_t out_;
};

TEST(SwapSites, OnlyLiveRegistersMoveAndTheResultsAreTheHosts) {
  const Program* const programs[] = {&kOneSite, &kThreeSites, &kCall};
  const std::size_t sites[] = {1, 3, 3}, least_sets[] = {1, 2, 1};
  for (unsigned i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    static_cast<void>(in_child([&] {
      Swapped run(*programs[i]);
      run.finish();
      EXPECT_EQ(run.code().sync.sites.size(), sites[i]);
      std::set<std::string> sets;
      for (const isa::SyncSite& site : run.code().sync.sites) {
        EXPECT_LT(site.registers.count(), run.code().registers) << "no register is dead";
        sets.insert(site.registers.to_string());
      }
      EXPECT_GE(sets.size(), least_sets[i]);
      EXPECT_EQ(run.sites.size(), sites[i]) << "no thread block moves out at some site";
      EXPECT_EQ(run.swap.sum("swap_port.stores"), run.lines());
      EXPECT_EQ(run.swap.sum("swap_port.loads"), run.lines());
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}

// Warp 0 waits at the first site, warp 1 at the second one.
TEST(SwapSites, ABlockWhoseWarpsWaitAtDifferentSitesKeepsAllRegisters) {
  const Program text = {"",
                        std::string(kBegin) +
                            "mul.lo.u32 %r20, %r5, 3; add.u32 %r9, %r20, 1; setp.lt.u32 %p0, %r4, 32; @%p0 bra A; "
                            "tb.gridsync; bra J; A: add.u32 %r9, %r9, 1; tb.gridsync; J: " +
                            kEnd,
                        0, [](std::uint32_t x) { return x * 3 + (x % kThreads < 32 ? 2 : 1); }};
  Swapped run(text);
  run.finish();
  ASSERT_EQ(run.sites.size(), 1U);
  EXPECT_EQ(run.sites.begin()->first, SwapJob::kAllRegisters);
  EXPECT_EQ(run.swap.sum("swap_port.stores"), run.lines());
}

// Each engine is told the constants, then one site per tick, and gets no job before. A second kernel has the same
// constants and other sets. Sites from number 16 on are not told.
TEST(SwapSites, AnEngineKnowsAllSitesBeforeItsFirstJob) {
  SwapRig swap(kSmall, "maxwell_liu13", to_memory(true));
  std::string many = kBegin;
  for (unsigned i = 0; i < 20; ++i) many += "add.u32 %r9, %r5, " + std::to_string(i) + "; tb.gridsync; ";
  const std::string few = std::string(kBegin) + "add.u32 %r9, %r5, 7; tb.gridsync; ";
  const ProgramHandle programs[] = {swap.rig->load(many + kEnd, 1), swap.rig->load(few + kEnd, 1),
                                    swap.rig->load(few + "mov.u32 %r9, %r5; " + kEnd, 1)};
  ASSERT_EQ(swap.rig->program(programs[1]).registers, swap.rig->program(programs[2]).registers);
  ASSERT_NE(swap.rig->program(programs[1]).sync.sites[0].registers,
            swap.rig->program(programs[2]).sync.sites[0].registers);
  struct Told {
    Cycle at = 0;
    std::vector<std::pair<Cycle, SiteMask>> sites;
    unsigned jobs = 0;
  };
  std::vector<std::vector<Told>> told(swap.engines.size());  // [SM][kernel]
  for (unsigned sm = 0; sm < swap.engines.size(); ++sm) {
    swap.engines[sm].see = [&told, sm](const SwapIn& in, const SwapOut& out) {
      if (in.configure) told[sm].push_back({in.now, {}, 0});
      if (in.sites) {
        EXPECT_FALSE(in.configure || in.job);
        EXPECT_EQ(told[sm].back().jobs, 0U);
        told[sm].back().sites.emplace_back(in.now, *in.sites);
      }
      if (in.job && out.job_ready) ++told[sm].back().jobs;
    };
  }
  const std::uint64_t buffer = swap.rig->buffer(4 * kBlocks * kThreads);
  for (const ProgramHandle program : programs) swap.rig->finish(swap.submit(program, kBlocks, kThreads, {buffer}));
  for (const std::vector<Told>& kernels : told) {
    ASSERT_EQ(kernels.size(), 3U);
    for (unsigned k = 0; k < 3; ++k) {
      const std::vector<isa::SyncSite>& sites = swap.rig->program(programs[k]).sync.sites;
      ASSERT_EQ(kernels[k].sites.size(), k == 0 ? isa::kMostSites : 1U);
      EXPECT_GT(kernels[k].jobs, 0U);
      for (unsigned s = 0; s < kernels[k].sites.size(); ++s) {
        const auto& [at, mask] = kernels[k].sites[s];
        EXPECT_EQ(at, kernels[k].at + 1 + s);
        EXPECT_EQ(mask.site, s);
        for (unsigned reg = 0; reg < 256; ++reg) {
          EXPECT_EQ((mask.live[reg / 64] >> reg % 64 & 1) != 0, sites[s].registers[reg]) << reg;
        }
      }
    }
  }
}

// The engine moves all registers. The images show that the dead ones were poison when they left.
TEST(SwapSites, DeadRegistersAreLost) {
  Swapped run(kThreeSites, to_memory());
  struct Line {
    unsigned site = 0, reg = 0;
  };
  std::map<std::uint64_t, Line> lines;
  std::vector<std::map<unsigned, unsigned>> site_of(run.swap.engines.size());  // [SM][context]
  for (unsigned sm = 0; sm < run.swap.engines.size(); ++sm) {
    run.swap.engines[sm].see = [&, sm](const SwapIn& in, const SwapOut& out) {
      if (in.job && out.job_ready && in.job->out) site_of[sm][in.job->slot] = in.job->site;
      if (!in.access_taken || !out.access->store || out.access->local) return;
      lines[out.access->address] = {
          out.access->type == SwapAccess::Type::kRegister ? site_of[sm][out.access->slot] : 99, out.access->reg};
    };
  }
  run.finish();
  unsigned dead = 0, poisoned_live = 0;
  for (const auto& [address, line] : lines) {
    if (line.site == 99) continue;
    const std::byte* const bytes = run.swap.rig->device->store().host(address);
    const bool poison = std::all_of(bytes, bytes + kSwapLineBytes, [](std::byte b) { return b == kSwapPoison; });
    if (run.code().sync.sites.at(line.site).registers[line.reg]) {
      poisoned_live += poison ? 1 : 0;
      continue;
    }
    ++dead;
    EXPECT_TRUE(poison) << "register " << line.reg << " at site " << line.site;
  }
  EXPECT_GT(dead, 20U);
  EXPECT_EQ(poisoned_live, 0U);
}

// The mask that an engine gets lacks a register.
TEST(SwapSitesDeathTest, AMaskThatLacksARegisterIsFound) {
  const std::vector<std::uint64_t> live = in_child([] {
    const Swapped sizes(kOneSite);
    std::vector<std::uint64_t> registers;
    for (unsigned reg = 0; reg < 256; ++reg) {
      if (sizes.code().sync.sites.at(0).registers[reg]) registers.push_back(reg);
    }
    return registers;
  });
  EXPECT_GT(live.size(), 3U);
  for (const std::uint64_t reg : live) {
    EXPECT_DEATH(static_cast<void>([&] {
                   Swapped run(kOneSite);
                   for (Engine& engine : run.swap.engines) {
                     engine.change = [reg](SwapIn& in) {
                       if (in.sites) in.sites->live[reg / 64] &= ~(std::uint64_t{1} << reg % 64);
                     };
                   }
                   run.finish();
                 }()),
                 "the context of TB .* that comes back to SM . is not the one that left")
        << reg;
  }
}

TEST(SwapSitesDeathTest, AnAgentThatNamesASiteThatTheProgramDoesNotHaveIsStopped) {
  EXPECT_HOOK_FAILS(static_cast<void>([&] {
                      Swapped run(kThreeSites);
                      for (Agent& agent : run.swap.agents) {
                        agent.change = [](AgentOut& out) {
                          if (out.job && out.job->out) out.job->site = 3;
                        };
                      }
                      run.finish();
                    }()),
                    "sync_agent of SM . moves out TB .* at site 3, which its program does not have");
}

}  // namespace
}  // namespace castor::gpu::timing_test::swap_sites_test

// Null adapters on every hook of a whole GPU change no cycle and no statistic, and see the same whether the GPU sleeps
// or not (docs/gpu/hooks.md, "Hooks").

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/null_hooks.h"
#include "platform/timing/random_program.h"
#include "platform/timing/rig.h"
#include "platforms/machines.h"

namespace castor::gpu::timing_test::hooks_test {
namespace {

using test::NullHooks;

const char* const kCompute = R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0; cvt.rn.f32.u32 %f0, %r2; mov.f32 %f1, %f0;
  mov.u32 %r3, 20;
LOOP:
  fma.rn.f32 %f1, %f1, %f0, %f0; mad.lo.u32 %r4, %r2, %r3, %r4; sin.approx.f32 %f2, %f1; add.f32 %f1, %f1, %f2;
  sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0;
  @%p0 bra LOOP;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r4;
  ret;)";

// Strided loads, atomics to few words, local memory through a spilled array.
const char* const kMemory = R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0; mul.lo.u32 %r3, %r2, 36;
  and.b32 %r3, %r3, 4092; cvt.u64.u32 %rd2, %r3; add.u64 %rd2, %rd2, %rd0;
  ld.global.u32 %r4, [%rd2]; ld.global.u32 %r5, [%rd2+4096];
  and.b32 %r6, %r2, 7; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd3, %rd1;
  atom.global.add.u32 %r7, [%rd3], %r4;
  red.global.add.u32 [%rd3+64], %r5;
  membar.gl;
  st.global.u32 [%rd2+8192], %r7;
  ld.global.cv.u32 %r8, [%rd3]; st.global.u32 [%rd2+8192], %r8;
  ret;)";

// Each lane loops its own number of times; half of the lanes return early.
const char* const kDivergent = R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; add.u32 %r2, %r0, %r1; and.b32 %r3, %r2, 15; mov.u32 %r4, 0;
  and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;
LOOP:
  setp.eq.u32 %p0, %r3, 0;
  @%p0 bra DONE;
  mad.lo.u32 %r4, %r4, 3, %r3; sub.u32 %r3, %r3, 1;
  @%p1 bra LOOP;
  xor.b32 %r4, %r4, 85;
  bra LOOP;
DONE:
  @%p1 ret;
  mad.lo.u32 %r6, %r1, 64, %r0; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r4;
  ret;)";

const char* const kBarriers = R"(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r0, 2; mov.u32 %r3, 6; mov.u32 %r4, %r1;
  mov.u32 %r9, buffer; add.u32 %r5, %r9, %r2; ld.global.u32 %r7, [%rd0];
LOOP:
  st.shared.u32 [%r5], %r4;
  bar.sync 0;
  xor.b32 %r6, %r2, 64; add.u32 %r6, %r6, %r9; ld.shared.u32 %r7, [%r6]; add.u32 %r4, %r4, %r7;
  bar.sync 0;
  sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0;
  @%p0 bra LOOP;
  mad.lo.u32 %r8, %r1, 128, %r0; mul.wide.u32 %rd2, %r8, 4; add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r4;
  ret;)";

const char* const kSmall = "ret;";

struct Run {
  std::uint64_t end = 0, issues = 0, placements = 0, memory = 0, statistics = 0;
  std::vector<std::uint64_t> seen;  ///< by adapters
  [[nodiscard]] std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> all = {end, issues, placements, memory, statistics};
    all.insert(all.end(), seen.begin(), seen.end());
    return all;
  }
};

// Returns true for statistics that only the built-in policy has: its reasons for waiting.
bool of_the_policy(const std::string& name) {
  return name == "no_fit_cycles" || name == "head_blocked_cycles" || name == "closed_cycles";
}

std::uint64_t hash_statistics(const base::StatisticGroup& group, std::uint64_t hash) {
  for (const base::Statistic* const one : group.statistics()) {
    if (!one->is_integer() || of_the_policy(one->info().name)) continue;
    const std::string name = one->info().name;
    hash = hash_bytes(name.data(), name.size(), hash);
    for (std::size_t i = 0; i < one->parts(); ++i) {
      const std::uint64_t value = one->part(i);
      hash = hash_bytes(&value, sizeof value, hash);
    }
    const std::uint64_t value = one->integer();
    hash = hash_bytes(&value, sizeof value, hash);
  }
  for (const base::StatisticGroup* const inner : group.groups()) {
    // Groups that only SMs with a fetch filter, a synchronisation agent or a swap engine have.
    static const std::set<std::string> kOptional = {"filter", "moves", "sync_net", "sync_issue", "swap_port"};
    if (kOptional.count(inner->name()) == 0) hash = hash_statistics(*inner, hash);
  }
  return hash;
}

/// Kernels of all kinds in several queues at once, then one alone. The first synchronises if `synchronises`.
Run work(Rig& rig, bool synchronises = false) {
  const std::uint64_t out = rig.buffer(64 << 10), words = rig.buffer(4096);
  const unsigned queues = std::min(4U, rig.machine().queue.count);
  std::vector<Ticket> tickets;
  unsigned next = 0;
  const auto submit = [&](ProgramHandle kernel, unsigned blocks, unsigned threads) {
    tickets.push_back(
        rig.submit(kernel, {blocks}, {threads}, {out, words}, 0, next++ % queues, synchronises && tickets.empty()));
  };
  const ProgramHandle compute = rig.load(kCompute, 2), memory = rig.load(kMemory, 2), small = rig.load(kSmall, 2);
  const ProgramHandle divergent = rig.load(kDivergent, 2);
  const ProgramHandle barriers = rig.load(kBarriers, 2, ".shared .align 4 .b8 buffer[512];");
  submit(compute, 30, 64);
  submit(memory, 20, 64);
  submit(small, 1, 1);
  submit(divergent, 25, 64);
  submit(barriers, 40, 128);
  submit(small, 3, 33);
  submit(memory, 7, 96);
  submit(small, 300, 32);
  submit(barriers, 5, 64);
  for (const Ticket ticket : tickets) rig.finish(ticket);
  submit(divergent, 2, 256);
  rig.finish(tickets.back());

  Run run;
  run.end = rig.device->gpu().now();
  auto& issues = rig.recorder.issues;
  std::stable_sort(issues.begin(), issues.end(), [](const Issued& a, const Issued& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm < b.sm;
  });
  for (const Issued& one : issues) {
    const std::uint64_t values[] = {one.cycle, one.tick, one.sm, one.scheduler, one.warp, one.pc, one.ticket};
    run.issues = hash_bytes(values, sizeof values, run.issues + 1);
  }
  for (const auto& one : rig.recorder.placed) {
    const std::uint64_t values[] = {one.cycle, one.sm, one.gid, one.ticket};
    run.placements = hash_bytes(values, sizeof values, run.placements + 1);
  }
  for (const Ticket ticket : tickets) {
    const std::uint64_t time = rig.device->completion_time(ticket);
    run.placements = hash_bytes(&time, sizeof time, run.placements);
  }
  run.memory = hash_bytes(rig.device->store().host(out), 64 << 10);
  run.memory = hash_bytes(rig.device->store().host(words), 4096, run.memory);
  run.statistics = hash_statistics(rig.device->gpu().statistics(), 7);
  return run;
}

/// Runs the machine with the adapters in `which`. Cycles of an adapter may be skipped, unless `awake` clocks it in
/// every cycle.
std::vector<std::uint64_t> run(const std::string& machine, std::vector<std::string> overrides, unsigned which,
                               bool sleep, bool awake = false) {
  return in_child([&] {
    overrides.push_back(std::string("run.sleep=") + (sleep ? "1" : "0"));
    NullHooks adapters(platforms::load_machine(machine, overrides).machine.chip.sms);
    adapters.each([&](const std::string&, auto& adapter) { adapter.sleeps = !awake; });
    Rig rig(machine, overrides, adapters.hooks(which));
    const bool synchronises = (which & NullHooks::kSync) != 0;
    Run result = work(rig, synchronises);
    adapters.each([&](const std::string& name, auto& adapter) {
      // No move is requested from a swap engine.
      if (adapter.edges() != 0 && name.find("swap") == std::string::npos) {
        EXPECT_GT(adapter.eventful, name.find("SM") == std::string::npos ? 10U : 0U) << name;
      }
      EXPECT_TRUE(!synchronises || name.find("synchronisation") == std::string::npos || adapter.edges() != 0) << name;
      result.seen.push_back(adapter.seen());
      result.seen.push_back(adapter.edges());
    });
    if (::testing::Test::HasFailure()) throw std::runtime_error("an adapter found something wrong, see above");
    return result.values();
  });
}

class NullAdapters : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr const char* kNames[] = {"last cycle", "issues", "placements and completions", "memory",
                                           "statistics"};
  static void compare(const std::vector<std::uint64_t>& one, const std::vector<std::uint64_t>& plain) {
    for (unsigned i = 0; i < std::size(kNames); ++i) EXPECT_EQ(one[i], plain[i]) << kNames[i];
  }
};

/// Returns all hooks that a machine without a fetch filter may have at the same time.
unsigned without_filter(const std::string& machine) {
  const bool swaps = platforms::load_machine(machine, {}).machine.sm.lanes == 32;
  return (NullHooks::kAll & ~NullHooks::kFetchFilter) | NullHooks::kSync | (swaps ? NullHooks::kSwap : 0U);
}

TEST_P(NullAdapters, ChangeNothingOneByOne) {
  const auto plain = run(GetParam(), {}, 0, true);
  for (unsigned which = 1; which <= NullHooks::kSwap; which *= 2) {
    if ((which & without_filter(GetParam())) == 0) continue;
    SCOPED_TRACE("hook " + std::to_string(which));
    compare(run(GetParam(), {}, which, true), plain);
  }
}

TEST_P(NullAdapters, ChangeNothingTogetherAsleepOrNotAndSeeTheSame) {
  const unsigned which = without_filter(GetParam());
  const auto plain = run(GetParam(), {}, 0, true);
  const auto asleep = run(GetParam(), {}, which, true);
  const auto clocked = run(GetParam(), {}, which, true, true);
  const auto checked = run(GetParam(), {}, which, false);
  const auto shuffled = run(GetParam(), {"run.shuffle=1", "run.seed=3"}, which, true);
  compare(asleep, plain);
  compare(clocked, plain);
  compare(checked, plain);
  EXPECT_EQ(clocked, asleep);
  EXPECT_EQ(checked, asleep);
  EXPECT_EQ(shuffled, asleep);
}

// The filter needs a machine that fetches for one warp in a tick.
TEST_P(NullAdapters, ChangeNothingOnAMachineWithAFetchFilter) {
  const std::vector<std::string> narrow = {"fetch.warps=1", "fetch.insns=2", "icache.ideal=0"};
  const auto plain = run(GetParam(), narrow, 0, true);
  const auto filter = run(GetParam(), narrow, NullHooks::kFetchFilter, true);
  const auto asleep = run(GetParam(), narrow, NullHooks::kAll, true);
  const auto checked = run(GetParam(), narrow, NullHooks::kAll, false);
  compare(filter, plain);
  compare(run(GetParam(), narrow, NullHooks::kStudy, true), plain);
  compare(asleep, plain);
  compare(checked, plain);
  EXPECT_EQ(checked, asleep);
}

// Thread blocks leave and come back, and hooks that change nothing move no cycle of that. Not compared is a dispatch
// policy that names SMs: its own round robin does not hear where thread blocks come back to. Not there is the issue
// policy, whose checks know no warp that exits while it waits.
TEST_P(NullAdapters, ChangeNothingWhileThreadBlocksMove) {
  std::vector<std::string> keys = {"fetch.warps=1", "fetch.insns=2", "icache.ideal=0", "context.random=1"};
  const auto plain = run(GetParam(), keys, 0, true);
  constexpr unsigned kSame = NullHooks::kJobScheduler | NullHooks::kGovernor | NullHooks::kFetchFilter;
  compare(run(GetParam(), keys, kSame, true), plain);
  constexpr unsigned kMost = NullHooks::kAll & ~NullHooks::kIssuePolicy;
  const auto asleep = run(GetParam(), keys, kMost, true);
  EXPECT_EQ(run(GetParam(), keys, kMost, false), asleep);
  keys.back() = "context.random=0";
  EXPECT_NE(run(GetParam(), keys, 0, true), plain) << "no thread block has moved";
}

INSTANTIATE_TEST_SUITE_P(Machines, NullAdapters, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace castor::gpu::timing_test::hooks_test

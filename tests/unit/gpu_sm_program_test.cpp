// Programs on one SM: the results and instruction counts of the functional machine, the same ticks and statistics
// whether the SM sleeps, is watched by hooks, or neither; invariants of scoreboard and stall classes.

#include <algorithm>
#include <sstream>
#include <string>

#include "castor/gpu/functional/functional_device.h"
#include "common/random_swap_engine.h"
#include "gpu_sm_support.h"
#include "tests/common/sanitized.h"

namespace castor::gpu::gpu_sm_program_test {
namespace {

struct Source {
  const char* name;
  Dim3 grid, block;
  const char* before;
  const char* body;
};

// Every thread ends with %r0 in its word of `out`; %r1 is its global index, %r2 its index in the block.
const char* const kHead = R"(
  ld.param.u64 %rd0, [out];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r1, %r3, %r4, %r2;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u32 %r0, %r1;
)";
const char* const kTail = "\nst.global.u32 [%rd1], %r0;\nret;";

const char* const kFunctions = R"(
.func (.param .b32 r) twice (.param .b32 a)
{
  .reg .b32 %q<4>;
  ld.param.u32 %q0, [a];
  shl.b32 %q1, %q0, 1;
  st.param.b32 [r], %q1;
  ret;
}
.func (.param .b32 r) steps (.param .b32 a)
{
  .reg .b32 %q<6>; .reg .pred %p<3>;
  ld.param.u32 %q0, [a];
  mov.u32 %q1, 0;
L: setp.le.u32 %p0, %q0, 1;
  @%p0 bra D;
  and.b32 %q2, %q0, 1;
  setp.eq.u32 %p1, %q2, 0;
  @%p1 shr.u32 %q0, %q0, 1;
  @!%p1 mad.lo.u32 %q0, %q0, 3, 1;
  add.u32 %q1, %q1, 1;
  bra L;
D: st.param.b32 [r], %q1;
  ret;
}
)";

const std::vector<Source>& sources() {
  static const std::vector<Source> kSources = {
      {"nested_divergence", {3, 1, 1}, {100, 1, 1}, "", R"(
  and.b32 %r5, %r2, 7;
  mov.u32 %r6, 0;
OUTER: setp.ge.u32 %p1, %r6, %r5;
  @%p1 bra DONE;
  and.b32 %r7, %r6, %r2;
  setp.eq.u32 %p2, %r7, 0;
  @%p2 bra EVEN;
  mad.lo.u32 %r0, %r0, 5, %r6;
  bra JOIN;
EVEN: sub.u32 %r0, %r0, 3;
  setp.gt.u32 %p3, %r2, 70;
  @%p3 bra OUT;
JOIN: add.u32 %r6, %r6, 1;
  bra OUTER;
DONE: xor.b32 %r0, %r0, 85;
OUT: add.u32 %r0, %r0, 1000;
)"},
      {"calls_under_divergence", {2, 1, 1}, {96, 1, 1}, kFunctions, R"(
  and.b32 %r5, %r2, 3;
  setp.eq.u32 %p1, %r5, 1;
  add.u32 %r6, %r2, 7;
  { .param .b32 p; st.param.b32 [p], %r6; .param .b32 q; @%p1 call.uni (q), twice, (p); ld.param.b32 %r7, [q]; }
  { .param .b32 p; st.param.b32 [p], %r6; .param .b32 q; @!%p1 call.uni (q), steps, (p); ld.param.b32 %r8, [q]; }
  selp.u32 %r0, %r7, %r8, %p1;
)"},
      {"branch_table", {2, 1, 1}, {64, 1, 1}, "", R"(
  rem.u32 %r5, %r2, 5;
TABLE: .branchtargets A, B, C, B, D;
  brx.idx %r5, TABLE;
A: add.u32 %r0, %r0, 1;
B: add.u32 %r0, %r0, 10;
  bra END;
C: add.u32 %r0, %r0, 100;
D: add.u32 %r0, %r0, 1000;
END: div.u32 %r0, %r0, 3;
)"},
      {"barrier_reductions", {2, 1, 1}, {128, 1, 1}, "", R"(
  and.b32 %r5, %r2, 1;
  setp.eq.u32 %p1, %r5, 1;
  bar.red.popc.u32 %r6, 0, %p1;
  setp.lt.u32 %p2, %r2, 200;
  bar.red.and.pred %p3, 1, %p2;
  setp.eq.u32 %p4, %r2, 500;
  bar.red.or.pred %p5, 2, 128, %p4;
  selp.u32 %r7, 1, 0, %p3;
  selp.u32 %r8, 1, 0, %p5;
  mad.lo.u32 %r0, %r7, 10000, %r6;
  mad.lo.u32 %r0, %r8, 100000, %r0;
)"},
      {"named_barriers_and_exits", {2, 1, 1}, {192, 1, 1}, ".shared .align 4 .b8 s[1024];\n", R"(
  shr.u32 %r5, %r2, 5;
  setp.ge.u32 %p1, %r5, 4;
  @%p1 bra LATE;
  mov.u32 %r6, 64;
  and.b32 %r7, %r5, 1;
  shr.u32 %r8, %r5, 1;
  add.u32 %r8, %r8, 1;
  shl.b32 %r9, %r2, 2;
  mov.u32 %r10, s;
  add.u32 %r10, %r10, %r9;
  setp.eq.u32 %p2, %r7, 0;
  @%p2 bra CONSUME;
  st.shared.u32 [%r10], %r1;
  bar.arrive %r8, 64;
  bra SYNC;
CONSUME: bar.sync %r8, 64;
  ld.shared.u32 %r0, [%r10+128];
SYNC: bar.sync 0;
  add.u32 %r0, %r0, 5;
  bra TAIL;
LATE: st.global.u32 [%rd1], %r2;
  exit;
TAIL:
)"},
      {"shuffles_and_votes", {1, 1, 1}, {128, 1, 1}, "", R"(
  shfl.sync.bfly.b32 %r5, %r1, 5, 31, 0xffffffff;
  and.b32 %r6, %r2, 3;
  setp.eq.u32 %p1, %r6, 2;
  vote.sync.ballot.b32 %r7, %p1, 0xffffffff;
  mad.lo.u32 %r0, %r5, 3, %r7;
  bar.warp.sync 0xffffffff;
)"},
      {"warp_barrier_after_exits", {2, 1, 1}, {50, 1, 1}, "", R"(
  st.global.u32 [%rd1], %r2;
  setp.lt.u32 %p1, %r2, 5;
  @%p1 exit;
  bar.warp.sync 0xffffffff;
  add.u32 %r0, %r0, 3;
)"},
      {"shared_transpose", {3, 1, 1}, {256, 1, 1}, ".shared .align 8 .b8 s[2048];\n", R"(
  mov.u32 %r5, s;
  and.b32 %r6, %r2, 15;
  shr.u32 %r7, %r2, 4;
  mad.lo.u32 %r8, %r6, 16, %r7;
  shl.b32 %r8, %r8, 2;
  add.u32 %r8, %r8, %r5;
  mov.u32 %r12, 0;
AGAIN: st.shared.u32 [%r8], %r0;
  bar.sync 0;
  shl.b32 %r9, %r2, 2;
  add.u32 %r9, %r9, %r5;
  ld.shared.u32 %r10, [%r9];
  atom.shared.add.u32 %r11, [%r5+1024], 1;
  bar.sync 0;
  mad.lo.u32 %r0, %r10, 3, %r12;
  add.u32 %r12, %r12, 1;
  setp.lt.u32 %p1, %r12, 5;
  @%p1 bra AGAIN;
  ld.shared.u32 %r11, [%r5+1024];
  add.u32 %r0, %r0, %r11;
)"},
      {"local_arrays", {2, 1, 1}, {96, 1, 1}, "", R"(
  .local .align 8 .b8 a[64];
  mov.u64 %rd4, a;
  and.b32 %r5, %r2, 7;
  mul.wide.u32 %rd5, %r5, 8;
  add.s64 %rd6, %rd4, %rd5;
  st.local.u64 [%rd6], %rd1;
  st.local.u32 [%rd6], %r1;
  ld.local.u32 %r0, [%rd6];
  cvta.local.u64 %rd7, %rd6;
  ld.u32 %r6, [%rd7];
  add.u32 %r0, %r0, %r6;
)"},
      {"doubles_and_special_functions", {2, 1, 1}, {64, 1, 1}, "", R"(
  cvt.rn.f64.u32 %fd1, %r1;
  add.f64 %fd2, %fd1, 0d3ff8000000000000;
  div.rn.f64 %fd3, %fd1, %fd2;
  sqrt.rn.f64 %fd4, %fd3;
  cvt.rn.f32.f64 %f1, %fd4;
  rcp.approx.f32 %f2, %f1;
  ex2.approx.f32 %f3, %f1;
  fma.rn.f32 %f4, %f2, %f3, %f1;
  mov.b32 %r0, %f4;
)"},
      {"global_atomics_and_fences", {4, 1, 1}, {64, 1, 1}, "", R"(
  and.b32 %r5, %r1, 15;
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd4, %rd0, %rd4;
  atom.global.add.u32 %r6, [%rd4+8192], %r1;
  red.global.max.u32 [%rd4+8256], %r1;
  membar.gl;
  st.global.u32 [%rd1], %r1;
  fence.acq_rel.gpu;
  ld.global.u32 %r0, [%rd1];
  nanosleep.u32 50;
)"},
  };
  return kSources;
}

constexpr std::uint64_t kBytes = 16384;

struct Result {
  std::vector<std::byte> memory;
  std::uint64_t instructions = 0, threads = 0;
};

functional::FunctionalDevice& functional_device(const Machine& machine) {
  // One store per process: it is the functional device's, and the SMs under test use it too.
  static auto device = std::make_unique<functional::FunctionalDevice>(machine, functional::FunctionalDevice::Options{});
  return *device;
}

std::shared_ptr<const isa::Program> compile(const Source& source, unsigned lanes) {
  const std::string text =
      ".version 7.0\n.target sm_70\n.address_size 64\n" + std::string(source.before) +
      ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<64>; .reg .b64 %rd<20>; .reg .f32 %f<40>; .reg .f64 "
      "%fd<20>; .reg .pred %p<8>;\n" +
      kHead + source.body + kTail + "\n}\n";
  isa::LinkOptions options;
  options.lanes = lanes;
  return compiler::compile(ptx::parse(text, source.name), "k", options);
}

Result run_functional(functional::FunctionalDevice& device, const Source& source, unsigned lanes, std::uint64_t out) {
  std::memset(device.store().host(out), 0, kBytes);
  KernelPacket packet;
  packet.program = device.load(compile(source, lanes));
  packet.grid = source.grid;
  packet.block = source.block;
  packet.parameters.resize(8);
  std::memcpy(packet.parameters.data(), &out, 8);
  EXPECT_EQ(device.advance_until(device.submit(0, packet)), Outcome::kDone) << source.name;
  Result result;
  result.memory.assign(device.store().host(out), device.store().host(out) + kBytes);
  result.instructions = device.kernels().back().warp_instructions;
  result.threads = device.kernels().back().thread_instructions;
  return result;
}

// Checks that a register written by arithmetic is used after operand collection and latency at the earliest.
void check_scoreboard(const test::Rig& rig, const test::Kernel& kernel) {
  std::vector<std::vector<Tick>> ready(rig.machine.sm.warps, std::vector<Tick>(256, 0));
  std::vector<std::uint64_t> tb(rig.machine.sm.warps, ~std::uint64_t{0});
  for (const auto& issue : rig.log.issues) {
    const isa::Record& record = kernel.program->code[issue.pc];
    const isa::RegisterUse& use = kernel.program->uses[issue.pc];
    auto& registers = ready[issue.warp];
    if (issue.pc == 0) std::fill(registers.begin(), registers.end(), 0);
    for (unsigned operand = 0; operand < 4; ++operand) {
      for (unsigned i = 0; i < use.src[operand]; ++i) {
        ASSERT_GE(issue.tick, registers[record.src[operand] + i]) << "warp " << issue.warp << " pc " << issue.pc;
      }
    }
    for (unsigned i = 0; i < use.dst; ++i) {
      ASSERT_GE(issue.tick, registers[record.dst + i]) << "warp " << issue.warp << " pc " << issue.pc;
      if (record.kind == isa::Kind::kLane) {
        registers[record.dst + i] = issue.tick + rig.machine.oc_cycles + unit_latency(rig.machine, record.timing) + 1;
      }
    }
  }
}

void check_stalls(const test::Rig& rig) {
  const SmCounters& counters = rig.sm.counters();
  for (unsigned s = 0; s < rig.machine.schedulers; ++s) {
    std::uint64_t sum = 0;
    for (const std::uint64_t ticks : counters.stall[s]) sum += ticks;
    EXPECT_EQ(sum, counters.ticks) << "scheduler " << s;
  }
}

struct NullPolicy final : IssuePolicyHook {
  // Greedy then oldest, as the machines under test have it.
  void attach(const HookSite&) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return base::kForever; }
  void idle(Cycle n) override { idled += n; }
  const IssueOut& settle(const IssueIn& in) override {
    for (auto& picks : out.pick) std::fill(std::begin(picks), std::end(picks), std::int8_t{-1});
    for (unsigned s = 0; s < schedulers; ++s) {
      int best = -1;
      for (unsigned w = s; w < 64; w += schedulers) {
        if ((in.ready >> w & 1) == 0) continue;
        if (greedy[s] == static_cast<int>(w)) {
          best = static_cast<int>(w);
          break;
        }
        if (best < 0 || in.age[w] < in.age[static_cast<unsigned>(best)]) best = static_cast<int>(w);
      }
      out.pick[s][0] = static_cast<std::int8_t>(best);
    }
    return out;
  }
  // Events name live warps, at most one per scheduler. A TB is freed when all its warps have exited.
  void check(const IssueIn& in) {
    unsigned seen = 0;
    const auto event = [&](unsigned scheduler, unsigned warp) {
      EXPECT_EQ(scheduler, warp % schedulers);
      EXPECT_EQ(seen >> scheduler & 1, 0U) << "two events of scheduler " << scheduler;
      EXPECT_NE(live >> warp & 1, 0U) << "an event of warp " << warp << ", which is not there";
      seen |= 1U << scheduler;
    };
    if (in.start) {
      EXPECT_EQ(live & in.start->warps, 0U);
      live |= in.start->warps;
    }
    for (const BarrierArrival& one : in.arrive) {
      event(one.scheduler, one.warp);
      EXPECT_EQ((waiting & ~in.unblock) >> one.warp & 1, 0U) << "warp " << one.warp << " arrives twice";
    }
    for (const WarpExit& one : in.exit) {
      event(one.scheduler, one.warp);
      live &= ~(WarpMask{1} << one.warp);
    }
    if (in.free) {
      EXPECT_EQ(live & tb_warps[*in.free], 0U) << "warps of a TB that is freed have not exited";
    }
  }
  void clock(const IssueIn& in) override {
    check(in);
    ++clocked;
    for (unsigned s = 0; s < schedulers; ++s) {
      if ((in.ack[0] >> s & 1) != 0 && out.pick[s][0] >= 0) greedy[s] = static_cast<std::uint8_t>(out.pick[s][0]);
    }
    if (in.start) started |= in.start->warps;
    if (in.free) ++freed;
    if (in.start) tb_warps[in.start->tb] = in.start->warps;
    if (in.free) {
      for (int& warp : greedy) {
        if (warp >= 0 && (tb_warps[*in.free] >> static_cast<unsigned>(warp) & 1) != 0) warp = -1;
      }
    }
    kernel_starts += in.kernel_start ? 1 : 0;
    exits += in.exit.size;
    released |= in.unblock & waiting;
    waiting &= ~in.unblock;
    for (const WarpExit& one : in.exit) waiting &= ~(WarpMask{1} << one.warp);
    for (const BarrierArrival& one : in.arrive) waiting |= WarpMask{1} << one.warp;
    waited |= waiting;
  }
  explicit NullPolicy(unsigned count) : schedulers(count) { std::fill(std::begin(greedy), std::end(greedy), -1); }
  unsigned schedulers;
  int greedy[8];
  IssueOut out;
  WarpMask tb_warps[64] = {};
  WarpMask started = 0, live = 0;
  WarpMask waiting = 0, waited = 0, released = 0;  // warps at a barrier: now; ever; released
  std::uint64_t clocked = 0, idled = 0, freed = 0, kernel_starts = 0, exits = 0;
};
struct NullFilter final : FetchFilter {
  void attach(const HookSite&) override {}
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return base::kForever; }
  void idle(Cycle) override {}
  const FetchOut& settle(const FetchIn&) override { return out; }
  void clock(const FetchIn&) override {}
  FetchOut out;
};

class Programs : public testing::TestWithParam<const char*> {};

/// Returns the lines of statistics without those that only an SM with a fetch filter has.
std::string without_filter(const std::string& text) {
  std::istringstream lines(text);
  std::string out, line;
  while (std::getline(lines, line)) {
    if (line.rfind("sm0.filter.", 0) != 0) out += line + "\n";
  }
  return out;
}

struct Trace {
  std::string statistics;
  std::vector<std::pair<Tick, unsigned>> issues;
  Cycle end = 0;
};

TEST_P(Programs, GiveTheResultsOfTheFunctionalMachineAndTheSameTicksAsleepAndWatched) {
  const Machine machine = test::machine(GetParam());
  functional::FunctionalDevice& device = functional_device(machine);
  const unsigned lanes = machine.sm.lanes;
  const std::uint64_t out = device.store().allocate(kBytes, AllocationKind::kHeap).value();
  for (const Source& source : sources()) {
    SCOPED_TRACE(std::string(GetParam()) + ", " + source.name);
    // Roles that change with every CUDA warp diverge inside a 64-lane warp, which barriers of the block refuse.
    if (lanes == 64 && std::string(source.name) == "named_barriers_and_exits") continue;
    const auto program = compile(source, lanes);
    std::optional<Result> expected;
    // The functional device of this process has 32 lanes; on 64 lanes only results are compared.
    expected = run_functional(device, source, device.machine().sm.lanes, out);
    std::vector<Trace> runs;
    for (unsigned variant = 0; variant < 3; ++variant) {
      NullPolicy policy(machine.schedulers);
      NullFilter filter;
      SmHooks hooks;
      if (variant == 2) {
        hooks.fetch_filter = &filter;
        if (machine.issue.policy == IssuePolicy::kGto && machine.issue.warps == 1) hooks.issue = &policy;
      }
      test::Rig rig(machine, hooks, variant != 1, &device.store());
      std::memset(device.store().host(out), 0, kBytes);
      std::vector<std::byte> parameters(8);
      std::memcpy(parameters.data(), &out, 8);
      const test::Kernel& kernel = rig.hold(program, source.grid, source.block, 0, parameters);
      ASSERT_TRUE(rig.run_grid(kernel, source.grid.x))
          << rig.sm.waiting() << (rig.faults.empty() ? "" : rig.faults[0].message);
      ASSERT_TRUE(rig.faults.empty()) << rig.faults[0].message;
      EXPECT_TRUE(rig.sm.idle());
      std::uint64_t instructions = 0, threads = 0;
      for (const auto& retired : rig.retired) {
        instructions += retired.warp_instructions;
        threads += retired.thread_instructions;
      }
      EXPECT_EQ(instructions, rig.log.issues.size());
      if (lanes == device.machine().sm.lanes) {
        EXPECT_EQ(instructions, expected->instructions);
      }
      EXPECT_EQ(threads, expected->threads);
      EXPECT_EQ(std::memcmp(device.store().host(out), expected->memory.data(), kBytes), 0);
      check_scoreboard(rig, kernel);
      check_stalls(rig);
      Trace& run = runs.emplace_back();
      run.statistics = without_filter(rig.statistics.text());
      run.end = rig.now;
      for (const auto& issue : rig.log.issues) run.issues.emplace_back(issue.tick, issue.warp);
      if (variant == 0) {
        EXPECT_LT(rig.ticked, rig.now) << "the SM never slept";
      }
      if (hooks.issue != nullptr) {
        EXPECT_EQ(policy.clocked + policy.idled, rig.sm.counters().ticks);
        EXPECT_EQ(policy.freed, source.grid.x);
        EXPECT_GE(policy.kernel_starts, 1U);
        EXPECT_EQ(policy.exits, source.grid.x * kernel.context.need.warps);
        EXPECT_EQ(policy.waiting, 0U) << "warps wait for ever";
        EXPECT_EQ(policy.released, policy.waited);
      }
    }
    for (std::size_t i = 1; i < runs.size(); ++i) {
      SCOPED_TRACE(i == 1 ? "never asleep" : "with hooks");
      EXPECT_EQ(runs[i].end, runs[0].end);
      EXPECT_EQ(runs[i].issues, runs[0].issues);
      EXPECT_EQ(runs[i].statistics, runs[0].statistics);
    }
  }
  device.store().free(out);
}
/// Runs a program on one SM. Requests the swap-out of its blocks in cycle `leave_in`, unless it is 0. Returns the
/// memory and the number of swaps.
std::pair<Result, unsigned> run_moved(const Machine& machine, Store& store, const Source& source,
                                      const std::shared_ptr<const isa::Program>& program, std::uint64_t out,
                                      Cycle leave_in, bool sleeps, Cycle* end) {
  NullPolicy policy(machine.schedulers);
  SmHooks hooks;
  const bool picks = machine.issue.policy == IssuePolicy::kGto && machine.issue.warps == 1;
  if (picks && leave_in % 2 != 0) hooks.issue = &policy;
  test::RandomSwapEngine::Options options;
  options.seed = machine.context.random + leave_in;
  test::RandomSwapEngine engine(options);
  const bool engine_moves = machine.context.mover == ContextMover::kEngine;
  constexpr std::uint64_t kImages = std::uint64_t{16} << 20;
  const std::uint64_t region =
      engine_moves ? store.allocate(kImages, AllocationKind::kHeap, "", PageAllocator::kLargePage).value() : 0;
  if (engine_moves) hooks.swap = &engine;
  test::Rig rig(machine, hooks, sleeps, &store);
  if (engine_moves) rig.pages.emplace(rig.machine, region);
  std::memset(store.host(out), 0, kBytes);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const test::Kernel& kernel = rig.hold(program, source.grid, source.block, 0, parameters);
  if (leave_in != 0) rig.sm.swap_out({leave_in, &kernel.context, kernel.context.ticket, 0, 3});
  EXPECT_TRUE(rig.run_grid(kernel, source.grid.x)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty() && rig.sm.idle());
  if (hooks.issue != nullptr) {
    EXPECT_EQ(policy.freed, source.grid.x + rig.moved);
    EXPECT_EQ(policy.live | policy.waiting, 0U);
  }
  Result result;
  result.memory.assign(store.host(out), store.host(out) + kBytes);
  for (const auto& retired : rig.retired) {
    result.instructions += retired.warp_instructions;
    result.threads += retired.thread_instructions;
  }
  if (engine_moves) {
    EXPECT_EQ(rig.pages->used(), 0U);
    store.free(region);
  }
  if (end != nullptr) *end = rig.now;
  store.free(kernel.context.parameters);
  store.free(kernel.context.code_base);
  if (kernel.context.local_stride != 0) store.free(kernel.context.local_base);
  return {result, rig.moved};
}

// Swaps the blocks out at boundaries of the first block's instructions, every `step` cycles, and at random ones.
void leave_and_come_back(const Machine& machine, Cycle step) {
  functional::FunctionalDevice& device = functional_device(machine);
  const std::uint64_t out = device.store().allocate(kBytes, AllocationKind::kHeap).value();
  unsigned swaps = 0;
  for (const Source& source : sources()) {
    if (machine.sm.lanes == 64 && std::string(source.name) == "named_barriers_and_exits") continue;
    const auto program = compile(source, machine.sm.lanes);
    Cycle end = 0;
    const auto still = run_moved(machine, device.store(), source, program, out, 0, true, &end);
    const Result& expected = still.first;
    EXPECT_EQ(still.second, 0U);
    const auto same = [&](const Machine& moving, Cycle leave_in, bool sleeps, Cycle* last) {
      SCOPED_TRACE(std::string(source.name) + ", cycle " + std::to_string(leave_in) + ", seed " +
                   std::to_string(moving.context.random));
      const auto [result, moved] = run_moved(moving, device.store(), source, program, out, leave_in, sleeps, last);
      swaps += moved;
      EXPECT_EQ(result.memory, expected.memory);
      EXPECT_EQ(result.instructions, expected.instructions);
      EXPECT_EQ(result.threads, expected.threads);
    };
    for (Cycle cycle = 2; cycle < std::min<Cycle>(end, 400); cycle += step) same(machine, cycle, true, nullptr);
    for (unsigned seed = 1; seed <= unless_sanitized(4U, 1U); ++seed) {
      Machine moving = machine;
      moving.context.random = seed;
      Cycle asleep = 0, awake = 0;
      same(moving, 0, true, &asleep);
      same(moving, 0, false, &awake);
      EXPECT_EQ(asleep, awake);
    }
  }
  EXPECT_GT(swaps, 100U);
  device.store().free(out);
}

TEST_P(Programs, GiveTheSameResultsIfTheirBlocksLeaveAndComeBack) {
  leave_and_come_back(test::machine(GetParam(), {"icache.ideal=1"}), unless_sanitized<Cycle>(7, 53));
}
TEST_P(Programs, GiveTheSameResultsIfASwapEngineMovesTheirBlocks) {
  Machine machine = test::machine(GetParam(), {"icache.ideal=1", "context.mover=engine", "context.region=16MiB"});
  machine.chip.sync.limits = test::RandomSwapEngine::limits();
  if (machine.sm.lanes != 32 || machine.l1.line != kSwapLineBytes) return;
  leave_and_come_back(machine, unless_sanitized<Cycle>(31, 153));
}
INSTANTIATE_TEST_SUITE_P(AllMachines, Programs,
                         testing::Values("tiny", "kepler_k20c_study", "fermi_gtx480_study", "maxwell_liu13",
                                         "maxwell_liu25", "maxwell_liu13_s1", "maxwell_liu13_s2", "pascal_titanx_study",
                                         "turing_rtx2060_study", "gcn_apu"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace castor::gpu::gpu_sm_program_test

// Tests of the FetchFilter's side of an SM: the filter's inputs, and the effects of its outputs
// (docs/gpu/fetch-filter.md, "FetchFilter").
#include "common/hook_fails.h"
#include "gpu_sm_filter_support.h"

namespace castor::gpu::gpu_sm_filter_test {
namespace {

using test::Filter;
using test::kBuffer;
using test::kShort;
using test::kThreads;
using test::kUniform;
using test::lowest;
using test::machine;
using test::marked;
using test::Rig;
using test::Sharing;

struct Outcome {
  std::vector<std::uint32_t> words;
  std::size_t issues = 0;
};

/// Runs a block of 128 threads; out[64 + tid] is the result.
Outcome run(const std::string& body, FetchFilter* filter, unsigned* count = nullptr, bool sleep = true) {
  SmHooks hooks;
  hooks.fetch_filter = filter;
  Rig rig(machine("pascal_titanx_study", {"icache.ideal=1", "check.rows=1"}), hooks, sleep);
  const std::uint64_t out = rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::memset(rig.store->host(out), 0, 4096);
  const std::uint32_t input[] = {1000, 0, 7, 3};
  std::memcpy(rig.store->host(out), input, sizeof input);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const test::Kernel& plain = rig.load(body, {1}, {kThreads});
  test::Kernel& kernel =
      rig.hold(filter == nullptr ? plain.program : marked(*plain.program, count), {1}, {kThreads}, 0, parameters);
  kernel.context.fit = 2;
  rig.start(kernel);
  EXPECT_TRUE(rig.run(1)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty());
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  Outcome result;
  result.words.resize(kThreads);
  std::memcpy(result.words.data(), rig.store->host(out + 256), 4 * kThreads);
  result.issues = rig.log.issues.size();
  return result;
}

TEST(FetchFilters, OneWarpComputesWhatAllReadFromItsRows) {
  const std::string body = std::string(kUniform) + "add.u32 %r9, %r8, %r10; st.global.u32 [%rd4+256], %r9; ret;";
  const Outcome plain = run(body, nullptr);
  for (const bool sleep : {true, false}) {
    Sharing filter;
    unsigned instructions = 0;
    const Outcome shared = run(body, &filter, &instructions, sleep);
    ASSERT_GE(instructions, 10U);
    EXPECT_EQ(shared.words, plain.words);
    // 17 x 23 + 5 = 396; ^ 17 = 413; + 23 = 436; x 3 = 1308; + (7 + 3 x 2^32); + 1000 = 2315
    EXPECT_EQ(shared.words[5], 2315U + 5);
    EXPECT_EQ(filter.skips, 3 * instructions) << "three of four warps skip each";
    EXPECT_EQ(shared.issues, plain.issues - 3 * instructions);
  }
}

TEST(FetchFilters, AWarpThatDivergesGetsItsRegistersByCopies) {
  // After the branch, values computed before it are available through the copies only.
  const std::string body = std::string(kUniform) + R"(
    and.b32 %r11, %r10, 1; setp.eq.u32 %p0, %r11, 0;
    @%p0 bra EVEN;
    add.u32 %r9, %r8, %r3; bra DONE;
  EVEN:
    add.u32 %r9, %r5, %r6;
  DONE:
    add.u32 %r9, %r9, %r4; st.global.u32 [%rd4+256], %r9; ret;)";
  const Outcome plain = run(body, nullptr);
  EXPECT_EQ(plain.words[0], 436U + 1000 + 413);
  EXPECT_EQ(plain.words[1], 2315U + 396 + 413);
  Sharing filter;
  const Outcome shared = run(body, &filter);
  EXPECT_EQ(shared.words, plain.words);
  EXPECT_GT(filter.skips, 10U);
  EXPECT_GT(filter.copies, 8U);
  EXPECT_EQ(lowest(filter.leaves), 0U);
  EXPECT_EQ(__builtin_popcountll(filter.leaves), 4);
}

/// Runs a kernel of one block with marks on its first arithmetic instruction (at least) and returns the rig.
struct Bench {
  explicit Bench(Filter& filter, const std::string& body, Dim3 block, const std::string& before = {})
      : rig(machine("pascal_titanx_study", {"icache.ideal=1"}), hooks(filter)) {
    const test::Kernel& plain = rig.load(body, {4}, block, 0, before);
    kernel = &rig.hold(marked(*plain.program), {4}, block, 0, {});
    kernel->context.fit = 2;
  }
  static SmHooks hooks(Filter& filter) {
    SmHooks result;
    result.fetch_filter = &filter;
    return result;
  }
  void run(std::size_t tbs = 1) {
    ASSERT_TRUE(rig.run(tbs)) << rig.sm.waiting();
    for (unsigned i = 0; i < 5; ++i) rig.cycle();
    rig.sm.count_until(rig.now + 1);
  }
  [[nodiscard]] std::uint32_t pc(isa::Kind kind) const {
    const auto& code = kernel->program->code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      if (code[i].kind == kind) return i;
    }
    return ~0U;
  }
  Rig rig;
  test::Kernel* kernel;
};

TEST(FetchFilters, PoolsAreWhatTheKernelLeavesFreeAndComeBack) {
  Filter filter;
  Bench bench(filter, kShort, {16, 6, 1}, kBuffer);
  const Machine& m = bench.rig.machine;
  const unsigned own = bench.kernel->context.need.reg_units * m.sm.reg_alloc_unit / 32, all = m.sm.registers / 32;
  const unsigned fit = bench.kernel->context.fit = all / (own + 10);
  const unsigned rows = (all - fit * own) / fit;
  ASSERT_GE(rows, 10U);
  ASSERT_LE(rows, 32U);
  bench.rig.start(*bench.kernel, 0);
  bench.rig.start(*bench.kernel, 1);
  bench.run(2);
  bench.rig.start(*bench.kernel, 2);
  bench.run(3);
  ASSERT_EQ(filter.starts.size(), 3U);
  for (const auto& [cycle, start] : filter.starts) {
    EXPECT_TRUE(start.enable);
    EXPECT_TRUE(start.promote) << "two dimensions, 16 wide";
    EXPECT_EQ(start.rows, rows);
    EXPECT_EQ(start.slots, bench.kernel->program->renamed_registers);
    EXPECT_EQ(__builtin_popcountll(start.warps), 3);
    EXPECT_EQ(start.full, start.warps);
  }
  EXPECT_EQ(filter.starts[0].second.base, all - rows);
  EXPECT_EQ(filter.starts[1].second.base, all - 2 * rows);
  EXPECT_EQ(filter.starts[2].second.base, all - rows);
  // Start, exits, and only then the end.
  ASSERT_EQ(filter.exits.size(), 9U);
  ASSERT_EQ(filter.retires.size(), 3U);
  for (const auto& [cycle, tb] : filter.retires) {
    EXPECT_GT(cycle, filter.starts[tb].first);
  }
  EXPECT_GT(filter.retires[2].first, filter.exits[8].first);
  EXPECT_GT(filter.exits[0].first, filter.starts[0].first);
  EXPECT_EQ(filter.clocked + filter.idled, bench.rig.sm.counters().ticks);
}

TEST(FetchFilters, NothingIsToldOfBlocksWithoutMarksButTheirWarps) {
  Filter filter;
  filter.decide = [](const FetchIn& in, FetchOut&) {
    EXPECT_EQ(in.eligible, 0U);
    EXPECT_FALSE(in.decode.valid);
    EXPECT_TRUE(in.issued.empty());
  };
  filter.early = [](FetchOut& out) { out.hold = ~WarpMask{0}; };  // and holds all warps early
  Rig rig(machine("pascal_titanx_study"), Bench::hooks(filter));
  test::Kernel& kernel = rig.load("bar.sync 0; membar.gl; ret;", {1}, {96});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  EXPECT_FALSE(filter.starts.at(0).second.enable);
  EXPECT_EQ(filter.exits.size(), 3U);
  EXPECT_EQ(filter.retires.size(), 1U);
  EXPECT_TRUE(filter.barriers.empty() && filter.global_ops.empty() && filter.branches.empty());
}

TEST(FetchFilters, LeaderIsReportedInTheTickOfItsWrite) {
  Filter filter;
  std::uint64_t pc = 0;
  filter.decide = [&](const FetchIn& in, FetchOut& out) {
    for (unsigned s = 0; s < in.decode.count; ++s) {
      if (in.decode.slot[s].mark != 2 || in.decode.warp != 0 || in.decode.pc + 8 * s != pc) continue;
      out.act[s] = DecodeAct::kLead;
      out.tag[0] = 3;
    }
  };
  Bench bench(filter,
              "mov.u32 %r9, buffer; mov.u32 %r1, 4; add.u32 %r2, %r1, %r1; add.u32 %r3, %r2, %r2; "
              "st.shared.u32 [%r9], %r3; ret;",
              {64}, kBuffer);
  std::uint32_t index = 0;
  const auto& program = *bench.kernel->program;
  for (std::uint32_t i = 0; i < program.code.size() && index == 0; ++i) {
    if (program.marks[i] == 2 && program.uses[i].src[0] != 0) index = i;  // the first add
  }
  pc = bench.kernel->context.code_base + 8 * index;
  bench.rig.start(*bench.kernel);
  bench.run();
  ASSERT_EQ(filter.written.size(), 1U);
  EXPECT_EQ(filter.written[0].second, 3U);
  const Machine& m = bench.rig.machine;
  const Tick issued = bench.rig.log.at(0, index).at(0);
  EXPECT_EQ(filter.written[0].first, issued + m.oc_cycles + unit_latency(m, program.code[index].timing));
  // A dependent instruction issues one tick after the write, as without a filter.
  EXPECT_EQ(bench.rig.log.at(0, index + 1).at(0), filter.written[0].first + 1);
}

/// Filter and study in one: it knows the results of instructions with two sources, and acts on issue only.
struct Knowing final : Filter, Study {
  using Study::attach;
  void attach(const HookSite& site) override {
    Filter::attach(site);
    site.terms->study = this;
  }
  bool issue(const StudyIssue& issue) override {
    EXPECT_EQ(issue.row, -1);
    return known(*program, issue.pc);
  }
  void writes(Cycle cycle) override { written.push_back(cycle); }
  static bool known(const isa::Program& program, std::uint32_t pc) {
    const auto& use = program.uses[pc];
    return program.code[pc].kind == isa::Kind::kLane && use.src[0] + use.src[1] == 2;
  }

  const isa::Program* program = nullptr;
  std::vector<Cycle> written;
};

TEST(FetchFilters, AResultThatAStudyKnowsIsWrittenInTheNextTickAndTakesNoUnit) {
  Knowing filter;
  Bench bench(filter, R"(
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.u32 %r3, %r1, %r2; add.u32 %r4, %r3, %r2; add.u32 %r5, %r4, %r3;
    add.u32 %r6, %r5, %r1; mov.u32 %r9, buffer; st.shared.u32 [%r9], %r6; ret;)",
              {64}, kBuffer);
  filter.program = bench.kernel->program.get();
  bench.rig.start(*bench.kernel);
  bench.run();
  std::vector<std::uint32_t> adds;
  for (std::uint32_t i = 0; i < bench.kernel->program->code.size(); ++i) {
    if (Knowing::known(*bench.kernel->program, i)) adds.push_back(i);
  }
  ASSERT_EQ(adds.size(), 4U);
  EXPECT_GE(filter.written.size(), 2U * 7) << "of two warps";
  // Issue in t, written in t + 1, clear in t + 2.
  EXPECT_EQ(bench.rig.log.at(0, adds[1]).at(0), bench.rig.log.at(0, adds[0]).at(0) + 2);
}

/// Computes the values of marked arithmetic for eligible warps: one instruction per warp and tick, or all.
struct Computing final : Filter, Study {
  explicit Computing(bool several) : many(several) { sleeps = false; }
  void attach(const HookSite& site) override {
    Filter::attach(site);
    site.terms->study = this;
  }
  void attach(StudiedSm& sm) override { sm_ = &sm; }
  [[nodiscard]] unsigned rows() const override { return 4; }
  void start(unsigned context, const KernelContext& kernel) override { kernels.emplace_back(context, &kernel); }
  WarpMask act(WarpMask eligible) override {
    WarpMask waiting = 0;
    for (WarpMask left = eligible; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      while (marked(w) && sm_->ready(w)) {
        sm_->compute(w);
        ++done[w];
        ticks.insert(clocked);
        if (!many) break;
      }
      if (marked(w)) waiting |= WarpMask{1} << w;
    }
    return waiting;
  }
  [[nodiscard]] bool marked(unsigned w) const {
    const StudiedWarp warp = sm_->warp(w);
    return warp.program->marks[warp.pc] == 2 && warp.program->code[warp.pc].kind == isa::Kind::kLane;
  }
  bool issue(const StudyIssue& issue) override {
    issued.insert(issue.pc);
    return false;
  }

  const bool many;
  std::vector<std::pair<unsigned, const KernelContext*>> kernels;
  std::map<unsigned, unsigned> done;
  std::set<std::uint64_t> ticks;
  std::set<std::uint32_t> issued;

 private:
  StudiedSm* sm_ = nullptr;
};

TEST(FetchFilters, AStudyComputesWithoutIssuingAndManyInOneTick) {
  for (const bool many : {false, true}) {
    Computing filter(many);
    Bench bench(filter, R"(
      ld.param.u64 %rd0, [out]; bar.sync 0;
      mov.u32 %r1, 4; add.u32 %r2, %r1, %r1; mul.lo.u32 %r3, %r2, %r2; add.u32 %r4, %r3, %r2;
      st.global.u32 [%rd0], %r4; ret;)",
                {64});
    const std::uint64_t out = bench.rig.store->allocate(64, AllocationKind::kHeap).value();
    std::memcpy(bench.rig.store->host(bench.kernel->context.parameters), &out, 8);
    bench.rig.start(*bench.kernel);
    bench.run();
    std::uint32_t value = 0;
    std::memcpy(&value, bench.rig.store->host(out), 4);
    EXPECT_EQ(value, 72U);
    ASSERT_EQ(filter.kernels.size(), 1U);
    EXPECT_EQ(filter.kernels[0].second, &bench.kernel->context);
    EXPECT_GE(filter.done[0], 3U);
    for (const std::uint32_t pc : filter.issued) {
      EXPECT_FALSE(bench.kernel->program->marks[pc] == 2 && bench.kernel->program->code[pc].kind == isa::Kind::kLane);
    }
    if (many) {
      EXPECT_LE(filter.ticks.size(), 3U) << "one tick for each warp and stretch, or one for both";
    } else {
      EXPECT_GE(filter.ticks.size(), 3U);
    }
  }
}

TEST(FetchFilters, BranchesLeavesBarriersStoresAndGlobalOperationsAreTold) {
  Filter filter;
  Bench bench(filter, R"(
    mov.u32 %r1, 4; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r1;
    setp.ge.u32 %p0, %r2, 64;
    @%p0 bra HIGH;
    mov.u32 %r9, buffer; add.u32 %r9, %r9, %r3; st.shared.u32 [%r9], %r2;
  HIGH:
    bar.sync 0;
    setp.eq.u32 %p1, %r2, 5;
    @%p1 bra ODD;
    add.u32 %r3, %r3, 1;
  ODD:
    bar.sync 1, 128;
    bar.sync 2;
    membar.gl;
    ret;)",
              {128}, kBuffer);
  bench.rig.start(*bench.kernel);
  bench.run();
  // Two warps take the first branch and two do not. One warp diverges at the second branch.
  const std::multiset<std::pair<unsigned, bool>> branches(filter.branches.begin(), filter.branches.end());
  for (unsigned w = 0; w < 4; ++w) {
    EXPECT_EQ(branches.count({w, true}), w >= 2 ? 1U : 0U);
    EXPECT_EQ(branches.count({w, false}), (w < 2 ? 1U : 0U) + (w != 0 ? 1U : 0U)) << w;
  }
  EXPECT_EQ(filter.leaves, 0xfU) << "the divergent one, and all at a barrier that is not the block's own";
  ASSERT_EQ(filter.barriers.size(), 2U) << "barrier 0, and barrier 1 with the count of the whole block";
  EXPECT_EQ(filter.barriers[0].second, 0xfU);
  EXPECT_EQ(filter.barriers[1].second, 0xfU);
  EXPECT_FALSE(filter.stores.empty());
  EXPECT_GE(filter.global_ops.size(), 2U) << "fences are told when they issue, and when they are over";
  // The last arrival at barrier 0 releases all warps three ticks later. No warp is fetched before that.
  const std::uint32_t barrier = bench.pc(isa::Kind::kBarrier);
  Tick last = 0, first = kForever;
  for (unsigned w = 0; w < 4; ++w) {
    last = std::max(last, bench.rig.log.at(w, barrier).at(0));
    first = std::min(first, bench.rig.log.at(w, barrier + 1).at(0));
  }
  EXPECT_EQ(filter.barriers[0].first, last);
  EXPECT_EQ(first, last + 3);
}

TEST(FetchFilters, SquashedInstructionsComeBack) {
  Filter filter;
  std::map<unsigned, unsigned> squashed;
  bool squash = false;
  filter.decide = [&](const FetchIn& in, FetchOut& out) {
    squash = false;
    if (!in.decode.valid || squashed[in.decode.warp] >= 3) return;
    squash = true;
    out.act[in.decode.count - 1] = DecodeAct::kSquash;
  };
  filter.see = [&](const FetchIn& in) {
    if (squash) ++squashed[in.decode.warp];
  };
  Bench bench(filter,
              "mov.u32 %r9, buffer; mov.u32 %r1, 4; add.u32 %r2, %r1, %r1; add.u32 %r3, %r2, %r2; "
              "st.shared.u32 [%r9], %r3; ret;",
              {64}, kBuffer);
  bench.rig.start(*bench.kernel);
  bench.run();
  EXPECT_EQ(squashed[0], 3U);
  for (unsigned w = 0; w < 2; ++w) {
    std::uint32_t pc = 0;
    for (const auto& issue : bench.rig.log.issues) {
      if (issue.warp != w) continue;
      EXPECT_EQ(issue.pc, pc++) << "each instruction once, in order";
    }
    EXPECT_EQ(pc, bench.kernel->program->code.size());
  }
}

// A drop in a tick lets the warp be fetched again in the next tick at the earliest, so the filter that dropped it may
// hold it first.
TEST(FetchFilters, AWarpIsNotFetchedInTheTickInWhichItIsSquashed) {
  Filter filter;
  filter.sleeps = false;
  Cycle squashed = 0;
  unsigned decodes = 0;
  bool eligible_next = false;
  const auto holds = [&](Cycle now) { return squashed != 0 && now > squashed && now < squashed + 40; };
  Cycle now = 0;
  filter.early = [&](FetchOut& out) { out.hold = holds(now) ? 1 : 0; };
  filter.decide = [&](const FetchIn& in, FetchOut& out) {
    if (!in.decode.valid || in.decode.warp != 0 || squashed != 0) return;
    out.act[0] = DecodeAct::kSquash;
  };
  filter.see = [&](const FetchIn& in) {
    now = in.now + 1;
    if (in.decode.valid && in.decode.warp == 0) {
      if (squashed == 0) squashed = in.now;
      decodes += holds(in.now) ? 1 : 0;
    }
    if (in.now == squashed + 1) eligible_next = (in.eligible & 1) != 0;
  };
  Bench bench(filter, kShort, {64}, kBuffer);
  bench.rig.start(*bench.kernel);
  bench.run();
  ASSERT_NE(squashed, 0U);
  EXPECT_EQ(decodes, 0U) << "it was fetched before the hold could reach it";
  EXPECT_TRUE(eligible_next) << "and it could have been fetched in the next tick";
  EXPECT_GE(bench.rig.log.ticks(0).at(0), squashed + 40);
  EXPECT_EQ(bench.rig.sm.counters().squashes, 2U) << "both instructions of the group";
}

// After a fence or acquire a warp must see the stores that it waits for. The filter must not advance the warp before
// the fence is complete.
TEST(FetchFilters, AWarpThatWaitsForAFenceIsNotEligible) {
  // The fence is the last or the first of a group of two; in the latter case the next instruction is in the buffer.
  for (const char* const waits :
       {"membar.gl;", "xor.b32 %r6, %r2, %r1; membar.gl;", "ld.acquire.gpu.global.u32 %r5, [%rd4];",
        "xor.b32 %r6, %r2, %r1; ld.acquire.gpu.global.u32 %r5, [%rd4];"}) {
    Filter filter;
    std::vector<Cycle> eligible;
    filter.see = [&](const FetchIn& in) {
      if ((in.eligible & 1) != 0) eligible.push_back(in.now);
    };
    Bench bench(filter,
                std::string("ld.param.u64 %rd4, [out]; mov.u32 %r1, 4; add.u32 %r2, %r1, %r1; "
                            "st.global.u32 [%rd4], %r2; ") +
                    waits + " mov.u32 %r3, 5; add.u32 %r4, %r3, %r2; st.global.u32 [%rd4], %r4; ret;",
                {64});
    const std::uint64_t out = bench.rig.store->allocate(64, AllocationKind::kHeap).value();
    std::memcpy(bench.rig.store->host(bench.kernel->context.parameters), &out, 8);
    bench.rig.start(*bench.kernel);
    bench.run();
    const auto& code = bench.kernel->program->code;
    std::uint32_t fence = 0;
    while (code[fence].kind != isa::Kind::kFence && code[fence].memory.ordering != isa::Ordering::kAcquire) ++fence;
    const Tick issued = bench.rig.log.at(0, fence).at(0);
    // The end of the fence of the slower warp is reported last.
    ASSERT_GE(filter.global_ops.size(), 3U) << waits;
    const Cycle end = filter.global_ops.front() == issued ? filter.global_ops.back() : 0;
    EXPECT_GE(end, issued + bench.rig.network.latency) << waits;
    const auto in_fence = [&](Cycle now) { return now > issued && now + 2 < end; };
    EXPECT_EQ(std::count_if(eligible.begin(), eligible.end(), in_fence), 0) << waits;
    EXPECT_GT(std::count_if(eligible.begin(), eligible.end(), [&](Cycle now) { return now > end; }), 0) << waits;
  }
}

TEST(FetchFiltersDeathTest, HoldThatFollowsInputsIsAnAssertion) {
  EXPECT_HOOK_FAILS(
      {
        Filter filter;
        filter.decide = [](const FetchIn& in, FetchOut& out) { out.hold = in.eligible; };
        Bench bench(filter, kShort, Dim3{64}, kBuffer);
        bench.rig.start(*bench.kernel);
        bench.run();
      },
      "fetch_filter of SM 0 changes hold or copy after settle");
}

TEST(FetchFiltersDeathTest, SkippingAWarpThatIsNotHeldIsAnAssertion) {
  EXPECT_HOOK_FAILS(
      {
        Filter filter;
        filter.decide = [](const FetchIn& in, FetchOut& out) { out.skip = in.eligible; };
        Bench bench(filter, kShort, Dim3{64}, kBuffer);
        bench.rig.start(*bench.kernel);
        bench.run();
      },
      "fetch_filter of SM 0 skips warps that are not eligible and held");
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_filter_test

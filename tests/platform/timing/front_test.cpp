// Fetch and issue rates, thread-block and kernel turn-around on an idle machine, against the closed forms of
// docs/gpu/closed-forms.md, "Closed forms": T2, T3, T12 to T14; placement, one per cycle; fairness of the schedulers,
// T30.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "castor/gpu/sm/decoded.h"
#include "platform/timing/deviations.h"
#include "platform/timing/predictions.h"
#include "platform/timing/rig.h"
#include "platforms/machines.h"

namespace castor::gpu::timing_test::front_test {
namespace {

using isa::TimingClass;

class Front : public ::testing::TestWithParam<std::string> {
 protected:
  explicit Front(const std::vector<std::string>& overrides = {}) : rig(GetParam(), overrides) {}

  /// Adds of which none waits for another within the pipeline's length.
  ProgramHandle independent_adds(unsigned count) {
    std::string body = "mov.u32 %r0, %tid.x;\n";
    for (unsigned i = 1; i <= 30; ++i) body += "mov.u32 %r" + std::to_string(i) + ", %r0;\n";
    for (unsigned i = 0; i < count; ++i) {
      const std::string r = "%r" + std::to_string(1 + i % 30);
      body += "add.u32 " + r + ", " + r + ", 1;\n";
    }
    for (unsigned i = 1; i <= 30; ++i) body += "add.u32 %r0, %r0, %r" + std::to_string(i) + ";\n";
    return rig.load(body + "st.global.u32 [%rd0], %r0; ret;", 1);
  }
  [[nodiscard]] Tick tick_of(const std::vector<Issued>& issues, std::uint32_t pc) const {
    for (const Issued& one : issues) {
      if (one.pc == pc) return one.tick;
    }
    throw std::runtime_error("not issued");
  }
  /// Returns the least and the largest number of cycles that the scan of the queues may add. One pass takes NG cycles.
  [[nodiscard]] std::pair<long, long> scan() const {
    const Machine& m = rig.machine();
    const long ng = m.parse.select_scan == 0 ? 0 : ceil_div(m.queue.count, m.parse.select_scan);
    return {ng, 2 * ng};
  }
  /// Expects `measured` to lie between two bounds, each rounded up to the issue slot of the warp's scheduler.
  void expect_between(const std::string& test, long least, long most, long measured) const {
    if (least == most && rig.machine().issue.period == 1) {
      expect_closed_form(test, rig.machine(), least, measured);
    } else {
      const long slack = static_cast<long>(rig.machine().issue.period) - 1;
      EXPECT_GE(measured, least) << test;
      EXPECT_LE(measured, most + slack) << test;
    }
  }

  Rig rig;
};

TEST_P(Front, T2OneWarpIsFedByItsFetches) {
  const Machine& m = rig.machine();
  const std::map<std::string, double> printed = {{"kepler_k20c_study", 2.0 / 3}, {"gcn_apu", 0.25}};
  const auto number = printed.find(GetParam());
  EXPECT_DOUBLE_EQ(fetch_rate(m), number == printed.end() ? 0.5 : number->second);
  const ProgramHandle kernel = independent_adds(400);
  const auto issues = rig.issues(rig.run(kernel, {}, {m.sm.lanes}, {rig.buffer(4)}));
  const std::uint32_t from = 64, to = 64 + 288;  // whole lines of the instruction cache
  const Tick measured = tick_of(issues, to) - tick_of(issues, from);
  expect_closed_form("T2", m, std::lround(288 / fetch_rate(m)), static_cast<long>(measured));
}

TEST_P(Front, T3SeveralWarpsIssueUpToTheNarrowestPart) {
  const Machine& m = rig.machine();
  const auto& add = m.timing(TimingClass::kInt);
  const double units = m.units.integer > 0 ? m.units.integer : m.units.sp;
  const unsigned issue_width = m.schedulers * m.issue.per_warp;
  const double limit = std::min({static_cast<double>(m.fetch.warps * m.fetch.insns),
                                 static_cast<double>(issue_width) / m.issue.period, units / add.interval});
  const ProgramHandle kernel = independent_adds(800);
  const std::uint64_t out = rig.buffer(4);
  for (const unsigned warps : {1U, 2U, 4U, 8U, 12U, 16U}) {
    const auto issues = rig.issues(rig.run(kernel, {}, {warps * m.sm.lanes}, {out}));
    // The period in which all warps run: until the first warp has finished its adds.
    const Tick from = issues.at(0).tick + 100;
    Tick to = ~Tick{0};
    for (const Issued& one : issues) {
      if (one.pc >= 830) to = std::min(to, one.tick);
    }
    ASSERT_GT(to, from + 100) << warps << " warps";
    to = from + (to - from) / 48 * 48;
    const auto count = std::count_if(issues.begin(), issues.end(),
                                     [&](const Issued& one) { return one.tick >= from && one.tick < to; });
    const double predicted = std::min(warps * fetch_rate(m), limit);
    // In thousandths; the window cuts the patterns of the warps.
    expect_closed_form("T3 W=" + std::to_string(warps), m, std::lround(1000 * predicted),
                       std::lround(1000.0 * static_cast<double>(count) / static_cast<double>(to - from)),
                       std::lround(10 * predicted));
    if (GetParam() == "kepler_k20c_study" && warps >= 12) {
      EXPECT_DOUBLE_EQ(predicted, 6);
    }
  }
}

/// Instructions of each class that has units; # stands for one of several registers.
const std::map<TimingClass, const char*> kOfClass = {
    {TimingClass::kInt, "add.u32 %r#, %r#, 1;"},
    {TimingClass::kIntMinMax, "min.u32 %r#, %r#, %r98;"},
    {TimingClass::kIntShift, "shl.b32 %r#, %r#, 1;"},
    {TimingClass::kIntMul, "mul.lo.u32 %r#, %r#, %r98;"},
    {TimingClass::kIntMad, "mad.lo.u32 %r#, %r#, %r98, %r98;"},
    {TimingClass::kIntDiv, "div.u32 %r#, %r#, %r98;"},
    {TimingClass::kPopc, "popc.b32 %r#, %r#;"},
    {TimingClass::kClz, "clz.b32 %r#, %r#;"},
    {TimingClass::kConvert, "cvt.rni.f32.f32 %f#, %f#;"},
    {TimingClass::kShuffle, "shfl.sync.idx.b32 %r#, %r#, 0, 31, 0xffffffff;"},
    {TimingClass::kVote, "match.any.sync.b32 %r#, %r#, 0xffffffff;"},
    {TimingClass::kF32Add, "add.f32 %f#, %f#, %f98;"},
    {TimingClass::kF32MinMax, "min.f32 %f#, %f#, %f98;"},
    {TimingClass::kF32Mul, "mul.f32 %f#, %f#, %f98;"},
    {TimingClass::kF32Fma, "fma.rn.f32 %f#, %f#, %f98, %f98;"},
    {TimingClass::kF32Div, "div.rn.f32 %f#, %f#, %f98;"},
    {TimingClass::kF32Root, "sqrt.rn.f32 %f#, %f#;"},
    {TimingClass::kF64, "fma.rn.f64 %rd#, %rd#, %rd98, %rd98;"},
    {TimingClass::kF64MinMax, "min.f64 %rd#, %rd#, %rd98;"},
    {TimingClass::kF64Div, "div.rn.f64 %rd#, %rd#, %rd98;"},
    {TimingClass::kF64Root, "sqrt.rn.f64 %rd#, %rd#;"},
    {TimingClass::kSpecial, "ex2.approx.ftz.f32 %f#, %f#;"},
    {TimingClass::kSinCos, "sin.approx.f32 %f#, %f#;"},
    {TimingClass::kScaled, "ex2.approx.f32 %f#, %f#;"},
};

std::string with_register(std::string text, unsigned number) {
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string::npos;) text.replace(at, 1, std::to_string(number));
  return text + "\n";
}

class Units : public Front {
 protected:
  /// Instructions of a class per 1000 ticks when all warps of an SM have nothing else to do.
  long rate(TimingClass timing) {
    const Machine& m = rig.machine();
    const unsigned length = 96, chains = 6;
    std::string body = "mov.u32 %r98, 3; mov.f32 %f98, 0f40000000; mov.b64 %rd98, 0x4000000000000000;\n", end;
    for (unsigned i = 10; i < 10 + chains; ++i) {
      body += with_register("mov.u32 %r#, %tid.x; mov.f32 %f#, %f98; mov.b64 %rd#, %rd98;", i);
      end += with_register("st.global.u32 [%rd0], %r#; st.global.f32 [%rd0], %f#; st.global.u64 [%rd0], %rd#;", i);
    }
    body += "bar.sync 0;\n";
    for (unsigned i = 0; i < length; ++i) body += with_register(kOfClass.at(timing), i % chains + 10);
    const ProgramHandle kernel = rig.load(body + end + "ret;", 1);
    const auto pcs = rig.pcs(kernel, timing);
    const unsigned warps = m.sm.max_tb_threads / m.sm.lanes;
    const auto issues = rig.issues(rig.run(kernel, {}, {warps * m.sm.lanes}, {rig.buffer(8)}));
    // The period in which the first warp executes the instructions.
    Tick from = ~Tick{0}, to = ~Tick{0};
    for (const Issued& one : issues) {
      if (one.pc == pcs.at(pcs.size() - length) + 16) from = std::min(from, one.tick);
      if (one.pc == pcs.back() - 8) to = std::min(to, one.tick);
    }
    EXPECT_GT(to, from + 40) << isa::key(timing);
    const auto count = std::count_if(issues.begin(), issues.end(), [&](const Issued& one) {
      return one.tick >= from && one.tick < to && rig.program(kernel).code[one.pc].timing == timing;
    });
    return std::lround(1000.0 * static_cast<double>(count) / static_cast<double>(to - from));
  }
};

TEST_P(Units, T3UnitTakesAnInstructionPerInterval) {
  const Machine& m = rig.machine();
  for (const auto& [timing, text] : kOfClass) {
    const ProgramHandle kernel = rig.load(with_register(text, 1) + "ret;");
    const DecodedProgram decoded(m, rig.program(kernel));
    const UnitPool pool = decoded.code.at(rig.pcs(kernel, timing).back()).pool;
    const unsigned units = pool == UnitPool::kSfu   ? m.units.sfu
                           : pool == UnitPool::kDp  ? m.units.dp
                           : pool == UnitPool::kInt ? m.units.integer
                                                    : m.units.sp;
    const double predicted = static_cast<double>(units) / m.timing(timing).interval;
    // Fetch and issue keep up with less than one per tick, and short intervals are T3's of the adds.
    if (predicted > 0.5 * m.schedulers / m.issue.period || predicted > 0.5) continue;
    expect_closed_form("T3 " + std::string(isa::key(timing)), m, std::lround(1000 * predicted), rate(timing),
                       std::lround(25 * predicted) + 2);
  }
}

class FrontOfOneBlock : public Front {
 protected:
  FrontOfOneBlock() : Front({"sm.tb_slots=1"}) {}
};

TEST_P(FrontOfOneBlock, T12WaitingBlockIssuesFiveCyclesAfterTheLastExit) {
  const Machine& m = rig.machine();
  std::string body = "mov.u32 %r0, %tid.x;\n";
  for (int i = 0; i < 60; ++i) body += "add.u32 %r0, %r0, %r0;\n";
  // The branch waits for all that is written, so the warp is drained when it exits.
  const ProgramHandle kernel = rig.load(body + "setp.eq.u32 %p0, %r0, 1; @%p0 bra end; end: ret;");
  const Ticket ticket = rig.run(kernel, {m.chip.sms + 1}, {m.sm.lanes});
  const auto end = static_cast<std::uint32_t>(rig.program(kernel).code.size() - 1);
  std::map<unsigned, std::vector<Cycle>> firsts, exits;  // by SM
  for (const Issued& one : rig.issues(ticket)) {
    if (one.pc == 0) firsts[one.sm].push_back(one.cycle);
    if (one.pc == end) exits[one.sm].push_back(one.cycle);
  }
  unsigned seen = 0;
  for (const auto& [sm, cycles] : firsts) {
    if (cycles.size() != 2) continue;
    ++seen;
    expect_closed_form("T12", m, rounded(m, 5), static_cast<long>(cycles[1] - exits[sm].at(0)));
  }
  EXPECT_EQ(seen, 1U);
}

TEST_P(Front, T13NextKernelOfAQueueIssuesParseLatencyPlusSevenAfterTheLastExit) {
  const Machine& m = rig.machine();
  const ProgramHandle kernel = rig.load("ret;");
  ASSERT_EQ(rig.program(kernel).code.size(), 1U);
  std::array<Ticket, 5> tickets{};
  for (Ticket& ticket : tickets) ticket = rig.submit(kernel, {}, {1});
  rig.finish(tickets.back());
  const long q = m.parse.latency;
  if (GetParam() == "kepler_k20c_study") {
    EXPECT_EQ(q + 7, 290);
  }
  for (int i = 0; i < 4; ++i) {
    const Cycle exit = rig.issues(tickets[i]).at(0).cycle;
    const Cycle next = rig.issues(tickets[i + 1]).at(0).cycle;
    expect_between("T13", q + 7 + scan().first, q + 7 + scan().second, static_cast<long>(next - exit));
  }
}

TEST_P(Front, T14FirstIssueFollowsTheDoorbellByParseLatencyPlusSix) {
  const Machine& m = rig.machine();
  const ProgramHandle kernel = rig.load("ret;");
  const long q = m.parse.latency;
  if (GetParam() == "kepler_k20c_study") {
    EXPECT_EQ(q + 6, 289);
  }
  for (int i = 0; i < 6; ++i) {
    const Cycle doorbell = rig.device->gpu().host_cycle();
    const Ticket ticket = rig.run(kernel, {}, {1});
    const Cycle first = rig.issues(ticket).at(0).cycle;
    expect_between("T14", q + 6 + scan().first, q + 6 + scan().second, static_cast<long>(first - doorbell));
    rig.device->advance_to(rig.device->now() + 1'234'567 * (i + 1));  // idle for a while, at any phase
  }
}

TEST_P(Front, BlocksArePlacedOnePerCycle) {
  const Machine& m = rig.machine();
  std::string body = "mov.u32 %r0, %tid.x;\n";
  for (int i = 0; i < 80; ++i) body += "add.u32 %r0, %r0, %r0;\n";
  const ProgramHandle kernel = rig.load(body + "ret;");
  const unsigned blocks = m.chip.sms * std::min(m.sm.tb_slots, 4U);
  const Ticket ticket = rig.run(kernel, {blocks}, {32});
  std::vector<Recorder::Tb> placed;
  for (const auto& one : rig.recorder.placed) {
    if (one.ticket == ticket) placed.push_back(one);
  }
  ASSERT_EQ(placed.size(), blocks);
  for (unsigned k = 0; k < blocks; ++k) {
    EXPECT_EQ(placed[k].gid, k);
    EXPECT_EQ(placed[k].sm, k % m.chip.sms);
    expect_closed_form("placement", m, k, static_cast<long>(placed[k].cycle - placed[0].cycle));
  }
  // First issue three cycles after the start, which is one after the placement.
  for (const auto& one : rig.recorder.started) {
    EXPECT_EQ(one.cycle, placed[one.gid].cycle + 1) << one.gid;
  }
}

// All schedulers always have an instruction for one unit.
TEST_P(Front, T30GrantsOfAUnitAreSharedEvenly) {
  const Machine& m = rig.machine();
  struct Load {
    const char* name;
    std::vector<const char*> operations;  // # = a register of its own
    std::vector<TimingClass> judged;
  };
  const std::vector<Load> loads = {
      {"sfu", {"sin.approx.f32 %f#, %f99;"}, {TimingClass::kSinCos}},
      {"mem", {"ld.shared.u32 %r#, [%r99];"}, {TimingClass::kLoad}},
      {"mul", {"mul.lo.u32 %r#, %r99, %r99;"}, {TimingClass::kIntMul}},
      {"mixed",
       {"sin.approx.f32 %f#, %f99;", "ld.shared.u32 %r#, [%r99];"},
       {TimingClass::kSinCos, TimingClass::kLoad}},
  };
  const unsigned warps = std::min(8 * m.schedulers, m.sm.max_tb_threads / m.sm.lanes);
  for (const Load& load : loads) {
    SCOPED_TRACE(load.name);
    std::string body = "mov.f32 %f99, 0f3F800000; mov.u32 %r99, buf; bar.sync 0;\n";
    const unsigned length = 240;
    for (unsigned i = 0; i < length; ++i) {
      std::string text = load.operations[i % load.operations.size()];
      text.replace(text.find('#'), 1, std::to_string(i % 16));
      body += text + "\n";
    }
    const ProgramHandle kernel = rig.load(body + "ret;", 0, ".shared .align 4 .b8 buf[128];");
    const auto& code = rig.program(kernel).code;
    const std::uint32_t end = static_cast<std::uint32_t>(code.size()) - 40;
    const auto issues = rig.issues(rig.run(kernel, {}, {warps * m.sm.lanes}));
    // From the first grant until the first warp reaches its end.
    Tick until = ~Tick{0};
    for (const Issued& one : issues) {
      if (one.pc >= end) until = std::min(until, one.tick);
    }
    for (const TimingClass judged : load.judged) {
      std::vector<long> grants(m.schedulers);
      std::map<Tick, std::vector<unsigned>> by_tick;
      for (const Issued& one : issues) {
        if (one.tick < until && code[one.pc].timing == judged) by_tick[one.tick].push_back(one.scheduler);
      }
      long worst = 0;
      for (const auto& [tick, schedulers] : by_tick) {
        for (const unsigned s : schedulers) ++grants[s];
        const auto [least, most] = std::minmax_element(grants.begin(), grants.end());
        worst = std::max(worst, *most - *least);
      }
      EXPECT_GT(grants[0], 50);
      expect_closed_form(std::string("T30 ") + load.name + " " + std::string(isa::key(judged)), m, 0, worst, 2);
    }
  }
}

TEST_P(Front, T30PollingWarpsDoNotKeepTheAwaitedStoreOut) {
  const Machine& m = rig.machine();
  const unsigned s = m.schedulers;
  // Warp w belongs to scheduler w mod s. The warps of the last scheduler exit, except for one, which stores; all other
  // warps poll.
  const ProgramHandle kernel = rig.load(
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mov.u32 %r2, buf; mad.lo.u32 %r2, %r1, 128, %r2;\n"
      "div.u32 %r3, %r0, " +
          std::to_string(m.sm.lanes) + "; rem.u32 %r4, %r3, " + std::to_string(s) + "; mov.u32 %r5, 0;\n" +
          "st.volatile.shared.u32 [%r2], %r5; bar.sync 0;\n"
          "setp.eq.u32 %p0, %r4, " +
          std::to_string(s - 1) + "; @%p0 bra last;\n" +
          "again: ld.volatile.shared.u32 %r6, [%r2]; setp.eq.u32 %p1, %r6, 0; @%p1 bra again; ret;\n"
          "last: setp.ne.u32 %p2, %r3, " +
          std::to_string(s - 1) +
          "; @%p2 bra out; mov.u32 %r7, 0;\n"
          "wait: add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 20; @%p3 bra wait;\n"
          "mov.u32 %r6, 1; st.volatile.shared.u32 [%r2], %r6; out: ret;",
      0, ".shared .align 128 .b8 buf[4096];");
  const unsigned warps = std::min(8 * s, m.sm.max_tb_threads / m.sm.lanes);
  const Ticket ticket = rig.run(kernel, {}, {warps * m.sm.lanes});
  EXPECT_LT(rig.duration(ticket), 20'000U);
}

INSTANTIATE_TEST_SUITE_P(Machines, FrontOfOneBlock, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Machines, Units, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Machines, Front, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param; });

// --- The end of a kernel ---------------------------------------------------------------------------------------------

/// Runs a kernel in which one warp per block stores 32 words, then a kernel that reads them. Returns the bytes written
/// to DRAM when the first kernel is complete, the L2 read misses of the second one, and the completion times of both.
std::vector<std::uint64_t> store_and_load(const std::string& machine, const std::vector<std::string>& overrides) {
  return in_child([&] {
    Rig rig(machine, overrides);
    const Machine& m = rig.machine();
    constexpr unsigned kBlocks = 16, kWords = 32;
    const std::uint64_t data = rig.buffer(4 * kBlocks * kWords);
    const std::string place =
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 32, %r0;\n"
        "mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %rd0;\n";
    const ProgramHandle store = rig.load(place + "st.global.u32 [%rd1], %r2; ret;", 1);
    const ProgramHandle load = rig.load(place + "ld.global.cg.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r3; ret;", 1);
    const auto sum = [&](const std::string& prefix, unsigned count, const std::string& name) {
      std::uint64_t total = 0;
      for (unsigned i = 0; i < count; ++i) total += rig.statistic(prefix + std::to_string(i) + "." + name);
      return total;
    };
    rig.run(store, {kBlocks}, {kWords}, {data});
    const std::uint64_t written = sum("channel", m.dram.channels, "dram_n_write") * m.dram.atom;
    const std::uint64_t misses = sum("slice", m.l2.slices, "l2_read_miss");
    rig.run(load, {kBlocks}, {kWords}, {data});
    for (unsigned i = 0; i < kBlocks * kWords; ++i) EXPECT_EQ(rig.get<std::uint32_t>(data + 4 * i), i);
    return std::vector<std::uint64_t>{written, sum("slice", m.l2.slices, "l2_read_miss") - misses,
                                      rig.recorder.completed.at(0).cycle, rig.recorder.completed.at(1).cycle};
  });
}

class KernelEnd : public ::testing::TestWithParam<std::string> {};

TEST_P(KernelEnd, FlushesL2OnMachinesThatSaySo) {
  const std::vector<std::string> flush = {"l2.flush_at_kernel_end=1"};
  const auto kept = store_and_load(GetParam(), {});
  const auto flushed = store_and_load(GetParam(), flush);
  EXPECT_EQ(kept[0], 0U) << "what is dirty stays in L2";
  EXPECT_EQ(flushed[0], 4U * 16 * 32) << "all of it is written back when the kernel is complete";
  EXPECT_GE(flushed[1], kept[1] + 4 * 16 * 32 / platforms::load_machine(GetParam()).machine.l2.line)
      << "the next kernel finds nothing";
  EXPECT_GT(flushed[2], kept[2]) << "the kernel is complete when that is done";
  for (const char* other : {"run.sleep=0", "run.shuffle=1"}) {
    EXPECT_EQ(store_and_load(GetParam(), {flush[0], other}), flushed) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, KernelEnd, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace castor::gpu::timing_test::front_test

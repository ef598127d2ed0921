#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "platforms/machines.h"
#include "tests/unit/gpu_replay_support.h"

namespace castor::gpu::gpu_replay_sm_test {
namespace {

__extension__ using Wide = unsigned __int128;
using Options = ReplayBench::Options;

std::string fresh() {
  static unsigned next = 0;
  return "bench" + std::to_string(next++) + "_";
}

Machine machine(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"replay.enable=1", "chip.sms=2"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return platforms::load_machine("kepler_k20c_study", all).machine;
}

std::string kernel(const std::string& name, unsigned threads, const std::string& service,
                   const std::string& more = "") {
  return "kernel " + name + "\nthreads " + std::to_string(threads) + "\nregisters 8\ntbs 4\nservice " + service + "\n" +
         more;
}

ReplayFile file(const std::string& text) { return ReplayFile::parse("castor-replay 1\n" + text, "replay.txt"); }

ReplayRun run(const Machine& m, const ReplayFile& f, const std::vector<ReplayLaunch>& launches,
              const Options& options = {}) {
  return ReplayBench(m, f, fresh()).run(launches, options);
}

/// Reference of the SMs, cycle by cycle, from placements and drains alone: virtual clocks are sums of rates x 2^32,
/// without skipping.
class Reference {
 public:
  Reference(const Machine& m, const ReplayFile& f) : machine_(m), file_(f) {}

  std::vector<TbHistory> replay(const std::vector<ReplayLaunch>& launches, const ReplayRun& run) {
    struct Tb {
      std::size_t index;
      unsigned type, warps;
      Wide end;
      bool ended;
    };
    const unsigned sms = machine_.chip.sms;
    std::vector<TbHistory> out = run.tbs;
    std::vector<std::map<unsigned, Tb>> slots(sms);
    std::vector<std::deque<unsigned>> ready(sms);
    std::vector<unsigned> credits(sms, machine_.done_fifo);
    std::map<std::pair<unsigned, unsigned>, Wide> value;  // value by group (sm, type), as the mode defines it
    std::map<std::pair<unsigned, unsigned>, std::uint64_t> rate;
    const auto group = [&](unsigned sm, unsigned type) -> std::pair<unsigned, unsigned> {
      if (machine_.replay.rate == ReplayRate::kTable) return {sm, type};
      if (machine_.replay.rate == ReplayRate::kSm) return {sm, 0};
      return {0, 0};
    };
    for (unsigned s = 0; s < sms; ++s) {
      for (unsigned t = 0; t < file_.types().size(); ++t) {
        value[group(s, t)] = 0;
        rate[group(s, t)] = kOne;
      }
    }
    std::size_t placed = 0, drained = 0, retired = 0;
    for (Cycle now = 1; retired < out.size(); ++now) {
      std::map<std::pair<unsigned, unsigned>, Wide> before = value;
      for (auto& [g, v] : value) v += rate[g];
      while (drained < run.drained.size() && run.drained[drained] < now) ++credits[run.drained_sm[drained++]];
      for (; placed < out.size() && out[placed].placed + 1 == now; ++placed) {
        TbHistory& tb = out[placed];
        unsigned slot = 0;
        while (slots[tb.sm].count(slot) != 0) ++slot;
        tb.context = slot;
        const auto type = static_cast<unsigned>(file_.find(launches[tb.launch].kernel));
        const ReplayType& known = file_.types()[type];
        const std::uint64_t service = known.service.draw(machine_.run.seed, tb.launch + 1, tb.gid);
        const unsigned warps = (known.threads + machine_.sm.lanes - 1) / machine_.sm.lanes;
        slots[tb.sm][slot] = {placed, type, warps, before[group(tb.sm, type)] + static_cast<Wide>(service) * kOne,
                              false};
      }
      for (unsigned s = 0; s < sms; ++s) {
        for (auto& [slot, tb] : slots[s]) {
          if (tb.ended || value[group(s, tb.type)] < tb.end) continue;
          tb.ended = true;
          ready[s].push_back(slot);
        }
        if (ready[s].empty() || credits[s] == 0) continue;
        --credits[s];
        ++retired;
        out[slots[s][ready[s].front()].index].wire = now + 1;
        slots[s].erase(ready[s].front());
        ready[s].pop_front();
      }
      // Computes the rates of the next cycle from the TBs now resident.
      std::uint64_t all = 0;
      for (unsigned s = 0; s < sms; ++s) {
        std::uint64_t warps = 0;
        std::vector<std::uint32_t> counts(file_.rates().columns.size(), 0);
        for (const auto& [slot, tb] : slots[s]) {
          warps += tb.warps;
          for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += file_.rates().columns[i] == tb.type ? 1 : 0;
        }
        all += warps;
        if (machine_.replay.rate == ReplayRate::kSm) rate[{s, 0}] = shared(file_.w0(s, machine_.replay.w0), warps);
        if (machine_.replay.rate == ReplayRate::kTable) {
          for (const ReplayRates::Row& row : file_.rates().rows) {
            if (row.counts != counts) continue;
            for (std::size_t i = 0; i < counts.size(); ++i) {
              rate[{s, file_.rates().columns[i]}] = counts[i] == 0 ? kOne : row.rates[i];
            }
          }
          for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) rate[{s, file_.rates().columns[i]}] = kOne;
          }
        }
      }
      if (machine_.replay.rate == ReplayRate::kGpu) rate[{0, 0}] = shared(file_.w0(machine_.replay.w0), all);
    }
    return out;
  }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32U;
  static std::uint64_t shared(std::uint64_t w0, std::uint64_t warps) {
    if (w0 == 0 || warps <= w0) return kOne;
    return static_cast<std::uint64_t>(static_cast<Wide>(kOne) * w0 / warps);
  }
  const Machine& machine_;
  const ReplayFile& file_;
};

// --- Exact times at rate 1 ------------------------------------------------------------------------------------------

TEST(ReplaySm, TbOfServiceSIsOnTheWireSPlusOneCyclesAfterItsPlacement) {
  for (const unsigned service : {1U, 2U, 3U, 100U, 12345U, 4294967295U}) {
    const ReplayFile f = file(kernel("k", 64, "constant " + std::to_string(service)));
    const ReplayRun result = run(machine({}), f, {{"k", 1, 10}}, {false, 0, 0, Cycle{1} << 40U});
    ASSERT_EQ(result.tbs.size(), 1U);
    EXPECT_EQ(result.tbs[0].placed, 10U);
    EXPECT_EQ(result.tbs[0].wire, Cycle{10} + service + 1);
  }
}

TEST(ReplaySm, ServiceOfZeroCountsAsOne) {
  const ReplayFile f = file(kernel("k", 64, "constant 0"));
  EXPECT_EQ(run(machine({}), f, {{"k", 1, 10}}).tbs[0].wire, 12U);
}

TEST(ReplaySm, OneTbRetiresPerCycleAndTiesGoByContext) {
  // Four TBs on one SM, placed in 0..3, that all end in cycle 10.
  const ReplayFile f = file(kernel("k", 64, "table 10 9 8 7"));
  const Machine m = machine({"chip.sms=1"});
  const ReplayRun result = run(m, f, {{"k", 4, 0}});
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(result.tbs[i].placed, i);
    EXPECT_EQ(result.tbs[i].context, i);
    EXPECT_EQ(result.tbs[i].wire, 11U + i);
  }
}

TEST(ReplaySm, WhoIsReadyFirstRetiresFirstWhateverItsContext) {
  // Contexts 1 and 2 end in 6, context 0 in 7: the wire takes 1, 2, 0.
  const ReplayFile f = file(kernel("k", 64, "table 7 5 4 100"));
  const ReplayRun result = run(machine({"chip.sms=1"}), f, {{"k", 4, 0}});
  EXPECT_EQ(result.tbs[1].wire, 7U);
  EXPECT_EQ(result.tbs[2].wire, 8U);
  EXPECT_EQ(result.tbs[0].wire, 9U);
}

TEST(ReplaySm, FullDoneFifoHoldsTheRetire) {
  const ReplayFile f = file(kernel("k", 64, "constant 5"));
  const Machine m = machine({"chip.sms=1", "done_fifo=2"});
  ReplayBench bench(m, f, fresh());
  ReplaySm& sm = *bench.sms()[0];
  const KernelContext& kernel = bench.add({"k", 4, 0});
  for (unsigned i = 0; i < 4; ++i) {
    TbStartMessage message;
    message.visible = i + 1;
    message.kernel = &kernel;
    message.item = kernel.item();
    message.gid = i;
    sm.start(message);
  }
  for (Cycle now = 1; now < 20; ++now) sm.tick(now);
  EXPECT_EQ(sm.retired().size(), 2U);
  EXPECT_NE(sm.waiting().find("done FIFO is full"), std::string::npos);
  sm.retired().pop();
  sm.done_drained(20);  // counts from cycle 21 on
  sm.tick(20);
  EXPECT_EQ(sm.retired().size(), 1U);
  sm.tick(21);
  ASSERT_EQ(sm.retired().size(), 2U);
  EXPECT_FALSE(sm.idle());
}

// --- Rates, by hand -------------------------------------------------------------------------------------------------

TEST(ReplaySm, LoadBeyondW0StretchesServicesOnTheWholeGpu) {
  // Four TBs of 2 warps, one at a time on SMs 0, 1, 0, 1 in cycles 0..3; w0 = 4 warps. Resident from 1, 2, 3, 4 on, so
  // the rate is 1 up to cycle 3 (4 warps at the end of 2), 4/6 in 4, 4/8 from 5 on.
  //   V(1) = 1, V(2) = 2, V(3) = 3, V(4) = 3 + 2/3, V(c) = 3 + 2/3 + (c - 4) / 2.
  // TB 0 from V(0) = 0 ends when V >= 10: (c - 4) / 2 >= 6 1/3, c = 17 (rounding down to 2^-32 changes nothing).
  // TB 1 from V(1) = 1: V >= 11, c - 4 >= 14 2/3 at rate 1/2, but TB 0 left in 17: 4/6 from 18 on.
  //   V(17) = 3 2/3 + 6 1/2 = 10 1/6; needs 5/6 more: 2 cycles, ends in 19; 4/4 = 1 from 20 on.
  //   V(19) = 11 1/2. TB 2 from V(2) = 2: V >= 12 in 20. V(20) = 12 1/2. TB 3 from V(3) = 3: V >= 13 in 21.
  const ReplayFile f = file(kernel("k", 64, "constant 10"));
  const ReplayRun result = run(machine({"replay.rate=gpu", "replay.w0=4"}), f, {{"k", 4, 0}});
  EXPECT_EQ(result.tbs[0].wire, 18U);
  EXPECT_EQ(result.tbs[1].wire, 20U);
  EXPECT_EQ(result.tbs[2].wire, 21U);
  EXPECT_EQ(result.tbs[3].wire, 22U);
}

TEST(ReplaySm, LoadOfAnotherSmDoesNotCountWithRatesPerSm) {
  // Two TBs per SM; w0 = 2 on SM 0 (4 warps: rate 1/2), 4 on SM 1 (rate 1).
  const ReplayFile f = file("w0 4\nw0 sm 0 2\n" + kernel("k", 64, "constant 10"));
  const ReplayRun result = run(machine({"replay.rate=sm"}), f, {{"k", 4, 0}});
  // SM 0: TB 0 alone in 1, 2 (V = 2) and, with TB 2 started in 3, at rate 1 in 3 and 1/2 from 4: V(3) = 3, 10 in 17.
  // TB 2 from V(2) = 2: V(17) = 10, then alone at rate 1: 12 in 19.
  EXPECT_EQ(result.tbs[0].wire, 18U);
  EXPECT_EQ(result.tbs[2].wire, 20U);
  EXPECT_EQ(result.tbs[1].wire, 12U);  // placed in 1
  EXPECT_EQ(result.tbs[3].wire, 14U);  // placed in 3
}

TEST(ReplaySm, TableGivesEachKernelItsOwnSpeed) {
  // One SM; a starts in 1 alone (rate 1), b in 2; from 3 on a runs at 1/2 and b at 1/4.
  //   a: V(2) = 2, needs 10: 16 cycles at 1/2, ends in 18, wire 19.
  //   b: first cycle at rate 1: V(2) = 1 since its start; 16 cycles at 1/4: 5 at the end of 18; alone at rate 1: 10
  //   in 23.
  const ReplayFile f = file(kernel("a", 64, "constant 10") + kernel("b", 64, "constant 10") +
                            "rates b a\nrow 0 1 : - 1\nrow 1 1 : 0.25 0.5\nrow 1 0 : 1 -\n");
  const ReplayRun result = run(machine({"chip.sms=1", "replay.rate=table"}), f, {{"a", 1, 0}, {"b", 1, 0}});
  EXPECT_EQ(result.tbs[0].wire, 19U);
  EXPECT_EQ(result.tbs[1].wire, 24U);
}

TEST(ReplaySm, RateIsRoundedDownTo32Bits) {
  // 1/3 is not exact: after 3 cycles the clock is at 3 x floor(2^32 / 3) < 2^32, so S = 1 takes a fourth cycle.
  const ReplayFile f = file(kernel("k", 96, "constant 2"));  // 3 warps
  const ReplayRun result = run(machine({"replay.rate=gpu", "replay.w0=1"}), f, {{"k", 1, 0}});
  // Rate 1 in cycle 1, 1/3 from 2 on: 2 is reached in 5, not in 4.
  EXPECT_EQ(result.tbs[0].wire, 6U);
}

// --- Against the reference, sleeping or not, in any order ------------------------------------------------------------

struct Case {
  const char* name;
  std::vector<std::string> machine;
  std::string text;
  std::vector<ReplayLaunch> launches;
  unsigned stall;
};

std::vector<Case> cases() {
  const std::string kernels =
      kernel("a", 256, "normal 300 200") + kernel("b", 96, "exponential 150") + kernel("c", 1024, "uniform 0 900");
  std::string rates = "rates a b\n";
  for (unsigned a = 0; a <= 8; ++a) {
    for (unsigned b = 0; b <= 16; ++b) {
      if (a + b == 0) continue;
      const auto speed = [&](unsigned n) {
        return n == 0 ? std::string("-") : "0." + std::to_string(999 - 37 * a - 13 * b);
      };
      rates += "row " + std::to_string(a) + " " + std::to_string(b) + " : " + speed(a) + " " + speed(b) + "\n";
    }
  }
  const std::vector<ReplayLaunch> mixed = {
      {"a", 60, 0}, {"b", 90, 50}, {"c", 20, 60}, {"a", 30, 3000}, {"b", 40, 3001}};
  const std::string pulses =
      kernel("a", 256, "normal 300 200", "pulse lanes 3.7 misses 0.013 stall 0.3 outstanding 2\n") +
      kernel("b", 96, "exponential 150", "pulse lanes 0.9999 misses 0.5\n") + kernel("c", 1024, "uniform 0 900");
  return {
      {"none", {}, kernels, mixed, 0},
      {"gpu", {"replay.rate=gpu", "replay.w0=37", "chip.sms=5"}, kernels, mixed, 0},
      {"gpu_stalled", {"replay.rate=gpu", "replay.w0=61", "done_fifo=1", "chip.sms=3"}, kernels, mixed, 2},
      {"sm", {"replay.rate=sm", "replay.w0=20", "chip.sms=4"}, "w0 sm 2 7\n" + kernels, mixed, 3},
      {"table", {"replay.rate=table", "chip.sms=3"}, kernels + rates, mixed, 5},
      {"pulses", {"replay.rate=gpu", "replay.w0=37", "chip.sms=3"}, pulses, mixed, 0},
      {"pulses_table", {"replay.rate=table", "chip.sms=2", "done_fifo=1"}, pulses + rates, mixed, 2},
      {"one", {"replay.rate=gpu", "replay.w0=1", "chip.sms=1", "sm.tb_slots=1"}, kernels, mixed, 0},
  };
}

TEST(ReplaySm, EveryTbLeavesWhenTheReferenceSaysSo) {
  for (const Case& c : cases()) {
    const Machine m = machine(c.machine);
    const ReplayFile f = file(c.text);
    Options options;
    options.stall = c.stall;
    const ReplayRun result = run(m, f, c.launches, options);
    const std::vector<TbHistory> expected = Reference(m, f).replay(c.launches, result);
    ASSERT_EQ(result.tbs.size(), 240U) << c.name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(result.tbs[i].wire, expected[i].wire) << c.name << " TB " << i;
      ASSERT_EQ(result.tbs[i].context, expected[i].context) << c.name << " TB " << i;
    }
  }
}

TEST(ReplaySm, SleepingAndOrderOfTicksChangeNothing) {
  for (const Case& c : cases()) {
    const Machine m = machine(c.machine);
    const ReplayFile f = file(c.text);
    Options options;
    options.stall = c.stall;
    const ReplayRun asleep = run(m, f, c.launches, options);
    for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 3ULL}) {
      for (const bool every : {false, true}) {
        options.shuffle = seed;
        options.every_cycle = every;
        const ReplayRun other = run(m, f, c.launches, options);
        EXPECT_TRUE(asleep.tbs == other.tbs) << c.name << " seed " << seed << " every cycle " << every;
        EXPECT_EQ(asleep.statistics, other.statistics) << c.name << " seed " << seed << " every cycle " << every;
        EXPECT_EQ(asleep.cycles, other.cycles) << c.name;
        EXPECT_EQ(asleep.pulse, other.pulse) << c.name << " seed " << seed << " every cycle " << every;
      }
    }
  }
}

TEST(ReplaySm, NothingIsDoneBetweenEvents) {
  // At rate 1 an SM ticks twice per TB: start and retire (some fall into one cycle).
  const ReplayFile f = file(kernel("k", 64, "uniform 100000 200000"));
  const ReplayRun result = run(machine({}), f, {{"k", 100, 0}});
  EXPECT_LE(result.ticks, 200U);
  EXPECT_GT(result.cycles, 200000U);
}

// --- Pulses ---------------------------------------------------------------------------------------------------------

TEST(ReplaySm, PulsesAddUpToWhatTheTypeSays) {
  // One TB for 10000 cycles: 3.7 lanes, 0.0125 misses, 0.25 stalled, 2 outstanding per cycle.
  const ReplayFile f =
      file(kernel("k", 64, "constant 10000", "pulse lanes 3.7 misses 0.0125 stall 0.25 outstanding 2\n"));
  const ReplayRun result = run(machine({"chip.sms=1"}), f, {{"k", 1, 0}});
  // The governor reads cycle c in c + 1, and the run ends when the completion is drained: all 10000 cycles are read.
  EXPECT_NEAR(static_cast<double>(result.pulse[0][0]), 37000, 1);
  EXPECT_NEAR(static_cast<double>(result.pulse[0][1]), 125, 1);
  EXPECT_NEAR(static_cast<double>(result.pulse[0][2]), 2500, 1);
  EXPECT_EQ(result.pulse[0][3], 20000U);
}

TEST(ReplaySm, SlowTbsHaveWeakPulses) {
  // Two TBs of 2 warps on one SM with w0 = 2: rate 1/2 once both are there, so each does its 1000 cycles of work in
  // about 2000 cycles and issues its 8 lanes x 1000 all the same.
  const ReplayFile f = file(kernel("k", 64, "constant 1000", "pulse lanes 8\n"));
  const ReplayRun result = run(machine({"chip.sms=1", "replay.rate=sm", "replay.w0=2"}), f, {{"k", 2, 0}});
  EXPECT_NEAR(static_cast<double>(result.pulse[0][0]), 16000, 8);
  EXPECT_NEAR(static_cast<double>(result.tbs[0].wire), 2000, 3);
}

TEST(ReplaySm, ConstantPulseDoesNotKeepTheSmAwake) {
  const ReplayFile f = file(kernel("k", 64, "constant 100000", "pulse lanes 8 outstanding 3\n"));
  EXPECT_LE(run(machine({}), f, {{"k", 10, 0}}).ticks, 60U);
}

// --- Statistics, kills, faults ---------------------------------------------------------------------------------------

TEST(ReplaySm, StatisticsCountWarpCyclesOfEachTb) {
  const ReplayFile f = file(kernel("k", 96, "constant 50", "energy 7\n"));
  const Machine m = machine({"chip.sms=1"});
  ReplayBench bench(m, f, fresh());
  base::StatisticGroup group("other");
  VirtualClocks clocks(m, f);
  ReplaySm sm("statistics_sm", 0, m, f, clocks, group);
  const KernelContext& kernel = bench.add({"k", 1, 0});
  TbStartMessage message;
  message.visible = 10;
  message.kernel = &kernel;
  message.item = kernel.item();
  sm.start(message);
  EXPECT_EQ(sm.wake(), 10U);
  sm.tick(10);
  EXPECT_EQ(sm.wake(), 59U);
  EXPECT_EQ(sm.remaining(0, 20), VirtualTime{39} << 32U);
  sm.tick(59);
  EXPECT_EQ(sm.wake(), kForever);
  EXPECT_TRUE(sm.idle());
  sm.count_until(100);
  EXPECT_EQ(group.find("sm0.ticks")->integer(), 100U);
  EXPECT_EQ(group.find("sm0.busy")->integer(), 50U);
  EXPECT_EQ(group.find("sm0.occupancy_warps_sum")->integer(), 150U);
  EXPECT_EQ(group.find("sm0.tb_started")->integer(), 1U);
  EXPECT_EQ(group.find("sm0.tb_retired")->integer(), 1U);
  EXPECT_EQ(group.find("sm0.energy")->integer(), 7U);
}

TEST(ReplaySm, KilledKernelRetiresAtOnceAndOthersGoOn) {
  const ReplayFile f = file(kernel("a", 64, "constant 1000") + kernel("b", 64, "constant 1000"));
  const Machine m = machine({"chip.sms=1"});
  ReplayBench bench(m, f, fresh());
  ReplaySm& sm = *bench.sms()[0];
  const KernelContext& a = bench.add({"a", 3, 0});
  const KernelContext& b = bench.add({"b", 1, 0});
  const KernelContext* const order[] = {&a, &b, &a, &a};
  for (unsigned i = 0; i < 4; ++i) {
    TbStartMessage message;
    message.visible = i == 3 ? 20 : i + 1;  // the last TB is in flight when the kernel is killed in cycle 20
    message.kernel = order[i];
    message.item = order[i]->item();
    message.gid = i;
    sm.start(message);
  }
  sm.kill(a, 20);
  std::vector<std::pair<Cycle, std::uint64_t>> seen;
  for (Cycle now = 1; now < 1200; ++now) {
    if (sm.wake() <= now) sm.tick(now);
    while (const TbRetireMessage* message = sm.retired().head(now)) {
      seen.emplace_back(message->visible, message->gid);
      sm.retired().pop();
      sm.done_drained(now);
    }
  }
  const std::vector<std::pair<Cycle, std::uint64_t>> expected = {{21, 0}, {22, 2}, {23, 3}, {1002, 1}};
  EXPECT_EQ(seen, expected);
  EXPECT_TRUE(sm.idle());
}

// A launch record is reused: messages for its previous kernel must not affect the kernel that has it now.
TEST(ReplaySm, KillAndSaveHitTheKernelThatWasMeantAndNotTheNextOneInItsRecord) {
  const ReplayFile f = file(kernel("a", 64, "constant 100"));
  const Machine m = machine({"chip.sms=1"});
  for (const bool waits : {false, true}) {
    ReplayBench bench(m, f, fresh());
    ReplaySm& sm = *bench.sms()[0];
    KernelContext& a = bench.add({"a", 2, 0});
    const Ticket first = a.ticket;
    TbStartMessage message;
    message.visible = 1;
    message.kernel = &a;
    message.item = a;
    sm.start(message);
    message.visible = 30;
    message.gid = 1;
    sm.start(message);
    // The kill becomes visible before the second TB arrives, and stays while that TB is in flight. Like the save, it
    // may also become visible after the arrival.
    sm.kill(a, waits ? 20 : 40);
    sm.swap_out({50, &a, first, 0, 5});
    std::vector<std::pair<Cycle, std::uint64_t>> seen;
    for (Cycle now = 1; now < 300; ++now) {
      if (now == 29) a.ticket = first + 1;
      if (sm.wake() <= now) sm.tick(now);
      while (const TbRetireMessage* retired = sm.retired().head(now)) {
        seen.emplace_back(retired->visible, retired->gid);
        sm.retired().pop();
        sm.done_drained(now);
      }
    }
    const std::vector<std::pair<Cycle, std::uint64_t>> killed = {{21, 0}, {130, 1}};
    const std::vector<std::pair<Cycle, std::uint64_t>> none = {{101, 0}, {130, 1}};
    EXPECT_EQ(seen, waits ? killed : none);
    EXPECT_EQ(sm.saved().size(), 0U);
  }
}

TEST(ReplaySm, UnknownKernelIsAFaultAndItsTbsRetire) {
  const ReplayFile f = file(kernel("k", 64, "constant 10"));
  const Machine m = machine({"chip.sms=1"});
  ReplayBench bench(m, f, fresh());
  ReplaySm& sm = *bench.sms()[0];
  KernelContext& kernel = bench.add({"k", 8, 0});
  isa::Program other;
  other.kernel = "matmul";
  kernel.program = &other;
  TbStartMessage message;
  message.visible = 5;
  message.kernel = &kernel;
  message.item = kernel.item();
  message.gid = 3;
  sm.start(message);
  sm.tick(5);
  ASSERT_NE(sm.faults().head(6), nullptr);
  const Fault& fault = sm.faults().head(6)->fault;
  EXPECT_EQ(fault.message, "replay.txt: unknown kernel 'matmul'");
  EXPECT_EQ(fault.block.x, 3U);
  EXPECT_NE(sm.retired().head(6), nullptr);
}

TEST(ReplaySm, TbWithoutARecordedServiceIsAFault) {
  const ReplayFile f = file(kernel("k", 64, "table 1 2 3 4"));
  const Machine m = machine({"chip.sms=1"});
  ReplayBench bench(m, f, fresh());
  base::StatisticGroup group("other");
  VirtualClocks clocks(m, f);
  ReplaySm sm("table_sm", 0, m, f, clocks, group);
  TbStartMessage message;
  message.visible = 5;
  message.kernel = &bench.add({"k", 8, 0});
  message.item = message.kernel->item();
  message.gid = 4;
  sm.start(message);
  sm.tick(5);
  ASSERT_NE(sm.faults().head(6), nullptr);
  EXPECT_EQ(sm.faults().head(6)->fault.message, "replay.txt: no recorded service for thread block 4 of kernel 'k'");
}

TEST(ReplaySm, MissingRowOfTheTableIsAFaultThatNamesIt) {
  const ReplayFile f = file(kernel("a", 64, "constant 10") + "rates a\nrow 1 : 1\n");  // the table is in line 7
  const Machine m = machine({"chip.sms=1", "replay.rate=table"});
  ReplayBench bench(m, f, fresh());
  ReplaySm& sm = *bench.sms()[0];
  const KernelContext& kernel = bench.add({"a", 2, 0});
  for (unsigned i = 0; i < 2; ++i) {
    TbStartMessage message;
    message.visible = i + 1;
    message.kernel = &kernel;
    message.item = kernel.item();
    message.gid = i;
    sm.start(message);
  }
  sm.tick(1);
  EXPECT_EQ(sm.faults().size(), 0U);
  sm.tick(2);
  ASSERT_NE(sm.faults().head(3), nullptr);
  EXPECT_EQ(sm.faults().head(3)->fault.message, "replay.txt:7: the table of rates has no row 2 (TBs of a on SM 0)");
}

// Runs a TB of service time 100 whose start is visible in cycle 10. The SM's clock runs only in the cycles for which
// `enabled` is true.
std::pair<Cycle, std::uint64_t> gated(const std::string& rate, bool every_cycle,
                                      const std::function<bool(Cycle)>& enabled) {
  const ReplayFile f = file(kernel("a", 64, "constant 100"));
  const Machine m = machine({"chip.sms=1", "replay.rate=" + rate});
  ReplayBench bench(m, f, fresh());
  ReplaySm& sm = *bench.sms()[0];
  TbStartMessage message;
  message.visible = 10;
  message.kernel = &bench.add({"a", 1, 0});
  message.item = message.kernel->item();
  sm.start(message);
  Cycle wire = 0;
  std::uint64_t ticks = 0;
  for (Cycle now = 1; now < 2000 && wire == 0; ++now) {
    sm.set_clock_enable(enabled(now), now);
    ticks += enabled(now) ? 1U : 0U;
    if (every_cycle || sm.wake() <= now) sm.tick(now);
    if (sm.retired().head(now + 1) != nullptr) wire = now + 1;
  }
  return {wire, ticks};
}

TEST(ReplaySm, WithoutItsClockNothingIsServedAndNothingIsLost) {
  for (const char* rate : {"none", "gpu", "sm"}) {
    for (const bool every_cycle : {false, true}) {
      SCOPED_TRACE(std::string(rate) + (every_cycle ? ", ticked in every cycle" : ", asleep"));
      EXPECT_EQ(gated(rate, every_cycle, [](Cycle) { return true; }).first, 110U);
      // The clock is off from 20 to 49: everything is 30 cycles later.
      EXPECT_EQ(gated(rate, every_cycle, [](Cycle c) { return c < 20 || c >= 50; }).first, 140U);
      // The message waits for the clock.
      EXPECT_EQ(gated(rate, every_cycle, [](Cycle c) { return c < 5 || c >= 30; }).first, 130U);
      // Every seventh cycle: in 14, 21, ... 14 + 99 x 7.
      EXPECT_EQ(gated(rate, every_cycle, [](Cycle c) { return c % 7 == 0; }).first, 14U + 99 * 7 + 1);
    }
  }
}

TEST(ReplaySm, RatesByTableNeedATable) {
  const ReplayFile f = file(kernel("a", 64, "constant 10"));
  EXPECT_THROW(VirtualClocks(machine({"replay.rate=table"}), f), base::InputError);
}

}  // namespace
}  // namespace castor::gpu::gpu_replay_sm_test

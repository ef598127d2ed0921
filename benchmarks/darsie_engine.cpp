// Measures the host time of one cycle of the DARSIE engine (skip table and renamer) at its default parameters, with 8
// thread blocks of 8 warps. A cycle is two calls of settle and one of clock, as in a GPU model. The time includes the
// few stores by which the stimulus sets the inputs.

#include <benchmark/benchmark.h>

#include <array>

#include "castor/darsie/engine.h"

namespace {

using namespace castor::darsie;  // NOLINT(google-build-using-namespace): a program of its own

constexpr unsigned kTbs = 8, kWarps = 8;

[[nodiscard]] constexpr U64 warps_of(unsigned tb) { return U64{0xff} << kWarps * tb; }

/// A DARSIE engine with 8 thread blocks, which fill all 64 warp slots, and its inputs.
class Rig {
 public:
  Rig() {
    in.oc_idle = ~U64{0};
    for (unsigned t = 0; t < kTbs; ++t) {
      in.lnch_valid = in.lnch_en = in.lnch_promote = 1;
      in.lnch_tb = static_cast<U8>(t);
      in.lnch_warps = in.lnch_full = warps_of(t);
      in.lnch_base = static_cast<U16>(32 * t);
      in.lnch_rows = in.lnch_slots = 32;
      cycle();
    }
    in.lnch_valid = 0;
    cycle();
  }

  void cycle() {
    benchmark::DoNotOptimize(engine.settle(in));
    benchmark::DoNotOptimize(engine.settle(in));
    engine.clock(in);
  }

  void decode(unsigned warp, U64 pc, unsigned dst) {
    in.d_valid = 1;
    in.d_warp = static_cast<U8>(warp);
    in.d_pc = pc;
    in.d_mark[0] = 2;
    in.d_ndst[0] = 1;
    in.d_dst[0] = static_cast<U8>(dst);
  }
  void issue(unsigned warp, unsigned dst, unsigned tag) {
    in.i_valid = 1;
    in.i_lead = 1;
    in.i_warp[0] = static_cast<U8>(warp);
    in.i_dv[0] = 1;
    in.i_dst[0] = static_cast<U8>(dst);
    in.i_tag[0] = static_cast<U8>(tag);
  }
  void write_back(unsigned tb, unsigned tag) {
    in.wb_valid = 1;
    in.wb_tb[0] = static_cast<U8>(tb);
    in.wb_tag[0] = static_cast<U8>(tag);
  }
  void quiet_events() {
    in.d_valid = 0;
    in.i_valid = in.wb_valid = in.i_lead = 0;
    in.f_elig = 0;
  }
  /// The leader of every TB decodes, issues and writes back one instruction at `pc`, which writes register `dst`. The
  /// other seven warps of the TB can then skip the instruction.
  void lead(unsigned dst, U64 pc) {
    for (unsigned t = 0; t < kTbs; ++t) {
      decode(kWarps * t, pc, dst);
      const unsigned tag = engine.settle(in).d_tag[0];
      cycle();
      quiet_events();
      issue(kWarps * t, dst, tag);
      cycle();
      quiet_events();
      write_back(t, tag);
      cycle();
      quiet_events();
    }
  }

  Engine engine{Params{}};
  Inputs in;
};

void resting(benchmark::State& state) {
  Rig rig;
  for (auto _ : state) rig.cycle();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(resting);

/// Cycles without an event, while all warps but the leaders wait for a renaming row that is not written back.
void waiting(benchmark::State& state) {
  Rig rig;
  rig.in.f_elig = 0;
  for (unsigned t = 0; t < kTbs; ++t) {
    rig.decode(kWarps * t, 0, 0);
    rig.cycle();
    rig.quiet_events();
  }
  for (unsigned i = 0; i < 8; ++i) {
    rig.in.f_elig = ~U64{0x0101'0101'0101'0101};
    rig.cycle();
  }
  for (auto _ : state) rig.cycle();
  state.counters["waiting"] = static_cast<double>(__builtin_popcountll(rig.engine.state().lat));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(waiting);

/// Cycles in which warps of one thread block after the other are eligible and miss in the skip table. Two groups of
/// warps probe the table per cycle.
void missing(benchmark::State& state) {
  Rig rig;
  rig.lead(0, 0);
  unsigned turn = 0;
  for (auto _ : state) {
    rig.in.f_elig = U64{6} << 8 * (turn++ % kTbs);
    rig.in.f_pc[8 * (turn % kTbs)] = 8;
    for (unsigned w = 0; w < 2; ++w) rig.in.f_pc[kWarps * ((turn - 1) % kTbs) + 1 + w] = 0x800 + 8 * w;
    rig.cycle();
  }
  state.counters["probes per cycle"] =
      benchmark::Counter(static_cast<double>(rig.engine.counters().probes), benchmark::Counter::kAvgIterations);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(missing);

/// Measures settle alone, in a cycle in which two groups of seven warps skip an instruction.
void settling_two_groups(benchmark::State& state) {
  Rig rig;
  rig.lead(0, 0);
  rig.in.f_elig = ~U64{0x0101'0101'0101'0101};
  for (auto _ : state) benchmark::DoNotOptimize(rig.engine.settle(rig.in));
  state.counters["skips"] = static_cast<double>(__builtin_popcountll(rig.engine.settle(rig.in).f_skip));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(settling_two_groups);

/// The leader of each thread block executes one instruction after the other, and the other seven warps skip it. The
/// blocks take turns: each cycle has one decode, one issue with two operands, one write-back and one skipping group.
void leading_and_skipping(benchmark::State& state) {
  Rig rig;
  std::array<unsigned, 4 * kTbs> tags{};
  unsigned n = 0;
  for (auto _ : state) {
    const unsigned decoded = n % kTbs, issued = (n + kTbs - 1) % kTbs, written = (n + kTbs - 2) % kTbs,
                   skipped = (n + kTbs - 3) % kTbs;
    const auto turn = [](unsigned cycle) { return cycle / kTbs; };
    rig.quiet_events();
    rig.decode(kWarps * decoded, 8 * turn(n), turn(n) % 8);
    if (n >= 1) {
      rig.issue(kWarps * issued, turn(n - 1) % 8, tags[issued]);
      rig.in.i_sv[0] = 3;
      rig.in.i_src[0] = 1;
      rig.in.i_src[1] = 2;
    }
    if (n >= 2) rig.write_back(written, tags[written]);
    if (n >= 3) {
      rig.in.f_elig = warps_of(skipped) & ~(U64{1} << kWarps * skipped);
      for (unsigned w = 1; w < kWarps; ++w) rig.in.f_pc[kWarps * skipped + w] = 8 * turn(n - 3);
    }
    tags[decoded] = rig.engine.settle(rig.in).d_tag[0];
    rig.cycle();
    ++n;
  }
  const Counters& c = rig.engine.counters();
  using benchmark::Counter;
  state.counters["leads per cycle"] = Counter(static_cast<double>(c.leads), Counter::kAvgIterations);
  state.counters["skips per cycle"] = Counter(static_cast<double>(c.skips_hit), Counter::kAvgIterations);
  state.counters["errors"] = static_cast<double>(rig.engine.state().err);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(leading_and_skipping);

/// Warps of all blocks arrive one by one at branches. Every eight cycles all warps of one block have arrived, which
/// completes a meeting.
void meetings(benchmark::State& state) {
  Rig rig;
  unsigned n = 0;
  for (auto _ : state) {
    const unsigned warp = (n * kWarps + n / kTbs) % 64;
    rig.in.br = U64{1} << warp;
    rig.cycle();
    ++n;
  }
  state.counters["meetings per cycle"] =
      benchmark::Counter(static_cast<double>(rig.engine.counters().meetings), benchmark::Counter::kAvgIterations);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(meetings);

/// Measures probes(), which a lockstep bench reads in every cycle.
void probes(benchmark::State& state) {
  Rig rig;
  rig.lead(0, 0);
  for (auto _ : state) benchmark::DoNotOptimize(rig.engine.probes());
}
BENCHMARK(probes);

}  // namespace

BENCHMARK_MAIN();

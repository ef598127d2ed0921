#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/sm/filter_unit.h"
#include "unit/gpu_sm_core_support.h"

// The parts of an SM up to its fetch filter, and a filter made by hand.
namespace castor::gpu::filter_unit_test {

using namespace test;

/// Says what the test sets, and remembers what it is told.
struct Filter final : FetchFilter {
  explicit Filter(Study* one) : study(one) {}
  void attach(const HookSite& site) override { site.terms->study = study; }
  void reset() override {}
  Cycle quiet() const override { return 0; }
  void idle(Cycle /*n*/) override {}
  const FetchOut& settle(const FetchIn& in) override {
    in_settle = in;
    issued.assign(in.issued.begin(), in.issued.end());
    if (answer && in.pc != nullptr) answer(in, out);
    return out;
  }
  void clock(const FetchIn& in) override {
    in_clock = in;
    written.insert(written.end(), in.written.begin(), in.written.end());
  }

  FetchOut out;
  Study* const study;
  std::function<void(const FetchIn&, FetchOut&)> answer;
  FetchIn in_settle, in_clock;
  std::vector<IssueSlot> issued;
  std::vector<RowEvent> written;
};

struct Bench : Core {
  explicit Bench(Code code, unsigned threads = 64, unsigned fit = 2, Study* study = nullptr,
                 const std::vector<std::string>& more = {})
      : Core(marked(std::move(code)), threads, keys(more)), filter(study), unit(plugged(parts, filter)) {
    kernel.context.fit = fit;
    event.warps = tbs[0].warps;
    unit.begin(tbs[0], 0, event);
    for (auto& of_one : picks) of_one.fill(-1);
  }
  static std::vector<std::string> keys(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"icache.ideal=1",    "fetch.warps=1",        "fetch.insns=2",
                                    "ibuffer.entries=2", "ibuffer.refill=empty", "issue.per_warp=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static SmParts plugged(SmParts parts, Filter& filter) {
    parts.hooks.fetch_filter = &filter;
    return parts;
  }
  static Code marked(Code code) {
    code.program.marks.assign(code.program.code.size(), 2);
    code.program.renamed_registers = 8;
    return code;
  }
  /// One tick; `pick`: warp that issues, if its head is clear.
  void tick(int pick = -1) {
    barriers.begin_tick();
    const WarpMask eligible = fetch.eligible();
    clock.begin(clock.now() + 1);
    unit.settle_early(eligible);
    pipelines.free_collectors(wheel.take(clock.tick(), [this](const SmEvent& one) {
      if (one.kind == SmEvent::Kind::kRowWritten || one.kind == SmEvent::Kind::kRowReady) {
        unit.take(one);
      } else {
        act(one);
      }
    }));
    fetch.take_lines();
    const auto w = static_cast<unsigned>(pick);
    const bool issues = pick >= 0 && (buffer.valid() & board.clear() & warp_bit(w)) != 0;
    if (issues) picks[w % machine.schedulers][0] = static_cast<std::int8_t>(w);
    unit.settle(picks);
    if (issues) {
      picks[w % machine.schedulers][0] = -1;
      const isa::Record& record = warps[w].records[warps[w].pc];
      EXPECT_TRUE(unit.issue(w % machine.schedulers, w, record, warps[w].decoded[warps[w].pc], warps[w].active));
    }
    if (fetch.due() != 0) fetch.decode(unit.decode(fetch.take_due()));
    fetch.fetch(eligible & warps.live() & ~unit.held());
    if (barriers.any()) {
      barriers.meet();
      for (const Barriers::Completed& one : barriers.completed()) unit.barrier_met(one.context, one.barrier);
    }
    unit.clock();
  }
  /// Ticks until warp `w` has an instruction that is clear.
  void until_ready(unsigned w) {
    for (unsigned i = 0; i < 100 && (buffer.valid() & board.clear() & warp_bit(w)) == 0; ++i) tick();
    ASSERT_NE(buffer.valid() & board.clear() & warp_bit(w), 0U);
  }

  Filter filter;
  FilterUnit unit;
  TbStartEvent event;
  Picks picks;
};

inline Code sums() { return Code().add(3, 1, 2).add(4, 3, 3).add(5, 1, 1).add(6, 1, 1).exit(); }

}  // namespace castor::gpu::filter_unit_test

#pragma once

#include "castor/gpu/sm/control_unit.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/issue_stage.h"
#include "castor/gpu/sm/runtime_unit.h"
#include "unit/gpu_lsu_support.h"
#include "unit/gpu_sm_parts_support.h"

// Shared code of the tests of parts that execute instructions: the parts below them, wired as in an SM, without the SM.
namespace castor::gpu::test {

struct Core {
  Core(Code code, unsigned threads, const std::vector<std::string>& overrides = {})
      : Core(part_machine(overrides), std::move(code), threads) {}
  Core(Machine what, Code code, unsigned threads)
      : machine(std::move(what)),
        warps(machine, 0),
        pipelines(machine, wheel, counters),
        board(machine, pipelines, wheel),
        buffer(machine, warps, board),
        watch(machine.sm.warps),
        tbs(machine, 0, counters, nullptr),
        faults(0, clock, warps, tbs, blocked, watch, outbox),
        barriers(machine, clock, warps, tbs, blocked, faults, counters, waits),
        rig(machine),
        fetch(machine, warps, buffer, rig.lsu, wheel, counters),
        issue(machine, warps, buffer, board, blocked, pipelines, rig.lsu, true),
        parts{machine,   0,     {},     group,     counters, outbox, inbox,    page_grants,
              hand_over, clock, wheel,  pipelines, blocked,  warps,  board,    buffer,
              watch,     tbs,   faults, rig.lsu,   fetch,    issue,  barriers, executor},
        calls(parts),
        runtime(parts),
        executor(parts, calls, runtime),
        control(executor.control()),
        kernel(machine, std::move(code), threads) {
    start();
  }

  unsigned start(std::uint64_t gid = 0) {
    TbStartMessage message;
    message.kernel = &kernel.context;
    message.item = kernel.context.item();
    message.gid = gid;
    const unsigned context = tbs.start(message, warps.used(), clock.now(), clock.tick());
    const TbState& tb = tbs[context];
    for (unsigned i = 0; i < tb.warp_count; ++i) {
      const unsigned slot = tb.slots[i];
      warps.start(slot, {tb.kernel, tb.program, tb.item, tb.index, context, i});
      buffer.start(slot);
      board.start(slot);
      fetch.start(slot);
    }
    warps.admit(tb.warps, false);
    return context;
  }
  /// Begins tick `tick` (cycle and tick are equal here). Applies the events of the wheel up to that tick.
  void go_to(Tick tick) {
    barriers.begin_tick();
    while (clock.tick() < tick) {
      clock.begin(clock.now() + 1);
      pipelines.free_collectors(wheel.take(clock.tick(), [this](const SmEvent& event) { act(event); }));
    }
  }
  void act(const SmEvent& event) {
    switch (event.kind) {
      case SmEvent::Kind::kWritten:
        board.written(event.warp, event, clock.tick(), buffer.head(event.warp));
        break;
      case SmEvent::Kind::kUnblock:
        blocked.released(event.payload);
        break;
      case SmEvent::Kind::kTimer:
        if (warps[event.warp].wakes == clock.tick()) blocked.wake(event.warp);
        break;
      case SmEvent::Kind::kFetchable:
        fetch.resume(event.payload);
        break;
      default:
        ADD_FAILURE() << "an event that the test does not know";
    }
  }
  /// Fills the instruction buffer of a warp from its PC on.
  void fill(unsigned w, unsigned count = 2) { buffer.fill(w, count, false); }
  /// Executes the oldest buffered instruction of a warp for all its active lanes.
  void execute(unsigned w) {
    const WarpState& warp = warps[w];
    const isa::Record& record = warp.records[warp.pc];
    executor.execute(w % machine.schedulers, w, record, warp.decoded[warp.pc],
                     isa::guarded(record, warp.predicates, warp.active));
  }

  Machine machine;
  SmClock clock;
  WarpTable warps;
  EventWheel wheel;
  SmCounters counters;
  Pipelines pipelines;
  Scoreboard board;
  InstructionBuffer buffer;
  BlockedWarps blocked{wheel};
  SpinWatch watch;
  ThreadBlocks tbs;
  SmOutbox outbox;
  Mailbox<TbStartMessage> inbox;
  Mailbox<PageGrantMessage> page_grants;
  FaultPort faults;
  base::StatisticGroup group{"sm"};
  base::Histogram waits{group, {"waits", "cycles", "waits"}, 20};
  Barriers barriers;
  LsuRig rig;
  FetchStage fetch;
  IssueStage issue;
  HandOver hand_over;
  SmParts parts;
  DeviceCalls calls;
  RuntimeUnit runtime;
  Executor executor;
  ControlUnit& control;
  PartKernel kernel;
};

}  // namespace castor::gpu::test

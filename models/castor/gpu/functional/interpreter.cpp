#include "castor/gpu/functional/interpreter.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/execution/control.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/functional/sync_step.h"
#include "castor/gpu/launch/runtime_call.h"

namespace castor::gpu::functional {
namespace {

using isa::Kind;
using isa::LaneMask;
using isa::Record;

/// Returns whether a loop with this record may end although memory does not change.
bool ends_watch(const Record& record) {
  return record.kind == Kind::kSleep || record.kind == Kind::kSystemCall || record.kind == Kind::kRuntimeCall ||
         record.kind == Kind::kSync || (record.kind == Kind::kLane && isa::may_read_clock(record));
}

Fault stop(const ThreadBlock& block, const Warp& warp, std::uint32_t pc, const ExecutionFault& fault) {
  return make_fault(block.launch(), block.index(), warp.context, pc, fault);
}

}  // namespace

std::optional<Fault> Interpreter::run(ThreadBlock& block, Warp& warp, std::uint64_t budget, std::uint64_t global_timer,
                                      Counters& counters) {
  return block.observed() ? turn<true>(block, warp, budget, global_timer, counters)
                          : turn<false>(block, warp, budget, global_timer, counters);
}

void Interpreter::note_access(SpinWatch& watch, unsigned index, std::uint32_t pc) const {
  if (seen_.changed) watch.disturb();
  for (const SeenAccess::Read& read : seen_.reads) watch.reads(index, {read.address, pc, read.shared});
}

template <bool observed>
std::optional<Fault> Interpreter::turn(ThreadBlock& block, Warp& warp, std::uint64_t budget, std::uint64_t global_timer,
                                       Counters& counters) {
  const isa::Program& program = *block.launch().program;
  const Record* const code = program.code.data();
  const auto size = static_cast<std::uint32_t>(program.code.size());
  const isa::RegisterView view = block.view(warp);
  const Windows windows = block.windows(warp);
  isa::SimtStack& stack = warp.stack;
  isa::WarpContext& context = warp.context;

  isa::LaneArgs args;
  args.predicates = warp.predicates;
  args.halves = view.lanes / 32;
  args.context = &context;
  context.global_timer = global_timer;

  std::uint32_t pc = 0;
  std::uint32_t meeting = 0;
  LaneMask active = 0;
  // The stack is valid between turns and at control transfers. In straight-line code only `pc` is updated.
  const auto reload = [&] {
    const auto& top = stack.entries().back();
    pc = top.pc;
    meeting = top.reconvergence;
    active = top.mask;
    context.active = active;
    context.live = stack.live();
  };
  const auto step = [&] {
    if (++pc == meeting) {
      stack.jump(pc);
      reload();
    }
  };
  const std::uint64_t clock_start = counters.warp_instructions;
  std::uint64_t executed = 0;
  std::uint64_t threads = 0;
  const LaneMask all = view.lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << view.lanes) - 1;
  const auto leave = [&] {
    counters.warp_instructions += executed;
    counters.thread_instructions += threads;
  };

  const auto index = static_cast<unsigned>(&warp - block.warps().data());
  SpinWatch* const watch = observed ? block.spin_watch() : nullptr;
  // Calls the observers after a record that writes registers. Returns a fault if the record's mark is wrong.
  const auto wrong_mark = [&](LaneMask mask) -> std::optional<Fault> {
    if constexpr (observed) {
      if (block.study() != nullptr) block.study()->after(index, pc, view);
      if (block.hook() != nullptr) block.hook()->after(index, pc, view);
      if (block.marks() == nullptr) return std::nullopt;
      if (auto wrong = block.marks()->after(index, pc, view, mask))
        return stop(block, warp, pc, {FaultKind::kWrongMark, 0, std::move(*wrong), 0});
    }
    return std::nullopt;
  };

  reload();
  while (executed < budget) {
    CASTOR_ASSERT(pc < size, "PC %u is behind the last of %u records of %s", pc, size, program.kernel.c_str());
    const Record& record = code[pc];
    const LaneMask mask = isa::guarded(record, warp.predicates, active);
    context.clock = clock_start + executed;
    ++executed;
    threads += mask == all ? view.lanes : static_cast<unsigned>(__builtin_popcountll(mask));
    if constexpr (observed) {
      if (block.study() != nullptr) block.study()->before(index, pc, view, mask);
      if (block.hook() != nullptr) block.hook()->before(index, pc, view, mask);
      if (block.marks() != nullptr) block.marks()->before(index, pc, stack, view, mask, active);
      if (watch != nullptr && ends_watch(record)) watch->disturb();
    }
    [[maybe_unused]] const std::uint32_t from = pc;
    switch (record.kind) {
      case Kind::kLane:
        if (mask != 0) {
          args.dst = view.dst(record.dst);
          args.src[0] = view.src(record.src[0]);
          args.src[1] = view.src(record.src[1]);
          args.src[2] = view.src(record.src[2]);
          args.src[3] = view.src(record.src[3]);
          args.mask = mask;
          record.handler(record, args);
          if (args.fault != isa::LaneFault::kNone) {
            leave();
            return stop(block, warp, pc, {FaultKind::kIllegalInstruction, first_lane(mask), text_of(args.fault), 0});
          }
        }
        if (auto fault = wrong_mark(mask)) {
          leave();
          return fault;
        }
        step();
        break;
      case Kind::kMemory: {
        auto refused = memory_.execute(record, view, mask, windows, watch != nullptr ? &seen_ : nullptr);
        if (refused) {
          leave();
          return stop(block, warp, pc, {refused->kind, refused->lane, refused->what, refused->address});
        }
        if (auto fault = wrong_mark(mask)) {
          leave();
          return fault;
        }
        if constexpr (observed) {
          if (watch != nullptr) note_access(*watch, index, pc);
        }
        step();
        break;
      }
      case Kind::kBranch:
        if (mask == active) {
          stack.jump(record.branch.target);
          reload();
        } else if (mask == 0) {
          step();
        } else {
          stack.jump(pc);
          stack.branch(record.branch, mask);
          reload();
        }
        break;
      case Kind::kBranchIndirect:
      case Kind::kCall:
      case Kind::kCallIndirect: {
        if (mask == 0) {
          step();
          break;
        }
        stack.jump(pc);
        const auto wrong = record.kind == Kind::kBranchIndirect ? branch_indirect(program, record, view, mask, stack)
                                                                : call(program, record, view, mask, stack);
        if (wrong) {
          leave();
          return stop(block, warp, pc, *wrong);
        }
        reload();
        break;
      }
      case Kind::kReturn:
      case Kind::kExit:
        if (mask == 0) {
          step();
          break;
        }
        stack.jump(pc);
        record.kind == Kind::kReturn ? stack.ret(mask) : stack.exit(mask);
        if (stack.done()) {
          leave();
          block.retire(warp);
          return std::nullopt;
        }
        reload();
        break;
      case Kind::kBarrier:
      case Kind::kSync:
        if (mask == 0) {
          step();
          break;
        }
        if (const auto wrong = record.kind == Kind::kBarrier ? barrier(block, warp, record, mask)
                                                             : synchronise(block, warp, pc, mask)) {
          leave();
          return stop(block, warp, pc, *wrong);
        }
        step();
        if (warp.state != WarpState::kReady) {
          stack.jump(pc);
          leave();
          return std::nullopt;
        }
        break;
      case Kind::kTrap:
        if (mask != 0) {
          leave();
          return stop(block, warp, pc, {FaultKind::kTrap, first_lane(mask), "trap instruction", 0});
        }
        step();
        break;
      case Kind::kSystemCall:
        if (mask != 0) {
          const ReadBytes read = [&](std::uint64_t generic, void* to, std::size_t bytes, unsigned lane) {
            return memory_.read(generic, to, bytes, lane, block.lanes(), windows);
          };
          if (const auto wrong = system_call(record, view, mask, context, block.index(), read, services_)) {
            leave();
            return stop(block, warp, pc, *wrong);
          }
        }
        step();
        break;
      case Kind::kRuntimeCall:
        if (mask != 0) {
          CASTOR_ASSERT(launcher_ != nullptr, "%s calls the device runtime", program.kernel.c_str());
          if (warp.runtime == nullptr) warp.runtime = std::make_unique<RuntimeState>();
          runtime_call(record, view, mask, block.caller(), *warp.runtime, launcher_);
          if (awaits_children(record, block.caller(), *launcher_)) warp.state = WarpState::kAwaitsChildren;
        }
        step();
        if (warp.state == WarpState::kAwaitsChildren) {
          stack.jump(pc);
          leave();
          return std::nullopt;
        }
        break;
      case Kind::kFence:
      case Kind::kBreakpoint:
      case Kind::kSleep:
      case Kind::kPrefetch:
      case Kind::kNop:
        step();
        break;
    }
    if constexpr (observed) {
      if (watch != nullptr && pc <= from && watch->is_open())
        watch->look(index, {&stack, warp.predicates, warp.registers, std::size_t{program.registers} * view.lanes * 4});
    }
  }
  stack.jump(pc);
  leave();
  return std::nullopt;
}

std::optional<ExecutionFault> Interpreter::barrier(ThreadBlock& block, Warp& warp, const Record& record,
                                                   LaneMask mask) {
  const isa::RegisterView view = block.view(warp);
  const LaneMask live = warp.stack.live();
  if (record.barrier.kind == isa::BarrierKind::kWarp) return check_warp_barrier(record, view, mask, live);
  using Error = isa::BarrierUnit::Error;
  const auto arrival = barrier_arrival(record, view, mask, static_cast<unsigned>(&warp - block.warps().data()));
  if (mask != live) return barrier_fault(Error::kDivergent, arrival, live);
  if (block.marks() != nullptr) {
    const std::size_t threads = block.warps().size() * block.lanes();
    const bool whole = arrival.kind != isa::BarrierKind::kArrive && arrival.barrier < isa::BarrierUnit::kBarriers &&
                       (arrival.threads ? *arrival.threads == threads : arrival.barrier == 0);
    block.marks()->arrive(arrival.warp, arrival.barrier, whole);
  }
  if (arrival.kind != isa::BarrierKind::kArrive) {
    warp.state = WarpState::kAtBarrier;
    warp.barrier = barrier_wait(record, arrival);
  }
  std::vector<isa::BarrierUnit::Release> released;
  const Error error = block.barriers().arrive(arrival, released);
  if (error != Error::kNone) return barrier_fault(error, arrival, live);
  block.release(released);
  return std::nullopt;
}

std::optional<ExecutionFault> Interpreter::synchronise(ThreadBlock& block, Warp& warp, std::uint32_t pc,
                                                       LaneMask mask) const {
  const Record& record = block.launch().program->code[pc];
  const auto op = static_cast<isa::SyncOp>(record.imm);
  const isa::RegisterView view = block.view(warp);
  if (op == isa::SyncOp::kReadOnly || op == isa::SyncOp::kWritable) {
    if (check_live_) note_read_only(record, view, mask, block.read_only());
    return std::nullopt;
  }
  SyncWait wait{op, 0, 0, pc};
  if (auto wrong = read_sync(record, view, mask, warp.stack.live(), wait)) return wrong;
  if (op == isa::SyncOp::kSignal) {
    CASTOR_ASSERT(block.sync() != nullptr, "%s signals events", block.launch().program->kernel.c_str());
    std::string wrong = block.sync()->signal(wait.event, wait.target);
    if (wrong.empty()) return std::nullopt;
    return ExecutionFault{FaultKind::kBarrier, first_lane(mask), std::move(wrong), 0};
  }
  warp.sync = wait;
  warp.state = WarpState::kSynchronises;
  if (check_live_) lose_values(*block.launch().program, pc, warp, block.lanes());
  return std::nullopt;
}

void Interpreter::restore(ThreadBlock& block) {
  const Windows windows = block.windows(block.warps().front());
  for (const ReadOnlyRange& range : block.read_only()) {
    if (range.shared >= windows.shared_bytes) continue;
    const std::uint32_t bytes = std::min(range.bytes, windows.shared_bytes - range.shared);
    std::memset(windows.shared + range.shared, kLostByte, bytes);
    // Where a promise names memory that cannot be read, the bytes stay lost.
    static_cast<void>(memory_.read(range.global, windows.shared + range.shared, bytes, 0, block.lanes(), windows));
  }
}

}  // namespace castor::gpu::functional

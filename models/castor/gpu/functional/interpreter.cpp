#include "castor/gpu/functional/interpreter.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "castor/base/error.h"
#include "castor/gpu/device_printf.h"

namespace castor::gpu::functional {
namespace {

using isa::Kind;
using isa::LaneMask;
using isa::Record;

unsigned first_lane(LaneMask mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

template <class T>
T lane_value(const isa::RegisterView& view, isa::OperandIndex index, unsigned lane) {
  T value;
  std::memcpy(&value, view.src(index) + lane * sizeof(T), sizeof value);
  return value;
}
template <class T>
void set_lane(const isa::RegisterView& view, isa::OperandIndex index, unsigned lane, T value) {
  if (index != isa::kNoOperand) std::memcpy(view.dst(index) + lane * sizeof(T), &value, sizeof value);
}

std::string index_text(const Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

// Function of a program that holds a record.
std::size_t function_of(const isa::Program& program, std::uint32_t pc) {
  const auto behind = std::upper_bound(
      program.functions.begin(), program.functions.end(), pc,
      [](std::uint32_t value, const isa::ProgramFunction& function) { return value < function.first; });
  return static_cast<std::size_t>(behind - program.functions.begin()) - 1;
}

// Lanes of `lanes` that are already inside the function that starts at `target`.
LaneMask recursing(const isa::Program& program, const isa::SimtStack& stack, std::uint32_t target, LaneMask lanes) {
  const std::size_t callee = function_of(program, target);
  LaneMask result = 0;
  for (const auto& entry : stack.entries()) {
    // An entry that waits for returns only (kNoPc) stands in no function.
    if (entry.pc != isa::kNoPc && (entry.mask & lanes) != 0 && function_of(program, entry.pc) == callee)
      result |= entry.mask & lanes;
  }
  return result;
}

const char* text_of(isa::LaneFault fault) {
  return fault == isa::LaneFault::kSyncMaskSelf
             ? "an executing lane is missing from its own member mask"
             : "the member mask names a lane that has not exited but does not take part; lanes that went another way "
               "meet only behind the divergent code";
}

}  // namespace

Fault Interpreter::fault(FaultKind kind, const ThreadBlock& block, const Warp& warp, std::uint32_t pc, unsigned lane,
                         const std::string& what) const {
  const isa::Program& program = *block.launch().program;
  Fault result;
  result.kind = kind;
  result.kernel = program.kernel;
  result.block = block.index();
  result.thread = block.thread(warp, lane);
  result.line = pc < program.lines.size() ? program.lines[pc].line : 0;
  result.message = what + "\n  in " + program.describe(pc) + ", block " + index_text(result.block) + ", thread " +
                   index_text(result.thread);
  if (pc < program.spellings.size()) result.message += "\n  instruction: " + program.spellings[pc];
  return result;
}

std::optional<Fault> Interpreter::run(ThreadBlock& block, Warp& warp, std::uint64_t budget, std::uint64_t global_timer,
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
  // The stack holds the truth between turns and at control transfers; inside straight code only `pc` moves.
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

  reload();
  while (executed < budget) {
    CASTOR_ASSERT(pc < size, "PC %u is behind the last of %u records of %s", pc, size, program.kernel.c_str());
    const Record& record = code[pc];
    const LaneMask mask = isa::guarded(record, warp.predicates, active);
    context.clock = clock_start + executed;
    ++executed;
    threads += mask == all ? view.lanes : static_cast<unsigned>(__builtin_popcountll(mask));
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
            return fault(FaultKind::kIllegalInstruction, block, warp, pc, first_lane(mask), text_of(args.fault));
          }
        }
        step();
        break;
      case Kind::kMemory: {
        auto refused = memory_.execute(record, view, mask, windows);
        if (refused) {
          leave();
          Fault result = fault(refused->kind, block, warp, pc, refused->lane, refused->what);
          result.address = refused->address;
          return result;
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
      case Kind::kBranchIndirect: {
        std::uint32_t targets[isa::kMaxLanes] = {};
        const auto& table = program.branch_tables[record.imm];
        for (LaneMask left = mask; left != 0; left &= left - 1) {
          const unsigned lane = first_lane(left);
          const auto index = lane_value<std::uint32_t>(view, record.src[0], lane);
          if (index >= table.size()) {
            leave();
            return fault(FaultKind::kIllegalInstruction, block, warp, pc, lane,
                         "index " + std::to_string(index) + " into a branch table of " + std::to_string(table.size()) +
                             " labels");
          }
          targets[lane] = table[index];
        }
        if (mask == 0) {
          step();
        } else {
          stack.jump(pc);
          stack.branch_indirect(targets, mask, record.branch.reconvergence);
          reload();
        }
        break;
      }
      case Kind::kCall:
      case Kind::kCallIndirect:
        if (mask == 0) {
          step();
          break;
        }
        stack.jump(pc);
        if (auto stopped = call(block, warp, record, pc, mask)) {
          leave();
          return stopped;
        }
        reload();
        break;
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
        if (mask == 0) {
          step();
          break;
        }
        if (auto stopped = barrier(block, warp, record, pc, mask)) {
          leave();
          return stopped;
        }
        step();
        if (warp.state == WarpState::kAtBarrier) {
          stack.jump(pc);
          leave();
          return std::nullopt;
        }
        break;
      case Kind::kTrap:
        if (mask != 0) {
          leave();
          return fault(FaultKind::kTrap, block, warp, pc, first_lane(mask), "trap instruction");
        }
        step();
        break;
      case Kind::kSystemCall:
        if (mask != 0) {
          if (auto stopped = system_call(block, warp, record, pc, mask)) {
            leave();
            return stopped;
          }
        }
        step();
        break;
      case Kind::kFence:
      case Kind::kBreakpoint:
      case Kind::kSleep:
      case Kind::kPrefetch:
      case Kind::kNop:
        step();
        break;
    }
  }
  stack.jump(pc);
  leave();
  return std::nullopt;
}

std::optional<Fault> Interpreter::call(ThreadBlock& block, Warp& warp, const Record& record, std::uint32_t pc,
                                       LaneMask mask) {
  const isa::Program& program = *block.launch().program;
  const isa::RegisterView view = block.view(warp);
  std::uint32_t targets[isa::kMaxLanes] = {};
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (record.kind == Kind::kCall) {
      targets[lane] = record.branch.target;
      continue;
    }
    const auto value = lane_value<std::uint64_t>(view, record.src[0], lane);
    const auto found = program.functions_by_value.find(value);
    if (found == program.functions_by_value.end()) {
      char text[120];
      std::snprintf(text, sizeof text, "indirect call to 0x%" PRIx64 ", which is no function of a fitting prototype",
                    value);
      return fault(FaultKind::kIllegalInstruction, block, warp, pc, lane, text);
    }
    targets[lane] = found->second;
  }
  for (LaneMask left = mask; left != 0;) {
    const std::uint32_t target = targets[first_lane(left)];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      if (targets[first_lane(rest)] == target) same |= rest & -rest;
    }
    if (const LaneMask again = recursing(program, warp.stack, target, same); again != 0) {
      return fault(FaultKind::kStackOverflow, block, warp, pc, first_lane(again),
                   "recursion: " + program.functions[function_of(program, target)].name +
                       " is called while it is running; registers and local memory have one frame per function");
    }
    left &= ~same;
  }
  if (record.kind == Kind::kCall) {
    warp.stack.call(record.branch.target, mask);
  } else {
    warp.stack.call_indirect(targets, mask);
  }
  return std::nullopt;
}

std::optional<Fault> Interpreter::barrier(ThreadBlock& block, Warp& warp, const Record& record, std::uint32_t pc,
                                          LaneMask mask) {
  const isa::RegisterView view = block.view(warp);
  const unsigned lane = first_lane(mask);
  if (record.barrier.kind == isa::BarrierKind::kWarp) {
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const unsigned l = first_lane(left);
      const unsigned half = l / 32;
      const auto members = lane_value<std::uint32_t>(view, record.src[0], l);
      const auto here = static_cast<std::uint32_t>(mask >> (32 * half));
      const auto live = static_cast<std::uint32_t>(warp.context.live >> (32 * half));
      isa::LaneFault wrong = isa::LaneFault::kNone;
      if ((members >> (l % 32) & 1) == 0) wrong = isa::LaneFault::kSyncMaskSelf;
      if ((members & live & ~here) != 0) wrong = isa::LaneFault::kSyncMaskInactive;
      if (wrong != isa::LaneFault::kNone) {
        return fault(FaultKind::kIllegalInstruction, block, warp, pc, l, text_of(wrong));
      }
    }
    return std::nullopt;
  }
  isa::BarrierUnit::Arrival arrival;
  arrival.warp = static_cast<unsigned>(&warp - block.warps().data());
  arrival.kind = record.barrier.kind;
  arrival.lanes = mask;
  if (record.src[0] != isa::kNoOperand) arrival.barrier = lane_value<std::uint32_t>(view, record.src[0], lane);
  if (record.src[1] != isa::kNoOperand) arrival.threads = lane_value<std::uint32_t>(view, record.src[1], lane);
  if (record.barrier.kind >= isa::BarrierKind::kRedPopc && record.barrier.kind <= isa::BarrierKind::kRedOr) {
    arrival.votes = isa::predicate_source(record, warp.predicates, 0) & mask;
  }
  using Error = isa::BarrierUnit::Error;
  std::vector<isa::BarrierUnit::Release> released;
  Error error = Error::kNone;
  if (mask != warp.stack.live()) {
    error = Error::kDivergent;
  } else {
    if (arrival.kind != isa::BarrierKind::kArrive) {
      warp.state = WarpState::kAtBarrier;
      warp.barrier = arrival.barrier;
      warp.barrier_lanes = mask;
      warp.barrier_dst = record.dst;
      warp.barrier_predicate = record.predicate_dst & 0xf;
    }
    error = block.barriers().arrive(arrival, released);
  }
  switch (error) {
    case Error::kNone:
      block.release(released);
      return std::nullopt;
    case Error::kBadId:
      return fault(FaultKind::kBarrier, block, warp, pc, lane,
                   "barrier " + std::to_string(arrival.barrier) + " does not exist; barriers are 0 to 15");
    case Error::kBadCount:
      return fault(FaultKind::kBarrier, block, warp, pc, lane,
                   "barrier " + std::to_string(arrival.barrier) + " with a count of " +
                       std::to_string(arrival.threads.value_or(0)) +
                       " threads; it must be a multiple of 32, not 0, and not more than the block has");
    case Error::kCountDisagrees:
      return fault(FaultKind::kBarrier, block, warp, pc, lane,
                   "barrier " + std::to_string(arrival.barrier) + ": warps name different counts");
    case Error::kDivergent:
      break;
  }
  return fault(FaultKind::kBarrier, block, warp, pc, first_lane(warp.stack.live() & ~mask),
               "barrier " + std::to_string(arrival.barrier) +
                   " reached by a part of a warp: the thread named here has not exited and does not take part");
}

std::optional<std::string> Interpreter::read_text(std::uint64_t address, unsigned lane, const ThreadBlock& block,
                                                  const Warp& warp) {
  constexpr std::size_t kLongest = 1 << 20;
  std::string text;
  const Windows windows = block.windows(warp);
  for (char c = 0; text.size() < kLongest; text += c) {
    if (!memory_.read(address + text.size(), &c, 1, lane, block.lanes(), windows)) return std::nullopt;
    if (c == 0) break;
  }
  return text;
}

std::optional<Fault> Interpreter::system_call(ThreadBlock& block, Warp& warp, const Record& record, std::uint32_t pc,
                                              LaneMask mask) {
  const isa::RegisterView view = block.view(warp);
  const auto argument = [&](unsigned which, unsigned lane) {
    return lane_value<std::uint64_t>(view, record.src[which], lane);
  };
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    switch (static_cast<isa::SystemCall>(record.imm)) {
      case isa::SystemCall::kPrintf: {
        const std::uint64_t arguments = record.src[1] == isa::kNoOperand ? 0 : argument(1, lane);
        const auto format = read_text(argument(0, lane), lane, block, warp);
        if (!format) {
          return fault(FaultKind::kIllegalAddress, block, warp, pc, lane, "printf: its format cannot be read");
        }
        PrintfSource source;
        source.argument = [&](std::uint64_t offset, unsigned bytes) -> std::optional<std::uint64_t> {
          std::uint64_t value = 0;
          if (!memory_.read(arguments + offset, &value, bytes, lane, block.lanes(), block.windows(warp))) {
            return std::nullopt;
          }
          return value;
        };
        source.text = [&](std::uint64_t address) { return read_text(address, lane, block, warp); };
        const auto text = format_device_printf(*format, source);
        if (!text) {
          return fault(FaultKind::kIllegalAddress, block, warp, pc, lane, "printf: an argument cannot be read");
        }
        services_.print(*text);
        set_lane<std::int32_t>(view, record.dst, lane, printf_arguments(*format));
        break;
      }
      case isa::SystemCall::kMalloc: {
        const std::uint64_t size = argument(0, lane);
        std::optional<std::uint64_t> address;
        const std::uint64_t used = services_.store->used(AllocationKind::kDeviceHeap);
        if (size != 0 && size <= services_.heap_bytes && used <= services_.heap_bytes - size) {
          address = services_.store->allocate(size, AllocationKind::kDeviceHeap);
        }
        set_lane<std::uint64_t>(view, record.dst, lane, address.value_or(0));
        break;
      }
      case isa::SystemCall::kFree: {
        const std::uint64_t address = argument(0, lane);
        if (address == 0) break;
        const Allocation* const allocation = services_.store->find(address);
        if (allocation == nullptr || allocation->address != address ||
            allocation->kind != AllocationKind::kDeviceHeap) {
          return fault(FaultKind::kIllegalAddress, block, warp, pc, lane,
                       "free of an address that device malloc did not return: " + services_.store->describe(address));
        }
        services_.store->free(address);
        break;
      }
      case isa::SystemCall::kAssertFail: {
        const auto message = read_text(argument(0, lane), lane, block, warp).value_or("?");
        const auto file = read_text(argument(1, lane), lane, block, warp).value_or("?");
        const auto line = lane_value<std::uint32_t>(view, record.src[2], lane);
        const auto function = read_text(argument(3, lane), lane, block, warp).value_or("?");
        const Dim3 thread = block.thread(warp, lane);
        const Dim3 index = block.index();
        char where[160];
        std::snprintf(where, sizeof where, "block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", index.x, index.y,
                      index.z, thread.x, thread.y, thread.z);
        const std::string text =
            file + ":" + std::to_string(line) + ": " + function + ": " + where + message + "` failed.";
        return fault(FaultKind::kAssert, block, warp, pc, lane, text);
      }
      case isa::SystemCall::kPureVirtual:
        return fault(FaultKind::kTrap, block, warp, pc, lane, "call of a pure virtual function");
    }
  }
  return std::nullopt;
}

}  // namespace castor::gpu::functional

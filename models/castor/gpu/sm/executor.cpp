#include "castor/gpu/sm/executor.h"

#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {

Executor::Executor(const SmParts& parts, DeviceCalls& calls, RuntimeUnit& runtime)
    : clock_(parts.clock),
      warps_(parts.warps),
      buffer_(parts.buffer),
      scoreboard_(parts.scoreboard),
      pipelines_(parts.pipelines),
      blocked_(parts.blocked),
      memory_(parts.memory),
      control_(parts, calls, runtime),
      faults_(parts.faults),
      watch_(parts.watch),
      core_clock_(base::kilohertz(parts.machine.clock.core_mhz)) {
  args_.halves = parts.machine.sm.lanes / 32;
}

void Executor::execute(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                       LaneMask mask) {
  buffer_.take(w);
  if (decoded.pool <= UnitPool::kShared) {
    execute_memory(scheduler, w, record, decoded, mask);
  } else if (decoded.pool < UnitPool::kControl) {
    execute_lanes(scheduler, w, record, decoded, mask);
  } else {
    control_.execute(scheduler, w, record, mask);
  }
  buffer_.update_head(w);
}

void Executor::read_clocks(unsigned w) {
  if (timer_tick_ != clock_.tick()) {
    timer_tick_ = clock_.tick();
    timer_ns_ = core_clock_.time_of(clock_.now()) / base::kPicosecondsPerNanosecond;
  }
  warps_.set_times(w, clock_.tick(), timer_ns_);
  watch_.disturb();
}

[[gnu::always_inline]] inline bool Executor::run_lanes(unsigned w, const isa::Record& record, const Decoded& decoded,
                                                       LaneMask mask) {
  if ((decoded.flags & kReadsClock) != 0) read_clocks(w);
  const WarpState& warp = warps_[w];
  const isa::RegisterView registers = warps_.view(w);
  args_.dst = registers.dst(record.dst);
  args_.src[0] = registers.src(record.src[0]);
  args_.src[1] = registers.src(record.src[1]);
  args_.src[2] = registers.src(record.src[2]);
  args_.src[3] = registers.src(record.src[3]);
  args_.predicates = registers.predicates;
  args_.mask = mask;
  args_.context = &warp.identity;
  record.handler(record, args_);
  if (args_.fault == isa::LaneFault::kNone) return true;
  faults_.report(w, warp.pc, {FaultKind::kIllegalInstruction, first_lane(mask), text_of(args_.fault), 0});
  args_.fault = isa::LaneFault::kNone;
  return false;
}

void Executor::execute_lanes(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                             LaneMask mask) {
  const Tick tick = clock_.tick();
  const Pipelines::Path path = pipelines_.reserve(decoded, w, scheduler, tick);
  if (mask != 0 && !run_lanes(w, record, decoded, mask)) return;
  if (decoded.dst_count == 1 && decoded.predicates_written == 0) {
    scoreboard_.expect_write(w, decoded.dst, tick, path.dispatch + decoded.latency);
  } else {
    scoreboard_.expect_writes(w, decoded, tick, path.dispatch + decoded.latency, nullptr);
  }
  control_.advance(w);
}

[[gnu::always_inline]] inline void Executor::run_memory(const Pipelines::Path& path, unsigned w,
                                                        const isa::Record& record, const Decoded& decoded,
                                                        LaneMask mask) {
  const WarpState& warp = warps_[w];
  // Without an active lane the instruction takes no LSU queue entry and waits for no data.
  if (mask != 0) {
    MemoryIssue instruction;
    instruction.record = &record;
    instruction.view = warps_.view(w);
    instruction.mask = mask;
    instruction.warp = w;
    instruction.warp_in_tb = warp.warp_in_tb;
    instruction.context = warp.tb;
    instruction.pc = warp.pc;
    instruction.dispatch = path.dispatch;
    instruction.now = clock_.now();
    instruction.tick = clock_.tick();
    MemoryAccepted accepted;
    if (const auto refused = memory_.issue(instruction, accepted)) {
      faults_.report(w, warp.pc, {refused->kind, refused->lane, refused->what, refused->address});
      return;
    }
    scoreboard_.memory_issued(w, decoded, accepted);
    if ((decoded.flags & kDrainsBehind) != 0) blocked_.fence(w);
  }
  control_.advance(w);
}

void Executor::execute_memory(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded,
                              LaneMask mask) {
  run_memory(pipelines_.reserve(decoded, w, scheduler, clock_.tick()), w, record, decoded, mask);
}

bool Executor::compute(unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask) {
  return run_lanes(w, record, decoded, mask);
}

void Executor::access(const Pipelines::Path& path, unsigned w, const isa::Record& record, const Decoded& decoded,
                      LaneMask mask) {
  run_memory(path, w, record, decoded, mask);
}

}  // namespace castor::gpu

// Execution of instructions at issue, and the scoreboard.

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/execution/control.h"
#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm/sm_filter.h"
#include "castor/gpu/sm/sm_hook_state.h"

namespace castor::gpu {

using isa::Kind;
using isa::Record;

void Sm::issue_instruction(unsigned scheduler, unsigned w) {
  const WarpState& warp = warps_[w];
  const std::uint32_t pc = warp.pc;
  const Record& record = warp.records[pc];
  const Decoded& decoded = warp.decoded[pc];
  const LaneMask mask = isa::guarded(record, warp.predicates, warp.active);
  const unsigned lanes =
      mask == warps_.all_lanes() ? warps_.lanes() : static_cast<unsigned>(__builtin_popcountll(mask));
  CASTOR_ASSERT_AT(clock_.now(), (buffer_.valid() & scoreboard_.clear() & warp_bit(w)) != 0,
                   "warp %u of SM %u issues with a register pending", w, index());
  const TbState& tb = tbs_[warp.tb];
  const auto kind = static_cast<std::size_t>(decoded.instruction_class);
  ++counters_.instructions.warps[kind];
  counters_.instructions.lanes[kind] += lanes;
  InstructionCounts& entry = entries_[tb.kernel->entry];
  ++entry.warps[kind];
  entry.lanes[kind] += lanes;
  tbs_.count(warp.tb, lanes);
  lanes_issued_ += lanes;
  issued_ |= 1U << scheduler;
  busy_ = true;
  if (watched_) {
    if (observer_ != nullptr) {
      observer_->issued({clock_.now(), clock_.tick(), index(), scheduler, w, warp.tb, tb.kernel, pc, mask});
    }
    if (filter_ != nullptr && filter_issues(scheduler, w, record, decoded, mask)) return;
  }
  buffer_.take(w);
  if (decoded.pool <= UnitPool::kShared) {
    execute_memory(scheduler, w, record, decoded, mask);
  } else if (decoded.pool < UnitPool::kControl) {
    execute_lanes(scheduler, w, record, decoded, mask);
  } else {
    execute_control(scheduler, w, record, mask);
  }
  buffer_.update_head(w);
}

void Sm::set_times(unsigned w) {
  if (timer_tick_ != clock_.tick()) {
    timer_tick_ = clock_.tick();
    timer_ns_ = core_clock_.time_of(clock_.now()) / base::kPicosecondsPerNanosecond;
  }
  warps_.set_times(w, clock_.tick(), timer_ns_);
}

// Values of an instruction that only reads and writes registers; false if it faults.
[[gnu::always_inline]] inline bool Sm::run_lanes(unsigned w, const Record& record, const Decoded& decoded,
                                                 LaneMask mask) {
  const WarpState& warp = warps_[w];
  if ((decoded.flags & kReadsClock) != 0) {
    set_times(w);
    watch_.disturb();
  }
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

void Sm::execute_lanes(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  const Pipelines::Path path = pipelines_.reserve(decoded, w, scheduler, clock_.tick(), wheel_);
  counters_.bank_conflict_delay += path.delay;
  if (mask != 0 && !run_lanes(w, record, decoded, mask)) return;
  if (decoded.dst_count == 1 && decoded.predicates_written == 0) {
    scoreboard_.expect_write(w, decoded.dst, clock_.tick(), path.dispatch + decoded.latency);
  } else {
    scoreboard_.expect_writes(w, decoded, clock_.tick(), path.dispatch + decoded.latency, nullptr);
  }
  step(w);
}

void Sm::execute_memory(unsigned scheduler, unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  const Pipelines::Path path = pipelines_.reserve(decoded, w, scheduler, clock_.tick(), wheel_);
  counters_.bank_conflict_delay += path.delay;
  run_memory(path, w, record, decoded, mask);
}

[[gnu::always_inline]] inline void Sm::run_memory(const Pipelines::Path& path, unsigned w, const Record& record,
                                                  const Decoded& decoded, LaneMask mask) {
  const WarpState& warp = warps_[w];
  // Without a lane that accesses there is nothing to wait for and no place in the queue to take.
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
    unsigned acknowledges = 0;
    if (const auto refused = memory_side_.issue(instruction, acknowledges)) {
      faults_.report(w, warp.pc, {refused->kind, refused->lane, refused->what, refused->address});
      return;
    }
    scoreboard_.memory_issued(w, decoded, acknowledges);
    if ((decoded.flags & kDrainsBehind) != 0) blocked_.fence(w);
  }
  step(w);
}

bool Sm::lanes_of_filter(unsigned w, const Record& record, const Decoded& decoded, LaneMask mask) {
  return run_lanes(w, record, decoded, mask);
}

void Sm::memory_of_filter(const Pipelines::Path& path, unsigned w, const Record& record, const Decoded& decoded,
                          LaneMask mask) {
  run_memory(path, w, record, decoded, mask);
}

void Sm::execute_control(unsigned scheduler, unsigned w, const Record& record, LaneMask mask) {
  const WarpState& warp = warps_[w];
  if ((buffer_.meets() & warp_bit(w)) != 0) events_used_ |= 1U << scheduler;
  switch (record.kind) {
    case Kind::kBranch:
    case Kind::kBranchIndirect:
    case Kind::kCall:
    case Kind::kCallIndirect:
    case Kind::kReturn:
    case Kind::kExit:
      transfer(scheduler, w, record, mask);
      return;
    case Kind::kBarrier:
      if (mask != 0) arrive(scheduler, w, record, mask);
      break;
    case Kind::kFence:
      if (mask != 0 && static_cast<isa::FenceScope>(record.imm) != isa::FenceScope::kBlock) blocked_.fence(w);
      break;
    case Kind::kTrap:
      if (mask != 0) {
        faults_.report(w, warp.pc, {FaultKind::kTrap, first_lane(mask), "trap instruction", 0});
        return;
      }
      break;
    case Kind::kSystemCall:
      if (mask != 0) {
        calls_.call(w, mask);
        watch_.disturb();
      }
      break;
    case Kind::kSleep:
      if (mask != 0) sleep(w, record, mask);
      break;
    default:
      break;
  }
  step(w);
}

void Sm::transfer(unsigned scheduler, unsigned w, const Record& record, LaneMask mask) {
  const WarpState& warp = warps_[w];
  const std::uint32_t from = warp.pc;
  buffer_.flush(w);
  if (const auto wrong = warps_.transfer(w, record, mask)) {
    faults_.report(w, warp.pc, *wrong);
    return;
  }
  if ((warps_.live() & warp_bit(w)) == 0) {
    scoreboard_.stop(w);
    barriers_.exit(scheduler, w);
    return;
  }
  if (watch_.is_open() && warp.pc <= from) look_back(w);
  fetch_.resolve_branch(w, clock_.tick());
}

void Sm::arrive(unsigned scheduler, unsigned w, const Record& record, LaneMask mask) {
  if (record.barrier.kind != isa::BarrierKind::kWarp) {
    barriers_.arrive(scheduler, w, record, mask);
  } else if (const auto wrong = check_warp_barrier(record, warps_.view(w), mask, warps_[w].stack.live())) {
    faults_.report(w, warps_[w].pc, *wrong);
  }
}

void Sm::sleep(unsigned w, const Record& record, LaneMask mask) {
  const isa::RegisterView registers = warps_.view(w);
  std::uint64_t longest = 0;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    longest = std::max<std::uint64_t>(longest, lane_value<std::uint32_t>(registers, record.src[0], first_lane(left)));
  }
  // ceil(ns x f); ns x kHz counts millionths of a tick.
  const std::uint64_t ticks = std::max<std::uint64_t>(1, (longest * core_clock_.kilohertz() + 999'999) / 1'000'000);
  watch_.disturb();
  warps_.sleep(w, clock_.tick() + ticks);
  blocked_.sleep(w, clock_.tick(), clock_.tick() + ticks);
}

void Sm::step(unsigned w) {
  if (warps_.step(w)) buffer_.reopen(w);
}

void Sm::data_ready(MemoryOperation& operation, Tick ready) {
  const MemoryIssue& instruction = SmMemory::instruction(operation);
  const Decoded& decoded = warps_[instruction.warp].decoded[instruction.pc];
  if (filter_ != nullptr && leads(instruction.warp, decoded))
    return expect_rows(instruction.warp, decoded, ready, &operation);
  scoreboard_.expect_writes(instruction.warp, decoded, clock_.tick(), ready, &operation);
}

void Sm::acknowledged(unsigned w) { scoreboard_.acknowledged(w); }

}  // namespace castor::gpu

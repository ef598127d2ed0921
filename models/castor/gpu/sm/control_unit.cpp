#include "castor/gpu/sm/control_unit.h"

#include <algorithm>

#include "castor/gpu/execution/lane_access.h"
#include "castor/gpu/execution/sync_operands.h"

namespace castor::gpu {

void ControlUnit::execute(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask) {
  switch (record.kind) {
    case isa::Kind::kBranch:
    case isa::Kind::kBranchIndirect:
    case isa::Kind::kCall:
    case isa::Kind::kCallIndirect:
    case isa::Kind::kReturn:
    case isa::Kind::kExit:
      transfer(scheduler, w, record, mask);
      return;
    case isa::Kind::kBarrier:
      if (mask != 0) arrive(scheduler, w, record, mask);
      break;
    case isa::Kind::kFence:
      if (mask != 0 && static_cast<isa::FenceScope>(record.imm) != isa::FenceScope::kBlock) blocked_.fence(w);
      break;
    case isa::Kind::kTrap:
      if (mask != 0) {
        faults_.report(w, warps_[w].pc, {FaultKind::kTrap, first_lane(mask), "trap instruction", 0});
        return;
      }
      break;
    case isa::Kind::kSystemCall:
      if (mask != 0) {
        calls_.call(w, mask);
        watch_.disturb();
      }
      break;
    case isa::Kind::kRuntimeCall:
      if (mask != 0) runtime_.call(w, record, mask);
      break;
    case isa::Kind::kSync:
      if (mask == 0) break;
      if (const auto wrong = check_sync(record, warps_.view(w), mask, warps_[w].stack.live())) {
        faults_.report(w, warps_[w].pc, *wrong);
        return;
      }
      break;
    case isa::Kind::kSleep:
      if (mask != 0) sleep(w, record, mask);
      break;
    default:
      break;
  }
  advance(w);
}

void ControlUnit::transfer(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask) {
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

// Passes the state of a warp that has jumped backwards to the spin watch, unless the warp has accesses in flight.
void ControlUnit::look_back(unsigned w) {
  if ((scoreboard_.memory_busy() & warp_bit(w)) != 0) return;
  const WarpState& warp = warps_[w];
  watch_.look(
      w, {&warp.stack, warp.predicates, warp.registers, std::size_t{warp.program->registers} * warps_.lanes() * 4});
}

void ControlUnit::arrive(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask) {
  if (record.barrier.kind != isa::BarrierKind::kWarp) {
    barriers_.arrive(scheduler, w, record, mask);
  } else if (const auto wrong = check_warp_barrier(record, warps_.view(w), mask, warps_[w].stack.live())) {
    faults_.report(w, warps_[w].pc, *wrong);
  }
}

void ControlUnit::sleep(unsigned w, const isa::Record& record, LaneMask mask) {
  const isa::RegisterView registers = warps_.view(w);
  std::uint64_t longest = 0;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    longest = std::max<std::uint64_t>(longest, lane_value<std::uint32_t>(registers, record.src[0], first_lane(left)));
  }
  // Converts ns to ticks, rounded up: ns x kHz is in millionths of a tick.
  const std::uint64_t ticks = std::max<std::uint64_t>(1, (longest * core_clock_.kilohertz() + 999'999) / 1'000'000);
  watch_.disturb();
  warps_.sleep(w, clock_.tick() + ticks);
  blocked_.sleep(w, clock_.tick(), clock_.tick() + ticks);
}

}  // namespace castor::gpu

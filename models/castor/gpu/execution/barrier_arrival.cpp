#include "castor/gpu/execution/barrier_arrival.h"

#include <string>

#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {

using isa::LaneMask;

std::optional<ExecutionFault> check_warp_barrier(const isa::Record& record, const isa::RegisterView& view,
                                                 LaneMask mask, LaneMask live) {
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const unsigned half = lane / 32;
    const auto members = lane_value<std::uint32_t>(view, record.src[0], lane);
    const auto here = static_cast<std::uint32_t>(mask >> (32 * half));
    const auto alive = static_cast<std::uint32_t>(live >> (32 * half));
    isa::LaneFault wrong = isa::LaneFault::kNone;
    if ((members >> (lane % 32) & 1) == 0) wrong = isa::LaneFault::kSyncMaskSelf;
    if ((members & alive & ~here) != 0) wrong = isa::LaneFault::kSyncMaskInactive;
    if (wrong != isa::LaneFault::kNone) {
      return ExecutionFault{FaultKind::kIllegalInstruction, lane, text_of(wrong), 0};
    }
  }
  return std::nullopt;
}

isa::BarrierUnit::Arrival barrier_arrival(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                                          unsigned warp) {
  const unsigned lane = first_lane(mask);
  isa::BarrierUnit::Arrival arrival;
  arrival.warp = warp;
  arrival.kind = record.barrier.kind;
  arrival.lanes = mask;
  if (record.src[0] != isa::kNoOperand) arrival.barrier = lane_value<std::uint32_t>(view, record.src[0], lane);
  if (record.src[1] != isa::kNoOperand) arrival.threads = lane_value<std::uint32_t>(view, record.src[1], lane);
  if (record.barrier.kind >= isa::BarrierKind::kRedPopc && record.barrier.kind <= isa::BarrierKind::kRedOr) {
    arrival.votes = isa::predicate_source(record, view.predicates, 0) & mask;
  }
  return arrival;
}

ExecutionFault barrier_fault(isa::BarrierUnit::Error error, const isa::BarrierUnit::Arrival& arrival, LaneMask live) {
  using Error = isa::BarrierUnit::Error;
  const std::string name = "barrier " + std::to_string(arrival.barrier);
  ExecutionFault fault{FaultKind::kBarrier, first_lane(arrival.lanes), {}, 0};
  switch (error) {
    case Error::kNone:
      break;
    case Error::kBadId:
      fault.what = name + " does not exist; barriers are 0 to 15";
      break;
    case Error::kBadCount:
      fault.what = name + " with a count of " + std::to_string(arrival.threads.value_or(0)) +
                   " threads; it must be a multiple of 32, not 0, and not more than the block has";
      break;
    case Error::kCountDisagrees:
      fault.what = name + ": warps name different counts";
      break;
    case Error::kDivergent:
      fault.lane = first_lane(live & ~arrival.lanes);
      fault.what =
          name + " reached by some threads of a warp only: the thread named here has neither exited nor arrived";
      break;
  }
  return fault;
}

void write_reduction(const BarrierWait& wait, std::uint32_t reduction, const isa::RegisterView& view) {
  if (wait.dst != isa::kNoOperand) {
    for (LaneMask left = wait.lanes; left != 0; left &= left - 1) {
      set_lane<std::uint32_t>(view, wait.dst, first_lane(left), reduction);
    }
  }
  if (wait.predicate < isa::kNoPredicate) {
    LaneMask& predicate = view.predicates[wait.predicate];
    predicate = (predicate & ~wait.lanes) | (reduction != 0 ? wait.lanes : 0);
  }
}

}  // namespace castor::gpu

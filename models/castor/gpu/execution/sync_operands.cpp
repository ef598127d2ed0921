#include "castor/gpu/execution/sync_operands.h"

#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {
namespace {

using isa::LaneMask;
using isa::SyncOp;

constexpr isa::SyncSet kEventOps = isa::sync_bit(SyncOp::kWait) | isa::sync_bit(SyncOp::kSignal);

[[nodiscard]] SyncOp sync_op(const isa::Record& record) { return static_cast<SyncOp>(record.imm); }

}  // namespace

SyncOperands sync_operands(const isa::Record& record, const isa::RegisterView& view, unsigned lane) {
  if (!contains(kEventOps, sync_op(record))) return {};
  return {lane_value<std::uint32_t>(view, record.src[0], lane), lane_value<std::uint32_t>(view, record.src[1], lane)};
}

std::optional<unsigned> differing_lane(const isa::Record& record, const isa::RegisterView& view, LaneMask mask) {
  if (!contains(kEventOps, sync_op(record))) return std::nullopt;
  const SyncOperands first = sync_operands(record, view, first_lane(mask));
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const SyncOperands other = sync_operands(record, view, first_lane(left));
    if (other.event != first.event || other.target != first.target) return first_lane(left);
  }
  return std::nullopt;
}

std::optional<ExecutionFault> check_sync(const isa::Record& record, const isa::RegisterView& view, LaneMask mask,
                                         LaneMask live) {
  const std::string name(isa::name(sync_op(record)));
  if (contains(isa::kBlockingOps, sync_op(record)) && mask != live) {
    return ExecutionFault{FaultKind::kBarrier, first_lane(live & ~mask),
                          name +
                              " reached by some threads of a warp only: the thread named here has neither exited "
                              "nor arrived",
                          0};
  }
  const std::optional<unsigned> lane = differing_lane(record, view, mask);
  if (!lane) return std::nullopt;
  const SyncOperands here = sync_operands(record, view, *lane);
  const SyncOperands first = sync_operands(record, view, first_lane(mask));
  return ExecutionFault{FaultKind::kBarrier, *lane,
                        name + " with event " + std::to_string(here.event) + " and target " +
                            std::to_string(here.target) + "; another thread of the warp has " +
                            std::to_string(first.event) + " and " + std::to_string(first.target),
                        0};
}

std::string sync_text(SyncOp op, const SyncOperands& operands) {
  std::string name(isa::name(op));
  if (!contains(kEventOps, op)) return name;
  return name + " of event " + std::to_string(operands.event) + " with target " + std::to_string(operands.target);
}

}  // namespace castor::gpu

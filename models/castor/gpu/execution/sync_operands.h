#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "castor/gpu/execution/fault.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/sync_op.h"

namespace castor::gpu {

/// Operations at which thread blocks meet: the hub and the agents of the synchronisation network execute them.
inline constexpr isa::SyncSet kMeetingOps = isa::kBlockingOps | isa::sync_bit(isa::SyncOp::kSignal);

[[nodiscard]] constexpr bool contains(isa::SyncSet set, isa::SyncOp op) { return (set & isa::sync_bit(op)) != 0; }

/// Event and target of a tb.wait or tb.signal.
struct SyncOperands {
  std::uint32_t event = 0, target = 0;
};

/// Returns the operands of a wait or signal in one lane; zeros for other operations.
[[nodiscard]] SyncOperands sync_operands(const isa::Record& record, const isa::RegisterView& view, unsigned lane);

/// Returns the lowest lane of `mask` whose operands differ from those of the first lane; nothing if all are the same.
[[nodiscard]] std::optional<unsigned> differing_lane(const isa::Record& record, const isa::RegisterView& view,
                                                     isa::LaneMask mask);

/// Checks an instruction of device-wide synchronisation: a wait and a grid barrier need all live lanes, and the
/// operands of waits and signals must be the same in all executing lanes. `mask`: executing lanes, at least one.
/// `live`: lanes of the warp that have not exited.
[[nodiscard]] std::optional<ExecutionFault> check_sync(const isa::Record& record, const isa::RegisterView& view,
                                                       isa::LaneMask mask, isa::LaneMask live);

/// Returns "tb.gridsync", or "tb.wait of event 3 with target 2".
[[nodiscard]] std::string sync_text(isa::SyncOp op, const SyncOperands& operands);

}  // namespace castor::gpu

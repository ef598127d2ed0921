#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/execution/fault.h"
#include "castor/isa/barrier.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Checks bar.warp.sync: every executing lane is in its own member mask, and no named live lane is missing. `live`:
/// lanes of the warp that have not exited.
[[nodiscard]] std::optional<ExecutionFault> check_warp_barrier(const isa::Record& record, const isa::RegisterView& view,
                                                               isa::LaneMask mask, isa::LaneMask live);

/// What a barrier instruction of a thread block says to the barrier unit. `warp`: its index inside the block.
[[nodiscard]] isa::BarrierUnit::Arrival barrier_arrival(const isa::Record& record, const isa::RegisterView& view,
                                                        isa::LaneMask mask, unsigned warp);

/// Fault that an error of the barrier unit stands for. `live`: as above; not kNone.
[[nodiscard]] ExecutionFault barrier_fault(isa::BarrierUnit::Error error, const isa::BarrierUnit::Arrival& arrival,
                                           isa::LaneMask live);

/// A warp that waits at a barrier: where the result of a reduction goes.
struct BarrierWait {
  unsigned barrier = 0;
  isa::OperandIndex dst = isa::kNoOperand;
  std::uint8_t predicate = isa::kNoPredicate;
  isa::LaneMask lanes = 0;
};
[[nodiscard]] inline BarrierWait barrier_wait(const isa::Record& record, const isa::BarrierUnit::Arrival& arrival) {
  return {arrival.barrier, record.dst, static_cast<std::uint8_t>(record.predicate_dst & 0xf), arrival.lanes};
}
/// Writes the result of a completed barrier to a warp that waited.
void write_reduction(const BarrierWait& wait, std::uint32_t reduction, const isa::RegisterView& view);

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/execution/fault.h"
#include "castor/isa/barrier.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Checks bar.warp.sync: each executing lane must be in its own member mask, and each live lane of the mask must
/// execute. `live`: lanes of the warp that have not exited.
[[nodiscard]] std::optional<ExecutionFault> check_warp_barrier(const isa::Record& record, const isa::RegisterView& view,
                                                               isa::LaneMask mask, isa::LaneMask live);

/// Returns the arrival message of a thread-block barrier instruction for the barrier unit. `warp`: index of the warp in
/// its block.
[[nodiscard]] isa::BarrierUnit::Arrival barrier_arrival(const isa::Record& record, const isa::RegisterView& view,
                                                        isa::LaneMask mask, unsigned warp);

/// Returns the fault for an error of the barrier unit, which must not be kNone. `live`: lanes of the warp that have not
/// exited.
[[nodiscard]] ExecutionFault barrier_fault(isa::BarrierUnit::Error error, const isa::BarrierUnit::Arrival& arrival,
                                           isa::LaneMask live);

/// Barrier wait of a warp: the barrier and the destination of a reduction result.
struct BarrierWait {
  unsigned barrier = 0;
  isa::OperandIndex dst = isa::kNoOperand;
  std::uint8_t predicate = isa::kNoPredicate;
  isa::LaneMask lanes = 0;  ///< lanes that receive the result
};
[[nodiscard]] inline BarrierWait barrier_wait(const isa::Record& record, const isa::BarrierUnit::Arrival& arrival) {
  return {arrival.barrier, record.dst, static_cast<std::uint8_t>(record.predicate_dst & 0xf), arrival.lanes};
}
/// Writes the result of a completed barrier to the registers of a warp that waited.
void write_reduction(const BarrierWait& wait, std::uint32_t reduction, const isa::RegisterView& view);

}  // namespace castor::gpu

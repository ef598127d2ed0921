#pragma once

#include <cstdint>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// SM resources that one TB occupies, rounded up to allocation units (docs/gpu/program.md, "Rounding").
struct TbNeed {
  std::uint16_t warps = 0;
  std::uint16_t threads = 0;     ///< lanes x warps
  std::uint16_t reg_units = 0;   ///< in units of sm.reg_alloc_unit registers
  std::uint16_t smem_units = 0;  ///< in units of sm.smem_alloc_unit bytes
};

/// Returns the cycles that it takes to move a TB's registers and shared memory at the machine's rate
/// (context.bytes_per_cycle).
[[nodiscard]] inline base::Cycle context_move_time(const Machine& machine, const TbNeed& need) {
  const std::uint64_t bytes = std::uint64_t{need.reg_units} * machine.sm.reg_alloc_unit * 4 +
                              std::uint64_t{need.smem_units} * machine.sm.smem_alloc_unit;
  const std::uint64_t rate = machine.context.bytes_per_cycle;
  return (bytes + rate - 1) / rate;
}

}  // namespace castor::gpu

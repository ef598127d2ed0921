#pragma once

#include <cstdint>

namespace castor::gpu {

/// What one TB takes of an SM, already rounded (docs/gpu.md, "Rounding").
struct TbNeed {
  std::uint16_t warps = 0;
  std::uint16_t threads = 0;     ///< lanes x warps
  std::uint16_t reg_units = 0;   ///< of sm.reg_alloc_unit registers
  std::uint16_t smem_units = 0;  ///< of sm.smem_alloc_unit bytes
};

}  // namespace castor::gpu

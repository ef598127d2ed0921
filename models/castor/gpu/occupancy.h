#pragma once

#include <cstdint>
#include <string_view>

#include "castor/gpu/machine.h"
#include "castor/gpu/tb_need.h"

namespace castor::gpu {

/// Resources that a thread block requires.
struct TbDemand {
  unsigned threads = 1;
  unsigned registers_per_thread = 0;
  unsigned shared_bytes = 0;  ///< bytes, static and dynamic
};

/// Resource that limits the number of resident TBs.
enum class Resource : std::uint8_t {
  kTbSlots,
  kWarps,
  kThreads,
  kRegisters,
  kSharedMemory,
};
/// Returns "TB slots", "warps", "threads", "registers" or "shared memory".
[[nodiscard]] std::string_view name(Resource resource);

/// Number of TBs of one kernel that fit on an otherwise empty SM, and the limiting resource.
struct Occupancy {
  unsigned tbs_per_sm = 0;      ///< 0 = not even one TB fits
  Resource limit{};             ///< limiting resource; of equal limits the first in the order of `Resource`
  unsigned warps_per_tb = 0;    ///< threads / lanes, rounded up
  unsigned register_units = 0;  ///< per TB, in units of sm.reg_alloc_unit registers
  unsigned shared_units = 0;    ///< per TB, in units of sm.smem_alloc_unit bytes
  double warp_occupancy = 0;    ///< resident warps / sm.warps
};

/// Computes the occupancy with the dispatcher's rounding: threads to whole warps, registers of a warp to
/// sm.reg_alloc_unit, shared memory to sm.smem_alloc_unit; 0 bytes stay 0 (docs/gpu/program.md, "Rounding"). For a TB
/// beyond the machine's limits for one block (sm.max_tb_threads, sm.max_regs_per_thread, sm.max_tb_smem), the result is
/// 0 TBs and the exceeded resource.
[[nodiscard]] Occupancy occupancy(const Machine& machine, const TbDemand& demand);

/// Returns the SM resources that one TB occupies.
[[nodiscard]] inline TbNeed need_of(const Machine& machine, const Occupancy& fit) {
  return {static_cast<std::uint16_t>(fit.warps_per_tb), static_cast<std::uint16_t>(fit.warps_per_tb * machine.sm.lanes),
          static_cast<std::uint16_t>(fit.register_units), static_cast<std::uint16_t>(fit.shared_units)};
}

/// Largest and smallest number of register rows (one row is one register of a warp) that a fetch filter assigns to a
/// TB, unless the filter's terms state other limits.
inline constexpr unsigned kMostFilterRows = 32;
inline constexpr unsigned kLeastFilterRows = 4;
/// Returns the register rows that each of `tbs` resident TBs of `register_units` units can get from the unused part of
/// the register file, at most `most`; 0 if fewer than `least`. The rows never reduce occupancy.
[[nodiscard]] unsigned filter_rows(const Machine& machine, unsigned tbs, unsigned register_units,
                                   unsigned most = kMostFilterRows, unsigned least = kLeastFilterRows);

/// Returns the most registers per thread with which `tbs` TBs of `threads` threads are resident together, at most
/// sm.max_regs_per_thread; 0 if they do not fit with any number. `.maxntid` with `.minnctapersm` implies this cap.
[[nodiscard]] unsigned registers_for(const Machine& machine, unsigned threads, unsigned tbs);

}  // namespace castor::gpu

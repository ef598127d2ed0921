#pragma once

#include <cstdint>
#include <string_view>

#include "castor/gpu/machine.h"
#include "castor/gpu/tb_need.h"

namespace castor::gpu {

/// What a thread block needs.
struct TbDemand {
  unsigned threads = 1;
  unsigned registers_per_thread = 0;
  unsigned shared_bytes = 0;  ///< static + dynamic
};

/// The resource that ends the list of resident TBs first.
enum class Resource : std::uint8_t {
  kTbSlots,
  kWarps,
  kThreads,
  kRegisters,
  kSharedMemory,
};
/// "TB slots", "warps", "threads", "registers", "shared memory".
[[nodiscard]] std::string_view name(Resource resource);

/// How many TBs of one kernel fit on an SM that holds nothing else, and why not more.
struct Occupancy {
  unsigned tbs_per_sm = 0;      ///< 0 = not even one
  Resource limit{};             ///< of equal limits the first in the order of `Resource`
  unsigned warps_per_tb = 0;    ///< threads / lanes, rounded up
  unsigned register_units = 0;  ///< of one TB, each of sm.reg_alloc_unit registers
  unsigned shared_units = 0;    ///< of one TB, each of sm.smem_alloc_unit bytes
  double warp_occupancy = 0;    ///< resident warps / sm.warps
};

/// Rounds as the dispatcher does: threads to whole warps; registers of a warp to sm.reg_alloc_unit; shared memory to
/// sm.smem_alloc_unit, 0 stays 0 (docs/gpu/program.md, "Rounding"). A TB beyond the machine's limits for one block
/// (sm.max_tb_threads, sm.max_regs_per_thread, sm.max_tb_smem) gives 0 TBs and the resource it exceeds.
[[nodiscard]] Occupancy occupancy(const Machine& machine, const TbDemand& demand);

/// What one TB takes of an SM.
[[nodiscard]] inline TbNeed need_of(const Machine& machine, const Occupancy& fit) {
  return {static_cast<std::uint16_t>(fit.warps_per_tb), static_cast<std::uint16_t>(fit.warps_per_tb * machine.sm.lanes),
          static_cast<std::uint16_t>(fit.register_units), static_cast<std::uint16_t>(fit.shared_units)};
}

/// Rows of registers, each one register of a warp, that a fetch filter may give a TB: at most, and at least, unless its
/// terms say something else.
inline constexpr unsigned kMostFilterRows = 32;
inline constexpr unsigned kLeastFilterRows = 4;
/// Rows that each of `tbs` resident TBs of `register_units` units can have of what they leave of the register file, at
/// most `most`; 0 if that is fewer than `least`. Occupancy never pays for them.
[[nodiscard]] unsigned filter_rows(const Machine& machine, unsigned tbs, unsigned register_units,
                                   unsigned most = kMostFilterRows, unsigned least = kLeastFilterRows);

/// Most registers per thread with which `tbs` TBs of `threads` threads are resident together, at most
/// sm.max_regs_per_thread; 0 if they are not with any number. The cap that `.maxntid` with `.minnctapersm` implies.
[[nodiscard]] unsigned registers_for(const Machine& machine, unsigned threads, unsigned tbs);

}  // namespace castor::gpu

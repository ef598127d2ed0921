#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/gpu/device.h"
#include "castor/gpu/group.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/tb_need.h"
#include "castor/gpu/unit.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// What the thread blocks of one item of work share: of a kernel's own grid, or of a group of thread blocks that was
/// added to the kernel. A TB has its own copy from its start on, since those of one kernel may be of several items.
struct ItemData {
  Dim3 grid;
  std::uint64_t parameters = 0;  ///< device address of the parameter block
};

/// What all thread blocks of one launch share; as ItemData, the item of the kernel's own grid.
struct Launch : ItemData {
  Ticket ticket = 0;
  const isa::Program* program = nullptr;
  const std::byte* constants = nullptr;  ///< constant rows, broadcast to the machine's lanes
  Dim3 block;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::uint32_t dynamic_shared = 0;
  std::uint64_t grid_id = 0;

  [[nodiscard]] const ItemData& item() const { return *this; }
};

/// What reports say of it.
[[nodiscard]] inline LaunchShape shape_of(const Launch& launch) {
  const isa::Program& program = *launch.program;
  return {launch.grid,           launch.block,        program.registers,  program.shared_bytes,
          launch.dynamic_shared, program.local_bytes, program.spill_bytes};
}

/// A launch as SMs see it, in its launch record. The front end fills it before the entry is written and changes nothing
/// as long as a TB of it can exist; SMs only read it.
struct KernelContext : Launch {
  std::uint16_t entry = 0;  ///< kernel table entry
  std::uint16_t queue = 0;
  std::uint32_t group = kNoGroup;  ///< it is that of a group, which runs with the kernel of that entry
  std::uint8_t kid = 0;            ///< kernel type as jobs name it
  std::uint64_t code_base = 0;     ///< device address of record 0; record i is at code_base + 8 i
  TbNeed need;
  unsigned fit = 0;        ///< TBs of it that an otherwise empty SM holds
  Cycle written = 0;       ///< cycle in which its entry was written: acquire cycle of its TBs
  bool bypass_l1 = false;  ///< global loads do not look up L1
  bool may_swap = false;   ///< local lines are written through

  /// Local memory of the kernel: warp w of TB context c on SM s has local_stride bytes from
  /// local_base + ((s * contexts + c) * need.warps + w) * local_stride on, words interleaved over its lanes.
  std::uint64_t local_base = 0;
  std::uint64_t local_stride = 0;

  Picoseconds submitted = 0;
  /// Turns a position inside the launch into the TB's id; empty = identity.
  const std::uint32_t* order = nullptr;
};

/// Index of TB `gid` inside a grid, x fastest.
[[nodiscard]] inline Dim3 block_index(const Dim3& grid, std::uint64_t gid) {
  return {static_cast<std::uint32_t>(gid % grid.x), static_cast<std::uint32_t>(gid / grid.x % grid.y),
          static_cast<std::uint32_t>(gid / grid.x / grid.y)};
}

}  // namespace castor::gpu

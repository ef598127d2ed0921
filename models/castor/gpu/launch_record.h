#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "castor/gpu/device.h"
#include "castor/gpu/group.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/tb_need.h"
#include "castor/gpu/unit.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Data that the thread blocks of one work item share. An item is the grid of a kernel or a group of thread blocks
/// added to the kernel. Each TB keeps a copy from its start, because TBs of one kernel may belong to different items.
struct ItemData {
  Dim3 grid;
  std::uint64_t parameters = 0;  ///< device address of the parameter block
};

/// Data that all thread blocks of one launch share. The ItemData part describes the kernel's own grid.
struct Launch : ItemData {
  Ticket ticket = 0;
  const isa::Program* program = nullptr;
  const std::byte* constants = nullptr;  ///< values of the program's constant operands, one row of lanes per constant
  Dim3 block;
  std::uint32_t shared_bytes = 0;    ///< bytes, static and dynamic
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::uint64_t grid_id = 0;
  bool cooperative = false;          ///< launched cooperatively
  bool all_resident = false;         ///< all thread blocks are resident at once (needs_all_resident)
  std::uint64_t grid_workspace = 0;  ///< device address of the grid barrier of an `all_resident` launch; 0 = none

  [[nodiscard]] const ItemData& item() const { return *this; }
};

/// Returns the launch's shape for reports.
[[nodiscard]] inline LaunchShape shape_of(const Launch& launch) {
  const isa::Program& program = *launch.program;
  return {launch.grid,           launch.block,        program.registers,  program.shared_bytes,
          launch.dynamic_shared, program.local_bytes, program.spill_bytes};
}

/// Launch record as the SMs see it. The front end fills the record before it writes the kernel table entry, and does
/// not change it while a TB of the launch can exist. SMs only read it.
struct KernelContext : Launch {
  std::uint16_t entry = 0;  ///< kernel table entry
  std::uint16_t queue = 0;
  /// Number of the group if this record is a group's, which runs with the kernel of `entry`.
  std::uint32_t group = kNoGroup;
  std::uint8_t kid = 0;         ///< kernel type number by which JOB packets name the kernel
  std::uint64_t code_base = 0;  ///< device address of record 0; record i is at code_base + 8 i
  TbNeed need;
  unsigned fit = 0;        ///< number of the launch's TBs that an otherwise empty SM can hold
  Cycle written = 0;       ///< cycle in which the kernel table entry was written; acquire cycle of its TBs
  bool bypass_l1 = false;  ///< global loads bypass L1
  bool may_swap = false;   ///< TBs may be swapped out; stores to local memory are written through
  /// The TBs synchronise over the whole device: the synchronisation hub and the agents of the SMs see the kernel.
  bool synchronises = false;
  /// The launch has the machine to itself: more TBs than fit, which are swapped out (docs/gpu/sync-network.md).
  bool owned = false;
  /// Bytes of an image, the memory that holds one swapped-out TB of the launch; 0: no block stores its TBs in images.
  std::uint64_t image_bytes = 0;

  /// Local memory of the kernel: warp w of TB context c on SM s owns local_stride bytes from
  /// local_base + ((s * contexts + c) * need.warps + w) * local_stride on, words interleaved over its lanes.
  std::uint64_t local_base = 0;
  std::uint64_t local_stride = 0;

  Picoseconds submitted = 0;
  /// Options of device-wide synchronisation; null: the defaults. Owns `order`.
  std::shared_ptr<const SyncOptions> sync;
  /// Dispatch order: maps a position in the launch to a TB id; null = identity.
  const std::uint32_t* order = nullptr;
};

/// Returns the index of TB `gid` inside a grid; x varies fastest.
[[nodiscard]] inline Dim3 block_index(const Dim3& grid, std::uint64_t gid) {
  return {static_cast<std::uint32_t>(gid % grid.x), static_cast<std::uint32_t>(gid / grid.x % grid.y),
          static_cast<std::uint32_t>(gid / grid.x / grid.y)};
}

}  // namespace castor::gpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>

#include "castor/gpu/device.h"
#include "castor/gpu/functional/kernel_sync.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/gpu/launch/launch_code.h"
#include "castor/gpu/outside_reads.h"

namespace castor::gpu::functional {

struct RunningKernel;

/// A thread block of a started kernel: resident, waiting for its launches, or asleep at device-wide synchronisation.
struct Resident {
  RunningKernel* kernel = nullptr;
  std::uint64_t index = 0;             ///< number of the block in the grid
  std::unique_ptr<ThreadBlock> block;  ///< null until its first turn
  std::size_t next_warp = 0;
  std::uint64_t watch = 0;  ///< number of the spin watch that includes the block; 0 = none
  bool spins = false;       ///< in the last turn no warp reached a barrier or exited
  bool waits = false;       ///< every live warp waits, at least one of them for launches of the block
  bool sleeps = false;      ///< every live warp waits at device-wide synchronisation
  bool keeps_room = false;  ///< asleep, and counted as resident
};

/// A started kernel that is not complete.
struct RunningKernel {
  Launch launch;
  LaunchId id = 0;
  LaunchId root = 0;        ///< launch by the host that is the root of this kernel's launch tree
  unsigned level = 0;       ///< nesting depth below `root`
  unsigned limit = 1;       ///< number of the kernel's blocks that fill the whole machine
  std::uint64_t total = 0;  ///< blocks of the grid
  std::uint64_t next = 0;   ///< position of the next block to place
  std::uint64_t resident = 0;
  std::uint64_t waiting = 0;  ///< blocks that have given up their room: they wait for launches, sleep or are to return
  KernelStatistics statistics;
  OutsideReads outside_reads;
  MarkCounts marks;
  RedundancyCounts redundancy;  ///< check.redundancy: counts
  GridRedundancy grid;          ///< check.redundancy: instances redundant in all blocks
  KernelSync sync;
  std::unordered_map<std::uint64_t, Resident> asleep;  ///< blocks that `sync` has asleep, by number

  /// Returns whether the kernel occupies an entry of the kernel table.
  [[nodiscard]] bool is_active() const { return resident != 0 || next < total; }
  /// Returns whether the kernel must get room for all its blocks at once, more than `room` of the machine's 1.
  [[nodiscard]] bool needs_more_than(double room) const {
    return next == 0 && (launch.all_resident || sync.starts_whole(limit)) &&
           static_cast<double>(total) / limit > room + 1e-9;
  }
};

}  // namespace castor::gpu::functional

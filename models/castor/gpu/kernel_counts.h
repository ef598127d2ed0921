#pragma once

#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/report.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Names, units and meanings of what is counted per kernel besides its instructions (docs/gpu/counting.md,
/// "Statistics").
[[nodiscard]] const std::vector<base::StatisticInfo>& kernel_count_infos();

/// Moves what SMs and slices counted for the kernel of a table entry into the kernel's statistics; names with 0 are
/// left out. For the end of the cycle in which the kernel completed, when all units have ticked. What an instruction
/// line or a dirty local line under way does afterwards counts for the next kernel of the entry. Returns what the
/// kernel read outside every allocation.
OutsideReads collect_kernel_counts(const std::vector<Sm*>& cores, MemorySystem& memory, KernelStatistics& kernel);

/// What no complete kernel has: with theirs the sums over the whole run. SMs must have counted up to now. `entries`: of
/// the kernel table.
[[nodiscard]] BesideKernels count_beside_kernels(const std::vector<Sm*>& cores, MemorySystem& memory, unsigned entries);

}  // namespace castor::gpu

#pragma once

#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/report.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Returns names, units and meanings of the per-kernel counters other than instructions (docs/gpu/counting.md,
/// "Statistics").
[[nodiscard]] const std::vector<base::StatisticInfo>& kernel_count_infos();

/// Moves the counters that SMs and slices hold for the kernel's table entry into the kernel's statistics; counters with
/// value 0 are left out. To be called at the end of the cycle in which the kernel completed, when all units have
/// ticked. An instruction line or dirty local line that is still in flight counts for the next kernel of the entry.
/// Returns the kernel's reads outside every allocation.
OutsideReads collect_kernel_counts(const std::vector<Sm*>& cores, MemorySystem& memory, KernelStatistics& kernel);

/// Returns the counts that belong to no completed kernel. Added to the counts of the completed kernels, they give the
/// totals of the run. SMs must have counted up to now. `entries`: size of the kernel table.
[[nodiscard]] BesideKernels count_beside_kernels(const std::vector<Sm*>& cores, MemorySystem& memory, unsigned entries);

}  // namespace castor::gpu

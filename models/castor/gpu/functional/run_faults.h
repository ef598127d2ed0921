#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>

#include "castor/gpu/device.h"
#include "castor/gpu/functional/run_end.h"
#include "castor/gpu/functional/running_kernel.h"

namespace castor::gpu::functional {

/// Returns the deadlock fault of a thread block whose live warps all wait, and which nothing can wake.
[[nodiscard]] Fault stuck(ThreadBlock& block);
/// Returns the fault of a run that has reached the limit of instructions or of the host's time, if it has.
[[nodiscard]] std::optional<Fault> limit(const Machine& machine, std::uint64_t instructions, RunEnd& end,
                                         const ThreadBlock& block);
/// Returns the fault of a spinning deadlock, if every resident warp waits or repeats a loop in the current watch. Names
/// the kernels whose thread blocks sleep meanwhile.
[[nodiscard]] std::optional<Fault> spin_deadlock(const std::deque<Resident>& residents,
                                                 const std::list<RunningKernel>& kernels, const SpinCheck& spins,
                                                 const Machine& machine, const Store& store);
/// Returns the fault of a kernel that misuses device-wide synchronisation.
[[nodiscard]] Fault sync_fault(const RunningKernel& kernel, const SyncError& error);
/// Returns the deadlock fault of a kernel whose thread blocks sleep, when nothing on the machine can proceed.
[[nodiscard]] Fault asleep_for_ever(const RunningKernel& kernel);
/// Returns the fault of a kernel that has ended with events that are not complete.
[[nodiscard]] Fault unbalanced(const RunningKernel& kernel, const std::string& events);

}  // namespace castor::gpu::functional

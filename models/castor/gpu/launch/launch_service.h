#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/base/time.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// The 64 bytes in device memory that describe a packet of a queue or a launch by device code.
using PacketImage = std::array<std::byte, 64>;

/// Origin of a launch by device code: a warp of a thread block on an SM.
struct LaunchOrigin {
  const KernelContext* kernel = nullptr;
  unsigned sm = 0, context = 0;
  base::Cycle called = 0;   ///< cycle in which the call issued
  base::Cycle acquire = 0;  ///< acquire cycle of the thread block at the call
};

/// Launch record of an admitted launch, which the SM stores into device memory.
struct StoredRecord {
  std::uint64_t address = 0;  ///< device address, a multiple of 64
  PacketImage image{};
};

/// Interface of the machine's launcher for an SM while one of its calls is served (SmUnit::serve_runtime).
class LaunchService {
 public:
  virtual ~LaunchService() = default;
  [[nodiscard]] virtual Launcher& launcher() = 0;
  /// Returns a thread block as a caller. `block` is the block's number; if it is 0 (first call), the function assigns
  /// one.
  [[nodiscard]] virtual Caller caller(const KernelContext& kernel, unsigned sm, BlockId& block) = 0;
  /// Returns whether a fault has stopped the kernel, so that its calls have no effect.
  [[nodiscard]] virtual bool stopped(const KernelContext& kernel) const = 0;
  /// Records an admitted launch and returns the launch record to be stored.
  [[nodiscard]] virtual StoredRecord admitted(LaunchId launch, const LaunchOrigin& origin) = 0;
};

}  // namespace castor::gpu

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/base/time.h"
#include "castor/gpu/launch/launcher.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// The 64 bytes in device memory that describe one packet of a queue, or one launch by device code.
using PacketImage = std::array<std::byte, 64>;

/// Who launches: a warp of a thread block on an SM.
struct LaunchOrigin {
  const KernelContext* kernel = nullptr;
  unsigned sm = 0, context = 0;
  base::Cycle called = 0;   ///< in which the call issued
  base::Cycle acquire = 0;  ///< that of its thread block then
};

/// The launch record of an admitted launch, which the SM stores.
struct StoredRecord {
  std::uint64_t address = 0;  ///< of the device, a multiple of 64
  PacketImage image{};
};

/// What an SM asks of the machine's launcher while it serves a call (SmUnit::serve_runtime).
class LaunchService {
 public:
  virtual ~LaunchService() = default;
  [[nodiscard]] virtual Launcher& launcher() = 0;
  /// A thread block as a caller. `block` is its number, 0 before its first call: it is given one.
  [[nodiscard]] virtual Caller caller(const KernelContext& kernel, unsigned sm, BlockId& block) = 0;
  /// A fault has stopped the kernel: its calls have no effect any more.
  [[nodiscard]] virtual bool stopped(const KernelContext& kernel) const = 0;
  /// The launcher has admitted a launch.
  [[nodiscard]] virtual StoredRecord admitted(LaunchId launch, const LaunchOrigin& origin) = 0;
};

}  // namespace castor::gpu

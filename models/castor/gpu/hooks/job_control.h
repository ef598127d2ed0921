#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/job.h"

namespace castor::gpu {

/// Register interface of a job scheduler for the host's driver, independent of the block: capacities, and the register
/// write for each operation (docs/gpu/jobs.md, "Jobs"). The driver performs the returned access; an empty result means
/// that no write is needed. Constant during the life of the device.
class JobControl {
 public:
  virtual ~JobControl() = default;
  /// Returns the number of the 64 KB register window; all accesses go to it.
  [[nodiscard]] virtual unsigned window() const = 0;
  /// Returns the most kernel types in the list of one announcement, at least 1.
  [[nodiscard]] virtual unsigned list_types() const = 0;
  /// Returns the number of kernel types that the block distinguishes, at most 256.
  [[nodiscard]] virtual unsigned kernel_types() const = 0;

  /// Returns the write by which the host acknowledges that the queue's job has ended or was rejected. The queue may
  /// then have another job.
  [[nodiscard]] virtual std::optional<RegisterAccess> acknowledge(unsigned queue) const = 0;
  /// Returns the write that clears the measurements of a kernel type whose number is reused. The block refuses the
  /// write (RegisterError) while a kernel of the type is in flight.
  [[nodiscard]] virtual std::optional<RegisterAccess> clear_type(std::uint8_t kid) const = 0;
  /// Returns the write that sets a queue's external priority; a smaller value is more urgent.
  [[nodiscard]] virtual std::optional<RegisterAccess> set_priority(unsigned queue, std::uint32_t value) const = 0;
  /// Returns the write that sets the time of a TB of a kernel type alone on the device: core cycles per TB in 24.8
  /// fixed point.
  [[nodiscard]] virtual std::optional<RegisterAccess> set_isolated_time(std::uint8_t kid,
                                                                        std::uint32_t value) const = 0;
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/job.h"

namespace castor::gpu {

/// How the host's driver uses a job scheduler without knowing which block it is: what the scheduler can hold, and which
/// write to its registers does what (docs/gpu/jobs.md, "Jobs"). The driver makes the access; none: there is nothing to
/// be written for that. Constant as long as the device.
class JobControl {
 public:
  virtual ~JobControl() = default;
  /// Number of the 64 KB register window; all accesses go there.
  [[nodiscard]] virtual unsigned window() const = 0;
  /// Kernel types that the list of one announcement may hold, at least 1.
  [[nodiscard]] virtual unsigned list_types() const = 0;
  /// Kernel types that can be told apart: numbers 0 to that - 1, at most 256.
  [[nodiscard]] virtual unsigned kernel_types() const = 0;

  /// The host has taken notice of the end of the queue's job, or of its rejection: the queue may have another one.
  [[nodiscard]] virtual std::optional<RegisterAccess> acknowledge(unsigned queue) const = 0;
  /// Forgets what was measured of a kernel type, whose number gets another meaning. The block refuses the write
  /// (RegisterError) while a kernel of the type is in flight.
  [[nodiscard]] virtual std::optional<RegisterAccess> clear_type(std::uint8_t kid) const = 0;
  /// External priority of a queue: smaller is more urgent.
  [[nodiscard]] virtual std::optional<RegisterAccess> set_priority(unsigned queue, std::uint32_t value) const = 0;
  /// Time that a TB of a kernel type takes of a device that it has alone: core cycles per TB in 24.8 bits.
  [[nodiscard]] virtual std::optional<RegisterAccess> set_isolated_time(std::uint8_t kid,
                                                                        std::uint32_t value) const = 0;
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>

#include "castor/gpu/device.h"

namespace castor::gpu {

/// How a job went, for reports; cycles, 0 = has not happened.
struct JobRecord {
  std::uint32_t id = 0;  ///< software's tag
  unsigned queue = 0;
  Ticket ticket = 0;           ///< of its JOB packet; 0: announced by the front end
  std::uint32_t deadline = 0;  ///< cycles from its start, all ones = none
  std::uint64_t start = 0;
  base::Cycle judged = 0;  ///< admitted or rejected
  bool accepted = false;
  std::uint8_t reason = 0;
  std::uint32_t estimate = 0;  ///< of the verdict
  base::Cycle first_tb = 0;    ///< first TB placed
  base::Cycle done = 0;        ///< last kernel complete
  bool met = false;
  std::uint64_t running = 0;           ///< cycles from the last TB of a kernel placed to its completion, all kernels
  std::uint32_t kernels = 0, tbs = 0;  ///< completed
};

}  // namespace castor::gpu

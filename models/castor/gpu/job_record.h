#pragma once

#include <cstdint>

#include "castor/gpu/device.h"

namespace castor::gpu {

/// Life cycle of a job, for reports. Times are core cycles; 0 = the event has not happened.
struct JobRecord {
  std::uint32_t id = 0;  ///< tag chosen by software
  unsigned queue = 0;
  Ticket ticket = 0;           ///< ticket of the JOB packet; 0: the front end announced the job
  std::uint32_t deadline = 0;  ///< cycles from `start`; all ones = no deadline
  std::uint64_t start = 0;
  base::Cycle judged = 0;  ///< cycle of admission or rejection
  bool accepted = false;
  std::uint8_t reason = 0;     ///< why the job was rejected
  std::uint32_t estimate = 0;  ///< completion time estimated by the admission test, cycles
  base::Cycle first_tb = 0;    ///< cycle in which the first TB was placed
  base::Cycle done = 0;        ///< cycle in which the last kernel completed
  bool met = false;            ///< the job completed before its deadline
  /// Cycles from the placement of a kernel's last TB to its completion, summed over the kernels.
  std::uint64_t running = 0;
  std::uint32_t kernels = 0, tbs = 0;  ///< completed kernels and TBs
};

}  // namespace castor::gpu

#pragma once

#include "castor/gpu/sm/issue_counter.h"
#include "castor/gpu/sm/kernel_ticks.h"

namespace castor::gpu {

/// What an SM did for the kernels of each entry of the kernel table: its ticks, and the instructions that issued.
struct SmAccounts {
  KernelTicks ticks;
  IssueCounter instructions;

  void clear(unsigned entry) {
    ticks.clear(entry);
    instructions.clear(entry);
  }
};

}  // namespace castor::gpu

#pragma once

#include "castor/gpu/sm/issue_counter.h"
#include "castor/gpu/sm/kernel_ticks.h"

namespace castor::gpu {

/// Accounts of an SM for the kernels of each kernel table entry: ticks, and issued instructions.
struct SmAccounts {
  KernelTicks ticks;
  IssueCounter instructions;

  void clear(unsigned entry) {
    ticks.clear(entry);
    instructions.clear(entry);
  }
};

}  // namespace castor::gpu

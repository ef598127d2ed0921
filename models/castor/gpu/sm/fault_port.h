#pragma once

#include <cstdint>

#include "castor/gpu/execution/fault.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Reports errors that stop a kernel to the front end: faults of device code (S5, issue; S8, bookkeeping) and errors of
/// hooks (S0, start; S5, issue; S9, hook edges).
class FaultPort {
 public:
  FaultPort(unsigned sm, const SmClock& clock, const WarpTable& warps, const ThreadBlocks& tbs, BlockedWarps& blocked,
            SpinWatch& watch, SmOutbox& outbox)
      : sm_(sm), clock_(clock), warps_(warps), tbs_(tbs), blocked_(blocked), watch_(watch), outbox_(outbox) {}

  /// Reports a fault of warp `w` at record `pc`, and blocks the warp if it is still live.
  void report(unsigned w, std::uint32_t pc, const ExecutionFault& what);
  /// Reports error `code` of the hook called `name`. It stops the kernel that has a TB in context `blamed`, or in the
  /// lowest context if that is empty.
  void report_hook(const char* name, unsigned code, std::uint64_t info, Maybe<unsigned> blamed = std::nullopt);

 private:
  const unsigned sm_;
  const SmClock& clock_;
  const WarpTable& warps_;
  const ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  SpinWatch& watch_;
  SmOutbox& outbox_;
};

}  // namespace castor::gpu

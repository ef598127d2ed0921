#pragma once

#include <cstdint>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/barriers.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/device_calls.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/runtime_unit.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Executes control instructions of an SM in S5, issue: control transfers, barriers, fences, sleeps and calls into the
/// runtime; and advances the PC of every issuing warp.
class ControlUnit {
 public:
  ControlUnit(const SmParts& parts, DeviceCalls& calls, RuntimeUnit& runtime)
      : core_clock_(base::kilohertz(parts.machine.clock.core_mhz)),
        clock_(parts.clock),
        warps_(parts.warps),
        buffer_(parts.buffer),
        scoreboard_(parts.scoreboard),
        blocked_(parts.blocked),
        fetch_(parts.fetch),
        barriers_(parts.barriers),
        calls_(calls),
        runtime_(runtime),
        faults_(parts.faults),
        watch_(parts.watch) {}

  /// Executes an instruction that needs no execution unit, at the warp's PC, for the lanes of `mask`. The instruction
  /// must already be removed from the instruction buffer.
  void execute(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask);
  /// Advances the warp's PC to the next instruction; called for instructions of all other units.
  void advance(unsigned w) {
    if (warps_.step(w)) buffer_.reopen(w);
  }

 private:
  void transfer(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask);
  void arrive(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask);
  void sleep(unsigned w, const isa::Record& record, LaneMask mask);
  void look_back(unsigned w);

  const base::Clock core_clock_;
  const SmClock& clock_;
  WarpTable& warps_;
  InstructionBuffer& buffer_;
  Scoreboard& scoreboard_;
  BlockedWarps& blocked_;
  FetchStage& fetch_;
  Barriers& barriers_;
  DeviceCalls& calls_;
  RuntimeUnit& runtime_;
  FaultPort& faults_;
  SpinWatch& watch_;
};

}  // namespace castor::gpu

#pragma once

#include <cstdint>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/control_unit.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Executes instructions when they issue (S5): values, path through the pipelines, what the scoreboard expects.
class Executor {
 public:
  /// `calls` and `runtime`: who has the calls of device code.
  Executor(const SmParts& parts, DeviceCalls& calls, RuntimeUnit& runtime);

  /// Where warps go on.
  [[nodiscard]] ControlUnit& control() { return control_; }
  /// The head of a warp's buffer, for the lanes of `mask`: those whose guard lets them. What it needs is free.
  void execute(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);

  // Steps of it, for who renames registers. All act at the PC of the warp.
  /// Values of an instruction that only reads and writes registers; false if it faults.
  [[nodiscard]] bool compute(unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  /// A memory instruction whose path is reserved; the warp goes on behind it.
  void access(const Pipelines::Path& path, unsigned w, const isa::Record& record, const Decoded& decoded,
              LaneMask mask);

 private:
  [[nodiscard]] bool run_lanes(unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void run_memory(const Pipelines::Path& path, unsigned w, const isa::Record& record, const Decoded& decoded,
                  LaneMask mask);
  void execute_lanes(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void execute_memory(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  void read_clocks(unsigned w);

  isa::LaneArgs args_;
  const SmClock& clock_;
  WarpTable& warps_;
  InstructionBuffer& buffer_;
  Scoreboard& scoreboard_;
  Pipelines& pipelines_;
  BlockedWarps& blocked_;
  SmMemory& memory_;
  ControlUnit control_;
  FaultPort& faults_;
  SpinWatch& watch_;
  const base::Clock core_clock_;
  Tick timer_tick_ = base::kForever;  // of timer_ns_
  std::uint64_t timer_ns_ = 0;
};

}  // namespace castor::gpu

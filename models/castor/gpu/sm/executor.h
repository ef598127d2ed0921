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

/// Executes an instruction in S5, issue: computes its values, reserves its path through the pipelines, and marks its
/// results as pending in the scoreboard.
class Executor {
 public:
  /// `calls` and `runtime` take the calls of device code.
  Executor(const SmParts& parts, DeviceCalls& calls, RuntimeUnit& runtime);

  /// Returns the unit that executes control instructions and advances PCs.
  [[nodiscard]] ControlUnit& control() { return control_; }
  /// Issues the oldest buffered instruction of the warp for the lanes in `mask`, whose guard predicate is true. The
  /// caller has checked that a unit, a collector and a queue entry are free.
  void execute(unsigned scheduler, unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);

  // Single steps of `execute` for FilterUnit, which renames registers. Both act at the warp's PC.
  /// Computes the results of an instruction that only reads and writes registers. Returns false if the instruction
  /// faults.
  [[nodiscard]] bool compute(unsigned w, const isa::Record& record, const Decoded& decoded, LaneMask mask);
  /// Issues a memory instruction whose path the caller has reserved, and advances the warp's PC.
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
  Tick timer_tick_ = base::kForever;  // tick in which timer_ns_ was computed
  std::uint64_t timer_ns_ = 0;
};

}  // namespace castor::gpu

#pragma once

#include "castor/gpu/machine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Returns the compiler options that follow from a machine: resource limits and redundancy marks. The caller sets the
/// addresses.
[[nodiscard]] inline isa::LinkOptions link_options(const Machine& machine) {
  isa::LinkOptions options;
  options.max_registers = machine.sm.max_regs_per_thread;
  options.sm_registers = machine.sm.registers;
  options.reg_alloc_unit = machine.sm.reg_alloc_unit;
  options.lanes = machine.sm.lanes;
  options.marks.rule = machine.compile.marks ? isa::MarkRule::kSound : isa::MarkRule::kOff;
  options.marks.most_renamed = machine.compile.renamed;
  options.marks.loads = machine.compile.mark_loads;
  options.barriers = machine.compile.barriers;
  return options;
}

}  // namespace castor::gpu

#include "castor/gpu/functional/run_faults.h"

#include <string>

#include "castor/base/words.h"
#include "castor/gpu/execution/fault.h"
#include "castor/gpu/spin_report.h"

namespace castor::gpu::functional {
namespace {

// Returns " (PTX line 7)" for a record; empty if the line is not known.
std::string line_text(const isa::Program& program, std::uint32_t pc) {
  return pc < program.lines.size() ? " (PTX line " + std::to_string(program.lines[pc].line) + ")" : std::string();
}

std::string barrier_lines(ThreadBlock& block) {
  std::string text;
  const isa::BarrierUnit& barriers = block.barriers();
  for (unsigned id = 0; id < isa::BarrierUnit::kBarriers; ++id) {
    if (barriers.waiting(id) == 0 && barriers.arrived(id) == 0) continue;
    text += "\n  barrier " + std::to_string(id) + ": " + std::to_string(barriers.arrived(id)) + " of " +
            std::to_string(barriers.expected(id)) + " warps have arrived; waiting:";
    for (unsigned warp = 0; warp < block.warps().size(); ++warp) {
      if ((barriers.waiting(id) >> warp & 1) == 0) continue;
      const std::uint32_t pc = block.warps()[warp].stack.pc();
      text += " warp " + std::to_string(warp);
      if (pc > 0) text += line_text(*block.launch().program, pc - 1);
    }
  }
  return text;
}

std::string sync_lines(ThreadBlock& block) {
  std::string text;
  for (unsigned warp = 0; warp < block.warps().size(); ++warp) {
    const Warp& waiter = block.warps()[warp];
    if (waiter.state != WarpState::kSynchronises) continue;
    text += "\n  warp " + std::to_string(warp) + " waits at " + std::string(isa::name(waiter.sync.op)) +
            line_text(*block.launch().program, waiter.sync.pc);
  }
  return text;
}

}  // namespace

Fault stuck(ThreadBlock& block) {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.kernel = block.launch().program->kernel;
  fault.block = block.index();
  const std::string synchronising = sync_lines(block);
  fault.message =
      "deadlock in kernel " + base::readable_name(fault.kernel) + ", block " + index_text(fault.block) +
      (synchronising.empty() ? ": every warp that has not exited waits at a barrier that can never complete"
                             : ": every warp that has not exited waits, and not all of them for the same thing") +
      barrier_lines(block) + synchronising;
  return fault;
}

std::optional<Fault> limit(const Machine& machine, std::uint64_t instructions, RunEnd& end, const ThreadBlock& block) {
  Fault fault;
  std::string what;
  if (machine.run.max_instructions && instructions >= *machine.run.max_instructions) {
    fault.kind = FaultKind::kInstructionLimit;
    what = "instruction limit reached: run.max_instructions = " + std::to_string(*machine.run.max_instructions) +
           " warp instructions";
  } else if (end.host.reached()) {
    fault.kind = FaultKind::kHostLimit;
    what = end.host.text();
  } else {
    return std::nullopt;
  }
  end.limit_reached = true;
  fault.kernel = block.launch().program->kernel;
  fault.block = block.index();
  fault.message = what + "; kernel " + base::readable_name(fault.kernel) +
                  " was running. An endless loop? Otherwise raise the limit";
  return fault;
}

std::optional<Fault> spin_deadlock(const std::deque<Resident>& residents, const std::list<RunningKernel>& kernels,
                                   const SpinCheck& spins, const Machine& machine, const Store& store) {
  if (!spins.watching()) return std::nullopt;
  for (const Resident& resident : residents)
    if (resident.watch != spins.number() || !resident.block->repeats()) return std::nullopt;
  std::vector<SpinningWarp> warps;
  for (const Resident& resident : residents) resident.block->add_spinning(warps);
  const std::string span = std::to_string(machine.watchdog.cycles) + " warp instructions (watchdog.cycles)";
  Fault fault;
  fault.kind = FaultKind::kSpinDeadlock;
  fault.kernel = residents.front().kernel->launch.program->kernel;
  fault.block = residents.front().block->index();
  fault.message = "spinning deadlock: " + spin_report(warps, span, store);
  for (const RunningKernel& kernel : kernels) {
    if (kernel.sync.any_asleep())
      fault.message +=
          "\nasleep in kernel " + base::readable_name(kernel.launch.program->kernel) + ":\n" + kernel.sync.report();
  }
  return fault;
}

Fault sync_fault(const RunningKernel& kernel, const SyncError& error) {
  const isa::Program& program = *kernel.launch.program;
  Fault fault;
  fault.kind = FaultKind::kBarrier;
  fault.kernel = program.kernel;
  fault.block = block_index(kernel.launch.grid, error.block);
  fault.line = error.pc < program.lines.size() ? program.lines[error.pc].line : 0;
  fault.message = error.what + "\n  in " + program.describe(error.pc) + ", block " + index_text(fault.block);
  if (error.pc < program.spellings.size()) fault.message += "\n  instruction: " + program.spellings[error.pc];
  return fault;
}

Fault asleep_for_ever(const RunningKernel& kernel) {
  const isa::Program& program = *kernel.launch.program;
  const auto [block, wait] = kernel.sync.first_asleep();
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.kernel = program.kernel;
  fault.block = block_index(kernel.launch.grid, block);
  fault.line = wait.pc < program.lines.size() ? program.lines[wait.pc].line : 0;
  fault.message = "deadlock in kernel " + base::readable_name(program.kernel) +
                  ": thread blocks sleep, and nothing can wake them\n" + kernel.sync.report();
  if (kernel.next < kernel.total)
    fault.message += "  " + std::to_string(kernel.total - kernel.next) + " blocks are not placed\n";
  return fault;
}

Fault unbalanced(const RunningKernel& kernel, const std::string& events) {
  Fault fault;
  fault.kind = FaultKind::kBarrier;
  fault.kernel = kernel.launch.program->kernel;
  fault.message = "kernel " + base::readable_name(fault.kernel) +
                  " has ended with events that have not fired: a call is missing, or there is one too many\n  " +
                  events;
  return fault;
}

}  // namespace castor::gpu::functional

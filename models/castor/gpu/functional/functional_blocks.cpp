// The functional device's thread blocks: placement, turns, reasons for waiting, and the end of kernels.

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/functional/run_faults.h"

namespace castor::gpu::functional {
namespace {

// Length of the turns of a warp and of all warps of a block together, in instructions. Long turns keep a block's
// registers in the host's cache. A block whose warps all used up their turns may be spinning on another block, so its
// next turn is short.
constexpr std::uint64_t kWarpTurn = 256;
constexpr std::uint64_t kBlockTurn = 64 * 1024;
constexpr std::uint64_t kShortBlockTurn = 4 * 1024;

// Moves the counts of the last turn's loads outside all allocations to the kernel. `now`: clock of the device.
void collect_outside_reads(MemoryPath& memory, RunningKernel& kernel, std::uint64_t now) {
  OutsideReads reads = memory.outside_reads();
  const isa::Program& program = *kernel.launch.program;
  reads.first += ", " + program.describe(static_cast<std::uint32_t>(memory.first_outside_read() - program.code.data()));
  reads.first_at = now;
  kernel.outside_reads.add(reads);
  memory.forget_outside_reads();
}

// Adds the counts of a thread block that has ended to its kernel.
void collect_counts(Resident& resident, ExecutionStudy* study) {
  RunningKernel& kernel = *resident.kernel;
  if (const MarkCheck* const marks = resident.block->marks()) {
    kernel.marks.compared += marks->counts().compared;
    kernel.marks.racy += marks->counts().racy;
  }
  if (RedundancyStudy* const redundancy = resident.block->study())
    kernel.redundancy.add(redundancy->finish(kernel.grid));
  if (BlockStudy* const hook = resident.block->hook()) study->end(kernel.launch, resident.index, *hook);
}

// Updates the kernel's synchronisation after a turn of a block: the block has ended, or sleeps.
std::optional<Fault> synchronise(const Resident& resident) {
  RunningKernel& kernel = *resident.kernel;
  std::optional<SyncError> error;
  if (resident.block->done()) {
    error = kernel.sync.end(resident.index);
  } else if (resident.sleeps) {
    const SyncWait wait = resident.block->sync_wait();
    const std::optional<SyncWait> other = resident.block->other_sync_wait();
    error = other ? SyncError{"warps of one thread block wait for different things: the others for " + wait_text(wait),
                              resident.index, other->pc}
                  : kernel.sync.sleep(resident.index, wait);
  }
  if (!error) return std::nullopt;
  return sync_fault(kernel, *error);
}

}  // namespace

void FunctionalDevice::place_blocks() {
  double used = 0;
  for (const RunningKernel& kernel : running_) used += static_cast<double>(kernel.resident) / kernel.limit;
  if (!bring_back(used)) return;
  for (RunningKernel& kernel : running_) {
    const double share = 1.0 / kernel.limit;
    if (kernel.needs_more_than(1.0 - used)) return;  // keeps the free resources for this kernel
    while (kernel.next < kernel.total && used + share <= 1.0 + 1e-9) {
      Resident resident;
      resident.kernel = &kernel;
      resident.index = kernel.sync.block_at(kernel.next++);
      resident_.push_back(std::move(resident));
      ++kernel.resident;
      used += share;
    }
  }
}

// Makes blocks whose launches are closed resident again, before new blocks are placed. Returns false if the first such
// block does not fit; no block is placed then.
bool FunctionalDevice::bring_back(double& used) {
  while (!returning_.empty()) {
    RunningKernel& kernel = *returning_.front().kernel;
    const double share = 1.0 / kernel.limit;
    if (used + share > 1.0 + 1e-9) return false;
    // With a full kernel table, new blocks of kernels that have an entry go first: only the completion of such a kernel
    // frees an entry.
    if (!kernel.is_active() && table_is_full(running_, machine_)) return true;
    ++kernel.resident;
    --kernel.waiting;
    used += share;
    resident_.push_back(std::move(returning_.front()));
    returning_.pop_front();
  }
  return true;
}

// Creates the thread block of a resident entry at its first turn.
void FunctionalDevice::start_block(Resident& resident) {
  RunningKernel& kernel = *resident.kernel;
  if (spare_blocks_.empty()) {
    resident.block = std::make_unique<ThreadBlock>();
  } else {
    resident.block = std::move(spare_blocks_.back());
    spare_blocks_.pop_back();
  }
  resident.block->start(kernel.launch, block_index(kernel.launch.grid, resident.index), machine_.sm.lanes,
                        static_cast<unsigned>(placed_++ % machine_.chip.sms), machine_.chip.sms,
                        machine_.sm.warps * (machine_.sm.lanes / 32), machine_.check.marks, machine_.check.redundancy,
                        options_.study.get());
  resident.block->set_caller({placed_, kernel.id, kernel.launch.program->code_values});
  resident.block->set_sync(&kernel.sync);
}

// Executes one turn of the resident block at the front.
void FunctionalDevice::turn() {
  Resident resident = std::move(resident_.front());
  resident_.pop_front();
  RunningKernel& kernel = *resident.kernel;
  if (resident.block == nullptr) start_block(resident);
  const Counters before = counters_;
  if (resident.watch != (end_.spins.watching() ? end_.spins.number() : 0)) {
    resident.watch = end_.spins.watching() ? end_.spins.number() : 0;
    resident.block->watch_loops(end_.spins.watching());
  }
  std::optional<Fault> fault = run_block(resident);
  if (!resident.spins) {
    end_.spins.progress(counters_.warp_instructions);
  } else if (end_.spins.watching() && !resident.block->spin_watch()->is_open()) {
    end_.spins.disturb(counters_.warp_instructions);
  }
  kernel.statistics.warp_instructions += counters_.warp_instructions - before.warp_instructions;
  kernel.statistics.thread_instructions += counters_.thread_instructions - before.thread_instructions;
  if (interpreter_.memory().outside_reads().lanes != 0)
    collect_outside_reads(interpreter_.memory(), kernel, counters_.warp_instructions);
  if (!fault) fault = limit(machine_, counters_.warp_instructions, end_, *resident.block);
  if (!fault && kernel.launch.program->sync.ops != 0) fault = synchronise(resident);
  if (fault) {
    launcher_.blocks().end(resident.block->caller().block);
    stop(kernel, std::move(*fault));
  } else if (resident.block->done()) {
    --kernel.resident;
    launcher_.blocks().end(resident.block->caller().block);
    collect_counts(resident, options_.study.get());
    spare_blocks_.push_back(std::move(resident.block));
    wake_blocks(kernel);
    finish_if_done(kernel);
  } else if (resident.waits) {
    --kernel.resident;
    ++kernel.waiting;
    const BlockId id = resident.block->caller().block;
    waiting_.emplace(id, std::move(resident));
    wake_blocks(kernel);
  } else if (resident.sleeps) {
    put_to_sleep(std::move(resident));
    wake_blocks(kernel);
  } else {
    resident_.push_back(std::move(resident));
    wake_blocks(kernel);
  }
}

// Removes a sleeping block from the turns. The block releases its resources if the machine swaps out sleeping blocks.
void FunctionalDevice::put_to_sleep(Resident resident) {
  RunningKernel& kernel = *resident.kernel;
  resident.keeps_room = kernel.sync.stays_resident(resident.block->sync_wait().op);
  if (!resident.keeps_room) {
    --kernel.resident;
    ++kernel.waiting;
  }
  const std::uint64_t index = resident.index;
  kernel.asleep.emplace(index, std::move(resident));
  end_.spins.progress(counters_.warp_instructions);
}

// Resumes the blocks of a kernel that its last turn has woken. Swapped-out blocks become resident when there are free
// resources.
void FunctionalDevice::wake_blocks(RunningKernel& kernel) {
  for (const std::uint64_t index : kernel.sync.take_woken()) {
    Resident woken = std::move(kernel.asleep.extract(index).mapped());
    woken.block->wake();
    interpreter_.restore(*woken.block);
    end_.spins.progress(counters_.warp_instructions);
    (woken.keeps_room ? resident_ : returning_).push_back(std::move(woken));
  }
}

std::optional<Fault> FunctionalDevice::run_block(Resident& resident) {
  ThreadBlock& block = *resident.block;
  auto& warps = block.warps();
  std::uint64_t budget = resident.spins ? kShortBlockTurn : kBlockTurn;
  if (machine_.run.max_instructions) {
    const std::uint64_t left =
        *machine_.run.max_instructions - std::min(*machine_.run.max_instructions, counters_.warp_instructions);
    budget = std::min(budget, std::max<std::uint64_t>(left, 1));
  }
  const std::uint64_t end = counters_.warp_instructions + budget;
  const std::uint64_t nanoseconds = now() / base::kPicosecondsPerNanosecond;
  std::size_t idle = 0;
  resident.spins = true;
  resident.waits = resident.sleeps = false;
  if (block.awaits_children() && launcher_.blocks().open_children(block.caller().block) == 0) block.children_closed();
  while (counters_.warp_instructions < end && !block.done()) {
    Warp& warp = warps[resident.next_warp];
    resident.next_warp = (resident.next_warp + 1) % warps.size();
    if (warp.state != WarpState::kReady) {
      if (++idle < warps.size()) continue;
      resident.waits = block.awaits_children();
      resident.sleeps = !resident.waits && block.sleeps();
      if (!resident.waits && !resident.sleeps) return stuck(block);
      return std::nullopt;
    }
    idle = 0;
    const std::uint64_t turn = std::min(kWarpTurn, end - counters_.warp_instructions);
    const std::uint64_t turn_end = counters_.warp_instructions + turn;
    if (auto fault = interpreter_.run(block, warp, turn, nanoseconds, counters_)) return fault;
    if (counters_.warp_instructions < turn_end) {
      resident.spins = false;  // some warp reached a barrier or exited
    } else if (block.launch().grid_workspace != 0 && block.waits_for_one()) {
      return std::nullopt;  // the leader of the block may be waiting for other blocks of its grid
    }
  }
  return std::nullopt;
}

void FunctionalDevice::finish_if_done(RunningKernel& kernel) {
  if (kernel.is_active() || kernel.waiting != 0) return;
  if (const std::string events = kernel.sync.unbalanced(); !events.empty())
    return stop(kernel, unbalanced(kernel, events));
  const LaunchId id = kernel.id;
  retire(kernel);
  running_.remove_if([id](const RunningKernel& other) { return other.id == id; });
  launcher_.complete(id);
  close_all(launcher_);
  close_trees();
}

// Completes the statistics of a kernel whose blocks have ended.
void FunctionalDevice::retire(RunningKernel& kernel) {
  kernel.statistics.end = now();
  if (kernel.outside_reads.lanes != 0)
    kernel.statistics.counts.emplace_back("outside_reads", kernel.outside_reads.lanes);
  if (machine_.check.marks) {
    kernel.statistics.counts.emplace_back("marks_compared", kernel.marks.compared);
    kernel.statistics.counts.emplace_back("marks_racy_loads", kernel.marks.racy);
  }
  if (machine_.check.redundancy) {
    const std::uint64_t threads = kernel.launch.block.count();
    const std::uint64_t warps = (threads + machine_.sm.lanes - 1) / machine_.sm.lanes;
    kernel.redundancy.grid = kernel.grid.redundant(kernel.total) * warps * kernel.total;
    kernel.redundancy.each(
        [&](const char* name, std::uint64_t value) { kernel.statistics.counts.emplace_back(name, value); });
  }
  kernel.sync.add_counts(kernel.statistics.counts);
  if (options_.study != nullptr) options_.study->end(kernel.launch);
  outside_read_notice_.tell(kernel.statistics.kernel, kernel.outside_reads);
  if (kernel.launch.grid_workspace != 0) workspaces_.give_back(kernel.launch.grid_workspace);
  if (kernel.level != 0) return rows_.add(kernel.root, kernel.level, std::move(kernel.statistics));
  if (kernel.launch.parameters != 0) store_.free(kernel.launch.parameters);
  rows_.keep(kernel.root, std::move(kernel.statistics));
}

// Resumes the blocks and queues that waited for launches that are now closed.
void FunctionalDevice::close_trees() {
  for (const BlockId block : launcher_.take_childless()) {
    auto found = waiting_.extract(block);
    if (!found.empty()) returning_.push_back(std::move(found.mapped()));
  }
  for (const LaunchId id : launcher_.take_closed_roots()) {
    const auto found = roots_.find(id);
    const Root root = found->second;
    roots_.erase(found);
    for (KernelStatistics& row : rows_.close(id, now())) finished_.add(std::move(row));
    queues_[root.queue].end_kernel(store_);
    tickets_.complete(root.ticket, now());
  }
}

// Stops a kernel because of a fault, together with all kernels of its launch tree. Other kernels continue.
void FunctionalDevice::stop(RunningKernel& kernel, Fault fault) {
  if (!fault_) fault_ = std::move(fault);
  const LaunchId root = kernel.root;
  const auto drop = [&](const Resident& resident) {
    if (resident.kernel->root != root) return false;
    if (resident.block != nullptr) launcher_.blocks().end(resident.block->caller().block);
    return true;
  };
  resident_.erase(std::remove_if(resident_.begin(), resident_.end(), drop), resident_.end());
  returning_.erase(std::remove_if(returning_.begin(), returning_.end(), drop), returning_.end());
  for (auto at = waiting_.begin(); at != waiting_.end();) at = drop(at->second) ? waiting_.erase(at) : std::next(at);
  for (RunningKernel& other : running_) {
    if (other.root != root) continue;
    for (const auto& [index, resident] : other.asleep) drop(resident);
    retire(other);
  }
  running_.remove_if([root](const RunningKernel& other) { return other.root == root; });
  launcher_.drop(root);
  close_trees();
}

// Stops the kernels whose blocks sleep, when nothing on the machine can proceed. Returns whether there were any.
bool FunctionalDevice::stop_sleepers() {
  const auto sleeps = [](const RunningKernel& kernel) { return kernel.sync.any_asleep(); };
  bool found = false;
  for (auto at = std::find_if(running_.begin(), running_.end(), sleeps); at != running_.end();
       at = std::find_if(running_.begin(), running_.end(), sleeps)) {
    stop(*at, asleep_for_ever(*at));
    found = true;
  }
  return found;
}

}  // namespace castor::gpu::functional

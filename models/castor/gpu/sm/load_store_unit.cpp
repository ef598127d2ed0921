#include "castor/gpu/sm/load_store_unit.h"

#include <cstring>
#include <vector>

namespace castor::gpu {

LoadStoreUnit::LoadStoreUnit(const Machine& machine, const Store& store, OperationTracker& operations, L1Pipe& pipe)
    : machine_(machine),
      store_(store),
      operations_(operations),
      pipe_(pipe),
      statistics_(operations.statistics()),
      two_units_(machine.units.mem_shared > 0),
      queues_{Queue(machine.lsu.queue), Queue(two_units_ ? machine.lsu.queue : 0)},
      shared_unit_(machine) {}

void LoadStoreUnit::enqueue(MemoryOperation& operation) {
  // An operation without lines and rounds (a prefetch whose lanes were all refused) still takes one pass.
  if (operation.pending == 0) operation.ideal_left = operation.pending = 1;
  const bool shared = operation.rounds.total != 0;
  const bool memory = !operation.lines.empty() || operation.ideal_left != 0;
  if (shared) shared_unit_.start(operation);
  if (!two_units_) {
    queues_[0].push_back({&operation, shared, memory});
    operation.queued = 1;
    return;
  }
  if (memory) queues_[0].push_back({&operation, false, true});
  if (shared) queues_[1].push_back({&operation, true, false});
  operation.queued = (memory ? 1 : 0) + (shared ? 1 : 0);
}

bool LoadStoreUnit::take_back(MemoryOperation& back, Tick tick) {
  // A returned instruction has priority over the queue, unless a round of the queue's head is in progress.
  const Queue& queue = queues_[two_units_ ? 1 : 0];
  if (!queue.empty() && queue.front().shared && queue.front().operation->rounds.ticks != 0) return false;
  if (shared_tick(back, tick).over) {
    if (--back.queued == 0) statistics_.replays += back.passes - 1;
    shared_over(back, tick);
  }
  return true;
}

SharedUnit::Result LoadStoreUnit::shared_tick(MemoryOperation& operation, Tick tick) {
  const SharedUnit::Result result = shared_unit_.tick(operation, tick);
  if (!result.round) return result;
  ++statistics_.smem_rounds;
  ++statistics_.lsu_passes;
  ++operation.passes;
  if (result.lanes == 0) return result;
  const TbMemory& tb = operations_.context(operation.issue.context);
  if (!operation.writes || !operations_.watched()) {
    operation.exchange_shared(tb.shared, result.lanes);
    return result;
  }
  const std::vector<std::byte> before(tb.shared, tb.shared + tb.shared_bytes);
  operation.exchange_shared(tb.shared, result.lanes);
  if (std::memcmp(before.data(), tb.shared, tb.shared_bytes) != 0) operations_.watch()->disturb();
  return result;
}

void LoadStoreUnit::shared_over(MemoryOperation& operation, Tick tick) {
  const unsigned warp = operation.issue.warp;
  if (operation.writes) operations_.client().acknowledged(warp);
  if (shared_unit_.holds(operation)) operations_.client().resume(warp);
  operations_.part_done(operation, tick + shared_unit_.latency(operation));
}

// Executes one pass for the head of a non-empty queue: shared-memory rounds first, then ideal loads, local lines,
// global lines.
void LoadStoreUnit::pass(Queue& queue, Tick tick) {
  Queued& head = queue.front();
  MemoryOperation& operation = *head.operation;
  if (tick <= operation.issue.dispatch) return;
  unsigned latency = 0;
  SharedUnit::Result shared;
  if (head.shared) {
    shared = shared_tick(operation, tick);
    if (!shared.leaves) return;
    head.shared = false;
    if (!shared.over) ++operation.queued;  // the instruction will re-enter through issue
  } else {
    if (operation.ideal_left != 0) {
      if (--operation.ideal_left == 0) {
        // Constants and parameters do not change while a kernel runs, so their bytes can be read now.
        operation.load_ideal(store_);
        latency = machine_.constant.latency;
      }
    } else {
      if (pipe_.full()) return;
      pass_lines(operation, tick);
    }
    ++statistics_.lsu_passes;
    ++operation.passes;
  }
  if (!head.memory || (operation.ideal_left == 0 && operation.next_line == operation.lines.size())) {
    queue.pop_front();
    if (--operation.queued == 0) statistics_.replays += operation.passes - 1;
  }
  if (shared.over) shared_over(operation, tick);
  if (latency != 0) operations_.part_done(operation, tick + latency);
}

void LoadStoreUnit::pass_lines(MemoryOperation& operation, Tick tick) {
  const auto size = static_cast<unsigned>(operation.lines.size());
  const unsigned space_end = operation.is_local(operation.next_line) ? operation.local_lines : size;
  const unsigned end = std::min(space_end, operation.next_line + machine_.l1.banks);
  for (; operation.next_line < end; ++operation.next_line) pipe_.push(operation, operation.next_line, tick);
}

}  // namespace castor::gpu

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/sm_memory_client.h"
#include "castor/gpu/sm/sm_memory_statistics.h"
#include "castor/gpu/sm/spin_watch.h"

namespace castor::gpu {

/// Increments two counters: the counter of all kernels, and the counter of one table entry.
inline void count(base::Counter& all, std::uint64_t& of_entry) {
  ++all;
  ++of_entry;
}

/// Memory instructions of an SM in flight: their allocation, the completion of their parts, and their counters. The
/// lowest part of SmMemory; all other parts use it.
class OperationTracker {
 public:
  OperationTracker(const Machine& machine, SmMemoryClient& client, const TbMemory* contexts,
                   base::StatisticGroup& group)
      : statistics_(group), client_(client), contexts_(contexts), by_entry_(machine.table.entries) {}

  [[nodiscard]] MemoryOperation& get() { return operations_.get(); }
  void free(MemoryOperation& operation) { operations_.free(operation); }
  [[nodiscard]] bool any() const { return operations_.in_use() != 0; }
  /// Completes one part of the operation, whose data are available at `ready`. Frees an operation without result with
  /// its last part.
  void part_done(MemoryOperation& operation, Tick ready) {
    operation.ready = std::max(operation.ready, ready);
    if (--operation.pending == 0) complete(operation);
  }

  [[nodiscard]] SmMemoryClient& client() { return client_; }
  [[nodiscard]] const TbMemory& context(unsigned number) const { return contexts_[number]; }
  [[nodiscard]] Cycle acquire(const MemoryOperation& operation) const {
    return contexts_[operation.issue.context].acquire;
  }

  [[nodiscard]] SmMemoryStatistics& statistics() { return statistics_; }
  [[nodiscard]] MemoryTraffic& traffic(const MemoryOperation& operation) {
    return by_entry_[contexts_[operation.issue.context].kernel->entry];
  }
  /// Returns the traffic of the kernels of a kernel table entry.
  [[nodiscard]] MemoryTraffic& of_entry(unsigned entry) { return by_entry_[entry]; }
  [[nodiscard]] const MemoryTraffic& of_entry(unsigned entry) const { return by_entry_[entry]; }

  void set_watch(SpinWatch* watch) { watch_ = watch; }
  /// Returns the spin watch, or null.
  [[nodiscard]] SpinWatch* watch() { return watch_; }
  [[nodiscard]] bool watched() const { return watch_ != nullptr && watch_->is_open(); }

 private:
  void complete(MemoryOperation& operation) {
    if (!operation.has_result) return free(operation);
    const Tick latency = operation.ready - operation.issue.tick;
    if (operation.waited) {
      if (operation.issue.record == nullptr) return client_.swap_loaded(operation, operation.ready);
      (operation.missed ? statistics_.load_latency_dram : statistics_.load_latency_l2).record(latency);
    } else if (!operation.lines.empty())
      statistics_.load_latency_l1.record(latency);
    else if (operation.rounds.total != 0)
      statistics_.load_latency_shared.record(latency);
    client_.data_ready(operation, operation.ready);
  }

  SmMemoryStatistics statistics_;
  OperationPool operations_;
  SmMemoryClient& client_;
  const TbMemory* const contexts_;
  std::vector<MemoryTraffic> by_entry_;  // [kernel table entry] traffic of its kernels
  SpinWatch* watch_ = nullptr;
};

}  // namespace castor::gpu

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/queue_head_service.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/kernel_rows.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class MemorySystem;

/// Release unit: completes kernels and copies (docs/gpu/front-end.md, "Completion"). It frees the kernel's entry,
/// device memory and queue, notifies the host, and keeps the statistics of each kernel. The front end owns the unit.
///
/// In a cycle: `take_copies`, `close` and `release` in F7 (release).
class ReleaseUnit {
 public:
  using CopyEngines = QueueHeadService::CopyEngines;

  /// `observer`: null if no observer is attached.
  ReleaseUnit(const Machine& machine, Store& store, KernelTable& table, LaunchTrees& trees, Queues& queues,
              CompletionPort& host, JobTable& jobs, HookEvents& events, const CopyEngines& copies, Observer* observer);

  /// Sets the memory system of a machine whose L2 is flushed when a kernel ends. Called before the first kernel.
  void set_memory(MemorySystem& memory) { l2_ = &memory; }

  /// Completes copies that their engines report as done.
  void take_copies(Cycle now);
  /// Completes a launch by the host when its tree, in which device code has launched, is closed.
  void close(LaunchRecord& record, Cycle now);
  /// Releases the lowest of the finished entries in `ready`, of which there is at least one. If the machine flushes its
  /// L2, the call starts the flush, and the entry is released when the flush is done. Returns the record of the
  /// completed kernel, which the caller must release; null if no kernel completed.
  [[nodiscard]] LaunchRecord* release(const KdMask& ready, Cycle now);

  /// Returns the rows of completed kernels, as KernelRows orders them. For trees with launches by device code it
  /// includes the rows of LaunchRows once the tree is closed.
  [[nodiscard]] const std::vector<KernelStatistics>& kernels() const { return kernels_.rows(); }
  /// Returns the tickets of the host's launches among the rows, in the order of the rows.
  [[nodiscard]] const std::vector<Ticket>& host_tickets() const { return host_tickets_; }
  /// Returns the row of the kernel that completed in this cycle, for other units to add their counts; null if none did.
  [[nodiscard]] KernelStatistics* fresh() { return fresh_ ? &fresh_->statistics : nullptr; }
  /// Returns whether the row of `fresh` covers only the part that a kernel has executed before it left its entry.
  [[nodiscard]] bool fresh_is_part() const { return fresh_->part; }
  /// Records the counts of a kernel that leaves its entry before it is complete.
  void detach(const LaunchRecord& record);
  /// Moves the row of `fresh`, whose counts are now complete, to the rows of `kernels`.
  void file();

  /// Returns whether all copy engines are idle.
  [[nodiscard]] bool copies_idle() const {
    return std::all_of(copies_.begin(), copies_.end(),
                       [](const CopyEngine* engine) { return engine == nullptr || engine->idle(); });
  }
  /// Returns the stamp of the oldest message about a completed copy that was not taken.
  [[nodiscard]] Cycle next() const {
    Cycle next = kForever;
    for (CopyEngine* const engine : copies_) {
      if (engine != nullptr) next = std::min(next, engine->done().next());
    }
    return next;
  }

 private:
  [[nodiscard]] bool flushed(unsigned entry, Cycle now);
  LaunchRecord& finish(unsigned entry, Cycle now);
  void close_tree(LaunchRecord& record, Cycle now);
  [[nodiscard]] bool is_last(unsigned queue, Cycle now);

  /// Kernel that completed in this cycle.
  struct Fresh {
    KernelStatistics statistics;
    LaunchId root = 0;  ///< host launch at the top of the tree; 0: device code launches nothing in the tree
    unsigned level = 0;
    const LaunchRecord* record = nullptr;
    bool part = false;
  };
  Store& store_;
  KernelTable& table_;
  LaunchTrees& trees_;
  Queues& queues_;
  CompletionPort& host_;
  JobTable& jobs_;
  HookEvents& events_;
  CopyEngines copies_;
  Observer* observer_;
  base::Clock clock_;
  KernelRows kernels_;
  std::vector<Ticket> host_tickets_;
  std::optional<Fresh> fresh_;
  LaunchRows rows_;
  /// counts of incomplete kernels that have left their entry
  std::unordered_map<const LaunchRecord*, KernelStatistics> parts_;
  MemorySystem* l2_ = nullptr;  // set on machines that flush the L2 at the end of a kernel
  int flushing_ = -1;           // entry whose kernel waits for the L2 flush at its end, -1 = none
};

}  // namespace castor::gpu

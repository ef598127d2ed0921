#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/completion_port.h"
#include "castor/gpu/front_end/head_service.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/kernel_rows.h"
#include "castor/gpu/launch/launch_rows.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/store.h"

namespace castor::gpu {

class MemorySystem;

/// The end of kernels and copies: gives entry, device memory and queue free, tells the host, and keeps what was counted
/// of each kernel (docs/gpu/front-end.md, "Completion").
///
/// In a cycle: `take_copies`, `close` and `release` in F7.
class ReleaseUnit {
 public:
  using CopyEngines = HeadService::CopyEngines;

  /// `observer`: null = none.
  ReleaseUnit(const Machine& machine, Store& store, KernelTable& table, LaunchTrees& trees, Queues& queues,
              CompletionPort& host, JobTable& jobs, HookEvents& events, const CopyEngines& copies, Observer* observer);

  /// For machines whose L2 is emptied when a kernel ends; needed before the first kernel.
  void set_memory(MemorySystem& memory) { l2_ = &memory; }

  /// Copies that are done.
  void take_copies(Cycle now);
  /// A launch by the host is closed with its tree, in which device code has launched.
  void close(LaunchRecord& record, Cycle now);
  /// One of these entries, which are finished, and one of them at least, is released: the lowest. With an L2 that is
  /// emptied it begins to be, and the entry is released when that is over. Returns the record of the kernel that is
  /// complete, for the caller to let go; null: none is.
  [[nodiscard]] LaunchRecord* release(const KdMask& ready, Cycle now);

  /// Completed kernels as KernelRows has them; of trees with launches by device code the rows of LaunchRows, when they
  /// are closed.
  [[nodiscard]] const std::vector<KernelStatistics>& kernels() const { return kernels_.rows(); }
  /// Tickets of the host's launches among them, in their order.
  [[nodiscard]] const std::vector<Ticket>& host_tickets() const { return host_tickets_; }
  /// The kernel that completed in this cycle, for the counts that others keep; null if none did.
  [[nodiscard]] KernelStatistics* fresh() { return fresh_ ? &fresh_->statistics : nullptr; }
  /// It is only what a kernel has done in an entry that it gives up.
  [[nodiscard]] bool fresh_is_part() const { return fresh_->part; }
  /// A kernel has left its entry without being complete.
  void detach(const LaunchRecord& record);
  /// Its counts are complete: it goes where `kernels` shows it.
  void file();

  [[nodiscard]] bool copies_idle() const {
    return std::all_of(copies_.begin(), copies_.end(),
                       [](const CopyEngine* engine) { return engine == nullptr || engine->idle(); });
  }
  /// Stamp of the oldest end of a copy.
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

  /// A kernel that completed in this cycle.
  struct Fresh {
    KernelStatistics statistics;
    LaunchId root = 0;  ///< 0: nothing is launched by device code in its tree
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
  std::unordered_map<const LaunchRecord*, KernelStatistics> parts_;  ///< of kernels that have left an entry
  MemorySystem* l2_ = nullptr;                                       // only for machines that flush
  int flushing_ = -1;  // entry whose kernel waits for the flush at its end
};

}  // namespace castor::gpu

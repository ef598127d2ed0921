#pragma once

#include <string>

#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// Owner gate: keeps kernels in their queues so that a kernel that owns the machine (KernelContext::owned) runs alone
/// (docs/gpu/sync-network.md, "Kernels that own the machine"). SyncSide owns it; JobInspector asks it which queues may
/// be granted a lane.
///
/// When such a kernel is at the head of a ready queue it is the candidate, and no other queue is granted a lane. It is
/// granted one itself when every earlier launch by the host is complete, with its launches by device code. From then on
/// it is the owner: nothing is granted a lane until it is complete. Of several candidates the one submitted first goes
/// first.
class OwnerGate {
 public:
  OwnerGate(const Queues& queues, const KernelTable& table, const LaunchTrees& trees)
      : queues_(queues), table_(table), trees_(trees) {}

  /// Returns the queues whose kernels may not be granted a lane now.
  [[nodiscard]] QueueMask closed() const;
  /// Records that a lane is granted to the kernel at the head of a queue.
  void grant(unsigned queue) { owned_ = owned_ || heads_owner(queue); }
  /// Records that the owner is complete, or that the device has been reset.
  void leave() { owned_ = false; }

  /// Returns why the kernel at the head of a queue waits at the gate; empty if it does not.
  [[nodiscard]] std::string reason(unsigned queue) const;
  /// Adds the queue's wait at the gate to a wait graph.
  void waits(unsigned queue, WaitGraph& graph) const;

 private:
  [[nodiscard]] bool heads_owner(unsigned queue) const;
  // Returns the queue with the candidate, -1 = none.
  [[nodiscard]] int candidate() const;
  // Returns the entry of the owner, -1 = none.
  [[nodiscard]] int owner() const;

  const Queues& queues_;
  const KernelTable& table_;
  const LaunchTrees& trees_;
  bool owned_ = false;  // the owner has a lane or an entry
};

}  // namespace castor::gpu

#pragma once

#include <string>

#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/queues.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// Owner gate: keeps kernels in their queues so that a kernel that owns the machine (KernelContext::owned) runs alone
/// (docs/gpu/sync-network.md, "Kernels that own the machine"). SyncSide owns the gate; JobInspector queries it for the
/// queues that may be granted a lane.
///
/// A kernel that owns the machine becomes the candidate when it is at the head of a ready queue. If several queues have
/// such a kernel, the one submitted first is the candidate. No other queue is granted a lane. The candidate is granted
/// a lane when all earlier launches by the host, and their launches by device code, are complete. From then on it is
/// the owner: no kernel is granted a lane until the owner is complete.
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

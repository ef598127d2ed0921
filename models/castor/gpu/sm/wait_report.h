#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/resource_view.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/spin_report.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// An SM's report for watchdogs (docs/gpu/faults.md, "Watchdogs"): which warps wait for other warps, and which warps
/// repeat a loop. It reads the parts of the SM between two cycles and changes nothing.
class SmWaitReport {
 public:
  /// `reasons`: waits of the mechanisms, in list order.
  SmWaitReport(const SmParts& parts, std::vector<WaitReason> reasons) : parts_(parts), reasons_(std::move(reasons)) {}

  /// Returns a text with one line for each TB and warp.
  [[nodiscard]] std::string text() const;
  /// Adds the waits between kernels, TBs and warps to a graph.
  void add_to(WaitGraph& graph) const;
  /// Returns whether every live warp has been blocked, or has returned to an earlier state, since the watch was opened.
  [[nodiscard]] bool stuck() const;
  /// Adds the live warps that repeat their loops.
  void add_spinning(std::vector<SpinningWarp>& list) const;
  /// Asserts that every used slot has a TB, that the counts of accesses in flight agree with the mask of busy warps,
  /// and that every warp at a barrier is known to that barrier. With `ledger` (null while messages are in flight), also
  /// asserts that the SM's free resources equal the ledger's. `now` is for the message.
  void check(const SmResources* ledger, Cycle now) const;

 private:
  [[nodiscard]] std::string reason(unsigned w) const;
  [[nodiscard]] const WaitReason* mechanism_reason(unsigned w) const;
  [[nodiscard]] std::uint32_t record(unsigned w) const;
  [[nodiscard]] std::string barrier_reason(unsigned w) const;
  [[nodiscard]] std::string pending_registers(unsigned w) const;
  [[nodiscard]] WarpMask missing_at_barrier(unsigned w) const;

  const SmParts parts_;
  const std::vector<WaitReason> reasons_;
};

}  // namespace castor::gpu

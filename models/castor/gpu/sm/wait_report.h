#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/room_view.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/spin_report.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// An SM's report to watchdogs (docs/gpu/faults.md, "Watchdogs"): who waits for whom, and who repeats a loop. A look at
/// its parts between two cycles, which changes nothing.
class SmWaitReport {
 public:
  /// `reasons`: of mechanisms, in their order.
  SmWaitReport(const SmParts& parts, std::vector<WaitReason> reasons) : parts_(parts), reasons_(std::move(reasons)) {}

  /// What each TB and warp waits for, one line each.
  [[nodiscard]] std::string text() const;
  /// The same as a graph.
  void add_to(WaitGraph& graph) const;
  /// Since the watch was opened every live warp was blocked, or twice in one state.
  [[nodiscard]] bool stuck() const;
  /// Adds the live warps that repeat their loops.
  void add_spinning(std::vector<SpinningWarp>& list) const;
  /// Asserts that every slot in use has a TB and that every live warp that is blocked waits for something that is
  /// there; with `ledger` (null while messages are under way) also that the SM counts the same room. `now` is for the
  /// message.
  void check(const SmRoom* ledger, Cycle now) const;

 private:
  [[nodiscard]] std::string reason(unsigned w) const;
  [[nodiscard]] std::string barrier_reason(unsigned w) const;
  [[nodiscard]] std::string pending_registers(unsigned w) const;
  [[nodiscard]] WarpMask missing_at_barrier(unsigned w) const;

  const SmParts parts_;
  const std::vector<WaitReason> reasons_;
};

}  // namespace castor::gpu

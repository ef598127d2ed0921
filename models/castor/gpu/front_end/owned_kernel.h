#pragma once

#include <cstdint>

#include "castor/gpu/front_end/front_end_parts.h"
#include "castor/gpu/hooks/sync_hub.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Kernel that owns the machine (KernelContext::owned), from the write of its table entry to its completion
/// (docs/gpu/sync-network.md, "Kernels that own the machine"). SyncSide owns this part. At most one such kernel is in
/// the table.
///
/// During the fill the dispatcher places the kernel's TBs. After the fill the hub starts the remaining TBs one by one.
/// A TB that retires returns no resources to the ledger before the kernel's end.
///
/// In a cycle: `show` and `settle` in F3; `clock` in F10.
class OwnedKernel {
 public:
  explicit OwnedKernel(const FrontEndParts& parts);

  /// Starts with the kernel whose entry was written.
  void start(unsigned entry);
  /// Ends with the complete kernel: returns the resources of its TBs to the ledger.
  void complete(const KernelContext& context);
  /// Forgets the kernel. The device has been reset.
  void reset() { entry_ = -1; }

  [[nodiscard]] bool present() const { return entry_ >= 0; }
  /// Returns whether the kernel must not be released because the hub has not reported the end of all its TBs.
  [[nodiscard]] bool held() const { return entry_ >= 0 && !done_; }
  /// Returns whether the fill is over.
  [[nodiscard]] bool filled() const { return filled_; }

  /// Sets the inputs of the hub that concern the kernel's TBs.
  void show(HubIn& in) const;
  /// Accepts the hub's outputs `done` and, at the edge, `pop`. `hub`: names the block in errors that are its fault.
  void settle(const Hook& hub, const HubIn& in, const HubOut& out, Cycle now);
  void clock(const HubOut& out, Cycle now);

 private:
  [[nodiscard]] bool fill_ends() const;
  void drop_away(unsigned entry);

  const Machine& machine_;
  KernelTable& table_;
  Ledger& ledger_;
  Dispatcher& dispatcher_;
  const RetireUnit& retire_;
  JobTable& jobs_;
  int entry_ = -1;       // entry of the kernel, -1 = none
  bool filled_ = false;  // the fill is over: only the hub starts TBs. Set when the fill ends, cleared by `start`
  bool done_ = false;    // the hub has reported the end of all TBs
};

}  // namespace castor::gpu

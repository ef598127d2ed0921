#pragma once

#include <cstddef>

#include "castor/base/error.h"
#include "castor/gpu/front_end/launch_records.h"

namespace castor::gpu {

/// Trees of launches by the host (docs/gpu/front-end.md, "Completion"). The front end owns them. A launch is open while
/// it is not complete itself or has a child that is not closed; otherwise it is closed. Closing a host launch completes
/// its tree: its queue is unblocked and the host sees the end. Launches by device code below host launches are tracked
/// by DeviceLauncher.
class LaunchTrees {
 public:
  [[nodiscard]] LaunchRecords& records() { return records_; }
  [[nodiscard]] const LaunchRecords& records() const { return records_; }

  /// Opens the tree of a kernel launched by the host. The caller holds the returned record; the tree holds it too,
  /// until the tree is complete.
  [[nodiscard]] LaunchRecord& open() {
    LaunchRecord& record = records_.take();
    records_.hold(record);
    record.open = 1;
    ++open_;
    return record;
  }
  /// Records that the launch itself is complete. Returns whether that completes its tree.
  [[nodiscard]] bool complete(LaunchRecord& record) {
    CASTOR_ASSERT(record.open > 0, "launch of ticket %llu completes twice",
                  static_cast<unsigned long long>(record.context.ticket));
    if (--record.open != 0) return false;
    --open_;
    records_.let_go(record);
    return true;
  }
  [[nodiscard]] std::size_t open_launches() const { return open_; }

 private:
  LaunchRecords records_;
  std::size_t open_ = 0;
};

}  // namespace castor::gpu

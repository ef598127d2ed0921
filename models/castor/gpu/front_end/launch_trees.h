#pragma once

#include <cstddef>

#include "castor/base/error.h"
#include "castor/gpu/front_end/launch_records.h"

namespace castor::gpu {

/// Launches and their trees (docs/gpu/front-end.md, "Completion"): a launch is open for itself and for each of its
/// children that is not closed; when it is open for nobody it is closed. Closing a host kernel is the completion of its
/// tree: it unblocks the queue and the host sees the end. Here are those of the host; what device code launches below
/// them, DeviceLauncher knows.
class LaunchTrees {
 public:
  [[nodiscard]] LaunchRecords& records() { return records_; }
  [[nodiscard]] const LaunchRecords& records() const { return records_; }

  /// A kernel launched by the host. The caller holds the record, the tree does until it is complete.
  [[nodiscard]] LaunchRecord& open() {
    LaunchRecord& record = records_.take();
    records_.hold(record);
    record.open = 1;
    ++open_;
    return record;
  }
  /// The launch itself is complete. True if that completes its tree.
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

#pragma once

#include "tb/saws/cover/facts.h"

namespace castor::saws::tb {

/// Cover points of kernel starts and of simultaneous inputs.
class KernelPoints {
 public:
  explicit KernelPoints(const CoverList& list);
  /// Samples a cycle with kernel_start.
  void see(const Now& now, const Queues& queues) { starts_.see({now, queues.any()}); }

 private:
  struct Start {
    const Now& now;
    bool messages_wait;
  };
  Points<Start> starts_;
};

}  // namespace castor::saws::tb

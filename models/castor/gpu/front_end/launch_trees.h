#pragma once

#include <cstdint>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"

namespace castor::gpu {

/// Counters of launch trees (docs/gpu.md, "Completion"): a launch is open for itself and for each of its children that
/// is not closed; when it is open for nobody it is closed. Closing a host kernel is the completion of its tree: it
/// unblocks the queue and the host sees the end.
class LaunchTrees {
 public:
  using Id = std::uint32_t;
  struct Root {
    Ticket ticket = 0;
    unsigned queue = 0;
  };

  /// A kernel launched by the host.
  Id open(const Root& root) {
    if (spare_.empty()) {
      spare_.push_back(static_cast<Id>(launches_.size()));
      launches_.emplace_back();
    }
    const Id id = spare_.back();
    spare_.pop_back();
    launches_[id] = {root, 1};
    ++open_;
    return id;
  }
  /// The launch itself is complete. True if that closes it; `root` then says whose tree is complete.
  [[nodiscard]] bool complete(Id id, Root& root) {
    Launch& launch = launches_[id];
    CASTOR_ASSERT(launch.open > 0, "launch %u completes twice", id);
    if (--launch.open != 0) return false;
    root = launch.root;
    spare_.push_back(id);
    --open_;
    return true;
  }
  [[nodiscard]] std::size_t open_launches() const { return open_; }

 private:
  struct Launch {
    Root root;
    std::uint32_t open = 0;
  };
  std::vector<Launch> launches_;
  std::vector<Id> spare_;
  std::size_t open_ = 0;
};

}  // namespace castor::gpu

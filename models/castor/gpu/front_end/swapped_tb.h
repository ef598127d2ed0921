#pragma once

#include <memory>

#include "castor/gpu/launch_record.h"
#include "castor/gpu/saved_tb.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Thread block that was swapped out of its SM and waits in the front end to be placed again.
struct SwappedTb {
  std::shared_ptr<const SavedTb> tb;
  LaunchRecord* record = nullptr;  ///< launch record, held by the block

  [[nodiscard]] unsigned entry() const { return record->context.entry; }
  /// Returns the message that restores the block on an SM. `now`: cycle in which it is sent; the block sees data
  /// written up to then. `load`: cycles that its context takes to move in.
  [[nodiscard]] TbStartMessage start_message(Cycle now, Cycle load) const {
    TbStartMessage message;
    message.visible = now + 1;
    message.kernel = tb->kernel;
    message.item = tb->item;
    message.gid = tb->gid;
    message.group = tb->group;
    message.level = record->level;
    message.parent_sm = record->parent_sm;
    message.acquire = now;
    message.saved = tb;
    message.load = load;
    return message;
  }
};

}  // namespace castor::gpu

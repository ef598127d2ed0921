#pragma once

#include <cstdint>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Counters of an SM's end of the synchronisation network, in group "sync_net" of the SM.
class SyncUpCounters {
 public:
  explicit SyncUpCounters(base::StatisticGroup& sm)
      : group_(sm, "sync_net"),
        sent(group_, {"up_messages", "", "messages that the agent has sent to the hub"}),
        blocked(group_, {"up_blocked", "cycles", "cycles in which a message of the agent waited for room"}),
        fill_(group_, {"up_fill_max", "", "most messages in the up channel at once"}) {}

  void note_fill(std::uint64_t fill) {
    if (fill > fill_.value()) fill_ += fill - fill_.value();
  }

 private:
  base::StatisticGroup group_;

 public:
  base::Counter sent, blocked;

 private:
  base::Counter fill_;
};

/// Counters of the hub's end of the synchronisation network, in group "sync_net" of the front end.
class SyncDownCounters {
 public:
  explicit SyncDownCounters(base::StatisticGroup& front_end)
      : group_(front_end, "sync_net"),
        taken(group_, {"up_taken", "", "messages of agents that the hub has taken"}),
        sent(group_, {"down_messages", "", "messages of the hub, a broadcast counted once per addressed SM"}),
        broadcasts(group_, {"broadcasts", "", "messages of the hub to several SMs at once"}),
        blocked(group_, {"down_blocked", "cycles", "cycles in which a message of the hub waited for room"}),
        fill_(group_, {"down_fill_max", "", "most messages in the down channel of an SM at once"}) {}

  void note_fill(std::uint64_t fill) {
    if (fill > fill_.value()) fill_ += fill - fill_.value();
  }

 private:
  base::StatisticGroup group_;

 public:
  base::Counter taken, sent, broadcasts, blocked;

 private:
  base::Counter fill_;
};

}  // namespace castor::gpu

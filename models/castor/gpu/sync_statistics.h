#pragma once

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Counters of an SM's end of the synchronisation network, in group "sync_net" of the SM.
struct SyncUpCounters {
  explicit SyncUpCounters(base::StatisticGroup& sm) : group(sm, "sync_net") {}
  base::StatisticGroup group;
  base::Counter sent{group, {"up_messages", "", "messages that the agent has sent to the hub"}};
  base::Counter blocked{group, {"up_blocked", "cycles", "cycles in which a message of the agent waited for room"}};
  base::Counter fill_max{group, {"up_fill_max", "", "most messages in the up channel at once"}};
};

/// Counters of the instructions that an SM issues for its synchronisation agent, in group "sync_issue" of the SM.
struct SyncIssueCounters {
  explicit SyncIssueCounters(base::StatisticGroup& sm) : group(sm, "sync_issue") {}
  base::StatisticGroup group;
  base::Counter issued{group, {"issued", "", "tb.gridsync, tb.wait and tb.signal that have issued, per warp"}};
  base::Counter refused{group, {"refused", "", "picks of such instructions that the agent has refused"}};
};

/// Counters of the hub's end of the synchronisation network, in group "sync_net" of the front end.
struct SyncDownCounters {
  explicit SyncDownCounters(base::StatisticGroup& front_end) : group(front_end, "sync_net") {}
  base::StatisticGroup group;
  base::Counter taken{group, {"up_taken", "", "messages of agents that the hub has taken"}};
  base::Counter sent{group, {"down_messages", "", "messages of the hub, a broadcast counted once per addressed SM"}};
  base::Counter broadcasts{group, {"broadcasts", "", "messages of the hub to several SMs at once"}};
  base::Counter blocked{group, {"down_blocked", "cycles", "cycles in which a message of the hub waited for room"}};
  base::Counter fill_max{group, {"down_fill_max", "", "most messages in the down channel of an SM at once"}};
};

}  // namespace castor::gpu

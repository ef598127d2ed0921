#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/sync_message.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/sync_link.h"
#include "castor/gpu/sync_statistics.h"

namespace castor::gpu {

/// Front end's side of the synchronisation network: the hub's ends of the links to all SMs (docs/gpu/sync-network.md).
/// SyncSide owns it.
///
/// In a cycle: `begin` before `up` and `room` are read; `take` and `send` at the end of the cycle. Messages that SMs
/// send or accept are handed over between cycles.
class SyncNetwork final : private SyncLinkListener {
 public:
  /// Every SM must have a link (SmUnit::sync_link). `front_end`: group for the statistics.
  SyncNetwork(const std::vector<SmUnit*>& sms, base::StatisticGroup& front_end);
  SyncNetwork(const SyncNetwork&) = delete;
  SyncNetwork& operator=(const SyncNetwork&) = delete;

  /// Starts cycle `now`: messages that have arrived by then can be accepted, and entries freed by then can be used.
  void begin(Cycle now);
  /// Returns the oldest message that has arrived from each SM.
  [[nodiscard]] View<Maybe<SyncMessage>> up() const { return {heads_.data(), heads_.size()}; }
  /// Returns the SMs from which a message has arrived.
  [[nodiscard]] const SmMask& arrived() const { return arrived_; }
  /// Returns the SMs whose down channel has a free entry.
  [[nodiscard]] const SmMask& room() const { return room_; }
  /// Returns whether the down channels of all SMs in `to` have a free entry.
  [[nodiscard]] bool fits(const SmMask& to) const { return (to & ~room_).none(); }
  /// Accepts the oldest messages of these SMs. A message from each must have arrived.
  void take(const SmMask& sms, Cycle now);
  /// Sends a message to SMs whose down channels all have a free entry.
  void send(const SyncDown& down, Cycle now);
  /// Announces a kernel to all agents, visible from cycle `visible` on.
  void start(const SyncKernel& kernel, Cycle visible);
  /// Counts `cycles` cycles in which a message of the hub waited for a free entry.
  void count_blocked(Cycle cycles) { counters_.blocked += cycles; }

  /// Returns the first cycle in which a message arrives or an entry becomes free that `begin` has not seen; kForever if
  /// there is none.
  [[nodiscard]] Cycle next() const { return std::min(first(arrivals_), first(freed_)); }
  /// Returns the cycle in which the oldest message of an SM has arrived.
  [[nodiscard]] Cycle arrival(unsigned sm) const { return links_[sm]->next_arrival(); }
  /// Returns the messages that are not accepted yet, in both directions.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  /// Returns a number that grows with every message sent or accepted.
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  /// Drops all messages. The device must be idle.
  void reset();

 private:
  // Event that `begin` will see: its cycle and its SM.
  using Events = std::deque<std::pair<Cycle, unsigned>>;
  [[nodiscard]] static Cycle first(const Events& events) { return events.empty() ? kForever : events.front().first; }
  void sent(unsigned sm, Cycle visible) override;
  void freed(unsigned sm, Cycle from) override;
  void show(unsigned sm, Cycle now);

  const std::vector<SmUnit*> sms_;
  std::vector<SyncLink*> links_;
  std::vector<Maybe<SyncMessage>> heads_;  // [sm] oldest message that has arrived
  std::vector<unsigned> free_;             // [sm] free entries of the down channel
  SmMask arrived_, room_;                  // SMs with a message in `heads_`; SMs with a free entry
  // Messages that will arrive and entries that become free, which `begin` has not seen yet. Cycles ascend.
  Events arrivals_, freed_;
  std::uint64_t in_flight_ = 0, progress_ = 0;
  SyncDownCounters counters_;
};

}  // namespace castor::gpu

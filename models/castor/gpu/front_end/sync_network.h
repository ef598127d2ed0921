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

/// Front end's side of the synchronisation network: the ends of all SMs' links at the hub (docs/gpu/sync-network.md).
/// SyncSide owns it.
///
/// In a cycle: `begin` before `up` and `room` are read; `take` and `send` at the end of the cycle. What SMs send and
/// take is handed over between cycles.
class SyncNetwork final : private SyncLinkListener {
 public:
  /// Every SM must have a link (SmUnit::sync_link). `front_end`: group for the statistics.
  SyncNetwork(const std::vector<SmUnit*>& sms, base::StatisticGroup& front_end);
  SyncNetwork(const SyncNetwork&) = delete;
  SyncNetwork& operator=(const SyncNetwork&) = delete;

  /// Starts cycle `now`: messages that have arrived by then can be taken, and places freed by then can be used.
  void begin(Cycle now);
  /// Returns the oldest message that has arrived from each SM.
  [[nodiscard]] View<Maybe<SyncMessage>> up() const { return {heads_.data(), heads_.size()}; }
  /// Returns the SMs from which a message has arrived.
  [[nodiscard]] const SmMask& arrived() const { return arrived_; }
  /// Returns the SMs whose down channel has room.
  [[nodiscard]] const SmMask& room() const { return room_; }
  /// Returns whether every SM of `to` has room.
  [[nodiscard]] bool fits(const SmMask& to) const { return (to & ~room_).none(); }
  /// Takes the messages of these SMs, from which a message has arrived.
  void take(const SmMask& sms, Cycle now);
  /// Sends a message to SMs that all have room.
  void send(const SyncDown& down, Cycle now);
  /// Announces a kernel to all agents, visible from cycle `visible` on.
  void start(const SyncKernel& kernel, Cycle visible);
  /// Adds `cycles` cycles in which a message of the hub waited for room.
  void count_blocked(Cycle cycles) { counters_.blocked += cycles; }

  /// Returns the first cycle in which a message arrives or a place becomes free that `begin` has not seen; kForever if
  /// none.
  [[nodiscard]] Cycle next() const { return std::min(first(arrivals_), first(freed_)); }
  /// Returns the cycle in which the oldest message of an SM has arrived.
  [[nodiscard]] Cycle arrival(unsigned sm) const { return links_[sm]->next_arrival(); }
  /// Returns the messages that are not taken, in either direction.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  /// Returns a number that grows with every message sent or taken.
  [[nodiscard]] std::uint64_t progress() const { return progress_; }
  /// Drops all messages. The device is idle.
  void reset();

 private:
  // Cycle from which on something of an SM is seen, and the SM.
  using Events = std::deque<std::pair<Cycle, unsigned>>;
  [[nodiscard]] static Cycle first(const Events& events) { return events.empty() ? kForever : events.front().first; }
  void sent(unsigned sm, Cycle visible) override;
  void freed(unsigned sm, Cycle from) override;
  void show(unsigned sm, Cycle now);

  const std::vector<SmUnit*> sms_;
  std::vector<SyncLink*> links_;
  std::vector<Maybe<SyncMessage>> heads_;  // [sm] oldest message that has arrived
  std::vector<unsigned> free_;             // [sm] free places of the down channel
  SmMask arrived_, room_;                  // bits of `heads_`; SMs with free places
  // Messages that will arrive and places that become free, which `begin` has not seen yet. Cycles ascend.
  Events arrivals_, freed_;
  std::uint64_t in_flight_ = 0, progress_ = 0;
  SyncDownCounters counters_;
};

}  // namespace castor::gpu

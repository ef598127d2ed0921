#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "castor/gpu/hooks/sync_message.h"
#include "castor/gpu/memory/port.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Messages that leave a link at the end of a cycle, for the front end's side of the network.
class SyncLinkListener {
 public:
  virtual ~SyncLinkListener() = default;
  /// SM `sm` has sent a message, which arrives in cycle `visible`.
  virtual void sent(unsigned sm, Cycle visible) = 0;
  /// SM `sm` has taken a message, whose place in the down channel is free from cycle `from` on.
  virtual void freed(unsigned sm, Cycle from) = 0;
};

/// Link of one SM to the synchronisation network: an up channel to the hub and a down channel to the agent
/// (docs/gpu/sync-network.md). The SM's SyncAgentPort owns it; the front end finds it through SmUnit::sync_link.
///
/// A channel carries one message per cycle, in order. A message sent in cycle c arrives in cycle c + latency. A channel
/// holds latency + 2 messages, those that have arrived and are not taken included. The place of a message taken in
/// cycle c is free from c + 1 on.
///
/// The SM's tick writes only the SM's end. What it sends or takes is handed over by `deliver`, after all units of the
/// cycle have ticked.
class SyncLink {
 public:
  explicit SyncLink(unsigned latency) : latency_(latency), credits_(latency + 2) {}
  SyncLink(const SyncLink&) = delete;
  SyncLink& operator=(const SyncLink&) = delete;

  [[nodiscard]] unsigned latency() const { return latency_; }
  [[nodiscard]] unsigned depth() const { return credits_.depth(); }

  // --- The SM's end, in the tick of the SM ---------------------------------------------------------------------------

  /// Returns whether the up channel has room. If not, the SM is woken when a place becomes free; for places that are
  /// already becoming free it must use `next_credit`.
  [[nodiscard]] bool can_send(Cycle now) { return credits_.covers(1, now); }
  [[nodiscard]] Cycle next_credit() const { return credits_.next(); }
  /// Sends a message to the hub, at most one per tick. Returns the cycle in which it arrives.
  Cycle send(const SyncMessage& message, Cycle now) {
    credits_.spend(1);
    departing_ = Transit{now + latency_, message};
    return departing_->visible;
  }
  /// Returns the number of places of the up channel that are not free.
  [[nodiscard]] unsigned up_fill(Cycle now) { return depth() - credits_.available(now); }
  /// Returns the oldest message that has arrived from the hub, or null.
  [[nodiscard]] const SyncMessage* received(Cycle now) const {
    const Transit* const head = down_.head(now);
    return head == nullptr ? nullptr : &head->message;
  }
  /// Removes the message that `received` returns, at most one per tick.
  void take_received(Cycle now) {
    down_.pop();
    freed_from_ = now + 1;
  }
  /// Returns the cycle in which the oldest message of the down channel arrives, or has arrived; kForever if there is
  /// none.
  [[nodiscard]] Cycle next_received() const { return down_.next(); }
  /// Returns the number of messages in the down channel.
  [[nodiscard]] std::size_t down_fill() const { return down_.size(); }
  /// Returns the kernel whose start is visible in `now`, or null. `take_start` removes it.
  [[nodiscard]] const SyncKernel* started(Cycle now) const {
    const Start* const head = starts_.head(now);
    return head == nullptr ? nullptr : &head->kernel;
  }
  void take_start() { starts_.pop(); }
  [[nodiscard]] Cycle next_start() const { return starts_.next(); }
  /// Hands over the messages that the SM's tick has sent and accepted. Called when all units have ticked.
  void deliver();
  /// Sets the function that `reset` calls for the SM's end.
  void on_reset(std::function<void()> act) { on_reset_ = std::move(act); }

  // --- The front end's end -------------------------------------------------------------------------------------------

  /// Sets the listener for the messages that the SM sends and accepts, and the SM's number at the listener.
  void connect(SyncLinkListener& listener, unsigned sm) {
    listener_ = &listener;
    sm_ = sm;
  }
  /// Returns the oldest message that has arrived from the SM, or null.
  [[nodiscard]] const SyncMessage* arrived(Cycle now) const {
    const Transit* const head = up_.head(now);
    return head == nullptr ? nullptr : &head->message;
  }
  [[nodiscard]] Cycle next_arrival() const { return up_.next(); }
  /// Removes the message that `arrived` returns, at most one per cycle. Returns whether the SM waits for room.
  [[nodiscard]] bool take_arrived(Cycle now) {
    up_.pop();
    return credits_.give_back(1, now);
  }
  /// Sends a message to the agent, at most one per cycle. Returns the cycle in which it arrives.
  Cycle send_down(const SyncMessage& message, Cycle now) {
    down_.push({now + latency_, message});
    return now + latency_;
  }
  /// Announces a kernel to the agent, visible from cycle `visible` on.
  void start(const SyncKernel& kernel, Cycle visible) { starts_.push({visible, kernel}); }
  /// Drops all messages and resets the SM's end. The device is idle.
  void reset();

 private:
  struct Transit {
    Cycle visible = 0;  ///< cycle in which the message arrives
    SyncMessage message;
  };
  struct Start {
    Cycle visible = 0;
    SyncKernel kernel;
  };

  const unsigned latency_;
  Credits credits_;                   // free places of the up channel, of the SM
  Mailbox<Transit> up_, down_;        // messages of the two channels that are not taken
  Mailbox<Start> starts_;             // announced kernels
  std::optional<Transit> departing_;  // message sent in this tick, until `deliver`
  Cycle freed_from_ = kForever;       // a message was taken in the previous cycle, until `deliver`; kForever = none
  SyncLinkListener* listener_ = nullptr;
  unsigned sm_ = 0;  // number of the SM for `listener_`
  std::function<void()> on_reset_;
};

inline void SyncLink::deliver() {
  if (departing_) {
    up_.push(*departing_);
    if (listener_ != nullptr) listener_->sent(sm_, departing_->visible);
    departing_.reset();
  }
  if (freed_from_ != kForever) {
    if (listener_ != nullptr) listener_->freed(sm_, freed_from_);
    freed_from_ = kForever;
  }
}

inline void SyncLink::reset() {
  up_ = {};
  down_ = {};
  starts_ = {};
  credits_ = Credits(depth());
  departing_.reset();
  freed_from_ = kForever;
  if (on_reset_) on_reset_();
}

}  // namespace castor::gpu

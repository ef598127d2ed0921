#pragma once

#include "castor/gpu/memory/port.h"
#include "castor/gpu/sm/event_buffer.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// What an SM's tick has for others: a request and a reply in its port, the wake of the front end, events. It stays
/// here until the device asks, when all units of the cycle have ticked.
class Departures {
 public:
  /// `observer` may be null.
  Departures(InitiatorPort& port, SmOutbox& outbox, Observer* observer)
      : port_(port), outbox_(outbox), observer_(observer) {
    port.hold(flag_);
    outbox.hold(flag_);
  }
  Departures(const Departures&) = delete;
  Departures& operator=(const Departures&) = delete;

  /// To be told of events in place of the observer; null if nobody observes.
  [[nodiscard]] Observer* events() { return observer_ != nullptr ? &events_ : nullptr; }
  /// Raised when there is something; the owner of its place lowers it.
  [[nodiscard]] HandOver& flag() { return flag_; }
  /// For the end of a tick.
  void end_tick() {
    if (!events_.empty()) flag_.raise();
  }
  void deliver() {
    port_.deliver();
    outbox_.deliver();
    if (!events_.empty()) events_.deliver(*observer_);
  }

 private:
  InitiatorPort& port_;
  SmOutbox& outbox_;
  Observer* const observer_;
  HandOver flag_;
  EventBuffer events_;
};

}  // namespace castor::gpu
